"""Between an operator's program and the control process on the robot's PC: JSON, a message a line.

The operator says how the robot shall move, and says it again and again: belts stop `SILENCE` after
the last time, whatever happened to whoever held the stick. The control process says how the robot
is. Neither line tells whether the robot is real (Kurose et al. 2008, sec. III-B.2)::

    {"drive": [150, 0], "flippers": [45, 0]}
    {"time": 3.2, "encoders_mm": [310.2, 310.1], "posture_deg": [0.1, -12.0, 0.3], ...}

Millimetres, degrees, seconds; x forward, flippers up positive, pitch nose down positive, turns to
the left positive.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields
from typing import Any

from grouser.errors import BadValue

PORT = 3020
"""Where the control process listens, unless told otherwise."""
SILENCE = 0.3
"""Seconds after the operator's last message at which belts stop."""
LONGEST = 4096
"""Bytes of a line, at most."""

FASTEST_MM_S, FASTEST_DEG_S = 500.0, 180.0
FARTHEST_DEG = 179.0
"""What an operator may ask for."""


@dataclass(frozen=True, slots=True)
class OperatorCommand:
    """How the robot shall move; what is None stays as it is."""

    drive: tuple[float, float] | None = None
    """Forwards, mm/s, and to the left, deg/s; as belts that do not slip would."""
    flippers: tuple[float, float] | None = None
    """Both front ones and both rear ones, deg, up positive."""
    camera: tuple[float, float] | None = None
    """Pan to the left and tilt up, deg."""
    stop: bool = False
    """All motors stand still at once."""
    token: str | None = None
    """Shown once, where the control process demands one."""

    def encode(self) -> bytes:
        """Return the line."""
        said = {key: value for key, value in asdict(self).items() if value not in (None, False)}
        return json.dumps(said).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class RobotReport:
    """How the robot is."""

    time: float
    """On the control process's clock, s."""
    encoders_mm: tuple[float, float] = (0.0, 0.0)
    speeds_mm_s: tuple[float, float] = (0.0, 0.0)
    flippers_deg: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Front left and right, rear left and right, up positive."""
    posture_deg: tuple[float, float, float] | None = None
    """Roll, pitch and yaw; None: not known."""
    battery_s: int | None = None
    """How long it will last; None: not known."""
    trouble: str = ""
    """What is wrong, one sentence; empty: nothing."""

    def encode(self) -> bytes:
        """Return the line."""
        return json.dumps(asdict(self)).encode() + b"\n"


_LIMITS = {
    "drive": (FASTEST_MM_S, FASTEST_DEG_S),
    "flippers": (FARTHEST_DEG, FARTHEST_DEG),
    "camera": (FARTHEST_DEG, 90.0),
}


def read_command(text: str) -> OperatorCommand:
    """Return what an operator's line asks for, or raise `BadValue`."""
    said = _mapping(text, OperatorCommand)
    values: dict[str, Any] = {}
    for key, (first, second) in _LIMITS.items():
        if said.get(key) is not None:
            pair = _numbers(key, said[key], 2)
            for value, most in zip(pair, (first, second), strict=True):
                if abs(value) > most:
                    raise BadValue(f"{key}: {value:g} is too much, {most:g} is allowed either way")
            values[key] = pair
    stop, token = said.get("stop", False), said.get("token")
    if not isinstance(stop, bool) or not isinstance(token, str | None):
        raise BadValue("stop must be true or false, and a token a text")
    return OperatorCommand(**values, stop=stop, token=token)


def read_report(text: str) -> RobotReport:
    """Return what the control process's line says, or raise `BadValue`."""
    said = _mapping(text, RobotReport)
    lengths = {"encoders_mm": 2, "speeds_mm_s": 2, "flippers_deg": 4, "posture_deg": 3}
    for key, length in lengths.items():
        if said.get(key) is not None:
            said[key] = _numbers(key, said[key], length)
    if not isinstance(said.get("time"), int | float):
        raise BadValue("a report has no time")
    return RobotReport(**said)


def _mapping(text: str, kind: type) -> dict[str, Any]:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise BadValue(f"'{text[:40]}' is no JSON") from None
    known = [each.name for each in fields(kind)]
    if not isinstance(said, dict) or not set(said) <= set(known):
        raise BadValue(f"'{text[:40]}': must be a mapping with {', '.join(known)}")
    return said


def _numbers(key: str, value: Any, count: int) -> tuple[float, ...]:
    plain = isinstance(value, list) and len(value) == count
    if not plain or not all(type(one) in (int, float) and math.isfinite(one) for one in value):
        raise BadValue(f"{key}: must be {count} numbers")
    return tuple(float(one) for one in value)
