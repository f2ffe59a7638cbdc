"""What a plan found, as lines on a terminal and as JSON."""

from __future__ import annotations

import math
from typing import Any

from rich.table import Table

from grouser.frames import millimetres
from grouser.trials.path_record import PathRecord
from grouser.trials.plan import PlanResult

HEADER = (
    "path",
    "found by",
    "length m",
    "clearance mm",
    "arrived",
    "energy J",
    "signed work J",
    "J per success",
)
SHOWN = 8
"""Candidates on a terminal; JSON and the page have all."""


def record_cells(record: PathRecord) -> tuple[str, ...]:
    """Return a candidate's row under `HEADER`."""
    works = record.works
    return (
        str(record.number),
        f"{record.source}, round {record.found_in}",
        f"{record.path.length:.2f}",
        f"{millimetres(record.path.clearance):.0f}",
        f"{record.successes} of {record.driven}",
        _number(record.energy),
        _number(sum(works) / len(works) if works else None),
        _number(record.energy_per_success),
    )


def candidate_table(result: PlanResult) -> Table:
    """Return the best candidates, best first, as a table for a terminal."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for number, name in enumerate(HEADER):
        table.add_column(name, justify="left" if number == 1 else "right")
    ranked = sorted(result.records, key=lambda record: (record.score, record.number))
    for record in [record for record in ranked if record.driven][:SHOWN]:
        table.add_row(*record_cells(record))
    return table


def best_lines(result: PlanResult) -> list[str]:
    """Return the verdict: a sentence, and then what it rests on."""
    best = result.best
    if best is None:
        return [f"{result.ended}: no trial was over yet"]
    low, high = best.success_interval
    first = (
        f"Path {best.number} ({best.source}, round {best.found_in}): {best.path.length:.2f} m, "
        f"arrives with {100 * best.success:.0f} % ({100 * low:.0f}-{100 * high:.0f} %)"
    )
    if best.energy is not None:
        between = best.energy_interval
        range_text = f" ({between[0]:.3g}-{between[1]:.3g} J)" if between else ""
        first += f", for {best.energy:.3g} J{range_text}"
    lines = [f"{first}."]
    lines.append(
        f"Chosen from {len(result.records)} paths by the energy spent per success, failures "
        f"included, over {result.driven} trials; intervals are 95 %, of this path's trials "
        f"({best.driven}). A best of many flatters itself a little."
    )
    if result.ended:
        lines.append(f"Cut short ({result.ended}): this is the best so far.")
    return lines


def plan_json(result: PlanResult) -> dict[str, Any]:
    """Return everything for programs: SI units, None for what is not known."""
    best, task, settings = result.best, result.task, result.settings
    return {
        "world": task.course.world.name,
        "robot": task.course.robot,
        "from": list(task.start),
        "to": list(task.goal),
        "within": task.course.goal.within,
        "bounds": list(task.bounds),
        "planner": settings.planner,
        "seed": settings.seed,
        "candidates": settings.candidates,
        "trials": settings.trials,
        "rounds": len(result.rounds),
        "draws": str(settings.spread),
        "ended": result.ended or None,
        "no_path": result.no_path or None,
        "best": best.number if best else None,
        "paths": [_record_json(record) for record in result.records],
    }


def _record_json(record: PathRecord) -> dict[str, Any]:
    between = record.energy_interval
    return {
        "path": record.number,
        "found_by": record.source,
        "round": record.found_in,
        "waypoints": record.path.waypoints.round(4).tolist(),
        "length": record.path.length,
        "clearance": record.path.clearance,
        "trials": record.driven,
        "successes": record.successes,
        "success": record.success if record.driven else None,
        "success_95": list(record.success_interval),
        "verdicts": record.verdicts(),
        "energy": record.energy,
        "energy_95": list(between) if between else None,
        "signed_work": sum(record.works) / len(record.works) if record.works else None,
        "energy_per_success": _finite(record.energy_per_success),
        "expected_energy_per_success": _finite(record.score),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _number(value: float | None) -> str:
    return "-" if value is None or not math.isfinite(value) else f"{value:.3g}"
