"""Limits per client: shares of processor time, connections, time-outs of turns, memory."""

import asyncio
import gc
import logging
from collections.abc import Callable
from typing import Any

import pytest

from grouser.errors import Refused
from grouser.gateways.server import Server, ServerOptions
from grouser.gateways.usarsim.gateway import ControlSocket, UsarsimGateway
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.session import Session
from grouser.service.admission import Admission
from grouser.service.background_composer import SceneNotReady
from grouser.service.client_log import LONGEST, MOST_LINES, WINDOW, ClientLog
from grouser.service.lockstep import Lockstep
from grouser.service.rate_limiter import Limits, RateLimiter
from grouser.service.request_queue import LONGEST_DEBT, SLICE, AddressBudgets, RequestQueue
from grouser.service.turn_timeouts import FORGIVEN_AFTER, SLOW_AFTER, TurnTimeouts
from grouser.simulation.simulation import Simulation
from grouser.world.file import World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

# -- shares of processor time ----------------------------------------------------------------


class Work:
    """Clock of processor time that only requests advance."""

    def __init__(self) -> None:
        self.spent = 0.0
        self.done: list[int | str] = []

    def __call__(self) -> float:
        return self.spent

    def request(self, name: int | str, cost: float) -> Callable[[], None]:
        """Return a request that takes ``cost`` seconds of processor time."""

        def process() -> None:
            self.spent += cost
            self.done.append(name)

        return process


def test_requests_over_the_share_wait_and_keep_their_order() -> None:
    work = Work()
    queue = RequestQueue(RateLimiter(0.05, 0.0), work)
    queue.add(work.request(number, 0.02) for number in range(5))
    waits = []
    now = 0.0
    while queue:
        waits.append(queue.process(now, limited=True))
        now += waits[-1] + 1e-9
    assert work.done == [0, 1, 2, 3, 4]
    assert waits[:2] == [0.0, 0.0], "a burst of one second is allowed"
    assert now == pytest.approx((5 * 0.02 - 0.05) / 0.05, abs=0.01)


def test_requests_are_processed_in_slices_and_without_limit_in_lockstep() -> None:
    work = Work()
    queue = RequestQueue(RateLimiter(0.05, 0.0), work)
    queue.add(work.request(number, SLICE / 2) for number in range(1000))
    assert queue.process(0.0, limited=False) == 0.0
    assert len(work.done) == 2, "then a tick runs"
    while queue:
        assert queue.process(0.0, limited=False) == 0.0
    assert len(work.done) == 1000


def test_request_that_needs_a_scene_stays_first() -> None:
    work = Work()
    queue = RequestQueue(RateLimiter(0.05, 0.0), work)
    ready: list[bool] = []

    def join() -> None:
        if not ready:
            raise SceneNotReady
        work.done.append("joined")

    queue.add([join, work.request("drove", 0.0)])
    for _ in range(2):
        with pytest.raises(SceneNotReady):
            queue.process(0.0, limited=True)
    ready.append(True)
    queue.process(0.0, limited=True)
    assert work.done == ["joined", "drove"]


def test_budget_of_an_address_is_kept_across_reconnects() -> None:
    budgets = AddressBudgets(Limits(server_share=0.1, server_burst=10.0))
    first = budgets.acquire("10.0.0.1", 0.0)
    assert first.balance(0.0) == pytest.approx(1.0)
    first.charge(0.0, 3.0)
    budgets.release("10.0.0.1", first, 0.0)
    assert budgets.acquire("10.0.0.1", 10.0).balance(10.0) == pytest.approx(-0.1 * LONGEST_DEBT)
    assert budgets.acquire("10.0.0.1", 22.0).balance(22.0) == pytest.approx(0.2)
    assert budgets.acquire("10.0.0.2", 10.0).balance(10.0) == pytest.approx(1.0)
    assert budgets.acquire("10.0.0.1", 60.0).balance(60.0) == pytest.approx(1.0)


# -- admission control -----------------------------------------------------------------------


class StubConnection:
    """Connection that records the reason of its rejection."""

    def __init__(self, address: str, trusted: bool = False) -> None:
        self.address, self.trusted = address, trusted
        self.reason: str | None = None

    def logged_in(self) -> bool:
        return self.trusted

    def reject(self, reason: str) -> None:
        self.reason = reason


def test_unauthenticated_connections_of_one_address_lock_out_no_other() -> None:
    admission = Admission(Limits(connections=20, unauthenticated_per_address=8))
    pending = [StubConnection("10.0.0.1") for _ in range(100)]
    for one in pending:
        admission.enter(one)
    assert [one.reason is None for one in pending] == [False] * 92 + [True] * 8
    others = [StubConnection("10.0.0.2", trusted=True) for _ in range(19)]
    for other in others:
        admission.enter(other)
    assert not any(other.reason for other in others)
    assert len(admission) == 20
    admission.enter(
        StubConnection("10.0.0.3", trusted=True)
    )  # replaces the last unauthenticated connection
    with pytest.raises(Refused, match="there are 20 connections already"):
        admission.enter(StubConnection("10.0.0.4"))
    admission.leave(others[0])
    admission.enter(StubConnection("10.0.0.4"))


def test_connections_per_address_are_limited_and_oldest_unauthenticated_is_closed() -> None:
    admission = Admission(Limits(connections=12, connections_per_address=4))
    for _ in range(4):
        admission.enter(StubConnection("10.0.0.1", trusted=True))
    with pytest.raises(Refused, match="4 connections from this address"):
        admission.enter(StubConnection("10.0.0.1"))
    crowd = [StubConnection(f"10.1.{number % 3}.1") for number in range(8)]
    for one in crowd:
        admission.enter(one)
    first = StubConnection("10.0.0.9")
    admission.enter(first)
    assert first.reason is None
    assert [one.reason is not None for one in crowd] == [True] + [False] * 7


def test_log_lines_of_an_address_are_limited(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    now = [0.0]
    log, logger = ClientLog(lambda: now[0]), logging.getLogger("grouser.test")
    for _ in range(1000):
        log.warning(logger, "10.0.0.1", "x" * 10_000)
    log.info(logger, "10.0.0.2", "another one: 'sesame-open-thou' \n is no class")
    assert len(caplog.records) == MOST_LINES + 1
    assert max(len(record.getMessage()) for record in caplog.records) < LONGEST + 100
    assert "sesame" not in caplog.text
    now[0] = WINDOW
    log.warning(logger, "10.0.0.1", "again")
    assert f"{1000 - MOST_LINES} further lines left out" in caplog.text


# -- time-outs of turns ----------------------------------------------------------------------


def test_slow_turn_is_reported_once_and_then_expires() -> None:
    lockstep, timeouts = Lockstep(), TurnTimeouts(10.0, str.lower)
    lockstep.enter("A", 10, 0)
    lockstep.enter("B", 10, 0)
    assert timeouts.check(lockstep.turns(), 0.0).next_check == SLOW_AFTER
    assert lockstep.awaited == "A, B"
    lockstep.end_turn("A")
    state = timeouts.check(lockstep.turns(), SLOW_AFTER)
    assert (state.slow, state.expired, state.next_check) == (["B"], {}, 9.0)
    assert timeouts.check(lockstep.turns(), 5.0).slow == [], "reported once per turn"
    assert timeouts.check(lockstep.turns(), 10.0).expired == {"B": 10.0}


def test_timeout_of_an_address_is_halved_after_each_expired_turn() -> None:
    timeouts, now = TurnTimeouts(10.0, lambda name: "10.0.0.7"), 0.0
    waited: list[float] = []
    for turn in range(8):
        lockstep = Lockstep()
        lockstep.enter(f"Robot{turn}", 10, turn)
        state = timeouts.check(lockstep.turns(), now)
        while not state.expired:
            now += state.next_check
            state = timeouts.check(lockstep.turns(), now)
        waited += state.expired.values()
    assert waited == [10.0, 5.0, 2.5, 1.25, *[SLOW_AFTER] * 4]
    now += FORGIVEN_AFTER
    lockstep = Lockstep()
    lockstep.enter("Later", 10, 99)
    assert not timeouts.check(lockstep.turns(), now).expired
    assert not timeouts.check(lockstep.turns(), now + 9.9).expired
    assert timeouts.check(lockstep.turns(), now + 10.0).expired == {"Later": 10.0}


def test_timeout_starts_with_each_turn() -> None:
    lockstep, timeouts = Lockstep(), TurnTimeouts(10.0, str.lower)
    lockstep.enter("A", 10, 0)
    for turn in range(5):
        assert not timeouts.check(lockstep.turns(), 9.0 * turn).expired
        lockstep.end_turn("A")
        lockstep.begin_turns(10 * (turn + 1))
    assert not TurnTimeouts(0.0, str).check(lockstep.turns(), 1e9).expired, "0: no time-out"


# -- memory ----------------------------------------------------------------------------------


def test_closed_connection_leaves_no_reference_cycle() -> None:
    """A cycle would be freed by the garbage collector, which delays physics."""

    async def connect_and_close() -> list[Any]:
        world = World(name="w", physics=STANDARD, terrain=(Flat(friction=0.8),))
        gateway = UsarsimGateway(ports=((0, PortProfile()),))
        async with Server(Simulation(world), ServerOptions(gateways=(gateway,))) as server:
            running = asyncio.ensure_future(server.run())
            reader, writer = await asyncio.open_connection("127.0.0.1", server.ports["control"])
            writer.write(b"INIT {ClassName USARBot.P2DX} {Name Client} {Location 0,0,0}\r\n")
            while not (await reader.readline()).startswith(b"STA"):
                pass
            writer.close()
            await writer.wait_closed()
            while server.host.simulation.scene.robots:
                await asyncio.sleep(0.01)
            server.stop()
            await running
            return [one for one in gc.get_objects() if isinstance(one, (ControlSocket, Session))]

    gc.collect()
    gc.disable()
    try:
        assert asyncio.run(connect_and_close()) == []
    finally:
        gc.enable()
