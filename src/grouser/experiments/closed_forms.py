"""What statics says of crawlers, ours beside it: turning, steps, walls, slopes, pull, work, drops.

The crawlers are in no paper and nobody tuned anything to them; PackBot, Quince and Kenaf are held
to the pressure that they themselves stand with. Each row says the truth, ours, their ratio and
whether they agree within that row's tolerance. docs/closed-forms.md explains them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from grouser.evaluation import closed_forms as truth
from grouser.experiments import closed_form_rigs as rigs
from grouser.experiments.closed_form_pressure import add_pressure
from grouser.experiments.closed_form_rigs import CrawlerCase, Rig
from grouser.experiments.run_options import RunOptions
from grouser.frames import degrees, millimetres, radians
from grouser.mobility.parallel_map import map_on_all_cores
from grouser.reports.report import Report
from grouser.reports.table import Row, Table
from grouser.robots.kenaf import TRACK_Y as KENAF_Y
from grouser.robots.packbot import GAUGE as PACKBOT_GAUGE
from grouser.robots.quince import TRACK_Y as QUINCE_Y
from grouser.world.terrain.flat import Flat

SHAPES = {0.5: (0.30, 0.60), 1.0: (0.40, 0.40), 1.25: (0.45, 0.36), 1.5: (0.45, 0.30)} | {
    1.75: (0.49, 0.28),
    2.0: (0.50, 0.25),
}
"""Length over gauge → both, m."""
QUICK_SHAPES = (1.0, 2.0)
GAUGES = {"packbot": PACKBOT_GAUGE, "quince": 2 * QUINCE_Y, "kenaf": 2 * KENAF_Y}
TIMESTEPS = (0.001, 0.0005)
FRICTIONS = (0.5, 1.0)
GRIP = 1.2
"""Friction with which balance, not grip, ends a climb."""
SLOPE = radians(20)
SLOW, FAST = 0.5, 1.5
"""rad/s."""

Measure = Callable[[], float | tuple[float, float]]


@dataclass(frozen=True, kw_only=True)
class Check:
    """One row: what is claimed, how it is measured, how near it must be."""

    form: str
    """Which closed form."""
    truth: float
    measure: Measure
    """Returns ours, or the bounds between which ours lies."""
    relative: float = math.inf
    """Agrees if ours is off by no more than this part of the truth."""
    absolute: float = math.inf
    """Agrees if ours is off by no more than this."""
    most: float = math.inf
    """Agrees if ours is no more than this."""
    case: dict[str, Any]
    unit: str = ""

    def row(self) -> Row:
        """Measure and judge."""
        measured = self.measure()
        low, high = measured if isinstance(measured, tuple) else (measured, measured)
        ours = (low + high) / 2
        near = min(self.relative * abs(self.truth) if self.truth else math.inf, self.absolute)
        if isinstance(measured, tuple):  # it turns somewhere between: both ends must be near
            agrees = low >= self.truth - near * 1.001 and high <= self.truth + near * 1.001
        else:
            agrees = abs(ours - self.truth) <= near and ours <= self.most
        shown = f"{low:.4g} to {high:.4g}" if low != high else f"{ours:.4g}"
        ratio = ours / self.truth if self.truth and math.isfinite(ours) else math.nan
        return Row(
            {"closed form": self.form, **self.case},
            f"{self.truth:.4g} {self.unit}".strip(),
            {"value": f"{shown} {self.unit}".strip(), "ratio": round(ratio, 3)},
            agrees,
        )


def run(options: RunOptions) -> Report:
    """Measure every row and compare."""
    checks = list(_quick() if options.quick else _all())
    rows = map_on_all_cores(
        Check.row, checks, progress=lambda done, of: options.progress("closed forms", done, of)
    )
    forms = dict.fromkeys(check.form for check in checks)
    figures: dict[str, float | int | str | bool | None] = {
        form: f"{sum(bool(row.agrees) for row in mine)} of {len(mine)}"
        for form in forms
        for mine in [[row for row in rows if row.case["closed form"] == form]]
    }
    notes = ("Tolerances and derivations: docs/closed-forms.md.",)
    title = "Closed forms of crawlers" + (" (quick: a few shapes)" if options.quick else "")
    report = Report(Table("closed-forms", "statics", title, tuple(rows), figures, notes))
    if options.pictures:
        add_pressure(report)
    return report


def _crawler(ratio: float, **differences: Any) -> CrawlerCase:
    length, gauge = SHAPES[ratio]
    return CrawlerCase(length=length, gauge=gauge, **differences)


def _quick() -> Iterator[Check]:
    for ratio in QUICK_SHAPES:
        yield turning(_crawler(ratio), SLOW)
    yield turning(_crawler(1.5, belts="smooth", friction=1.0), SLOW)
    yield turning(_crawler(1.0, belts="surface"), SLOW)
    yield turning(_crawler(1.0, timestep=TIMESTEPS[1]), SLOW)
    yield turning(_crawler(1.0), FAST)
    yield own_turning("packbot")
    yield step_limit(_crawler(1.5, friction=GRIP), 2)
    yield wall(_crawler(1.5, belts="smooth"), 2)
    yield slip(_crawler(1.0, friction=0.5))
    yield tip_back(_crawler(1.0, belts="smooth", friction=5.0, centre_z=0.05), 2)
    yield pull(_crawler(1.5, friction=0.5))
    yield work(_crawler(1.0, friction=1.0))
    yield creep("packbot", seconds=1.5)
    yield from drops(("packbot",), TIMESTEPS[:1])
    yield from flights(TIMESTEPS[:1])
    yield dragged("sphere")


def _all() -> Iterator[Check]:
    for timestep in TIMESTEPS:
        for friction in FRICTIONS:
            for ratio in SHAPES:
                for belts in ("grousers", "smooth", "surface", "wheels"):
                    case = _crawler(ratio, belts=belts, friction=friction, timestep=timestep)
                    yield turning(case, SLOW)
            yield turning(_crawler(1.0, friction=friction, timestep=timestep), FAST)
            yield turning(_crawler(2.0, friction=friction, timestep=timestep), FAST)
            yield slip(_crawler(1.0, friction=friction, timestep=timestep))
            yield slip(_crawler(2.0, belts="smooth", friction=friction, timestep=timestep))
            yield pull(_crawler(1.5, friction=friction, timestep=timestep))
            yield pull(_crawler(1.5, belts="smooth", friction=friction, timestep=timestep))
        for kind in GAUGES:
            yield own_turning(kind, timestep)
            yield creep(kind, timestep)
        for ratio in (1.0, 1.5, 2.0):
            yield step_limit(_crawler(ratio, friction=GRIP, timestep=timestep), 4)
            smooth = _crawler(ratio, belts="smooth", friction=GRIP, timestep=timestep)
            yield step_limit(smooth, 4)
            yield wall(_crawler(ratio, belts="smooth", timestep=timestep), 4)
        yield wall(_crawler(1.5, belts="surface", timestep=timestep), 4)
        top_heavy = _crawler(1.0, belts="smooth", friction=5.0, centre_z=0.05, timestep=timestep)
        yield tip_back(top_heavy, 4)
        yield work(_crawler(1.0, friction=1.0, timestep=timestep))
    yield from drops(tuple(GAUGES), TIMESTEPS)
    yield from flights(TIMESTEPS)
    yield dragged("sphere")
    yield dragged("box")


def turning(case: CrawlerCase, rate: float) -> Check:
    """Return the turn in place of even pressure on two lines."""
    return Check(
        form="turning in place",
        truth=truth.turning_ratio(case.length / case.gauge),
        measure=lambda: rigs.turning(case.stand(), rate),
        relative=0.10 if rate < FAST else 0.15,
        case=case.described | {"rad/s": rate},
    )


def own_turning(kind: str, timestep: float = TIMESTEPS[0]) -> Check:
    """Return the turn in place of a robot's own standing pressure."""

    def rig() -> Rig:
        return Rig(kind, {}, (Flat(friction=0.6),), timestep)

    standing = rig()
    standing.run(rigs.SETTLED)
    points, loads = standing.loads()
    return Check(
        form="turning in place",
        truth=truth.turning_ratio_of(points[:, :2], loads, gauge=GAUGES[kind]),
        measure=lambda: rigs.turning(rig(), SLOW),
        relative=0.10,
        case={"belts": kind, "friction": 0.6, "step_ms": 1000 * timestep, "rad/s": SLOW},
    )


def step_limit(case: CrawlerCase, runs: int) -> Check:
    """Return the highest step by balance."""
    bar = rigs.BAR[1] if case.belts == "grousers" else 0.0
    limit = truth.step_limit(radius=case.radius, x=case.x, z=case.centre_z, bar=bar)

    def measure() -> tuple[float, float]:
        low, high = rigs.bracket(lambda h: rigs.climbs(case, h), limit, 0.05 * limit, runs)
        return float(millimetres(low)), float(millimetres(high))

    return Check(
        form="step limit by balance",
        truth=float(millimetres(limit)),
        measure=measure,
        relative=0.05,
        case=case.described,
        unit="mm",
    )


def wall(case: CrawlerCase, runs: int) -> Check:
    """Return the least friction that starts a smooth belt up a wall."""
    least = truth.wall_friction(radius=case.radius, axle_distance=case.length, x=case.x)

    def measure() -> tuple[float, float]:
        low, high = rigs.bracket(
            lambda friction: not rigs.starts_up(replace(case, friction=friction)), least, 0.04, runs
        )
        return low, high

    return Check(
        form="friction that starts up a wall",
        truth=least,
        measure=measure,
        absolute=0.04,
        case=replace(case, friction=least).described,
    )


def slip(case: CrawlerCase) -> Check:
    """Return the slope on which it slides."""
    return Check(
        form="slip angle",
        truth=float(degrees(truth.slip_angle(case.friction))),
        measure=lambda: rigs.slip_angle_deg(case),
        absolute=0.5,
        case=case.described,
        unit="deg",
    )


def tip_back(case: CrawlerCase, runs: int) -> Check:
    """Return the slope on which it tips over backwards."""
    angle = truth.tip_back_angle(radius=case.radius, x=case.x, z=case.centre_z)

    def measure() -> tuple[float, float]:
        low, high = rigs.bracket(
            lambda slope: not rigs.tips_back(case, slope), angle, 0.05 * angle, runs
        )
        return float(degrees(low)), float(degrees(high))

    return Check(
        form="tip-back angle",
        truth=float(degrees(angle)),
        measure=measure,
        relative=0.05,
        case=case.described,
        unit="deg",
    )


def pull(case: CrawlerCase) -> Check:
    """Return the drawbar pull."""
    return Check(
        form="drawbar pull",
        truth=case.friction * case.weight,
        measure=lambda: rigs.pull(case),
        relative=0.05,
        case=case.described,
        unit="N",
    )


def work(case: CrawlerCase) -> Check:
    """Return the work of climbing a slope over the potential energy gained."""
    return Check(
        form="work over potential energy",
        truth=1.0,
        measure=lambda: rigs.climbing_work(case, SLOPE),
        relative=0.05,
        case=case.described,
    )


def creep(kind: str, timestep: float = TIMESTEPS[0], seconds: float = 3.0) -> Check:
    """Return how fast a parked robot creeps down 20 deg."""
    slope_deg = float(degrees(SLOPE))
    ground = (Flat(friction=0.7, slope_deg=slope_deg),)
    return Check(
        form="parking creep",
        truth=0.0,
        measure=lambda: rigs.creep_mm_per_minute(
            Rig(kind, {}, ground, timestep, pitch_deg=-slope_deg), seconds
        ),
        most=0.5,
        case={"belts": kind, "friction": 0.7, "step_ms": 1000 * timestep},
        unit="mm/min",
    )


def drops(kinds: tuple[str, ...], timesteps: tuple[float, ...]) -> Iterator[Check]:
    """Yield the rebounds from 0.1 m."""
    for kind in kinds:
        for timestep in timesteps:
            yield Check(
                form="rebound from 100 mm",
                truth=0.0,
                measure=partial(_rebound, kind, timestep),
                most=10.0,
                case={"belts": kind, "friction": 0.6, "step_ms": 1000 * timestep},
                unit="mm",
            )


def _rebound(kind: str, timestep: float) -> float:
    return rigs.rebound_mm(Rig(kind, {}, (Flat(friction=0.6),), timestep, height=0.1))


def _flight(case: CrawlerCase, number: int) -> float:
    return rigs.flight(case)[number]


def flights(timesteps: tuple[float, ...]) -> Iterator[Check]:
    """Yield energy and angular momentum of a body in flight."""
    for timestep in timesteps:
        case = _crawler(1.0, timestep=timestep)
        for number, what in enumerate(("energy", "angular momentum")):
            yield Check(
                form=f"{what} in flight",
                truth=1.0,
                measure=partial(_flight, case, number),
                relative=0.005,
                case=case.described,
            )


def dragged(shape: Any) -> Check:
    """Return how far a dragged body rises."""
    return Check(
        form="rise of what is dragged",
        truth=0.0,
        measure=lambda: rigs.dragged_height_mm(shape, friction=1.0, speed=0.2),
        most=0.11,
        case={"belts": shape, "friction": 1.0, "step_ms": 1.0},
        unit="mm",
    )
