"""Unmodified roslib (npm) and roslibpy in one session with three robots."""

import base64
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import roslibpy  # type: ignore[import-untyped]
from roslibpy.ros import Ros  # type: ignore[import-untyped]
from support.server_fixtures import TIMEOUT, ServerProcess, wait_until
from websockets.sync.client import connect

SESSION = Path(__file__).parent / "support" / "roslib_session.mjs"
PACKAGE = "roslib@2.1.0"
ROBOTS = ("r0", "r1", "r2")
SENSORS = """[
  {kind: laser, mount: body, at: [0.2, 0, 0.2]}, {kind: gyroscope, mount: body},
  {kind: camera, camera: ers210, mount: body, at: [0.2, 0, 0.3], rate_hz: 30}]"""
WORLD = "name: three\nterrain: [{kind: flat}]\nrobots:\n" + "".join(
    f"- {{name: {name}, kind: p2dx, position: [0, {2 * place}], sensors: {SENSORS}}}\n"
    for place, name in enumerate(ROBOTS)
)
OPTIONS = ("--truth", "-1", "--rosbridge", "0")
PLANS = ("--plan", "candidates=1", "--plan", "trials=1", "--plan", "rounds=1")
SERVICES = (
    *("path_plan", "path_found", "best_path", "reset_pose", "drive"),
    *("drive_time", "energy_used"),
)
TOKEN = "open-sesame-12345"
PICTURES = 60
"""Pictures of each robot."""
JPEG = b"\xff\xd8\xff"
LARGEST_LAG = 1.0
"""Bound of the median age of pictures, simulated s: nothing queues. `grouser bench ros` measures
the age."""


@pytest.fixture(scope="module")
def roslib(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of the installed module."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("Node.js is not installed")
    folder = tmp_path_factory.mktemp("npm")
    words = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGE]
    done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode:
        pytest.skip(f"npm cannot install {PACKAGE}: {done.stderr.strip().splitlines()[-1:]}")
    package = folder / "node_modules" / "roslib"
    exported = json.loads((package / "package.json").read_text())["exports"]["."]["import"]
    return (package / (exported if isinstance(exported, str) else exported["default"])).as_uri()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("roslib")
    (world := folder / "three.yaml").write_text(WORLD)
    goals = [w for n, name in enumerate(ROBOTS) for w in ("--goal", f"{name}:0.6,{2 * n}.1")]
    with ServerProcess(folder, world, *OPTIONS, *goals, *PLANS) as server:
        yield server


def run_roslib(module: str, port: int) -> Any:
    words = ["node", str(SESSION), module, f"ws://127.0.0.1:{port}", ",".join(ROBOTS)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_names(kinds: dict[str, str], services: list[str]) -> None:
    """Check topics, types and services of all robots."""
    for robot in ROBOTS:
        assert kinds[f"/{robot}/odom"] == "nav_msgs/Odometry"
        assert kinds[f"/{robot}/scan/laser"] == "sensor_msgs/LaserScan"
        assert kinds[f"/{robot}/imu"] == "sensor_msgs/Imu"
        assert kinds[f"/{robot}/joint_states"] == "sensor_msgs/JointState"
        assert kinds[f"/{robot}/camera/camera/image/compressed"] == "sensor_msgs/CompressedImage"
        assert kinds[f"/{robot}/cmd_vel"] == "geometry_msgs/Twist"
    assert {f"/{robot}/{name}" for robot in ROBOTS for name in SERVICES} <= set(services)


@pytest.mark.slow
def test_roslib_drives_reads_and_calls_while_another_client_stalls(
    served: ServerProcess, roslib: str
) -> None:
    port = served.ports["rosbridge"]
    with connect(f"ws://127.0.0.1:{port}", max_queue=(1, 0)) as stalled:
        for robot in ROBOTS:
            topic = f"/{robot}/camera/camera/image/compressed"
            stalled.send(json.dumps({"op": "subscribe", "topic": topic}))
        got = run_roslib(roslib, port)
    check_names(got["kinds"], got["services"])
    assert got["ranges"] == 181
    assert got["picture"]["format"] == "jpeg"
    assert base64.b64decode(got["picture"]["data"]).startswith(JPEG)
    assert {f"{robot}/base_link" for robot in ROBOTS} <= set(got["frames"])
    assert len(got["joints"]) > 1
    for robot in ROBOTS:
        for name in SERVICES:
            assert got["answers"][f"{robot}/{name}"]["success"], got["answers"]
    assert [got["answers"][name] for name in ("pause", "resume", "reset")] == [{}] * 3
    assert got["lags"]["median"] < LARGEST_LAG
    assert "Traceback" not in served.log


@pytest.mark.slow
def test_roslibpy_drives_reads_and_calls_while_another_client_stalls(served: ServerProcess) -> None:
    port = served.ports["rosbridge"]
    ros = roslibpy.Ros("127.0.0.1", port)
    ros.run(timeout=TIMEOUT)
    with connect(f"ws://127.0.0.1:{port}", max_queue=(1, 0)) as stalled:
        stalled.send('{"op": "subscribe", "topic": "/r0/camera/camera/image/compressed"}')
        kinds = {topic: ros.get_topic_type(topic) for topic in ros.get_topics()}
        check_names(kinds, ros.get_services())
        last = subscribe(ros, kinds)
        start = {robot: x_of(last, robot) for robot in ROBOTS}
        drives = [
            roslibpy.Topic(ros, f"/{robot}/cmd_vel", kinds[f"/{robot}/cmd_vel"]) for robot in ROBOTS
        ]
        for drive in drives:
            drive.publish(roslibpy.Message({"linear": {"x": 0.3}, "angular": {"z": 0.0}}))
        wait_until(lambda: all(x_of(last, robot) > start[robot] + 0.3 for robot in ROBOTS))
        for drive in drives:
            drive.unadvertise()
        wait_until(lambda: all(len(last[picture(robot)]) >= PICTURES for robot in ROBOTS))
        call_all(ros)
    assert base64.b64decode(last[picture("r0")][-1]["data"]).startswith(JPEG)
    assert len(last["/r0/scan/laser"][-1]["ranges"]) == 181
    assert {"r0/base_link", "r1/base_link"} <= {
        one["child_frame_id"] for one in last["/tf"][-1]["transforms"]
    }
    ros.close()


def picture(robot: str) -> str:
    return f"/{robot}/camera/camera/image/compressed"


def subscribe(ros: Ros, kinds: dict[str, str]) -> dict[str, list[Any]]:
    """Subscribe to everything; return the messages by topic after the first one of each."""
    received: dict[str, list[Any]] = {"/tf": []} | {
        f"/{robot}/{kind}": []
        for robot in ROBOTS
        for kind in ("odom", "scan/laser", "imu", "joint_states", "camera/camera/image/compressed")
    }
    for name, messages in received.items():
        roslibpy.Topic(ros, name, kinds[name]).subscribe(messages.append)
    wait_until(lambda: all(received.values()))
    return received


def x_of(received: dict[str, list[Any]], robot: str) -> float:
    x: float = received[f"/{robot}/odom"][-1]["pose"]["pose"]["position"]["x"]
    return x


def call_all(ros: Ros) -> None:
    """Call all services."""
    for robot in ROBOTS:
        for name in SERVICES:
            service = roslibpy.Service(ros, f"/{robot}/{name}", "std_srvs/Trigger")
            answer = service.call(roslibpy.ServiceRequest(), timeout=TIMEOUT)
            assert answer["success"], (robot, name, answer)
    for name in ("pause", "resume", "reset"):
        service = roslibpy.Service(ros, f"/{name}", "std_srvs/Empty")
        assert service.call(roslibpy.ServiceRequest(), timeout=TIMEOUT) == {}


@pytest.mark.slow
def test_roslib_without_the_token_is_refused(tmp_path: Path, roslib: str) -> None:
    (world := tmp_path / "three.yaml").write_text(WORLD)
    with ServerProcess(tmp_path, world, *OPTIONS, token=TOKEN) as server:
        answer = run_roslib(roslib, server.ports["rosbridge"])
        assert answer.keys() == {"refused"}
        assert "a token is required" in server.log
