"""What commands of the wire mean for a robot, and what its state is in the wire's words.

An adapter knows the robot, its sensors and its compiled model, and neither a simulation nor a
socket. It is made anew whenever the scene is recomposed; what a client's commands leave behind is
kept in a `DriveState` of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from grouser.errors import BadValue
from grouser.frames import Pose, radians, to_rpy_one, up_tilt
from grouser.gateways.usarsim.drive_modes import Command, DriveMode, DriveState
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

TIPPED = radians(20)
"""A robot that leans less is not put back on its feet (rad)."""

FULL_LIGHT = 100
"""Intensity of head lights that are on."""

_FLIPPED = (SkidDrive, AckermanDrive)
"""Commands that may ask to be put back on one's feet."""

_AXES = {"x": "roll", "y": "pitch", "z": "yaw"}
"""How the joint of a bone that turns about an axis is called."""

Angles = Mapping[str, float]
"""Drive of a robot → where it is now, rad or m."""

DrivePositions = Callable[[], Angles]
"""What says where the drives are now: only some orders need to know, and looking takes time."""


class RobotAdapter:
    """Translates between one robot and the wire."""

    def __init__(self, layout: RobotLayout) -> None:
        """Translate for the robot of ``layout``."""
        self.layout = layout

    @cached_property
    def _reported_joints(self) -> list[WireJoint]:
        """The hinges whose angles STA says: all of a legged robot's, else those of no package."""
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
        """Return what a command that moves means, as `Simulation.command` takes it.

        Nothing to do (a light was switched, a dialect ignores the form): an empty command.

        Args:
            message: DRIVE in any form, MULTIDRIVE, SET of a joint, MISPKG or ACT.
            profile: how the client's port sees the world.
            angles: says where the robot's drives are now.
            drive_state: what the client's commands have left behind; it is brought up to date.
        """
        return self._command(message, _CommandContext(drive_state, profile, angles))

    def _command(self, message: Message, context: _CommandContext) -> Command:
        match message:
            case SkidDrive():
                return self._skid(message, context)
            case AckermanDrive():
                return self._car(message, context)
            case AerialDrive():
                return self._fly(message, context)
            case Kick(paw):
                return self._kick(paw, context.drive_state)
            case OmniDrive():
                return self._wheels(message, context)
            case JointDrive(name, value, order):
                return context.joint(self.layout.joints.named(name), order, value)
            case BoneDrive():
                return context.joint(self._bone(message), message.order, message.value)
            case MultiDrive(pairs):
                return _merged(
                    context.joint(self.layout.joints.named(name), Order.ANGLE, value)
                    for name, value in pairs
                )
            case SetJoint():
                return _merged(
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
        self._switch(drive_state, request.normalized, request.light)
        if request.left is None and request.right is None:
            return {}
        spin = self._spin(context)
        left = drive_state.left if request.left is None else spin(request.left)
        right = drive_state.right if request.right is None else spin(request.right)
        return self._sides(left, right, drive_state)

    def _car(self, message: AckermanDrive, context: _CommandContext) -> Command:
        drive_state = context.drive_state
        request = message.interpret(context.profile.dialect, drive_state.normalized)
        if request is None:
            return {}
        self._switch(drive_state, request.normalized, request.light)
        spin = self._spin(context)(request.speed or 0.0)
        front, rear = (
            context.profile.from_angle(steer or 0.0)
            for steer in (request.front_steer, request.rear_steer)
        )
        for key, steer in (("FrontSteer", front), ("RearSteer", rear)):
            if not abs(steer) < math.pi / 2:
                raise BadValue(f"DRIVE: {key} is {steer:g} rad, must be within 1.57")
        # A wheel that is turned to the right makes the robot turn to the right: a car whose axes
        # are as far apart as its sides, so that no robot needs a wheel base.
        lean = math.tan(front) - math.tan(rear)
        return self._sides(spin * (1 + lean / 2), spin * (1 - lean / 2), drive_state)

    def _fly(self, message: AerialDrive, context: _CommandContext) -> Command:
        drive_state, profile = context.drive_state, context.profile
        if message.altitude_velocity:
            raise BadValue("DRIVE: this robot cannot fly, AltitudeVelocity must be 0")
        percent = context.percent(message.normalized)
        self._switch(drive_state, percent, None)
        mode = self._drive_mode()
        ahead, right = message.linear_velocity or 0.0, message.lateral_velocity or 0.0
        about = message.rotational_velocity_deg or 0.0
        if percent:
            shares = (ahead / 100, -right / 100, -about / 100)
            forward, sideways, turn = (s * p for s, p in zip(shares, mode.paces, strict=True))
        else:
            forward, sideways = profile.from_length(ahead), -profile.from_length(right)
            turn = -radians(about)
        drive_state.left = drive_state.right = 0.0
        ahead, across, round_ = mode.paces
        return mode.go(_cut(forward, ahead), _cut(sideways, across), _cut(turn, round_))

    def _kick(self, paw: str, drive_state: DriveState) -> Command:
        gait = self.layout.robot.gait
        if gait is None or "kick" not in gait.inputs:
            raise BadValue(f"KICK: a {self.layout.appearance.title} cannot kick")
        drive_state.kicks += 1
        drive_state.left = drive_state.right = 0.0
        # Numbers of two sizes in turns: so a kick is told from the one before.
        size = 1.0 + drive_state.kicks % 2
        return {"kick": size if paw == "Left" else -size}

    def _sides(self, left: float, right: float, drive_state: DriveState) -> Command:
        """Turn the sides, as fast as they can at most, and remember it."""
        mode = self._drive_mode()
        drive_state.left, drive_state.right = _cut(left, mode.fastest), _cut(right, mode.fastest)
        return mode.sides(drive_state.left, drive_state.right)

    def _wheels(self, message: OmniDrive, context: _CommandContext) -> Command:
        percent = context.percent(message.normalized)
        self._switch(context.drive_state, percent, message.light)
        wheels = [joint for joint in self.layout.joints.all if joint.wheel]
        command: Command = {}
        for wheel in message.wheels:
            if not 0 <= wheel.number < len(wheels):
                raise BadValue(
                    f"DRIVE: WheelNumber is {wheel.number}, there are {len(wheels)}, from 0 on"
                )
            if wheel.steer:
                raise BadValue("DRIVE: the wheels of this robot do not steer, WheelSteer must be 0")
            if wheel.speed is not None:
                joint = wheels[wheel.number]
                share = joint.most / 100 * wheel.speed
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
            return self.layout.joints.named(message.bone)
        except LookupError:
            motion = _AXES.get((message.axis or "").lower(), "")
            return self.layout.joints.named(f"{message.bone}_{motion}" if motion else message.bone)

    def _joints(self, name: str) -> Iterable[WireJoint]:
        """Return the joint that ``name`` means, or all hinges."""
        if name.lower() in EVERY_JOINT:
            return self.layout.joints.hinges()
        return (self.layout.joints.named(name),)

    def _drive_mode(self) -> DriveMode:
        if self.layout.drive_mode is None:
            names = ", ".join(joint.name for joint in self.layout.joints.all) or "none"
            raise BadValue(f"DRIVE: this robot does not go about; its joints: {names}")
        return self.layout.drive_mode

    def _spin(self, context: _CommandContext) -> Callable[[float], float]:
        """Return what turns a side's speed as it was said into rad/s."""
        if context.drive_state.normalized:
            fastest = self._drive_mode().fastest
            return lambda value: value / 100 * fastest
        return context.profile.from_angle

    def _switch(self, drive_state: DriveState, normalized: bool | None, light: bool | None) -> None:
        drive_state.normalized = bool(normalized)
        if light is not None:
            drive_state.light = light

    def flips(self, message: Message) -> bool:
        """Return whether a command asks to be put back on its feet (UT2004's ``{Flip true}``)."""
        return isinstance(message, _FLIPPED) and bool(message.flip)

    def righted(self, X_WB: Pose) -> Pose | None:
        """Return where to put a robot that fell, from where it lies; None: it has not fallen.

        USARSim pushes it round; ours is set down on the spot, its heading kept, from high enough
        that its feet are clear of what its middle lay on.
        """
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
    ) -> list[Message]:
        """Return MISSTA or ASTA of every package, then STA, as USARSim orders them.

        Args:
            time: simulated, s.
            angles: where the robot's drives are.
            profile: how the client's port sees the world.
            battery: seconds that are left.
            light: whether the head lights are on.
            view: tile of its picture, -1: none.
            torques: what its drives push with, N m; left out: minus its most.
        """
        steer = 0.0 if self.layout.vehicle == GROUND else None
        joints = tuple(
            (joint.name, joint.shown(angles[joint.drive], profile))
            for joint in self._reported_joints
        )
        state = State(
            type=self.layout.vehicle,
            time=time,
            battery=battery,
            front_steer=steer,
            rear_steer=steer,
            light=light if self.layout.vehicle == GROUND else None,
            light_intensity=FULL_LIGHT * light if self.layout.vehicle == GROUND else None,
            view=view,
            joints=joints,
        )
        packages: list[Message] = [
            PackageState(time, title, tuple(_links(links, angles, profile, torques or {})))
            for title, links in self.layout.packages.items()
        ]
        return [*packages, state]


@dataclass(frozen=True)
class _CommandContext:
    """What a command is understood with."""

    drive_state: DriveState
    profile: PortProfile
    look: DrivePositions

    @cached_property
    def angles(self) -> Angles:
        """Where the drives are now."""
        return self.look()

    def percent(self, normalized: bool | None) -> bool:
        """Return whether speeds are percentages, as ``normalized`` says or as held before."""
        held = self.drive_state.normalized and self.profile.dialect.sticky_normalized
        return held if normalized is None else normalized

    def joint(
        self, joint: WireJoint, order: Order, value: float, sign: int | None = None
    ) -> Command:
        """Return an order for one joint; ``sign``: instead of the joint's own."""
        at, was = self.angles[joint.drive], self.drive_state.setpoints.get(joint.drive, speed(0.0))
        value = value if sign is None else value * sign * joint.sign
        wanted = joint.setpoint(order, value, self.profile, at, was)
        self.drive_state.setpoints[joint.drive] = wanted
        if wanted == speed(0.0) and not joint.wheel:
            return {joint.drive: angle(joint.clamped(at))}  # a hinge holds its present angle
        return {joint.drive: wanted}

    def hold(self, joint: WireJoint, stiffness: float) -> Setpoint:
        """Return what makes a joint limp (0), or hold where it is with its own stiffness."""
        if not 0 <= stiffness <= 1:
            raise BadValue(f"{joint.name}: Stiffness is {stiffness:g}, must be 0 to 1")
        return angle(joint.clamped(self.angles[joint.drive])) if stiffness else torque(0.0)


def _cut(wanted: float, most: float) -> float:
    """Return ``wanted`` within ``most``; what a robot cannot do at all (0) is for it to refuse."""
    return min(max(wanted, -most), most) if most else wanted


def _merged(commands: Iterable[Command]) -> Command:
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
        # In the capture every link says minus its greatest torque, whatever it does.
        push = torques.get(drive, -sign * link.joint.torque)
        yield LinkState(
            number,
            profile.angle(sign * angles[drive] / link.joint.radius),
            sign * push,
        )
