"""Zoom of a camera: fields of view between two limits, and focal lengths relative to the lens."""

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
    """Horizontal fields of view of one camera, rad."""

    default: float
    """Field of view at zoom 1."""
    narrowest: float
    widest: float

    def angle(self, zoom: float) -> float:
        """Return the field of view at ``zoom`` times the focal length."""
        return 2 * math.atan(math.tan(self.default / 2) / zoom)

    def zoom(self, angle: float) -> float:
        """Return the zoom for a field of view, clamped to the range; 0: default."""
        if angle == 0:
            return 1.0
        wanted = min(max(angle, self.narrowest), self.widest)
        return math.tan(self.default / 2) / math.tan(wanted / 2)


def zoom_range(camera: Camera) -> ZoomRange:
    """Return the zoom range of ``camera``; it always contains the default field of view."""
    usual = radians(camera.lens.fov_deg[0])
    return ZoomRange(usual, min(NARROWEST, usual), max(WIDEST, usual))
