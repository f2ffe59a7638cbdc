"""Physics of crawlers beside closed forms of statics.

The rows cover turning, steps, walls, slopes, drawbar pull, work and drops. The generic crawlers are
in no paper and no parameter was tuned to them. PackBot, Quince and Kenaf are compared with the
closed form for their own measured pressure. Each row holds the value of the closed form, ours,
their ratio and whether they agree within the tolerance of the row. The assumptions of some formulas
may not hold here (edge between bars or on their tips, rigid ground or springs). There one
measurement is compared with several closed forms, one row each. The derivations are in
docs/explanation/closed-forms.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from grouser.cores import parallel_map
from grouser.evaluation import closed_forms as truth
from grouser.experiments import closed_form_rigs as rigs
from grouser.experiments.closed_form_plots import add_climb, add_pressure
from grouser.experiments.closed_form_rigs import CrawlerCase, Rig
from grouser.experiments.run_options import RunOptions
from grouser.frames import degrees, millimetres, milliseconds, radians
from grouser.physics.compliance import SINK
from grouser.physics.slip_friction import SlipLaw
from grouser.reports.report import Report
from grouser.reports.rules import Rule
from grouser.reports.table import Row, Table
from grouser.robots.kenaf import TRACK_Y as KENAF_Y
from grouser.robots.packbot import GAUGE as PACKBOT_GAUGE
from grouser.robots.quince import TRACK_Y as QUINCE_Y
from grouser.world.terrain.flat import Flat

GAUGES = {"packbot": PACKBOT_GAUGE, "quince": 2 * QUINCE_Y, "kenaf": 2 * KENAF_Y}
SLOPE = radians(20)
SLOW, FAST = 0.5, 1.5
"""Turning rates, rad/s."""
STANDARD_STEP = 0.001
"""Time step, s."""
SHAPES = {0.5: (0.30, 0.60), 1.0: (0.40, 0.40), 1.25: (0.45, 0.36), 1.5: (0.45, 0.30)} | {
    1.75: (0.49, 0.28),
    2.0: (0.50, 0.25),
}
"""Ratio of length to gauge → length and gauge, m."""
QUICK_SHAPES = (1.0, 2.0)
TIMESTEPS = (0.001, 0.0005)
FRICTIONS = (0.5, 1.0)
GRIPS = (1.5, 0.9)
"""Friction at which a climb is limited by balance, and a lower one at which grip limits it."""
DENSE = 0.012
"""Bar pitch, m; too small for an edge to reach the bare belt between two bars."""
CENTRES = (0.05, 0.15)
"""Heights of the centre of mass above the axles in tip-back tests, m."""

SLIP_LAWS = (SlipLaw(0.8, 0.5, 0.3, 2.0), SlipLaw(0.8, 0.5, 0.3, 20.0))
"""Smooth and sharp fall of friction with slip speed."""

Measure = Callable[[], float | tuple[float, float]]


def run(options: RunOptions) -> Report:
    """Measure every row and compare it with the closed form."""
    checks = list(_quick() if options.quick else _all())
    measured = parallel_map(
        Check.rows, checks, progress=lambda done, of: options.progress("closed forms", done, of)
    )
    rows = [row for group in measured for row in group]
    forms = dict.fromkeys(row.case["closed form"] for row in rows)
    figures: dict[str, float | int | str | bool | None] = {
        form: f"{sum(bool(row.agrees) for row in group)} of {len(group)}"
        for form in forms
        for group in [[row for row in rows if row.case["closed form"] == form]]
    }
    # The reasons are notes below the table because a column would be too wide.
    reasons = dict.fromkeys(f"{row.case['closed form']}: {row.note}." for row in rows if row.note)
    rows = [replace(row, note="") for row in rows]
    notes = (*reasons, "Tolerances and derivations: docs/explanation/closed-forms.md.")
    title = "Closed forms of crawlers" + (" (quick: a few shapes)" if options.quick else "")
    report = Report(Table("closed-forms", "statics", title, tuple(rows), figures, notes))
    if options.pictures:
        add_pressure(report)
        add_climb(report, GRIPS)
    return report


def _crawler(ratio: float, **differences: Any) -> CrawlerCase:
    """Return the crawler with a ratio of length to gauge and other differing parameters."""
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
    yield step_limit(_crawler(1.5, friction=GRIPS[0]), 2)
    yield step_limit(_crawler(1.5, belts="smooth", friction=GRIPS[0]), 2)
    yield wall(_crawler(1.5, belts="smooth"), 2)
    yield slip(_crawler(1.0, friction=0.5))
    yield tip_back(_crawler(1.0, belts="smooth", friction=5.0, centre_z=CENTRES[1]))
    yield pull(_crawler(1.5, friction=0.5))
    yield work(_crawler(1.0, friction=1.0))
    yield creep("packbot", seconds=1.5)
    yield from drops(("packbot",), TIMESTEPS[:1])
    yield from flights(_crawler(1.0))
    yield drag_rise("sphere")
    yield sliding(SLIP_LAWS[0], 1.0)


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
            for friction in GRIPS:
                for belts in ("grousers", "smooth"):
                    case = _crawler(ratio, belts=belts, friction=friction, timestep=timestep)
                    yield step_limit(case, 4)
            yield wall(_crawler(ratio, belts="smooth", timestep=timestep), 4)
        yield wall(_crawler(1.5, belts="surface", timestep=timestep), 4)
        for belts, bar_pitch in (("surface", 0.035), ("grousers", DENSE)):
            case = _crawler(1.5, belts=belts, friction=GRIPS[0], timestep=timestep)
            yield step_limit(replace(case, bar_pitch=bar_pitch), 4)
        for centre_z in CENTRES:
            case = _crawler(1.0, belts="smooth", friction=5.0, timestep=timestep)
            yield tip_back(replace(case, centre_z=centre_z))
        yield work(_crawler(1.0, friction=1.0, timestep=timestep))
        yield from flights(_crawler(1.0, timestep=timestep))
    yield from drops(tuple(GAUGES), TIMESTEPS)
    yield drag_rise("sphere")
    yield drag_rise("box")
    for law in SLIP_LAWS:
        for start in (0.4, 1.0):
            yield sliding(law, start)


@dataclass(frozen=True, kw_only=True)
class Check:
    """A closed form, the measurement compared with it and the tolerance."""

    form: str
    """Name of the closed form."""
    truth: float
    measure: Measure
    """Returns our value, or the bounds between which it lies."""
    relative: float = math.inf
    """Tolerance as a fraction of the closed form's value."""
    absolute: float = math.inf
    """Tolerance in the unit of the value."""
    most: float = math.inf
    """Largest value that agrees."""
    case: dict[str, Any]
    unit: str = ""
    note: str = ""
    """Known cause of a disagreement."""
    also: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    """Closed form with other assumptions → its value and a note."""

    def rows(self) -> list[Row]:
        """Measure once and compare with every closed form."""
        measured = self.measure()
        others = [
            replace(self, form=form, truth=truth, note=note)
            for form, (truth, note) in self.also.items()
        ]
        return [check.judge(measured) for check in (self, *others)]

    def judge(self, measured: float | tuple[float, float]) -> Row:
        """Return the row for a measured value or its bounds."""
        low, high = measured if isinstance(measured, tuple) else (measured, measured)
        ours = (low + high) / 2
        judgement = self.rule.judge((self.truth, self.truth), (low, high))
        shown = f"{low:.4g} to {high:.4g}" if low != high else f"{ours:.4g}"
        ratio = ours / self.truth if self.truth and math.isfinite(ours) else math.nan
        return Row(
            {"closed form": self.form, **self.case},
            f"{self.truth:.4g} {self.unit}".strip(),
            {"value": f"{shown} {self.unit}".strip(), "ratio": round(ratio, 3)},
            judgement,
            "" if judgement.agrees else self.note,
        )

    @property
    def rule(self) -> Rule:
        """Rule of the tolerance; both values are the bounds between which a value lies."""
        near = min(self.relative * abs(self.truth) if self.truth else math.inf, self.absolute)

        def holds(truth: tuple[float, float], measured: tuple[float, float]) -> bool:
            # A limit lies between its bounds, so both must be near.
            slack = near * (1.001 if measured[0] != measured[1] else 1.0)
            inside = min(measured) >= truth[0] - slack and max(measured) <= truth[1] + slack
            return inside and max(measured) <= self.most

        limits = {
            f"within {100 * self.relative:g} %": math.isfinite(self.relative),
            f"within {self.absolute:g} {self.unit}".strip(): math.isfinite(self.absolute),
            f"at most {self.most:g} {self.unit}".strip(): math.isfinite(self.most),
        }
        return Rule(", ".join(text for text, given in limits.items() if given), holds)


def turning(case: CrawlerCase, rate: float) -> Check:
    """Return the check of turning in place: uniform pressure on two lines, or equal wheel loads."""
    return Check(
        form="turning in place",
        truth=_turning_ratio(case),
        measure=lambda: rigs.turning(case.stand(), rate),
        relative=0.10 if rate < FAST else 0.15,
        case=case.table_cells | {"rad/s": rate},
    )


def _turning_ratio(case: CrawlerCase) -> float:
    if case.belts != "wheels":
        return truth.turning_ratio(case.length / case.gauge)
    along = np.linspace(-case.length / 2, case.length / 2, case.wheels)
    sides = (case.gauge / 2, -case.gauge / 2)
    points = np.array([(x, y) for y in sides for x in along])
    return truth.turning_ratio_of(points, np.ones(len(points)), gauge=case.gauge)


def own_turning(kind: str, timestep: float = STANDARD_STEP) -> Check:
    """Return the check of a robot's turning in place for its pressure while rolling and at rest."""

    def rig() -> Rig:
        return Rig(kind, {}, (Flat(friction=0.6),), timestep)

    standing = rig()
    standing.run(rigs.SETTLED)
    points, loads = standing.loads()
    put_down = truth.turning_ratio_of(points[:, :2], loads, gauge=GAUGES[kind])
    points, loads = standing.rolling_loads()
    return Check(
        form="turning in place",
        truth=truth.turning_ratio_of(points[:, :2], loads, gauge=GAUGES[kind]),
        measure=lambda: rigs.turning(rig(), SLOW),
        relative=0.10,
        case={"belts": kind, "friction": 0.6, "step_ms": milliseconds(timestep), "rad/s": SLOW},
        also={
            "turning in place, pressure as put down": (
                put_down,
                "other grousers carry as soon as its belts move",
            )
        },
    )


def step_limit(case: CrawlerCase, runs: int) -> Check:
    """Return the check of the highest step, limited by balance, grip or the bars of the belt."""
    limited = partial(truth.step_limit, radius=case.radius, x=case.x, z=case.centre_z)
    balance, pitch = limited(), truth.step_pitch(radius=case.radius, x=case.x, z=case.centre_z)
    if case.belts == "grousers":
        bars = truth.Bars(height=rigs.BAR[1], tip_radius=rigs.BAR[0] / 2, pitch=case.bar_pitch)
        cause = "bars this far apart let the edge in between"
        forms = [
            ("edge between bars", limited(bars=bars), ""),
            ("edge on the tips", balance, cause),
        ]
    elif math.tan(pitch) <= case.friction:
        forms = [("by balance", balance, "it shakes on the edge and hops over")]
    else:
        flutter = "both contacts slip, which is not stable: it hops"
        forms = [
            ("by grip", limited(friction=case.friction), flutter),
            ("by balance", balance, flutter),
        ]
    name, limit, note = forms[0]

    def measure() -> tuple[float, float]:
        low, high = rigs.bracket(lambda h: rigs.climbs(case, h), limit, 0.05 * limit, runs)
        return float(millimetres(low)), float(millimetres(high))

    return Check(
        form=f"step limit, {name}",
        truth=float(millimetres(limit)),
        measure=measure,
        relative=0.05,
        case=case.table_cells,
        unit="mm",
        note=note,
        also={
            f"step limit, {name}": (float(millimetres(limit)), note)
            for name, limit, note in forms[1:]
        },
    )


def wall(case: CrawlerCase, runs: int) -> Check:
    """Return the check of the least friction at which a smooth belt starts up a wall."""
    least = truth.wall_friction(radius=case.radius, axle_distance=case.length, x=case.x)

    def measure() -> tuple[float, float]:
        low, high = rigs.bracket(
            lambda friction: not rigs.starts_up_wall(replace(case, friction=friction)),
            least,
            0.04,
            runs,
        )
        return low, high

    return Check(
        form="friction that starts up a wall",
        truth=least,
        measure=measure,
        absolute=0.04,
        case=replace(case, friction=least).table_cells,
    )


def slip(case: CrawlerCase) -> Check:
    """Return the check of the slope at which the crawler slides."""
    return Check(
        form="slip angle",
        truth=float(degrees(truth.slip_angle(case.friction))),
        measure=lambda: rigs.slip_angle_deg(case),
        absolute=0.5,
        case=case.table_cells,
        unit="deg",
    )


def tip_back(case: CrawlerCase) -> Check:
    """Return the check of the slope at which the crawler tips back: rigid, and on springs."""
    size = {"radius": case.radius, "x": case.x, "z": case.centre_z}
    rigid = float(degrees(truth.tip_back_angle(**size)))
    sprung = truth.tip_back_angle_on_springs(**size, axle_distance=case.length, sink=SINK)
    return Check(
        form="tip-back angle",
        truth=rigid,
        measure=lambda: rigs.tip_back_deg(case, rigid),
        relative=0.05,
        case=case.table_cells,
        unit="deg",
        also={
            "tip-back angle, springs without drums": (
                float(degrees(sprung)),
                "the rear drums hold what the formula's bed of springs lets tip",
            )
        },
    )


def pull(case: CrawlerCase) -> Check:
    """Return the check of the drawbar pull."""
    return Check(
        form="drawbar pull",
        truth=case.friction * case.weight,
        measure=lambda: rigs.pull(case),
        relative=0.05,
        case=case.table_cells,
        unit="N",
    )


def work(case: CrawlerCase) -> Check:
    """Return the check of the work on a slope relative to the potential energy gained."""
    return Check(
        form="work less losses over potential energy",
        truth=1.0,
        measure=lambda: rigs.climbing_work(case, SLOPE),
        relative=0.05,
        case=case.table_cells,
    )


def creep(kind: str, timestep: float = STANDARD_STEP, seconds: float = 3.0) -> Check:
    """Return the check of a parked robot's creep on a slope of 20 deg."""
    slope_deg = float(degrees(SLOPE))
    ground = (Flat(friction=0.7, slope_deg=slope_deg),)
    return Check(
        form="parking creep",
        truth=0.0,
        measure=lambda: rigs.creep_mm_per_minute(
            Rig(kind, {}, ground, timestep, pitch_deg=-slope_deg), seconds
        ),
        most=0.5,
        case={"belts": kind, "friction": 0.7, "step_ms": milliseconds(timestep)},
        unit="mm/min",
    )


def drops(kinds: tuple[str, ...], timesteps: tuple[float, ...]) -> Iterator[Check]:
    """Yield the checks of the rebound from a drop of 0.1 m."""
    for kind in kinds:
        for timestep in timesteps:
            yield Check(
                form="rebound from 100 mm",
                truth=0.0,
                measure=partial(_rebound, kind, timestep),
                most=10.0,
                case={"belts": kind, "friction": 0.6, "step_ms": milliseconds(timestep)},
                unit="mm",
            )


def _rebound(kind: str, timestep: float) -> float:
    return rigs.rebound_mm(Rig(kind, {}, (Flat(friction=0.6),), timestep, height=0.1))


def _flight(case: CrawlerCase, number: int) -> float:
    return rigs.flight(case)[number]


def flights(case: CrawlerCase) -> Iterator[Check]:
    """Yield the checks of energy and angular momentum of a body in flight."""
    for number, quantity in enumerate(("energy", "angular momentum")):
        yield Check(
            form=f"{quantity} in flight",
            truth=1.0,
            measure=partial(_flight, case, number),
            relative=0.005,
            case=case.table_cells,
        )


def sliding(law: SlipLaw, start: float) -> Check:
    """Return the check of the distance in which a body stops whose friction falls with slip."""
    return Check(
        form="stopping distance",
        truth=truth.stopping_distance(start, law.at, rigs.GRAVITY),
        measure=lambda: rigs.sliding_distance(law, start),
        relative=0.06,
        case={
            "belts": f"plate at {start:g} m/s",
            "friction": f"{law.static:g} to {law.kinetic:g} at {law.speed:g} m/s",
            "step_ms": 1.0,
        },
        unit="m",
    )


def drag_rise(shape: Any) -> Check:
    """Return the check of the rise of a dragged body."""
    return Check(
        form="rise of what is dragged",
        truth=0.0,
        measure=lambda: rigs.dragged_height_mm(shape, friction=1.0, speed=0.2),
        most=0.11,
        case={"belts": shape, "friction": 1.0, "step_ms": 1.0},
        unit="mm",
    )
