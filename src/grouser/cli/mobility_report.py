"""Mobility results as a table, as JSON and as a page with pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import mujoco
from rich.console import Console
from rich.text import Text

from grouser.cli.options import parse_numbers
from grouser.cli.robot_card import defaulted_options, options_text
from grouser.cli.terminal import counting_bar, plain_table, result_console, write_json
from grouser.cores import Progress, parallel_map
from grouser.frames import milliseconds
from grouser.mobility.energy_use import EnergyUse
from grouser.mobility.limits import FreshRuns, Limit
from grouser.mobility.pass_curve import PassCount, SizeEstimate
from grouser.mobility.routes import DrivenRoute, Route, drive_routes, routes_between_starts
from grouser.mobility.suite import Candidate, MobilityRun, apparatus_named
from grouser.rendering.image import Image
from grouser.rendering.renderer import Renderer
from grouser.rendering.viewpoint import Viewpoint
from grouser.reports.page import Card, Mood, Page
from grouser.reports.table import json_value
from grouser.simulation.simulation import Simulation
from grouser.trials.runner import Runner
from grouser.trials.simulation_lane import replay_trial
from grouser.world.file import load

VERDICT_WORDS = {
    "arrived": "passed",
    "stuck": "stuck",
    "tipped": "tipped over",
    "fell": "fell down",
    "out of time": "out of time",
    "diverged": "diverged",
}
"""Verdict -> displayed word."""

NOT_CONFIRMED = "not confirmed"
"""Mark of a limit that contradicts its fresh runs."""

_COLOURS: dict[Mood, str] = {"good": "green", "bad": "red", "open": "dim"}


def print_mobility(
    candidate: Candidate,
    tests: Sequence[str],
    runs: Sequence[MobilityRun],
    limits: Sequence[Limit],
    console: Console,
    use: EnergyUse | None = None,
) -> None:
    """Print one line per test and two per limit, and the energy use on level ground."""
    console.print(
        Text.assemble(("mobility of ", "dim"), (candidate.name, "bold cyan")), "", sep="\n"
    )
    grid = plain_table("test", "varied", no_wrap=True)
    grid.add_column(Text("results", "bold"))
    for test in tests:
        name, varied = Text(test), Text(apparatus_named(test).varied, "dim")
        results = [Text(text, _COLOURS[mood]) for text, mood in result_marks(candidate, test, runs)]
        if results:
            grid.add_row(name, varied, Text(", ").join(results))
            name = varied = Text()
        for line in (line for limit in limits if limit.test == test for line in limit_lines(limit)):
            grid.add_row(name, varied, Text(line))
            name = varied = Text()
    console.print(grid, "", sep="\n")
    if use is not None:
        console.print(Text(f"level ground: {use.line()}"), "", sep="\n")
    if defaults := defaulted_options(candidate.kind, candidate.options):
        console.print(Text(f"left to defaults: {options_text(defaults)}", "dim"), "", sep="\n")


def result_marks(
    candidate: Candidate, test: str, runs: Sequence[MobilityRun]
) -> list[tuple[str, Mood]]:
    """Return every size of ``test`` with its result, and "cannot" if none passed."""
    if candidate.cannot:
        return [(candidate.cannot, "open")]
    tested = [run for run in runs if run.test == test]
    unit = apparatus_named(test).unit
    shown: list[tuple[str, Mood]] = [
        (
            f"{run.size:g} {unit} {VERDICT_WORDS[run.outcome.verdict]}",
            "good" if run.passed else "bad",
        )
        for run in tested
    ]
    nothing: list[tuple[str, Mood]] = [("cannot", "open")]
    return shown + (nothing if tested and not any(run.passed for run in tested) else [])


def limit_lines(limit: Limit) -> list[str]:
    """Return the estimates of a limit, one line each."""
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
    """Return the passes of fresh runs, and the expected range if they are outside it."""
    text = f"fresh runs there: {check.share}"
    low, high = check.expected
    return text if check.explained else f"{text}, expected {low} to {high}: {NOT_CONFIRMED}"


def conditions(candidate: Candidate) -> dict[str, object]:
    """Return the test conditions of ``candidate`` by name."""
    options = ", ".join(f"{name} {value}" for name, value in candidate.options.items())
    return {
        "speed_m/s": candidate.speed,
        "time_step_ms": milliseconds(candidate.timestep),
        "friction": candidate.friction,
        "flippers": "used" if candidate.flippers else "not used",
        "options": options or "defaults",
    }


def to_json(
    candidate: Candidate,
    runs: Sequence[MobilityRun],
    limits: Sequence[Limit],
    seed: int,
    use: EnergyUse | None = None,
) -> dict[str, Any]:
    """Return all results as JSON values."""
    return {
        "robot": candidate.name,
        "options": json_value(candidate.options),
        "cannot": candidate.cannot or None,
        "speed_m_s": candidate.speed,
        "timestep_s": candidate.timestep,
        "flippers": candidate.flippers,
        "seed": seed,
        "level_ground": use.figures() if use else None,
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
        "electric_j": json_value(run.outcome.electric),
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


WIDTH, HEIGHT = 480, 320
"""Size of a picture, pixels."""


def mobility_page(
    candidate: Candidate,
    tests: Sequence[str],
    runs: Sequence[MobilityRun],
    limits: Sequence[Limit],
    progress: Progress | None = None,
    use: EnergyUse | None = None,
    *,
    command: str,
) -> Page:
    """Return the mobility sheet: one card with a picture per test."""
    passed = sum(run.passed for run in runs)
    page = Page(
        f"Mobility of {candidate.name}",
        above="Obstacles passed and failed",
        verdict=f"{passed} of {len(runs)} runs passed"
        if runs
        else f"{candidate.name} {candidate.cannot}",
        command=command,
    )
    page.add_figures({**conditions(candidate), **(use.figures() if use else {})})
    pictures = _pictures(candidate, [pictured_run(runs, test) for test in tests if runs], progress)
    page.add_cards(_card(candidate, test, runs, pictures, limits) for test in tests)
    return page


def pictured_run(runs: Sequence[MobilityRun], test: str) -> MobilityRun:
    """Return the run to render: the largest size passed, or else the smallest failed."""
    ordered = sorted((run for run in runs if run.test == test), key=lambda run: run.size)
    return next((run for run in reversed(ordered) if run.passed), ordered[0])


def _card(
    candidate: Candidate,
    test: str,
    runs: Sequence[MobilityRun],
    pictures: dict[str, tuple[Image, str]],
    limits: Sequence[Limit],
) -> Card:
    apparatus = apparatus_named(test)
    picture, caption = pictures.get(test, (None, ""))
    lines = [f"**{line}**" for limit in limits if limit.test == test for line in limit_lines(limit)]
    return Card(
        title=apparatus.title,
        marks=result_marks(candidate, test, runs),
        words=[*lines, apparatus.about],
        picture=picture,
        caption=caption,
    )


def _pictures(
    candidate: Candidate, runs: Sequence[MobilityRun], progress: Progress | None
) -> dict[str, tuple[Image, str]]:
    """Replay the runs and render each at its characteristic moment."""
    replayed = parallel_map(_moment, runs, progress=progress)
    pictures = {}
    with Renderer(WIDTH, HEIGHT) as renderer:
        for run, simulation in zip(runs, replayed, strict=True):
            apparatus, verdict = apparatus_named(run.test), VERDICT_WORDS[run.outcome.verdict]
            caption = f"{run.size:g} {apparatus.unit}, {verdict}"
            end = apparatus.at(run.size).end
            pictures[run.test] = _draw(renderer, candidate, simulation, end), caption
    return pictures


def _moment(run: MobilityRun) -> Simulation:
    """Return the simulation with the robot at the middle of the apparatus, or at the end."""
    course = apparatus_named(run.test).at(run.size)
    middle = float(course.X_WS.apply((course.end / 2 - 0.1, 0, 0))[0])
    for simulation in replay_trial(run.outcome.trial):
        there = simulation.pose(run.outcome.trial.robot).position[0] >= middle
        if (run.passed and there) or simulation.time >= run.outcome.time - 1e-9:
            break
    return simulation


def _draw(renderer: Renderer, candidate: Candidate, simulation: Simulation, end: float) -> Image:
    """Return a picture from behind right, with ``end`` metres of apparatus."""
    x, y, z = simulation.pose(candidate.name).position.tolist()
    simulation.state.update_kinematics()
    mujoco.mj_comPos(simulation.model, simulation.data)
    mujoco.mj_camlight(simulation.model, simulation.data)
    length = candidate.front + candidate.rear
    view = Viewpoint((x + 0.1 * length, y, z), 1.9 * max(length, 0.7) + 0.3 * end, 55.0, -20.0)
    return renderer.picture(simulation.model, simulation.data, view)


def mobility_on_ways(
    robot: str,
    options: Mapping[str, Any],
    world_name: str,
    texts: Sequence[str],
    json_file: Path | None,
    runner: Runner | None,
) -> None:
    """Drive a robot along straight lines through a world; print and write the results."""
    world = load(world_name)
    ways = [_way(text) for text in texts] or routes_between_starts(world)
    with counting_bar(robot) as bar:
        driven = drive_routes(
            robot, options, world, ways, runner=runner, progress=partial(bar, "driving")
        )
    _print(robot, world.name, driven)
    if json_file is not None:
        write_json(json_file, {"robot": robot, "world": world.name, "ways": _json(driven)})


def _way(text: str) -> Route:
    x, y, to_x, to_y = parse_numbers("--way", text, 4, example="0,0,1.5,0 (from x,y to x,y)")
    return Route((x, y), (to_x, to_y))


def _print(robot: str, world: str, driven: Sequence[DrivenRoute]) -> None:
    console = result_console()
    title = Text.assemble(("mobility of ", "dim"), (robot, "bold cyan"), (f" in {world}", "dim"))
    console.print(title, "", sep="\n")
    grid = plain_table("way [m]", "length [m]", "result", "time [s]", no_wrap=True)
    for run in driven:
        word = VERDICT_WORDS[run.outcome.verdict]
        where = "" if run.passed else f", {run.rest:.2f} m before its end"
        result = Text(word + where, "green" if run.passed else "red")
        grid.add_row(str(run.route), f"{run.route.length:.2f}", result, f"{run.outcome.time:.1f}")
    console.print(grid, "", sep="\n")


def _json(driven: Sequence[DrivenRoute]) -> list[dict[str, Any]]:
    return [
        {
            "from": list(run.route.start),
            "to": list(run.route.end),
            "passed": run.passed,
            "verdict": run.outcome.verdict,
            "time_s": round(run.outcome.time, 3),
            "rest_m": round(run.rest, 3),
        }
        for run in driven
    ]
