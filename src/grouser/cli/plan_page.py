"""The page about a plan: verdict, candidates by energy, driven against planned, the cost map."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import mujoco

from grouser.cli.plan_table import HEADER, best_lines, record_cells
from grouser.errors import MissingDependency
from grouser.frames import degrees
from grouser.rendering.image import Image
from grouser.rendering.renderer import Renderer
from grouser.rendering.video import Video
from grouser.rendering.viewpoint import Viewpoint
from grouser.reports import plan_plots
from grouser.reports.page import Page
from grouser.simulation.simulation import Simulation
from grouser.trials.path_record import PathRecord
from grouser.trials.plan import PlanResult
from grouser.trials.replay import replay_trial
from grouser.trials.trial import Outcome

WIDTH, HEIGHT = 480, 320
"""Of a film, pixels."""
FRAMES = 110
"""Of a film, about: a crossing of half a minute in nine seconds."""
FPS = 12

Told = Callable[[str], None]
"""Told what is being drawn."""


def plan_page(result: PlanResult, *, command: str, told: Told, films: bool = True) -> Page:
    """Return the page; ``films`` need OpenGL, without which there are none."""
    task, best, worst = result.task, result.best, result.worst
    page = Page(
        f"The way over {task.course.world.name}",
        above=f"{task.course.robot}: {result.driven} trials of {len(result.records)} paths",
        verdict=best_lines(result)[0],
        command=command,
    )
    for line in best_lines(result)[1:]:
        page.add_text(line)
    validity = task.validity
    rows, columns = validity.height.shape
    x, y = validity.corner.tolist()
    extent = (x, x + (columns - 1) * validity.step, y, y + (rows - 1) * validity.step)
    ground = (validity.height, validity.anywhere, extent)
    paths = [record.path.waypoints for record in result.records]
    if best is None or worst is None:
        return page
    if films:
        told("the world")
        with suppress(MissingDependency):
            page.add_picture(_still(best), "The world; the robot is half-way along the best path.")
    page.add_heading("Candidates")
    told("candidates")
    energies = [record.energy for record in result.records]
    page.add_plot(
        plan_plots.candidates(*ground, paths, energies, best.number),
        "Every candidate, coloured by the mean energy of its successes; dashed: it never arrived; "
        "thick: the best; red: the robot cannot stand there.",
    )
    page.add_heading("Driven against planned")
    for name, record in (("best", best), ("worst", worst)):
        told(f"the {name}")
        page.add_plot(
            plan_plots.driven(
                *ground,
                record.path.waypoints,
                [outcome.positions[:, :2] for outcome in record.outcomes],
                [outcome.arrived for outcome in record.outcomes],
            ),
            f"The {name} candidate, path {record.number}: planned black, driven blue; "
            f"{record.successes} of {record.driven} arrived.",
        )
        if films:
            with suppress(MissingDependency), tempfile.TemporaryDirectory() as folder:
                page.add_film(_film(_shown(record), Path(folder) / "film.webm"), _said(record))
    page.add_heading("What was learned")
    for turn in result.rounds:
        told(f"what was learned in round {turn.number}")
        page.add_plot(
            plan_plots.learned(
                turn.energy_per_metre,
                turn.failures_per_metre,
                turn.known,
                validity.anywhere,
                extent,
                result.records[turn.best].path.waypoints,
            ),
            f"After round {turn.number}: energy and failures per metre; pale: guessed from ground "
            "like it, not driven. The line is the best path so far.",
        )
    page.add_heading("All candidates")
    ranked = sorted(result.records, key=lambda record: (record.score, record.number))
    page.add_rows(HEADER, [record_cells(record) for record in ranked if record.driven])
    page.add_text(f"What trials of one path differ in: {result.settings.spread}.")
    return page


def _shown(record: PathRecord) -> Outcome:
    """Return the outcome that is filmed: of a good path a success, of a bad one a failure."""
    usual = record.successes * 2 >= record.driven
    return next(outcome for outcome in record.outcomes if outcome.arrived == usual)


def _said(record: PathRecord) -> str:
    outcome = _shown(record)
    return f"Path {record.number}, one of its trials: {outcome.verdict} after {outcome.time:.0f} s."


def _film(outcome: Outcome, path: Path) -> Path:
    """Film a trial, faster than it was, without shadows and smoothing."""
    every = max(1, round(len(outcome.times) / FRAMES))
    with Renderer(WIDTH, HEIGHT, shadows=False, smooth=False) as renderer, Video(path, FPS) as film:
        for number, simulation in enumerate(replay_trial(outcome.trial)):
            if number % every == 0:
                film.add(_look(renderer, simulation, outcome))
            if simulation.time >= outcome.time - 1e-9:
                break
    return path


def _still(record: PathRecord) -> Image:
    """Return a picture of the robot half-way along its path."""
    outcome = _shown(record)
    with Renderer(2 * WIDTH, 2 * HEIGHT) as renderer:
        for simulation in replay_trial(outcome.trial):
            if simulation.time >= outcome.time / 2:
                break
        return renderer.picture(*_places(simulation), simulation.view())


def _look(renderer: Renderer, simulation: Simulation, outcome: Outcome) -> Image:
    """Return the robot seen from behind, as large as a tenth of its way."""
    x, y, z = simulation.pose(outcome.trial.robot).position.tolist()
    ways = outcome.positions[-1, :2] - outcome.positions[0, :2]

    azimuth = degrees(math.atan2(float(ways[1]), float(ways[0])))
    distance = max(0.8, 0.35 * float((ways**2).sum()) ** 0.5)
    view = Viewpoint((x, y, z), distance, azimuth, -35.0)
    return renderer.picture(*_places(simulation), view)


def _places(simulation: Simulation) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Return model and state of a simulation, everything where it is now."""
    simulation.live.update_places()
    mujoco.mj_comPos(simulation.model, simulation.data)
    mujoco.mj_camlight(simulation.model, simulation.data)
    return simulation.model, simulation.data
