"""Lockstep over the wire: what happens is decided by what clients say, not by when."""

import multiprocessing
import random
import time
from contextlib import ExitStack
from itertools import islice

import numpy as np
import pytest
from support.server_fixtures import QUIET, Guest, Served, until

from grouser.errors import NoAnswer
from grouser.protocol.usarsim.extensions import Tick
from grouser.protocol.usarsim.sensor_messages import GroundTruth

ARENA = ("pioneer_room", *QUIET, "--speed", "max")
EVERY = 0.25


def run(folder, names, turns, think):
    """Let two drive in processes of their own, who come in this order; return the final hash."""
    with Served(folder, *ARENA, "--players", "2") as served, ExitStack() as stack:
        guests = []
        for name in names:
            number = "AB".index(name)
            words = ("P3AT", -1 - number, -1.5 + number, number, turns, EVERY, think)
            guests.append(stack.enter_context(Guest(served, name, *words)))
            assert guests[-1].hears() == "joined"
        for guest in guests:
            assert guest.hears() == "done"
        assert served.console("time") == f"{turns * EVERY:.3f} s"
        return served.console("hash")


def test_two_runs_are_the_same_to_the_bit_whoever_comes_first(tmp_path):
    first = run(tmp_path, "AB", 20, 0.02)
    assert run(tmp_path, "BA", 20, 0.0) == first


def _hog(stop):
    while not stop.is_set():
        sum(range(100_000))


@pytest.mark.slow
def test_a_minute_is_the_same_to_the_bit_whatever_the_load(tmp_path):
    first = run(tmp_path, random.sample("AB", 2), 240, 0.005)
    stop = multiprocessing.Event()
    hogs = [multiprocessing.Process(target=_hog, args=(stop,)) for _ in range(2)]
    for hog in hogs:
        hog.start()
    try:
        assert run(tmp_path, random.sample("AB", 2), 240, 0.02) == first
    finally:
        stop.set()
        for hog in hogs:
            hog.join()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("lockstep"), *ARENA) as served:
        yield served


def test_any_command_that_moves_may_end_a_turn(served):
    with served.join("P3AT", "A", at=(0, -1, 0)) as robot:
        robot.lockstep(0.2, by_command=True)
        begin = robot.turn().time
        for number in range(1, 4):
            robot.geometry()  # a question ends no turn
            robot.drive(2.0, 2.0)
            assert robot.turn().time == pytest.approx(begin + 0.2 * number, abs=1e-3)
        robot.package("CameraPanTilt", {0: 0.3})
        assert robot.turn().time == pytest.approx(begin + 0.8, abs=1e-3)


@pytest.mark.parametrize(
    "say",
    [
        lambda robot: robot.stiffen("Pan", 1.0),
        lambda robot: robot.set("Joint", "Pan", "Angle", "0.2"),
        lambda robot: robot.joint("Pan", 0.1),
        lambda robot: robot.end_turn(),
    ],
    ids=["stiffness", "plain SET of a joint", "joint", "STEP"],
)
def test_client_and_world_agree_on_what_ended_a_turn(served, say):
    with served.join("P3AT", "A", at=(0, -1, 0), dialect="udk") as robot:
        robot.lockstep(0.2, by_command=True)
        begin = robot.turn().time
        say(robot)
        assert robot.turn().time == pytest.approx(begin + 0.2, abs=1e-3)
        assert served.console("time") == f"{robot.time:.3f} s"


def test_turns_of_different_lengths(served):
    with served.join("P3AT", "A", at=(0, -1, 0)) as a:
        a.lockstep(0.05)
        begin = a.turn().time
        with served.join("P3AT", "B", at=(0, 1, 0)) as b:
            b.lockstep(0.15)
            assert b.turn().time == begin  # time stood still for a, also while b came
            b.end_turn()
            at = [a.step().time - begin for _ in range(2)]
            a.end_turn()
            both = (a.turn().time, b.turn().time)
            assert at == pytest.approx([0.05, 0.1], abs=1e-3)
            assert both == pytest.approx([begin + 0.15] * 2, abs=1e-3)
            a.end_turn()
            with pytest.raises(NoAnswer):  # a had its turn, b still has its own
                a.turn(timeout=0.3)
            b.end_turn()
            assert a.turn().time == pytest.approx(begin + 0.2, abs=1e-3)


def test_what_is_said_early_belongs_to_the_next_turn(served):
    with served.join("P3AT", "A", at=(0, -1, 0)) as robot:
        robot.lockstep(0.1)
        begin = robot.turn().time
        for _ in range(5):  # five turns in one breath
            robot.drive(2.0, 2.0)
            robot.end_turn()
        ticks = (heard.time for heard in robot.listen() if isinstance(heard, Tick))
        times = [begin, *islice(ticks, 5)]
        assert np.diff(times) == pytest.approx(0.1, abs=1e-3)
        assert served.console("time") == f"{times[-1]:.3f} s"  # and there it waits


def test_readings_come_before_the_turn_they_belong_to(served):
    with served.join("P3AT", "A", at=(0, -1, 0)) as robot:
        robot.lockstep(0.3)
        robot.turn()
        for _ in range(5):
            turn = robot.step()
            stamps = [heard.time for heard in turn.messages if isinstance(heard, GroundTruth)]
            assert stamps
            assert turn.time - 0.3 < min(stamps) <= max(stamps) <= turn.time


def test_who_leaves_lockstep_or_dies_does_not_stop_the_world(served):
    with served.join("P3AT", "A", at=(0, -1, 0)) as a:
        a.lockstep(0.05)
        begin = a.turn().time
        with served.join("P3AT", "B", at=(0, 1, 0)) as b:
            b.lockstep(0.05)
            b.turn()
            a.end_turn()
            b.lockstep(0.0)
            assert a.turn().time > begin
        with Guest(served, "C", "P3AT", -1, 2, 0, 10**6, 0.05, 0.0) as c:
            assert c.hears() == "joined"
            a.step()
            c.kill()
            begin = a.time
            for _ in range(20):
                a.step()
            assert a.time == pytest.approx(begin + 1.0, abs=0.1)
        until(lambda: "C (" not in served.console("list robots"))


def test_time_begins_when_all_players_are_there(tmp_path):
    with (
        Served(tmp_path, *ARENA, "--players", "2") as served,
        served.join("P3AT", "A", at=(0, -1, 0)) as a,
    ):
        a.lockstep(0.1)
        a.turn()
        a.end_turn()
        time.sleep(0.2)
        assert served.console("time") == "0.000 s"
        with served.join("P3AT", "B", at=(0, 1, 0)) as b:
            assert served.console("time") == "0.000 s"  # there, but not in lockstep yet
            b.lockstep(0.1)
            b.step()
            assert a.turn().time == pytest.approx(0.1)
        before = served.console("hash")
        assert a.step().time == pytest.approx(0.2)  # the game goes on without b
        assert served.console("hash") != before
