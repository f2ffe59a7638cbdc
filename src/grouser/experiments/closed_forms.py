"""What statics says of crawlers, ours beside it: turning, steps, walls, slopes, pull, work, drops.

The crawlers are in no paper and nobody tuned anything to them; PackBot, Quince and Kenaf are held
to the pressure that they themselves stand with. Each row says the truth, ours, their ratio and
whether they agree within that row's tolerance. docs/explanation/closed-forms.md explains them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from grouser.cores import parallel_map
from grouser.experiments.closed_form_checks import (
    FAST,
    GAUGES,
    SLOW,
    Check,
    creep,
    dragged,
    drops,
    flights,
    own_turning,
    pull,
    slip,
    step_limit,
    tip_back,
    turning,
    wall,
    work,
)
from grouser.experiments.closed_form_climb import add_climb
from grouser.experiments.closed_form_pressure import add_pressure
from grouser.experiments.closed_form_rigs import CrawlerCase
from grouser.experiments.run_options import RunOptions
from grouser.reports.report import Report
from grouser.reports.table import Table

SHAPES = {0.5: (0.30, 0.60), 1.0: (0.40, 0.40), 1.25: (0.45, 0.36), 1.5: (0.45, 0.30)} | {
    1.75: (0.49, 0.28),
    2.0: (0.50, 0.25),
}
"""Length over gauge → both, m."""
QUICK_SHAPES = (1.0, 2.0)
TIMESTEPS = (0.001, 0.0005)
FRICTIONS = (0.5, 1.0)
GRIPS = (1.5, 0.9)
"""Friction that holds on the edge at every pitch, so that balance ends a climb; and less."""
DENSE = 0.012
"""m from bar to bar: too near for an edge to lie on the bare belt between them."""
CENTRES = (0.05, 0.15)
"""m; centres of mass over the axles, of crawlers that tip back."""


def run(options: RunOptions) -> Report:
    """Measure every row and compare."""
    checks = list(_quick() if options.quick else _all())
    measured = parallel_map(
        Check.rows, checks, progress=lambda done, of: options.progress("closed forms", done, of)
    )
    rows = [row for mine in measured for row in mine]
    forms = dict.fromkeys(row.case["closed form"] for row in rows)
    figures: dict[str, float | int | str | bool | None] = {
        form: f"{sum(bool(row.agrees) for row in mine)} of {len(mine)}"
        for form in forms
        for mine in [[row for row in rows if row.case["closed form"] == form]]
    }
    # One line each below the table: as a column they would leave no room for the numbers.
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
    yield dragged("sphere")
    yield dragged("box")
