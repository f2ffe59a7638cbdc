"""From where a world is looked at: as its file says, or so that its first robot is seen well.

What a file leaves out is chosen by whom the camera follows: how large it is, and which way it sets
out. Size and direction are those of the start, so that a picture never breathes with a gait or
swings round with a turn.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from grouser.frames import Array, degrees, rotate
from grouser.rendering.viewpoint import Viewpoint
from grouser.simulation.live_scene import LiveScene
from grouser.simulation.scene import Scene

DISTANCE = 3.5
"""Of the camera, in radii of whom it follows: all of it is seen, and about as much around it."""
ASIDE_DEG = 50.0
"""Between the way it sets out and the direction of sight."""
AHEAD = 0.35
"""How far ahead of its middle the camera looks, in radii: what it drives at matters more than
where it has been."""
NOBODY = (0.0, 0.0, 0.2), 3.0
"""What is looked at where nobody is, and from how far, m."""


class Viewing:
    """The camera of one scene."""

    def __init__(self, scene: Scene) -> None:
        """Look at ``scene``; whom to follow is decided here and now."""
        view, self._scene = scene.world.view, scene
        followed = view.follow
        if view.lookat is None and followed is None and scene.world.robots:
            followed = scene.world.robots[0].name
        here = {entry.name for entry in (*scene.world.robots, *scene.world.objects)}
        self._followed = followed if followed in here else None

    def viewpoint(self, live: LiveScene) -> Viewpoint:
        """Return where the camera is now, and what it looks at."""
        view = self._scene.world.view
        middle, distance, azimuth_deg = self._chosen
        lookat = middle if view.lookat is None else np.array(view.lookat)
        if self._followed is not None:
            lookat = lookat + live.pose(self._followed).position
        x, y, z = lookat.tolist()
        return Viewpoint(
            (x, y, z),
            distance if view.distance is None else view.distance,
            azimuth_deg if view.azimuth_deg is None else view.azimuth_deg,
            view.elevation_deg,
        )

    @cached_property
    def _chosen(self) -> tuple[Array, float, float]:
        """What is in the middle (from whom is followed), distance and azimuth, as we would."""
        if self._followed is None:
            lookat, distance = NOBODY
            return np.array(lookat), distance, ASIDE_DEG
        model, data = self._scene.model, self._scene.initial()
        robot = self._scene.robots.get(self._followed)
        root = model.body(f"{self._followed}/{robot.root}" if robot else self._followed).id
        mine = (model.body_rootid[model.geom_bodyid] == model.body_rootid[root]) & (
            model.geom_rgba[:, 3] > 0
        )
        places, radii = data.geom_xpos[mine], model.geom_rbound[mine]
        if not len(places):
            return np.zeros(3), NOBODY[1], ASIDE_DEG
        low = (places - radii[:, None]).min(axis=0)
        high = (places + radii[:, None]).max(axis=0)
        middle, origin = (low + high) / 2, data.xpos[root]
        radius = float((np.linalg.norm(places - middle, axis=1) + radii).max())
        ahead = rotate(data.xquat[root], (1.0, 0.0, 0.0))
        heading = math.atan2(float(ahead[1]), float(ahead[0]))
        way = np.array([math.cos(heading), math.sin(heading), 0.0])
        azimuth_deg = (degrees(heading) + ASIDE_DEG + 180.0) % 360.0 - 180.0
        return middle - origin + AHEAD * radius * way, DISTANCE * radius, azimuth_deg
