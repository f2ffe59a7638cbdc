"""Calibration parameters of a robot and its ground, and the finding for each of them.

A parameter has a name, a unit and a plausible range, which bounds the search. It is either an
option of the robot with the same name or a property of all terrain. A `Finding` is its estimate
with an interval and a verdict: a parameter whose interval covers most of the plausible range is not
identifiable from the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from grouser.errors import BadValue, unknown
from grouser.frames import Array
from grouser.robots.custom.custom_robot import CustomRobot
from grouser.robots.kinds import describe, is_file
from grouser.robots.robot import RobotDescription
from grouser.world.file import RobotEntry, World


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A scalar parameter that a calibration can estimate."""

    name: str
    low: float
    """Smallest plausible value."""
    high: float
    """Largest plausible value."""
    unit: str
    """Unit; empty: dimensionless."""
    of: Literal["robot", "ground"]
    """Owner: an option of the robot with the same name, or a property of all terrain."""
    about: str
    """Short description."""
    key: str = ""
    """Path of the key in a robot file; empty: there is no such key."""

    def start(self, world: World, robot: str) -> float:
        """Return the value in ``world``, where the search starts; it must be plausible."""
        value = self._value_in(world, _entry(world, robot))
        if not self.low <= value <= self.high:
            raise BadValue(
                f"calibrate: {self.name} is {value:g} in '{world.name}', "
                f"plausible is {self.low:g} to {self.high:g}{self.suffix}"
            )
        return value

    def apply_to(self, world: World, robot: str, value: float) -> World:
        """Return ``world`` with this parameter at ``value``."""
        if self.of == "ground":
            pieces = (piece.model_copy(update={self.name: value}) for piece in world.terrain)
            return world.changed(terrain=tuple(pieces))
        entry = _entry(world, robot)
        option = self.key if is_file(entry.kind) else self.name
        other = entry.model_copy(update={"options": {**entry.options, option: value}})
        return world.changed(robots=tuple(other if one is entry else one for one in world.robots))

    @property
    def suffix(self) -> str:
        """Unit with a leading space, to follow a number."""
        return f" {self.unit}" if self.unit else ""

    def _value_in(self, world: World, entry: RobotEntry) -> float:
        if self.of == "ground":
            return sum(piece.friction for piece in world.terrain) / len(world.terrain)
        description = describe(entry.kind, entry.options, world.where("robots"))
        value = self._value_of(description)
        if value is None:
            can = [
                name
                for name, parameter in PARAMETERS.items()
                if parameter.of == "ground" or parameter._value_of(description) is not None
            ]
            key = self.key.partition(".")[0]
            hint = (
                f" (its file has no {key})" if isinstance(description, CustomRobot) and key else ""
            )
            raise BadValue(
                f"calibrate: robot '{entry.kind}' has no {self.name}{hint}; "
                f"allowed for it: {', '.join(can)}"
            )
        return value

    def _value_of(self, description: RobotDescription) -> float | None:
        """Return the value in a robot description; None: it has no such number."""
        if isinstance(description, CustomRobot):
            return description.number(self.key) if self.key else None
        value = getattr(description, self.name, None)
        return None if value is None else float(value)


PARAMETERS: dict[str, Parameter] = {
    parameter.name: parameter
    for parameter in (
        Parameter(
            name="friction",
            low=0.2,
            high=1.4,
            unit="",
            of="ground",
            about="Coulomb's coefficient of all terrain; rubber lugs on wet tiles to on concrete",
        ),
        Parameter(
            name="pitch_inertia",
            low=0.7,
            high=2.0,
            unit="",
            of="robot",
            about="of the whole robot, times that of its parts taken as even boxes",
        ),
        Parameter(
            name="centre_x",
            low=-0.08,
            high=0.08,
            unit="m",
            of="robot",
            about="centre of mass before the middle",
            key="centre.0",
        ),
        Parameter(
            name="centre_z",
            low=-0.08,
            high=0.08,
            unit="m",
            of="robot",
            about="centre of mass above the middle or, if it has them, its tracks' axes",
            key="centre.2",
        ),
    )
}
"""All parameters by name."""


def parameters_named(names: Sequence[str]) -> tuple[Parameter, ...]:
    """Return the parameters with these names, each given once."""
    if not names:
        raise BadValue(f"calibrate: no parameter is given, allowed: {', '.join(PARAMETERS)}")
    for name in names:
        if name not in PARAMETERS:
            raise unknown("calibrate", "parameter", name, PARAMETERS)
        if names.count(name) > 1:
            raise BadValue(f"calibrate: '{name}' is given twice")
    return tuple(PARAMETERS[name] for name in names)


def _entry(world: World, robot: str) -> RobotEntry:
    for entry in world.robots:
        if entry.name == robot:
            return entry
    raise unknown(f"world '{world.name}'", "robot", robot, [one.name for one in world.robots])


WIDE = 0.5
"""Width of an interval, as a part of the plausible range, beyond which nothing is determined."""

Identifiability = Literal["determined", "one-sided", "at the end", "not identifiable"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Finding:
    """Estimate of one parameter from a log."""

    parameter: Parameter
    start: float
    """Value in the world file."""
    value: float
    """Best value; if not identifiable, the start value clamped to the interval."""
    low: float
    """Smallest value that noise does not exclude; the range's end if none is excluded."""
    high: float
    """Largest value that noise does not exclude."""
    verdict: Identifiability
    values: Array
    """Values at which the loss was profiled, (m,)."""
    rises: Array
    """Rises of the loss there; 1 is as much as noise explains, (m,)."""

    @property
    def determined(self) -> bool:
        """True if the value is determined on both sides."""
        return self.verdict == "determined"

    @property
    def sentence(self) -> str:
        """Text of the verdict."""
        p, (low, high) = self.parameter, self._open_ends()
        half = (self.high - self.low) / 2
        match self.verdict:
            case "determined" if p.low > 0:
                return f"determined ± {100 * half / self.value:.2g} %"
            case "determined":
                return f"determined ± {half:.2g}{p.suffix}"
            case "one-sided":
                return f"at least {self.low:.3g}{p.suffix}" if high else f"at most {self.high:.3g}"
            case "at the end":
                end = p.low if self.value - p.low < p.high - self.value else p.high
                return f"at the end of the plausible range ({end:g}): may lie beyond, or else errs"
        only = "" if low and high else f", only {'below' if low else 'above'} "
        bound = "" if low and high else f"{self.high if low else self.low:.2g}{p.suffix}"
        return f"not identifiable from this run{only}{bound}"

    def _open_ends(self) -> tuple[bool, bool]:
        return self.low <= self.parameter.low, self.high >= self.parameter.high

    def to_json(self) -> dict[str, Any]:
        """Return the finding as plain values."""
        return {
            "unit": self.parameter.unit,
            "start": self.start,
            "found": self.value,
            "interval": [self.low, self.high],
            "plausible": [self.parameter.low, self.parameter.high],
            "verdict": self.verdict,
            "sentence": self.sentence,
            "profile": {"values": self.values.tolist(), "rises": self.rises.tolist()},
        }


def interval(at: Array, rises: Array, best: float) -> tuple[float, float]:
    """Return the interval around ``best`` in which the loss rises by less than 1, in the unit box.

    ``rises`` (m,) are at the increasing values ``at`` (m,). The square root of the rise is
    interpolated linearly, since the loss is quadratic near its minimum.
    """
    roots = np.sqrt(rises)
    middle = int(np.abs(at - best).argmin())
    ends = []
    for side, end in ((range(middle - 1, -1, -1), 0.0), (range(middle + 1, len(at)), 1.0)):
        last = middle
        for i in side:
            if roots[i] > 1:
                part = (1 - roots[last]) / (roots[i] - roots[last])
                ends.append(float(at[last] + part * (at[i] - at[last])))
                break
            last = i
        else:
            ends.append(end)
    return ends[0], ends[1]


def judge(low: float, high: float, best: float) -> Identifiability:
    """Return the verdict for an interval in the unit box."""
    if high - low > WIDE:
        return "not identifiable"
    if best <= 0.005 or best >= 0.995:
        return "at the end"
    return "one-sided" if low <= 0 or high >= 1 else "determined"
