"""A robot that the host drives along a path for somebody: as a trial would, and how it ends."""

import numpy as np
import pytest

from grouser.errors import BadValue, UnknownName
from grouser.service.host import Host, HostRules
from grouser.service.path_run import PathRun
from grouser.simulation.changes.actions import Leave, Reset, Restart
from grouser.simulation.simulation import Simulation
from grouser.trials.draws import Draw
from grouser.trials.path_trials import PathCourse
from grouser.trials.threads import run_trials
from grouser.trials.trial import Place
from grouser.world.file import load

PATH = np.array([[0.0, 0.0], [0.15, 0.03], [0.3, 0.05]])
WORLD = load("roach_circle")


@pytest.fixture
def host():
    host = Host(Simulation(WORLD), HostRules(tick=0.02))
    host.apply(Restart("roach"))
    host.halt("roach")
    return host


def test_a_drive_is_a_trial_to_the_bit(host):
    goal = Place(x=0.3, y=0.05, within=0.05)
    (trial,) = run_trials([PathCourse(WORLD, "roach", goal).trial(PATH, Draw())])
    drives = []
    PathRun(host, "roach", PATH, drives.append)
    assert set(host.owners) == {"roach"}
    while not drives:
        host.advance()
    (drive,) = drives
    assert drive.arrived
    assert (drive.ended, drive.seconds) == (trial.verdict, trial.time)
    assert host.simulation.pose("roach").position.tolist() == trial.positions[-1].tolist()
    assert (drive.work, drive.effort) == pytest.approx((trial.work, trial.effort), rel=1e-12)
    assert not host.owners


def test_it_is_out_of_time_when_its_limit_is_over(host):
    drives = []
    PathRun(host, "roach", PATH, drives.append, limit=0.5)
    while not drives:
        host.advance()
    assert drives[0].ended == "out of time"
    assert drives[0].seconds == pytest.approx(0.5)


def test_nobody_can_be_driven_twice_or_from_far_away(host):
    with pytest.raises(BadValue, match="reset_pose puts it there"):
        PathRun(host, "roach", PATH + 1.0, print)
    assert not host.owners, "who could not set off does not keep the robot"
    with pytest.raises(UnknownName, match="did you mean 'roach'"):
        PathRun(host, "raoch", PATH, print)
    PathRun(host, "roach", PATH, print)
    with pytest.raises(BadValue, match="belongs to another client"):
        PathRun(host, "roach", PATH, print)


@pytest.mark.parametrize(
    ("action", "why"), [(Leave("roach"), "removed from the world"), (Reset(), "was reset")]
)
def test_it_ends_once_when_its_robot_goes_or_the_world_begins_anew(host, action, why):
    drives = []
    run = PathRun(host, "roach", PATH, drives.append)
    host.advance(0.3)
    host.apply(action)
    host.advance()
    run.cancel("too late")
    (drive,) = drives
    assert why in drive.ended
    assert not host.owners
