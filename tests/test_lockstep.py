"""Lockstep over the network: results depend on the commands, not on their arrival times."""

import multiprocessing
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.server_fixtures import CONTROL_ONLY, TIMEOUT, LockstepClient, ServerProcess, wait_until
from support.threaded_server import ThreadedServer

from grouser.client.connection import join
from grouser.errors import NoAnswer
from grouser.gateways.usarsim.gateway import UsarsimGateway
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.protocol.usarsim.extensions import Tick
from grouser.protocol.usarsim.sensor_messages import GroundTruth
from grouser.world.file import World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

ARENA = ("pioneer_room", *CONTROL_ONLY, "--speed", "max")
EVERY = 0.25


def run(folder: Path, names: Sequence[str], turns: int, delay: float) -> str:
    """Run two client processes that join in this order; return the final hash."""
    with ServerProcess(folder, *ARENA, "--players", "2") as served, ExitStack() as stack:
        clients = []
        for name in names:
            number = "AB".index(name)
            words = ("P3AT", -1 - number, -1.5 + number, number, turns, EVERY, delay)
            clients.append(stack.enter_context(LockstepClient(served, name, *words)))
            assert clients[-1].read_line() == "joined"
        for client in clients:
            assert client.read_line() == "done"
        assert served.console("time") == f"{turns * EVERY:.3f} s"
        return served.console("hash")


def test_order_of_joining_does_not_change_the_result(tmp_path: Path) -> None:
    first = run(tmp_path, "AB", 20, 0.02)
    assert run(tmp_path, "BA", 20, 0.0) == first


def use_processor(stop: Event) -> None:
    """Load one processor core until ``stop`` is set."""
    while not stop.is_set():
        sum(range(100_000))


@pytest.mark.slow
def test_machine_load_does_not_change_the_result(tmp_path: Path) -> None:
    first = run(tmp_path, random.sample("AB", 2), 240, 0.005)
    stop = multiprocessing.Event()
    hogs = [multiprocessing.Process(target=use_processor, args=(stop,)) for _ in range(2)]
    for hog in hogs:
        hog.start()
    try:
        assert run(tmp_path, random.sample("AB", 2), 240, 0.02) == first
    finally:
        stop.set()
        for hog in hogs:
            hog.join()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("lockstep"), *ARENA) as served:
        yield served


def test_motion_command_ends_a_turn_in_the_mode_by_command(served: ServerProcess) -> None:
    with served.join("P3AT", "A", at=(0, -1, 0)) as robot:
        robot.lockstep(0.2, by_command=True)
        begin = robot.turn().time
        for number in range(1, 4):
            robot.geometry()  # a query does not end a turn
            robot.drive(2.0, 2.0)
            assert robot.turn().time == pytest.approx(begin + 0.2 * number, abs=1e-3)
        robot.package("CameraPanTilt", {0: 0.3})
        assert robot.turn().time == pytest.approx(begin + 0.8, abs=1e-3)


@pytest.mark.parametrize(
    "command",
    [
        lambda robot: robot.stiffen("Pan", 1.0),
        lambda robot: robot.set("Joint", "Pan", "Angle", "0.2"),
        lambda robot: robot.joint("Pan", 0.1),
        lambda robot: robot.end_turn(),
    ],
    ids=["stiffness", "plain SET of a joint", "joint", "STEP"],
)
def test_client_and_server_agree_on_the_end_of_a_turn(
    served: ServerProcess, command: Callable[..., Any]
) -> None:
    with served.join("P3AT", "A", at=(0, -1, 0), dialect="udk") as robot:
        robot.lockstep(0.2, by_command=True)
        begin = robot.turn().time
        command(robot)
        assert robot.turn().time == pytest.approx(begin + 0.2, abs=1e-3)
        assert served.console("time") == f"{robot.time:.3f} s"


def test_turns_of_different_lengths(served: ServerProcess) -> None:
    with served.join("P3AT", "A", at=(0, -1, 0)) as a:
        a.lockstep(0.05)
        begin = a.turn().time
        with served.join("P3AT", "B", at=(0, 1, 0)) as b:
            b.lockstep(0.15)
            assert b.turn().time == begin  # time did not advance for a, nor while b joined
            b.end_turn()
            at = [a.step().time - begin for _ in range(2)]
            a.end_turn()
            both = (a.turn().time, b.turn().time)
            assert at == pytest.approx([0.05, 0.1], abs=1e-3)
            assert both == pytest.approx([begin + 0.15] * 2, abs=1e-3)
            a.end_turn()
            with pytest.raises(NoAnswer):  # the turn of a has ended, that of b continues
                a.turn(timeout=0.3)
            b.end_turn()
            assert a.turn().time == pytest.approx(begin + 0.2, abs=1e-3)


def test_early_commands_belong_to_the_next_turns(served: ServerProcess) -> None:
    with served.join("P3AT", "A", at=(0, -1, 0)) as robot:
        robot.lockstep(0.1)
        begin = robot.turn().time
        for _ in range(5):  # five turns at once
            robot.drive(2.0, 2.0)
            robot.end_turn()
        ticks = (message.time for message in robot.listen() if isinstance(message, Tick))
        times = [begin, *islice(ticks, 5)]
        assert np.diff(times) == pytest.approx(0.1, abs=1e-3)
        assert served.console("time") == f"{times[-1]:.3f} s"  # waits for the next turn


def test_readings_are_sent_before_their_turn(served: ServerProcess) -> None:
    with served.join("P3AT", "A", at=(0, -1, 0)) as robot:
        robot.lockstep(0.3)
        robot.turn()
        for _ in range(5):
            turn = robot.step()
            stamps = [
                message.time
                for message in turn.messages
                if isinstance(message, GroundTruth) and message.time is not None
            ]
            assert stamps
            assert turn.time - 0.3 < min(stamps) <= max(stamps) <= turn.time


def test_client_that_leaves_lockstep_or_dies_does_not_stop_time(served: ServerProcess) -> None:
    with served.join("P3AT", "A", at=(0, -1, 0)) as a:
        a.lockstep(0.05)
        begin = a.turn().time
        with served.join("P3AT", "B", at=(0, 1, 0)) as b:
            b.lockstep(0.05)
            b.turn()
            a.end_turn()
            b.lockstep(0.0)
            assert a.turn().time > begin
        with LockstepClient(served, "C", "P3AT", -1, 2, 0, 10**6, 0.05, 0.0) as c:
            assert c.read_line() == "joined"
            a.step()
            c.kill()
            before = a.time
            assert before is not None
            for _ in range(20):
                a.step()
            assert a.time == pytest.approx(before + 1.0, abs=0.1)
        wait_until(lambda: "C (" not in served.console("list robots"))


def test_time_begins_when_all_players_have_entered(tmp_path: Path) -> None:
    with (
        ServerProcess(tmp_path, *ARENA, "--players", "2") as served,
        served.join("P3AT", "A", at=(0, -1, 0)) as a,
    ):
        a.lockstep(0.1)
        a.turn()
        a.end_turn()
        time.sleep(0.2)
        assert served.console("time") == "0.000 s"
        with served.join("P3AT", "B", at=(0, 1, 0)) as b:
            assert served.console("time") == "0.000 s"  # joined, but not in lockstep yet
            b.lockstep(0.1)
            b.step()
            assert a.turn().time == pytest.approx(0.1)
        before = served.console("hash")
        assert a.step().time == pytest.approx(0.2)  # simulation continues without b
        assert served.console("hash") != before


def test_turn_that_ended_while_the_server_was_busy_does_not_expire() -> None:
    world = World(name="w", physics=STANDARD, terrain=(Flat(friction=0.8),))
    gateway = UsarsimGateway(ports=((0, PortProfile()),))
    begun = threading.Event()

    with ThreadedServer(world, gateway, longest_wait=1.0) as live:

        def work() -> None:
            begun.set()
            time.sleep(1.2)
            live.server.console("time")  # the server goes on before it reads its sockets

        with join("P2DX", "Prompt", port=live.server.ports["control"], timeout=TIMEOUT) as robot:
            robot.lockstep(0.1)
            begin = robot.turn().time
            busy = threading.Thread(target=live.call, args=(work,))
            busy.start()
            assert begun.wait(TIMEOUT)
            assert robot.step().time == pytest.approx(begin + 0.1)
            assert robot.step().time == pytest.approx(begin + 0.2)
            busy.join()
            assert not robot.notices
