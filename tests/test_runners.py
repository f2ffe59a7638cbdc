"""Runners: equal bits in threads and processes, lost workers, cancelling, errors."""

from __future__ import annotations

import dataclasses
import json
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.cli_runner import error_line, grouser
from support.narrowing import not_none
from test_batch_equals_simulation import eventful_world
from test_trials import outcome_bits, trials, world

from grouser.errors import BadValue, GrouserError, PolicyFailed, UnknownName
from grouser.simulation.policy import Observation
from grouser.trials.processes import ProcessRunner
from grouser.trials.runner import Runner, find_runner, run_trials, runners
from grouser.trials.threads import ThreadRunner
from grouser.trials.trial import Trial
from grouser.world.file import RobotEntry


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessRunner]:
    """Two worker processes, kept for all tests."""
    with ProcessRunner(2) as runner:
        yield runner
    assert not multiprocessing.active_children(), "workers end with their runner"


class Follow:
    """Policy that sets the speed by a noisy gyroscope."""

    def __call__(self, observation: Observation) -> dict[str, float]:
        return {"forward": 0.2 + observation.readings["gyro"]["x"]}


class Failing:
    """Policy that raises an error of the user's own."""

    def __call__(self, observation: Observation) -> dict[str, float]:
        raise OwnError(observation.time, "no plan for this place")


class OwnError(Exception):
    """Error that cannot be restored from its pickle."""

    def __init__(self, time: float, text: str) -> None:
        super().__init__(text)


def fail_to_start() -> Failing:
    """Raise an error instead of returning a policy."""
    raise OwnError(0.0, "no start")


class Fatal:
    """Policy that ends its process."""

    def __call__(self, observation: Observation) -> dict[str, float]:
        os.kill(os.getpid(), signal.SIGKILL)
        return {}


class Record:
    """Policy that appends the time of each sample to a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, observation: Observation) -> None:
        with self.path.open("a") as file:
            file.write(f"{observation.time}\n")


@dataclasses.dataclass(frozen=True)
class RecordTo:
    """Factory of `Record`."""

    path: Path

    def __call__(self) -> Record:
        return Record(self.path)

    def last(self) -> float:
        """Return the time of the last sample, s; 0: none yet."""
        written = self.path.read_text().split("\n")[:-1] if self.path.exists() else []
        return float(written[-1]) if written else 0.0


def sensing_trial() -> Trial:
    gyroscope = {"kind": "gyroscope", "name": "gyro", "mount": "body", "noise": 0.05}
    start = world()
    robot: RobotEntry = start.robots[0].model_copy(update={"sensors": (gyroscope,)})
    return Trial(
        world=start.changed(robots=(robot,)),
        robot="packbot",
        limit=0.4,
        policy=Follow,
        sensors=("gyro",),
        sample_period=0.04,
    )


def mixed_trials() -> list[Trial]:
    """Return trials of several layouts and sample periods, with events and with sensors."""
    events = Trial(world=eventful_world(), robot="quince", limit=1.0, tipped_beyond=math.inf)
    other = [dataclasses.replace(trial, sample_period=0.05) for trial in trials()[:2]]
    return [*trials(), events, sensing_trial(), *other]


@pytest.mark.parametrize("name", ["threads:1", "threads:3"])
def test_outcomes_have_the_same_bits_in_threads_and_processes(
    name: str, processes: ProcessRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = mixed_trials()
    reference = run_trials(given)
    if name == "threads:1":  # and with few compiled worlds at the same time
        monkeypatch.setattr("grouser.trials.threads.WORLDS", 2)
    assert len(reference[-1].times) > len(reference[1].times), "the trial sets the sample period"
    for runner in (name, processes):
        outcomes = run_trials(given, runner=runner)
        assert outcome_bits(outcomes) == outcome_bits(reference)
        assert [(o.work, o.effort) for o in outcomes] == [(o.work, o.effort) for o in reference]
        assert all(
            o.spent.tobytes() == r.spent.tobytes() for o, r in zip(outcomes, reference, strict=True)
        )
        assert [outcome.trial for outcome in outcomes] == given


def test_trials_of_a_killed_worker_run_in_another_one(processes: ProcessRunner) -> None:
    given = [dataclasses.replace(trial, limit=3.0, goal=None) for trial in 4 * trials()[:3]]
    given = [dataclasses.replace(one, case={"number": i}) for i, one in enumerate(given)]
    before = {child.pid for child in multiprocessing.active_children()}
    received: dict[int, object] = {}
    for number, outcome in processes.run(given):
        assert number not in received, "exactly one outcome of each trial"
        received[number] = outcome
        if len(received) == 1:
            for child in multiprocessing.active_children():
                child.kill()
    assert outcome_bits(received[i] for i in range(len(given))) == outcome_bits(run_trials(given))
    after = {child.pid for child in multiprocessing.active_children()}
    assert after
    assert not before & after, "killed workers are replaced"


def test_trial_that_ends_its_workers_is_reported(processes: ProcessRunner) -> None:
    given = [*trials()[:2], dataclasses.replace(trials()[2], policy=Fatal), *trials()[3:]]
    finished: set[int] = set()
    with pytest.raises(GrouserError, match=r"trial 2: .* ended 4 times, .* with signal SIGKILL"):
        finished.update(number for number, _ in processes.run(given))
    assert len(run_trials(trials(), runner=processes)) == len(trials()), "it can be used again"


def test_error_of_a_policy_ends_the_run(processes: ProcessRunner) -> None:
    given = [*trials(), dataclasses.replace(trials()[0], policy=Failing)]
    with pytest.raises(PolicyFailed, match="OwnError: no plan for this place") as here:
        run_trials(given)
    with pytest.raises(PolicyFailed) as there:
        run_trials(given, runner=processes)
    assert str(there.value) == str(here.value)


def test_error_that_cannot_be_restored_is_reported_as_text(processes: ProcessRunner) -> None:
    given = [dataclasses.replace(trials()[0], policy=fail_to_start)]
    with pytest.raises(GrouserError, match="OwnError: no start"):
        run_trials(given, runner=processes)


def test_error_of_a_world_is_the_same_in_a_process(processes: ProcessRunner) -> None:
    robot = world().robots[0].model_copy(update={"options": {"colour": "red"}})
    given = [Trial(world=world().changed(robots=(robot,)), robot="packbot", limit=1.0)]
    with pytest.raises(BadValue) as here:
        run_trials(given)
    with pytest.raises(BadValue) as there:
        run_trials(given, runner=processes)
    assert str(there.value) == str(here.value)


def test_policy_that_cannot_be_sent_is_named(processes: ProcessRunner) -> None:
    given = [*trials()[:2], dataclasses.replace(trials()[0], policy=lambda: Follow())]
    with pytest.raises(BadValue, match=r"trial 2: its policy <function .*<lambda>.*> cannot be"):
        run_trials(given, runner=processes)


@pytest.mark.parametrize("name", ["threads", "processes"])
def test_stop_takes_at_most_one_sample_period(
    name: str, processes: ProcessRunner, tmp_path: Path
) -> None:
    runner: Runner = processes if name == "processes" else ThreadRunner(2)
    record = RecordTo(tmp_path / "times")
    endless = dataclasses.replace(trials()[0], limit=1e4, goal=None, policy=record)
    short = dataclasses.replace(trials()[0], limit=0.2, goal=None)
    stopped_at: list[float] = []

    def stop() -> bool:
        if record.last() > 0.5 and finished and not stopped_at:
            stopped_at.append(record.last())
        return bool(stopped_at)

    finished: list[int] = []
    for number, _ in runner.run([endless, short, endless], stop=stop):
        finished.append(number)
    assert finished == [1]
    # A sample takes less wall time than the period in which the process runner calls `stop`.
    allowed = 0.1 if name == "threads" else 20 * 0.1
    assert record.last() <= stopped_at[0] + allowed + 1e-9
    ended = record.last()
    time.sleep(0.2)
    assert record.last() == ended, "nothing runs on"


@pytest.mark.parametrize("name", ["threads", "processes"])
def test_closing_the_run_cancels_it(name: str, processes: ProcessRunner, tmp_path: Path) -> None:
    runner: Runner = processes if name == "processes" else ThreadRunner(2)
    record = RecordTo(tmp_path / "times")
    endless = dataclasses.replace(trials()[0], limit=1e4, goal=None, policy=record)
    for number, _ in runner.run([endless, dataclasses.replace(endless, limit=0.2)]):
        assert number == 1
        break
    ended = record.last()
    time.sleep(0.2)
    assert record.last() == ended


def test_process_runner_refuses_a_second_run_at_the_same_time(processes: ProcessRunner) -> None:
    first = processes.run(trials())
    next(first)
    with pytest.raises(BadValue, match="is running other trials"):
        next(processes.run(trials()))
    first.close()


def test_script_without_main_guard_ends_with_the_reason(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text(
        "import grouser\n"
        "trial = grouser.Trial(world=grouser.load('quince_step'), robot='quince', limit=0.1)\n"
        "grouser.run_trials([trial], runner='processes:1')\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 1
    assert "3 workers ended while they started, the last with exit code 1" in ran.stderr
    assert ran.stderr.rstrip().endswith('if __name__ == "__main__":')


def test_runner_names() -> None:
    before = multiprocessing.active_children()
    assert find_runner(None) == find_runner("threads") == ThreadRunner()
    assert find_runner("threads:3") == ThreadRunner(threads=3)
    assert find_runner(ThreadRunner(2)) == ThreadRunner(2)
    runner = find_runner("processes:3")
    assert isinstance(runner, ProcessRunner)
    assert runner.processes == 3
    assert multiprocessing.active_children() == before, "workers start at first use"
    assert {"threads", "processes"} <= runners().keys()
    with pytest.raises(UnknownName, match="did you mean 'threads'"):
        find_runner("thread:2")
    for text in ("threads:0", "processes:two", "processes:-1", "threads:1.5"):
        with pytest.raises(BadValue, match=f"runner '{text}': must be .*:N with a whole number"):
            find_runner(text)


@pytest.mark.parametrize(
    "command",
    [
        ("sweep", "quince", "--over", "front_deg=0,45", "--sizes", "60"),
        ("mobility", "packbot", "--test", "step", "--sizes", "40,300"),
        ("sweep", "packbot", "--over", "wheels=4,6", "--sizes", "40", "--policy", "turn.py:Turn"),
        ("plan", "plywood_bridge", "--from", "-0.2,0", "--to", "0.2,0", "--planner", "roadmap",
         "--candidates", "2", "--trials", "2", "--rounds", "2"),
        ("experiment", "roach-turning", "--quick"),
        pytest.param(
            ("calibrate", "kenaf_edge_and_slope", "--world", "kenaf_edge_and_slope",
             "--free", "friction"),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ("mobility", "packbot", "--test", "hurdle", "--limit", "--repeats", "2"),
            marks=pytest.mark.slow,
        ),
    ],
    ids=lambda command: command[0] + command[-1].replace("--", "-"),
)  # fmt: skip
def test_command_has_the_same_results_in_processes(
    command: tuple[str, ...], working_folder: Path
) -> None:
    Path("turn.py").write_text(
        "class Turn:\n"
        "    sensors = ('gyro',)\n"
        "    equipment = ({'kind': 'gyroscope', 'name': 'gyro', 'mount': 'body', 'noise': 0.05},)\n"
        "    def __call__(self, observation):\n"
        "        return {'forward': 0.2, 'turn': observation.readings['gyro']['x']}\n"
    )
    found = []
    for runner in ("threads", "processes:2"):
        result = grouser(*command, "--runner", runner, "--json", "found.json")
        assert result.exit_code == 0, result.output
        found.append((result.stdout, json.loads(Path("found.json").read_text())))
    assert found[0] == found[1]
    assert any(found[0][1].get(key) for key in ("runs", "limits", "paths", "rows", "parameters"))


def test_experiment_without_trials_refuses_a_runner() -> None:
    result = grouser("experiment", "cmos-distance", "--runner", "processes")
    assert error_line(result) == "--runner: cmos-distance runs no trials"


@pytest.mark.skipif(sys.platform != "linux", reason="finds child processes in /proc")
@pytest.mark.parametrize("name", ["threads", "processes:2"])
def test_interrupt_ends_a_command_with_one_sentence(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "grouser", "mobility", "quince", "--runner", name]
    running = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        start_new_session=True,  # Ctrl-C reaches all processes of a terminal
        # A shell ignores it for commands in the background.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    tasks = Path(f"/proc/{running.pid}/task")

    def children() -> list[str]:
        return (tasks / str(running.pid) / "children").read_text().split()

    def ready() -> bool:
        if name == "threads":
            return len(list(tasks.iterdir())) > 2
        return len(children()) >= 3  # two workers and Python's resource tracker

    until = time.monotonic() + 60
    while not ready():
        assert running.poll() is None, not_none(running.stderr).read()
        assert time.monotonic() < until
        time.sleep(0.1)
    time.sleep(1.0)
    workers = [Path("/proc") / pid for pid in children()]
    os.killpg(running.pid, signal.SIGINT)
    output, errors = running.communicate(timeout=120)
    assert (running.returncode, errors) == (130, "grouser: interrupted\n"), output
    until = time.monotonic() + 5  # Python's resource tracker ends after the program
    while [worker for worker in workers if worker.exists()]:
        assert time.monotonic() < until, "a worker was left behind"
        time.sleep(0.05)
