"""No silent calls: each mistake of a new user is one clear sentence."""

import logging
import subprocess
import sys
import threading
import types
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import mujoco.viewer
import numpy as np
import pytest
from support.cli_runner import error_line
from support.cli_runner import grouser as cli

import grouser
from grouser.cli.window import watch
from grouser.errors import BadValue, GrouserError
from grouser.physics.drives import angle, torque
from grouser.simulation.simulation import Simulation
from grouser.trials import Trial


@pytest.fixture
def sim() -> Simulation:
    return Simulation("quince_step")


def sensing(options: dict[str, Any]) -> Simulation:
    robot = {"name": "q", "kind": "quince", "position": [0, 0], "sensors": [options]}
    return Simulation({"name": "w", "terrain": [{"kind": "flat"}], "robots": [robot]})


CALLS: list[tuple[str, str]] = [
    # durations
    ("sim.step(0.0004)", "0.0004 s is not a whole number of time steps of 0.001 s"),
    ("sim.step(0.0015)", "0.0015 s is not a whole number of time steps of 0.001 s"),
    ("sim.step('1')", "step: seconds is '1', a number is needed"),
    ("sim.step(-1.0)", "a time of at least 0 is needed"),
    ("sim.step(float('nan'))", "step: nan s, a time of at least 0 is needed"),
    ("sim.round_to_steps('1')", "round_to_steps: seconds is '1', a number is needed"),
    # actions
    ("sim.apply('open gate')", "apply: 'open gate' is not an action"),
    ("sim.apply(None)", "apply: None is not an action"),
    ("sim.schedule(1.0, 'open gate')", "schedule: 'open gate' is not an action"),
    ("sim.schedule('1', grouser.simulation.Leave('quince'))", "schedule: time is '1', a number"),
    ("sim.add('box')", "join: 'box' is neither a RobotEntry nor an object"),
    ("sim.remove('box')", "there is no robot or object 'box'"),
    ("sim.command('quinc', forward=1)", "no robot 'quinc'.*did you mean 'quince'"),
    ("sim.command(3, forward=1)", "there is no robot '3'"),
    ("sim.command('quince', 3)", "command: 3 is no command; a mapping such as"),
    ("sim.command('quince', forward='fast')", "forward is 'fast', a number is needed"),
    ("sim.command('quince', foward=1)", "no drive 'foward'.*did you mean 'forward'"),
    ("sim.command('quince', front=grouser.angle('x'))", "angle is 'x', a finite number"),
    ("sim.command('quince', front=grouser.angle(float('nan')))", "angle is nan, a finite number"),
    # worlds and seeds
    ("Simulation('quince_stp')", "no world 'quince_stp'.*did you mean 'quince_step'"),
    ("Simulation(None)", "NoneType given; a World, a name, a path or a mapping is needed"),
    ("Simulation({})", "the world lacks 'name'"),
    ("grouser.load({})", "load: dict given; a name or a path is needed"),
    ("Simulation('quince_step', seed=-1)", "seed is -1, must be a whole number from 0"),
    ("Simulation('quince_step', seed='1')", "seed is '1', must be a whole number from 0"),
    ("sim.reset(seed=1.5)", "seed is 1.5, must be a whole number from 0"),
    # snapshots and observers
    ("sim.restore(None)", "restore: None is no snapshot; pass the result of save"),
    ("sim.fork(-1)", "fork: count is -1, must be a whole number of at least 0"),
    ("sim.fork('2')", "fork: count is '2', must be a whole number of at least 0"),
    ("sim.subscribe(None)", "NoneType has no method of an observer"),
    # sensors
    ("sim.read('quince', 'gps')", "robot 'quince': there is no sensor 'gps'"),
    ("sim.robots['quince'].sensors['encodr']", "no sensor 'encodr'.*did you mean 'encoder'"),
    ("sim.read('quince', 'truth')['q']", "sensor 'truth': there is no value 'q'"),
    ("sensing({'kind': 'gyroscope'})", "sensor 'gyroscope'.*mount"),
    ("sensing({'kind': 'encoder', 'name': 'e'})", "sensor 'encoder'.*drives"),
    ("sensing({'kind': 'gyroscop', 'mount': 'body'})", "did you mean 'gyroscope'"),
    ("sensing({'kind': 'gyroscope', 'mount': 'body', 'noize': 1})", "did you mean 'noise'"),
    # trials
    ("Trial(world='quince_step', robot='quince', limit=1.0)", "trial: world is 'quince_step', a W"),
    ("Trial(world=sim.world, robot='quinc', limit=1.0)", "trial: watches 'quinc'"),
    ("Trial(world=sim.world, robot='quince', limit=0)", "limit is 0 s, must be above 0"),
]


@pytest.mark.parametrize(("call", "sentence"), CALLS)
def test_a_mistake_is_one_sentence(call: str, sentence: str, sim: Simulation) -> None:
    names = {"sim": sim, "grouser": grouser, "Simulation": Simulation}
    before = sim.fingerprint()
    with pytest.raises(GrouserError, match=sentence) as caught:
        eval(call, names | {"sensing": sensing, "Trial": Trial})
    assert "\n" not in str(caught.value)
    assert sim.fingerprint() == before


def test_the_deprecated_do_refuses_what_is_no_action(sim: Simulation) -> None:
    for value in ("open gate", None):
        with (
            pytest.warns(DeprecationWarning, match="use apply"),
            pytest.raises(BadValue, match="is not an action"),
        ):
            sim.do(value)  # type: ignore[arg-type]


def test_time_is_the_number_of_steps_times_the_time_step(sim: Simulation) -> None:
    sim.step(2.0)
    assert sim.time == 2.0
    for _ in range(1000):
        sim.step()
    assert sim.time == 3.0


NUMPY_NUMBERS: tuple[Any, ...] = np.float32(0.5), np.float32(0.125), np.int64(0)


def test_numpy_numbers_are_numbers(sim: Simulation) -> None:
    half, eighth, zero = NUMPY_NUMBERS
    sim.step(half)
    sim.command("quince", forward=eighth, front=zero)
    sim.step(0.5)
    assert sim.time == 1.0


def test_commands_beyond_limits_are_logged_once_and_shown(caplog: pytest.LogCaptureFixture) -> None:
    sim = Simulation("kenaf_step")
    kenaf = sim.robots["kenaf"]
    for _ in range(3):
        kenaf.command(forward=100.0, front=angle(400.0), rear=torque(-1e6))
    messages = [record.getMessage() for record in caplog.records]
    assert sorted(messages) == sorted(set(messages)), "each is logged once"
    assert len(messages) == 6
    assert "command: speed of 'left' in 'kenaf' is 100, limited to 0.5; reported once" in messages
    limited = kenaf.drives["left"].limited
    assert limited is not None
    assert (limited.what, limited.given, limited.limit) == ("speed", 100.0, 0.5)
    assert kenaf.limited["front_left_arm"].limit == 3.14
    assert kenaf.limited["rear_left_arm"].limit == -40.0
    copied = Simulation.from_snapshot(sim.save())
    assert copied.robots["kenaf"].limited == kenaf.limited
    kenaf.command(forward=0.1)
    assert kenaf.drives["left"].limited is None
    assert "front_left_arm" in kenaf.limited, "still its last command"
    sim.reset()
    assert kenaf.limited == {}


def test_commands_beyond_the_limits_of_a_gait_are_shown(caplog: pytest.LogCaptureFixture) -> None:
    sim = Simulation("qrio_walk")
    qrio = sim.robots["qrio"]
    with caplog.at_level(logging.WARNING):
        qrio.command(forward=100.0)
    assert qrio.limited["forward"].given == 100.0
    assert "forward" in caplog.text
    qrio.command(forward=0.01)
    assert qrio.limited == {}


def test_names_are_listed_for_completion() -> None:
    wanted = {"Simulation", "load", "Policy", "Observation", "Trial", "run_trials", "Pose"}
    code = "import grouser; print(*dir(grouser))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    listed = set(run.stdout.split())
    assert wanted | set(vars(grouser)["__all__"]) <= listed
    assert not {"attach", "annotations"} & listed


def test_routine_whose_module_is_missing_makes_the_exit_code_1(tmp_path: Path) -> None:
    world = tmp_path / "w.yaml"
    world.write_text(
        "name: w\nterrain: [{kind: flat}]\nevents: [{name: tick, at: 0.1, call: 'ctrl:tick'}]\n"
    )
    failed = cli("run", world, "--seconds", 0.2)
    assert failed.exit_code == 1
    assert "no routine 'ctrl:tick'" in failed.stderr
    (tmp_path / "ctrl.py").write_text("def tick(simulation, entry):\n    pass\n")
    assert cli("run", world, "--seconds", 0.2).exit_code == 0


def test_documentation_of_data_names_restore() -> None:
    assert "restore" in str(Simulation.data.__doc__)


def test_seconds_below_a_step_are_refused() -> None:
    line = error_line(cli("run", "kenaf_step", "--seconds", 0.0001))
    assert "at least one time step of 0.001 s" in line


class OpenWindow:
    """Stands for the window of MuJoCo's viewer, which needs a display; it is never closed."""

    def __init__(self) -> None:
        self.cam = types.SimpleNamespace(lookat=np.zeros(3))
        self.opt = types.SimpleNamespace(sitegroup=np.zeros(6))
        self.perturb = mujoco.MjvPerturb()
        self.open = True

    def is_running(self) -> bool:
        return self.open

    def lock(self) -> Any:
        return nullcontext()

    def set_texts(self, texts: Any) -> None:
        pass

    def sync(self) -> None:
        pass

    def close(self) -> None:
        self.open = False


def test_a_window_ends_after_the_given_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mujoco.viewer, "launch_passive", lambda *_, **__: OpenWindow())
    sim = Simulation("kenaf_step")
    finished: list[float] = []
    thread = threading.Thread(
        target=lambda: finished.append(watch(sim, factor=4.0, seconds=2.0).simulated), daemon=True
    )
    thread.start()
    thread.join(timeout=60.0)
    assert finished == [2.0]
