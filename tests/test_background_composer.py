"""Background composer: scenes are compiled in a thread while physics continues."""

import dataclasses
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import mujoco
import pytest

from grouser.errors import BadValue
from grouser.robots.kinds import describe
from grouser.robots.robot import Robot
from grouser.service.background_composer import (
    MOST_TRIES,
    BackgroundComposer,
    ComposerContext,
    SceneNotReady,
)
from grouser.service.host import Host, HostRules, RobotOwner
from grouser.simulation.changes.actions import Join, Leave, SetGravity
from grouser.simulation.scene import RobotSpecCache
from grouser.simulation.scene_state import SceneState
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.objects import AnyObject, Box
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

OWN = RobotEntry(name="resident", kind="packbot", position=(0, 3, 0))
JOINING = RobotEntry(name="joining", kind="p3at", position=(1, 0, 0))


class RecordingOwner(RobotOwner):
    """Owner of a robot that records notices."""

    def __init__(self) -> None:
        self.notices: list[str] = []

    def notice(self, kind: str, text: str) -> None:
        self.notices.append(kind)


class Loop:
    """Stand-in for an event loop: calls of other threads run when `turn` is called."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], object]] = []
        self.arrived = threading.Event()
        self.now, self.may_defer = 0.0, True

    def from_thread(self, call: Callable[[], object]) -> None:
        self.calls.append(call)
        self.arrived.set()

    def turn(self) -> None:
        assert self.arrived.wait(60)
        self.arrived.clear()
        calls, self.calls = self.calls, []
        for call in calls:
            call()

    def composer(self) -> BackgroundComposer:
        return BackgroundComposer(
            ComposerContext(
                now=lambda: self.now,
                call_later=lambda seconds, call: self.calls.append(call),
                call_from_thread=self.from_thread,
                thread_time=time.thread_time,
                may_defer=lambda: self.may_defer,
            )
        )


def world(*robots: RobotEntry, objects: tuple[AnyObject, ...] = ()) -> World:
    return World(
        name="w", physics=STANDARD, terrain=(Flat(friction=0.8),), robots=robots, objects=objects
    )


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def served(loop: Loop) -> Iterator[tuple[Host, BackgroundComposer]]:
    composer = loop.composer()
    yield Host(Simulation(world(OWN)), HostRules(tick=0.01), composer=composer), composer
    composer.close()


def join(
    host: Host,
    composer: BackgroundComposer,
    loop: Loop,
    entry: RobotEntry,
    owner: RobotOwner | None = None,
) -> int:
    """Join as a client does: retry when a scene is ready; return the number of tries."""
    tries: list[float] = []
    robot_owner = owner or RecordingOwner()

    def again(cost: float = 0.0) -> None:
        tries.append(host.time)
        try:
            host.join(entry, robot_owner)
        except SceneNotReady:
            composer.call_when_ready(again)

    again()
    while entry.name not in host.owners:
        host.advance()  # physics continues
        loop.turn()
    return len(tries)


def test_join_compiled_in_the_background_gives_the_same_bits(
    served: tuple[Host, BackgroundComposer], loop: Loop
) -> None:
    host, composer = served
    host.advance()
    assert join(host, composer, loop, JOINING) == 2, "request, join"
    started = host.time
    plain = Host(Simulation(world(OWN)), HostRules(tick=0.01))
    while plain.time < started - 1e-9:
        plain.advance()
    plain.join(JOINING, RecordingOwner())
    for _ in range(20):
        host.advance()
        plain.advance()
    assert host.simulation.fingerprint() == plain.simulation.fingerprint()
    assert [r for r, _ in host.simulation.drain_readings()] == [
        r for r, _ in plain.simulation.drain_readings()
    ]


def test_scenes_are_compiled_synchronously_in_lockstep(
    served: tuple[Host, BackgroundComposer], loop: Loop
) -> None:
    host, _ = served
    loop.may_defer = False
    host.join(JOINING, RecordingOwner())
    assert "joining" in host.simulation.scene.robots


def test_second_join_waits_for_the_first_and_removal_for_both(
    served: tuple[Host, BackgroundComposer], loop: Loop
) -> None:
    host, composer = served
    done = []

    def attempt(entry: RobotEntry) -> Callable[[], None]:
        def again(cost: float = 0.0) -> None:
            try:
                host.join(entry, RecordingOwner())
                done.append(entry.name)
            except SceneNotReady:
                composer.call_when_ready(again)

        return again

    second = JOINING.model_copy(update={"name": "second", "position": (3.0, 0.0, 0.0)})
    attempt(JOINING)()
    attempt(second)()
    while len(done) < 2:
        loop.turn()
    assert done == ["joining", "second"]
    host.leave("joining")
    host.leave("second")
    assert {"joining", "second"} <= set(host.simulation.scene.robots), "removed later"
    again = attempt(JOINING)
    again()  # the same name: it does not take over the leaving robot
    while len(done) < 3:
        loop.turn()
    assert set(host.simulation.scene.robots) == {"resident", "joining"}


def test_addresses_are_served_in_turn_and_costs_reported_per_request(loop: Loop) -> None:
    composer = loop.composer()
    done: list[str] = []
    costs: dict[str, float] = {}

    def attempt(name: str, cost: float = 0.0) -> None:
        costs[name] = costs.get(name, 0.0) + cost
        try:
            with composer.deferring():
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
    assert all(cost > 0 for cost in costs.values())
    composer.close()


def test_join_at_an_occupied_place_compiles_twice_and_runs_the_second_scene_only(
    served: tuple[Host, BackgroundComposer], loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, composer = served
    owner = RecordingOwner()
    inside = JOINING.model_copy(update={"position": OWN.position})
    running: list[SceneState] = []
    rebind = host.simulation._rebind

    def record(state: SceneState) -> None:
        running.append(state)
        rebind(state)

    monkeypatch.setattr(host.simulation, "_rebind", record)
    assert join(host, composer, loop, inside, owner) == 4, (
        "request, free spot, second request, join"
    )
    assert len(running) == 1, "the scene with the collision never ran"
    assert owner.notices == ["Moved"]


def test_join_succeeds_in_a_world_that_always_changes(loop: Loop) -> None:
    composer = loop.composer()
    host = Host(Simulation(world(OWN)), HostRules(), composer=composer)
    tries: list[float] = []

    def again(cost: float = 0.0) -> None:
        tries.append(9.0 + 0.1 * len(tries))
        host.apply(SetGravity(tries[-1]))
        try:
            host.join(JOINING, RecordingOwner())
        except SceneNotReady:
            composer.call_when_ready(again)

    again()
    while "joining" not in host.owners:
        loop.now += 10.0
        loop.turn()
    assert len(tries) == MOST_TRIES + 1
    composer.close()


def test_invalid_robot_is_refused_after_background_compile(
    served: tuple[Host, BackgroundComposer], loop: Loop
) -> None:
    host, composer = served
    bad = JOINING.model_copy(update={"options": {"wheels": 17}})
    with pytest.raises(SceneNotReady):
        host.join(bad, RecordingOwner())
    composer.call_when_ready(lambda cost: None)
    loop.turn()
    with pytest.raises(BadValue):
        host.join(bad, RecordingOwner())
    assert "joining" not in host.simulation.scene.robots


def test_several_objects_are_removed_at_once_with_their_titles() -> None:
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


def test_random_generators_of_removed_robots_are_not_reused() -> None:
    sim = Simulation(world())
    noises = []
    for _ in range(3):
        sim.apply(Join(JOINING.equipped()))
        assert {robot for robot, _ in sim.active_sensors._rngs} == {"joining"}
        noises.append(next(iter(sim.active_sensors._rngs.values())).standard_normal())
        sim.apply(Leave("joining"))
        assert not sim.active_sensors._rngs
    assert len(set(noises)) == 3


class SlowSpec:
    """Spec with a slow copy that counts simultaneous copies."""

    def __init__(self, spec: mujoco.MjSpec) -> None:
        self._spec, self._copying, self.most = spec, 0, 0

    def copy(self) -> mujoco.MjSpec:
        self._copying += 1
        self.most = max(self.most, self._copying)
        time.sleep(0.05)
        self._copying -= 1
        return self._spec.copy()


def test_robot_spec_is_copied_by_one_thread_at_a_time() -> None:
    cache, made = RobotSpecCache(), []
    description = describe("p3at", {}, "here")

    def make() -> Robot:
        robot = description.build()
        made.append(SlowSpec(robot.spec))
        return dataclasses.replace(robot, spec=made[-1])

    with ThreadPoolExecutor(3) as pool:
        robots = list(pool.map(lambda _: cache.get((description, ()), make), range(9)))
    assert 2 <= len(made) <= 3, "one per thread, then copies"
    assert [spec.most for spec in made] == [1] * len(made)
    assert len({id(robot.spec) for robot in robots}) == 9
    before = len(made)
    cache.get((description, ({"kind": "gps"},)), make)
    assert len(made) == before + 1, "another spec for other sensors"
