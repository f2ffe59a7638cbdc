"""Robot layout: joints, mission packages, sensors, dimensions and mounting poses on the wire.

Dimensions and poses are read from the compiled model.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from grouser.errors import unknown
from grouser.frames import Pose
from grouser.gateways.usarsim.joints import WireJoint, WireJoints
from grouser.gateways.usarsim.wire_names import appearance, normalize_name
from grouser.protocol.usarsim.state import GROUND, LEGGED
from grouser.robots.drive_modes import drive_mode, travel_per_radian
from grouser.robots.robot import Robot
from grouser.sensors.sensor import MountedSensor, Sensor
from grouser.simulation.scene_state import geom_corners


@dataclass(frozen=True)
class RobotSize:
    """Dimensions of a robot in its default posture, in the axes of its root."""

    dimensions: tuple[float, float, float]
    """Length, width, height, m."""
    centre: tuple[float, float, float]
    """Centre of mass relative to the root, m."""


@dataclass(frozen=True)
class MountPose:
    """Mounting pose of a sensor or link."""

    body: str
    """Name of the carrying body on the robot."""
    X_BS: Pose
    """Pose in that body."""


def robot_size(model: mujoco.MjModel, name: str, robot: Robot) -> RobotSize:
    """Return the dimensions of the robot ``name`` in ``model``."""
    data = _posture_data(model, name, robot)
    mujoco.mj_comPos(model, data)
    root = model.body(f"{name}/{robot.root}").id
    R_WB = data.xmat[root].reshape(3, 3)
    own = np.flatnonzero(model.body_rootid[model.geom_bodyid] == model.body_rootid[root])
    x, y, z = ((data.subtree_com[root] - data.xpos[root]) @ R_WB).tolist()
    return RobotSize(_edges(model, data, root, own), (x, y, z))


def _posture_data(model: mujoco.MjModel, name: str, robot: Robot) -> mujoco.MjData:
    """Return MjData with the robot ``name`` in its default posture, kinematics computed."""
    data = mujoco.MjData(model)
    for joint, value in robot.posture.items():
        data.qpos[model.joint(f"{name}/{joint}").qposadr[0]] = value
    mujoco.mj_kinematics(model, data)
    return data


def object_size(model: mujoco.MjModel, name: str) -> tuple[float, float, float]:
    """Return the edge lengths of the bounding box of an object in its own axes, m."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    body = model.body(name).id
    own = np.flatnonzero(model.body_rootid[model.geom_bodyid] == model.body_rootid[body])
    if model.body_rootid[body] != body:  # fixed: its root is the world
        own = np.flatnonzero(model.geom_bodyid == body)
    return _edges(model, data, body, own)


def _edges(
    model: mujoco.MjModel, data: mujoco.MjData, body: int, geoms: np.ndarray
) -> tuple[float, float, float]:
    """Return the edge lengths of the bounding box of ``geoms`` in the axes of ``body``, m."""
    corners = np.concatenate([geom_corners(model, data, geom) for geom in geoms.tolist()])
    inside = (corners - data.xpos[body]) @ data.xmat[body].reshape(3, 3)
    x, y, z = (inside.max(axis=0) - inside.min(axis=0)).tolist()
    return x, y, z


def mount_poses(sensor: Sensor, layout: RobotLayout) -> list[MountPose]:
    """Return the mounting pose of a sensor; without a location it is mounted at the root."""
    if not isinstance(sensor, MountedSensor):
        return [MountPose(layout.robot.root, Pose())]
    model = layout.model
    site = sensor.site(model, f"{layout.name}/")
    pose = Pose(model.site_pos[site].copy(), model.site_quat[site].copy())
    return [MountPose(local_body_name(model, layout.name, int(model.site_bodyid[site])), pose)]


def hinge_pose(model: mujoco.MjModel, name: str, joint: str) -> MountPose:
    """Return the pose of a joint's child body in its parent body."""
    body = int(model.joint(f"{name}/{joint}").bodyid[0])
    pose = Pose(model.body_pos[body].copy(), model.body_quat[body].copy())
    return MountPose(local_body_name(model, name, int(model.body_parentid[body])), pose)


def pose_in_carrier(
    model: mujoco.MjModel, name: str, robot: Robot, place: MountPose, carriers: Container[str]
) -> MountPose:
    """Return a mounting pose relative to its nearest ancestor in ``carriers``, or the root."""
    # Joints in between are in the default posture.
    body = here = model.body(f"{name}/{place.body}").id
    root = model.body(f"{name}/{robot.root}").id
    while body != root and local_body_name(model, name, body) not in carriers:
        body = int(model.body_parentid[body])
    if body == here:
        return place
    data = _posture_data(model, name, robot)
    X_WC = Pose(data.xpos[body].copy(), data.xquat[body].copy())
    X_WB = Pose(data.xpos[here].copy(), data.xquat[here].copy())
    return MountPose(local_body_name(model, name, body), X_WC.inverse() @ X_WB @ place.X_BS)


def local_body_name(model: mujoco.MjModel, name: str, body: int) -> str:
    """Return the name of a body without the prefix of its robot."""
    return str(model.body(body).name.removeprefix(f"{name}/"))


@dataclass(frozen=True)
class PackageLink:
    """One link of a mission package."""

    joint: WireJoint
    sign: int
    """Sign of its wire angle relative to the drive."""


class RobotLayout:
    """Parts of one robot with their wire names, looked up once."""

    def __init__(
        self,
        name: str,
        kind: str,
        robot: Robot,
        sensors: Mapping[str, Sensor],
        model: mujoco.MjModel,
    ) -> None:
        """Look up joints, packages and drive mode of the robot ``name`` in the compiled scene."""
        self.name, self.kind, self.robot, self.sensors = name, kind, robot, sensors
        self.model = model
        self.appearance = appearance(kind)
        """Wire names of its kind."""
        radii = travel_per_radian(model, name, robot)
        self.joints = WireJoints(robot, self.appearance, radii)
        self.drive_mode = drive_mode(model, name, robot)
        """Conversion of DRIVE; None: it cannot be driven."""
        self.vehicle = LEGGED if robot.gait else GROUND
        """Vehicle type on the wire."""
        self.packages: Mapping[str, tuple[PackageLink, ...]] = {
            package: tuple(PackageLink(self.joints.by_drive[drive], sign) for drive, sign in links)
            for package, links in self.appearance.packages.items()
            if all(drive in robot.drives for drive, _ in links)
        }
        """Mission package → its links."""

    @cached_property
    def size(self) -> RobotSize:
        """Dimensions in the default posture, computed on first use."""
        return robot_size(self.model, self.name, self.robot)

    def package(self, name: str) -> tuple[str, tuple[PackageLink, ...]]:
        """Return a mission package by name, case-insensitively: its wire name and its links."""
        for package, links in self.packages.items():
            if normalize_name(package) == normalize_name(name):
                return package, links
        raise unknown(self.name, "mission package", name, self.packages)
