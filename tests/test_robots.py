"""Contract of all robots in the table."""

import math
from typing import Any

import mujoco
import numpy as np
import pytest

from grouser.errors import BadValue, UnknownName
from grouser.physics.drives import angle, speed, torque
from grouser.robots.kinds import ROBOTS, describe
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

NEEDED = {
    "crawler": {
        "mass": 15.0,
        "gauge": 0.36,
        "width": 0.08,
        "pulleys": [[-0.25, 0, 0.07], [0.25, 0, 0.07]],
        "grouser": {"shape": "rounded", "length": 0.006, "height": 0.01},
    }
}
"""Options of the robots that require some."""


def simulation(kind: str, copies: int = 1, **options: Any) -> Simulation:
    commands = NEEDED.get(kind, {}) | options
    robots = tuple(
        RobotEntry(name=f"robot{i}", kind=kind, position=(0.0, 20.0 * i, 0.0), options=commands)
        for i in range(copies)
    )
    world = World(name=kind, physics=STANDARD, terrain=(Flat(friction=0.6),), robots=robots)
    return Simulation(world)


@pytest.mark.parametrize("kind", ROBOTS)
def test_robot_compiles_once_and_twice_with_its_stated_mass(kind: str) -> None:
    alone, twice = simulation(kind), simulation(kind, copies=2)
    promised = alone.scene.robots["robot0"].mass
    assert float(alone.model.body_mass.sum()) == pytest.approx(promised, rel=0.01)
    assert float(twice.model.body_mass.sum()) == pytest.approx(2 * promised, rel=0.01)


@pytest.mark.parametrize("kind", ROBOTS)
def test_builder_leaves_its_sensors_to_the_scene(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scene adds every sensor once; a builder that adds them too would add them twice."""
    robot = describe(kind, NEEDED.get(kind, {}), where="test").build()
    added: list[str] = []
    for sensor in robot.sensors:
        monkeypatch.setattr(type(sensor), "add", lambda sensor, _: added.append(sensor.name))
    describe(kind, NEEDED.get(kind, {}), where="test").build()
    assert not added


@pytest.mark.parametrize("kind", ROBOTS)
def test_robot_stands_still(kind: str) -> None:
    robot = simulation(kind)
    robot.step(1.0)
    before = robot.data.qpos.copy()
    robot.step(4.0)
    assert np.abs(robot.data.qpos - before).max() < 1e-3
    assert np.abs(robot.data.qvel).max() < 5e-3


@pytest.mark.parametrize("kind", ROBOTS)
def test_robot_survives_random_commands(kind: str) -> None:
    robot = simulation(kind)
    rng = np.random.default_rng(3)
    drives = robot.scene.robots["robot0"].drives
    for _ in range(30):
        for name, drive in drives.items():
            robot.command("robot0", {f"{name}_speed": float(rng.uniform(-1, 1) * drive.speed)})
        robot.step(0.1)
    assert np.isfinite(robot.data.qpos).all()


@pytest.mark.parametrize("kind", ROBOTS)
def test_joints_reach_their_stated_limits(kind: str) -> None:
    simulated = simulation(kind)
    model, robot = simulated.model, simulated.scene.robots["robot0"]
    assert set(robot.limits) <= set(robot.drives)
    for name in robot.drives:
        joint = model.actuator(f"robot0/{name}").trnid[0]
        assert bool(model.jnt_limited[joint]) == (name in robot.limits), name
        if name in robot.limits:
            assert model.jnt_range[joint] == pytest.approx(robot.limits[name]), name


@pytest.mark.slow
@pytest.mark.parametrize("kind", ROBOTS)
def test_robot_survives_a_minute_of_random_commands_at_full_range(kind: str) -> None:
    """Angles over the whole range, speeds and torques up to the limits, switched at random."""
    simulated = simulation(kind)
    robot = simulated.scene.robots["robot0"]
    rng = np.random.default_rng(4)
    for _ in range(300):
        for name, drive in robot.drives.items():
            low, high = robot.limits.get(name, (-math.pi, math.pi))
            wanted = [
                angle(float(rng.uniform(low, high))),
                speed(float(rng.uniform(-1, 1) * drive.speed)),
                torque(float(rng.uniform(-1, 1) * drive.force)),
            ]
            simulated.command("robot0", {name: wanted[rng.integers(3)]})
        simulated.step(0.2)
    assert np.isfinite(simulated.data.qpos).all()
    assert np.isfinite(simulated.data.qvel).all()


@pytest.mark.parametrize("kind", ["packbot", "quince", "crawler"])
def test_tracked_robot_stands_at_its_belt_height(kind: str) -> None:
    robot = simulation(kind)
    start = robot.pose("robot0").position[2]
    robot.step(1.0)
    assert robot.pose("robot0").position[2] == pytest.approx(start, abs=0.002)
    forces = np.zeros(6)
    total = 0.0
    mujoco.mj_forward(robot.model, robot.data)
    for number in range(robot.data.ncon):
        mujoco.mj_contactForce(robot.model, robot.data, number, forces)
        total += forces[0]
    weight = float(robot.model.body_mass.sum()) * 9.81
    assert total == pytest.approx(weight, rel=0.01)


def test_quince_sub_tracks_reach_the_commanded_angle() -> None:
    robot = simulation("quince")
    robot.command("robot0", front_deg=60, rear_deg=30)
    robot.step(2.0)
    angles = robot.read("robot0", "encoder").values
    assert math.degrees(angles["front_left_arm"]) == pytest.approx(60, abs=1)
    assert math.degrees(angles["rear_right_arm"]) == pytest.approx(30, abs=1)
    assert max(robot.data.body(f"robot0/front_left/{i}").xpos[2] for i in range(4)) > 0.2


def test_quince_has_the_published_size() -> None:
    robot = simulation("quince")
    mujoco.mj_kinematics(robot.model, robot.data)
    tips = [robot.data.geom(f"robot0/left/grouser{n}/tip").xpos for n in range(40)]
    long = max(tip[0] for tip in tips) - min(tip[0] for tip in tips)
    # 685 mm of belt, 40 grousers 16 mm high; measured at the middles of the tips.
    assert 0.69 < long < 0.72


def test_positive_turn_is_to_the_left() -> None:
    robot = simulation("packbot")
    robot.command("robot0", turn=1.0)
    robot.step(1.0)
    assert robot.read("robot0", "truth")["yaw"] > 0.1


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("quinze", {}, "no robot 'quinze'.*did you mean 'quince'"),
        ("quince", {"frontdeg": 1}, "'frontdeg' in robot 'quince'.*did you mean 'front_deg'"),
        ("quince", {"front_deg": 999}, "front_deg is 999, must be at most 180"),
        ("quince", {"front_deg": "up"}, "front_deg is 'up', a number is needed"),
        ("packbot", {"method": "segmets"}, "method is 'segmets', allow.*did you mean 'segments'"),
        ("packbot", {"grousers": "spikes"}, "grousers is 'spikes', allowed: rounded, box, none"),
        ("crawler", {"mass": 1}, "lacks"),
        ("crawler", NEEDED["crawler"] | {"mass": "big"}, "mass is 'big', a number is needed"),
        ("crawler", NEEDED["crawler"] | {"pulleys": [[0, 0, 0.1]]}, "at least 2 are needed"),
        (
            "crawler",
            NEEDED["crawler"] | {"pulleys": [[0, 0], [1, 1]]},
            r"pulleys.0 is \[0, 0\], more numbers",
        ),
        ("crawler", NEEDED["crawler"] | {"grouser": {"shape": "bxo"}}, "did you mean 'box'"),
        ("crawler", NEEDED["crawler"] | {"grouser": {"shape": "box"}}, "grouser lacks 'length'"),
        (
            "crawler",
            NEEDED["crawler"] | {"pulleys": [], "segments": [{"line": 1}, {"arc": [0.1, 180]}]},
            "is not closed",
        ),
        (
            "crawler",
            NEEDED["crawler"] | {"pulleys": [], "segments": [{"line": 1}, {"arc": [0, 180]}]},
            "radius of segment 1 is 0",
        ),
    ],
)
def test_invalid_options_are_reported_in_one_sentence(
    kind: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises((BadValue, UnknownName), match=message) as caught:
        describe(kind, options, "here").build()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ROBOTS)
def test_halt_stops_every_drive_and_the_gait(kind: str) -> None:
    robot = simulation(kind).scene.robots["robot0"]
    walking = robot.gait.drives if robot.gait else ()
    stopped = robot.setpoints(robot.halt())
    assert stopped == {name: speed(0.0) for name in robot.drives if name not in walking}
    inputs = robot.gait.inputs if robot.gait else ()
    assert robot.gait_inputs(robot.halt()) == dict.fromkeys(inputs, 0.0)
