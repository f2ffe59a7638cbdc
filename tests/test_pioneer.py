"""USARSim's Pioneers: driving, skid turns, sensors and their names."""

import itertools
import math

import mujoco
import numpy as np
import pytest
from support.narrowing import not_none

import grouser
from grouser.errors import BadValue
from grouser.frames import Array
from grouser.robots.kinds import describe
from grouser.robots.p2at import P2AT
from grouser.robots.p2dx import P2DX
from grouser.robots.p3at import P3AT
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World, load
from grouser.world.objects import Box
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.incline import Incline

PIONEERS = {"p2dx": P2DX, "p2at": P2AT, "p3at": P3AT}
PHYSICS = STANDARD.model_copy(update={"timestep": 0.002})
FRICTION = 0.8


def simulation(
    kind: str,
    *,
    sensors: bool = False,
    terrain: tuple[Incline, ...] = (),
    objects: tuple[Box, ...] = (),
) -> Simulation:
    entry = RobotEntry(name="r", kind=kind, position=(0, 0, 0), options={"sensors": sensors})
    ground = (Flat(friction=FRICTION), *terrain)
    world = World(name=kind, physics=PHYSICS, terrain=ground, objects=objects, robots=(entry,))
    return Simulation(world)


def heading(sim: Simulation) -> float:
    w, _, _, z = sim.pose("r").wxyz
    return 2 * math.atan2(z, w)


def displacement(sim: Simulation, seconds: float) -> Array:
    """Step the simulation; return the displacement along x and y, m."""
    before = sim.pose("r").position
    sim.step(seconds)
    return (sim.pose("r").position - before)[:2]


@pytest.mark.parametrize("kind", PIONEERS)
@pytest.mark.parametrize("speed", [0.1, 0.5, -0.3])
def test_drives_straight_at_the_commanded_speed(kind: str, speed: float) -> None:
    sim = simulation(kind)
    sim.command("r", forward=speed)
    sim.step(1.5)  # the caster turns round first
    way, lateral = displacement(sim, 2.0)
    assert way == pytest.approx(2.0 * speed, rel=0.02)
    assert abs(lateral) < 0.002


@pytest.mark.parametrize("kind", PIONEERS)
def test_wheel_speeds_are_set_by_side_and_by_name(kind: str) -> None:
    sim = simulation(kind)
    sim.command("r", left=2.0, right=2.0)  # rad/s, as on the wire
    sim.step(1.0)
    way, _ = displacement(sim, 1.0)
    assert way == pytest.approx(2.0 * PIONEERS[kind].wheel.radius, rel=0.02)
    robot = sim.scene.robots["r"]
    steering = not_none(robot.steering)
    for name in (*steering.left, *steering.right):
        assert robot.setpoints({name: 1.5})[name].mode == "speed"
        assert robot.setpoints({f"{name}_torque": 0.5})[name].mode == "torque"
    assert robot.setpoints({"tilt": 0.1})["tilt"].mode == "angle"


@pytest.mark.parametrize("kind", ["p2at", "p3at"])
@pytest.mark.parametrize("turn", [0.4, -0.9])
def test_skid_turn_rate_follows_from_friction_at_four_points(kind: str, turn: float) -> None:
    """Four equally loaded sliding points: moments balance at B²/(B² + L²) of rigid rolling."""
    sim, pioneer = simulation(kind), PIONEERS[kind]
    sim.command("r", turn=turn)
    sim.step(0.5)
    expected = turn * pioneer.gauge**2 / (pioneer.gauge**2 + pioneer.wheel_base**2)
    angles, heights, rates = [], [], []
    for _ in range(100):
        sim.step(0.01)
        angles.append(heading(sim))
        heights.append(sim.pose("r").position[2])
        rates.append(float(sim.data.qvel[5]))
        assert sim.data.ncon == 4
    turned = np.unwrap(angles)
    assert (turned[-1] - turned[0]) / 0.99 == pytest.approx(expected, rel=0.02)
    assert np.std(heights) < 1e-6  # no hopping,
    assert np.std(rates) < 1e-3  # no stuttering
    assert np.linalg.norm(sim.pose("r").position[:2]) < 0.01


@pytest.mark.parametrize("turn", [0.5, -1.0])
def test_two_wheels_and_a_caster_turn_at_the_commanded_rate(turn: float) -> None:
    sim = simulation("p2dx")
    sim.command("r", turn=turn)
    sim.step(1.5)
    before = heading(sim)
    sim.step(1.0)
    turned = (heading(sim) - before + math.pi) % math.tau - math.pi
    assert turned == pytest.approx(turn, rel=0.02)


def test_caster_swings_round_when_the_robot_reverses() -> None:
    sim = simulation("p2dx")
    sim.command("r", forward=-0.3, turn=0.05)
    sim.step(4.0)
    pin = float(sim.data.joint("r/caster").qpos[0]) % math.tau
    assert pin == pytest.approx(math.pi, abs=0.2)


@pytest.mark.parametrize("kind", PIONEERS)
def test_climbs_ten_degrees_holds_and_spends_the_potential_energy(kind: str) -> None:
    sim = simulation(kind, terrain=(Incline(x=0.6, slope_deg=10, side=3, width=2, friction=0.8),))
    sim.command("r", forward=0.5)
    sim.step(3.5)
    spent = sum(sim.energy("r").values())
    rise = sim.pose("r").position[2] - sim.scene.robots["r"].standing
    pioneer, wheels = PIONEERS[kind], 2 * len(PIONEERS[kind].axles)
    lost = wheels * pioneer.wheel.damping * (0.5 / pioneer.wheel.radius) ** 2 * 3.5
    needed = pioneer.mass * (9.81 * rise + 0.5**2 / 2) + lost
    assert rise > 0.12
    assert needed <= spent < 1.15 * needed  # the rest: slip at the start
    sim.command("r", forward=0.0)
    sim.step(1.0)
    assert np.linalg.norm(displacement(sim, 2.0)) < 0.002


@pytest.mark.parametrize("kind", PIONEERS)
def test_full_acceleration_and_braking_do_not_tip_the_robot(kind: str) -> None:
    sim, pioneer = simulation(kind), PIONEERS[kind]
    top = pioneer.drive.speed * pioneer.wheel.radius
    for speed in (top, 0.0, -top, 0.0):
        sim.command("r", forward=speed)
        for _ in range(20):
            sim.step(0.05)
            up = sim.data.body("r/body").xmat[8]
            assert up > math.cos(math.radians(5))
    assert np.abs(sim.data.qvel[:3]).max() < 0.01


@pytest.mark.parametrize("kind", PIONEERS)
def test_centre_of_mass_agrees_with_the_table(kind: str) -> None:
    sim, pioneer = simulation(kind), PIONEERS[kind]
    mujoco.mj_forward(sim.model, sim.data)
    centre = sim.data.subtree_com[sim.model.body("r/body").id] - [0, 0, pioneer.standing]
    assert centre == pytest.approx(pioneer.centre, abs=1e-9)


def test_p2at_has_the_printed_numbers_of_usarsim() -> None:
    robot = describe("p2at", {}, "here").build()
    spec, steering = robot.spec, not_none(robot.steering)
    assert robot.mass == 14.0
    assert (steering.radius, steering.gauge) == (0.13, 0.4712)
    places = {name: spec.body(name).pos for name in (*steering.left, *steering.right)}
    assert places["front_left"] - places["rear_left"] == pytest.approx([0.2884, 0, 0])
    assert places["front_left"] - places["front_right"] == pytest.approx([0, 0.4712, 0])
    drive = robot.drives["front_left"]
    assert (drive.speed, drive.force) == (5.385, 60.0)
    assert P2AT.wheel_base == pytest.approx(0.2884)
    tyre = spec.geom("front_left/tyre")
    assert steering.gauge + 2 * tyre.size[1] == pytest.approx(0.4968)


SONARS = [f"F{number}" for number in range(1, 9)]
OTHERS = ["Scanner1", "INS", "Odometry", "Camera"]
ALWAYS = ["ECLeft", "ECRight", "ECTilt", "ECPan", "GroundTruth"]


@pytest.mark.parametrize("kind", PIONEERS)
def test_sensors_have_the_names_and_order_of_usarsim_transcripts(kind: str) -> None:
    rear = [] if kind == "p2dx" else [f"R{number}" for number in range(1, 9)]
    full, bare = (describe(kind, {"sensors": on}, "here").build() for on in (True, False))
    assert [sensor.name for sensor in full.sensors] == [*SONARS, *rear, *OTHERS, *ALWAYS]
    assert [sensor.name for sensor in bare.sensors] == ALWAYS
    assert {sensor.rate_hz for sensor in full.sensors if sensor.name != "Camera"} == {5.0}


def block(name: str, x: float, y: float, size: tuple[float, float, int]) -> Box:
    return Box(name=name, position=(x, y, 0.5), size=size, fixed=True, friction=1.0)


def test_sonars_are_numbered_clockwise_from_the_left() -> None:
    walls = (block("left", 0, 2.05, (9, 0.1, 1)), block("right", 0, -1.05, (9, 0.1, 1)))
    sim = simulation("p2at", sensors=True, objects=walls)
    ranges = {name: sim.read("r", name)["range"] for name in (*SONARS, "R1", "R8")}
    assert ranges["F1"] == pytest.approx(2.0 - 0.13, rel=0.01)
    assert ranges["R8"] == pytest.approx(2.0 - 0.13, rel=0.01)
    assert ranges["F8"] == pytest.approx(1.0 - 0.13, rel=0.01)
    assert ranges["R1"] == pytest.approx(1.0 - 0.13, rel=0.01)
    assert ranges["F4"] == ranges["F5"] == 5.0  # nothing ahead


def test_laser_measures_the_wall_and_not_its_own_robot() -> None:
    wall = block("ahead", 3.0, 0, (0.2, 40, 1))
    sim = simulation("p3at", sensors=True, objects=(wall,))
    ranges = sim.read("r", "Scanner1").array("ranges")
    assert len(ranges) == 181
    angles = np.radians(np.arange(-80, 81))
    expected = (2.9 - P3AT.laser[0]) / np.cos(angles)
    assert ranges[10:171] == pytest.approx(np.minimum(expected, 20.0), rel=0.01)


def test_odometry_and_ins_follow_a_straight_run() -> None:
    sim = simulation("p2at", sensors=True)
    sim.command("r", forward=0.4)
    sim.step(4.0)
    x = sim.read("r", "GroundTruth")["x"]
    assert sim.read("r", "Odometry")["x"] == pytest.approx(x, rel=0.02)
    assert sim.read("r", "INS")["x"] == pytest.approx(x, rel=0.02)
    spin = 5.0 * 0.4 / P2AT.wheel.radius % math.tau  # one second later
    sim.step(1.0)
    tick = sim.read("r", "ECLeft")["front_left"]
    assert tick == pytest.approx(spin, abs=0.1)
    assert math.degrees(tick) == pytest.approx(round(math.degrees(tick)), abs=1e-6)


@pytest.mark.parametrize("kind", PIONEERS)
def test_camera_pan_is_unlimited_and_tilt_is_limited(kind: str) -> None:
    sim = simulation(kind)
    sim.command("r", pan_speed=0.17, tilt=1.0)
    sim.step(5.0)
    assert float(sim.data.joint("r/pan").qpos[0]) == pytest.approx(0.85, abs=0.02)  # to the left
    assert float(sim.data.joint("r/tilt").qpos[0]) == pytest.approx(0.40, abs=0.02)  # up
    mujoco.mj_kinematics(sim.model, sim.data)
    looks = sim.data.body("r/tilt").xmat.reshape(3, 3)[:, 0]
    assert looks[1] > 0.5
    assert looks[2] > 0.3
    assert "pan" not in sim.scene.robots["r"].limits


def test_pioneer_drives_through_the_door_of_the_shipped_room() -> None:
    sim = Simulation(load("pioneer_room"))
    sim.command("pioneer", forward=0.5)
    sim.step(10.0)
    x, y, _ = sim.pose("pioneer").position
    assert x == pytest.approx(-2.5 + 0.5 * 10, abs=0.1)
    assert y == pytest.approx(0.3, abs=0.05)


def test_invalid_option_is_reported_in_one_sentence() -> None:
    with pytest.raises(BadValue, match="unknown key 'sensor'.*did you mean 'sensors'"):
        describe("p3at", {"sensor": False}, "here")


def test_sonars_of_ut2004_get_no_echo_from_the_floor() -> None:
    world = {
        "name": "w",
        "physics": {"timestep": 0.002},
        "terrain": [{"kind": "flat", "friction": 0.8}],
        "robots": [
            {
                "name": "p",
                "kind": "p3at",
                "position": [0, 0, 0],
                "options": {"generation": "ut2004"},
            }
        ],
    }
    with grouser.Simulation(world) as sim:
        sim.step(0.4)
        sonars = [one for name, one in sim.robots["p"].sensors.items() if name[0] in "FR"][:16]
        assert {one.read()["range"] for one in sonars} == {5.0}


def test_sonars_of_ut2004_get_an_echo_from_every_wall_of_a_room() -> None:
    """None of 552 recorded readings of UT2004 is at the maximum range, though walls are oblique."""
    walls = tuple(
        Box(
            name=f"wall{number}",
            fixed=True,
            position=(2.5 * math.cos(turn), 2.5 * math.sin(turn), 0.5),
            yaw_deg=math.degrees(turn),
            size=(0.1, 5.0, 1.0),
            friction=0.5,
        )
        for number, turn in enumerate(np.arange(4) * math.pi / 2)
    )
    missing = dict.fromkeys(("ut2004", "udk"), 0)
    for generation, yaw in itertools.product(missing, (0, 29, 58)):
        robot = RobotEntry(
            name="r",
            kind="p2at",
            position=(-1, 0.7, 0),
            yaw_deg=yaw,
            options={"generation": generation},
        )
        ground = (Flat(friction=FRICTION),)
        world = World(name="w", physics=PHYSICS, terrain=ground, objects=walls, robots=(robot,))
        with grouser.Simulation(world) as sim:
            sim.step(0.3)
            sonars = [one for name, one in sim.robots["r"].sensors.items() if name[0] in "FR"]
            missing[generation] += sum(one.read()["range"] == 5.0 for one in sonars[:16])
    assert missing["ut2004"] == 0
    assert missing["udk"] >= 12
