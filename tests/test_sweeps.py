"""Sweeps: points, subjects, chunks and resuming, summaries, the command."""

from __future__ import annotations

import json
import math
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cli_runner import error_line, grouser

from grouser.errors import BadValue, GrouserError, UnknownName, WorldFileError
from grouser.mobility.limits import nominal_bracket
from grouser.mobility.suite import measure_candidate, mobility_trial
from grouser.sweeps.optimise import optimise
from grouser.sweeps.points import Points, SweepRun, make_run
from grouser.sweeps.result_store import read_rows, write_rows
from grouser.sweeps.run import SweepOptions, SweepResult, run_sweep
from grouser.sweeps.subjects import TrialSubject, find_subject
from grouser.sweeps.summary import Summary
from grouser.sweeps.sweep_file import SweepFile, load_sweep
from grouser.trials.intervals import wilson

pytest.importorskip("pyarrow")

SCRIPT = """
def climb(height, friction, seed):
    return {"success": height < friction / 2, "margin": friction / 2 - height, "draw": seed % 7}

def hill(x, kind):
    return {"value": -(x - 0.3) ** 2 - (kind == "bad")}

def broken(x):
    raise ZeroDivisionError("no number")
"""

CLIMB = """
name: climbs
script: climb.py:climb
repeats: 2
vary:
  height: {min: 0.1, max: 0.4, count: 7}
  friction: [0.3, 0.5, 0.7]
marks:
  - {at: {height: 0.1, friction: 0.5}, text: S}
  - {at: {height: 0.4, friction: 0.3}, text: F}
"""

FLAT = """
name: flat
terrain: [{kind: flat, friction: 0.6}]
physics: {timestep: 0.002}
robots: [{name: packbot, kind: packbot, position: [0, 0], command: {forward: 0.3}}]
"""

DRIVES = """
world: flat.yaml
goal: {x: 0.045}
time_limit: 0.25
vary:
  speed: {keys: [robots.packbot.command.forward], min: 0.1, max: 0.4, count: 3}
  terrain.0.friction: [0.2, 0.8]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "climb.py": SCRIPT,
        "climb.yaml": CLIMB,
        "flat.yaml": FLAT,
        "drives.yaml": DRIVES,
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def sweep_of(text: str, folder: Path) -> SweepFile:
    (folder / "other.yaml").write_text(text)
    return load_sweep(folder / "other.yaml")


def table_bytes(result: SweepResult) -> bytes:
    return result.table.read_bytes()


def interrupt_at(count: int) -> Callable[[int, int], None]:
    """Return a progress function that acts like Ctrl-C when ``count`` runs have finished."""

    def progress(finished: int, of: int) -> None:
        if finished == count:
            raise KeyboardInterrupt

    return progress


def test_points_of_a_grid_and_of_random_samples(folder: Path) -> None:
    sweep = load_sweep(folder / "climb.yaml")
    points = Points(sweep)
    assert len(points) == 21
    assert points[:2] == [{"height": 0.1, "friction": 0.3}, {"height": 0.1, "friction": 0.5}]
    assert [point["height"] for point in points[::3]] == [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]
    text = """
script: climb.py:climb
sample: SAMPLE
points: 20
vary:
  x: {min: 0, max: 1}
  y: {min: 0.001, max: 1000, log: true, keys: [a.b, c]}
  z: [low, high]
"""
    drawn = sweep_of(text.replace("SAMPLE", "latin-hypercube"), folder)
    points = Points(drawn)
    assert sorted(math.floor(20 * float(point["x"])) for point in points) == list(range(20))
    rows = sorted(math.floor(20 * (math.log10(float(point["y"])) + 3) / 6) for point in points)
    assert rows == list(range(20))
    assert sum(point["z"] == "low" for point in points) == 10
    run = make_run(drawn, 3, points[3])
    assert run.settings == {"x": run.point["x"], "a.b": run.point["y"], "c": run.point["y"]} | {
        "z": run.point["z"]
    }
    random_points = Points(sweep_of(text.replace("SAMPLE", "random"), folder))
    assert random_points[:] != points[:]
    assert random_points[:] == Points(sweep_of(text.replace("SAMPLE", "random"), folder))[:]


def test_table_depends_neither_on_chunks_nor_on_interruptions(folder: Path) -> None:
    sweep = load_sweep(folder / "climb.yaml")
    whole = run_sweep(sweep, folder / "whole", base=folder)
    assert len(whole.rows) == 42
    assert len({row["seed"] for row in whole.rows}) == 42, "repetitions have seeds of their own"
    assert not (folder / "whole" / "parts").exists()
    for chunk, stops in ((1, [1, 1, 17, 30]), (5, [4, 23, 41]), (1000, [9, 42])):
        options = SweepOptions(chunk=chunk, chunk_time=0.0)
        out = folder / f"chunks_{chunk}"
        for number, stop in enumerate(stops):
            stopped = replace(options, progress=interrupt_at(stop), resume=number > 0)
            if stop <= _count_finished(out):
                continue
            with pytest.raises(KeyboardInterrupt):
                run_sweep(sweep, out, stopped, base=folder)
            assert _count_finished(out) == stop, "Ctrl-C loses nothing"
        resumed = run_sweep(sweep, out, replace(options, resume=True), base=folder)
        assert table_bytes(resumed) == table_bytes(whole)
    again = run_sweep(sweep, folder / "whole", SweepOptions(resume=True), base=folder)
    assert list(again.rows) == list(whole.rows)


def _count_finished(out: Path) -> int:
    return sum(len(read_rows(path)) for path in (out / "parts").glob("[0-9]*.parquet"))


def test_table_of_trials_does_not_depend_on_the_runner(folder: Path) -> None:
    sweep = load_sweep(folder / "drives.yaml")
    one = run_sweep(sweep, folder / "one", SweepOptions(runner="threads:1"), base=folder)
    options = SweepOptions(runner="threads:3", chunk=2, chunk_time=0.0)
    assert table_bytes(one) == table_bytes(run_sweep(sweep, folder / "two", options, base=folder))
    assert [row["success"] for row in one.rows] == [False, False, True, True, True, True]
    assert len({row["fingerprint"] for row in one.rows}) == 6
    assert [(row["speed"], row["terrain.0.friction"]) for row in one.rows[:3]] == [
        (0.1, 0.2),
        (0.1, 0.8),
        (0.25, 0.2),
    ]


def test_folder_of_another_sweep_is_refused(folder: Path) -> None:
    sweep = load_sweep(folder / "climb.yaml")
    out = folder / "out"
    run_sweep(sweep, out, base=folder)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    resume = SweepOptions(resume=True)
    with pytest.raises(BadValue, match=r"out: has a sweep already, use --resume"):
        run_sweep(sweep, out, base=folder)
    other = sweep.model_copy(update={"seed": 5})
    with pytest.raises(BadValue, match=r"out: has a sweep with another sweep"):
        run_sweep(other, out, resume, base=folder)
    run_sweep(sweep.model_copy(update={"name": "a new title"}), out, resume, base=folder)
    (folder / "climb.py").write_text(SCRIPT + "# changed\n")
    with pytest.raises(BadValue, match=r"out: has a sweep with another files .*climb\.py"):
        run_sweep(sweep, out, resume, base=folder)
    with pytest.raises(BadValue, match=r"is not empty and has no sweep"):
        run_sweep(sweep, folder, base=folder)
    assert before == {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("world: flat.yaml", "must have one of the keys mobility, world, plan, script"),
        ("sample: random", "points is needed"),
        ("robot: [quince]", "line 11: robot is"),
        ("maps: [[height, width]]", "'width' is not varied"),
        ("  - {at: {width: 1}, text: S}", "'width' is not varied"),
        ("colour: red", "unknown key 'colour'"),
        ("optimise: {points: 3}", "must have maximise or minimise"),
    ],
)
def test_mistakes_in_sweep_files(change: str, message: str, folder: Path) -> None:
    with pytest.raises(WorldFileError, match=r"other\.yaml") as error:
        sweep_of(CLIMB + change + "\n", folder)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ("{min: 1, max: 1, count: 3}", "with max above min"),
        ("{min: 1, max: 2}", "count is needed"),
        ("{min: 0, max: 2, count: 3, log: true}", "min must be above 0"),
        ("[1, high]", "numbers and texts"),
        ("[1, 1]", "a value twice"),
        ("{min: 0, max: 1, count: 5001}, y: {min: 0, max: 1, count: 2000}", "10,002,000 points"),
    ],
)
def test_mistakes_in_parameters(parameter: str, message: str, folder: Path) -> None:
    with pytest.raises(WorldFileError, match=message):
        sweep_of(f"script: climb.py:climb\nvary: {{x: {parameter}}}\n", folder)


def test_errors_name_the_run(folder: Path) -> None:
    text = DRIVES.replace("[0.2, 0.8]", "[0.2, -1.0]")
    with pytest.raises(WorldFileError, match=r"sweep, run 1 \(speed 0\.1, .*friction -1\): .*"):
        run_sweep(sweep_of(text, folder), folder / "out", base=folder)
    text = "script: climb.py:NAME\nvary: {x: [1, 2]}\n"
    for name, message in {
        "broken": r"run 0 \(x 1\): climb\.py:broken: raised ZeroDivisionError: no number",
        "climb": r"cannot be called \(missing a required argument: 'height'\)",
    }.items():
        with pytest.raises(BadValue, match=message):
            run_sweep(sweep_of(text.replace("NAME", name), folder), folder / name, base=folder)
    with pytest.raises(UnknownName, match=r"script: climb\.py: there is no function 'hil'"):
        run_sweep(sweep_of(text.replace("NAME", "hil"), folder), folder / "hil", base=folder)


def test_column_with_numbers_and_texts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="column 'a' has values of the types int and str"):
        write_rows(tmp_path / "t.parquet", [{"a": 1}, {"a": "two"}])
    write_rows(tmp_path / "t.parquet", [{"a": 1, "b": None}, {"a": 2.5, "b": True}])
    assert read_rows(tmp_path / "t.parquet") == [{"a": 1.0, "b": None}, {"a": 2.5, "b": True}]


def suite_trial(text: str, folder: Path) -> Any:
    """Return the trial of the only run of a sweep of the mobility suite."""
    sweep = sweep_of(text, folder)
    subject = find_subject(sweep, folder)
    assert isinstance(subject, TrialSubject)
    return subject.trial(make_run(sweep, 0, Points(sweep)[0]))


def test_runs_of_the_mobility_suite_equal_those_of_the_suite(folder: Path) -> None:
    text = """
mobility: step
robot: quince
set: {size: 120, friction: 0.4, robot.method: wheels}
vary: {front_deg: [30]}
"""
    trial = suite_trial(text, folder)
    options = {"method": "wheels", "front_deg": 30}
    candidate = replace(measure_candidate("quince", options), friction=0.4)
    expected = mobility_trial(candidate, "step", 120.0)
    assert trial.world == expected.world
    assert (trial.limit, trial.goal, trial.seed) == (expected.limit, expected.goal, expected.seed)
    assert trial.case == {"front_deg": 30}


def test_keys_of_world_and_policy_reach_a_run_of_the_suite(folder: Path) -> None:
    (folder / "creep.py").write_text(
        "class Creep:\n"
        "    def __init__(self, speed=0.1):\n"
        "        self.speed = speed\n"
        "    def __call__(self, observation):\n"
        "        return {'forward': self.speed}\n"
    )
    text = """
mobility: step
robot: packbot
policy: creep.py:Creep
set: {size: 100, physics.iterations: 7, terrain.0.friction: 0.9}
vary: {policy.speed: [0.2]}
"""
    trial = suite_trial(text, folder)
    assert trial.world.physics.iterations == 7
    assert trial.world.terrain[0].friction == 0.9
    assert trial.policy()(None) == {"forward": 0.2}
    plain = suite_trial(text.replace("physics.iterations: 7, terrain.0.friction: 0.9", ""), folder)
    changed = {
        "physics": plain.world.physics.model_copy(update={"iterations": 7}),
        "terrain": (
            plain.world.terrain[0].model_copy(update={"friction": 0.9}),
            *plain.world.terrain[1:],
        ),
    }
    assert trial.world == plain.world.changed(**changed), "nothing else differs"


def test_summary_has_effects_and_maps(folder: Path) -> None:
    result = run_sweep(load_sweep(folder / "climb.yaml"), folder / "out", base=folder)
    summary = Summary(result)
    assert summary.is_share
    passed = sum(bool(row["success"]) for row in result.rows)
    total = summary.total
    assert (total.value, total.low, total.high) == (passed / 42, *wilson(passed, 42))
    height = next(e for e in summary.main_effects() if e.parameter == "height")
    assert [round(one.value, 2) for one in height.estimates] == [1.0, 0.67, 0.67, 0.33, 0.33, 0, 0]
    [over] = summary.maps()
    assert (over.x, over.y, over.fixed) == ("friction", "height", {})
    for j, h in enumerate(over.ys):
        for i, mu in enumerate(over.xs):
            assert over.value[j, i] == float(h < mu / 2)  # type: ignore[operator]
    assert (over.runs == 2).all()
    assert over.low[0, 0] == pytest.approx(wilson(2, 2)[0])


def test_parameters_with_many_values_are_binned(folder: Path) -> None:
    text = """
script: climb.py:climb
sample: latin-hypercube
points: 400
vary: {height: {min: 0, max: 0.4}, friction: {min: 0.2, max: 0.8}}
"""
    summary = Summary(run_sweep(sweep_of(text, folder), folder / "out", base=folder))
    [over] = summary.maps()
    assert over.value.shape == (12, 12)
    assert over.runs.sum() == 400
    grid = np.array(over.ys, float)[:, None] < np.array(over.xs, float)[None, :] / 2
    clear = np.isfinite(over.value) & ((over.value == 0) | (over.value == 1))
    assert (over.value[clear] == grid[clear]).mean() > 0.95


def test_command_writes_table_page_and_json(folder: Path) -> None:
    out, page, facts = folder / "out", folder / "page", folder / "facts.json"
    given = ("sweep", folder / "climb.yaml", "--out", out)
    done = grouser(*given, "--report", page, "--json", facts)
    assert done.exit_code == 0, done.output
    assert "probability of success: 0.429" in done.stdout
    content = json.loads(facts.read_text())
    assert [mark["text"] for mark in content["marks"]] == ["S", "F"]
    assert content["marks"][0]["measured"].startswith("1 (0.34")
    assert content["maps"][0]["value"][0] == [1.0, 1.0, 1.0]
    html = (page / "index.html").read_text()
    assert html.count("<img") == 3
    assert "Points of reference" in html
    assert error_line(grouser(*given)) == (
        f"{out}: has a sweep already, use --resume or another folder"
    )
    again = grouser(*given, "--resume")
    assert again.stdout.replace("\n", "").startswith("probability of success: 0.429")


def test_command_refuses_options_that_do_not_fit(folder: Path) -> None:
    file = folder / "climb.yaml"
    assert "robot needs --over" in error_line(grouser("sweep", "quince"))
    assert "need --over" in error_line(grouser("sweep", file, "--sizes", "3"))
    refused = error_line(grouser("sweep", "quince", "--over", "front_deg=0", "--resume"))
    assert "need a sweep file" in refused
    assert "there is no such file" in error_line(grouser("sweep", folder / "none.yaml"))


HILL = """
script: climb.py:hill
measure: value
vary: {x: {min: 0, max: 1}, kind: [good, bad]}
optimise: {maximise: value, points: 24, batch: 3}
"""


def test_search_finds_the_best_point_and_is_resumed(folder: Path) -> None:
    pytest.importorskip("optuna")
    sweep = sweep_of(HILL, folder)
    best = optimise(sweep, folder / "whole", base=folder)
    assert best.point["kind"] == "good"
    assert best.point["x"] == pytest.approx(0.3, abs=0.1)
    assert best.value == max(row["value"] for row in best.result.rows)  # type: ignore[type-var]
    options = SweepOptions(chunk=1, chunk_time=0.0, progress=interrupt_at(11))
    with pytest.raises(KeyboardInterrupt):
        optimise(sweep, folder / "parts", options, base=folder)
    resumed = optimise(sweep, folder / "parts", SweepOptions(resume=True), base=folder)
    assert table_bytes(resumed.result) == table_bytes(best.result)
    assert resumed.point == best.point
    mistaken = sweep_of(HILL.replace("maximise: value", "maximise: values"), folder)
    with pytest.raises(GrouserError, match="there is no column 'values'"):
        optimise(mistaken, folder / "bad", base=folder)


RESUMING = """
from pathlib import Path
from grouser.sweeps.run import SweepOptions, run_sweep
from grouser.sweeps.sweep_file import load_sweep

out = Path("killed")
options = SweepOptions(chunk=4, chunk_time=0.0, resume=(out / "sweep.json").exists())
run_sweep(load_sweep("other.yaml"), out, options)
"""


@pytest.mark.slow
def test_killed_sweep_is_resumed_with_the_same_bytes(folder: Path) -> None:
    """SIGKILL at random moments: at most one chunk and the running trials are lost."""
    text = DRIVES.replace("count: 3", "count: 40").replace("[0.2, 0.8]", "[0.2, 0.4, 0.8]")
    whole = run_sweep(sweep_of(text, folder), folder / "whole", base=folder)
    draws, out, kills, least = random.Random(35), folder / "killed", 0, 0
    while not (out / "table.parquet").exists():
        process = subprocess.Popen([sys.executable, "-c", RESUMING], cwd=folder)
        wanted = _count_chunks(out) + draws.randrange(6)
        while kills < 5 and process.poll() is None and _count_chunks(out) < wanted:
            time.sleep(0.01)
        if kills < 5 and process.poll() is None:
            time.sleep(draws.uniform(0.0, 0.2))
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait(timeout=300)
        if not (out / "table.parquet").exists():
            assert process.returncode == -signal.SIGKILL
            assert _count_finished(out) >= least, "finished chunks are kept"
            least = _count_finished(out)
    assert least > 0
    assert (out / "table.parquet").read_bytes() == table_bytes(whole)


def _count_chunks(out: Path) -> int:
    return len(list((out / "parts").glob("[0-9]*.parquet")))


@pytest.mark.slow
def test_limits_are_those_of_the_suite(folder: Path) -> None:
    text = "mobility: step\nrobot: packbot\nfind_limit: true\nvary: {method: [wheels, surface]}\n"
    sweep = sweep_of(text + "measure: limit\n", folder)
    rows = run_sweep(sweep, folder / "out", base=folder).rows
    for row in rows:
        candidate = measure_candidate("packbot", {"method": row["method"]})
        assert (row["limit"], row["failed"]) == nominal_bracket(candidate, "step")


@pytest.mark.slow
def test_plans_are_swept(folder: Path) -> None:
    pytest.importorskip("ompl")
    text = """
plan: bumps
start: [-1.6, 0.0]
goal: {x: -1.0, y: 0.0}
time_limit: 20.0
measure: probability
set: {plan.candidates: 1, plan.trials: 2, plan.rounds: 1, plan.planner: roadmap}
vary: {driver.r_path: [0.1, 0.2]}
"""
    rows = run_sweep(sweep_of(text, folder), folder / "out", base=folder).rows
    assert [row["trials"] for row in rows] == [2, 2]
    assert all(0 <= float(row["probability"] or 0) <= 1 for row in rows)


def test_resume_uses_what_other_processes_wrote(folder: Path) -> None:
    """A chunk that is being written when a process ends is ignored."""
    sweep = load_sweep(folder / "climb.yaml")
    options = SweepOptions(chunk=4, chunk_time=0.0, progress=interrupt_at(10))
    with pytest.raises(KeyboardInterrupt):
        run_sweep(sweep, folder / "out", options, base=folder)
    (folder / "out" / "parts" / ".draft.parquet").write_bytes(b"PAR1")
    whole = run_sweep(sweep, folder / "whole", base=folder)
    resumed = run_sweep(sweep, folder / "out", SweepOptions(resume=True), base=folder)
    assert table_bytes(resumed) == table_bytes(whole)
    (folder / "out" / "table.parquet").write_bytes(b"PAR1 damaged")
    with pytest.raises(BadValue, match="is no table of a sweep"):
        run_sweep(sweep, folder / "out", SweepOptions(resume=True), base=folder)


def test_runs_are_described_in_messages() -> None:
    run = SweepRun(3, 0, {"height": 0.1, "kind": "good"}, {}, 0, varied=False)
    assert str(run) == "run 3 (height 0.1, kind good)"
