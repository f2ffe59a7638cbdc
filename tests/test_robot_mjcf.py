"""Robot files based on MJCF: classes, includes, meshes, motors and ground."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from grouser.errors import GrouserError
from grouser.robots.custom.custom_robot import load_robot
from grouser.simulation.simulation import Simulation
from grouser.world.file import load

HULL = Path(__file__).parent.parent / "examples/robots/student/meshes/hull.stl"
CART = """
<mujoco model="cart">
  <compiler angle="degree" meshdir="parts" autolimits="true"/>
  <default>
    <joint damping="0.1" armature="0.01"/>
    <default class="look"><geom contype="0" conaffinity="0" mass="0.3"/></default>
    <default class="arm"><joint axis="0 1 0" range="-86 86" actuatorfrcrange="-40 40"/></default>
  </default>
  <asset>
    <texture name="grid" type="2d" builtin="checker" width="64" height="64"/>
    <material name="ground" texture="grid"/>
    <mesh name="hull" file="hull.stl"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/>
    <camera name="fixed" pos="0 -2 1"/>
    <geom name="floor" type="plane" size="5 5 0.1" material="ground"/>
    <body name="chassis" pos="0 0 0.2">
      <freejoint/>
      <geom class="look" type="mesh" mesh="hull"/>
      <geom name="hull" type="box" size="0.19 0.11 0.045" mass="12"/>
      <camera name="eye" pos="0.2 0 0.1" xyaxes="0 -1 0 0 0 1"/>
      <site name="imu"/>
      <body name="left_arm" pos="0.2 0.225 0">
        <joint name="left_arm" class="arm"/>
        <geom type="box" size="0.1 0.01 0.03" pos="0.1 0 0" mass="1.2"/>
      </body>
      <body name="right_arm" pos="0.2 -0.225 0">
        <joint name="right_arm" class="arm"/>
        <geom type="box" size="0.1 0.01 0.03" pos="0.1 0 0" mass="1.2"/>
      </body>
      <include file="mast.xml"/>
      <body pos="0 0 0.05">
        <joint name="spinner" axis="0 0 1"/>
        <geom class="look" type="box" size="0.02 0.02 0.01"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="pan" joint="pan" kp="20" forcerange="-3 3"/>
    <motor name="spin" joint="spinner" gear="10" ctrlrange="-0.5 0.5"/>
  </actuator>
  <sensor><gyro name="gyro" site="imu"/></sensor>
  <contact><exclude body1="left_arm" body2="chassis"/></contact>
  <keyframe><key name="home" qpos="0 0 0.2 1 0 0 0 0.1 0.1 0 0"/></keyframe>
</mujoco>
"""
MAST = """
<mujocoinclude>
  <body name="mast" pos="-0.1 0 0.07">
    <joint name="pan" axis="0 0 1" range="-150 150"/>
    <geom class="look" type="cylinder" size="0.015 0.1" pos="0 0 0.1"/>
  </body>
</mujocoinclude>
"""
ROBOT = """
name: Cart
model: cart.xml
tracks:
  - {at: [0, 0.155, 0], oval: {length: 0.54, radius: 0.07}, width: 0.08, pitch: 0.03,
     grouser: {shape: rounded, length: 0.006, height: 0.010}, force: 180, speed: 0.8}
flippers:
  - {name: front, joints: [left_arm, right_arm], points: forward, width: 0.03, torque: 40,
     pulleys: [[0, 0, 0.07], [0.20, 0, 0.04]], limits_deg: [-85, 85], start_deg: 40}
"""
WORLD = """
name: w
terrain: [{kind: flat, friction: 0.6}, {kind: step, x: 0.7, height: 0.12, friction: 0.6}]
robots: [{name: c, kind: ./cart.yaml, position: [0, 0], command: {forward: 0.25}}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    shutil.copy(HULL, tmp_path / "parts" / "hull.stl")
    for name, text in {
        "cart.xml": CART,
        "mast.xml": MAST,
        "cart.yaml": ROBOT,
        "w.yaml": WORLD,
    }.items():
        (tmp_path / name).write_text(text.lstrip())
    return tmp_path


def test_ground_and_motors_of_the_mjcf_are_removed(folder: Path) -> None:
    robot = load_robot(folder / "cart.xml").build()
    model = robot.spec.compile()
    assert (model.nkey, model.nsensor, model.nlight) == (0, 0, 0)
    assert model.body("chassis").pos.tolist() == [0, 0, 0]
    assert robot.standing == pytest.approx(0.045)
    assert {name: drive.force for name, drive in robot.drives.items()} == {
        "left_arm": 40.0,  # actuatorfrcrange
        "right_arm": 40.0,
        "pan": 3.0,  # forcerange
        "spinner": 5.0,  # a plain motor's ctrlrange and gear
    }
    assert robot.limits["pan"] == pytest.approx((-np.radians(150), np.radians(150)), abs=1e-5)
    assert "spinner" not in robot.limits  # unlimited
    assert "floor" not in [geom.name for geom in robot.spec.geoms]


def test_robot_digest_covers_all_files(folder: Path) -> None:
    before = load_robot(folder / "cart.yaml")
    names = [Path(file).name for file, _ in before.digests]
    assert sorted(names) == ["cart.xml", "hull.stl", "mast.xml"]
    (folder / "mast.xml").write_text(MAST.lstrip().replace("0.015", "0.016"))
    assert load_robot(folder / "cart.yaml") != before


def test_tracks_and_flippers_climb_a_step(folder: Path) -> None:
    simulation = Simulation(load(folder / "w.yaml"))
    assert simulation.pose("c").position[2] == pytest.approx(0.08, abs=1e-6)
    simulation.step(4.5)
    x, y, z = simulation.pose("c").position
    assert x > 0.9
    assert abs(y) < 0.02
    assert z == pytest.approx(0.2, abs=0.005)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('mass="12"', 'mass="-12"', r"cart.xml: MuJoCo cannot read it \(.*mass"),
        ('file="hull.stl"', 'file="hul.stl"', r"cart.xml: MuJoCo cannot read it \(.*hul.stl"),
        ('class="arm"/>', 'class="amr"/>', r"cart.xml: MuJoCo cannot read it \(.*amr"),
        ('forcerange="-3 3"', "", "joint 'pan': the model gives no torque limit of its motor"),
        (
            "</worldbody>",
            "<body name='other'><geom size='0.1'/></body></worldbody>",
            "exactly one body is needed in the world, found: chassis, other",
        ),
        ('axis="0 0 1"/>', 'type="ball"/>', "joint 'spinner' is neither a hinge nor a slide"),
        ("</worldbody>", "", "cart.xml line .*: this is not XML"),
    ],
)
def test_invalid_mjcf_is_reported_in_one_sentence(
    folder: Path, old: str, new: str, sentence: str
) -> None:
    text = CART.lstrip()
    assert old in text
    if "ball" in new:
        text = text.replace("0.1 0.1 0 0", "0.1 0.1 0 1 0 0 0").replace('gear="10"', "")
    (folder / "cart.xml").write_text(text.replace(old, new, 1))
    with pytest.raises(GrouserError, match=sentence) as caught:
        load_robot(folder / "cart.yaml").build()
    assert "\n" not in str(caught.value)
