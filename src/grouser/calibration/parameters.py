"""What a log can tell about a robot and its ground: the parameters that `calibrate` may free.

Each has a name, a unit and a plausible range that is never left. A parameter is either an option
of the robot with the same name or a property of all the ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from grouser.errors import BadValue, unknown
from grouser.robots.custom.custom_robot import CustomRobot
from grouser.robots.kinds import describe, is_file
from grouser.robots.robot import RobotDescription
from grouser.world.file import RobotEntry, World


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A number that may be freed."""

    name: str
    low: float
    """Least plausible value."""
    high: float
    """Largest plausible value."""
    unit: str
    """Empty: a plain number."""
    of: Literal["robot", "ground"]
    """Whose it is: an option of the robot of the same name, or a property of all terrain."""
    about: str
    """What it is, in a few words."""
    key: str = ""
    """Where a robot file says it, as a path; empty: there is no such key."""

    def start(self, world: World, robot: str) -> float:
        """Return what ``world`` says itself: where the search begins.

        Raises:
            BadValue: the robot has no such option, or the world says something implausible.
        """
        value = self._value_in(world, _entry(world, robot))
        if not self.low <= value <= self.high:
            raise BadValue(
                f"calibrate: {self.name} is {value:g} in '{world.name}', "
                f"plausible is {self.low:g} to {self.high:g}{self.suffix}"
            )
        return value

    def applied(self, world: World, robot: str, value: float) -> World:
        """Return ``world`` with this parameter at ``value``."""
        if self.of == "ground":
            pieces = (piece.model_copy(update={self.name: value}) for piece in world.terrain)
            return world.changed(terrain=tuple(pieces))
        entry = _entry(world, robot)
        option = self.key if is_file(entry.kind) else self.name
        other = entry.model_copy(update={"options": {**entry.options, option: value}})
        return world.changed(robots=tuple(other if who is entry else who for who in world.robots))

    @property
    def suffix(self) -> str:
        """The unit as it follows a number."""
        return f" {self.unit}" if self.unit else ""

    def _value_in(self, world: World, entry: RobotEntry) -> float:
        if self.of == "ground":
            return sum(piece.friction for piece in world.terrain) / len(world.terrain)
        description = describe(entry.kind, entry.options, world.where("robots"))
        value = self._said_by(description)
        if value is None:
            can = [
                name
                for name, parameter in PARAMETERS.items()
                if parameter.of == "ground" or parameter._said_by(description) is not None
            ]
            key = self.key.partition(".")[0]
            hint = (
                f" (its file says no {key})" if isinstance(description, CustomRobot) and key else ""
            )
            raise BadValue(
                f"calibrate: robot '{entry.kind}' has no {self.name}{hint}; "
                f"of it can be freed: {', '.join(can)}"
            )
        return value

    def _said_by(self, description: RobotDescription) -> float | None:
        """Return the value that a robot has; None: it has no such number."""
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
"""All of them by name."""


def parameters_named(names: Sequence[str]) -> tuple[Parameter, ...]:
    """Return the parameters of these names.

    Raises:
        UnknownName: one does not exist.
        BadValue: none, or one twice.
    """
    if not names:
        raise BadValue(f"calibrate: nothing is free, allowed: {', '.join(PARAMETERS)}")
    for name in names:
        if name not in PARAMETERS:
            raise unknown("calibrate", "parameter", name, PARAMETERS)
        if names.count(name) > 1:
            raise BadValue(f"calibrate: '{name}' is there twice")
    return tuple(PARAMETERS[name] for name in names)


def _entry(world: World, robot: str) -> RobotEntry:
    for entry in world.robots:
        if entry.name == robot:
            return entry
    raise unknown(f"world '{world.name}'", "robot", robot, [who.name for who in world.robots])
