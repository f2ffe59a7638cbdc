"""Robot interface: `Robot`, the result of every builder, and the protocols behind it.

A robot's description (`Quince`, `PackBot`, …) is a frozen dataclass of options; ``build()`` returns
a `Robot`: an MjSpec with one root body, its drives, belts and sensors, all by name. A `Robot` is
independent of the world and of the source of its commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, runtime_checkable

import mujoco
import numpy as np

from grouser.errors import BadValue, unknown
from grouser.frames import Array, radians
from grouser.physics.drives import Drive, Number, Setpoint, angle, speed, torque
from grouser.physics.losses import BatteryPack
from grouser.sensors.sensor import Sensor
from grouser.tracks.track import Belt

_STEERS = ("forward", "turn", "turn_deg")
"""Command keys of the steering."""


@dataclass(frozen=True, kw_only=True)
class Steering:
    """Skid steering: the drives of each side."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    gauge: float
    """Distance between the centre lines of the sides, m."""
    radius: float = 1.0
    """Travel (m) per unit of the drives: 1 for belts (m), the radius for wheels (rad)."""

    def side_speeds(self, forward: Number, turn: Number) -> dict[str, Setpoint]:
        """Return the drives' speeds for ``forward`` (m/s) and ``turn`` (rad/s, to the left).

        These are the speeds for rolling without slip; a real skid turn is slower, since belts and
        wheels slip sideways.
        """
        half = turn * self.gauge / 2
        left, right = speed((forward - half) / self.radius), speed((forward + half) / self.radius)
        return dict.fromkeys(self.left, left) | dict.fromkeys(self.right, right)


class Gait(Protocol):
    """Gait generator: maps inputs to joint angles over time.

    A frozen description and pure functions of the gait's state, on arrays with a leading axis:
    results do not depend on the number of robots. `grouser.simulation.gaits` keeps the state.
    """

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of its inputs, such as ``forward`` (m/s) and ``turn`` (rad/s)."""
        ...

    @property
    def drives(self) -> tuple[str, ...]:
        """Names of the drives that the gait moves."""
        ...

    @property
    def period(self) -> float:
        """Longest time (s) between two calls of ``advance``."""
        ...

    def start(self) -> Array:
        """Return the state (k,) of a robot at rest in its posture."""
        ...

    def advance(self, state: Array, inputs: Array, dt: float) -> Array:
        """Return the states (n, k) of n robots, ``dt`` (s) after ``state``, at their ``inputs``."""
        ...

    def angles(self, state: Array) -> Array:
        """Return the drive setpoints (rad or m) of ``state``, (n, drives)."""
        ...


@runtime_checkable
class PhasedGait(Gait, Protocol):
    """Gait that can rest at any phase of its stride, not only in the robot's posture."""

    def at_phase(self, phase: float) -> Array:
        """Return the state (k,) of legs at rest at ``phase`` (rad) of a stride."""
        ...


@dataclass(frozen=True, kw_only=True)
class Robot:
    """A robot ready to be attached to a scene."""

    spec: mujoco.MjSpec
    """Bodies; the root is the only child of the world body."""
    root: str
    """Name of the root body."""
    mass: float
    """Total mass, kg."""
    drives: Mapping[str, Drive]
    """Every drive by name; the actuator has the same name."""
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Joint limits (from, to; rad) by drive; a drive without an entry is unlimited."""
    belts: tuple[Belt, ...] = ()
    steering: Steering | None = None
    """None: the robot does not steer."""
    gait: Gait | None = None
    """None: no legs, or legs without a gait generator."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of groups of drives (``front``: both front sub-tracks)."""
    sensors: tuple[Sensor, ...] = ()
    """Sensors that are always present."""
    equipment: tuple[Sensor, ...] = ()
    """Additional sensors with ``sensors: standard`` in the world file."""
    standing: float = 0.0
    """Height (m) of the root's frame when the robot stands on level ground."""
    standing_pitch: float = 0.0
    """Pitch (rad, nose down) of the root when the robot stands."""
    battery: BatteryPack | None = None
    """None: electric energy is unlimited."""
    free: bool = True
    """False: the root is fixed to the world."""
    posture: Mapping[str, float] = field(default_factory=dict)
    """Initial joint positions (rad or m) by joint name."""

    @cached_property
    def rolling(self) -> frozenset[str]:
        """Drives of belts and wheels: a plain number commands their speed."""
        wheels = (*self.steering.left, *self.steering.right) if self.steering else ()
        return frozenset([*(belt.drive for belt in self.belts), *wheels])

    def setpoints(self, command: Mapping[str, Number | Setpoint]) -> dict[str, Setpoint]:
        """Convert named commands to one setpoint per drive.

        ``forward`` (m/s) and ``turn`` (rad/s; ``turn_deg``: deg/s) steer. Any drive or group takes
        a `Setpoint` or a number: ``front`` a speed if it rolls, else an angle; ``front_deg``,
        ``front_angle``, ``front_speed`` and ``front_torque`` name the quantity. Inputs of the gait
        are ignored here; see `gait_inputs`. An array has a value for each of several simulations.
        """
        if self.gait:
            command = {key: value for key, value in command.items() if not self._gait_input(key)}
        moves = {key: command[key] for key in _STEERS if key in command}
        wanted = self._steer(moves) if moves else {}
        for key, value in command.items():
            if key not in moves:
                names, setpoint = self._setpoint(key, value)
                for name in names:
                    wanted[name] = setpoint
        return wanted

    def posture_at(self, phase: float) -> dict[str, float]:
        """Return the posture with the legs at ``phase`` (rad) of their stride.

        Gaits without `PhasedGait.at_phase` keep the standing posture.
        """
        posture = dict(self.posture)
        if phase and isinstance(self.gait, PhasedGait):
            angles = self.gait.angles(self.gait.at_phase(phase)[None])[0]
            posture |= dict(zip(self.gait.drives, angles.tolist(), strict=True))
        return posture

    def halt(self) -> dict[str, float | Setpoint]:
        """Return the stop command: zero speed for all drives and zero input for the gait."""
        still: dict[str, float | Setpoint] = (
            dict.fromkeys(self.gait.inputs, 0.0) if self.gait else {}
        )
        walking = self.gait.drives if self.gait else ()
        return still | {name: speed(0.0) for name in self.drives if name not in walking}

    def gait_inputs(self, command: Mapping[str, Number | Setpoint]) -> dict[str, Number]:
        """Return the gait's inputs in ``command``, by name, in SI (``turn_deg`` as ``turn``).

        As in steering, an input that the command omits is 0. The result is empty if the command
        names no input: the gait is then unchanged.
        """
        if self.gait is None:
            return {}
        inputs = {
            self._gait_input(key): _number(key, value) * (radians(1) if key.endswith("_deg") else 1)
            for key, value in command.items()
            if self._gait_input(key)
        }
        if not inputs:
            return {}
        both = [name for name in self.setpoints(command) if name in self.gait.drives]
        if both:
            raise BadValue(
                f"command: {', '.join(inputs)} moves {both[0]} as well; "
                "command either the gait or the drive"
            )
        return dict.fromkeys(self.gait.inputs, 0.0) | inputs

    def _gait_input(self, key: str) -> str:
        """Return the gait input that ``key`` names, or an empty string."""
        inputs = self.gait.inputs if self.gait else ()
        stem = key.removesuffix("_deg")
        return key if key in inputs else stem if stem in inputs else ""

    def _steer(self, moves: Mapping[str, Number | Setpoint]) -> dict[str, Setpoint]:
        if self.steering is None:
            raise BadValue(f"command: this robot does not steer; it has {', '.join(self.drives)}")
        numbers = {key: _number(key, value) for key, value in moves.items()}
        turn = numbers.get("turn", 0.0) + radians(numbers.get("turn_deg", 0.0))
        return self.steering.side_speeds(numbers.get("forward", 0.0), turn)

    def _setpoint(self, key: str, value: Number | Setpoint) -> tuple[tuple[str, ...], Setpoint]:
        if names := self._name_tuple(key):
            if isinstance(value, Setpoint):
                return names, value
            return names, (speed if names[0] in self.rolling else angle)(_number(key, value))
        stem, _, unit = key.rpartition("_")
        makers = {"angle": angle, "speed": speed, "torque": torque}
        if names := self._name_tuple(stem):
            if unit == "deg":
                return names, angle(radians(_number(key, value)))
            if unit in makers:
                return names, makers[unit](_number(key, value))
        moves = ("forward", "turn") if self.steering else self.gait.inputs if self.gait else ()
        known = [*self.drives, *self.groups, *moves]
        raise unknown("command", "drive", key, known)

    def _name_tuple(self, name: str) -> tuple[str, ...]:
        return self.groups.get(name, (name,) if name in self.drives else ())


class RobotDescription(Protocol):
    """Options of a robot: a frozen dataclass with ``build``."""

    def __hash__(self) -> int:
        """Return the hash of the options; raise `TypeError` if one is a list or mapping."""
        ...

    def build(self) -> Robot:
        """Return the robot.

        The optional class attribute ``gait_options`` names the options that affect the gait only;
        these can be changed while the robot walks.
        """
        ...


def _number(key: str, value: Number | Setpoint) -> Number:
    if isinstance(value, np.ndarray) and value.dtype == float:
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise BadValue(f"command: {key} is {value!r}, a number is needed")
    return float(value)
