"""What a robot can get over, as lines on a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grouser.cli.robot_card import left_out, left_out_text
from grouser.frames import milliseconds
from grouser.mobility.limits import FreshRuns, Limit
from grouser.mobility.pass_curve import PassCount, SizeEstimate
from grouser.mobility.suite import Candidate, MobilityRun, apparatus_named
from grouser.reports.page import Mood
from grouser.reports.table import json_value

VERDICT_WORDS = {
    "arrived": "passed",
    "stuck": "stuck",
    "tipped": "tipped over",
    "fell": "fell down",
    "out of time": "out of time",
    "diverged": "diverged",
}
"""What people call a verdict."""

DOUBT = "do not trust it"
"""Said of a limit that fresh runs do not bear out."""

_COLOURS: dict[Mood, str] = {"good": "green", "bad": "red", "open": "dim"}


def print_mobility(
    who: Candidate,
    tests: Sequence[str],
    runs: Sequence[MobilityRun],
    limits: Sequence[Limit],
    console: Console,
) -> None:
    """Print a line per test, and two more per limit."""
    console.print(Text.assemble(("mobility of ", "dim"), (who.name, "bold cyan")), "", sep="\n")
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("test", "varied", "results"):
        grid.add_column(Text(heading, "bold"), no_wrap=heading != "results")
    for test in tests:
        name, varied = Text(test), Text(apparatus_named(test).varied, "dim")
        results = [Text(text, _COLOURS[mood]) for text, mood in result_marks(who, test, runs)]
        if results:
            grid.add_row(name, varied, Text(", ").join(results))
            name = varied = Text()
        for line in (line for limit in limits if limit.test == test for line in limit_lines(limit)):
            grid.add_row(name, varied, Text(line))
            name = varied = Text()
    console.print(grid, "", sep="\n")
    if unsaid := left_out(who.kind, who.options):
        console.print(Text(f"left to defaults: {left_out_text(unsaid)}", "dim"), "", sep="\n")


def result_marks(who: Candidate, test: str, runs: Sequence[MobilityRun]) -> list[tuple[str, Mood]]:
    """Return every size of ``test`` with its result, and whether there is none to be passed."""
    if who.cannot:
        return [(who.cannot, "open")]
    mine = [run for run in runs if run.test == test]
    unit = apparatus_named(test).unit
    shown: list[tuple[str, Mood]] = [
        (
            f"{run.size:g} {unit} {VERDICT_WORDS[run.outcome.verdict]}",
            "good" if run.passed else "bad",
        )
        for run in mine
    ]
    nothing: list[tuple[str, Mood]] = [("cannot", "open")]
    return shown + (nothing if mine and not any(run.passed for run in mine) else [])


def limit_lines(limit: Limit) -> list[str]:
    """Return what was found about a limit, a line each."""
    if limit.no_estimate_text:
        return [f"{limit.no_estimate_text} ({len(limit.brackets)} repetitions)"]
    unit = apparatus_named(limit.test).unit
    estimates = ((50, limit.pass_50, limit.checked_50), (95, limit.pass_95, limit.checked_95))
    return [
        f"{percent} % pass at {estimate.value:.4g} {unit} "
        f"({estimate.low:.4g} to {estimate.high:.4g}), {_fresh(check)}"
        for percent, estimate, check in estimates
        if estimate and check
    ]


def _fresh(check: FreshRuns) -> str:
    """Return how many fresh runs passed; beside how many should have, if those are others."""
    text = f"fresh runs there: {check.share}"
    low, high = check.expected
    return text if check.explained else f"{text}, not {low} to {high}: {DOUBT}"


def conditions(who: Candidate) -> dict[str, object]:
    """Return under what conditions ``who`` was tested, by name."""
    options = ", ".join(f"{name} {value}" for name, value in who.options.items())
    return {
        "speed_m/s": who.speed,
        "time_step_ms": milliseconds(who.timestep),
        "friction": who.friction,
        "flippers": "used" if who.flippers else "not used",
        "options": options or "as they are",
    }


def to_json(
    who: Candidate, runs: Sequence[MobilityRun], limits: Sequence[Limit], seed: int
) -> dict[str, Any]:
    """Return everything as plain JSON values."""
    return {
        "robot": who.name,
        "options": json_value(who.options),
        "cannot": who.cannot or None,
        "speed_m_s": who.speed,
        "timestep_s": who.timestep,
        "flippers": who.flippers,
        "seed": seed,
        "runs": [_run(run) for run in runs],
        "limits": [_limit(limit) for limit in limits],
    }


def _run(run: MobilityRun) -> dict[str, Any]:
    return {
        "test": run.test,
        "varied": apparatus_named(run.test).varied,
        "size": run.size,
        "unit": apparatus_named(run.test).unit,
        "passed": run.passed,
        "verdict": run.outcome.verdict,
        "time_s": round(run.outcome.time, 3),
        "effort_j": json_value(run.outcome.effort),
    }


def _limit(limit: Limit) -> dict[str, Any]:
    apparatus = apparatus_named(limit.test)
    return {
        "test": limit.test,
        "varied": apparatus.varied,
        "unit": apparatus.unit,
        "repeats": len(limit.brackets),
        "pass_50": _estimate(limit.pass_50, limit.checked_50),
        "pass_95": _estimate(limit.pass_95, limit.checked_95),
        "words": limit.no_estimate_text or None,
        "largest_passed_smallest_failed": json_value(limit.brackets),
        "share_by_size": [{"size": s, **_share(limit.share(s))} for s in apparatus.sizes],
    }


def _estimate(estimate: SizeEstimate | None, fresh: FreshRuns | None) -> dict[str, Any] | None:
    if estimate is None or fresh is None:
        return None
    return {
        "size": estimate.value,
        "interval": [estimate.low, estimate.high],
        "fresh": {
            **_share(fresh.share),
            "expected": list(fresh.expected),
            "explained": fresh.explained,
        },
    }


def _share(share: PassCount) -> dict[str, Any]:
    return {"passed": share.passed, "of": share.of, "interval": list(share.interval())}
