"""Kurose et al. 2008, Table I: steps that Kenaf climbs and trenches that it crosses.

Kenaf without batteries drives straight at twelve obstacles: steps with its flippers upright
("without flippers"), steps with the strategy of `grouser.locomotion.flippers`, and trenches with
its flippers upright, where the paper counts contact of the flippers with the ground as a failure.
As in the paper a test is passed when 750 mm were traversed. Here the distance is counted from the
position with the nose above the edge to be reached (the riser or the far edge), so at the end the
whole robot is 130 mm past it.

Each row is driven from several starts, a fraction of a lug's pitch apart, because it is random
which lug meets the edge; the majority is the result of the row. Two variants run: belts with lugs
(``segments``), which are compared with the real robot, and the paper's own wheels. The belts also
drive every row at other frictions, from one start, to find the range in which its result stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from grouser.experiments.friction_margin import friction_margin, success_letter
from grouser.experiments.run_options import RunOptions
from grouser.frames import degrees, metres, millimetres, radians
from grouser.locomotion.flippers import CLIMB, FlipperClimber
from grouser.rendering.renderer import Renderer
from grouser.rendering.viewpoint import Viewpoint
from grouser.reports.film_strip import picture_strip
from grouser.reports.report import Report
from grouser.reports.rules import SAME_LETTER, above
from grouser.reports.table import Row, Table
from grouser.robots.kenaf import AXIS_X, LUG_PITCH, STANDING
from grouser.trials.runner import run_trials
from grouser.trials.simulation_lane import replay_trial
from grouser.trials.trial import Goal, Outcome, Trial
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.kinds import Terrain
from grouser.world.terrain.step import Step
from grouser.world.terrain.trench import Trench

RUNS_TRIALS = True

TRAVERSED = 0.750  # m   sec. III-A: "successfully traversed 750 mm"
SPEED = 0.3  # m/s   not in the paper, estimate (sources.md A1: 0.1-0.3)
FRICTION = 0.65  # not in the paper, estimate: rubber lugs on wood; wheels bring their own 1.3
UPRIGHT_DEG = 90.0  # flipper angle without contact
NOSE = AXIS_X + STANDING  # m   from the root to the nose, flippers upright
EDGE = 0.5  # m   x where obstacles begin; the nose starts 0.19 m before it
WIDTH = 1.0  # m   of the obstacles; pictures from the side show the edge
STARTS = (0.0, 0.25, 0.5, 0.75)  # offsets backwards, fractions of a lug's pitch
VARIANTS = ("segments", "wheels")
FRICTIONS = tuple(round(0.45 + 0.05 * i, 2) for i in range(9))  # 0.45 … 0.85
INERTIAS = (0.7, 1.0, 1.4)  # factors on the pitch inertia of uniform boxes
WIDTHS_MM = (290, 300, 310, 320, 330, 340)  # trench widths to find the limit at each inertia

Kind = Literal["step without flippers", "step with flippers", "trench"]


@dataclass(frozen=True)
class ObstacleCase:
    """One row of the table."""

    kind: Kind
    size_mm: float
    """Height of the step or width of the trench."""
    real: str | None = None
    """S or F of the real robot; None if not in the paper."""
    simulated: str | None = None
    """S or F of the paper's simulation."""

    @property
    def name(self) -> str:
        """Kind and size of the obstacle as text."""
        return f"{self.kind}, {self.size_mm:g} mm"


PAPER = (  # Table I, in the reading that fits the text of sec. III-A
    ObstacleCase("step without flippers", 50, "S", "S"),
    ObstacleCase("step without flippers", 100, "S", "S"),
    ObstacleCase("step without flippers", 150, "F", "F"),
    ObstacleCase("step with flippers", 100, "S", "S"),
    ObstacleCase("step with flippers", 200, "S", "S"),
    ObstacleCase("step with flippers", 300, "S", "S"),
    ObstacleCase("step with flippers", 350, "F", "F"),
    ObstacleCase("trench", 100, "S", "S"),
    ObstacleCase("trench", 200, "S", "S"),
    ObstacleCase("trench", 300, "S", "S"),
    ObstacleCase("trench", 350, "F", "S"),
    ObstacleCase("trench", 400, "F", "F"),
)
FIG8 = PAPER[4]
TRENCH_350 = PAPER[10]


def world(
    case: ObstacleCase,
    *,
    variant: str = "segments",
    start: float = 0.0,
    pitch_inertia: float = 1.0,
    friction: float = FRICTION,
) -> World:
    """Return the world of ``case`` with Kenaf ``start`` lug pitches behind its usual position."""
    size = metres(case.size_mm)
    terrain: tuple[Terrain, ...] = (
        (Trench(x=EDGE, gap=size, width=WIDTH, friction=friction),)
        if case.kind == "trench"
        else (Flat(friction=friction), Step(x=EDGE, height=size, width=WIDTH, friction=friction))
    )
    with_flippers = case.kind == "step with flippers"
    options = {
        "method": variant,
        "batteries": False,  # sec. II-B: "the batteries are removed from the robot"
        "front_deg": degrees(CLIMB.raised) if with_flippers else UPRIGHT_DEG,
        "rear_deg": 0.0 if with_flippers else UPRIGHT_DEG,
        "pitch_inertia": pitch_inertia,
    }
    return World(
        name=case.name,
        physics=STANDARD,
        terrain=terrain,
        robots=(
            RobotEntry(
                name="kenaf",
                kind="kenaf",
                position=(-start * LUG_PITCH, 0.0, 0.0),
                options=options,
                command={"forward": SPEED},
            ),
        ),
    )


def trial(
    case: ObstacleCase,
    *,
    variant: str = "segments",
    start: float = 0.0,
    pitch_inertia: float = 1.0,
    friction: float = FRICTION,
) -> Trial:
    """Return the trial of one drive at the obstacle of ``case``."""
    size = metres(case.size_mm)
    wide, high = (size, 0.0) if case.kind == "trench" else (0.0, size)
    return Trial(
        world=world(
            case, variant=variant, start=start, pitch_inertia=pitch_inertia, friction=friction
        ),
        robot="kenaf",
        limit=20.0,
        goal=Goal(x=EDGE + wide - NOSE + TRAVERSED, z=high + STANDING / 2),
        policy=partial(FlipperClimber, EDGE) if case.kind == "step with flippers" else None,
        stuck_after=3.0,
        tipped_beyond=radians(80),  # an operator stops the real robot before it falls on its back
        case={
            "test": case.name,
            "variant": variant,
            "start": start,
            "inertia": pitch_inertia,
            "friction": friction,
        },
    )


def run(run_options: RunOptions) -> Report:
    """Drive every row with both variants and compare with the paper."""
    starts = STARTS[:1] if run_options.quick else STARTS
    rows_drives = [
        trial(case, variant=variant, start=start)
        for case in PAPER
        for variant in VARIANTS
        for start in starts
    ]
    inertia_drives = _inertia_trials(run_options.quick, starts)
    friction_drives = (
        []
        if run_options.quick
        else [trial(case, friction=friction) for case in PAPER for friction in FRICTIONS]
    )
    everything = [*rows_drives, *inertia_drives, *friction_drives]
    outcomes = run_options.run_trials("steps and trenches", everything)
    driven = _group_by(outcomes[: len(rows_drives)], "test", "variant")
    letters = {key: success_letter(*drives) for key, drives in driven.items()}
    varied = outcomes[len(rows_drives) + len(inertia_drives) :]
    margins = _margins(varied)
    inertia_figures = _inertia_figures(
        outcomes[len(rows_drives) : len(rows_drives) + len(inertia_drives)], run_options.quick
    )
    rows = (
        *(_row(case, driven, letters, margins.get(case.name)) for case in PAPER),
        *inertia_rows(inertia_figures),
    )
    figures = {
        "starts_per_row": len(starts),
        "starts_that_agree": sum(
            success_letter(outcome) == case.real
            for case in PAPER
            for outcome in driven[case.name, "segments"]
        ),
        **{
            f"{variant}_agree_with_real": sum(letters[c.name, variant] == c.real for c in PAPER)
            for variant in VARIANTS
        },
        "paper_simulation_agrees_with_real": sum(case.simulated == case.real for case in PAPER),
        **inertia_figures,
        **_agreement_by_friction(varied),
    }
    notes = (
        "Margin: the friction range round 0.65 in which the belts' result stays, one start each.",
        "Judged: segments (belts with lugs) against the real robot; wheels are the paper's model.",
        "Inertia: the paper blames its 350 mm row on too low a pitch inertia. In our physics a "
        "slower pitch helps across: at the same speed the robot gets further before it has sunk. "
        "So more inertia widens the trench that is crossed, it does not turn success to failure.",
    )
    table = Table(
        "kurose-table1",
        "Kurose et al. 2008, Table I",
        "Steps and trenches with Kenaf"
        + (" (quick: one start per row)" if run_options.quick else ""),
        rows,
        figures,
        notes,
    )
    report = Report(table)
    report.add_text(
        "One parameter set for all rows: the defaults of grouser.robots.kenaf.Kenaf without "
        "batteries and the constants of this experiment; what the paper leaves open is named "
        "there and in docs/explanation/papers/kurose.md."
    )
    if run_options.pictures:
        _add_pictures(report, run_options)
    return report


def _inertia_trials(quick: bool, starts: tuple[float, ...]) -> list[Trial]:
    """Return trials of the 350 mm trench and of trenches near the limit, by pitch inertia."""
    widths = () if quick else WIDTHS_MM
    cases = (TRENCH_350, *(ObstacleCase("trench", width) for width in widths))
    return [
        trial(case, start=start, pitch_inertia=inertia)
        for inertia in INERTIAS
        for case in cases
        for start in starts
    ]


def _inertia_figures(outcomes: list[Outcome], quick: bool) -> dict[str, str | float]:
    """Return the effect of inertia on the 350 mm row and on the widest trench crossed."""
    driven = _group_by(outcomes, "test", "inertia")
    figures: dict[str, str | float] = {}
    for inertia in INERTIAS:
        row = driven[TRENCH_350.name, inertia]
        figures[f"trench_350_at_inertia_x{inertia:g}"] = success_letter(*row)
        # The distance before the fall shows the sign of the effect even if no result changes.
        reached = np.mean([outcome.positions[:, 0].max() - EDGE for outcome in row])
        figures[f"trench_350_reach_mm_at_inertia_x{inertia:g}"] = millimetres(float(reached))
    for inertia in () if quick else INERTIAS:
        crossed = [
            width
            for width in WIDTHS_MM
            for outcome in driven[ObstacleCase("trench", width).name, inertia]
            if outcome.arrived
        ]
        share = len(crossed) / len(driven[TRENCH_350.name, inertia])
        step = WIDTHS_MM[1] - WIDTHS_MM[0]
        figures[f"trench_limit_mm_at_inertia_x{inertia:g}"] = WIDTHS_MM[0] + (share - 1) * step
    return figures


def inertia_rows(figures: Mapping[str, str | float]) -> list[Row]:
    """Return the row of the effect of pitch inertia, if two inertias were driven.

    According to the paper its simulated robot crossed 350 mm because its pitch inertia was lower.
    """
    low, high = (
        figures.get(f"trench_350_reach_mm_at_inertia_x{inertia:g}")
        for inertia in (INERTIAS[0], INERTIAS[-1])
    )
    if low is None or high is None or len(INERTIAS) < 2:
        return []
    ours = f"{float(low):.0f} mm at {INERTIAS[0]:g} x, {float(high):.0f} mm at {INERTIAS[-1]:g} x"
    return [
        Row(
            {"test": TRENCH_350.kind, "size": "350 mm, less pitch inertia"},
            {"real": None, "simulated": "gets further"},
            {"segments": ours, "wheels": None},
            above("that of more inertia").judge(high, low),
            "distance of the root beyond the near edge before it falls",
        )
    ]


def _margins(outcomes: list[Outcome]) -> dict[object, str]:
    """Return the friction range in which each row's result stays, by the name of the row."""
    return {
        name: friction_margin(FRICTIONS, [success_letter(outcome) for outcome in drives], FRICTION)
        for (name,), drives in _group_by(outcomes, "test").items()
    }


def _agreement_by_friction(outcomes: list[Outcome]) -> dict[str, int]:
    """Return the number of rows that agree with the real robot at each friction driven."""
    real = {case.name: case.real for case in PAPER}
    return {
        f"agree_at_friction_{friction:.2f}": sum(
            success_letter(outcome) == real[str(outcome.trial.case["test"])] for outcome in drives
        )
        for (friction,), drives in _group_by(outcomes, "friction").items()
    }


def _group_by(outcomes: list[Outcome], *keys: str) -> dict[tuple[object, ...], list[Outcome]]:
    """Return the outcomes grouped by the values of ``keys`` in their trials' cases."""
    groups: dict[tuple[object, ...], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(tuple(outcome.trial.case[key] for key in keys), []).append(outcome)
    return groups


def _row(
    case: ObstacleCase,
    driven: dict[tuple[object, ...], list[Outcome]],
    letters: dict[tuple[object, ...], str],
    margin: str | None,
) -> Row:
    ours = {variant: letters[case.name, variant] for variant in VARIANTS}
    remarks = []
    for variant in VARIANTS:
        drives = driven[case.name, variant]
        same = sum(success_letter(outcome) == ours[variant] for outcome in drives)
        endings = ", ".join(sorted({outcome.verdict for outcome in drives}))
        remarks.append(f"{variant} {same}/{len(drives)}: {endings}")
    if margin:
        remarks.append(f"margin {margin}")
    return Row(
        {"test": case.kind, "size": f"{case.size_mm:g} mm"},
        {"real": case.real, "simulated": case.simulated},
        ours,
        SAME_LETTER.judge(case.real, ours["segments"]),
        "; ".join(remarks),
    )


def _add_pictures(report: Report, run_options: RunOptions) -> None:
    """Add picture strips like the paper's Fig. 8, including the failures at the limits."""
    shown = (FIG8,) if run_options.quick else (FIG8, PAPER[5], PAPER[6], PAPER[9], TRENCH_350)
    with Renderer(480, 320) as renderer:
        for number, case in enumerate(shown):
            run_options.progress("drawing", number, len(shown))
            frames, captions = film(case, renderer)
            caption = f"{case.name} (as Fig. 8)" if case is FIG8 else case.name
            report.add_picture(picture_strip(frames, captions=captions, columns=4), caption)


def film(
    case: ObstacleCase, renderer: Renderer, *, pictures: int = 8
) -> tuple[list[np.ndarray], list[str]]:
    """Return ``pictures`` of one drive at equal intervals, and their times as captions."""
    drive = trial(case)
    [outcome] = run_trials([drive])
    sampled = np.linspace(0.1 * len(outcome.times), len(outcome.times) - 1, pictures).astype(int)
    height = 0.0 if case.kind == "trench" else metres(case.size_mm) / 2
    view = Viewpoint((EDGE + 0.05, 0.0, height + 0.05), 1.5, 100.0, -10.0)
    frames, captions = [], []
    for number, simulation in enumerate(replay_trial(drive)):
        if number in sampled:
            simulation.state.update_kinematics()
            frames.append(renderer.picture(simulation.model, simulation.data, view))
            captions.append(f"{simulation.time:.1f} s")
        if number == sampled[-1]:
            break
    return frames, captions
