"""What keeps one client from costing another: shares, places, patience."""

import asyncio
import gc
import logging

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
from grouser.service.turn_timeouts import FORGIVEN_AFTER, NAMED_AFTER, TurnTimeouts
from grouser.simulation.simulation import Simulation
from grouser.world.file import World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

# -- shares of the server's time -------------------------------------------------------------


class Work:
    """A processor clock that only wishes move on."""

    def __init__(self):
        self.spent, self.done = 0.0, []

    def __call__(self):
        return self.spent

    def wish(self, name, cost):
        def do():
            self.spent += cost
            self.done.append(name)

        return do


def test_who_is_over_its_share_waits_and_keeps_its_order():
    work = Work()
    wishes = RequestQueue(RateLimiter(0.05, 0.0), work)
    wishes.add(work.wish(number, 0.02) for number in range(5))
    waits = []
    now = 0.0
    while wishes:
        waits.append(wishes.fulfil(now, limited=True))
        now += waits[-1] + 1e-9
    assert work.done == [0, 1, 2, 3, 4]
    assert waits[:2] == [0.0, 0.0], "a second's worth may come at once"
    assert now == pytest.approx((5 * 0.02 - 0.05) / 0.05, abs=0.01)


def test_beats_come_between_wishes_and_lockstep_is_not_limited():
    work = Work()
    wishes = RequestQueue(RateLimiter(0.05, 0.0), work)
    wishes.add(work.wish(number, SLICE / 2) for number in range(1000))
    assert wishes.fulfil(0.0, limited=False) == 0.0
    assert len(work.done) == 2, "then it is a tick's turn"
    while wishes:
        assert wishes.fulfil(0.0, limited=False) == 0.0
    assert len(work.done) == 1000


def test_a_wish_that_needs_a_world_stays_the_first():
    work = Work()
    wishes, ready = RequestQueue(RateLimiter(0.05, 0.0), work), []

    def join():
        if not ready:
            raise SceneNotReady
        work.done.append("joined")

    wishes.add([join, work.wish("drove", 0.0)])
    for _ in range(2):
        with pytest.raises(SceneNotReady):
            wishes.fulfil(0.0, limited=True)
    ready.append(True)
    wishes.fulfil(0.0, limited=True)
    assert work.done == ["joined", "drove"]


def test_whoever_comes_again_has_no_more_than_it_left_with():
    budgets = AddressBudgets(Limits(server_share=0.1, server_burst=10.0))
    first = budgets.take("10.0.0.1", 0.0)
    assert first.saved(0.0) == pytest.approx(1.0)
    first.charge(0.0, 3.0)
    budgets.give_back("10.0.0.1", first, 0.0)
    assert budgets.take("10.0.0.1", 10.0).saved(10.0) == pytest.approx(-0.1 * LONGEST_DEBT)
    assert budgets.take("10.0.0.1", 22.0).saved(22.0) == pytest.approx(0.2)
    assert budgets.take("10.0.0.2", 10.0).saved(10.0) == pytest.approx(1.0)
    assert budgets.take("10.0.0.1", 60.0).saved(60.0) == pytest.approx(1.0)


# -- places ----------------------------------------------------------------------------------


class Caller:
    def __init__(self, address, trusted=False):
        self.address, self.trusted, self.sent_away = address, trusted, None

    def logged_in(self):
        return self.trusted

    def reject(self, reason):
        self.sent_away = reason


def test_strangers_of_one_address_keep_nobody_else_out():
    admission = Admission(Limits(connections=20, unauthenticated_per_address=8))
    strangers = [Caller("10.0.0.1") for _ in range(100)]
    for stranger in strangers:
        admission.enter(stranger)
    assert [one.sent_away is None for one in strangers] == [False] * 92 + [True] * 8
    friends = [Caller("10.0.0.2", trusted=True) for _ in range(19)]
    for friend in friends:
        admission.enter(friend)
    assert not any(friend.sent_away for friend in friends)
    assert len(admission) == 20
    admission.enter(Caller("10.0.0.3", trusted=True))  # the last stranger's place
    with pytest.raises(Refused, match="there are 20 connections already"):
        admission.enter(Caller("10.0.0.4"))
    admission.leave(friends[0])
    admission.enter(Caller("10.0.0.4"))


def test_an_address_has_a_share_and_a_crowd_of_addresses_gives_way():
    admission = Admission(Limits(connections=12, connections_per_address=4))
    for _ in range(4):
        admission.enter(Caller("10.0.0.1", trusted=True))
    with pytest.raises(Refused, match="4 connections from this address"):
        admission.enter(Caller("10.0.0.1"))
    crowd = [Caller(f"10.1.{number % 3}.1") for number in range(8)]
    for stranger in crowd:
        admission.enter(stranger)
    first = Caller("10.0.0.9")
    admission.enter(first)
    assert first.sent_away is None
    assert [one.sent_away is not None for one in crowd] == [True] + [False] * 7


def test_the_log_of_an_address_is_short(caplog):
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


# -- patience --------------------------------------------------------------------------------


def test_who_takes_too_long_is_named_and_given_up():
    lockstep, patience = Lockstep(), TurnTimeouts(10.0, str.lower)
    lockstep.enter("A", 10, 0)
    lockstep.enter("B", 10, 0)
    assert patience.look(lockstep.turns(), 0.0).look_again == NAMED_AFTER
    assert lockstep.awaited == "A, B"
    lockstep.end_turn("A")
    state = patience.look(lockstep.turns(), NAMED_AFTER)
    assert (state.named, state.given_up, state.look_again) == (["B"], {}, 9.0)
    assert patience.look(lockstep.turns(), 5.0).named == [], "once in a turn"
    assert patience.look(lockstep.turns(), 10.0).given_up == {"B": 10.0}


def test_who_stalls_again_under_another_name_is_waited_for_half_as_long():
    patience, now, waited = TurnTimeouts(10.0, lambda name: "10.0.0.7"), 0.0, []
    for turn in range(8):
        lockstep = Lockstep()
        lockstep.enter(f"Robot{turn}", 10, turn)
        state = patience.look(lockstep.turns(), now)
        while not state.given_up:
            now += state.look_again
            state = patience.look(lockstep.turns(), now)
        waited += state.given_up.values()
    assert waited == [10.0, 5.0, 2.5, 1.25, *[NAMED_AFTER] * 4]
    now += FORGIVEN_AFTER
    lockstep = Lockstep()
    lockstep.enter("Later", 10, 99)
    assert not patience.look(lockstep.turns(), now).given_up
    assert not patience.look(lockstep.turns(), now + 9.9).given_up
    assert patience.look(lockstep.turns(), now + 10.0).given_up == {"Later": 10.0}


def test_every_turn_counts_from_its_own_beginning():
    lockstep, patience = Lockstep(), TurnTimeouts(10.0, str.lower)
    lockstep.enter("A", 10, 0)
    for turn in range(5):
        assert not patience.look(lockstep.turns(), 9.0 * turn).given_up
        lockstep.end_turn("A")
        lockstep.begin_turns(10 * (turn + 1))
    assert not TurnTimeouts(0.0, str).look(lockstep.turns(), 1e9).given_up, "0 waits for ever"


# -- memory ----------------------------------------------------------------------------------


def test_nothing_of_a_connection_stays_behind():
    """What a cycle holds stays until Python looks for it, and its looking holds up physics."""

    async def come_and_go():
        world = World(name="w", physics=STANDARD, terrain=(Flat(friction=0.8),))
        gateway = UsarsimGateway(((0, PortProfile()),))
        async with Server(Simulation(world), ServerOptions(gateways=(gateway,))) as server:
            running = asyncio.ensure_future(server.run())
            reader, writer = await asyncio.open_connection("127.0.0.1", server.ports["control"])
            writer.write(b"INIT {ClassName USARBot.P2DX} {Name Guest} {Location 0,0,0}\r\n")
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
        assert asyncio.run(come_and_go()) == []
    finally:
        gc.enable()
