"""What DRIVE moves: wheels, legs and belts, by sides or by a speed and a turn.

Three ways to tell a robot where to go come over the wire: two sides' spins (skid steering), a spin
and steering angles (a car), and speeds ahead, sideways and about (a flying robot). Every robot of
ours understands all three as far as it can: `SkidSteering` has sides, `GaitDrive` a gait that takes
speeds, `CrankDrive` a gait that takes two spins, `BeltDrive` belts that carry others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, runtime_checkable

from grouser.errors import BadValue
from grouser.gateways.usarsim.joints import WireJoints
from grouser.physics.drives import Setpoint
from grouser.robots.robot import Gait, Robot, Steering

Command = dict[str, float | Setpoint]
"""What `Simulation.command` takes."""

WALKING_SPIN = math.tau
"""Spin (rad/s) of both sides at which a walking robot goes as fast as it can: UDK's default for the
fastest wheel. Legs have no wheels, so any number would do."""


@dataclass
class DriveState:
    """What a client's robot remembers from one command to the next."""

    normalized: bool = False
    """Whether speeds are percentages until a command says otherwise (UDK)."""
    light: bool = False
    """Whether the head lights are on."""
    left: float = 0.0
    """The last spin of the left side, rad/s."""
    right: float = 0.0
    kicks: int = 0
    """How often it was told to kick."""
    setpoints: dict[str, Setpoint] = field(default_factory=dict)
    """Drive → the last speed or torque it was commanded by name."""

    def stop(self) -> None:
        """Forget every motion."""
        self.left = self.right = 0.0
        self.setpoints.clear()


class DriveMode(Protocol):
    """How a robot goes about."""

    @property
    def fastest(self) -> float:
        """The greatest spin of a side, rad/s: 100 percent."""
        ...

    @property
    def paces(self) -> tuple[float, float, float]:
        """The greatest speeds ahead, sideways (m/s) and about (rad/s): 100 percent."""
        ...

    def sides(self, left: float, right: float) -> Command:
        """Turn the sides' wheels at ``left`` and ``right`` (rad/s)."""
        ...

    def go(self, forward: float, sideways: float, turn: float) -> Command:
        """Go ahead, to the left (m/s) and turn to the left (rad/s)."""
        ...


@dataclass(frozen=True)
class SkidSteering:
    """Skid steering, on wheels or tracks."""

    steering: Steering
    joints: WireJoints

    @cached_property
    def radius(self) -> float:
        """Metres per radian of a side's first wheel: all of the side go at its speed."""
        return self.joints.by_drive[self.steering.left[0]].radius * self.steering.radius

    @cached_property
    def fastest(self) -> float:
        """The greatest spin of the first wheel."""
        return self.joints.by_drive[self.steering.left[0]].most

    @property
    def paces(self) -> tuple[float, float, float]:
        """The greatest speed, no sideways, and the greatest turn on the spot."""
        ahead = self.fastest * self.radius
        return ahead, 0.0, 2 * ahead / self.steering.gauge

    def sides(self, left: float, right: float) -> Command:
        """Give every wheel of a side the speed of the side."""
        ahead, turn = (left + right) / 2, (right - left) / self.steering.gauge
        return self.go(ahead * self.radius, 0.0, turn * self.radius)

    def go(self, forward: float, sideways: float, turn: float) -> Command:
        """Let both sides roll."""
        if sideways:
            raise BadValue("DRIVE: this robot cannot go sideways, LateralVelocity must be 0")
        return dict(self.steering.side_speeds(forward, turn))


@runtime_checkable
class PacedGait(Protocol):
    """A gait that knows how fast it can go."""

    @property
    def fastest(self) -> tuple[float, float, float]:
        """Ahead, sideways (m/s) and about (rad/s)."""
        ...


@dataclass(frozen=True)
class GaitDrive:
    """Legs whose gait takes ``forward``, ``sideways`` and ``turn``."""

    paces: tuple[float, float, float]
    fastest: float = WALKING_SPIN

    def sides(self, left: float, right: float) -> Command:
        """GaitDrive as a robot on wheels would go: in proportion to the fastest walk and turn."""
        forward, _, turn = self.paces
        ahead, about = (left + right) / 2, (right - left) / 2
        return self.go(ahead / self.fastest * forward, 0.0, about / self.fastest * turn)

    def go(self, forward: float, sideways: float, turn: float) -> Command:
        """Tell the gait; it keeps to what the robot can do."""
        return {"forward": forward, "sideways": sideways, "turn": turn}


@dataclass(frozen=True)
class CrankDrive:
    """Legs on two cranks, each of which takes a spin."""

    fastest: float
    paces: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def sides(self, left: float, right: float) -> Command:
        """Turn both cranks."""
        return {"left_speed": left, "right_speed": right}

    def go(self, forward: float, sideways: float, turn: float) -> Command:
        """Refuse: what speed a crank's spin gives depends on the ground."""
        raise BadValue("DRIVE: this robot has two cranks, it takes Left and Right (rad/s) or Speed")


@dataclass(frozen=True)
class BeltDrive:
    """Belts of a machine that stays where it is."""

    joints: WireJoints

    @property
    def fastest(self) -> float:
        """The greatest spin of its drums."""
        return min(joint.most for joint in self.joints.all)

    @property
    def paces(self) -> tuple[float, float, float]:
        """The greatest speed of what it carries."""
        return min(joint.most * joint.radius for joint in self.joints.all), 0.0, 0.0

    def sides(self, left: float, right: float) -> Command:
        """Turn the drums at the mean of both: a belt has no sides."""
        return {joint.drive: joint.spin((left + right) / 2) for joint in self.joints.all}

    def go(self, forward: float, sideways: float, turn: float) -> Command:
        """Carry what lies on it."""
        if sideways or turn:
            raise BadValue("DRIVE: a belt only goes ahead, it can neither turn nor go sideways")
        return {joint.drive: joint.spin(forward / joint.radius) for joint in self.joints.all}


def drive_mode(robot: Robot, joints: WireJoints) -> DriveMode | None:
    """Return how ``robot`` goes about; None: it does not."""
    if robot.steering:
        return SkidSteering(robot.steering, joints)
    if robot.gait:
        return _legs(robot.gait)
    return BeltDrive(joints) if robot.belts else None


def _legs(gait: Gait) -> DriveMode | None:
    if isinstance(gait, PacedGait) and {"forward", "sideways", "turn"} <= {*gait.inputs}:
        return GaitDrive(gait.fastest)
    if gait.inputs == ("left_speed", "right_speed"):
        return CrankDrive(float(getattr(gait, "top_speed", math.inf)))
    return None
