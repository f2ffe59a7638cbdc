"""What a robot's mobility is tested on: every apparatus with its sizes, its ground and its goal.

After the response-robot test methods ASTM E2801-E2804 and E2826-E2828, the steps and trenches of
Kurose et al. 2008, and a slope with an obstacle on it that asks whether a robot tips over.

An apparatus has one number that is varied, its *size*, in mm or deg as people say it. A `Course`
is the apparatus at one size: its ground begins at x = 0, the robot comes from -x and has passed
when the whole of it is beyond the end, at the height that is there. Nothing here knows a robot.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from grouser.errors import BadValue
from grouser.frames import Pose
from grouser.world.apparatus import TILE, Hurdle, Incline, PitchRollRamps
from grouser.world.objects import Box
from grouser.world.stepfield import HILL, Stepfield
from grouser.world.surface import Surface
from grouser.world.terrain import Flat, Stairs, Step, Trench

FRICTION = 0.6
"""Of ground and obstacles; Okada et al. 2020, sec. IV-B."""
GRIP = 1.2
"""Of the slopes of the tipping tests: on less, robots slide before they tip."""
PIPE_FRICTION = 0.2
"""Of a hurdle's pipes; low, because they roll."""
FACE = 1.8
"""Length of the inclined plane's face, m."""
RISE, RISERS = 0.2, 5
"""Of the stairs, m; E2804's riser, and as many as the public arena model has."""
TURNED = 30.0
"""Heading of the continuous ramps, deg: crossed obliquely, they pitch and roll a robot at once."""
BAR = 0.1
"""Height and length of the bar of the tipping tests, m; it lies under the left track alone."""
SLAB = (8.0, 4.0, 0.5)
"""The tipping tests' slope, m."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """An apparatus at one size, from x = 0 on."""

    terrain: tuple[Surface, ...]
    """The ground."""
    things: tuple[Box, ...] = ()
    """What else is fixed to it."""
    end: float = 0.0
    """Where it is over, along the way, m."""
    top: float = 0.0
    """Height of the ground beyond the end above that at the start, m."""
    edge: float = 0.0
    """The highest edge that has to be got over, m; 0: none."""
    X_WS: Pose = Pose()
    """The slope on which robots start and drive along its x."""


@dataclass(frozen=True, kw_only=True)
class Apparatus:
    """One test of the suite."""

    title: str
    """What people call it."""
    about: str
    """What it is and what counts as passed, in a sentence or two."""
    varied: str
    """What its size is the size of."""
    unit: Literal["mm", "deg"]
    """In which sizes are given."""
    sizes: tuple[float, ...]
    """Of the nominal runs, rising."""
    span: tuple[float, float]
    """Between which sizes the limit is looked for; others are refused."""
    resolution: float
    """To which the limit is found."""
    course: Callable[[float], Course]
    """Makes the course of a size."""

    def at(self, size: float) -> Course:
        """Return the course of ``size`` (mm or deg)."""
        low, high = self.span
        if not low <= size <= high:
            raise BadValue(
                f"{self.title.lower()}: {self.varied} is {size:g} {self.unit}, "
                f"must be {low:g} to {high:g} {self.unit}"
            )
        return self.course(size)


def _flat(friction: float = FRICTION) -> Flat:
    return Flat(friction=friction)


def _step(height_mm: float) -> Course:
    height = height_mm / 1000
    step = Step(x=0, height=height, friction=FRICTION, length=3.0)
    return Course(terrain=(_flat(), step), top=height, edge=height)


def _trench(gap_mm: float) -> Course:
    gap = gap_mm / 1000
    return Course(terrain=(Trench(x=0, gap=gap, friction=FRICTION),), end=gap)


def _hurdle(height_mm: float) -> Course:
    height = height_mm / 1000
    bar = Hurdle(x=0, height=height, friction=FRICTION, pipe_friction=PIPE_FRICTION)
    return Course(terrain=(_flat(), bar), end=bar.length, edge=height)


def _incline(slope_deg: float) -> Course:
    plane = Incline(x=0, slope_deg=slope_deg, side=FACE, friction=FRICTION, platform=2.0)
    slope = math.radians(slope_deg)
    return Course(terrain=(_flat(), plane), end=FACE * math.cos(slope), top=FACE * math.sin(slope))


def _stairs(slope_deg: float) -> Course:
    run = RISE / math.tan(math.radians(slope_deg))
    flight = Stairs(x=0, rise=RISE, run=run, count=RISERS, friction=FRICTION)
    return Course(terrain=(_flat(), flight), end=(RISERS - 1) * run, top=RISERS * RISE, edge=RISE)


def _ramps(slope_deg: float) -> Course:
    ramps = PitchRollRamps(x=0, slope_deg=slope_deg, rows=4, yaw_deg=TURNED, friction=FRICTION)
    way = 2 * TILE / math.cos(math.radians(TURNED))
    return Course(terrain=(_flat(), ramps), end=way)


def _crossing(slope_deg: float) -> Course:
    ramps = PitchRollRamps(x=0, crossing=True, slope_deg=slope_deg, rows=3, friction=FRICTION)
    return Course(terrain=(_flat(), ramps), end=2 * TILE, edge=ramps.rise)


def _stepfield(pattern: Literal["hill", "diagonal"]) -> Callable[[float], Course]:
    def course(unit_mm: float) -> Course:
        unit = unit_mm / 1000
        field = Stepfield(x=0, pattern=pattern, unit=unit, friction=FRICTION)
        return Course(
            terrain=(_flat(), field), end=field.post * len(HILL), edge=int(HILL.max()) * unit
        )

    return course


def _tipping(slope_deg: float, *, uphill: bool) -> Course:
    """Return a slope, up or to the left, with a bar under the left track."""
    tilt = {"pitch_deg": -slope_deg} if uphill else {"roll_deg": slope_deg}
    X_WS = Pose.at(**{name.removesuffix("_deg"): math.radians(v) for name, v in tilt.items()})
    slab = Box(
        name="slope",
        position=_point(X_WS, 0, 0, -SLAB[2] / 2),
        size=SLAB,
        friction=GRIP,
        fixed=True,
        rgb=(0.72, 0.62, 0.49),
        **tilt,
    )
    bar = Box(
        name="bar",
        position=_point(X_WS, BAR / 2, 0.5, BAR / 2 - 0.1),
        size=(BAR, 1.0, BAR + 0.2),
        friction=GRIP,
        fixed=True,
        rgb=(0.83, 0.74, 0.60),
        **tilt,
    )
    below = -SLAB[0] if uphill else -SLAB[1]  # the plane is out of everybody's way, but seen
    ground = Step(x=-20, height=0.1, length=0.1, width=0.1, friction=GRIP)
    del below
    return Course(terrain=(ground,), things=(slab, bar), end=BAR, edge=BAR, X_WS=X_WS)


def _point(X_WS: Pose, x: float, y: float, z: float) -> tuple[float, float, float]:
    x, y, z = X_WS.apply((x, y, z)).tolist()
    return x, y, z
