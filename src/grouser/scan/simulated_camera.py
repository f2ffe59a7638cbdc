"""Simulated scans: depth camera frames of a simulated world, with known ground truth."""

from __future__ import annotations

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue, unknown
from grouser.frames import Pose, from_rpy
from grouser.scan.cloud import PointCloud
from grouser.sensors.depth import DEPTH_CAMERAS, DepthOptics, depth_picture
from grouser.simulation.scene import Scene, compose
from grouser.simulation.schedule import generator
from grouser.world.file import World


def pose_towards(position: npt.ArrayLike, target: npt.ArrayLike) -> Pose:
    """Return the pose of an upright camera at ``position`` in the world that looks at a target."""
    eye = np.asarray(position, float)
    ahead = np.asarray(target, float) - eye
    level = float(np.hypot(ahead[0], ahead[1]))
    if not (np.isfinite(ahead).all() and np.linalg.norm(ahead) > 1e-6):
        raise BadValue(f"camera at {eye.tolist()}: the target must differ from the position")
    pitch, yaw = float(np.arctan2(-ahead[2], level)), float(np.arctan2(ahead[1], ahead[0]))
    return Pose(eye, from_rpy(0.0, pitch, yaw))


def scan_world(
    world: World | Scene, camera_poses: list[Pose], camera: str = "kinect1", seed: int = 0
) -> list[PointCloud]:
    """Return depth camera frames of a world in its initial state, from each pose.

    Args:
        world: the world, or its compiled scene.
        camera_poses: of the camera in the world: x ahead, y left, z up.
        camera: a name from `DEPTH_CAMERAS`.
        seed: of the camera's noise.

    Returns:
        Organised clouds in camera axes: x right, y down, z forward.
    """
    if camera not in DEPTH_CAMERAS:
        raise unknown("scan", "depth camera", camera, DEPTH_CAMERAS)
    scene = world if isinstance(world, Scene) else compose(world)
    data = scene.initial()
    optics, pattern = DEPTH_CAMERAS[camera], int(generator(seed, "scan").integers(2**63))
    return [
        _look(scene.model, data, X_WC, optics, pattern, generator(seed, f"scan/{number}"))
        for number, X_WC in enumerate(camera_poses)
    ]


def _look(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    X_WC: Pose,
    optics: DepthOptics,
    pattern: int,
    rng: np.random.Generator,
) -> PointCloud:
    depths = depth_picture(model, data, X_WC, optics, pattern, rng).astype(float)
    right, down = optics.output_plane.slopes()
    points = np.stack([right * depths, down[:, None] * depths, depths], axis=-1)
    return PointCloud(points.reshape(-1, 3), depths.shape, origins=np.zeros(3))
