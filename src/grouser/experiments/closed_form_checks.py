"""Rows of `closed_forms`: each one's truth, how ours is measured, how near it must be.

Where a formula's assumption may or may not be ours (edges between bars or on their tips, rigid
ground or springs), one measurement is held to several truths, a row each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from grouser.evaluation import closed_forms as truth
from grouser.experiments import closed_form_rigs as rigs
from grouser.experiments.closed_form_rigs import CrawlerCase, Rig
from grouser.frames import degrees, millimetres, radians
from grouser.physics.compliance import SINK
from grouser.reports.table import Row
from grouser.robots.kenaf import TRACK_Y as KENAF_Y
from grouser.robots.packbot import GAUGE as PACKBOT_GAUGE
from grouser.robots.quince import TRACK_Y as QUINCE_Y
from grouser.world.terrain.flat import Flat

GAUGES = {"packbot": PACKBOT_GAUGE, "quince": 2 * QUINCE_Y, "kenaf": 2 * KENAF_Y}
SLOPE = radians(20)
SLOW, FAST = 0.5, 1.5
"""rad/s."""
STANDARD_STEP = 0.001
"""s."""

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
    note: str = ""
    """What is known of a disagreement."""
    also: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    """Closed forms of other assumptions → their truth and a note."""

    def rows(self) -> list[Row]:
        """Measure once and judge by every truth."""
        measured = self.measure()
        others = [
            replace(self, form=form, truth=truth, note=note)
            for form, (truth, note) in self.also.items()
        ]
        return [check.judge(measured) for check in (self, *others)]

    def judge(self, measured: float | tuple[float, float]) -> Row:
        """Return the row of what was measured."""
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
            "" if agrees else self.note,
        )


def turning(case: CrawlerCase, rate: float) -> Check:
    """Return the turn in place of even pressure on two lines, or of equal loads on wheels."""
    return Check(
        form="turning in place",
        truth=_turning(case),
        measure=lambda: rigs.turning(case.stand(), rate),
        relative=0.10 if rate < FAST else 0.15,
        case=case.described | {"rad/s": rate},
    )


def _turning(case: CrawlerCase) -> float:
    if case.belts != "wheels":
        return truth.turning_ratio(case.length / case.gauge)
    along = np.linspace(-case.length / 2, case.length / 2, case.wheels)
    sides = (case.gauge / 2, -case.gauge / 2)
    points = np.array([(x, y) for y in sides for x in along])
    return truth.turning_ratio_of(points, np.ones(len(points)), gauge=case.gauge)


def own_turning(kind: str, timestep: float = STANDARD_STEP) -> Check:
    """Return the turn in place of a robot's own pressure: as its belts roll on, and as put down."""

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
        case={"belts": kind, "friction": 0.6, "step_ms": 1000 * timestep, "rad/s": SLOW},
        also={
            "turning in place, pressure as put down": (
                put_down,
                "other grousers carry as soon as its belts move",
            )
        },
    )


def step_limit(case: CrawlerCase, runs: int) -> Check:
    """Return the highest step: by balance, by grip, with the edge between bars or on their tips."""
    limited = partial(truth.step_limit, radius=case.radius, x=case.x, z=case.centre_z)
    balance, pitch = limited(), truth.step_pitch(radius=case.radius, x=case.x, z=case.centre_z)
    if case.belts == "grousers":
        bars = truth.Bars(height=rigs.BAR[1], tip_radius=rigs.BAR[0] / 2, pitch=case.bar_pitch)
        why = "bars this far apart let the edge in between"
        forms = [("edge between bars", limited(bars=bars), ""), ("edge on the tips", balance, why)]
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
        case=case.described,
        unit="mm",
        note=note,
        also={
            f"step limit, {name}": (float(millimetres(limit)), note)
            for name, limit, note in forms[1:]
        },
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


def tip_back(case: CrawlerCase) -> Check:
    """Return the slope on which it tips over backwards: if it were rigid, and on springs alone."""
    size = {"radius": case.radius, "x": case.x, "z": case.centre_z}
    rigid = float(degrees(truth.tip_back_angle(**size)))
    sprung = truth.tip_back_angle_on_springs(**size, axle_distance=case.length, sink=SINK)
    return Check(
        form="tip-back angle",
        truth=rigid,
        measure=lambda: rigs.tip_back_deg(case, rigid),
        relative=0.05,
        case=case.described,
        unit="deg",
        also={
            "tip-back angle, springs without drums": (
                float(degrees(sprung)),
                "the rear drums hold what the formula's bed of springs lets tip",
            )
        },
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


def creep(kind: str, timestep: float = STANDARD_STEP, seconds: float = 3.0) -> Check:
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


def flights(case: CrawlerCase) -> Iterator[Check]:
    """Yield energy and angular momentum of a body in flight."""
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
