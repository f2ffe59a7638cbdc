"""Limits of the numbers in actions, for every path by which an action arrives.

A number that is not finite or is out of range is refused before anything changes. The limits are
far beyond what a robot does, and far from where arithmetic fails.
"""

from __future__ import annotations

import math

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Pose
from grouser.physics.drives import Setpoint
from grouser.simulation.changes import actions
from grouser.simulation.changes.actions import Action
from grouser.world.field_types import FARTHEST

MOST_ANGLE = 1e4
"""Largest angle, rad."""
MOST_SPEED = 100.0
"""Largest speed of a prescribed motion, m/s."""
MOST_TURN_RATE = 1000.0
"""Largest turn rate of a prescribed motion, rad/s."""
LONGEST_TIME = 1e6
"""Longest duration, s."""
MOST_COMMAND = 1e9
"""Largest number of a command, in its unit; a drive limits it further."""
LONGEST_LINK_DELAY = 10.0
"""Largest delay and jitter of a link, s."""
LEAST_ZOOM, MOST_ZOOM = 0.05, 100.0
"""Range of a camera's zoom."""


def check_limits(action: Action) -> None:
    """Raise `BadValue` if a number in ``action`` is not finite or is out of range."""
    match action:
        case actions.SetPose(name, X_WB):
            _check_pose(f"pose of '{name}'", X_WB)
        case actions.ResetSensor(_, sensor, Pose() as X_WI):
            _check_pose(f"sensor '{sensor}'", X_WI)
        case actions.AimCamera(_, sensor, pan, tilt, zoom):
            for key, angle in (("pan", pan), ("tilt", tilt)):
                if angle is not None:
                    check_range(f"sensor '{sensor}': {key}", angle, -MOST_ANGLE, MOST_ANGLE, "rad")
            if zoom is not None:
                check_range(f"sensor '{sensor}': zoom", zoom, LEAST_ZOOM, MOST_ZOOM)
        case actions.Move(name, x, y, z, yaw, seconds):
            _check_place(f"move '{name}'", (x, y, 0.0 if z is None else z))
            _check_turn(f"move '{name}': yaw", yaw or 0.0)
            check_range(f"move '{name}': the time", seconds, 0.0, LONGEST_TIME, "s")
        case actions.Shift(name, by, turn, seconds):
            _check_place(f"move '{name}'", by)
            _check_turn(f"move '{name}': the turn", turn)
            check_range(f"move '{name}': the time", seconds, 0.0, LONGEST_TIME, "s")
        case actions.Glide(name, through, speed):
            for place in through:
                _check_place(f"glide '{name}'", place)
            check_range(f"glide '{name}': the speed", speed, 0.0, MOST_SPEED, "m/s")
        case actions.Spin(name, rate):
            check_range(f"turn '{name}': the rate", rate, -MOST_TURN_RATE, MOST_TURN_RATE, "rad/s")
        case actions.Command(robot, command):
            for key, value in command.items():
                number = value.value if isinstance(value, Setpoint) else value
                check_range(f"command '{robot}': {key}", number, -MOST_COMMAND, MOST_COMMAND)
        case actions.SetLinkFaults(robot, delay, jitter, loss):
            for key, seconds in (("delay", delay), ("jitter", jitter)):
                check_range(f"link of '{robot}': {key}", seconds, 0.0, LONGEST_LINK_DELAY, "s")
            check_range(f"link of '{robot}': loss", loss, 0.0, 1.0)
        case actions.Delayed(seconds, then):
            check_range("after: the time", seconds, 0.0, LONGEST_TIME, "s")
            check_limits(then)
        case actions.RefereeCall(_, _, float() as seconds):
            check_range("penalty: the time", seconds, 0.0, LONGEST_TIME, "s")
        case _:
            pass  # checked where they are carried out, or without numbers


def check_range(where: str, value: object, low: float, high: float, unit: str = "") -> float:
    """Return ``value`` if it is a number from ``low`` to ``high``.

    Raises:
        BadValue: it is not; the sentence begins with ``where``.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise BadValue(f"{where} is {value!r}, a number is needed")
    if not low <= value <= high:
        blank = " " if unit else ""
        raise BadValue(f"{where} is {value:g}{blank}{unit}, must be {low:g} to {high:g}")
    return float(value)


def _check_pose(where: str, X_WB: Pose) -> None:
    _check_place(where, X_WB.position.tolist())
    length = math.hypot(*X_WB.wxyz.tolist())
    if not math.isclose(length, 1.0, rel_tol=1e-3):  # NaN is not
        raise BadValue(f"{where}: the orientation has length {length:g}, must be a unit quaternion")


def _check_place(where: str, place: tuple[float, ...] | list[float]) -> None:
    for axis, value in zip("xyz", place, strict=True):
        check_range(f"{where}: {axis}", value, -FARTHEST, FARTHEST, "m")


def _check_turn(where: str, turn: float) -> None:
    check_range(where, turn, -MOST_ANGLE, MOST_ANGLE, "rad")
