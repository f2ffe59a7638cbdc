"""Teleoperation protocol between an operator's program and the control process: JSON lines.

The operator's program repeats its command; belts stop `SILENCE` after the last one (watchdog). The
control process reports the state of the robot. The protocol is the same for a real and for a
simulated robot (Kurose et al. 2008, sec. III-B.2)::

    {"drive": [150, 0], "flippers": [45, 0]}
    {"time": 3.2, "encoders_mm": [310.2, 310.1], "posture_deg": [0.1, -12.0, 0.3], ...}

Units are millimetres, degrees and seconds; x forward, flippers up positive, pitch nose down
positive, turns to the left positive.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields
from typing import Any

from grouser.errors import BadValue

PORT = 3020
"""Default TCP port of the control process."""
SILENCE = 0.3
"""Time-out of the watchdog that stops the belts, s since the last command."""
LONGEST = 4096
"""Maximum length of a line, bytes."""

FASTEST_MM_S, FASTEST_DEG_S = 500.0, 180.0
FARTHEST_DEG = 179.0
WIDEST_VIEW_DEG = 170.0
"""Limits of operator commands."""


@dataclass(frozen=True, slots=True)
class OperatorCommand:
    """Motion command; None leaves a setpoint unchanged."""

    drive: tuple[float, float] | None = None
    """Speed forwards, mm/s, and turn rate to the left, deg/s, for belts without slip."""
    flippers: tuple[float, float] | None = None
    """Angles of both front and both rear flippers, deg, up positive."""
    camera: tuple[float, float] | None = None
    """Pan to the left and tilt up, deg."""
    view: float | None = None
    """Horizontal field of view of the camera (zoom), deg; 0: that of its lens."""
    stop: bool = False
    """Stop all motors immediately."""
    token: str | None = None
    """Access token; sent once if the control process requires one."""

    def encode(self) -> bytes:
        """Return the line."""
        omitted = None, False
        given = {
            key: value
            for key, value in asdict(self).items()
            if not any(value is one for one in omitted)
        }
        return json.dumps(given).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class RobotReport:
    """State of the robot."""

    time: float
    """Clock of the control process, s."""
    encoders_mm: tuple[float, float] = (0.0, 0.0)
    speeds_mm_s: tuple[float, float] = (0.0, 0.0)
    flippers_deg: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Front left and right, rear left and right, up positive."""
    posture_deg: tuple[float, float, float] | None = None
    """Roll, pitch and yaw; None: unknown."""
    battery_s: int | None = None
    """Remaining battery time, s; None: unknown."""
    trouble: str = ""
    """Fault of the robot, one sentence; empty: none."""

    def encode(self) -> bytes:
        """Return the line."""
        return json.dumps(asdict(self)).encode() + b"\n"


_LIMITS = {
    "drive": (FASTEST_MM_S, FASTEST_DEG_S),
    "flippers": (FARTHEST_DEG, FARTHEST_DEG),
    "camera": (FARTHEST_DEG, 90.0),
}


def read_command(text: str) -> OperatorCommand:
    """Parse a line of the operator; raise `BadValue` if it is malformed or out of range."""
    given = _mapping(text, OperatorCommand)
    values: dict[str, Any] = {}
    for key, (first, second) in _LIMITS.items():
        if given.get(key) is not None:
            pair = _numbers(key, given[key], 2)
            for value, most in zip(pair, (first, second), strict=True):
                if abs(value) > most:
                    raise BadValue(
                        f"{key}: {value:g} is out of range, must be from {-most:g} to {most:g}"
                    )
            values[key] = pair
    if given.get("view") is not None:
        [values["view"]] = _numbers("view", [given["view"]], 1)
        if not 0 <= values["view"] <= WIDEST_VIEW_DEG:
            raise BadValue(
                f"view: {values['view']:g} is out of range, must be from 0 to {WIDEST_VIEW_DEG:g}"
            )
    stop, token = given.get("stop", False), given.get("token")
    if not isinstance(stop, bool) or not isinstance(token, str | None):
        raise BadValue(f"stop is {stop!r}, must be true or false; token must be a string")
    return OperatorCommand(**values, stop=stop, token=token)


def read_report(text: str) -> RobotReport:
    """Parse a line of the control process; raise `BadValue` if it is malformed."""
    given = _mapping(text, RobotReport)
    lengths = {"encoders_mm": 2, "speeds_mm_s": 2, "flippers_deg": 4, "posture_deg": 3}
    for key, length in lengths.items():
        if given.get(key) is not None:
            given[key] = _numbers(key, given[key], length)
    if not isinstance(given.get("time"), int | float):
        raise BadValue(f"report: time is {given.get('time')!r}, must be a number")
    return RobotReport(**given)


def _mapping(text: str, kind: type) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise BadValue(f"'{text[:40]}' is not JSON") from None
    known = [each.name for each in fields(kind)]
    if not isinstance(given, dict) or not set(given) <= set(known):
        raise BadValue(f"'{text[:40]}': must be a mapping with {', '.join(known)}")
    return given


def _numbers(key: str, value: Any, count: int) -> tuple[float, ...]:
    plain = isinstance(value, list) and len(value) == count
    if not plain or not all(type(one) in (int, float) and math.isfinite(one) for one in value):
        raise BadValue(f"{key}: must be {count} numbers")
    return tuple(float(one) for one in value)
