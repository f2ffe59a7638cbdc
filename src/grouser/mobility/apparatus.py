"""Mobility test apparatus: sizes, terrain and goal of every obstacle test.

After the response-robot test methods ASTM E2801-E2804 and E2826-E2828, the steps and trenches of
Kurose et al. 2008, and a slope with an obstacle that tests whether a robot tips over.

An apparatus has one varied quantity, its *size*, in mm or deg. A `Course` is the apparatus at one
size: it begins at x = 0; the robot comes from -x and has passed when all of it is beyond the end,
at the height of the ground there. Nothing here depends on a robot.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from grouser.errors import BadValue
from grouser.frames import Pose, metres, radians
from grouser.world.objects import Box
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.hurdle import Hurdle
from grouser.world.terrain.incline import Incline
from grouser.world.terrain.kinds import Terrain
from grouser.world.terrain.pitch_roll_ramps import TILE, PitchRollRamps
from grouser.world.terrain.stairs import Stairs
from grouser.world.terrain.step import Step
from grouser.world.terrain.stepfield import HILL, Stepfield
from grouser.world.terrain.terrain_piece import FOUNDATION
from grouser.world.terrain.trench import Trench

FRICTION = 0.6
"""Friction of ground and obstacles; Okada et al. 2020, sec. IV-B."""
GRIP = 1.2
"""Friction of the slopes of the tipping tests; on less, robots slide before they tip."""
PIPE_FRICTION = 0.2
"""Friction of a hurdle's pipes; low, because they roll."""
FACE = 1.8
"""Length of the inclined plane's face, m."""
RISE, RISERS = 0.2, 5
"""Riser height (m, E2804) and number of risers of the stairs, as in the public arena model."""
TURNED = 30.0
"""Heading of the continuous ramps, deg: crossed obliquely, they pitch and roll a robot at once."""
BAR, BAR_FROM = 0.08, 0.1
"""Height and length of the bar of the tipping tests, and its offset to the left, m: it lies under
the left track alone and not under the belly."""
FOOT = 2.0
"""Horizontal length of the tipping tests' slope before (below) the bar, m."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """An apparatus at one size, from x = 0 on."""

    terrain: tuple[Terrain, ...]
    """Terrain of the world."""
    things: tuple[Box, ...] = ()
    """Objects fixed to the ground."""
    end: float = 0.0
    """End of the apparatus along x, m."""
    top: float = 0.0
    """Height of the ground beyond the end above that at the start, m."""
    edge: float = 0.0
    """Highest edge to be climbed, m; 0: none."""
    X_WS: Pose = field(default_factory=Pose)
    """Frame of the slope on which robots start and drive along x; x = 0 is the apparatus."""
    level: bool = True
    """True if the end is level; otherwise the goal has no height."""


@dataclass(frozen=True, kw_only=True)
class Apparatus:
    """One test of the suite."""

    title: str
    """Display name."""
    about: str
    """Description and pass criterion, in one or two sentences."""
    varied: str
    """Name of the varied quantity."""
    unit: Literal["mm", "deg"]
    """Unit of sizes."""
    sizes: tuple[float, ...]
    """Sizes of the nominal runs, increasing."""
    span: tuple[float, float]
    """Allowed sizes, within which the limit is searched."""
    resolution: float
    """Resolution of the limit."""
    course: Callable[[float], Course]
    """Factory of the course of a size."""

    def at(self, size: float) -> Course:
        """Return the course of ``size`` (mm or deg)."""
        low, high = self.span
        if not low <= size <= high:
            raise BadValue(
                f"{self.title.lower()}: {self.varied} is {size:g} {self.unit}, "
                f"must be {low:g} to {high:g} {self.unit}"
            )
        return self.course(size)

    def within(self, size: float) -> float:
        """Return ``size`` clamped to the span."""
        return min(self.span[1], max(self.span[0], size))


def _flat() -> Flat:
    return Flat(friction=FRICTION)


def _step(height_mm: float) -> Course:
    height = metres(height_mm)
    step = Step(x=0, height=height, friction=FRICTION, length=3.0)
    return Course(terrain=(_flat(), step), top=height, edge=height)


def _trench(gap_mm: float) -> Course:
    gap = metres(gap_mm)
    return Course(terrain=(Trench(x=0, gap=gap, friction=FRICTION),), end=gap)


def _hurdle(height_mm: float) -> Course:
    height = metres(height_mm)
    bar = Hurdle(x=0, height=height, friction=FRICTION, pipe_friction=PIPE_FRICTION)
    return Course(terrain=(_flat(), bar), end=bar.length, edge=height)


def _incline(slope_deg: float) -> Course:
    plane = Incline(x=0, slope_deg=slope_deg, side=FACE, friction=FRICTION, platform=2.0)
    slope = radians(slope_deg)
    return Course(terrain=(_flat(), plane), end=FACE * math.cos(slope), top=FACE * math.sin(slope))


def _stairs(slope_deg: float) -> Course:
    run = RISE / math.tan(radians(slope_deg))
    flight = Stairs(x=0, rise=RISE, run=run, count=RISERS, friction=FRICTION)
    return Course(terrain=(_flat(), flight), end=(RISERS - 1) * run, top=RISERS * RISE, edge=RISE)


def _ramps(slope_deg: float) -> Course:
    ramps = PitchRollRamps(x=0, slope_deg=slope_deg, rows=4, yaw_deg=TURNED, friction=FRICTION)
    return Course(terrain=(_flat(), ramps), end=2 * TILE / math.cos(radians(TURNED)))


def _crossing(slope_deg: float) -> Course:
    ramps = PitchRollRamps(x=0, crossing=True, slope_deg=slope_deg, rows=3, friction=FRICTION)
    return Course(terrain=(_flat(), ramps), end=2 * TILE, edge=ramps.rise)


def _stepfield(pattern: Literal["hill", "diagonal"]) -> Callable[[float], Course]:
    def course(unit_mm: float) -> Course:
        unit = metres(unit_mm)
        field = Stepfield(x=0, pattern=pattern, unit=unit, friction=FRICTION)
        return Course(
            terrain=(_flat(), field), end=field.post * len(HILL), edge=int(HILL.max()) * unit
        )

    return course


def _tipping(slope_deg: float, *, uphill: bool) -> Course:
    """Return a slope that rises forward or to the left, with a bar under the left track."""
    slope = radians(slope_deg)
    plane = Incline(
        x=-FOOT if uphill else 0.0,
        y=0.0 if uphill else -FOOT,
        yaw_deg=0.0 if uphill else 90.0,
        slope_deg=slope_deg,
        side=2 * FOOT / math.cos(slope),
        width=6.0,
        platform=0,
        friction=GRIP,
    )
    pitch_deg, roll_deg = (-slope_deg, 0.0) if uphill else (0.0, slope_deg)
    X_WS = Pose.at(z=FOOT * math.tan(slope), pitch=radians(pitch_deg), roll=radians(roll_deg))
    bar = Box(
        name="bar",
        position=_point(X_WS, BAR / 2, BAR_FROM + 0.5, (BAR - FOUNDATION) / 2),
        size=(BAR, 1.0, BAR + FOUNDATION),
        pitch_deg=pitch_deg,
        roll_deg=roll_deg,
        friction=GRIP,
        fixed=True,
    )
    return Course(
        terrain=(_flat(), plane), things=(bar,), end=BAR, edge=BAR, X_WS=X_WS, level=False
    )


def _point(X_WS: Pose, x: float, y: float, z: float) -> tuple[float, float, float]:
    x, y, z = X_WS.apply((x, y, z)).tolist()
    return x, y, z


APPARATUS: dict[str, Apparatus] = {
    "step": Apparatus(
        title="Step",
        about="A vertical riser on flat ground; passed when the whole robot is on top.",
        varied="height",
        unit="mm",
        sizes=(100, 200, 300, 350),
        span=(5, 1000),
        resolution=5,
        course=_step,
    ),
    "trench": Apparatus(
        title="Trench",
        about="Two level platforms with a gap between them (ASTM E2801); passed when the whole "
        "robot is on the far one.",
        varied="gap",
        unit="mm",
        sizes=(100, 200, 300, 400, 500, 600),
        span=(10, 2000),
        resolution=10,
        course=_trench,
    ),
    "hurdle": Apparatus(
        title="Hurdle",
        about="A raised bar, 400 mm long, whose edges are slippery pipes (ASTM E2802); passed when "
        "the whole robot is on the ground behind it.",
        varied="height",
        unit="mm",
        sizes=(100, 200, 300),
        span=(50, 1000),
        resolution=5,
        course=_hurdle,
    ),
    "incline": Apparatus(
        title="Inclined plane",
        about="A face of 1.8 m with friction 0.6 that ends in a level top (ASTM E2803); passed "
        "when the whole robot is on the top.",
        varied="slope",
        unit="deg",
        sizes=(15, 30, 45),
        span=(1, 80),
        resolution=1,
        course=_incline,
    ),
    "stairs": Apparatus(
        title="Stairs",
        about="Five risers of 200 mm, tread length set by the slope (ASTM E2804); passed when "
        "the whole robot is on the landing.",
        varied="slope",
        unit="deg",
        sizes=(30, 35, 40, 45),
        span=(5, 80),
        resolution=1,
        course=_stairs,
    ),
    "pitch_roll": Apparatus(
        title="Continuous pitch/roll ramps",
        about="A full ramp up and one down, 1.2 m each, without a step anywhere, crossed at 30° "
        "(ASTM E2826 has 15°); passed when the whole robot is behind them.",
        varied="slope",
        unit="deg",
        sizes=(15, 25),
        span=(1, 60),
        resolution=1,
        course=_ramps,
    ),
    "crossing": Apparatus(
        title="Crossing pitch/roll ramps",
        about="Half ramps, neighbours turned by a quarter so that edges cross and make steps "
        "(ASTM E2827 has 15°); passed when the whole robot is behind two tiles of them.",
        varied="slope",
        unit="deg",
        sizes=(15, 25),
        span=(1, 60),
        resolution=1,
        course=_crossing,
    ),
    "stepfield_hill": Apparatus(
        title="Stepfield, hill",
        about="Ten by ten posts of 100 mm, up to four units high, a ridge across the way (ASTM "
        "E2828; half units are 50 mm, full ones 100 mm); passed when the robot is behind it.",
        varied="unit",
        unit="mm",
        sizes=(50, 100),
        span=(5, 200),
        resolution=5,
        course=_stepfield("hill"),
    ),
    "stepfield_diagonal": Apparatus(
        title="Stepfield, diagonal",
        about="The same with a ridge from corner to corner, the table of a public arena model; "
        "passed when the robot is behind it.",
        varied="unit",
        unit="mm",
        sizes=(50, 100),
        span=(5, 200),
        resolution=5,
        course=_stepfield("diagonal"),
    ),
    "tipping_side": Apparatus(
        title="Tipping, across a slope",
        about="A slope of friction 1.2, driven across, with a bar of 80 mm under the uphill "
        "track; passed when the robot gets over it and does not tip.",
        varied="slope",
        unit="deg",
        sizes=(15, 30, 45),
        span=(1, 70),
        resolution=1,
        course=partial(_tipping, uphill=False),
    ),
    "tipping_up": Apparatus(
        title="Tipping, up a slope",
        about="The same slope driven up, the bar under the left track; passed when the robot gets "
        "over it and does not tip.",
        varied="slope",
        unit="deg",
        sizes=(15, 30, 45),
        span=(1, 70),
        resolution=1,
        course=partial(_tipping, uphill=True),
    ),
}
"""All tests of the suite by their names on the command line."""
