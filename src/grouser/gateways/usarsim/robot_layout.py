"""What a robot of ours is made of as the wire has it: joints, packages, sensors, how it goes."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from grouser.errors import unknown
from grouser.frames import Array, Pose
from grouser.gateways.usarsim.drive_modes import DriveMode, drive_mode
from grouser.gateways.usarsim.joints import WireJoint, WireJoints
from grouser.gateways.usarsim.wire_names import appearance, plain
from grouser.protocol.usarsim.state import GROUND, LEGGED
from grouser.robots.robot import Robot
from grouser.sensors.mounted import MountedSensor
from grouser.sensors.pressure import Pressure
from grouser.sensors.sensor import Sensor
from grouser.sensors.touch import Touch


@dataclass(frozen=True)
class RobotSize:
    """Of a robot in its posture, in its root's axes."""

    dimensions: tuple[float, float, float]
    """Length, width, height, m."""
    centre: tuple[float, float, float]
    """Of mass, from the root, m."""


@dataclass(frozen=True)
class MountPose:
    """Where something sits."""

    body: str
    """Name on the robot of the part that carries it."""
    X_BS: Pose
    """Its pose there."""


def measure(model: mujoco.MjModel, name: str, robot: Robot) -> RobotSize:
    """Return how large the robot called ``name`` is in ``model``."""
    data = _in_posture(model, name, robot)
    mujoco.mj_comPos(model, data)
    root = model.body(f"{name}/{robot.root}").id
    R_WB = data.xmat[root].reshape(3, 3)
    own = np.flatnonzero(model.body_rootid[model.geom_bodyid] == model.body_rootid[root])
    corners = np.concatenate([_corners(model, data, geom) for geom in own.tolist()])
    inside = (corners - data.xpos[root]) @ R_WB
    length, width, height = (inside.max(axis=0) - inside.min(axis=0)).tolist()
    x, y, z = ((data.subtree_com[root] - data.xpos[root]) @ R_WB).tolist()
    return RobotSize((length, width, height), (x, y, z))


def _in_posture(model: mujoco.MjModel, name: str, robot: Robot) -> mujoco.MjData:
    """Return the kinematics of a scene in which the robot called ``name`` has its posture."""
    data = mujoco.MjData(model)
    for joint, value in robot.posture.items():
        data.qpos[model.joint(f"{name}/{joint}").qposadr[0]] = value
    mujoco.mj_kinematics(model, data)
    return data


def object_size(model: mujoco.MjModel, name: str) -> tuple[float, float, float]:
    """Return the edges of the box around an object in its own axes, m."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    body = model.body(name).id
    own = np.flatnonzero(model.body_rootid[model.geom_bodyid] == model.body_rootid[body])
    if model.body_rootid[body] != body:  # fixed: its root is the world
        own = np.flatnonzero(model.geom_bodyid == body)
    corners = np.concatenate([_corners(model, data, geom) for geom in own.tolist()])
    inside = (corners - data.xpos[body]) @ data.xmat[body].reshape(3, 3)
    x, y, z = (inside.max(axis=0) - inside.min(axis=0)).tolist()
    return x, y, z


def _corners(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> Array:
    """Return the eight corners of a geom's bounding box in the world, (8, 3), m."""
    middle, half = model.geom_aabb[geom].reshape(2, 3)
    signs = np.array(np.meshgrid(*([(-1, 1)] * 3))).reshape(3, -1).T
    R_WG = data.geom_xmat[geom].reshape(3, 3)
    return np.asarray(data.geom_xpos[geom] + (middle + signs * half) @ R_WG.T)


def mount_poses(model: mujoco.MjModel, name: str, robot: Robot, sensor: Sensor) -> list[MountPose]:
    """Return where a sensor of the robot ``name`` sits, one place for each of its parts.

    What is everywhere and nowhere, such as encoders and odometry, sits at the root.
    """
    if isinstance(sensor, MountedSensor):
        site = sensor.site(model, f"{name}/")
        pose = Pose(model.site_pos[site].copy(), model.site_quat[site].copy())
        return [MountPose(_own(model, name, int(model.site_bodyid[site])), pose)]
    if isinstance(sensor, Touch):
        return [_skin(model, name, sensor)]
    if isinstance(sensor, Pressure):
        return [MountPose(sensor.mount, Pose.at(*at)) for _, at in sensor.places]
    return [MountPose(robot.root, Pose())]


def hinge_pose(model: mujoco.MjModel, name: str, joint: str) -> MountPose:
    """Return where the part that a joint turns sits in the part that carries it."""
    body = int(model.joint(f"{name}/{joint}").bodyid[0])
    pose = Pose(model.body_pos[body].copy(), model.body_quat[body].copy())
    return MountPose(_own(model, name, int(model.body_parentid[body])), pose)


def carried_pose(
    model: mujoco.MjModel, name: str, robot: Robot, place: MountPose, carriers: Container[str]
) -> MountPose:
    """Return a place as the first of ``carriers`` below it, or else the root, has it.

    What lies between is in the robot's posture.
    """
    body = here = model.body(f"{name}/{place.body}").id
    root = model.body(f"{name}/{robot.root}").id
    while body != root and _own(model, name, body) not in carriers:
        body = int(model.body_parentid[body])
    if body == here:
        return place
    data = _in_posture(model, name, robot)
    X_WC = Pose(data.xpos[body].copy(), data.xquat[body].copy())
    X_WB = Pose(data.xpos[here].copy(), data.xquat[here].copy())
    return MountPose(_own(model, name, body), X_WC.inverse() @ X_WB @ place.X_BS)


def _skin(model: mujoco.MjModel, name: str, sensor: Touch) -> MountPose:
    full = f"{name}/{sensor.mount}"
    if mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, full) >= 0:
        return MountPose(sensor.mount, Pose())
    geom = model.geom(full)
    pose = Pose(geom.pos.copy(), geom.quat.copy())
    return MountPose(_own(model, name, int(geom.bodyid[0])), pose)


def _own(model: mujoco.MjModel, name: str, body: int) -> str:
    """Return a body's name on its robot."""
    return str(model.body(body).name.removeprefix(f"{name}/"))


@dataclass(frozen=True)
class PackageLink:
    """One link of a mission package."""

    joint: WireJoint
    sign: int
    """Of its angle on the wire against ours."""


class RobotLayout:
    """One robot's parts, looked up once."""

    def __init__(
        self,
        name: str,
        kind: str,
        robot: Robot,
        sensors: Mapping[str, Sensor],
        model: mujoco.MjModel,
    ) -> None:
        """Look everything up.

        Args:
            name: what the robot is called in the world.
            kind: its name in `grouser.robots.kinds.robot_kinds`, or a robot file.
            robot: what its builder returned.
            sensors: all it carries, by name.
            model: the scene that it is in.
        """
        self.name, self.kind, self.robot, self.sensors = name, kind, robot, sensors
        self.model = model
        self.appearance = appearance(kind)
        """What the tables say of its kind."""
        gears = {drive: float(model.actuator(f"{name}/{drive}").gear[0]) for drive in robot.drives}
        self.joints = WireJoints(robot, self.appearance, gears)
        self.drive_mode: DriveMode | None = drive_mode(robot, self.joints)
        """How it goes about; None: it does not."""
        self.vehicle = LEGGED if robot.gait else GROUND
        """Its type on the wire."""
        self.packages: Mapping[str, tuple[PackageLink, ...]] = {
            title: tuple(PackageLink(self.joints.by_drive[drive], sign) for drive, sign in links)
            for title, links in self.appearance.packages.items()
            if all(drive in robot.drives for drive, _ in links)
        }
        """Mission package → its links."""

    @cached_property
    def size(self) -> RobotSize:
        """How large it is in its posture; measured when somebody asks."""
        return measure(self.model, self.name, self.robot)

    def package(self, name: str) -> tuple[str, tuple[PackageLink, ...]]:
        """Return the mission package called ``name``, in any case: its own name, and its links."""
        for title, links in self.packages.items():
            if plain(title) == plain(name):
                return title, links
        raise unknown(self.name, "mission package", name, self.packages)
