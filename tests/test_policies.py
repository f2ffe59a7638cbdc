"""Policies: a controller with equal results in a simulation, in trials, on the command line."""

import dataclasses
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cli_runner import error_line
from support.cli_runner import grouser as cli
from support.server_fixtures import ServerProcess, wait_until
from support.source_tree import ROOT

import grouser
from grouser.errors import BadValue, PolicyFailed, UnknownName
from grouser.frames import Array
from grouser.mobility.suite import measure_candidate, nominal_runs, sweep
from grouser.service.host import Host, HostRules
from grouser.simulation.changes.actions import Leave, Reset
from grouser.trials import Goal, Trial, run_trials
from grouser.trials.draws import Draw
from grouser.trials.intervals import wilson
from grouser.trials.path_trials import PathCourse
from grouser.trials.processes import ProcessRunner
from grouser.trials.simulation_lane import needs_simulation
from grouser.trials.starts import TrialStart
from grouser.trials.threads import ThreadRunner
from grouser.trials.trial import Place
from grouser.world.file import World

EXAMPLE = ROOT / "examples" / "15_a_policy_climbs_a_step.py"
CLIMBER = f"{EXAMPLE}:StepClimber"
FAST, ALL = 8, 200
"""Numbers of trials in the fast and in the slow suite."""


def step_world(height: float = 0.2, factory: Any = None) -> World:
    world = grouser.load("quince_step", [f"terrain.1.height={height}"])
    return world if factory is None else grouser.equip(world, "quince", factory)


def climbs(world: World, count: int, policy: Any) -> list[Trial]:
    return [
        Trial(
            world=world,
            robot="quince",
            limit=9.0,
            goal=Goal(x=1.2, z=0.25),
            policy=policy,
            seed=seed,
        )
        for seed in range(count)
    ]


@pytest.mark.parametrize("count", [FAST, pytest.param(ALL, marks=pytest.mark.slow)])
def test_a_policy_has_the_same_result_per_seed_in_trials_and_simulations(count: int) -> None:
    """Acceptance: 20 lines on an inertial sensor and encoders climb a step."""
    climber = grouser.load_policy(CLIMBER)
    world = step_world(factory=climber)
    outcomes = run_trials(climbs(world, count, climber))
    assert len({outcome.fingerprint for outcome in outcomes}) == count, "the sensor has noise"
    for seed, outcome in enumerate(outcomes):
        simulation = grouser.Simulation(world, seed=seed)
        simulation.robots["quince"].control(climber())
        simulation.step(simulation.round_to_steps(outcome.time))
        assert simulation.fingerprint() == outcome.fingerprint
    low, _ = wilson(sum(outcome.arrived for outcome in outcomes), count)
    assert low > (0.6 if count == FAST else 0.95)


def test_a_policy_has_the_same_result_per_seed_on_the_command_line(tmp_path: Path) -> None:
    world = step_world(factory=grouser.load_policy(CLIMBER))
    outcomes = run_trials(climbs(world, 2, grouser.load_policy(CLIMBER)))
    for seed, outcome in enumerate(outcomes):
        log = tmp_path / f"{seed}.npz"
        run = cli(
            *("run", "quince_step", "--set", "terrain.1.height=0.2", "--policy", CLIMBER),
            *("--seed", seed, "--seconds", outcome.time, "--log", log, "--log-rate", 10),
        )
        assert run.exit_code == 0, run.output
        with np.load(log) as file:
            logged = np.column_stack([file[name] for name in ("x_m", "y_m", "z_m")])
        np.testing.assert_array_equal(logged[1:], outcome.positions)


def test_mobility_and_sweep_run_a_policy_as_a_simulation_does() -> None:
    climber = grouser.load_policy(CLIMBER)
    candidate = measure_candidate("quince", {}, policy=climber)
    [high, too_high] = nominal_runs(candidate, {"step": [200, 300]}, seed=4)
    assert high.passed
    assert not too_high.passed
    moved = measure_candidate("quince", {"centre_x": 0.01}, policy=climber)
    [swept] = sweep("quince", {}, "centre_x", [0.01], "step", [200], policy=climber, seed=4)
    [alone] = nominal_runs(moved, {"step": [200]}, seed=4)
    assert swept.outcome.fingerprint == alone.outcome.fingerprint
    trial = high.outcome.trial
    assert trial.seed == 4
    simulation = grouser.Simulation(trial.world, seed=4)
    simulation.robots["quince"].control(climber())
    simulation.step(simulation.round_to_steps(high.outcome.time))
    assert simulation.fingerprint() == high.outcome.fingerprint
    others = nominal_runs(candidate, {"step": [200]}, seed=5)
    assert others[0].outcome.fingerprint != high.outcome.fingerprint


def test_commands_take_a_policy(tmp_path: Path) -> None:
    results = []
    for command in (("mobility", "--test", "step"), ("sweep", "--over", "centre_x=0.01")):
        file = tmp_path / f"{command[0]}.json"
        options = ("--set", "centre_x=0.01") if command[0] == "mobility" else ()
        run = cli(
            *(command[0], "quince", *command[1:], *options, "--sizes", "200", "--seed", 4),
            *("--policy", CLIMBER, "--json", file),
        )
        assert run.exit_code == 0, run.output
        results.append(json.loads(file.read_text())["runs"][0]["passed"])
    assert results == [True, True]
    plan = cli(
        *("plan", "quince_step", "--from", "-0.5,0.5", "--to", "-0.5,-0.5", "--within=-2,-1,0,1"),
        *("--candidates", 1, "--trials", 1, "--rounds", 1, "--limit", 2),
        *("--policy", CLIMBER, "--policy-rate", 5, "--json", tmp_path / "plan.json"),
    )
    assert plan.exit_code in (0, 1), plan.output
    assert "1" in (tmp_path / "plan.json").read_text()


class Recorder:
    """Records observations and drives forward."""

    def __init__(self) -> None:
        self.seeds: list[int] = []
        self.seen: list[grouser.Observation] = []

    def reset(self, seed: int) -> None:
        self.seeds.append(seed)
        self.seen.clear()

    def __call__(self, seen: grouser.Observation) -> dict[str, float]:
        self.seen.append(seen)
        return {"forward": 0.2}


class TrueRecorder(Recorder):
    truth = True
    sensors = ("encoder", "truth")
    rate_hz = 40.0


def test_observations_contain_requested_readings_and_truth_only() -> None:
    sim = grouser.Simulation("quince_step", seed=3)
    quince, blind, seeing = sim.robots["quince"], Recorder(), TrueRecorder()
    with quince.control(blind), quince.control(seeing):
        sim.step(0.5)
    assert [round(seen.time, 6) for seen in blind.seen] == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert len(seeing.seen) == 20
    assert blind.seeds == seeing.seeds == [3]
    with pytest.raises(BadValue, match="the true pose was not requested; declare truth = True"):
        blind.seen[0].position  # noqa: B018
    with pytest.raises(BadValue, match="reading 'encoder' was not requested .requested: none.*add"):
        blind.seen[0].readings["encoder"]
    with pytest.raises(BadValue, match="requested: encoder, truth.*did you mean 'encoder'"):
        seeing.seen[0].readings["encodr"]
    last, velocity = seeing.seen[-1], quince.velocity
    truth = last.truth
    assert truth is not None
    np.testing.assert_array_equal(last.position, quince.pose.position)
    np.testing.assert_array_equal(last.wxyz, quince.pose.wxyz)
    np.testing.assert_allclose(truth.linear, velocity.linear, atol=1e-9)
    np.testing.assert_allclose(truth.angular, velocity.angular, atol=1e-9)
    assert last.readings["encoder"] == quince.sensors["encoder"].read()
    sim.step(0.5)
    assert len(blind.seen) == 5, "the control has been closed"


def test_a_reset_of_the_world_resets_the_policy() -> None:
    sim = grouser.Simulation("quince_step", seed=3)
    policy = Recorder()
    sim.robots["quince"].control(policy)
    sim.step(0.3)
    first = sim.fingerprint()
    sim.apply(Reset())
    sim.step(0.3)
    sim.reset(seed=4)
    assert policy.seeds == [3, 3, 4]
    sim.step(0.3)
    assert sim.fingerprint() == first
    sim.apply(Leave("quince"))
    sim.step(0.3)
    assert len(policy.seen) == 3, "a removed robot has no controller"


@pytest.mark.parametrize("policy", [Recorder, TrueRecorder])
def test_a_trial_equals_the_simulation_at_any_rate(policy: type[Recorder]) -> None:
    world = grouser.load("quince_step")
    trial = Trial(world=world, robot="quince", limit=1.0, policy=policy)
    assert bool(needs_simulation(trial)) == (policy is TrueRecorder)
    sim = grouser.Simulation(world)
    sim.robots["quince"].control(policy)
    sim.step(1.0)
    assert run_trials([trial])[0].fingerprint == sim.fingerprint()


def test_truth_in_a_batch_equals_that_of_a_simulation() -> None:
    class Faster(Recorder):
        truth = True

        def __call__(self, seen: grouser.Observation) -> dict[str, float]:
            assert seen.truth is not None
            return {"forward": 0.1 + float(np.linalg.norm(seen.truth.linear))}

    world = grouser.load("quince_step")
    trial = Trial(world=world, robot="quince", limit=1.0, policy=Faster)
    assert not needs_simulation(trial)
    sim = grouser.Simulation(world)
    sim.robots["quince"].control(Faster)
    sim.step(1.0)
    assert run_trials([trial] * 3)[2].fingerprint == sim.fingerprint()


def test_policies_of_files_are_picklable_and_import_their_neighbours(tmp_path: Path) -> None:
    (tmp_path / "gains.py").write_text("GAIN = 0.125\n")
    (tmp_path / "gentle.py").write_text(
        "import gains\nclass Gentle:\n    def __call__(self, seen):\n"
        "        return {'forward': gains.GAIN}\n"
    )
    source = grouser.load_policy(f"{tmp_path}/gentle.py:Gentle")
    again = pickle.loads(pickle.dumps(source))
    assert again == source
    observation = grouser.Observation(0.0)
    assert again()(observation) == source()(observation) == {"forward": 0.125}


GOOD = "class Good:\n    def __call__(self, seen):\n        return None\n"


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("climber.py:Climber", None, "there is no file climber.py; did you mean 'climbr.py'?"),
        ("no.such.module:Climber", None, "there is no module 'no' on the import path"),
        ("climbr.py", None, "must be FILE.py:CLASS or package.module:CLASS"),
        ("climbr.py:Goud", GOOD, "there is no policy 'Goud'.*did you mean 'Good'?"),
        ("climbr.py:Good", "import absent_module", "cannot be imported .ModuleNotFoundError"),
        ("climbr.py:Good", "class Good(:", "cannot be imported .SyntaxError"),
        ("climbr.py:Good", "Good = 3", "'Good' in climbr.py is a value of type int, must be the"),
        ("climbr.py:Good", "class Good: pass", "makes a value of type Good, which cannot be call"),
        ("climbr.py:Good", GOOD + "    def __init__(self, a): pass", "without arguments"),
        (
            "climbr.py:Good",
            GOOD + "    def __init__(self): 1 / 0",
            r"Good cannot be created: ZeroDivisionError: division by zero \(climbr.py line 4\)",
        ),
        (
            "climbr.py:Good",
            GOOD + "    sensors = 'imu'",
            r"sensors is 'imu', must be names, such as \('INS',\)",
        ),
        ("climbr.py:Good", GOOD + "    sensors = ('imu',)", "there is no sensor 'imu'.*Scanner1"),
        ("climbr.py:Good", GOOD + "    sensors = ('Camera',)", "is a camera, and policies receive"),
        ("climbr.py:Good", GOOD + "    sensors = ('truth',)", "true pose; declare truth = True"),
        ("climbr.py:Good", GOOD + "    rate_hz = 2e4", "rate_hz is 20000.0, must be above 0 and"),
        ("robot=climbr.py:Good", GOOD, "there is no robot 'robot' .there are: quince"),
    ],
)
def test_policies_that_cannot_be_used_are_refused_in_one_sentence(
    text: str, code: str | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "climbr.py").write_text(code or GOOD)
    result = cli("run", "quince_step", "--seconds", 0.2, "--policy", text)
    assert re.search(message, error_line(result))


BODY = "class Bad:\n    def __call__(self, seen):\n        "


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("return 1.0", "returned 1.0, must be a command such as {'forward': 0.2}, or None"),
        ("return {'foward': 1.0}", "there is no drive 'foward'.*did you mean 'forward'"),
        ("return {'forward': 'fast'}", "forward is 'fast', a number is needed"),
        ("return {'front': float('nan')}", "angle is nan, a finite number is needed"),
        ("return {3: 1.0}", "3 is not a name"),
        ("if seen.time > 0.25: return {}['speed']", r"KeyError: 'speed' \(bad.py line 3\)"),
        ("return seen.readings['imu']", r"reading 'imu' was not requested.*\(bad.py line 3\)"),
    ],
)
def test_failures_of_a_policy_name_robot_and_time(
    code: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.py").write_text(BODY + code)
    result = cli("run", "quince_step", "--seconds", 0.5, "--policy", "bad.py:Bad")
    assert result.exit_code == 1
    time = "0.300" if "time" in code else "0.100"
    assert f"grouser: policy Bad of robot 'quince' at {time} s: " in result.stderr
    assert re.search(message, result.stderr)
    assert result.stderr.count("\n") == 1
    assert "quince_step" in result.stdout, "results up to the failure are printed"
    trial = Trial(
        world=grouser.load("quince_step"),
        robot="quince",
        limit=0.5,
        policy=grouser.load_policy("bad.py:Bad"),
    )
    with pytest.raises(PolicyFailed, match=f"policy Bad of robot 'quince' at {time} s: "):
        run_trials([trial])


def test_a_failed_policy_stops_its_robot_and_ends_step() -> None:
    def fail(seen: grouser.Observation) -> dict[str, float]:
        if seen.time > 0.25:
            raise ValueError("no idea")
        return {"forward": 0.2}

    sim = grouser.Simulation("quince_step")
    control = sim.robots["quince"].control(fail)
    with pytest.raises(PolicyFailed, match=r"policy fail .* at 0.300 s: ValueError: no idea"):
        sim.step(1.0)
    assert isinstance(control.error, PolicyFailed)
    assert sim.time == pytest.approx(0.3)
    sim.step(1.0)
    assert np.linalg.norm(sim.robots["quince"].velocity.linear) < 0.01


def test_misuse_in_python_is_refused_in_one_sentence() -> None:
    world = grouser.load("quince_step")
    quince = grouser.Simulation(world).robots["quince"]
    with pytest.raises(BadValue, match="3 is no policy, it cannot be called"):
        quince.control(3)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="trial: policy is 3, must be the class of a policy"):
        Trial(world=world, robot="quince", limit=1.0, policy=3)  # type: ignore[arg-type]
    one = Trial(world=world, robot="quince", limit=1.0, policy=Recorder())  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="trial: Recorder cannot be called without arguments"):
        run_trials([one])
    hidden = Trial(world=world, robot="quince", limit=1.0, policy=lambda: TrueRecorder())
    with pytest.raises(BadValue, match="TrueRecorder hides that it declares encoder, truth, rate"):
        run_trials([hidden])
    with pytest.raises(UnknownName, match="no robot 'quinc'.*did you mean 'quince'"):
        grouser.equip(world, "quinc", Recorder)
    with pytest.raises(BadValue, match="seed is -1, must be a whole number"):
        Trial(world=world, robot="quince", limit=1.0, seed=-1)


def test_worlds_with_several_robots_name_the_robot(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(GOOD)
    policy = f"{tmp_path}/good.py:Good"
    line = error_line(cli("run", "match_2v2", "--seconds", 0.1, "--policy", policy))
    assert "must be ROBOT=" in line
    assert "--policy-rate needs --policy" in error_line(
        cli("run", "quince_step", "--policy-rate", 20)
    )
    twice = ("--policy", f"quince={policy}", "--policy", f"quince={policy}")
    assert "already has a policy" in error_line(cli("run", "quince_step", *twice))


def test_a_path_is_part_of_the_observation() -> None:
    paths: list[Array | None] = []

    class Flippers:
        def __call__(self, seen: grouser.Observation) -> dict[str, float]:
            paths.append(seen.path)
            return {"front": 0.5}

    course = PathCourse(
        grouser.load("quince_step"), "quince", Place(x=0.3, y=0.0, within=0.05), policy=Flippers
    )
    line = np.array([[0.0, 0.0], [0.4, 0.0]])
    [outcome] = run_trials([course.trial(line, Draw(seed=7))])
    assert outcome.arrived, "the path driver steers"
    assert outcome.trial.seed == 7
    assert len(paths) == len(outcome.times)
    np.testing.assert_array_equal(paths[0], line)


def test_a_served_policy_does_what_it_does_in_a_simulation(tmp_path: Path) -> None:
    climber = grouser.load_policy(CLIMBER)
    world = step_world(factory=climber)
    served, alone = (grouser.Simulation(world, seed=2) for _ in range(2))
    for simulation in (served, alone):
        simulation.robots["quince"].control(climber())
    host = Host(served, HostRules(tick=0.002))
    while served.time < 6.0 - 1e-9:
        host.advance()
    alone.step(served.time)
    assert served.fingerprint() == alone.fingerprint()
    options = ("--set", "terrain.1.height=0.2", "--policy", CLIMBER, "--speed", "10")
    with ServerProcess(tmp_path, "quince_step", *options) as server:
        wait_until(lambda: float(server.console("list robots").split()[3]) > 1.2)


def test_a_served_policy_that_fails_stops_its_robot_and_is_reported(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BODY + "return 1.0")
    arguments = ("quince_step", "--policy", "bad.py:Bad", "--speed", "10", "--seconds", "3")
    ports = ("--port", "0", "--truth", "0", "--images", "-1")
    run = subprocess.run(
        [sys.executable, "-m", "grouser", "serve", *arguments, *ports],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    sentence = "policy Bad of robot 'quince' at 0.100 s: returned 1.0, must be a command"
    assert run.returncode == 1
    assert run.stderr.count(sentence) == 2, "once in the log, once at the end"
    assert "the robot is stopped" in run.stderr


def test_sensors_of_a_trial_begin_at_its_start() -> None:
    poses: list[tuple[float, float]] = []

    class Watch:
        sensors = ("imu",)
        equipment = ({"kind": "ins", "name": "imu", "mount": "body", "rate_hz": 5},)

        def __call__(self, seen: grouser.Observation) -> None:
            imu = seen.readings["imu"]
            poses.append((imu["x"], imu["yaw"]))

    still = grouser.load("quince_step", ["robots.0.command={}"])
    world = grouser.equip(still, "quince", Watch)
    turn = (np.cos(0.4), 0.0, 0.0, np.sin(0.4))
    start = TrialStart(position=(-1.0, 0.5, 0.0921), wxyz=turn)
    run_trials([Trial(world=world, robot="quince", limit=0.3, policy=Watch, start=start)])
    np.testing.assert_allclose(poses, [(-1.0, 0.8)] * 3, atol=0.01)


def test_trials_of_one_world_do_not_influence_each_other() -> None:
    """A lane resets its simulation instead of compiling the world again."""
    climber = grouser.load_policy(CLIMBER)
    world = step_world(factory=climber)
    first, second, third = climbs(world, 3, climber)
    drawn = dataclasses.replace(
        third,
        start=TrialStart(position=(0.0, 0.0, 0.0921), wxyz=(1.0, 0.0, 0.0, 0.0), friction=0.8),
    )
    alone = [run_trials([trial])[0].fingerprint for trial in (first, second, drawn)]
    mixed = run_trials([first, drawn, second, drawn, first, second], runner=ThreadRunner(threads=1))
    a, b, c = alone
    assert [outcome.fingerprint for outcome in mixed] == [a, c, b, c, a, b]
    assert len(set(alone)) == 3


def test_a_policy_of_a_file_runs_in_other_processes(tmp_path: Path) -> None:
    (tmp_path / "gentle.py").write_text(
        "class Gentle:\n    sensors = ('encoder',)\n    def __call__(self, seen):\n"
        "        return {'forward': 0.1 + seen.readings['encoder']['left']}\n"
    )
    policy = grouser.load_policy(f"{tmp_path}/gentle.py:Gentle")
    trial = Trial(world=grouser.load("quince_step"), robot="quince", limit=0.5, policy=policy)
    [here], [there] = run_trials([trial]), run_trials([trial], runner=ProcessRunner(processes=1))
    assert there.fingerprint == here.fingerprint
