"""Contract of segment belts around any pulleys: no hopping, and no energy from nothing."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from support.energy_meter import EnergyBalance, measure, vertical_rms
from support.planar_crawler import PlanarCrawler
from support.random_belts import RandomBelt

from grouser.frames import Array
from grouser.simulation.simulation import Simulation
from grouser.tracks.path import BeltPath
from grouser.trials.runner import run_trials
from grouser.trials.threads import ThreadRunner
from grouser.trials.trial import Trial
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

VIBRATION = 0.010
"""m/s; vertical rms speed that is allowed beside that of the polygon effect."""
DECAY, STEADY = 5.0, 6.0
"""s. A bounce that lugs excite takes seconds to decay and is chaotic before: the first seconds of
equal robots that start at other phases differ by a factor of 3."""
STARTS = tuple((up, turn) for up in (1.0, 2.0) for turn in (-0.5, 0.5, 0.0))
"""Other starts of the planar model: lift over the grousers' height, pitch rate (rad/s). A belt on
few grousers has several steady motions, from hardly any to a gallop; the start chooses."""
PARTS = 4
"""Number of times that a chaotic motion of the planar model is judged."""
UNEXPLAINED = 0.01
"""Largest part of the energy turnover that is in no term of the balance."""
HOPPER: dict[str, Any] = {
    "mass": 150.0,
    "gauge": 0.5,
    "width": 0.15,
    "pulleys": [[0.39, 0.2, 0.07], [0.29, 0.08, 0.08], [-0.2, 0.045, 0.045], [-0.44, 0.13, 0.075]],
    "grouser": {"shape": "rounded", "length": 0.01, "height": 0.024},
    "force": 800.0,
    "centre_x": -0.03,
    "centre_z": 0.15,
}
"""Its rear run rises by 13 deg behind a bend of 10 mm. With links that overran the bend it hopped
with 80 to 120 mm/s at these pitches, and its drives gained 70 to 90 J/m."""


def hopper(pitch: float) -> World:
    count = round(BeltPath.around(HOPPER["pulleys"]).length / pitch)
    entry = RobotEntry(
        name="crawler",
        kind="crawler",
        position=(0.0, 0.0, 0.0),
        options=HOPPER | {"count": count},
        command={"forward": 0.3},
    )
    return World(name="flat", physics=STANDARD, terrain=(Flat(friction=0.8),), robots=(entry,))


def check(balance: EnergyBalance) -> None:
    assert balance.work >= balance.losses > 0, balance
    turnover = abs(balance.drives) + abs(balance.mechanical)
    assert abs(balance.residual) < UNEXPLAINED * turnover, balance


def check_random_belt(
    belt: RandomBelt, settling: float, least: float, pitches: int, *, steady: bool = False
) -> None:
    """Drive a random belt and check it for ``least`` seconds, and ``pitches`` at least.

    ``steady``: a belt that vibrates is judged over `STEADY` seconds after `DECAY` more, see
    `is_explained`.
    """
    seconds = max(least, pitches * belt.pitch / belt.speed)
    simulation = belt.simulation()
    belt.drive(simulation, settling)
    balance = measure(simulation, seconds)
    check(balance)
    rms = balance.vertical_rms
    if rms <= VIBRATION:
        return
    if steady:
        settling += seconds + DECAY
        simulation.step(DECAY)
        seconds, rms = STEADY, vertical_rms(simulation, STEADY)
    model = PlanarCrawler.of(belt)
    explained = rms < VIBRATION + model.vertical_rms(settling, seconds)
    assert explained or (steady and is_explained(rms, model, settling)), (rms, balance)


def is_explained(rms: float, model: PlanarCrawler, settling: float) -> bool:
    """Return True if the planar model moves like this for `STEADY` seconds.

    It does so at some time from its own start, or permanently after another start.
    """
    parts = np.split(model.vertical_speeds(settling, PARTS * STEADY), PARTS)
    if rms < VIBRATION + max(float(np.sqrt((part**2).mean())) for part in parts):
        return True
    height = float(model.belt.options["grouser"]["height"])
    others = (model.vertical_rms(settling, STEADY, up * height, turn) for up, turn in STARTS)
    return any(abs(rms - other) < VIBRATION for other in others)


@pytest.mark.parametrize("seed", range(20))
def test_random_belts_neither_hop_nor_create_energy(seed: int) -> None:
    # The start is a ramp without a jerk, so that little has to decay.
    check_random_belt(RandomBelt.draw(seed), 0.2, 0.2, 2)


@pytest.mark.slow
@pytest.mark.parametrize("timestep", [0.001, 0.0005])
@pytest.mark.parametrize("seed", range(200))
def test_200_random_belts_neither_hop_nor_create_energy(seed: int, timestep: float) -> None:
    belt = dataclasses.replace(RandomBelt.draw(seed), timestep=timestep)
    check_random_belt(belt, 0.5, 1.0, 3, steady=True)


@pytest.mark.parametrize("pitch", [0.055, 0.06, 0.07])
def test_rising_rear_run_does_not_hop(pitch: float) -> None:
    simulation = Simulation(hopper(pitch))
    simulation.step(0.8)
    balance = measure(simulation, 0.4)
    check(balance)
    assert balance.vertical_rms < VIBRATION


@pytest.mark.parametrize("seed", range(2))
def test_every_grouser_is_on_the_path_at_any_belt_position(seed: int) -> None:
    belt = RandomBelt.draw(seed)
    path, count = belt.path, int(belt.options["count"])
    stages = path.stages(count, 0.01)
    for position in np.linspace(-0.5, 0.5, 4) * belt.pitch:
        for number, each in enumerate(stages):
            (stage,) = (stage for stage in each if stage.enter <= position < stage.leave)
            pose = path.segments[stage.segment].transport(stage.X_TF, position)
            along = 0.01 + number * belt.pitch + position
            np.testing.assert_allclose(pose.position, path.at(along).position, atol=1e-9)


def test_solid_grousers_of_the_model_are_on_the_path() -> None:
    belt = RandomBelt.draw(0)
    simulation = belt.simulation()
    belt.drive(simulation, 0.1)
    model, data, left = simulation.model, simulation.data, simulation.scene.belts[0]
    assert left.switched
    interval = simulation.scene.control_interval * float(model.opt.timestep)
    tips = belt.path.offset(float(belt.options["grouser"]["height"]) / 2)
    samples = np.array([tips.at(x).position for x in np.linspace(0, tips.length, 400)])
    for _ in range(10):
        simulation.step(interval)
        data.qpos[:7] = [0, 0, 0, 1, 0, 0, 0]
        simulation.state.update_kinematics()
        solid = [geom for geom in range(model.ngeom) if "left/grouser" in model.geom(geom).name]
        boxes = [g for g in solid if model.geom_contype[g] and "/tip" not in model.geom(g).name]
        assert len(boxes) == belt.options["count"]
        gaps = [_gap(samples, data.geom_xpos[geom]) for geom in boxes]
        # Belts move on for one interval before they are switched.
        assert max(gaps) < 0.006 + belt.speed * interval, gaps


def _gap(samples: Array, point: Array) -> float:
    """Return the distance (m) of ``point`` from the path in its plane."""
    return float(np.linalg.norm((samples - point)[:, [0, 2]], axis=1).min())


def test_followed_belts_give_the_same_bits_in_a_batch_and_after_a_snapshot() -> None:
    world = hopper(0.06)
    trial = Trial(world=world, robot="crawler", limit=0.3, tipped_beyond=10.0)
    runs = run_trials([trial, trial, trial], runner=ThreadRunner(slots=2, threads=1))
    simulation = Simulation(world)
    simulation.step(0.2)
    saved = simulation.save()
    rest = simulation.round_to_steps(runs[0].time - 0.2)
    simulation.step(rest)
    end = simulation.fingerprint()
    assert {outcome.fingerprint for outcome in runs} == {end}
    simulation.restore(saved)
    simulation.step(rest)
    assert simulation.fingerprint() == end
    restored = Simulation.from_snapshot(saved)
    restored.step(rest)
    assert restored.fingerprint() == end
