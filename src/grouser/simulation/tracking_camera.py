"""Tracking camera: viewpoint of a world, from its file or chosen for its first robot.

Omitted settings are chosen by size and heading of the followed robot or object. Both are those of
the start, so that the picture neither pulsates with a gait nor swings with a turn.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from grouser.frames import Array, degrees, rotate
from grouser.rendering.viewpoint import Viewpoint
from grouser.simulation.scene import Scene
from grouser.simulation.scene_state import SceneState

DISTANCE = 3.5
"""Of the camera, in radii of the followed body: it fills about half of the picture."""
OBLIQUE_DEG = 50.0
"""Angle between the initial heading and the viewing direction."""
AHEAD = 0.35
"""Distance of the point of view ahead of the body's centre, in radii."""
DEFAULT_VIEW = (0.0, 0.0, 0.2), 3.0
"""Point of view and distance of a world without robots, m."""


class TrackingCamera:
    """Camera of one scene; follows a robot or an object."""

    def __init__(self, scene: Scene) -> None:
        """Choose the followed robot or object of ``scene``."""
        view, self._scene = scene.world.view, scene
        followed = view.follow
        if view.lookat is None and followed is None and scene.world.robots:
            followed = scene.world.robots[0].name
        here = {entry.name for entry in (*scene.world.robots, *scene.world.objects)}
        self._followed = followed if followed in here else None

    def viewpoint(self, state: SceneState) -> Viewpoint:
        """Return the present viewpoint."""
        view = self._scene.world.view
        middle, distance, azimuth_deg = self._chosen
        lookat = middle if view.lookat is None else np.array(view.lookat)
        if self._followed is not None:
            lookat = lookat + state.pose(self._followed).position
        x, y, z = lookat.tolist()
        return Viewpoint(
            (x, y, z),
            distance if view.distance is None else view.distance,
            azimuth_deg if view.azimuth_deg is None else view.azimuth_deg,
            view.elevation_deg,
        )

    @cached_property
    def _chosen(self) -> tuple[Array, float, float]:
        """Default point of view (from the followed body), distance and azimuth."""
        if self._followed is None:
            lookat, distance = DEFAULT_VIEW
            return np.array(lookat), distance, OBLIQUE_DEG
        model, data = self._scene.model, self._scene.initial()
        robot = self._scene.robots.get(self._followed)
        root = model.body(f"{self._followed}/{robot.root}" if robot else self._followed).id
        own = (model.body_rootid[model.geom_bodyid] == model.body_rootid[root]) & (
            model.geom_rgba[:, 3] > 0
        )
        places, radii = data.geom_xpos[own], model.geom_rbound[own]
        if not len(places):
            return np.zeros(3), DEFAULT_VIEW[1], OBLIQUE_DEG
        low = (places - radii[:, None]).min(axis=0)
        high = (places + radii[:, None]).max(axis=0)
        middle, origin = (low + high) / 2, data.xpos[root]
        radius = float((np.linalg.norm(places - middle, axis=1) + radii).max())
        ahead = rotate(data.xquat[root], (1.0, 0.0, 0.0))
        heading = math.atan2(float(ahead[1]), float(ahead[0]))
        way = np.array([math.cos(heading), math.sin(heading), 0.0])
        azimuth_deg = (degrees(heading) + OBLIQUE_DEG + 180.0) % 360.0 - 180.0
        return middle - origin + AHEAD * radius * way, DISTANCE * radius, azimuth_deg
