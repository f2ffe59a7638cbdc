"""How far a camera zooms: angles of view across the picture, as the wire has them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from grouser.frames import radians
from grouser.sensors.camera import Camera

NARROWEST = radians(20.0)
"""rad; UDK's ``CameraMinFov``."""
WIDEST = radians(120.0)
"""rad; UDK's ``CameraMaxFov``."""


@dataclass(frozen=True)
class ZoomRange:
    """The angles of view of one camera, rad."""

    usual: float
    """As it was built."""
    narrowest: float
    widest: float

    def angle(self, zoom: float) -> float:
        """Return the angle of view with the focal length ``zoom`` times as long."""
        return 2 * math.atan(math.tan(self.usual / 2) / zoom)

    def zoom(self, angle: float) -> float:
        """Return the zoom that gives an angle of view, within what there is; 0: as built."""
        if angle == 0:
            return 1.0
        wanted = min(max(angle, self.narrowest), self.widest)
        return math.tan(self.usual / 2) / math.tan(wanted / 2)


def zoom_range(camera: Camera) -> ZoomRange:
    """Return how far ``camera`` zooms; its own angle of view is always within."""
    usual = radians(camera.lens.fov_deg[0])
    return ZoomRange(usual, min(NARROWEST, usual), max(WIDEST, usual))
