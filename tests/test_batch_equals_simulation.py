"""A batch ends in bit-identical states to `Simulation`: any world, any batch, any slots."""

import math

import numpy as np
import pytest

import grouser
from grouser.errors import BadValue, UnknownName
from grouser.simulation.policy import Observation
from grouser.simulation.simulation import Simulation
from grouser.trials.runner import run_trials
from grouser.trials.threads import ThreadRunner
from grouser.trials.trial import Trial
from grouser.world.events import Event
from grouser.world.file import RobotEntry, World, shipped
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.triggers import BoxTrigger

WORLDS = [name for name in shipped() if grouser.load(name).robots]


def trial(world: World, seconds: float) -> Trial:
    """Return a trial that runs ``world`` for ``seconds`` and ignores failures of robots."""
    return Trial(world=world, robot=world.robots[0].name, limit=seconds, tipped_beyond=math.inf)


def with_friction_scaled(world: World, share: float) -> World:
    """Return the same world with other friction, for another slot of the same batch."""
    changed = [
        piece.model_copy(update={"friction": share * piece.friction}) for piece in world.terrain
    ]
    return world.changed(terrain=tuple(changed))


def crawler(radius: float, method: str = "segments", friction: float = 0.7) -> World:
    """Return a world with a crawler; names and sizes in the model do not depend on the options."""
    robot = RobotEntry(
        name="crawler",
        kind="crawler",
        position=(0.0, 0.0, 0.0),
        options={
            "mass": 15.0,
            "gauge": 0.36,
            "width": 0.08,
            "pulleys": [[-0.2, 0, radius], [0.2, 0, radius]],
            "count": 36,
            "method": method,
        },
        command={"forward": 0.2},
    )
    terrain = (Flat(friction=friction),)
    return World(name="crawler", physics=STANDARD, terrain=terrain, robots=(robot,))


def companion_worlds(seconds: float) -> list[Trial]:
    """Return trials of crawlers with two radii and two track methods."""
    return [
        trial(crawler(radius, method), seconds)
        for radius in (0.075, 0.091)
        for method in ("segments", "surface")
    ]


def end_in_simulation(trial: Trial) -> str:
    """Return the final fingerprint of a `Simulation` of the world of a trial."""
    simulation = Simulation(trial.world)
    simulation.step(run_trials([trial])[0].time)
    return simulation.fingerprint()


def batch_ends(trials: list[Trial], **how: int) -> list[str]:
    return [outcome.fingerprint for outcome in run_trials(trials, runner=ThreadRunner(**how))]


def test_batch_of_all_shipped_worlds_equals_simulations() -> None:
    seconds = 0.1
    worlds = [*map(grouser.load, WORLDS), *(other.world for other in companion_worlds(seconds))]
    trials = [trial(world, seconds) for world in worlds]
    company = [trial(with_friction_scaled(world, 0.9), seconds) for world in worlds]
    mixed = [one for pair in zip(company, trials, strict=True) for one in pair]
    assert batch_ends(mixed, slots=3)[1::2] == [end_in_simulation(one) for one in trials]


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_batches_equal_simulation_for_shipped_worlds(name: str) -> None:
    check_five_seconds(grouser.load(name))


@pytest.mark.slow
@pytest.mark.parametrize("radius", [0.075, 0.091])
@pytest.mark.parametrize("method", ["segments", "surface", "wheels"])
def test_batches_equal_simulation_for_crawlers(radius: float, method: str) -> None:
    check_five_seconds(crawler(radius, method))


def check_five_seconds(world: World) -> None:
    """Compare a simulation of ``world`` with batches of one, three and eight slots."""
    one = trial(world, 5.0)
    wanted = end_in_simulation(one)  # also runs a batch of one slot
    assert batch_ends([one]) == [wanted]
    for slots in (3, 8):
        row = [
            trial(with_friction_scaled(world, 1 - 0.01 * number), 5.0) for number in range(1, slots)
        ]
        ended = batch_ends([*row, one, *companion_worlds(5.0)], slots=slots, threads=1)
        assert ended[slots - 1] == wanted, f"{slots} slots"


@pytest.mark.parametrize("method", ["segments", "surface"])
def test_worlds_with_different_radii_keep_their_gear_and_pitch(method: str) -> None:
    small, large = (trial(crawler(radius, method), 0.5) for radius in (0.075, 0.091))
    assert batch_ends([small, large]) == [*batch_ends([small]), *batch_ends([large])]


def test_surface_belts_do_not_depend_on_the_number_of_slots() -> None:
    row = [trial(crawler(0.075, "surface", 0.7 - 0.01 * number), 0.5) for number in range(8)]
    wanted = end_in_simulation(row[0])
    for slots in (1, 2, 3, 4, 8):
        assert batch_ends(row[:slots], slots=slots, threads=1)[0] == wanted, f"{slots} slots"


def eventful_world() -> World:
    """Return a world with nearly every kind of event that needs no rendering."""
    quince = RobotEntry(name="quince", kind="quince", position=(0, 0, 0), command={"forward": 0.2})
    events = (
        Event(name="slow", at=0.3, do=("tell quince forward 0.05", "friction everywhere 0.3")),
        Event(
            name="guest",
            at=0.4,
            do=("spawn ball ball at 2 0 0.1 mass=0.1 radius=0.05 friction=0.5",),
        ),
        Event(name="dance", do=("glide ball to 2 1 0.3 at 0.5", "say it moves")),
        Event(name="luck", every=0.1, chance=0.5, do=("move ball by 0 0.01 0",)),
    )
    gate = BoxTrigger(
        name="gate", kind="box", position=(0.05, 0.0, 0.1), size=(0.02, 2.0, 1.0), fires=("dance",)
    )
    return World(
        name="eventful",
        physics=STANDARD,
        terrain=(Flat(friction=0.6),),
        robots=(quince,),
        events=events,
        triggers=(gate,),
    )


def test_event_stops_a_robot_in_a_batch() -> None:
    quince = RobotEntry(name="quince", kind="quince", position=(0, 0, 0), command={"forward": 0.1})
    stop = Event(name="stop", at=0.5, do=("tell quince forward 0",))
    flat = (Flat(friction=0.6),)
    world = World(name="stop", physics=STANDARD, terrain=flat, robots=(quince,), events=(stop,))
    simulation = Simulation(world)
    simulation.step(1.0)
    [outcome] = run_trials([trial(world, 1.0)])
    assert outcome.fingerprint == simulation.fingerprint()
    assert outcome.positions[-1, 0] == pytest.approx(0.05, abs=0.005)


def test_events_triggers_and_motions_run_in_a_batch() -> None:
    one = trial(eventful_world(), 1.0)
    simulation = Simulation(one.world)
    simulation.step(1.0)
    happened = {entry.name for entry in simulation.event_log}
    assert {"slow", "guest", "dance", "luck", "gate"} <= happened, "events must occur"
    assert set(batch_ends([one, *companion_worlds(0.2), one, one], slots=3)[:1]) == {
        simulation.fingerprint()
    }


class Follow:
    """Policy that sets the speed by a noisy gyroscope and records the readings."""

    def __init__(self, shown: list[tuple[float, float]]) -> None:
        self._shown = shown

    def __call__(self, seen: Observation) -> dict[str, float]:
        rate = seen.readings["gyro"]["x"]
        self._shown.append((seen.time, rate))
        return {"forward": 0.2 + rate}


def test_policy_receives_sensor_readings() -> None:
    shown: list[tuple[float, float]] = []
    quince = RobotEntry(
        name="quince",
        kind="quince",
        position=(0, 0, 0),
        command={"forward": 0.2},
        sensors=({"kind": "gyroscope", "name": "gyro", "mount": "body", "noise": 0.05},),
    )
    flat = (Flat(friction=0.6),)
    world = World(name="sensing", physics=STANDARD, terrain=flat, robots=(quince,))
    one = Trial(
        world=world, robot="quince", limit=0.5, policy=lambda: Follow(shown), sensors=("gyro",)
    )
    [outcome] = run_trials([one])
    simulation, wanted = Simulation(world), []
    for time in outcome.times:
        simulation.step(time - simulation.time)
        rate = simulation.read("quince", "gyro")["x"]
        wanted.append((simulation.time, rate))
        simulation.command("quince", forward=0.2 + rate)
    assert shown == wanted
    assert outcome.fingerprint == simulation.fingerprint()
    assert np.ptp([rate for _, rate in shown]) > 0.01, "the gyroscope must be noisy"


def test_worlds_with_pictures_are_rejected_in_one_sentence() -> None:
    rex = RobotEntry(name="rex", kind="ers7", position=(0, 0, 0))
    world = World(name="dog", physics=STANDARD, terrain=(Flat(friction=0.8),), robots=(rex,))
    with pytest.raises(BadValue, match=r"sensor 'camera' of 'rex' is a camera"):
        run_trials([Trial(world=world, robot="rex", limit=1.0, sensors=("camera",))])
    with pytest.raises(UnknownName, match="no sensor 'nose'"):
        run_trials([Trial(world=world, robot="rex", limit=1.0, sensors=("nose",))])
