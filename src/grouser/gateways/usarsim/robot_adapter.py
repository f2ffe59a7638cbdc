"""Robot adapter: translate motion commands to set points, and the robot's state to STA.

An adapter depends on the robot, its sensors and the compiled model, but on neither a simulation nor
a socket. It is rebuilt when the scene is recompiled; the command state of a client is kept in its
`DriveState`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from grouser.errors import BadValue
from grouser.frames import Pose, radians, to_rpy_one, up_tilt
from grouser.gateways.usarsim.drive_state import DriveState
from grouser.gateways.usarsim.joints import WireJoint
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.robot_layout import PackageLink, RobotLayout
from grouser.physics.drives import Setpoint, angle, speed, torque
from grouser.protocol.usarsim.drive import (
    AckermanDrive,
    AerialDrive,
    BoneDrive,
    JointDrive,
    MultiDrive,
    NauticDrive,
    OmniDrive,
    Order,
    SkidDrive,
)
from grouser.protocol.usarsim.extensions import Kick
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.package import LinkState, MovePackage, PackageState
from grouser.protocol.usarsim.setting import EVERY_JOINT, SetJoint, SetStiffness
from grouser.protocol.usarsim.state import GROUND, LEGGED, NO_BATTERY, State
from grouser.protocol.usarsim.values import Vector
from grouser.robots.drive_modes import Command, DriveMode

TIPPED = radians(20)
"""Minimum tilt at which ``{Flip true}`` turns a robot upright, rad."""

FULL_LIGHT = 100
"""Light intensity of switched-on head lights."""

_FLIP_COMMANDS = (SkidDrive, AckermanDrive)
"""Commands with a Flip segment."""

_AXES = {"x": "roll", "y": "pitch", "z": "yaw"}
"""Axis of a bone → suffix of its joint."""

Angles = Mapping[str, float]
"""Drive → present position, rad or m."""

DrivePositions = Callable[[], Angles]
"""Function that returns the present drive positions; called only by orders that need them."""


class RobotAdapter:
    """Translation between one robot and the wire."""

    def __init__(self, layout: RobotLayout) -> None:
        """Translate for the robot of ``layout``."""
        self.layout = layout

    @cached_property
    def _reported_joints(self) -> list[WireJoint]:
        """Hinges reported in STA: all of a legged robot, otherwise those outside packages."""
        carried = {link.joint.drive for links in self.layout.packages.values() for link in links}
        legged = self.layout.vehicle == LEGGED
        return [
            joint for joint in self.layout.joints.hinges() if legged or joint.drive not in carried
        ]

    # -- commands ----------------------------------------------------------------------------

    def command(
        self,
        message: Message,
        profile: PortProfile,
        angles: DrivePositions,
        drive_state: DriveState,
    ) -> Command:
        """Return the set points of a motion command, for `Simulation.command`.

        They are empty if nothing moves (lights only, form ignored by the dialect).
        ``angles`` returns the present drive positions; ``drive_state`` is updated.
        """
        context = _CommandContext(drive_state, profile, angles)
        match message:
            case SkidDrive():
                return self._skid(message, context)
            case AckermanDrive():
                return self._ackerman(message, context)
            case AerialDrive():
                return self._aerial(message, context)
            case Kick(paw):
                return self._kick(paw, context.drive_state)
            case OmniDrive():
                return self._omni(message, context)
            case JointDrive(name, value, order):
                return context.joint(self.layout.joints.find(name), order, value)
            case BoneDrive():
                return context.joint(self._bone(message), message.order, message.value)
            case MultiDrive(pairs):
                return _merge(
                    context.joint(self.layout.joints.find(name), Order.ANGLE, value)
                    for name, value in pairs
                )
            case SetJoint():
                return _merge(
                    context.joint(joint, message.order, message.value)
                    for joint in self._joints(message.name)
                )
            case SetStiffness(name, stiffness):
                return {joint.drive: context.hold(joint, stiffness) for joint in self._joints(name)}
            case MovePackage():
                return self._package(message, context)
            case NauticDrive():
                raise BadValue("DRIVE: this robot has no propeller")
        raise BadValue(f"{message.head}: nothing of this robot is moved by it")

    def _skid(self, message: SkidDrive, context: _CommandContext) -> Command:
        drive_state = context.drive_state
        request = message.interpret(context.profile.dialect, drive_state.normalized)
        if request is None:
            return {}
        self._set_switches(drive_state, request.normalized, request.light)
        if request.left is None and request.right is None:
            return {}
        spin = self._spin_converter(context)
        left = drive_state.left if request.left is None else spin(request.left)
        right = drive_state.right if request.right is None else spin(request.right)
        return self._sides(left, right, drive_state)

    def _ackerman(self, message: AckermanDrive, context: _CommandContext) -> Command:
        drive_state = context.drive_state
        request = message.interpret(context.profile.dialect, drive_state.normalized)
        if request is None:
            return {}
        self._set_switches(drive_state, request.normalized, request.light)
        spin = self._spin_converter(context)(request.speed or 0.0)
        front, rear = (
            context.profile.from_angle(steer or 0.0)
            for steer in (request.front_steer, request.rear_steer)
        )
        for key, steer in (("FrontSteer", front), ("RearSteer", rear)):
            if not abs(steer) < math.pi / 2:
                raise BadValue(f"DRIVE: {key} is {steer:g} rad, must be within 1.57")
        # Bicycle model with a wheel base equal to the track width, so that robots without a wheel
        # base can be steered. A wheel steered to the right turns the robot to the right.
        lean = math.tan(front) - math.tan(rear)
        return self._sides(spin * (1 + lean / 2), spin * (1 - lean / 2), drive_state)

    def _aerial(self, message: AerialDrive, context: _CommandContext) -> Command:
        drive_state, profile = context.drive_state, context.profile
        if message.altitude_velocity:
            raise BadValue("DRIVE: this robot cannot fly, AltitudeVelocity must be 0")
        percent = context.percent(message.normalized)
        self._set_switches(drive_state, percent, None)
        mode = self._require_drive_mode()
        ahead, right = message.linear_velocity or 0.0, message.lateral_velocity or 0.0
        about = message.rotational_velocity_deg or 0.0
        if percent:
            shares = (ahead / 100, -right / 100, -about / 100)
            forward, sideways, turn = (s * p for s, p in zip(shares, mode.max_speeds, strict=True))
        else:
            forward, sideways = profile.from_length(ahead), -profile.from_length(right)
            turn = -radians(about)
        drive_state.left = drive_state.right = 0.0
        ahead, across, round_ = mode.max_speeds
        try:
            return mode.go(_clamp(forward, ahead), _clamp(sideways, across), _clamp(turn, round_))
        except BadValue as error:
            raise BadValue(f"DRIVE: {error}") from None

    def _kick(self, paw: str, drive_state: DriveState) -> Command:
        gait = self.layout.robot.gait
        if gait is None or "kick" not in gait.inputs:
            raise BadValue(f"KICK: a {self.layout.appearance.class_name} cannot kick")
        drive_state.kicks += 1
        drive_state.left = drive_state.right = 0.0
        # The magnitude alternates, so that consecutive kicks differ.
        size = 1.0 + drive_state.kicks % 2
        return {"kick": size if paw == "Left" else -size}

    def _sides(self, left: float, right: float, drive_state: DriveState) -> Command:
        """Return the command for the side speeds, clamped and stored in ``drive_state``."""
        mode = self._require_drive_mode()
        drive_state.left, drive_state.right = (
            _clamp(left, mode.max_spin),
            _clamp(right, mode.max_spin),
        )
        return mode.sides(drive_state.left, drive_state.right)

    def _omni(self, message: OmniDrive, context: _CommandContext) -> Command:
        percent = context.percent(message.normalized)
        self._set_switches(context.drive_state, percent, message.light)
        wheels = [joint for joint in self.layout.joints.all if joint.wheel]
        command: Command = {}
        for wheel in message.wheels:
            if not 0 <= wheel.number < len(wheels):
                raise BadValue(
                    f"DRIVE: WheelNumber is {wheel.number}, must be one of {len(wheels)}, from 0 on"
                )
            if wheel.steer:
                raise BadValue("DRIVE: the wheels of this robot do not steer, WheelSteer must be 0")
            if wheel.speed is not None:
                joint = wheels[wheel.number]
                share = joint.max_speed / 100 * wheel.speed
                command[joint.drive] = joint.spin(
                    share if percent else context.profile.from_angle(wheel.speed)
                )
        return command

    def _package(self, message: MovePackage, context: _CommandContext) -> Command:
        links = self.layout.package(message.name)[1]
        if message.gripper is not None or message.sequence is not None:
            raise BadValue(f"{message.name}: it has no gripper and no stored motions")
        command: Command = {}
        for target in message.links:
            if not 0 <= target.link < len(links):
                raise BadValue(
                    f"{message.name}: there is no link {target.link + 1}, it has {len(links)}"
                )
            link = links[target.link]
            command |= context.joint(link.joint, target.order, target.value, link.sign)
        return command

    def _bone(self, message: BoneDrive) -> WireJoint:
        try:
            return self.layout.joints.find(message.bone)
        except LookupError:
            motion = _AXES.get((message.axis or "").lower(), "")
            return self.layout.joints.find(f"{message.bone}_{motion}" if motion else message.bone)

    def _joints(self, name: str) -> Iterable[WireJoint]:
        """Return the joint ``name``, or all hinges for `EVERY_JOINT`."""
        if name.lower() in EVERY_JOINT:
            return self.layout.joints.hinges()
        return (self.layout.joints.find(name),)

    def _require_drive_mode(self) -> DriveMode:
        if self.layout.drive_mode is None:
            names = ", ".join(joint.name for joint in self.layout.joints.all) or "none"
            raise BadValue(f"DRIVE: this robot has no wheels, tracks or gait; its joints: {names}")
        return self.layout.drive_mode

    def _spin_converter(self, context: _CommandContext) -> Callable[[float], float]:
        """Return the conversion of a side speed on the wire to rad/s."""
        if context.drive_state.normalized:
            max_spin = self._require_drive_mode().max_spin
            return lambda value: value / 100 * max_spin
        return context.profile.from_angle

    def _set_switches(
        self, drive_state: DriveState, normalized: bool | None, light: bool | None
    ) -> None:
        drive_state.normalized = bool(normalized)
        if light is not None:
            drive_state.light = light

    def requests_flip(self, message: Message) -> bool:
        """Return True if a command contains ``{Flip true}`` (UT2004)."""
        return isinstance(message, _FLIP_COMMANDS) and bool(message.flip)

    def upright_pose(self, X_WB: Pose) -> Pose | None:
        """Return the upright pose for a tipped robot at ``X_WB``; None: it is not tipped."""
        # USARSim applies a torque; here the robot is placed upright with the same
        # heading, at a height at which its feet are clear of the ground below its centre.
        wxyz = X_WB.wxyz.tolist()
        if not self.layout.robot.free or up_tilt(*wxyz) < TIPPED:
            return None
        x, y, z = X_WB.position.tolist()
        return Pose.at(x, y, z + self.layout.robot.standing, yaw=to_rpy_one(*wxyz)[2])

    # -- state -------------------------------------------------------------------------------

    def state(
        self,
        time: float,
        angles: Angles,
        profile: PortProfile,
        *,
        battery: int = NO_BATTERY,
        light: bool = False,
        view: int = -1,
        torques: Mapping[str, float] | None = None,
        motion: tuple[Pose, Vector] | None = None,
    ) -> list[Message]:
        """Return MISSTA or ASTA of every package, then STA, in USARSim's order.

        ``battery`` is the remaining life (s), ``view`` the tile of the image (-1: none);
        ``torques`` default to minus the maximum torque. ``motion`` is the pose and the velocity
        (m/s) of the root, for early servers.
        """
        steer = 0.0 if self.layout.vehicle == GROUND else None
        joints = tuple(
            (joint.name, joint.wire_angle(angles[joint.drive], profile))
            for joint in self._reported_joints
        )
        state = State(
            type=self.layout.vehicle,
            time=time,
            **_early_fields(motion, profile),
            battery=battery,
            front_steer=steer,
            rear_steer=steer,
            light=light if self.layout.vehicle == GROUND else None,
            light_intensity=FULL_LIGHT * light if self.layout.vehicle == GROUND else None,
            view=view,
            joints=joints,
        )
        packages: list[Message] = [
            PackageState(time, package, tuple(_links(links, angles, profile, torques or {})))
            for package, links in self.layout.packages.items()
        ]
        return [*packages, state]


@dataclass(frozen=True)
class _CommandContext:
    """State and units for the interpretation of one command."""

    drive_state: DriveState
    profile: PortProfile
    read_angles: DrivePositions

    @cached_property
    def angles(self) -> Angles:
        """Present drive positions, read once."""
        return self.read_angles()

    def percent(self, normalized: bool | None) -> bool:
        """Return True if speeds are percentages, by ``normalized`` or the sticky state."""
        held = self.drive_state.normalized and self.profile.dialect.sticky_normalized
        return held if normalized is None else normalized

    def joint(
        self, joint: WireJoint, order: Order, value: float, sign: int | None = None
    ) -> Command:
        """Return the command for one joint; ``sign`` overrides that of the joint."""
        at, was = self.angles[joint.drive], self.drive_state.setpoints.get(joint.drive, speed(0.0))
        value = value if sign is None else value * sign * joint.sign
        wanted = joint.setpoint(order, value, self.profile, at, was)
        self.drive_state.setpoints[joint.drive] = wanted
        if wanted == speed(0.0) and not joint.wheel:
            return {joint.drive: angle(joint.clamp(at))}  # a hinge holds its present angle
        return {joint.drive: wanted}

    def hold(self, joint: WireJoint, stiffness: float) -> Setpoint:
        """Return the set point that releases a joint (0) or holds its present angle."""
        if not 0 <= stiffness <= 1:
            raise BadValue(f"{joint.name}: Stiffness is {stiffness:g}, must be 0 to 1")
        return angle(joint.clamp(self.angles[joint.drive])) if stiffness else torque(0.0)


def _early_fields(motion: tuple[Pose, Vector] | None, profile: PortProfile) -> dict[str, Vector]:
    """Return the fields of STA that early servers have in addition."""
    if motion is None:
        return {}
    X_WB, velocity = motion
    x, y, z = X_WB.position.tolist()
    return {
        "location": profile.place((x, y, z)),
        "orientation": profile.angles(to_rpy_one(*X_WB.wxyz.tolist())),
        "velocity": profile.place(velocity),
    }


def _clamp(wanted: float, most: float) -> float:
    """Return ``wanted`` clamped to ±``most``; 0 means unsupported and is rejected elsewhere."""
    return min(max(wanted, -most), most) if most else wanted


def _merge(commands: Iterable[Command]) -> Command:
    merged: Command = {}
    for command in commands:
        merged |= command
    return merged


def _links(
    links: tuple[PackageLink, ...],
    angles: Angles,
    profile: PortProfile,
    torques: Mapping[str, float],
) -> Iterable[LinkState]:
    for number, link in enumerate(links):
        drive, sign = link.joint.drive, link.sign
        # In the captured session every link reports minus its maximum torque at all times.
        push = torques.get(drive, -sign * link.joint.max_torque)
        yield LinkState(
            number, profile.angle(sign * angles[drive] / link.joint.radius), sign * push
        )
