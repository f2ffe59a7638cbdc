"""What keeps one client from costing another: shares, places, patience, worlds made aside."""

import logging
import threading
import time
from functools import partial

import pytest

from grouser.errors import BadValue, Refused
from grouser.service.admission import Admission
from grouser.service.aside_composer import MOST_TRIES, AsideComposer, Composing, Surroundings
from grouser.service.client_log import LONGEST, MOST_LINES, WINDOW, ClientLog
from grouser.service.host import Host, HostRules
from grouser.service.limits import Limits, RateLimiter
from grouser.service.lockstep import Lockstep
from grouser.service.patience import NAMED_AFTER, Patience
from grouser.service.wishes import LONGEST_DEBT, SLICE, Budgets, Wishes
from grouser.simulation.changes.actions import Join, Leave, SetGravity
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.objects import Box
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.kinds import Flat

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
    wishes = Wishes(RateLimiter(0.05, 0.0), work)
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
    wishes = Wishes(RateLimiter(0.05, 0.0), work)
    wishes.add(work.wish(number, SLICE / 2) for number in range(1000))
    assert wishes.fulfil(0.0, limited=False) == 0.0
    assert len(work.done) == 2, "then it is a beat's turn"
    while wishes:
        assert wishes.fulfil(0.0, limited=False) == 0.0
    assert len(work.done) == 1000


def test_a_wish_that_needs_a_world_stays_the_first():
    work = Work()
    wishes, ready = Wishes(RateLimiter(0.05, 0.0), work), []

    def join():
        if not ready:
            raise Composing
        work.done.append("joined")

    wishes.add([join, work.wish("drove", 0.0)])
    for _ in range(2):
        with pytest.raises(Composing):
            wishes.fulfil(0.0, limited=True)
    ready.append(True)
    wishes.fulfil(0.0, limited=True)
    assert work.done == ["joined", "drove"]


def test_whoever_comes_again_has_no_more_than_it_left_with():
    budgets = Budgets(Limits(server_share=0.1, server_savings=10.0))
    first = budgets.take("10.0.0.1", 0.0)
    assert first.saved(0.0) == pytest.approx(1.0)
    first.owe(0.0, 3.0)
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

    def send_away(self, reason):
        self.sent_away = reason


def test_strangers_of_one_address_keep_nobody_else_out():
    admission = Admission(Limits(connections=20, strangers_per_address=8))
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
    lockstep, patience = Lockstep(), Patience(10.0)
    lockstep.enter("A", 10, 0)
    lockstep.enter("B", 10, 0)
    assert patience.look(lockstep.turns(), 0.0).look_again == NAMED_AFTER
    assert lockstep.awaited == "A, B"
    lockstep.end_turn("A")
    state = patience.look(lockstep.turns(), NAMED_AFTER)
    assert (state.named, state.given_up, state.look_again) == (["B"], [], 9.0)
    assert patience.look(lockstep.turns(), 5.0).named == [], "once in a turn"
    assert patience.look(lockstep.turns(), 10.0).given_up == ["B"]


def test_every_turn_counts_from_its_own_beginning():
    lockstep, patience = Lockstep(), Patience(10.0)
    lockstep.enter("A", 10, 0)
    for turn in range(5):
        assert not patience.look(lockstep.turns(), 9.0 * turn).given_up
        lockstep.end_turn("A")
        lockstep.begin_turns(10 * (turn + 1))
    assert not Patience(0.0).look(lockstep.turns(), 1e9).given_up, "0 waits for ever"


# -- worlds made aside -----------------------------------------------------------------------

OWN = RobotEntry(name="resident", kind="packbot", position=(0, 3, 0))
GUEST = RobotEntry(name="guest", kind="p3at", position=(1, 0, 0))


class Owner:
    """Somebody with a robot who notes notices."""

    def __init__(self):
        self.notices = []

    def notice(self, kind, text):
        self.notices.append(kind)

    def receive_readings(self, readings): ...
    def time_passed(self, time): ...


class Loop:
    """An event loop's place: calls of other threads are made when `turn` is called."""

    def __init__(self):
        self.calls, self.arrived = [], threading.Event()
        self.now, self.may_wait = 0.0, True

    def from_thread(self, call):
        self.calls.append(call)
        self.arrived.set()

    def turn(self):
        assert self.arrived.wait(60)
        self.arrived.clear()
        calls, self.calls = self.calls, []
        for call in calls:
            call()

    def composer(self):
        return AsideComposer(
            Surroundings(
                now=lambda: self.now,
                call_later=lambda seconds, call: self.calls.append(call),
                call_from_thread=self.from_thread,
                thread_time=time.thread_time,
                may_wait=lambda: self.may_wait,
            )
        )


def world(*robots, objects=()):
    return World(
        name="w", physics=STANDARD, terrain=(Flat(friction=0.8),), robots=robots, objects=objects
    )


@pytest.fixture
def loop():
    return Loop()


@pytest.fixture
def served(loop):
    composer = loop.composer()
    yield Host(Simulation(world(OWN)), HostRules(beat=0.01), composer=composer), composer
    composer.close()


def join(host, composer, loop, entry, owner=None):
    """Join as a client does: again whenever a world is ready; return how often it was tried."""
    owner, tries = owner or Owner(), []

    def again(cost=0.0):
        tries.append(host.time)
        try:
            host.join(entry, owner)
        except Composing:
            composer.call_when_ready(again)

    again()
    while entry.name not in host.owners:
        host.advance()  # time passes meanwhile
        loop.turn()
    return len(tries)


def test_a_join_that_was_composed_aside_is_the_same_to_the_bit(served, loop):
    host, composer = served
    host.advance()
    assert join(host, composer, loop, GUEST) == 2, "asked for, and done"
    begun = host.time
    plain = Host(Simulation(world(OWN)), HostRules(beat=0.01))
    while plain.time < begun - 1e-9:
        plain.advance()
    plain.join(GUEST, Owner())
    for _ in range(20):
        host.advance()
        plain.advance()
    assert host.simulation.fingerprint() == plain.simulation.fingerprint()
    assert [r for r, _ in host.simulation.drain_readings()] == [
        r for r, _ in plain.simulation.drain_readings()
    ]


def test_where_somebody_is_waited_for_worlds_are_composed_on_the_spot(served, loop):
    host, _ = served
    loop.may_wait = False
    host.join(GUEST, Owner())
    assert "guest" in host.simulation.scene.robots


def test_a_second_arrival_waits_for_the_first_and_a_departure_for_both(served, loop):
    host, composer = served
    done = []

    def attempt(entry):
        def again(cost=0.0):
            try:
                host.join(entry, Owner())
                done.append(entry.name)
            except Composing:
                composer.call_when_ready(again)

        return again

    second = GUEST.model_copy(update={"name": "second", "position": (3.0, 0.0, 0.0)})
    attempt(GUEST)()
    attempt(second)()
    while len(done) < 2:
        loop.turn()
    assert done == ["guest", "second"]
    host.leave("guest")
    host.leave("second")
    assert {"guest", "second"} <= set(host.simulation.scene.robots), "gone soon, not at once"
    again = attempt(GUEST)
    again()  # of the same name: it does not take over the one that leaves
    while len(done) < 3:
        loop.turn()
    assert set(host.simulation.scene.robots) == {"resident", "guest"}


def test_addresses_take_turns_at_worlds_and_the_cost_is_told_to_who_asked(loop):
    composer, done, told = loop.composer(), [], {}

    def attempt(name, cost=0.0):
        told[name] = told.get(name, 0.0) + cost
        try:
            with composer.aside():
                composer.work_out(name, lambda: sum(range(100_000)))
            done.append(name)
        except Composing:
            composer.call_when_ready(partial(attempt, name), name[0])

    for name in ("a1", "a2", "a3", "b1"):  # the letter is the address
        attempt(name)
    while len(done) < 4:
        loop.now += 100.0
        loop.turn()
    assert done == ["a1", "a2", "b1", "a3"]
    assert all(cost > 0 for cost in told.values())
    composer.close()


def test_an_arrival_that_must_move_composes_twice_and_never_shows_the_first(served, loop):
    host, composer = served
    owner = Owner()
    inside = GUEST.model_copy(update={"position": OWN.position})
    seen = []
    rebind = host.simulation._rebind
    host.simulation._rebind = lambda live: (seen.append(live), rebind(live))
    assert join(host, composer, loop, inside, owner) == 4, "asked for, a spot, asked for, done"
    assert len(seen) == 1, "the world in which it was inside another robot never ran"
    assert owner.notices == ["Moved"]


def test_a_world_that_always_changes_lets_people_in_all_the_same(loop):
    composer = loop.composer()
    host = Host(Simulation(world(OWN)), HostRules(), composer=composer)
    tries = []

    def again(cost=0.0):
        tries.append(9.0 + 0.1 * len(tries))
        host.do(SetGravity(tries[-1]))
        try:
            host.join(GUEST, Owner())
        except Composing:
            composer.call_when_ready(again)

    again()
    while "guest" not in host.owners:
        loop.now += 10.0
        loop.turn()
    assert len(tries) == MOST_TRIES + 1
    composer.close()


def test_a_world_that_cannot_be_built_is_refused_as_ever(served, loop):
    host, composer = served
    bad = GUEST.model_copy(update={"options": {"wheels": 17}})
    with pytest.raises(Composing):
        host.join(bad, Owner())
    composer.call_when_ready(lambda cost: None)
    loop.turn()
    with pytest.raises(BadValue):
        host.join(bad, Owner())
    assert "guest" not in host.simulation.scene.robots


def test_several_leave_at_once_and_titles_are_forgotten():
    boxes = tuple(
        Box(name=f"box{n}", size=(0.1, 0.1, 0.1), position=(n, 1, 0.05), mass=1.0, friction=0.5)
        for n in range(5)
    )
    host = Host(Simulation(world(OWN, objects=boxes)), HostRules())
    host.titles = {"box0": "Crate", "box4": "Crate"}
    before = host.simulation.scene
    host.members.remove(["box0", "box1", "box2"])
    assert host.titles == {"box4": "Crate"}
    assert [thing.name for thing in host.simulation.world.objects] == ["box3", "box4"]
    assert host.simulation.scene is not before


def test_random_numbers_of_robots_that_left_are_dropped_and_not_drawn_again():
    sim = Simulation(world())
    noises = []
    for _ in range(3):
        sim.do(Join(GUEST.equipped()))
        assert {robot for robot, _ in sim._sensors._rngs} == {"guest"}
        noises.append(next(iter(sim._sensors._rngs.values())).standard_normal())
        sim.do(Leave("guest"))
        assert not sim._sensors._rngs
    assert len(set(noises)) == 3
