"""URDF of shipped robots: same forward kinematics as MuJoCo, in an independent reader; meshes."""

import io
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from support.narrowing import not_none
from support.server_fixtures import CONTROL_ONLY, TIMEOUT, ServerProcess
from websockets.sync.client import connect

from grouser.frames import Pose, from_rpy, rotate
from grouser.gateways.ros_graph.live_topics import LiveTopics
from grouser.gateways.ros_graph.mesh_files import MeshFiles, MeshFolder
from grouser.robots.kinds import ROBOTS
from grouser.ros.body_frames import BodyFrames
from grouser.ros.urdf import robot_urdf, urdf_joints, urdf_positions
from grouser.simulation.scene import compose
from grouser.simulation.simulation import Simulation
from grouser.world.file import World
from grouser.world.meshes.mesh_files import read_mesh

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


ROVER = Path(__file__).parent.parent / "examples" / "robots" / "student" / "step.yaml"
"""World with a robot that has a mesh."""
HULL = ROVER.parent / "meshes" / "hull.stl"
HULL_PLACE = (0.0, 0.0, 0.02)
"""Origin of the visual of the hull in the robot's own URDF, m."""


def hull(text: str) -> tuple[str, Pose]:
    """Return the address of the only mesh in a URDF, and its pose in its link."""
    for visual in ElementTree.fromstring(text).iter("visual"):
        mesh, origin = visual.find("geometry/mesh"), not_none(visual.find("origin"))
        if mesh is not None:
            place, turn = ([float(n) for n in origin.attrib[key].split()] for key in ("xyz", "rpy"))
            return mesh.attrib["filename"], Pose(np.array(place), from_rpy(*turn))
    raise AssertionError("no mesh")


def check_hull(content: bytes, X: Pose, folder: Path) -> None:
    """Check that a file has the original mesh, as placed by ``X``."""
    (stl := folder / "hull.stl").write_bytes(content)
    found, original = read_mesh(stl).vertices, read_mesh(HULL).vertices + HULL_PLACE
    placed = rotate(X.wxyz, found) + X.position
    for bound in (np.min, np.max):
        assert bound(placed, axis=0) == pytest.approx(bound(original, axis=0), abs=1e-6)


@pytest.fixture(scope="module")
def rover() -> Simulation:
    return Simulation(ROVER)


def test_meshes_have_addresses_that_cannot_be_guessed(rover: Simulation, tmp_path: Path) -> None:
    files, other = MeshFiles(), MeshFiles()
    files.opened("0.0.0.0", 9090, tls=True)
    address, X = hull(LiveTopics(rover, meshes=files).description("rover"))
    assert address.startswith("https://")
    assert ":9090/meshes/" in address
    path = urlsplit(address).path
    check_hull(not_none(files.find(path)), X, tmp_path)
    assert other.address(rover.scene.model, 0) != path
    assert files.find("/meshes/x.stl") is None


def test_mesh_in_a_folder_is_a_file_until_the_end(rover: Simulation, tmp_path: Path) -> None:
    folder = MeshFolder()
    address, X = hull(LiveTopics(rover, meshes=folder).description("rover"))
    file = Path(unquote(urlsplit(address).path))
    check_hull(file.read_bytes(), X, tmp_path)
    folder.close()
    assert not file.exists()


@pytest.mark.slow
def test_meshes_are_served_by_the_port_of_rosbridge(tmp_path: Path) -> None:
    options = (*CONTROL_ONLY, "--rosbridge", "0", "--rosbridge-origin", "http://viewer.example")
    with ServerProcess(tmp_path, ROVER, *options) as server:
        port = server.ports["rosbridge"]
        with connect(f"ws://127.0.0.1:{port}") as socket:
            socket.send('{"op": "subscribe", "topic": "/rover/robot_description"}')
            address, X = hull(json.loads(socket.recv(TIMEOUT))["msg"]["data"])
        assert address.startswith(f"http://127.0.0.1:{port}/meshes/")
        check_hull(urllib.request.urlopen(address).read(), X, tmp_path)
        for origin, path, status in (
            ("http://viewer.example", "", 200),
            ("http://evil.example", "", 403),
            ("http://viewer.example", "x", 404),
        ):
            request = urllib.request.Request(address + path, headers={"Origin": origin})
            assert status_of(request) == status


def status_of(request: urllib.request.Request) -> int:
    try:
        with urllib.request.urlopen(request) as response:
            assert response.headers["Access-Control-Allow-Origin"] == request.headers["Origin"]
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
