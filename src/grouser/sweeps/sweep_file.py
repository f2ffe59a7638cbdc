"""Sweep file: what is run, its fixed settings and its varied parameters, in YAML.

::

    name: quince on steps
    world: quince_step
    goal: {x: 1.1}
    vary:
      robots.quince.options.front_deg: [0, 45]
      height: {keys: [terrain.1.height], min: 0.04, max: 0.4, count: 25}
      friction: {keys: [terrain.0.friction, terrain.1.friction], min: 0.3, max: 0.9, count: 20}
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, Strict, ValidationError, model_validator

from grouser import files
from grouser.description import Description, display_value, mistake
from grouser.errors import BadValue, WorldFileError
from grouser.world.validation_errors import world_file_error
from grouser.world.yaml_source import MOST_BYTES, read_yaml

Value = bool | int | float | str
"""Value of a parameter."""

MOST_POINTS = 10_000_000
"""Largest number of points."""
KINDS = ("mobility", "world", "plan", "script")
"""Keys of a file that name what is run; each file has one of them."""
Pair = Annotated[tuple[float, float], Strict(False)]


def _expand_list(given: Any) -> Any:
    """Return a list of values as the mapping that it abbreviates."""
    return {"values": given} if isinstance(given, list | tuple) else given


class SweptParameter(Description):
    """Values of a varied parameter: a list, or a range."""

    values: Annotated[tuple[Value, ...], Strict(False)] | None = None
    """Listed values."""
    min: float | None = None
    """Lower end of a range."""
    max: float | None = None
    """Upper end of a range; above ``min``."""
    count: Annotated[int, Field(ge=2, le=100_000)] | None = None
    """Number of values of a range in a grid, both ends included."""
    log: bool = False
    """Logarithmic range; both ends are above 0."""
    keys: Annotated[tuple[str, ...], Strict(False)] = ()
    """Keys that receive the value; default: the parameter's name."""

    @model_validator(mode="after")
    def _agree(self) -> SweptParameter:
        if self.values is not None:
            if not self.values or self.min is not None or self.max is not None:
                raise mistake("must be a list of values, or a range with min and max")
            if len({isinstance(value, str) for value in self.values}) > 1:
                raise mistake("has numbers and texts, must have values of one type")
            if len(set(self.values)) < len(self.values):
                raise mistake("has a value twice")
            return self
        if self.min is None or self.max is None or self.max <= self.min:
            raise mistake("must have min and max, with max above min, or a list of values")
        if self.log and self.min <= 0:
            raise mistake("is logarithmic, min must be above 0")
        return self

    @property
    def range(self) -> tuple[float, float] | None:
        """Both ends of a range; None: the values are listed."""
        if self.min is None or self.max is None:
            return None
        return self.min, self.max

    @property
    def size(self) -> int:
        """Number of values in a grid."""
        return len(self.values or ()) if self.range is None else self.count or 2


ListOrRange = Annotated[
    SweptParameter,
    BeforeValidator(_expand_list, json_schema_input_type=tuple[Value, ...] | SweptParameter),
]


class Target(Description):
    """Goal of a run in a world: a line to cross (x), or a place (x, y)."""

    x: float
    """Smallest x of the robot's root, or x of the place, m."""
    y: float | None = None
    """y of the place, m; None: any."""
    z: float | None = None
    """Smallest height of the root, m; without y."""
    within: Annotated[float, Field(gt=0)] = 0.1
    """Tolerance of a place, m."""


class Mark(Description):
    """Point of reference on the maps of a report."""

    at: dict[str, Value]
    """Value of each parameter."""
    text: Annotated[str, Field(min_length=1, max_length=20)]
    """Text, such as S or F for success or failure of the real robot."""


class Search(Description):
    """Search for the best parameters (``--optimise``)."""

    maximise: str | None = None
    """Column of results to maximise."""
    minimise: str | None = None
    """Column of results to minimise; instead of ``maximise``."""
    points: Annotated[int, Field(ge=1)] = 40
    """Number of points that are tried."""
    batch: Annotated[int, Field(ge=1)] = 4
    """Number of points that are tried at once; the search learns after each batch."""

    @model_validator(mode="after")
    def _agree(self) -> Search:
        if (self.maximise is None) == (self.minimise is None):
            raise mistake("must have maximise or minimise with the name of a column")
        return self

    @property
    def column(self) -> str:
        """Column of results that is optimised."""
        return self.maximise or self.minimise or ""


class SweepFile(Description):
    """Contents of a sweep file."""

    name: Annotated[str, Field(max_length=80)] = ""
    """Title of the report."""
    mobility: str | None = None
    """Apparatus of the mobility suite, run with `robot`."""
    find_limit: bool = False
    """With ``mobility``: find the largest passed size by bisection instead of running one size."""
    world: str | None = None
    """World file or shipped world, run with its robots."""
    plan: str | None = None
    """World file or shipped world, in which paths are planned from `start` to `goal`."""
    script: str | None = None
    """User function, ``FILE.py:FUNCTION`` or ``package.module:FUNCTION``; it takes the parameters
    by name and returns a `Trial`, or results by name."""
    robot: str | None = None
    """Mobility: kind of robot or robot file; world and plan: robot that is watched. None: the only
    robot of the world."""
    policy: str | None = None
    """Controller of the robot, ``FILE.py:CLASS``."""
    start: Pair | None = None
    """Plan: start position x, y, m."""
    goal: Target | None = None
    """World: end of a successful run; plan: goal position."""
    time_limit: Annotated[float, Field(gt=0)] = 60.0
    """World and plan: longest simulated time of a run, s."""
    stuck_after: Annotated[float, Field(gt=0)] = 6.0
    """World: time without progress after which a run ends, s."""
    set: dict[str, Any] = Field(default_factory=dict)
    """Fixed settings, key to value."""
    vary: Annotated[dict[str, ListOrRange], Field(min_length=1)]
    """Varied parameters."""
    sample: Literal["grid", "random", "latin-hypercube"] = "grid"
    """Points of the parameter space."""
    points: Annotated[int, Field(ge=1, le=MOST_POINTS)] | None = None
    """Number of points, unless ``sample`` is grid."""
    repeats: Annotated[int, Field(ge=1)] = 1
    """Runs of each point. With several, start pose and friction vary at random, as in
    ``grouser mobility --limit``."""
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    """Seed of points and runs."""
    measure: str = "success"
    """Column of results shown in the report."""
    maps: Annotated[tuple[Annotated[tuple[str, str], Strict(False)], ...], Strict(False)] = ()
    """Pairs of parameters with a map in the report; default: the two with the largest effects."""
    marks: Annotated[tuple[Mark, ...], Strict(False)] = ()
    """Points of reference on the maps."""
    optimise: Search | None = None
    """Settings of ``--optimise``."""

    @model_validator(mode="after")
    def _agree(self) -> SweepFile:
        named = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(named) != 1:
            raise mistake(f"must have one of the keys {', '.join(KINDS)}")
        if self.sample == "grid":
            for name, parameter in self.vary.items():
                if parameter.range and parameter.count is None and self.optimise is None:
                    raise mistake("is a range in a grid, count is needed", "vary", name)
            if (size := math.prod(part.size for part in self.vary.values())) > MOST_POINTS:
                raise mistake(f"has {size:,} points, must have at most {MOST_POINTS:,}", "vary")
        elif self.points is None:
            raise mistake("points is needed, the number of points", "sample")
        for pair in self.maps:
            for name in pair:
                if name not in self.vary:
                    raise mistake(f"'{name}' is not varied", "maps")
        for mark in self.marks:
            for name in mark.at:
                if name not in self.vary:
                    raise mistake(f"'{name}' is not varied", "marks")
        if self.mobility is not None and self.robot is None:
            raise mistake("robot is needed", "mobility")
        if self.find_limit and self.mobility is None:
            raise mistake("needs mobility", "find_limit")
        if self.plan is not None and (
            self.start is None or self.goal is None or self.goal.y is None
        ):
            raise mistake("start: [x, y] and goal: {x: …, y: …} are needed", "plan")
        return self

    @property
    def kind(self) -> str:
        """Key that names what is run, one of `KINDS`."""
        return next(kind for kind in KINDS if getattr(self, kind) is not None)


def load_sweep(path: Path | str) -> SweepFile:
    """Read a sweep file.

    Raises:
        WorldFileError: the file is invalid.
    """
    try:
        text = files.read_text(path, MOST_BYTES)
    except BadValue as error:
        raise WorldFileError(f"{path}: {error}") from None
    source = read_yaml(text, str(path))
    if not isinstance(source.data, Mapping):
        given = display_value(source.data)
        raise WorldFileError(f"{path} line 1: the sweep is {given}, a mapping is needed")
    try:
        return SweepFile.model_validate(source.data)
    except ValidationError as error:
        raise world_file_error(error, source, {}, "the sweep") from None
