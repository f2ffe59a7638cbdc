"""Worlds that are made ready aside while physics goes on: who joins, leaves and waits for one."""

import dataclasses
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from grouser.errors import BadValue
from grouser.robots.kinds import describe
from grouser.service.background_composer import (
    MOST_TRIES,
    BackgroundComposer,
    ComposerContext,
    SceneNotReady,
)
from grouser.service.host import Host, HostRules
from grouser.simulation.changes.actions import Join, Leave, SetGravity
from grouser.simulation.scene import RobotSpecCache
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.objects import Box
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.kinds import Flat

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
        self.now, self.may_defer = 0.0, True

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
        return BackgroundComposer(
            ComposerContext(
                now=lambda: self.now,
                call_later=lambda seconds, call: self.calls.append(call),
                call_from_thread=self.from_thread,
                thread_time=time.thread_time,
                may_defer=lambda: self.may_defer,
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
    yield Host(Simulation(world(OWN)), HostRules(tick=0.01), composer=composer), composer
    composer.close()


def join(host, composer, loop, entry, owner=None):
    """Join as a client does: again whenever a world is ready; return how often it was tried."""
    owner, tries = owner or Owner(), []

    def again(cost=0.0):
        tries.append(host.time)
        try:
            host.join(entry, owner)
        except SceneNotReady:
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
    plain = Host(Simulation(world(OWN)), HostRules(tick=0.01))
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
    loop.may_defer = False
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
            except SceneNotReady:
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
            with composer.deferred():
                composer.compute(name, lambda: sum(range(100_000)))
            done.append(name)
        except SceneNotReady:
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
        host.apply(SetGravity(tries[-1]))
        try:
            host.join(GUEST, Owner())
        except SceneNotReady:
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
    with pytest.raises(SceneNotReady):
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
        sim.apply(Join(GUEST.equipped()))
        assert {robot for robot, _ in sim._sensors._rngs} == {"guest"}
        noises.append(next(iter(sim._sensors._rngs.values())).standard_normal())
        sim.apply(Leave("guest"))
        assert not sim._sensors._rngs
    assert len(set(noises)) == 3


class SlowSpec:
    """A spec that takes its time to be copied, and notes how many copy it at once."""

    def __init__(self, spec):
        self._spec, self._copying, self.most = spec, 0, 0

    def copy(self):
        self._copying += 1
        self.most = max(self.most, self._copying)
        time.sleep(0.05)
        self._copying -= 1
        return self._spec.copy()


def test_no_robot_is_copied_by_two_threads_at_once():
    cache, made = RobotSpecCache(), []
    description = describe("p3at", {}, "here")

    def make():
        robot = description.build()
        made.append(SlowSpec(robot.spec))
        return dataclasses.replace(robot, spec=made[-1])

    with ThreadPoolExecutor(3) as pool:
        robots = list(pool.map(lambda _: cache.get((description, ()), make), range(9)))
    assert 2 <= len(made) <= 3, "one for each thread, then copies"
    assert [spec.most for spec in made] == [1] * len(made)
    assert len({id(robot.spec) for robot in robots}) == 9
    before = len(made)
    cache.get((description, ({"kind": "gps"},)), make)
    assert len(made) == before + 1, "another one, since it carries something else"
