"""Result of a plan as a table, as JSON and as a page with plots and videos."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import mujoco
from rich.table import Table

from grouser.errors import MissingDependency
from grouser.frames import degrees, millimetres
from grouser.rendering.image import Image
from grouser.rendering.renderer import Renderer
from grouser.rendering.video import Video
from grouser.rendering.viewpoint import Viewpoint
from grouser.reports import plan_plots
from grouser.reports.page import Page
from grouser.simulation.simulation import Simulation
from grouser.trials.plan import PathRecord, PlanResult
from grouser.trials.simulation_lane import replay_trial
from grouser.trials.trial import Outcome

HEADER = (
    "path",
    "found by",
    "length m",
    "clearance mm",
    "arrived",
    "energy J",
    "signed work J",
    "electric J",
    "J per success",
)
SHOWN = 8
"""Candidates in the table; JSON and page contain all."""


def record_cells(record: PathRecord) -> tuple[str, ...]:
    """Return the row of a candidate, with the columns `HEADER`."""
    works = record.works
    return (
        str(record.number),
        f"{record.source}, round {record.found_in}",
        f"{record.path.length:.2f}",
        f"{millimetres(record.path.clearance):.0f}",
        f"{record.successes} of {record.driven}",
        _number(record.energy),
        _number(sum(works) / len(works) if works else None),
        _number(record.electric),
        _number(record.energy_per_success),
    )


def candidate_table(result: PlanResult) -> Table:
    """Return a table of the best candidates, best first."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for number, name in enumerate(HEADER):
        table.add_column(name, justify="left" if number == 1 else "right")
    ranked = sorted(result.records, key=lambda record: (record.score, record.number))
    for record in [record for record in ranked if record.driven][:SHOWN]:
        table.add_row(*record_cells(record))
    return table


def best_lines(result: PlanResult) -> list[str]:
    """Return the verdict and its explanation, one sentence each."""
    best = result.best
    if best is None:
        return [f"{result.ended}: no trial has finished"]
    low, high = best.success_interval
    first = (
        f"Path {best.number} ({best.source}, round {best.found_in}): {best.path.length:.2f} m, "
        f"arrives with {100 * best.success:.0f} % ({100 * low:.0f}-{100 * high:.0f} %)"
    )
    if best.energy is not None:
        between = best.energy_interval
        range_text = f" ({between[0]:.3g}-{between[1]:.3g} J)" if between else ""
        first += f", for {best.energy:.3g} J{range_text} of mechanical energy"
        if best.electric is not None:
            first += f" ({best.electric:.3g} J electric)"
    lines = [f"{first}."]
    lines.append(
        f"Chosen from {len(result.records)} paths by the mechanical energy per success, failures "
        f"included, over {result.driven} trials; intervals are 95 %, of this path's trials "
        f"({best.driven}). The best of many candidates is biased upwards."
    )
    if result.ended:
        lines.append(f"Ended early ({result.ended}): this is the best path so far.")
    return lines


def plan_json(result: PlanResult) -> dict[str, Any]:
    """Return all results as JSON values: SI units, None for unknown values."""
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
        "electric_energy": record.electric,
        "signed_work": sum(record.works) / len(record.works) if record.works else None,
        "energy_per_success": _finite(record.energy_per_success),
        "expected_energy_per_success": _finite(record.score),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _number(value: float | None) -> str:
    return "-" if value is None or not math.isfinite(value) else f"{value:.3g}"


WIDTH, HEIGHT = 480, 320
"""Size of a video, pixels."""
FRAMES = 110
"""Approximate number of frames of a video: half a minute is shown in nine seconds."""
FPS = 12

Progress = Callable[[str], None]
"""Called with the name of the part that is being rendered."""


def plan_page(result: PlanResult, *, command: str, progress: Progress, videos: bool = True) -> Page:
    """Return the page; ``videos`` need OpenGL and are omitted without it."""
    task, best, worst = result.task, result.best, result.worst
    page = Page(
        f"Path across {task.course.world.name}",
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
    if videos:
        progress("world")
        with suppress(MissingDependency):
            page.add_picture(_still(best), "World with the robot half-way along the best path.")
    page.add_heading("Candidates")
    progress("candidates")
    energies = [record.energy for record in result.records]
    page.add_plot(
        plan_plots.candidates(*ground, paths, energies, best.number),
        "All candidates, coloured by the mean energy of their successes; dashed: never arrived; "
        "thick: the best; red: the robot cannot stand there.",
    )
    page.add_heading("Driven against planned")
    for name, record in (("best", best), ("worst", worst)):
        progress(f"{name} candidate")
        page.add_plot(
            plan_plots.driven_paths(
                *ground,
                record.path.waypoints,
                [outcome.positions[:, :2] for outcome in record.outcomes],
                [outcome.arrived for outcome in record.outcomes],
            ),
            f"The {name} candidate, path {record.number}: planned black, driven blue; "
            f"{record.successes} of {record.driven} arrived.",
        )
        if videos:
            with suppress(MissingDependency), tempfile.TemporaryDirectory() as folder:
                page.add_video(
                    _film(representative(record), Path(folder) / "film.webm"), _caption(record)
                )
    page.add_heading("Learned cost map")
    for turn in result.rounds:
        progress(f"cost map of round {turn.number}")
        page.add_plot(
            plan_plots.learned_costs(
                turn.energy_per_metre,
                turn.failures_per_metre,
                turn.known,
                validity.anywhere,
                extent,
                result.records[turn.best].path.waypoints,
            ),
            f"After round {turn.number}: energy and failures per metre; pale: extrapolated from "
            "similar ground. The line is the best path so far.",
        )
    page.add_heading("All candidates")
    ranked = sorted(result.records, key=lambda record: (record.score, record.number))
    page.add_rows(HEADER, [record_cells(record) for record in ranked if record.driven])
    page.add_text(f"Variation between trials of a path: {result.settings.spread}.")
    return page


def representative(record: PathRecord) -> Outcome:
    """Return the outcome to show: a success of a good path, a failure of a bad one."""
    usual = record.successes * 2 >= record.driven
    return next(outcome for outcome in record.outcomes if outcome.arrived == usual)


def _caption(record: PathRecord) -> str:
    outcome = representative(record)
    return f"Path {record.number}, one of its trials: {outcome.verdict} after {outcome.time:.0f} s."


def _film(outcome: Outcome, path: Path) -> Path:
    """Render a trial to a video in fast motion, without shadows and multisampling."""
    every = max(1, round(len(outcome.times) / FRAMES))
    with Renderer(WIDTH, HEIGHT, shadows=False, smooth=False) as renderer, Video(path, FPS) as film:
        for number, simulation in enumerate(replay_trial(outcome.trial)):
            if number % every == 0:
                film.add(_draw(renderer, simulation, outcome))
            if simulation.time >= outcome.time - 1e-9:
                break
    return path


def _still(record: PathRecord) -> Image:
    """Return a picture of the robot at half of the trial's time."""
    outcome = representative(record)
    with Renderer(2 * WIDTH, 2 * HEIGHT) as renderer:
        for simulation in replay_trial(outcome.trial):
            if simulation.time >= outcome.time / 2:
                break
        return renderer.picture(*_updated_kinematics(simulation), simulation.view())


def _draw(renderer: Renderer, simulation: Simulation, outcome: Outcome) -> Image:
    """Return a picture from behind; the distance grows with the length of the path."""
    x, y, z = simulation.pose(outcome.trial.robot).position.tolist()
    travel = outcome.positions[-1, :2] - outcome.positions[0, :2]
    azimuth = degrees(math.atan2(float(travel[1]), float(travel[0])))
    distance = max(0.8, 0.35 * float((travel**2).sum()) ** 0.5)
    view = Viewpoint((x, y, z), distance, azimuth, -35.0)
    return renderer.picture(*_updated_kinematics(simulation), view)


def _updated_kinematics(simulation: Simulation) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Return model and data of a simulation, with current positions of bodies and lights."""
    simulation.state.update_kinematics()
    mujoco.mj_comPos(simulation.model, simulation.data)
    mujoco.mj_camlight(simulation.model, simulation.data)
    return simulation.model, simulation.data
