"""Viewpoints: free cameras, and named cameras of a model."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from grouser.errors import unknown


@dataclass(frozen=True)
class Viewpoint:
    """Free camera that looks at a point."""

    lookat: tuple[float, float, float]
    """Point in the middle of the image, world frame, m."""
    distance: float
    """Distance from the camera to that point, m."""
    azimuth_deg: float
    """Azimuth of the viewing direction about z: 0 is along +x, 90 along +y."""
    elevation_deg: float
    """Elevation of the viewing direction above the horizon: -90 is straight down."""
    fovy_deg: float = 45.0
    """Vertical field of view, between 0 and 180."""


def mujoco_camera(model: mujoco.MjModel, view: Viewpoint | str) -> mujoco.MjvCamera:
    """Return MuJoCo's camera for ``view``; a string names a camera of the model."""
    camera = mujoco.MjvCamera()
    if isinstance(view, str):
        camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        camera.fixedcamid = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_CAMERA, view)
        if camera.fixedcamid < 0:
            names = (model.camera(i).name for i in range(model.ncam))
            raise unknown("picture", "camera", view, filter(None, names))
    else:
        camera.type = mujoco.mjtCamera.mjCAMERA_FREE
        camera.lookat[:] = view.lookat
        camera.distance = view.distance
        camera.azimuth = view.azimuth_deg
        camera.elevation = view.elevation_deg
    return camera
