"""Okada et al. 2020, Table IV: steps that Quince climbs, real and in two simulations.

Quince drives at 0.1 m/s against steps with its front sub-tracks level or raised by 45 deg, on
ground of friction 0.6. Each row is driven from several starts, a fraction of a grouser pitch
apart, because it is random which grouser meets the edge; the majority is the result of the row.

In addition to the paper's rows the experiment drives the same rows on smooth belts (according to
sec. IV-B grousers decide 120 mm at 0 deg and 240 mm at 45 deg), and at other frictions, to find the
range around 0.6 in which the result of a row stays.

According to the paper the sub-tracks are set to 0 deg "so that the lower linear segments of the
sub-tracks contacted the ground". Rows with level rear sub-tracks follow this text; the six rows of
the table are driven with the rear sub-tracks of `grouser.robots.quince`, slightly raised.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from grouser.evaluation.closed_forms import wall_friction
from grouser.experiments.friction_margin import friction_margin, success_letter
from grouser.experiments.run_options import RunOptions
from grouser.frames import metres, millimetres
from grouser.rendering.renderer import Renderer
from grouser.rendering.viewpoint import Viewpoint
from grouser.reports.film_strip import picture_strip
from grouser.reports.report import Report
from grouser.reports.rules import SAME_LETTER
from grouser.reports.table import Row, Table
from grouser.robots.quince import AXIS_X, GROUSER, RADIUS, SUB_LENGTH, Quince
from grouser.simulation.scene import compose
from grouser.simulation.simulation import Simulation
from grouser.trials.trial import Goal, Outcome, Trial
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.step import Step

RUNS_TRIALS = True

SPEED = 0.1  # m/s   sec. IV-B
FRICTION = 0.6  # sec. IV-B: "of the ground and steps … 0.6 each"
PITCH = 1.541 / 40  # m   one grouser pitch of a main track (Table III)
EDGE = 0.8  # m   x of the riser; the robot's front starts 0.25 m before it
STARTS = (0.0, 0.25, 0.5, 0.75)  # offsets backwards, fractions of a pitch
FRICTIONS = tuple(round(0.30 + 0.05 * i, 2) for i in range(13))  # 0.30 … 0.90


@dataclass(frozen=True)
class StepCase:
    """One row of the table."""

    angle_deg: float
    """Angle of the front sub-tracks."""
    height_mm: float
    """Height of the step."""
    real: str
    """S or F of the real robot."""
    simulated: str
    """S or F of the paper's simulation."""


PAPER = (  # Table IV
    StepCase(0, 40, "S", "S"),
    StepCase(0, 120, "S", "S"),
    StepCase(0, 190, "F", "F"),
    StepCase(45, 120, "S", "S"),
    StepCase(45, 240, "S", "S"),
    StepCase(45, 380, "F", "F"),
)
DECIDED_BY_GROUSERS = (PAPER[1], PAPER[4])  # sec. IV-B
REAR_DEG = Quince().rear_deg
"""Angle of the rear sub-tracks, deg; the paper gives none."""
LEVEL = tuple(case for case in PAPER if case.angle_deg == 0)
"""Rows that are also driven with level rear sub-tracks, as the paper's text reads."""


def world(
    case: StepCase, *, start: float = 0.0, friction: float = FRICTION, **options: Any
) -> World:
    """Return the world of ``case`` with Quince ``start`` pitches behind its usual position.

    ``options`` are further options of Quince.
    """
    height = metres(case.height_mm)
    options = {"front_deg": case.angle_deg} | options
    return World(
        name=f"step of {case.height_mm:g} mm at {case.angle_deg:g} deg",
        physics=STANDARD,
        terrain=(Flat(friction=friction), Step(x=EDGE, height=height, friction=friction)),
        robots=(
            RobotEntry(
                name="quince",
                kind="quince",
                position=(-start * PITCH, 0.0, 0.0),
                options=options,
                command={"forward": SPEED},
            ),
        ),
    )


def trial(case: StepCase, **conditions: float) -> Trial:
    """Return the trial of one drive against the step of ``case``."""
    height = metres(case.height_mm)
    return Trial(
        world=world(case, **conditions),
        robot="quince",
        limit=30.0,
        # At the goal the robot's origin is well past the edge and a belt's height above it.
        goal=Goal(x=EDGE + 0.3, z=height + 0.06),
        stuck_after=6.0,
        case={"angle_deg": case.angle_deg, "height_mm": case.height_mm, **conditions},
    )


def run(run_options: RunOptions) -> Report:
    """Drive every row and compare with the paper."""
    starts = STARTS[:1] if run_options.quick else STARTS
    usual = [trial(case, start=start) for case in PAPER for start in starts]
    # Quick: the rows that grousers decide, and the one that level sub-tracks decide.
    smooth_cases = DECIDED_BY_GROUSERS if run_options.quick else PAPER
    level_cases = LEVEL[1:2] if run_options.quick else LEVEL
    smooth = [trial(case, grousers=False) for case in smooth_cases]
    level = [trial(case, start=start, rear_deg=0.0) for case in level_cases for start in starts]
    varied = [] if run_options.quick else [trial(c, friction=mu) for c in PAPER for mu in FRICTIONS]
    everything = [*usual, *smooth, *level, *varied]
    outcomes = iter(run_options.run_trials("driving against steps", everything))
    by_start = [list(islice(outcomes, len(starts))) for _ in PAPER]
    without = dict(zip(smooth_cases, islice(outcomes, len(smooth)), strict=True))
    level_by_start = [list(islice(outcomes, len(starts))) for _ in level_cases]
    ranges = _margins(list(outcomes)) if varied else {}
    rows = [
        _row(case, drives, without.get(case), ranges.get(case))
        for case, drives in zip(PAPER, by_start, strict=True)
    ]
    rows += [level_row(*row) for row in zip(level_cases, level_by_start, strict=True)]
    figures: dict[str, float | int | str | bool | None] = {
        "starts_per_row": len(starts),
        "starts_that_agree": sum(
            success_letter(outcome) == case.real
            for case, drives in zip(PAPER, by_start, strict=True)
            for outcome in drives
        ),
        "largest_misfit_at_seams_mm": _misfit_mm(),
        "smooth_120mm_at_0deg": success_letter(without[PAPER[1]]),
        "smooth_240mm_at_45deg": success_letter(without[PAPER[4]]),
        "lifting_friction_rear_raised": round(lifting_friction(raised=True), 3),
        "lifting_friction_rear_level": round(lifting_friction(raised=False), 3),
    }
    notes = (
        "Margin: the friction range round 0.6, in steps of 0.05, in which the row's result stays.",
        "Without: the same row on smooth belts of the same height less grousers.",
        "Lifting friction: closed form of the least friction at which belts lift the front at a "
        "riser, with the rear end of the robot's ground contact at the main or the sub-tracks.",
    )
    report = Report(
        Table(
            "okada-table4",
            "Okada et al. 2020, Table IV",
            "Step climbing of Quince",
            tuple(rows),
            figures,
            notes,
        )
    )
    report.add_text(
        "One parameter set for all rows: the defaults of grouser.robots.quince.Quince; what the "
        "paper leaves open is named there and in docs/explanation/papers/okada.md."
    )
    if run_options.pictures:
        _add_pictures(report, run_options)
    return report


def _misfit_mm() -> float:
    """Return the largest jump of a grouser's tip at a roll-back over all belts of Quince, mm."""
    return millimetres(max(belt.misfit for belt in compose(world(PAPER[0])).belts))


def lifting_friction(*, raised: bool) -> float:
    """Return the least friction at which Quince with level front sub-tracks lifts its front.

    Closed form of a rigid robot at a wall that stands on the front sub-tracks' tips and on the
    rear ends of the main tracks (rear sub-tracks raised) or of the rear sub-tracks.
    """
    reach = SUB_LENGTH - 2 * RADIUS
    behind = AXIS_X if raised else AXIS_X + reach
    return wall_friction(
        radius=RADIUS + GROUSER[2], axle_distance=behind + AXIS_X + reach, x=behind
    )


def _row(case: StepCase, drives: list[Outcome], without: Outcome | None, margin: str | None) -> Row:
    note = f"; without grousers {success_letter(without)}" if without else ""
    note += f"; margin {margin}" if margin else ""
    return drives_row(case, REAR_DEG, drives, note)


def level_row(case: StepCase, drives: list[Outcome]) -> Row:
    """Return the row of ``case`` with level rear sub-tracks."""
    return drives_row(case, 0.0, drives, "; the paper's text")


def drives_row(case: StepCase, rear_deg: float, drives: list[Outcome], note: str) -> Row:
    """Return the row of ``case`` with this angle of the rear sub-tracks."""
    letters, ours = list(map(success_letter, drives)), success_letter(*drives)
    endings = sorted({outcome.verdict for outcome in drives})
    note = f"{letters.count(ours)}/{len(letters)} starts {', '.join(endings)}" + note
    return Row(
        {
            "front sub-tracks": f"{case.angle_deg:g} deg",
            "rear": f"{rear_deg:g} deg",
            "step": f"{case.height_mm:g} mm",
        },
        {"real": case.real, "simulated": case.simulated},
        ours,
        SAME_LETTER.judge(case.real, ours),
        note,
    )


def _margins(outcomes: list[Outcome]) -> dict[StepCase, str]:
    """Return the friction range around 0.6 in which each row's result stays."""
    ranges = {}
    for number, case in enumerate(PAPER):
        part = outcomes[number * len(FRICTIONS) : (number + 1) * len(FRICTIONS)]
        letters = [success_letter(outcome) for outcome in part]
        ranges[case] = friction_margin(FRICTIONS, letters, FRICTION)
    return ranges


def _add_pictures(report: Report, run_options: RunOptions) -> None:
    """Add picture strips like Fig. 7: the two rows that grousers decide, and a failure."""
    shown = (DECIDED_BY_GROUSERS[1],) if run_options.quick else (*DECIDED_BY_GROUSERS, PAPER[2])
    with Renderer(480, 360) as renderer:
        for number, case in enumerate(shown):
            run_options.progress("drawing", number, len(shown))
            frames, captions = _film(case, renderer)
            report.add_picture(
                picture_strip(frames, captions=captions, columns=4),
                f"{case.height_mm:g} mm step, front sub-tracks at {case.angle_deg:g} deg (Fig. 7)",
            )


def _film(case: StepCase, renderer: Renderer) -> tuple[list[np.ndarray], list[str]]:
    """Return eight pictures of one drive, and their times as captions."""
    simulation = Simulation(world(case))
    view = Viewpoint((EDGE - 0.2, 0.0, metres(case.height_mm) / 2 + 0.06), 1.9, 68.0, -12.0)
    frames, captions = [], []
    for _ in range(8):
        simulation.step(1.7)
        simulation.state.update_kinematics()
        frames.append(renderer.picture(simulation.model, simulation.data, view))
        captions.append(f"{simulation.time:.1f} s")
    return frames, captions
