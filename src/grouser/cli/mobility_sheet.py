"""The mobility sheet: one page, a card with a picture for every apparatus."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco

from grouser.cli.mobility_table import VERDICT_WORDS, conditions, limit_lines, result_marks
from grouser.mobility.limits import Limit
from grouser.mobility.parallel_map import Progress, map_on_all_cores
from grouser.mobility.suite import Candidate, MobilityRun, apparatus_named
from grouser.rendering.image import Image
from grouser.rendering.renderer import Renderer
from grouser.rendering.viewpoint import Viewpoint
from grouser.reports.page import Card, Page
from grouser.simulation.simulation import Simulation
from grouser.trials.replay import replay_trial

WIDTH, HEIGHT = 480, 320
"""Of a picture, pixels."""


def mobility_page(
    who: Candidate,
    tests: Sequence[str],
    runs: Sequence[MobilityRun],
    limits: Sequence[Limit],
    *,
    command: str,
    progress: Progress | None = None,
) -> Page:
    """Return the page about ``tests`` of ``who``, with its ``runs`` and ``limits``."""
    passed = sum(run.passed for run in runs)
    page = Page(
        f"Mobility of {who.name}",
        above="What it can get over, and what it cannot",
        verdict=f"{passed} of {len(runs)} runs passed" if runs else f"{who.name} {who.cannot}",
        command=command,
    )
    page.add_figures(conditions(who))
    pictures = _pictures(who, [pictured_run(runs, test) for test in tests if runs], progress)
    page.add_cards(_card(who, test, runs, pictures, limits) for test in tests)
    return page


def pictured_run(runs: Sequence[MobilityRun], test: str) -> MobilityRun:
    """Return the run that is pictured: the largest size passed, or else the smallest failed."""
    mine = sorted((run for run in runs if run.test == test), key=lambda run: run.size)
    return next((run for run in reversed(mine) if run.passed), mine[0])


def _card(
    who: Candidate,
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
        marks=result_marks(who, test, runs),
        words=[*lines, apparatus.about],
        picture=picture,
        caption=caption,
    )


def _pictures(
    who: Candidate, runs: Sequence[MobilityRun], progress: Progress | None
) -> dict[str, tuple[Image, str]]:
    """Play the runs again up to their most telling moments and draw those."""
    played = map_on_all_cores(_moment, runs, progress=progress)
    drawn = {}
    with Renderer(WIDTH, HEIGHT) as renderer:
        for run, simulation in zip(runs, played, strict=True):
            apparatus, verdict = apparatus_named(run.test), VERDICT_WORDS[run.outcome.verdict]
            caption = f"{run.size:g} {apparatus.unit}, {verdict}"
            end = apparatus.at(run.size).end
            drawn[run.test] = _draw(renderer, who, simulation, end), caption
    return drawn


def _moment(run: MobilityRun) -> Simulation:
    """Return the simulation when the robot is in the middle of it, or where it ended."""
    course = apparatus_named(run.test).at(run.size)
    middle = float(course.X_WS.apply((course.end / 2 - 0.1, 0, 0))[0])
    for simulation in replay_trial(run.outcome.trial):
        there = simulation.pose(run.outcome.trial.robot).position[0] >= middle
        if (run.passed and there) or simulation.time >= run.outcome.time - 1e-9:
            break
    return simulation


def _draw(renderer: Renderer, who: Candidate, simulation: Simulation, end: float) -> Image:
    """Return the robot seen from behind on its right, with ``end`` metres of apparatus."""
    x, y, z = simulation.pose(who.name).position.tolist()
    simulation.live.update_places()
    mujoco.mj_comPos(simulation.model, simulation.data)
    mujoco.mj_camlight(simulation.model, simulation.data)
    length = who.front + who.rear
    view = Viewpoint((x + 0.1 * length, y, z), 1.9 * max(length, 0.7) + 0.3 * end, 55.0, -20.0)
    return renderer.picture(simulation.model, simulation.data, view)
