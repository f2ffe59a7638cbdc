"""Losses and motors: friction by load, energy balance, electric power, the same bits without."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.energy_meter import measure

from grouser import Batch, Simulation
from grouser.errors import BadValue, SimulationDiverged
from grouser.frames import radians
from grouser.mobility.energy_use import measure_energy_use
from grouser.mobility.suite import measure_candidate
from grouser.physics.losses import Losses, Motor
from grouser.simulation.scene import compose
from grouser.world.file import as_world

GRAVITY = 9.81


def world(
    kind: str, *, losses: bool = True, slope_deg: float = 0.0, **entry: object
) -> dict[str, Any]:
    """Return a world with one robot on level ground, or in the middle of an incline."""
    ground: dict[str, Any] = {"kind": "flat"}
    robot: dict[str, Any] = {"name": "r", "kind": kind, "position": [0, 0, 0], **entry}
    if slope_deg:
        ground = {"kind": "incline", "slope_deg": slope_deg, "side": 5.0, "friction": 0.9, "x": 0.0}
        x, z = math.cos(radians(slope_deg)), math.sin(radians(slope_deg))
        robot |= {"position": [x, 0, z], "pitch_deg": -slope_deg}
    return {"name": "losses", "physics": {"losses": losses}, "terrain": [ground], "robots": [robot]}


def drive_level(kind: str, seconds: float = 0.6) -> tuple[float, float, float, float]:
    """Return the mechanical and electric cost of transport, and both energy sums, J."""
    simulation = Simulation(world(kind, command={"forward": 0.3}))
    robot = simulation.robots["r"]
    simulation.step(0.5)
    start = robot.pose.position[0], robot.energy, robot.electric_energy, robot.losses
    simulation.step(seconds)
    metres = robot.pose.position[0] - start[0]
    weight = robot.description.mass * GRAVITY
    work, electric = robot.energy - start[1], robot.electric_energy - start[2]
    return work / weight / metres, electric / weight / metres, work, robot.losses - start[3]


@pytest.mark.parametrize("kind", ["packbot", "quince", "kenaf"])
def test_shipped_crawlers_cost_what_rubber_belts_cost(kind: str) -> None:
    mechanical, electric, work, lost = drive_level(kind)
    assert 0.03 < mechanical < 0.15
    assert mechanical < electric < 0.5
    assert 0.8 < lost / work <= 1.0, "the rest is friction between belts and ground"


def test_every_drive_of_shipped_crawlers_and_rovers_has_losses_and_a_motor() -> None:
    for kind in ("packbot", "tarantula", "p3at"):
        scene = compose(as_world(world(kind)))
        rolling = scene.robots["r"].rolling
        assert all(scene.drives[f"r/{name}"].losses for name in rolling)
        assert all(scene.drives[f"r/{name}"].motor for name in rolling)


def test_energy_of_a_climb_is_accounted_for() -> None:
    simulation = Simulation(
        world("packbot", slope_deg=15, command={"forward": 0.3}), crash_folder=None
    )
    robot = simulation.robots["r"]
    simulation.step(0.8)
    start = robot.pose.position[2], robot.energy, robot.losses
    simulation.step(1.2)
    lifted = robot.description.mass * GRAVITY * (robot.pose.position[2] - start[0])
    work, lost = robot.energy - start[1], robot.losses - start[2]
    assert lifted + lost == pytest.approx(work, rel=0.02)
    assert lifted > 0.6 * work


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["packbot", "quince", "kenaf", "talon", "tarantula", "telemax"])
def test_energy_of_a_climb_closes_step_by_step(kind: str) -> None:
    start = world(kind, slope_deg=15, command={"forward": 0.3})
    simulation = Simulation(start, crash_folder=None)
    robot = simulation.robots["r"]
    simulation.step(0.8)
    begin = robot.energy, robot.losses
    balance = measure(simulation, 1.2)
    assert balance.mechanical > 0.5 * balance.drives, "it climbs"
    assert abs(balance.residual) < 0.02 * balance.drives
    assert balance.work >= balance.losses > 0
    assert robot.energy - begin[0] == pytest.approx(balance.drives, rel=0.02)
    assert robot.losses - begin[1] == pytest.approx(balance.joints, rel=0.02)


def test_without_losses_a_robot_keeps_its_bits() -> None:
    without = Simulation(world("quince", losses=False, command={"forward": 0.3, "front_deg": 30}))
    scene = without.scene
    assert not any(drive.losses or drive.motor for drive in scene.drives.values())
    assert not scene.model.dof_frictionloss.any()
    assert not [n for n in range(scene.model.nsensor) if "load/" in scene.model.sensor(n).name]
    without.step(0.2)
    assert without.state.losses("r") == without.state.electric_energy("r") == {}


def test_batch_and_simulation_agree_in_losses() -> None:
    start = world("packbot", options={"flippers": True}, command={"forward": 0.5, "turn": 0.4})
    batch, simulation = Batch(start, 2, threads=1), Simulation(start)
    for _ in range(2):
        batch.step(0.13)
        simulation.step(0.13)
    assert batch.fingerprints()[0] == simulation.fingerprint()
    drives = batch.drives("r")
    for values, single in (
        (batch.losses("r"), simulation.state.losses("r")),
        (batch.electric_energy("r"), simulation.state.electric_energy("r")),
    ):
        assert values[0].tolist() == [single[name] for name in drives]
        assert single["left"] > 0
    snapshot, copy = simulation.save(), Simulation(start)
    copy.restore(snapshot)
    for one in (simulation, copy):
        one.step(0.1)
    assert copy.fingerprint() == simulation.fingerprint()


def test_sensors_are_read_in_time_though_mujoco_computes_few_of_them() -> None:
    start = world("packbot", command={"forward": 0.5, "turn": 0.4})
    whole, stepwise = (Simulation(start, crash_folder=None) for _ in range(2))
    whole.step(0.13)
    for _ in range(130):  # the last step of every call has up-to-date sensors
        stepwise.step()
    assert whole.fingerprint() == stepwise.fingerprint()
    assert whole.data.sensordata.tolist() == stepwise.data.sensordata.tolist()
    assert whole.data.sensordata.any()
    whole.state.enable_sensors(True)
    flags = whole.model.opt.disableflags
    whole.data.qvel[0] = np.inf
    with pytest.raises(SimulationDiverged):
        whole.step(0.1)
    assert whole.model.opt.disableflags == flags, "on again after an error"


def test_motor_has_stall_no_load_speed_and_current_limit() -> None:
    motor = Motor(
        torque_constant=0.05, resistance=0.5, voltage=24, current_limit=10, ratio=20, efficiency=0.8
    )
    assert motor.no_load_speed == pytest.approx(24)
    assert motor.largest_force(0) == pytest.approx(10 * 0.05 * 20 * 0.8), "the driver's limit"
    assert motor.largest_force(22) == pytest.approx((24 - 22) / 0.5 * 0.8)
    assert motor.largest_force(30) == 0
    sized = Motor.sized(force=200, speed=2.6, voltage=24)
    assert sized.largest_force(0) == pytest.approx(200)
    assert sized.no_load_speed == pytest.approx(1.25 * 2.6)


def test_force_falls_with_speed_and_a_stalled_motor_takes_copper_power() -> None:
    simulation = Simulation(world("packbot", command={"forward": 2.6}))
    limits = simulation.model.actuator_forcerange
    assert limits[0, 1] == 200.0, "the current limit"
    simulation.step(1.0)
    motor = simulation.scene.drives["r/left"].motor
    assert motor is not None
    speed = float(simulation.robots["r"].velocity.linear[0])
    assert limits[0, 1] == pytest.approx(motor.largest_force(speed), rel=0.1)
    assert limits[0, 1] < 190


@pytest.mark.parametrize(
    ("values", "message"),
    [({"rolling": -0.1}, "rolling is -0.1"), ({"transmission": 1.0}, "transmission is 1")],
)
def test_impossible_losses_are_rejected(values: dict[str, float], message: str) -> None:
    with pytest.raises(BadValue, match=message):
        Losses(**values)


def test_impossible_motors_are_rejected() -> None:
    with pytest.raises(BadValue, match="efficiency is 1.5"):
        Motor.sized(force=1, speed=1, voltage=1, efficiency=1.5)
    with pytest.raises(BadValue, match="voltage is -1"):
        Motor.sized(force=1, speed=1, voltage=-1)


def energies(simulation: Simulation) -> tuple[float, float]:
    """Return the remaining energy of the battery and the electric energy of the motors, J."""
    reading = simulation.measure("r", "battery")
    return reading["energy"], simulation.robots["r"].electric_energy


def test_motors_and_electronics_discharge_the_battery_and_warm_the_motors() -> None:
    sensors = [{"kind": "battery"}, {"kind": "motor_temperature", "drives": ["left"]}]
    simulation = Simulation(world("packbot", command={"forward": 1.0}, sensors=sensors))
    battery = simulation.scene.batteries["r"]
    simulation.step(0.5)
    left, electric = energies(simulation)
    taken = electric + battery.idle * 0.5
    assert taken < battery.energy - left < 1.15 * taken, "the rest is lost in the battery"
    assert simulation.measure("r", "battery")["seconds"] < battery.energy / battery.idle
    assert 20.0 < simulation.measure("r", "motor_temperature")["left"] < 21.0
    copy = Simulation.from_snapshot(simulation.save())
    assert energies(copy) == (left, electric)
    batch = Batch(simulation.start_world, 1, threads=1)
    batch.step(0.5)
    assert batch.fingerprints() == [simulation.fingerprint()]
    assert batch.reading(0, "r", "battery")["energy"] <= battery.energy


OWN: dict[str, Any] = {
    "name": "own",
    "mass": 10.0,
    "hull": [{"size": [0.4, 0.2, 0.1]}],
    "wheels": [
        {"name": end, "at": [x, 0.15, -0.05], "radius": 0.08, "width": 0.04, "mass": 0.5}
        | {"torque": 8.0, "speed": 10.0}
        for end, x in (("front", 0.15), ("rear", -0.15))
    ],
}
MOTOR = {
    "torque_constant": 0.05,
    "resistance": 0.5,
    "voltage": 24.0,
    "current_limit": 8.0,
    "ratio": 30.0,
}


def own_robot(folder: Path, wheel: dict[str, Any], **more: Any) -> str:
    """Write a robot file with further keys of its wheels and of the robot; return its path."""
    wheels = [entry | wheel for entry in OWN["wheels"]]
    path = folder / "own.yaml"
    path.write_text(json.dumps(OWN | {"wheels": wheels} | more))
    return str(path)


def test_zero_losses_of_a_robot_file_change_no_bit(tmp_path: Path) -> None:
    states = []
    for number, wheel in enumerate(({}, {"losses": {"coulomb": 0.0, "rolling": 0.0}})):
        folder = tmp_path / str(number)
        folder.mkdir()
        start = world(own_robot(folder, wheel), command={"forward": 0.4, "turn": 0.5})
        simulation = Simulation(start)
        simulation.step(0.3)
        states.append(simulation.state.integration_state().tobytes())
    assert states[0] == states[1]


def test_an_empty_battery_stops_the_robot(tmp_path: Path) -> None:
    file = own_robot(
        tmp_path,
        {"motor": MOTOR, "losses": {"rolling": 0.02}},
        battery={"energy": 15.0, "voltage": 24.0, "resistance": 0.2, "idle": 1.0},
    )
    sensors = [{"kind": "battery", "rate_hz": 50}]
    simulation = Simulation(world(file, command={"forward": 0.5}, sensors=sensors))
    simulation.step(0.4)
    assert simulation.robots["r"].velocity.linear[0] > 0.2
    simulation.command("r", forward=0.5, turn=4.0)
    simulation.step(1.6)
    assert simulation.measure("r", "battery")["charge"] == 0.0
    assert not simulation.model.actuator_forcerange.any(), "no voltage, no force"


def test_wheels_with_backlash_roll_back_by_half_of_it_on_a_slope(tmp_path: Path) -> None:
    heights = []
    for number, play_deg in enumerate((0.0, 4.0)):
        folder = tmp_path / str(number)
        folder.mkdir()
        file = own_robot(folder, {"armature": 0.01, "backlash_deg": play_deg})
        simulation = Simulation(world(file, slope_deg=10))
        simulation.step(0.5)
        heights.append(simulation.robots["r"].pose.position[2])
    play = simulation.data.joint("r/front_left/backlash").qpos[0]
    assert play == pytest.approx(-radians(2.0), abs=radians(0.2)), "the motor holds the robot"
    rolled = 0.08 * radians(2.0) * math.sin(radians(10))
    assert heights[0] - heights[1] == pytest.approx(rolled, rel=0.3)


def test_backlash_needs_the_inertia_of_a_motor(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="backlash_deg needs an armature"):
        Simulation(world(own_robot(tmp_path, {"backlash_deg": 4.0})))


@pytest.mark.parametrize(("kind", "legs"), [("ers7", 12), ("ers210", 12), ("qrio", 12)])
def test_friction_of_leg_joints_is_an_option(kind: str, legs: int) -> None:
    lossy = compose(as_world(world(kind, options={"leg_friction": 0.05})))
    assert (lossy.model.dof_frictionloss == 0.05).sum() == legs
    assert not compose(as_world(world(kind))).model.dof_frictionloss.any()


def test_a_hot_motor_gives_less_force(tmp_path: Path) -> None:
    motor = MOTOR | {"heat": {"capacity": 0.005, "resistance": 500.0, "limit": 40.0}}
    sensors = [{"kind": "motor_temperature", "drives": ["front_left"]}]
    skidding = {"forward": 0.8, "turn": 8.0}
    blocked = Simulation(
        world(own_robot(tmp_path, {"motor": motor}), sensors=sensors, command=skidding)
    )
    blocked.step(1.0)
    warm = blocked.measure("r", "motor_temperature")["front_left"]
    assert 30.0 < warm < 41.0, "the current limit falls to 0 at 40 degrees"


def test_battery_sensor_needs_a_battery_or_a_capacity() -> None:
    start = world("ers7", sensors=[{"kind": "battery"}])
    with pytest.raises(BadValue, match="has no battery of its own"):
        Simulation(start)
    with pytest.raises(BadValue, match="must be given together with capacity"):
        Simulation(world("packbot", sensors=[{"kind": "battery", "idle": 3.0}]))


def test_sheet_figures_of_energy_use() -> None:
    use = measure_energy_use(measure_candidate("tarantula", {}))
    assert use is not None
    assert use.electric is not None
    assert use.reach is not None
    assert use.mechanical < use.electric
    assert 0.03 < use.transport_cost < 0.15
    assert use.line().endswith("on a full battery")
    assert use.figures()["range_km"] == round(use.reach / 1000, 1)
