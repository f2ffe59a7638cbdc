"""Commands beyond the limits of a drive or gait: logged once, and shown by the drive's handle."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grouser.physics.drives import Setpoint
from grouser.robots.robot import Robot

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class LimitedCommand:
    """Command beyond a limit; the robot does what the limit allows."""

    what: str
    """Quantity: ``angle``, ``speed``, ``torque``, or ``forward`` and so on of a gait."""
    given: float
    """Commanded value, in the unit of the drive."""
    limit: float
    """Largest or smallest value that has an effect."""


class CommandLimits:
    """Present commands beyond the limits of drives and gaits, by robot and drive or gait input."""

    def __init__(self) -> None:
        self.present: dict[tuple[str, str], LimitedCommand] = {}
        """Robot and drive, or gait input -> its last command, if it exceeds a limit."""
        self._logged: set[tuple[str, str, str]] = set()

    def note(self, name: str, robot: Robot, command: Mapping[str, float | Setpoint]) -> None:
        """Compare a command of robot ``name`` with its limits; log what exceeds them once."""
        for drive, found in _compare(robot, command):
            if found is None:
                self.present.pop((name, drive), None)
                continue
            self.present[name, drive] = found
            if (name, drive, found.what) not in self._logged:
                self._logged.add((name, drive, found.what))
                _LOG.warning(
                    "command: %s of '%s' in '%s' is %g, limited to %g; reported once",
                    *(found.what, drive, name, found.given, found.limit),
                )


def _compare(
    robot: Robot, command: Mapping[str, float | Setpoint]
) -> Iterator[tuple[str, LimitedCommand | None]]:
    """Yield each commanded drive and gait input, and its command if that exceeds a limit."""
    for drive, setpoint in robot.setpoints(command).items():
        described = robot.drives[drive]
        low, high = robot.limits.get(drive, (-math.inf, math.inf))
        if setpoint.mode != "angle":
            high = described.speed if setpoint.mode == "speed" else described.force
            low = -high
        yield drive, _beyond(setpoint.mode, float(setpoint.value), low, high)
    inputs = robot.gait_inputs(command)
    fastest = getattr(robot.gait, "fastest", ())
    for name, largest in zip(("forward", "sideways", "turn"), fastest, strict=False):
        if name in inputs:
            yield name, _beyond(name, float(inputs[name]), -largest, largest)


def _beyond(what: str, given: float, low: float, high: float) -> LimitedCommand | None:
    limit = min(max(given, low), high)
    near = math.isclose(given, limit, rel_tol=1e-9, abs_tol=1e-12)
    return None if near else LimitedCommand(what, given, limit)
