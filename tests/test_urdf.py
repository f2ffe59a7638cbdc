"""URDF of shipped robots: same forward kinematics as MuJoCo, in an independent reader."""

import io
from typing import Any

import mujoco
import numpy as np
import pytest

from grouser.robots.kinds import ROBOTS
from grouser.ros.body_frames import BodyFrames
from grouser.ros.urdf import robot_urdf, urdf_joints, urdf_positions
from grouser.simulation.scene import compose
from grouser.world.file import World

FAST = ("quince", "ers7", "velociroach")
"""Robots with flippers, with legs, and with closed chains."""
OPTIONS: dict[str, dict[str, Any]] = {
    "crawler": {
        "mass": 15.0,
        "gauge": 0.36,
        "width": 0.08,
        "pulleys": [[-0.2, 0, 0.06], [0.2, 0, 0.06]],
    }
}
"""Options of robots that need some."""


@pytest.mark.parametrize(
    "kind",
    [kind if kind in FAST else pytest.param(kind, marks=pytest.mark.slow) for kind in ROBOTS],
)
def test_urdf_has_the_forward_kinematics_of_mujoco(kind: str) -> None:
    yourdfpy = pytest.importorskip("yourdfpy")
    given: dict[str, Any] = {
        "name": "urdf",
        "terrain": [{"kind": "flat"}],
        "robots": [{"name": "one", "kind": kind, "position": [0, 0, 0]}],
    }
    given["robots"][0]["options"] = OPTIONS.get(kind, {})
    scene = compose(World.model_validate(given))
    model, root = scene.model, scene.robots["one"].root
    joints = urdf_joints(model, "one", root)
    text = robot_urdf(model, "one", root)
    robot = yourdfpy.URDF.load(io.StringIO(text), load_meshes=False, build_scene_graph=True)
    assert set(robot.actuated_joint_names) == {joint.name for joint in joints}
    data, rng = scene.initial(), np.random.default_rng(3)
    frames = BodyFrames(model, {"one": root}, {}).names
    base = model.body(f"one/{root}").id
    for _ in range(5):
        for joint in joints:
            address = int(model.jnt_qposadr[joint.joint])
            if model.jnt_type[joint.joint] == mujoco.mjtJoint.mjJNT_BALL:
                turn = rng.normal(size=4)
                data.qpos[address : address + 4] = turn / np.linalg.norm(turn)
            else:
                data.qpos[address] += rng.uniform(-0.5, 0.5)
        mujoco.mj_kinematics(model, data)
        robot.update_cfg(urdf_positions(model, data.qpos, joints))
        for body in {joint.body for joint in joints}:
            X = robot.get_transform(frames[body], robot.base_link)
            turned = data.xmat[base].reshape(3, 3).T
            place = turned @ (data.xpos[body] - data.xpos[base])
            assert X[:3, 3] == pytest.approx(place, abs=1e-6)
            assert X[:3, :3] == pytest.approx(turned @ data.xmat[body].reshape(3, 3), abs=1e-6)
