"""Okada et al. 2020, Table I: capabilities of the track methods, measured.

The paper rates the methods by plus and minus. Here every sign is an experiment with PackBot:

- real time: the real-time factor on flat ground (as in Table II);
- grousers: a step of 100 mm is climbed with grousers and not without;
- friction: on a slope of 20 deg the robot holds at friction 0.6 and slides at 0.05, and a wall
  behind a floor, both of friction 0.05, is not climbed (the paper's Fig. 3);
- deformation: the belt sags under its weight relative to the robot's body;
- rough terrain: a bump of 50 mm that fits between two of four wheels (the paper's Fig. 2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.experiments.okada import table2
from grouser.experiments.run_options import RunOptions
from grouser.frames import Array, millimetres
from grouser.rendering.renderer import Renderer
from grouser.rendering.viewpoint import Viewpoint
from grouser.reports.film_strip import picture_strip
from grouser.reports.report import Report
from grouser.reports.rules import same
from grouser.reports.table import Row, Table
from grouser.simulation.simulation import Simulation
from grouser.trials.trial import Goal, Outcome, Trial
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.kinds import Terrain
from grouser.world.terrain.step import Step

RUNS_TRIALS = True

PRINTED = ("segments", "wheels", "plates", "constraint")
"""Methods of the paper: proposed, multiple-wheel, multiple-plate, constraint to ground."""
METHODS = (*PRINTED, "surface")
PAPER = {  # Table I
    "real time": ("+", "+", "-", "++"),
    "grousers": ("+", "-", "+", "-"),
    "friction": ("+", "+", "+", "-"),
    "deformation": ("-", "-", "+", "-"),
    "rough terrain": ("++", "-", "++", "+"),
}
GOOD_OR_NOT = same("both good (+, ++) or both not")
SPEED = 0.2  # m/s
EDGE = 0.6  # m   x where obstacles begin; the robot's front starts 0.255 m before it
STEP = 0.100  # m   slightly above the centre of the front pulley, where grousers decide (sec. IV-B)
BUMP = 0.050  # m   lower than the 60 mm notch between two neighbouring wheels of radius 90 mm
WALL = 0.5  # m
SAG = 1e-4  # m   a belt that moves more than this under its weight deforms


def run(run_options: RunOptions) -> Report:
    """Run every experiment with every method and compare the signs."""
    methods = tuple(m for m in METHODS if m != "plates") if run_options.quick else METHODS
    trials = [trial for method in methods for trial in _trials(method)]
    outcomes = run_options.run_trials("slope, wall, step and bump", trials)
    outcome_of = {(o.trial.case["method"], o.trial.case["test"]): o for o in outcomes}
    measured = {}
    for number, method in enumerate(methods):
        run_options.progress("timing", number, len(methods))
        measured[method] = MethodResults(_real_time_factor(method), _sag(method), outcome_of)
    rows = [
        sign_row(fact, method, *measured[method].fact(fact, method))
        for fact in PAPER
        for method in methods
    ]
    figures: dict[str, float | bool] = {f"{m}_rtf": each.factor for m, each in measured.items()}
    figures |= {
        f"{method}_climbs_fig3_wall": _has_climbed(outcome_of[method, "wall"]) for method in methods
    }
    notes = (
        "Constraint: the velocity at contacts replaces friction, as the paper describes it. "
        "Surface: ours, with the friction of the ground; not in the paper.",
    )
    table = Table(
        "okada-table1",
        "Okada et al. 2020, Table I",
        "What each method can do" + (" (quick: without plates)" if run_options.quick else ""),
        tuple(rows),
        figures,
        notes,
    )
    report = Report(table)
    if run_options.pictures:
        _add_pictures(report)
    return report


def _trials(method: str) -> list[Trial]:
    """Return the trials of one method; the real-time factor is measured separately."""
    flat, step = Flat(friction=0.6), Step(x=EDGE, height=STEP, friction=0.6)
    up, past = Goal(x=EDGE + 0.2, z=STEP + 0.05), Goal(x=EDGE + 0.6)
    slippery = (Flat(friction=0.05), Step(x=EDGE, height=WALL, friction=0.05))
    return [
        _trial(method, "step", (flat, step), up),
        _trial(method, "step, smooth", (flat, step), up, grousers="none"),
        _trial(method, "bump", (flat, bump()), past),
        _trial(method, "wall", slippery, Goal(x=EDGE + 0.1), limit=8.0),
        _slope(method, "slope", 0.6),
        _slope(method, "icy slope", 0.05),
    ]


def _slope(method: str, test: str, friction: float) -> Trial:
    """Return the trial of PackBot with zero speed commanded on a slope of 20 deg."""
    slope = (Flat(friction=friction, slope_deg=20.0),)
    return _trial(method, test, slope, None, limit=2.0, speed=0.0, pitch_deg=-20.0)


def bump() -> Step:
    """Return the bump of the paper's Fig. 2, narrow enough to fit between two wheels."""
    return Step(x=EDGE, height=BUMP, length=0.02, friction=0.6)


def _trial(
    method: str,
    test: str,
    terrain: tuple[Terrain, ...],
    goal: Goal | None,
    *,
    limit: float = 15.0,
    speed: float = SPEED,
    grousers: str = "rounded",
    pitch_deg: float = 0.0,
) -> Trial:
    return Trial(
        world=world(terrain, {"method": method, "grousers": grousers}, speed, pitch_deg),
        robot="packbot",
        limit=limit,
        goal=goal,
        stuck_after=4.0,
        case={"method": method, "test": test},
    )


def world(
    terrain: tuple[Terrain, ...], options: dict[str, Any], speed: float, pitch_deg: float = 0.0
) -> World:
    """Return a world with PackBot on ``terrain``."""
    entry = RobotEntry(
        name="packbot",
        kind="packbot",
        position=(0.0, 0.0, 0.0),
        pitch_deg=pitch_deg,
        options=options,
        command={"forward": speed},
    )
    return World(name="okada table 1", physics=STANDARD, terrain=terrain, robots=(entry,))


def sign_row(fact: str, method: str, good: bool, measured: str) -> Row:
    """Return the row of a method that has the capability ``fact``, or has not."""
    sign = dict(zip(PRINTED, PAPER[fact], strict=True)).get(method)
    return Row(
        {"fact": fact, "method": method},
        sign,
        "+" if good else "-",
        GOOD_OR_NOT.judge(sign.startswith("+"), good) if sign else None,
        measured,
    )


@dataclass(frozen=True)
class MethodResults:
    """Results of one method."""

    factor: float
    """Real-time factor."""
    sag: float
    """Largest motion of a part of the belt by its weight, m."""
    outcome_of: Mapping[tuple[object, object], Outcome]
    """Outcomes of all methods by method and test."""

    def fact(self, fact: str, method: str) -> tuple[bool, str]:
        """Return whether ``method`` has the capability ``fact``, and the measured values."""
        outcome_of = self.outcome_of
        if fact == "real time":
            return self.factor > 1, f"real-time factor {self.factor:.1f}"
        if fact == "deformation":
            return self.sag > SAG, f"sags by {millimetres(self.sag):.2f} mm"
        if fact == "grousers":
            with_them, smooth = outcome_of[method, "step"], outcome_of[method, "step, smooth"]
            text = f"100 mm step: {with_them.verdict} with, {smooth.verdict} without grousers"
            return with_them.arrived and not smooth.arrived, text
        if fact == "friction":
            holds = _slip_distance(outcome_of[method, "slope"])
            slides = _slip_distance(outcome_of[method, "icy slope"])
            climbed = _has_climbed(outcome_of[method, "wall"])
            text = (
                f"20 deg slope: {millimetres(holds):.1f} mm at 0.6, "
                f"{millimetres(slides):.0f} mm at 0.05; "
                f"Fig. 3 wall {'climbed' if climbed else 'not climbed'}"
            )
            return holds < 0.005 and slides > 0.1 and not climbed, text
        passed = outcome_of[method, "bump"]
        return (
            passed.arrived,
            f"Fig. 2 bump: {passed.verdict} at x = {passed.positions[-1, 0]:.2f} m",
        )


def _slip_distance(outcome: Outcome) -> float:
    """Return the distance that the robot slid after 0.5 s of settling, m."""
    settled = int((outcome.times < 0.5).sum())
    moved = outcome.positions[-1] - outcome.positions[settled]
    return float((moved[0] ** 2 + moved[2] ** 2) ** 0.5)


def _has_climbed(outcome: Outcome) -> bool:
    """Return whether the robot's origin rose by more than the height of a grouser at any time."""
    return bool(outcome.positions[:, 2].max() > outcome.positions[0, 2] + 0.02)


def _real_time_factor(method: str) -> float:
    simulation = Simulation(table2.world({"method": method, "wheels": 4}))
    simulation.step(0.5)
    seconds = 0.5 if method == "plates" else 3.0
    return table2.drive(simulation, seconds)[0]


def _sag(method: str) -> float:
    """Return the largest vertical motion of a part of the robot in its body by gravity, m."""
    standing, weightless = (_parts(method, gravity) for gravity in (STANDARD.gravity, 0.0))
    return float(np.abs(standing - weightless)[:, 2].max())


def _parts(method: str, gravity: float) -> Array:
    """Return the positions of all parts of the robot at rest in the frame of its body, m."""
    still = world((Flat(friction=0.6),), {"method": method}, 0.0)
    physics = still.physics.model_copy(update={"gravity": gravity})
    simulation = Simulation(still.changed(physics=physics))
    simulation.step(0.3)
    simulation.state.update_kinematics()
    root = simulation.data.body("packbot/body")
    return np.asarray((simulation.data.xpos[1:] - root.xpos) @ root.xmat.reshape(3, 3))


def _add_pictures(report: Report) -> None:
    """Add the case of Fig. 2: wheels and segments on the same bump at the same time."""
    view = Viewpoint((EDGE, 0.0, 0.08), 1.15, 90.0, -6.0)
    frames, captions = [], []
    with Renderer(640, 360) as renderer:
        for method in ("wheels", "segments"):
            terrain: tuple[Terrain, ...] = (Flat(friction=0.6), bump())
            simulation = Simulation(world(terrain, {"method": method}, SPEED))
            simulation.step(6.0)
            simulation.state.update_kinematics()
            frames.append(renderer.picture(simulation.model, simulation.data, view))
            captions.append(f"{method}, 6 s")
    report.add_picture(
        picture_strip(frames, captions=captions, columns=2),
        "Fig. 2: a bump between two wheels holds the multi-wheel robot, not the segments one",
    )
