"""Results of a sweep file in the terminal, as JSON and as a page with maps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from rich.text import Text

from grouser.cli.terminal import command_line, plain_table, result_console
from grouser.reports.page import Page
from grouser.reports.sweep_plots import crosses_half, effect, parameter_map
from grouser.reports.table import json_value
from grouser.sweeps.optimise import Optimum
from grouser.sweeps.run import SweepResult
from grouser.sweeps.summary import Effect, Estimate, ParameterMap, Summary

MOST_CELLS = 150
"""Largest map whose cells are listed in the page."""


def interval_text(found: Estimate) -> str:
    """Return an estimate with its interval and number of runs."""
    runs = "1 run" if found.runs == 1 else f"{found.runs} runs"
    return f"{found.value:.3g} ({found.low:.3g} to {found.high:.3g}), {runs}"


def measured_name(summary: Summary) -> str:
    """Return the name of the measured column on axes."""
    return f"probability of {summary.column}" if summary.is_share else f"mean {summary.column}"


def print_sweep(result: SweepResult, optimum: Optimum | None) -> None:
    """Print the estimate over all runs, the main effects and the best point."""
    summary, console = Summary(result), result_console()
    console.print(
        Text.assemble((measured_name(summary), "bold"), ": ", interval_text(summary.total))
    )
    table = plain_table("parameter", "least", "at", "most", "at")
    for one in summary.main_effects():
        table.add_row(one.parameter, *map(Text, _extremes(one)))
    console.print(table)
    if optimum is not None:
        point = ", ".join(f"{name} {_value_text(value)}" for name, value in optimum.point.items())
        console.print(f"best {optimum.column}: {optimum.value:.4g} at {point}", soft_wrap=True)


def _extremes(one: Effect) -> list[str]:
    order = sorted(range(len(one.values)), key=lambda i: one.estimates[i].value)
    ends = [order[0], order[-1]]
    return [
        text for i in ends for text in (f"{one.estimates[i].value:.3g}", _value_text(one.values[i]))
    ]


def _value_text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def sweep_json(result: SweepResult, optimum: Optimum | None) -> dict[str, Any]:
    """Return the summary as JSON values: total, main effects, maps, marks, best point."""
    summary = Summary(result)
    best = None
    if optimum is not None:
        best = {"column": optimum.column, "value": optimum.value, "point": optimum.point}
    content = {
        "name": result.sweep.name,
        "runs": len(result.rows),
        "measure": summary.column,
        "total": _estimate_json(summary.total),
        "effects": [
            {
                "parameter": one.parameter,
                "values": list(one.values),
                "estimates": [_estimate_json(found) for found in one.estimates],
            }
            for one in summary.main_effects()
        ],
        "maps": [_map_json(one) for one in summary.maps()],
        "marks": [
            {**dict(zip(("at", "text", "measured"), row, strict=True))}
            for row in mark_rows(result, summary)
        ],
        "best": best,
    }
    found: dict[str, Any] = json_value(content)
    return found


def _estimate_json(found: Estimate) -> dict[str, float]:
    return {"value": found.value, "low": found.low, "high": found.high, "runs": found.runs}


def _map_json(one: ParameterMap) -> dict[str, Any]:
    def cells(array: Any) -> list[list[float | None]]:
        return [[float(x) if np.isfinite(x) else None for x in row] for row in array]

    return {
        "x": one.x,
        "y": one.y,
        "fixed": one.fixed,
        "xs": list(one.xs),
        "ys": list(one.ys),
        "value": cells(one.value),
        "low": cells(one.low),
        "high": cells(one.high),
        "runs": one.runs.tolist(),
    }


def mark_rows(result: SweepResult, summary: Summary) -> list[tuple[str, str, str]]:
    """Return position, text and measured value of every mark that is on a map."""
    rows = []
    for one in summary.maps():
        for x, y, text in marks_on(result, one):
            found = summary.cell(one, x, y)
            fixed = [f"{name} {_value_text(value)}" for name, value in one.fixed.items()]
            place = ", ".join([*fixed, f"{one.x} {x:g}", f"{one.y} {y:g}"])
            rows.append((place, text, interval_text(found) if found else "no run"))
    return rows


def marks_on(result: SweepResult, one: ParameterMap) -> list[tuple[float, float, str]]:
    """Return the marks of the file on a map: x, y, text."""
    found = []
    for mark in result.sweep.marks:
        at = mark.at
        here = all(at.get(name, value) == value for name, value in one.fixed.items())
        if here and one.x in at and one.y in at:
            found.append((float(at[one.x]), float(at[one.y]), mark.text))
    return found


def sweep_page(result: SweepResult, optimum: Optimum | None) -> Page:
    """Return the page with maps, main effects and marks."""
    summary = Summary(result)
    measured = measured_name(summary)
    page = Page(
        result.sweep.name or result.table.parent.name,
        above=f"sweep of {len(result.rows)} runs",
        verdict=f"{measured} {interval_text(summary.total)}",
        command=command_line(),
    )
    if optimum is not None:
        point = {name: _value_text(value) for name, value in optimum.point.items()}
        page.add_figures({f"best_{optimum.column}": optimum.value, **point})
    for one in summary.maps():
        _add_map(page, result, summary, one)
    if rows := mark_rows(result, summary):
        page.add_heading("Points of reference")
        page.add_rows(("point", "reference", measured), rows)
    page.add_heading("Main effects")
    page.add_text("Each value is an estimate over all other parameters, with a 95 % interval.")
    for one_effect in summary.main_effects():
        ends = [(found.value, found.low, found.high) for found in one_effect.estimates]
        figure = effect(
            [v if isinstance(v, str) else float(v) for v in one_effect.values],
            np.array(ends),
            label=one_effect.parameter,
            measured=measured,
            share=summary.is_share,
        )
        page.add_plot(figure, f"{one_effect.parameter}: differences up to {one_effect.size:.3g}")
    return page


def _add_map(page: Page, result: SweepResult, summary: Summary, one: ParameterMap) -> None:
    """Add a map, and its cells as a table if they are few."""
    fixed = ", ".join(f"{name} {_value_text(value)}" for name, value in one.fixed.items())
    page.add_heading(f"{one.y} over {one.x}" + (f", {fixed}" if fixed else ""))
    xs, ys = [float(x) for x in one.xs], [float(y) for y in one.ys]
    figure = parameter_map(
        xs,
        ys,
        one.value,
        bounds=(one.low, one.high) if summary.is_share else None,
        marks=marks_on(result, one),
        labels=(one.x, one.y, measured_name(summary)),
    )
    caption = f"{int(one.runs.sum())} runs, {int(one.runs.max())} in a cell at most"
    if summary.is_share and crosses_half(one.value):
        caption += "; solid: 50 %"
    if summary.is_share and (crosses_half(one.low) or crosses_half(one.high)):
        caption += "; dashed: 50 % of the ends of the 95 % intervals"
    page.add_plot(figure, caption)
    if one.value.size <= MOST_CELLS:
        rows = [
            (f"{ys[j]:g}", f"{xs[i]:g}", _cell(one, j, i))
            for j in range(len(ys))
            for i in range(len(xs))
            if one.runs[j, i]
        ]
        page.add_rows((one.y, one.x, measured_name(summary)), rows)


def _cell(one: ParameterMap, j: int, i: int) -> str:
    ends = (float(one.value[j, i]), float(one.low[j, i]), float(one.high[j, i]))
    return interval_text(Estimate(*ends, int(one.runs[j, i])))


def write_page(result: SweepResult, optimum: Optimum | None, folder: Path) -> Path:
    """Write the page and return its path."""
    return sweep_page(result, optimum).write(folder)
