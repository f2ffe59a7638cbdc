"""Actions on a running world; their effects persist when the scene is recompiled."""

import math
from typing import Any

import numpy as np
import pytest

import grouser
from grouser.errors import BadValue, GrouserError, UnknownName
from grouser.sensors.camera import ERS210_CAMERA
from grouser.service.console import Console
from grouser.simulation.changes.actions import (
    Action,
    Glide,
    Join,
    Leave,
    SetDaylight,
    SetFriction,
    SetGravity,
    SetPose,
    Spin,
)
from grouser.simulation.simulation import Simulation
from grouser.world.door import Door
from grouser.world.file import RobotEntry, World
from grouser.world.objects import Ball, Box, Lamp
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

BOX = Box(name="crate", position=(0, 0, 0.1), size=(0.2, 0.2, 0.2), mass=2.0, friction=0.5)
DOOR = Door(name="gate", position=(2, 0, 0.5), width=0.8, height=0.9, seconds=1.0)
LAMP = Lamp(name="lamp", position=(0, 0, 1.5))
EXTRA_BALL = Ball(name="extra", position=(-3, 0, 0.1), radius=0.1, mass=0.2, friction=0.5)


def simulation(
    *objects: Box | Ball | Door | Lamp, ground: Flat | None = None, **options: Any
) -> Simulation:
    ground = ground or Flat(friction=0.5)
    return Simulation(
        World(name="test", physics=STANDARD, terrain=(ground,), objects=objects, **options)
    )


def recompile(sim: Simulation) -> None:
    """Add and remove a ball, so that the scene is recompiled twice."""
    sim.apply(Join(EXTRA_BALL))
    sim.apply(Leave("extra"))


def position(sim: Simulation, name: str = "crate") -> list[float]:
    """Return the position of an object, m, rounded to 1 mm."""
    return list(map(float, sim.pose(name).position.round(3)))


def yaw(sim: Simulation, name: str = "crate") -> float:
    """Return the yaw angle of an object, degrees."""
    return math.degrees(grouser.frames.to_rpy(sim.pose(name).wxyz)[2])


def door_angle(sim: Simulation) -> float:
    """Return the travel of the leaf of the door ``gate``, rad or m."""
    return float(sim.data.joint("gate/leaf").qpos[0])


# -- poses --------------------------------------------------------------------------


def test_objects_move_at_once_or_gradually() -> None:
    sim = simulation(BOX)
    console = Console(sim)
    console.execute("move crate to 1 2 yaw 90")
    assert position(sim) == [1, 2, 0.1]
    assert yaw(sim) == pytest.approx(90)
    console.execute("move crate by 0 -1 0.5 yaw -90 in 2")
    sim.step(1.0)
    assert position(sim) == [1, 1.5, 0.35]
    assert yaw(sim) == pytest.approx(45, abs=0.1)
    sim.step(1.01)
    sim.step(1.0)
    assert position(sim)[:2] == pytest.approx([1, 1], abs=0.01)
    assert position(sim)[2] == pytest.approx(0.1, abs=0.002), "falls after the motion"


def test_looped_motion_does_not_drift() -> None:
    sim = simulation(BOX)
    sim.apply(Glide("crate", ((1, 0, 0.1), (1, 1, 0.1), (0, 1, 0.1), (0, 0, 0.1)), 1.0, loop=True))
    sim.step(2.5)
    assert position(sim) == pytest.approx([0.5, 1, 0.1], abs=0.002)
    sim.step(8.0)
    assert position(sim) == pytest.approx([0.5, 1, 0.1], abs=0.002)
    Console(sim).execute("stop crate")
    sim.step(0.5)
    assert position(sim)[:2] == pytest.approx([0.5, 1], abs=0.01)


def test_gliding_object_carries_and_pushes_others() -> None:
    lift = Box(name="lift", position=(0, 0, 0.05), size=(1, 1, 0.1), mass=100, friction=0.8)
    rider = BOX.model_copy(update={"position": (0.0, 0.0, 0.2)})
    hit = Box(name="hit", position=(2, 0, 0.1), size=(0.2, 0.2, 0.2), mass=1, friction=0.3)
    sim = simulation(lift, rider, hit)
    sim.apply(Glide("lift", ((0, 0, 0.5), (0.6, 0, 0.5)), 0.2))
    sim.step(2.25)
    assert position(sim)[2] == pytest.approx(0.65, abs=0.004), "lifted by 0.45 m"
    sim.step(3.2)
    assert position(sim)[0] == pytest.approx(0.6, abs=0.03), "carried along by friction"
    sim.apply(Leave("crate"))
    sim.apply(SetPose("lift", grouser.Pose.at(0, 0, 0.06)))
    sim.apply(Glide("lift", ((2, 0, 0.06),), 0.5))
    sim.step(4.0)
    assert position(sim, "hit")[0] == pytest.approx(2.6, abs=0.05), "pushed away"


def test_spin_continues_after_recompilation() -> None:
    sim = simulation(BOX)
    sim.apply(Spin("crate", math.radians(30)))
    sim.step(1.0)
    recompile(sim)
    sim.step(1.0)
    assert yaw(sim) == pytest.approx(60, abs=0.1)


def test_fixed_objects_are_moved_by_recompilation_and_cannot_spin() -> None:
    wall = Box(name="wall", position=(3, 0, 0.5), size=(0.1, 1, 1), fixed=True, friction=0.5)
    sim = simulation(BOX, wall)
    sim.step(0.1)
    Console(sim).execute("move wall by 1 0 0 yaw 90")
    assert position(sim, "wall") == [4, 0, 0.5]
    assert yaw(sim, "wall") == pytest.approx(90)
    with pytest.raises(BadValue, match="'wall' is fixed"):
        Console(sim).execute("turn wall at 10")


# -- doors, lamps, motors ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "opens", ["hinge_left", "hinge_right", "slide_left", "slide_right", "slide_up"]
)
def test_doors_open_and_close_in_the_configured_time(opens: str) -> None:
    door = DOOR.model_copy(update={"opens": opens})
    sim = simulation(door)
    console = Console(sim)
    sim.step(0.5)
    assert door_angle(sim) == pytest.approx(0, abs=1e-3)
    console.execute("open gate")
    sim.step(0.5)
    assert door_angle(sim) == pytest.approx(door.travel / 2, rel=0.1)
    sim.step(1.0)
    assert door_angle(sim) == pytest.approx(door.travel, rel=0.01)
    leaf = sim.data.body("gate/leaf").xpos - np.array(door.position)
    offsets = {"hinge_left": (0.42, 0.38, 0.0), "hinge_right": (0.42, -0.38, 0.0)}
    offsets |= {"slide_left": (0.0, 0.8, 0.0), "slide_right": (0.0, -0.8, 0.0)}
    offsets |= {"slide_up": (0.0, 0.0, 0.9)}
    middle = sim.data.geom("gate/surface").xpos - np.array(door.position)
    assert middle == pytest.approx(offsets[opens], abs=0.02), leaf
    console.execute("close gate")
    sim.step(1.5)
    assert door_angle(sim) == pytest.approx(0, abs=0.01)


def test_door_is_blocked_by_a_heavy_object_and_continues_after_its_removal() -> None:
    heavy = Box(name="heavy", position=(2.4, 0, 0.3), size=(0.3, 0.6, 0.6), mass=300, friction=1.0)
    sim = simulation(DOOR, heavy)
    Console(sim).execute("open gate")
    sim.step(3.0)
    stuck = door_angle(sim)
    assert 0.1 < stuck < 1.2
    recompile(sim)
    sim.step(0.5)
    assert door_angle(sim) == pytest.approx(stuck, abs=0.01)
    sim.apply(Leave("heavy"))
    sim.step(1.5)
    assert door_angle(sim) == pytest.approx(DOOR.travel, rel=0.01)


def test_door_ajar_at_the_start_returns_there_on_reset() -> None:
    sim = simulation(DOOR.model_copy(update={"ajar": 0.5}))
    sim.step(0.5)
    assert door_angle(sim) == pytest.approx(DOOR.travel / 2, abs=0.01)
    Console(sim).execute("close gate")
    sim.step(1.5)
    Console(sim).execute("reset gate")
    sim.step(0.5)
    assert door_angle(sim) == pytest.approx(DOOR.travel / 2, abs=0.01)


def brightness(sim: Simulation) -> float:
    with grouser.Renderer(96, 64) as renderer:
        return float(renderer.picture(sim.model, sim.data, sim.view()).mean())


def test_lamps_and_daylight_change_images() -> None:
    camera: dict[str, Any] = {"kind": "camera", "name": "eye", "mount": "body", "rate_hz": 10.0}
    camera |= {"at": [0.2, 0, 0.3], "camera": ERS210_CAMERA.imager.ideal()}
    rover = RobotEntry(name="rover", kind="packbot", position=(0.0, 0.0, 0.0), sensors=(camera,))
    sim = simulation(LAMP, daylight=0.1, robots=(rover,))

    def camera_brightness() -> float:
        sim.step(0.2)
        return float(sim.read("rover", "eye").array("image").mean())

    lit, bright = brightness(sim), camera_brightness()
    Console(sim).execute("light lamp off")
    recompile(sim)
    assert brightness(sim) < 0.6 * lit
    assert camera_brightness() < 0.6 * bright
    Console(sim).execute("light lamp on")
    assert brightness(sim) == pytest.approx(lit, rel=0.01)
    assert camera_brightness() == pytest.approx(bright, rel=0.05)
    sim.apply(SetDaylight(1.0))
    assert brightness(sim) > 1.3 * lit


def test_legs_are_limp_without_motors() -> None:
    rex = RobotEntry(name="rex", kind="ers7", position=(0.0, 0.0, 0.0))
    sim = simulation(robots=(rex,))
    sim.step(0.2)
    height = position(sim, "rex")[2]
    console = Console(sim)
    console.execute("motor rex off")
    sim.step(1.0)
    lying = position(sim, "rex")[2]
    assert lying < height - 0.03
    console.execute("motor rex on")
    console.execute("tell rex forward 0.1")
    sim.step(1.0)
    assert position(sim, "rex")[2] > lying + 0.02, "stands up when commanded to walk"


def test_conveyor_speed_can_be_changed() -> None:
    sim = Simulation(grouser.load("conveyor"))
    console = Console(sim)
    console.execute("belt belt 0")
    sim.step(1.0)
    begin = position(sim, "parcel")[0]
    console.execute("belt belt 0.5")
    sim.step(1.5)
    assert position(sim, "parcel")[0] - begin == pytest.approx(0.75, abs=0.1)


# -- friction, gravity, errors -----------------------------------------------------------------


def test_friction_determines_sliding_and_persists_after_recompilation() -> None:
    lying = {"friction": 0.1, "pitch_deg": -20.0, "position": (0.0, 0.0, 0.1065)}
    sim = simulation(BOX.model_copy(update=lying), ground=Flat(friction=0.6, slope_deg=20))
    sim.step(1.0)
    begin = position(sim)[0]
    sim.step(1.0)
    assert position(sim)[0] == pytest.approx(begin, abs=0.01)
    sim.apply(SetFriction("terrain/0", 0.1))
    recompile(sim)
    sim.step(1.0)
    # Rolling down: g (sin - mu cos) t² / 2 along the slope.
    slope, mu = math.radians(20), 0.1
    way = 0.5 * 9.81 * (math.sin(slope) - mu * math.cos(slope)) * math.cos(slope)
    assert begin - position(sim)[0] == pytest.approx(way, rel=0.05)
    assert sim.world.terrain[0].friction == 0.1
    sim.apply(SetFriction("everywhere", 1.5))
    sim.step(2.0)
    rest = position(sim)[0]
    sim.step(0.5)
    assert position(sim)[0] == pytest.approx(rest, abs=0.01)


def test_gravity_persists_after_recompilation() -> None:
    sim = simulation(BOX.model_copy(update={"position": (0.0, 0.0, 5.0)}))
    sim.apply(SetGravity(1.62))
    recompile(sim)
    sim.step(1.0)
    assert position(sim)[2] == pytest.approx(5 - 0.81, abs=0.002)
    assert sim.world.physics.gravity == 1.62
    sim.reset()
    sim.step(0.5)
    assert position(sim)[2] == pytest.approx(5 - 9.81 / 8, abs=0.01), "a reset restores gravity"


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (SetFriction("terrain/7", 0.5), UnknownName),
        (SetFriction("everywhere", -1), BadValue),
        (SetGravity(-1), BadValue),
        (SetDaylight(2), BadValue),
        (Glide("crate", (), 1.0), BadValue),
        (Glide("crate", ((0, 0, 1),), 0.0), BadValue),
        (Spin("no_such_object", 1.0), UnknownName),
    ],
)
def test_invalid_actions_are_rejected_and_change_nothing(
    action: Action, error: type[GrouserError]
) -> None:
    sim = simulation(BOX)
    sim.step(0.1)
    before = sim.fingerprint()
    with pytest.raises(error):
        sim.apply(action)
    assert sim.fingerprint() == before


def test_equal_actions_give_bit_identical_states() -> None:
    lines = [
        "open gate",
        "glide crate to 1 0 0.1 to 1 1 0.1 at 0.4 loop",
        "step 0.7",
        "gravity 5",
        "spawn ball extra at -1 0 0.5 radius=0.1 mass=0.2 friction=0.5",
        "step 0.5",
        "friction everywhere 0.2",
        "close gate",
        "remove extra",
        "light lamp off",
        "step 0.8",
    ]
    prints = []
    for _ in range(2):
        sim = simulation(BOX, DOOR, LAMP)
        console = Console(sim, steps=True)
        for line in lines:
            console.execute(line)
        prints.append(sim.fingerprint())
    assert prints[0] == prints[1]
