"""Path run: equality with a trial, and its ends."""

import numpy as np
import pytest

from grouser.errors import BadValue, UnknownName
from grouser.service.host import Host, HostRules
from grouser.service.path_run import PathRun, PathRunResult
from grouser.simulation.changes.actions import Leave, Reset, Restart
from grouser.simulation.simulation import Simulation
from grouser.trials.draws import Draw
from grouser.trials.path_trials import PathCourse
from grouser.trials.runner import run_trials
from grouser.trials.trial import Place
from grouser.world.file import load

PATH = np.array([[0.0, 0.0], [0.15, 0.03], [0.3, 0.05]])
WORLD = load("roach_circle")


@pytest.fixture
def host() -> Host:
    host = Host(Simulation(WORLD), HostRules(tick=0.02))
    host.apply(Restart("roach"))
    host.halt("roach")
    return host


def test_run_equals_a_trial(host: Host) -> None:
    goal = Place(x=0.3, y=0.05, within=0.05)
    (trial,) = run_trials([PathCourse(WORLD, "roach", goal).trial(PATH, Draw())])
    results: list[PathRunResult] = []
    PathRun(host, "roach", PATH, results.append)
    assert set(host.owners) == {"roach"}
    while not results:
        host.advance()
    (result,) = results
    assert result.arrived
    assert result.ended == trial.verdict
    assert result.seconds == pytest.approx(trial.time, abs=1e-9)
    assert host.simulation.pose("roach").position.tolist() == trial.positions[-1].tolist()
    assert (result.work, result.effort) == pytest.approx((trial.work, trial.effort), rel=1e-12)
    assert not host.owners


def test_run_ends_at_its_time_limit(host: Host) -> None:
    results: list[PathRunResult] = []
    PathRun(host, "roach", PATH, results.append, limit=0.5)
    while not results:
        host.advance()
    assert results[0].ended == "out of time"
    assert results[0].seconds == pytest.approx(0.5)


def test_run_needs_an_unowned_robot_near_the_start_of_the_path(host: Host) -> None:
    with pytest.raises(BadValue, match="reset_pose puts it there"):
        PathRun(host, "roach", PATH + 1.0, print)
    assert not host.owners, "a run that cannot start releases the robot"
    with pytest.raises(UnknownName, match="did you mean 'roach'"):
        PathRun(host, "raoch", PATH, print)
    PathRun(host, "roach", PATH, print)
    with pytest.raises(BadValue, match="belongs to another client"):
        PathRun(host, "roach", PATH, print)


@pytest.mark.parametrize(
    ("action", "why"), [(Leave("roach"), "removed from the world"), (Reset(), "was reset")]
)
def test_run_ends_once_when_its_robot_is_removed_or_the_world_is_reset(
    host: Host, action: Leave | Reset, why: str
) -> None:
    results: list[PathRunResult] = []
    run = PathRun(host, "roach", PATH, results.append)
    host.advance(0.3)
    host.apply(action)
    host.advance()
    run.cancel("too late")
    (result,) = results
    assert why in result.ended
    assert not host.owners
