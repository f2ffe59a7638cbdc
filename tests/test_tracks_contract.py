"""Contract of tracks for every method and path shape (okada)."""

import math
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt
import pytest

from grouser.frames import Array
from grouser.simulation.simulation import Simulation
from grouser.tracks.path import BeltPath
from grouser.tracks.track import TRACKS
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

SHAPES: dict[str, Any] = {
    "oval": [(-0.25, 0, 0.07), (0.25, 0, 0.07)],
    "unequal": [(-0.25, 0, 0.07), (0.25, -0.02, 0.05)],
    "triangle": [(-0.25, 0, 0.06), (0.25, 0, 0.06), (0, 0.12, 0.05)],
    "trapezoid": [(-0.3, 0.08, 0.05), (0.3, 0.08, 0.05), (-0.2, 0, 0.06), (0.2, 0, 0.06)],
}
EVERY = [
    # A chain of plates costs fifty times as much: the fast suite tests its encoder only.
    pytest.param(method, shape, marks=pytest.mark.slow if method == "plates" else ())
    for method in TRACKS
    for shape in SHAPES
]
SPEED = 0.2


def crawler(method: str, shape: str, *, slope_deg: float = 0.0, **options: Any) -> Simulation:
    track_options = {
        "mass": 15.0,
        "gauge": 0.36,
        "width": 0.08,
        "pulleys": SHAPES[shape],
        "grouser": {"shape": "rounded", "length": 0.006, "height": 0.01},
        "count": 40,
        "wheels": 6,
        "method": method,
    }
    entry = RobotEntry(
        name="crawler",
        kind="crawler",
        position=(0.0, 0.0, 0.0),
        pitch_deg=-slope_deg,
        options=track_options | options,
    )
    world = World(
        name=f"{method} {shape}",
        physics=STANDARD,
        terrain=(Flat(friction=0.7, slope_deg=slope_deg),),
        robots=(entry,),
    )
    return Simulation(world)


def displacement(simulation: Simulation, seconds: float) -> Array:
    start = simulation.pose("crawler")
    simulation.step(seconds)
    end = simulation.pose("crawler")
    return end.position - start.position


@pytest.mark.parametrize(("method", "shape"), EVERY)
def test_drives_straight_at_the_commanded_speed(method: str, shape: str) -> None:
    simulation = crawler(method, shape)
    simulation.command("crawler", forward=SPEED)
    simulation.step(0.5)
    x, y, _ = displacement(simulation, 1.5) / 1.5
    assert x == pytest.approx(SPEED, rel=0.05 if method == "plates" else 0.02)
    assert abs(y) < 0.02 * SPEED
    assert abs(simulation.read("crawler", "truth")["yaw"]) < math.radians(1)


@pytest.mark.parametrize(("method", "shape"), EVERY)
@pytest.mark.parametrize("way", [1, -1])
def test_turns_in_the_commanded_direction(method: str, shape: str, way: int) -> None:
    simulation = crawler(method, shape)
    simulation.command("crawler", turn=way * 1.0)
    simulation.step(1.0)
    assert way * simulation.read("crawler", "truth")["yaw"] > 0.1


@pytest.mark.parametrize(("method", "shape"), EVERY)
def test_holds_on_a_slope(method: str, shape: str) -> None:
    simulation = crawler(method, shape, slope_deg=20.0)
    simulation.step(0.5)
    assert np.linalg.norm(displacement(simulation, 10.0)) < 0.005


@pytest.mark.parametrize("shape", SHAPES)
def test_roll_back_changes_positions_only(shape: str) -> None:
    simulation = crawler("segments", shape)
    simulation.command("crawler", forward=SPEED)
    simulation.step(0.2)
    model, stride = (
        simulation.model,
        simulation.scene.control_interval * float(simulation.model.opt.timestep),
    )
    belt = simulation.scene.belts[0]
    addresses = [model.joint(name).qposadr[0] for name, _ in belt.links]
    travels = np.array([travel for _, travel in belt.links])
    seen = 0
    for _ in range(400):
        turns = simulation.state.memory.turns.copy()
        before = simulation.data.qpos[addresses] / travels
        speed = simulation.data.qvel[0]
        simulation.step(stride)
        after = simulation.data.qpos[addresses] / travels
        if (simulation.state.memory.turns != turns)[0, 0]:
            seen += 1
            # Every link jumps by one pitch less the travel of the belt in this control interval.
            went = after - before + belt.pitch
            assert np.ptp(went) < 1e-4
            assert went[0] == pytest.approx(SPEED * stride, rel=0.3)
            assert simulation.data.qvel[0] == pytest.approx(speed, rel=0.01)
    assert seen >= 2


def test_roll_back_keeps_the_belt_position_modulo_one_pitch() -> None:
    simulation = crawler("segments", "oval")
    simulation.command("crawler", forward=SPEED)
    simulation.step(0.05)  # a quarter of a pitch: no roll-back yet
    rows, memory = simulation.state.arrays, simulation.state.memory
    belt = simulation.scene.belts[0]
    joints = [(simulation.model.joint(name).qposadr[0], travel) for name, travel in belt.links]
    for address, travel in joints:
        simulation.data.qpos[address] += 0.6 * belt.pitch * travel
    before = np.array([simulation.data.qpos[address] / travel for address, travel in joints])
    travelled = simulation.state.stepper.travel(rows, memory)[0, 0]
    velocity = simulation.data.qvel.copy()
    stride = simulation.scene.control_interval
    for _ in simulation.state.stepper.advance(rows, memory, 0, stride, lambda steps: None):
        pass  # a control interval without physics
    after = np.array([simulation.data.qpos[address] / travel for address, travel in joints])
    np.testing.assert_allclose(before - after, belt.pitch, atol=1e-9)
    assert simulation.state.stepper.travel(rows, memory)[0, 0] == pytest.approx(travelled, abs=1e-9)
    np.testing.assert_array_equal(simulation.data.qvel, velocity)


@pytest.mark.parametrize("shape", SHAPES)
def test_grousers_far_from_seams_coincide_after_a_roll_back(shape: str) -> None:
    """Half a pitch forwards equals the next grouser half a pitch backwards."""
    simulation = crawler("segments", shape)
    model, data, belt = simulation.model, simulation.data, simulation.scene.belts[0]
    tips = [f"{belt.name}/grouser{n}/tip" for n in range(40)]

    def places(offset: float) -> tuple[Array, npt.NDArray[np.int32]]:
        for name, travel in belt.links:
            data.qpos[model.joint(name).qposadr[0]] = offset * travel
        mujoco.mj_kinematics(model, data)
        return np.array([data.geom(tip).xpos for tip in tips]), np.array(
            [model.geom(tip).bodyid[0] for tip in tips]
        )

    (ahead, bodies), (behind, _) = places(belt.pitch / 2), places(-belt.pitch / 2)
    gaps = np.linalg.norm(ahead - np.roll(behind, -1, axis=0), axis=1)
    same_link = bodies == np.roll(bodies, -1)
    assert same_link.sum() >= 30
    assert gaps[same_link].max() < 1e-9
    # Across a seam the gap of the tips is at most the misfit of the path.
    track_height = 0.01
    path = _path(shape)
    promised = path.misfit(40, path.best_phase(40, track_height), track_height)
    assert gaps.max() <= promised * 1.05 + 1e-4


def _path(shape: str) -> BeltPath:
    return BeltPath.around(SHAPES[shape])


@pytest.mark.parametrize("method", TRACKS)
def test_encoder_measures_belt_travel(method: str) -> None:
    simulation = crawler(method, "oval")
    simulation.command("crawler", forward=SPEED)
    seconds = 0.6 if method == "plates" else 1.5  # a chain of plates takes 20 times as long
    simulation.step(seconds)
    assert simulation.read("crawler", "encoder")["left"] == pytest.approx(seconds * SPEED, rel=0.02)


@pytest.mark.parametrize("method", ["segments", "wheels", "surface"])
def test_work_uphill_equals_the_potential_energy(method: str) -> None:
    """Driving up a slope costs the potential energy plus a few percent for slip."""
    simulation = crawler(method, "oval", slope_deg=15.0)
    simulation.command("crawler", forward=SPEED)
    simulation.step(0.5)
    robot = simulation.robots["crawler"]
    before = robot.energy - robot.losses
    height = displacement(simulation, 3.0)[2]
    spent = robot.energy - robot.losses - before
    lift = 15.0 * 9.81 * height
    assert lift * 0.98 < spent < lift * 1.10


@pytest.mark.parametrize("method", ["segments", "wheels", "surface"])
def test_weak_drive_stalls_without_windup(method: str) -> None:
    """14 N per side cannot hold 15 kg on a slope of 20 deg, which pulls with 50 N."""
    simulation = crawler(method, "oval", slope_deg=20.0, force=14.0)
    simulation.command("crawler", forward=SPEED)
    simulation.step(1.5)
    assert displacement(simulation, 0.5)[0] < 0
    outputs = simulation.data.actuator_force
    assert np.abs(outputs).max() <= 14.0 + 1e-9


def test_upper_link_is_optional() -> None:
    whole, without = crawler("segments", "oval"), crawler("segments", "oval", without_top=True)
    assert without.model.nv == whole.model.nv - 2
    without.command("crawler", forward=SPEED)
    without.step(0.5)
    assert displacement(without, 1.0)[0] == pytest.approx(SPEED, rel=0.02)


@pytest.mark.parametrize("shape", ["box", "trapezoid", "polygon"])
def test_any_convex_grouser_drives(shape: str) -> None:
    track_options = {
        "box": {"shape": "box", "length": 0.006, "height": 0.01},
        "trapezoid": {"shape": "trapezoid", "top": 0.004, "base": 0.012, "height": 0.01},
        "polygon": {
            "shape": "polygon",
            "outline": [[-0.006, 0], [0.006, 0], [0.004, 0.007], [0, 0.01], [-0.004, 0.007]],
        },
    }[shape]
    simulation = crawler("segments", "oval", grouser=track_options)
    simulation.command("crawler", forward=SPEED)
    simulation.step(0.5)
    assert displacement(simulation, 0.5)[0] / 0.5 == pytest.approx(SPEED, rel=0.04)
