"""What every robot builder returns, and the table of builders.

A robot's description (`Quince`, `PackBot`, …) is a frozen dataclass of options; ``build()`` makes a
`Robot`: an MjSpec with one root body, its drives, belts and sensors, all by name. A robot knows
neither the world it will stand in nor who commands it.
"""

from __future__ import annotations

import dataclasses
import importlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import mujoco

from grouser.drives import Drive, Setpoint, angle, speed, torque
from grouser.errors import BadValue, nearest, unknown
from grouser.sensors.sensor import Sensor
from grouser.tracks.track import Belt

ROBOTS: dict[str, str] = {
    "packbot": "grouser.robots.packbot:PackBot",
    "quince": "grouser.robots.quince:Quince",
    "kenaf": "grouser.robots.kenaf:Kenaf",
    "crawler": "grouser.robots.crawler:Crawler",
    "lugged_rover": "grouser.robots.lugged_rover:LuggedRover",
    "conveyor": "grouser.robots.conveyor:Conveyor",
    "air_traffic": "grouser.robots.air_traffic:AirTraffic",
}
"""Kind of robot → where it is described; imported on use."""


@dataclass(frozen=True, kw_only=True)
class Steering:
    """Skid steering: which drives move which side."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    gauge: float
    """Distance between the sides' middles, m."""

    def sides(self, forward: float, turn: float) -> dict[str, Setpoint]:
        """Return the belt speeds for ``forward`` (m/s) and ``turn`` (rad/s, positive to the left).

        The belts are told what rigid rolling would need; a real skid turn is slower, since belts
        slip sideways.
        """
        half = turn * self.gauge / 2
        wanted = {name: speed(forward - half) for name in self.left}
        return wanted | {name: speed(forward + half) for name in self.right}


@dataclass(frozen=True, kw_only=True)
class Robot:
    """A robot ready to be attached to a scene."""

    spec: mujoco.MjSpec
    """Its bodies; the root is the one child of the world body."""
    root: str
    """Name of the root body."""
    mass: float
    """Of everything, kg."""
    drives: Mapping[str, Drive]
    """Every drive by name; the actuator has the same name."""
    belts: tuple[Belt, ...] = ()
    steering: Steering | None = None
    """None: it does not drive about."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names that stand for several drives (``front``: both front sub-tracks)."""
    sensors: tuple[Sensor, ...] = ()
    standing: float = 0.0
    """Height (m) of the root's frame when the robot stands on level ground."""
    free: bool = True
    """False: it is bolted to the world."""
    posture: Mapping[str, float] = field(default_factory=dict)
    """Joint angles (rad) or slides (m) it starts with, by joint name."""

    def setpoints(self, command: Mapping[str, float | Setpoint]) -> dict[str, Setpoint]:
        """Turn named commands into one setpoint per drive.

        ``forward`` (m/s) and ``turn`` (rad/s; ``turn_deg``: deg/s) steer. Any drive or group takes
        a `Setpoint`, or a number: ``front`` its natural one (speed of a belt, angle of a joint),
        ``front_deg``, ``front_angle``, ``front_speed``, ``front_torque`` as they say.
        """
        wanted: dict[str, Setpoint] = {}
        moves = {key: command[key] for key in ("forward", "turn", "turn_deg") if key in command}
        if moves:
            wanted |= self._steer(moves)
        for key, value in command.items():
            if key not in moves:
                names, setpoint = self._setpoint(key, value)
                wanted |= dict.fromkeys(names, setpoint)
        return wanted

    def _steer(self, moves: Mapping[str, float | Setpoint]) -> dict[str, Setpoint]:
        if self.steering is None:
            raise BadValue(f"command: this robot does not steer; it has {', '.join(self.drives)}")
        numbers = {key: _number(key, value) for key, value in moves.items()}
        turn = numbers.get("turn", 0.0) + math.radians(numbers.get("turn_deg", 0.0))
        return self.steering.sides(numbers.get("forward", 0.0), turn)

    def _setpoint(self, key: str, value: float | Setpoint) -> tuple[tuple[str, ...], Setpoint]:
        if names := self._named(key):
            if isinstance(value, Setpoint):
                return names, value
            belts = {belt.name for belt in self.belts}
            return names, (speed if names[0] in belts else angle)(_number(key, value))
        stem, _, unit = key.rpartition("_")
        makers = {"angle": angle, "speed": speed, "torque": torque}
        if names := self._named(stem):
            if unit == "deg":
                return names, angle(math.radians(_number(key, value)))
            if unit in makers:
                return names, makers[unit](_number(key, value))
        known = [*self.drives, *self.groups, *(("forward", "turn") if self.steering else ())]
        raise unknown("command", "drive", key, known)

    def _named(self, name: str) -> tuple[str, ...]:
        return self.groups.get(name, (name,) if name in self.drives else ())


class Description(Protocol):
    """A robot's options: a frozen dataclass that can build."""

    def build(self) -> Robot:
        """Return the robot."""
        ...


def describe(kind: str, options: Mapping[str, Any], where: str) -> Description:
    """Return the description of a robot by name, its options checked.

    Args:
        kind: a key of `ROBOTS`.
        options: fields of that robot's dataclass.
        where: the place to name in an error, e.g. ``"step.yaml line 12"``.
    """
    if kind not in ROBOTS:
        raise unknown(where, "robot", kind, ROBOTS)
    module, name = ROBOTS[kind].split(":")
    description = getattr(importlib.import_module(module), name)
    allowed = [entry.name for entry in dataclasses.fields(description)]
    for key in options:
        if key not in allowed:
            raise BadValue(
                f"{where}: robot '{kind}' has no option '{key}' (it has: {', '.join(allowed)})"
                f"{nearest(key, allowed)}"
            )
    try:
        made: Description = description(**options)
        return made
    except (BadValue, TypeError) as error:
        raise BadValue(f"{where}: robot '{kind}': {error}") from error


def _number(key: str, value: float | Setpoint) -> float:
    if isinstance(value, Setpoint | bool) or not isinstance(value, int | float):
        raise BadValue(f"command: {key} is {value!r}, a number is needed")
    return float(value)
