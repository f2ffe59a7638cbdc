"""``grouser compare`` and the benchmark of matching."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cli_runner import error_line, grouser

from grouser.benches import matching
from grouser.evaluation.matching import warp
from grouser.evaluation.trajectory import Trajectory

pytestmark = pytest.mark.usefixtures("working_folder")


def climb(samples: int = 160, late: float = 0.0) -> Trajectory:
    times = np.linspace(0, 8, samples)
    s = np.clip((times - late) / (8 - late), 0, 1)
    return Trajectory(
        times=times,
        x=0.9 * s,
        z=0.2 / (1 + np.exp(-30 * (s - 0.5))),
        pitch=-0.5 * np.exp(-(((s - 0.5) / 0.1) ** 2)),
    )


def error_values(*arguments: str) -> dict[str, Any]:
    """Return the errors after matching, from the JSON file."""
    result = grouser("compare", *arguments, "--json", "errors.json")
    assert result.exit_code == 0, result.output
    with open("errors.json") as file:
        values: dict[str, Any] = json.load(file)
    return values


def test_log_has_no_error_against_itself(tmp_path: Path) -> None:
    climb().write_csv("a.csv")
    errors = error_values("a.csv", "a.csv")
    assert all(abs(value) < 1e-9 for part in ("before", "after") for value in errors[part].values())


@pytest.mark.parametrize("own_times", [True, False])
def test_repeated_samples_cause_no_error(own_times: bool) -> None:
    log = climb()
    log.write_csv("a.csv")
    which = np.repeat(np.arange(len(log)), np.random.default_rng(0).integers(1, 4, len(log)))
    copy = log.select(which)
    times = copy.times if own_times else np.arange(len(which)) / 50.0
    Trajectory(times, copy.x, copy.z, copy.pitch).write_csv("b.csv")
    errors = error_values("a.csv", "b.csv")
    assert all(abs(value) < 1e-9 for value in errors["after"].values())


def test_rates_and_offsets_in_time_may_differ() -> None:
    climb(400).write_csv("real.csv")
    other = climb(137, late=0.6)
    other.shift(times=1.6e9, x=3.0, z=-1.0).write_csv("sim.csv")
    errors = error_values("real.csv", "sim.csv", "--align-starts")
    assert errors["before"]["mean_norm_error_mm"] > 30
    assert errors["after"]["mean_norm_error_mm"] < 5
    assert errors["samples"] == [400, 137]
    assert "counted as 0" in errors["cleaned"][0]
    loose = error_values("real.csv", "sim.csv")
    assert loose["after"]["mean_norm_error_mm"] > 2000


def test_cleaned_samples_are_reported() -> None:
    log = climb()
    x = log.x.copy()
    x[[5, 9]] = np.nan
    Trajectory(log.times, x, log.z, log.pitch).write_csv("real.csv")
    log.write_csv("sim.csv")
    result = grouser("compare", "real.csv", "sim.csv")
    assert result.exit_code == 0
    assert "not finite, left out: 2 of 160 samples" in result.stdout
    for word in ("x [mm]", "z [mm]", "norm [mm]", "pitch [deg]", "mean matched"):
        assert word in result.stdout


def test_options_nose_up_and_index_are_applied() -> None:
    log = climb()
    log.write_csv("a.csv")
    Trajectory(log.times, log.x, log.z, -log.pitch).write_csv("b.csv")
    assert error_values("a.csv", "b.csv")["after"]["max_pitch_error_deg"] > 30
    assert error_values("a.csv", "a.csv", "--nose-up")["after"]["max_pitch_error_deg"] == 0
    assert error_values("a.csv", "b.csv", "--index", "distance")["index"] == "distance"


def test_numpy_logs_and_report_page(tmp_path: Path) -> None:
    log = climb()
    log.write_csv("a.csv")
    np.savez("b.npz", t=log.times, x_mm=log.x * 1e3, z=log.z, pitch_deg=np.degrees(log.pitch))
    result = grouser("compare", "a.csv", "b.npz", "--report", "page")
    assert result.exit_code == 0, result.output
    html = (tmp_path / "page" / "index.html").read_text()
    assert html.count("<img") == 4
    assert "a.csv and b.npz" in html
    assert "<script" not in html


def unusable_log(name: str) -> None:
    """Write the log ``name`` that cannot be compared."""
    log = climb()
    if name == "nan.csv":
        Trajectory(log.times, np.full(len(log), np.nan), log.z, log.pitch).write_csv(name)
    elif name == "one.csv":
        log.select([0]).write_csv(name)
    elif name == "cells.csv":
        with open(name, "w") as file:
            file.write("t,x,z,pitch\n0,0,0,0\n1,1,1\n")
    elif name == "unequal.npz":
        np.savez(name, t=log.times, x=log.x[:9], z=log.z, pitch=log.pitch)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nan.csv", "nan.csv: none of its 160 samples is finite"),
        ("one.csv", "one.csv: has 1 usable sample, at least 2 are needed"),
        ("cells.csv", "cells.csv line 3: has 3 cells, the header has 4"),
        ("unequal.npz", "unequal.npz: columns must be equally long, not t 160, x 9"),
        ("none.csv", "none.csv: there is no such file"),
        ("log.txt", "the ending '.txt' is unknown"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_logs_that_cannot_be_compared_are_reported_in_one_sentence(
    name: str, sentence: str, first: bool
) -> None:
    climb().write_csv("good.csv")
    unusable_log(name)
    both = (name, "good.csv") if first else ("good.csv", name)
    assert sentence in error_line(grouser("compare", *both))


def test_error_of_an_unknown_index_names_the_nearest() -> None:
    climb().write_csv("a.csv")
    sentence = error_line(grouser("compare", "a.csv", "a.csv", "--index", "diference"))
    assert "did you mean 'difference'?" in sentence


def test_matching_2000_samples_takes_less_than_a_fifth_of_a_second() -> None:
    rng = np.random.default_rng(0)
    first, second = (rng.normal(size=(2, 2000)).cumsum(axis=1) for _ in range(2))
    spent = []
    for _ in range(5):
        begun = (
            time.process_time()
        )  # processor time, which does not depend on other load of the machine
        warp(first, second)
        spent.append(time.process_time() - begun)
    assert min(spent) < 0.2


def test_benchmark_measures_matching() -> None:
    figures = matching.run(lambda what, done, of: None)
    assert figures["match_2000_s"] > 0
    assert list(figures) == ["match_2000_s", "dtaidistance_s", "ratio"]
