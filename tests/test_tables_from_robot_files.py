"""Quince and Kenaf from robot files have the same results as the built-in robots."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from grouser.experiments import kurose_table1
from grouser.experiments.okada import table4
from grouser.robots.kenaf import WHEEL_FRICTION, WITHOUT_BATTERIES_X
from grouser.trials.runner import run_trials
from grouser.trials.trial import Outcome, Trial

FILES = Path(__file__).parents[1] / "examples" / "robots"


def from_file(trial: Trial, options: dict[str, Any]) -> Trial:
    """Return ``trial`` with the robot from the file of the same name."""
    (entry,) = trial.world.robots
    file = str(FILES / f"{entry.kind}.yaml")
    own = entry.model_copy(update={"kind": file, "options": options})
    return dataclasses.replace(trial, world=trial.world.changed(robots=(own,)))


def same_rows(trials: list[Trial], options: list[dict[str, Any]]) -> list[Outcome]:
    """Drive ``trials`` with the built-in robot and its file; return the outcomes of the first."""
    files = [from_file(trial, one) for trial, one in zip(trials, options, strict=True)]
    outcomes = run_trials([*trials, *files])
    shipped, filed = outcomes[: len(trials)], outcomes[len(trials) :]
    assert [one.verdict for one in filed] == [one.verdict for one in shipped]
    return shipped


@pytest.mark.slow
def test_robot_files_reproduce_okada_table4() -> None:
    cases = [(case, start) for case in table4.PAPER for start in table4.STARTS]
    trials = [table4.trial(case, start=start) for case, start in cases]
    options: list[dict[str, Any]] = [
        {"flippers.front.start_deg": case.angle_deg} for case, _ in cases
    ]
    outcomes = same_rows(trials, options)
    letters = ["S" if outcome.arrived else "F" for outcome in outcomes]
    assert letters == [case.real for case, _ in cases]


@pytest.mark.slow
@pytest.mark.parametrize("variant", kurose_table1.VARIANTS)
def test_robot_files_reproduce_kurose_table1(variant: str) -> None:
    cases = [(case, start) for case in kurose_table1.PAPER for start in kurose_table1.STARTS]
    trials = [kurose_table1.trial(case, variant=variant, start=start) for case, start in cases]
    # Wheels have their own friction; belts with lugs use that of the ground.
    parts = ("tracks.0", "flippers.front", "flippers.rear") if variant == "wheels" else ()
    friction = {f"{part}.friction": WHEEL_FRICTION for part in parts}
    options: list[dict[str, Any]] = []
    for trial in trials:
        built_in = trial.world.robots[0].options
        options.append(
            {
                "centre.0": WITHOUT_BATTERIES_X,
                "flippers.front.start_deg": built_in["front_deg"],
                "flippers.rear.start_deg": built_in["rear_deg"],
                "tracks.0.method": variant,
                **friction,
            }
        )
    same_rows(trials, options)
