"""Planning services over rosbridge: unmodified roslibpy against ``grouser serve``."""

import http
import json
import math
import os
import signal
import socket
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import roslibpy  # type: ignore[import-untyped]
from roslibpy.ros import Ros  # type: ignore[import-untyped]
from support.cli_runner import error_line, grouser
from support.narrowing import not_none
from support.server_fixtures import CONTROL_ONLY, TIMEOUT, ServerProcess, wait_until
from support.server_world import WORLD
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from grouser.gateways.rosbridge.encoding import png_message, read_png

SMALL = ("--plan", "candidates=1", "--plan", "trials=1", "--plan", "rounds=1")
START, GOAL = (-5.0, 3.0), (-3.5, 3.2)
TOKEN = "open-sesame-12345"
SERVICES = [
    *("path_plan", "reset_pose", "drive", "best_path"),
    *("drive_time", "energy_used", "path_found"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("rosbridge")
    (world := folder / "yard.yaml").write_text(WORLD)
    goal = ("--goal", f"own:{GOAL[0]},{GOAL[1]}")
    options = (*CONTROL_ONLY, "--rosbridge", "0", "--speed", "4")  # runs take less wall time
    with ServerProcess(folder, world, *options, *goal, *SMALL) as server:
        yield server


@pytest.fixture(scope="module")
def token_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("guarded")
    (world := folder / "yard.yaml").write_text(WORLD)
    with ServerProcess(folder, world, *CONTROL_ONLY, "--rosbridge", "0", token=TOKEN) as server:
        yield server


@pytest.fixture
def ros_client(server: ServerProcess) -> Iterator[Ros]:
    """Return a connection of unmodified roslibpy."""
    client = roslibpy.Ros("127.0.0.1", server.ports["rosbridge"])
    client.run(timeout=TIMEOUT)
    yield client
    client.close()


def trigger(client: Ros, name: str) -> tuple[bool, str]:
    """Call a Trigger service; return its success and message."""
    service = roslibpy.Service(client, name, "std_srvs/Trigger")
    answer = service.call(roslibpy.ServiceRequest(), timeout=TIMEOUT)
    assert set(answer) == {"success", "message"}
    return answer["success"], answer["message"]


def result(client: Ros, name: str) -> Any:
    success, message = trigger(client, name)
    assert success, message
    return json.loads(message)


def open_websocket(server: ServerProcess, **more: Any) -> ClientConnection:
    url = f"ws://127.0.0.1:{server.ports['rosbridge']}"
    connection: ClientConnection = connect(url, open_timeout=TIMEOUT, close_timeout=5, **more)
    return connection


def request_answer(socket: ClientConnection, text: str) -> Any:
    """Send a text; return the decoded answer."""
    socket.send(text)
    return json.loads(socket.recv(TIMEOUT))


def call(socket: ClientConnection, service: str, **more: Any) -> Any:
    return request_answer(socket, json.dumps({"op": "call_service", "service": service} | more))


def true_position(server: ServerProcess) -> tuple[float, float]:
    """Return the true position of the robot, read from the console."""
    words = server.console("where own").replace(",", " ").split()
    numbers = [float(word) for word in words if word.lstrip("-").replace(".", "").isdigit()]
    return numbers[0], numbers[1]


def child_processes(server: ServerProcess) -> list[str]:
    """Return the running child processes of the server."""
    pid = server.process.pid
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_ros_program_plans_resets_drives_and_reads_energy(
    server: ServerProcess, ros_client: Ros
) -> None:
    assert set(ros_client.get_services()) >= {f"/own/{name}" for name in SERVICES}
    assert ros_client.get_service_type("/own/drive") == "std_srvs/Trigger"
    for name, why in (
        ("path_found", "call path_plan"),
        ("best_path", "call path_plan"),
        ("drive", "call path_plan"),
        ("drive_time", "has no run yet"),
        ("energy_used", "has no run yet"),
    ):
        success, message = trigger(ros_client, f"/own/{name}")
        assert not success
        assert why in message

    planned = result(ros_client, "/own/path_plan")
    assert (planned["candidates"], planned["trials"]) == (1, 1)
    assert planned["path"][0] == pytest.approx(START)
    assert planned["path"][-1] == pytest.approx(GOAL)
    assert planned["length"] >= math.dist(START, GOAL)
    found = result(ros_client, "/own/path_found")
    assert found["path"] == planned["path"]

    start = result(ros_client, "/own/reset_pose")["position"]
    assert start[:2] == pytest.approx(START, abs=0.01)
    driven = result(ros_client, "/own/drive")
    assert math.dist(true_position(server), GOAL) < 0.1
    assert driven["effort"] >= abs(driven["work"]) > 0
    assert result(ros_client, "/own/drive_time") == {"seconds": driven["seconds"]}
    assert result(ros_client, "/own/energy_used") == {
        key: driven[key] for key in ("work", "effort")
    }
    # The trial of the path had the same physics and the same path driver.
    assert driven["effort"] == pytest.approx(planned["effort"], rel=0.3)

    success, message = trigger(ros_client, "/own/drive")
    assert not success
    assert "reset_pose puts it there" in message
    assert result(ros_client, "/own/best_path")["path"] == planned["path"]


def test_second_plan_is_rejected_while_planning_and_time_advances(
    server: ServerProcess, ros_client: Ros
) -> None:
    with open_websocket(server) as other, ThreadPoolExecutor() as pool:
        first = pool.submit(trigger, ros_client, "own/path_plan")
        wait_until(lambda: "is being planned" in str(call(other, "own/path_found")["values"]))
        then = float(server.console("time").split()[0])
        second = call(other, "own/path_plan")["values"]
        assert second["success"] is False
        assert "being planned already" in second["message"]
        wait_until(lambda: float(server.console("time").split()[0]) > then + 0.1)
        assert not first.done()
        assert first.result(TIMEOUT)[0]


def test_disconnecting_while_planning_kills_the_planning_process(server: ServerProcess) -> None:
    with open_websocket(server) as hasty, open_websocket(server) as other:
        hasty.send('{"op": "call_service", "service": "own/path_plan"}')
        wait_until(lambda: "is being planned" in str(call(other, "own/path_found")["values"]))
        wait_until(lambda: child_processes(server))
        hasty.close()
        wait_until(lambda: "is being planned" not in str(call(other, "own/path_found")["values"]))
        wait_until(lambda: not child_processes(server))


@pytest.mark.slow
def test_killed_planning_process_is_reported_and_the_next_plan_succeeds(
    server: ServerProcess,
) -> None:
    with open_websocket(server) as caller:
        caller.send('{"op": "call_service", "service": "own/path_plan"}')
        wait_until(lambda: child_processes(server))
        for process in child_processes(server):
            os.kill(int(process), signal.SIGKILL)
        values = json.loads(caller.recv(TIMEOUT))["values"]
        assert values == {
            "success": False,
            "message": "the planning process exited with code -9; see the log",
        }
        assert call(caller, "own/path_plan")["values"]["success"]
        assert "Traceback" not in server.log


def test_reset_pose_cancels_a_run_and_its_call_returns_the_reason(
    server: ServerProcess, ros_client: Ros
) -> None:
    if not trigger(ros_client, "own/path_found")[0]:
        result(ros_client, "own/path_plan")
    result(ros_client, "own/reset_pose")
    with open_websocket(server) as driver:
        driver.send('{"op": "call_service", "service": "own/drive", "id": "d"}')
        wait_until(lambda: "still driving" in trigger(ros_client, "own/drive_time")[1])
        assert "driven already" in trigger(ros_client, "own/drive")[1]
        result(ros_client, "own/reset_pose")
        answer = json.loads(driver.recv(TIMEOUT))
    assert answer["id"] == "d"
    assert answer["values"]["success"] is False
    assert "reset_pose was called" in answer["values"]["message"]
    assert "reset_pose was called" in trigger(ros_client, "own/energy_used")[1]


def test_robot_of_another_client_is_not_driven(server: ServerProcess, ros_client: Ros) -> None:
    with server.join("P2DX", "own"):
        for service in ("drive", "reset_pose"):
            success, message = trigger(ros_client, f"own/{service}")
            assert not success
            assert "belongs to another client" in message


def test_unknown_service_names_the_nearest_match(ros_client: Ros) -> None:
    service = roslibpy.Service(ros_client, "/own/path_plna", "std_srvs/Trigger")
    with pytest.raises(Exception, match="did you mean 'own/path_plan'"):
        service.call(roslibpy.ServiceRequest(), timeout=TIMEOUT)


def test_malformed_message_gets_one_status_and_connection_stays_open(server: ServerProcess) -> None:
    with open_websocket(server) as socket:
        for text, words in (
            ('{"op": "call_ser', "not JSON"),
            ('{"op": "subscribe", "topic": "/own/odm", "id": "s"}', "did you mean '/own/odom'"),
            ('{"op": "publish", "topic": "/own/odom", "msg": {}}', "command topic '/own/odom'"),
            ('{"op": "publish", "topic": "own/cmd_vel", "msg": {"x": 1}}', "no field 'x'"),
            ('{"op": "publish", "topic": "own/path", "msg": {}}', "0 different points"),
            ('{"op": "advertise", "topic": "own/path", "type": "a/B"}', "type nav_msgs/msg/Path"),
            ('{"op": "fragment", "id": "f", "data": "{", "num": 0, "total": 1}', "not JSON"),
            ('{"op": "call_servce"}', "did you mean 'call_service'"),
        ):
            answer = request_answer(socket, text)
            assert (answer["op"], answer["level"]) == ("status", "error")
            assert words in answer["msg"]
        refused = call(socket, "own/drive", args={"speed": 3}, id="a")
        assert (refused["result"], refused["id"]) == (False, "a")
        assert "takes no arguments" in refused["values"]
        socket.send('{"op": "set_level", "level": "none"}')
        socket.send("a message without an answer")
        assert call(socket, "rosapi/services")["result"] is True


def test_refused_subscription_is_logged(server: ServerProcess, ros_client: Ros) -> None:
    topic = roslibpy.Topic(ros_client, "/no_scan", "sensor_msgs/LaserScan")
    topic.subscribe(lambda message: None)
    wait_until(lambda: "subscribe: there is no topic '/no_scan'" in server.log)


def test_robot_is_driven_and_its_state_received(server: ServerProcess, ros_client: Ros) -> None:
    assert ros_client.get_topic_type("/own/odom") == "nav_msgs/Odometry"
    result(ros_client, "own/reset_pose")
    received: dict[str, Any] = {}
    topics = {
        name: roslibpy.Topic(ros_client, f"/{name}", ros_client.get_topic_type(f"/{name}"), **more)
        for name, more in (
            ("own/odom", {}),
            ("own/joint_states", {"throttle_rate": 50, "queue_length": 3}),
            ("tf", {}),
            ("tf_static", {}),
            ("clock", {}),
        )
    }
    for name, topic in topics.items():
        topic.subscribe(lambda message, name=name: received.update({name: message}))
    drive = roslibpy.Topic(ros_client, "/own/cmd_vel", "geometry_msgs/Twist")
    drive.advertise()
    drive.publish(roslibpy.Message({"linear": {"x": 0.4}, "angular": {"z": 0.0}}))
    x, _ = START
    wait_until(lambda: received.get("own/odom", {}) and place(received["own/odom"])[0] > x + 0.3)
    assert received.keys() == topics.keys()
    odometry = received["own/odom"]
    assert odometry["twist"]["twist"]["linear"]["x"] == pytest.approx(0.4, abs=0.1)
    base = next(t for t in received["tf"]["transforms"] if t["child_frame_id"] == "own/base_link")
    assert base["header"]["frame_id"] == odometry["header"]["frame_id"] == "map"
    assert received["own/joint_states"]["velocity"][0] > 0
    with open_websocket(server) as other:
        text = json.dumps({"op": "publish", "topic": "own/cmd_vel", "msg": {}})
        assert "belongs to another client" in request_answer(other, text)["msg"]
    back = roslibpy.Topic(ros_client, "/own/cmd_vel", "geometry_msgs/TwistStamped")
    back.publish(roslibpy.Message({"twist": {"linear": {"x": -0.4}}}))
    wait_until(lambda: received["own/odom"]["twist"]["twist"]["linear"]["x"] < -0.2)
    topics["own/odom"].unsubscribe()
    back.unadvertise()  # the robot stops and is free again
    wait_until(lambda: trigger(ros_client, "own/reset_pose")[0])
    then = received["own/odom"]["header"]
    wait_until(lambda: received["clock"]["clock"]["secs"] > then["stamp"]["secs"] + 1)
    assert received["own/odom"]["header"] == then


def place(odometry: Any) -> tuple[float, float]:
    position = odometry["pose"]["pose"]["position"]
    return position["x"], position["y"]


def test_robot_follows_a_published_path(server: ServerProcess, ros_client: Ros) -> None:
    result(ros_client, "own/reset_pose")
    path = {"poses": [{"pose": {"position": {"x": x, "y": y}}} for x, y in (START, (-4.2, 3.0))]}
    topic = roslibpy.Topic(ros_client, "/own/path", "nav_msgs/Path")
    topic.publish(roslibpy.Message(path))
    wait_until(lambda: trigger(ros_client, "own/drive_time")[0])
    assert math.dist(true_position(server), (-4.2, 3.0)) < 0.1
    joints = roslibpy.Topic(ros_client, "/own/joint_command", "sensor_msgs/JointState")
    turned = {"name": ["left", "right"], "velocity": [-2.0, 2.0]}
    joints.publish(roslibpy.Message(turned))
    wait_until(lambda: abs(heading(server)) > 0.5)
    joints.unadvertise()


def heading(server: ServerProcess) -> float:
    """Return the true yaw of the robot, rad."""
    with open_websocket(server) as socket:
        first = request_answer(socket, '{"op": "subscribe", "topic": "/own/odom"}')
    turn = first["msg"]["pose"]["pose"]["orientation"]
    return 2 * math.atan2(turn["z"], turn["w"])


def test_topics_arrive_compressed_and_in_fragments(server: ServerProcess) -> None:
    with open_websocket(server) as socket:
        wanted = {"op": "subscribe", "topic": "/own/joint_states", "id": "a"}
        first = request_answer(socket, json.dumps(wanted | {"compression": "png"}))
        assert "velocity" in json.loads(read_png(first["data"]))["msg"]
        socket.send(json.dumps(wanted | {"fragment_size": 100}))
        parts: list[dict[str, Any]] = []
        while not parts or parts[-1]["num"] < parts[-1]["total"] - 1:
            message = json.loads(socket.recv(TIMEOUT))
            parts += [message] if message["op"] == "fragment" else []
        whole = "".join(part["data"] for part in parts)
        assert json.loads(whole)["topic"] == "/own/joint_states"
        assert all(len(part["data"]) <= 100 for part in parts)
        socket.send(json.dumps(wanted | {"throttle_rate": 200, "compression": "cbor-raw"}))
        while not isinstance(socket.recv(TIMEOUT), bytes):
            pass
        text = json.dumps({"op": "unsubscribe", "topic": "/own/joint_states"})
        half = len(text) // 2
        for number, part in enumerate((text[:half], text[half:])):
            parted = {"op": "fragment", "id": "f", "data": part, "num": number, "total": 2}
            socket.send(json.dumps(parted))
        packed = png_message('{"op": "call_service", "service": "rosapi/nodes"}')
        socket.send(packed)
        while isinstance(data := socket.recv(TIMEOUT), bytes):
            pass
        assert json.loads(data)["values"] == {"nodes": ["/grouser"]}
        with pytest.raises(TimeoutError):
            socket.recv(0.1)


def test_world_is_paused_resumed_and_reset_by_empty_services(server: ServerProcess) -> None:
    with open_websocket(server) as socket:
        assert call(socket, "pause") == {
            "op": "service_response", "service": "pause", "values": {}, "result": True,
        }  # fmt: skip
        then = server.console("time")
        assert call(socket, "resume")["result"]
        wait_until(lambda: server.console("time") != then)
        assert call(socket, "reset")["result"]
        assert true_position(server) == pytest.approx(START, abs=0.05)


def test_introspection_of_roslibpy_is_answered(ros_client: Ros) -> None:
    assert set(ros_client.get_topics()) >= {"/clock", "/tf", "/own/odom", "/own/cmd_vel"}
    assert "/own/cmd_vel" in ros_client.get_topics_for_type("geometry_msgs/Twist")
    types = ros_client.get_message_details("nav_msgs/Odometry")["typedefs"]
    assert {"std_msgs/Header", "geometry_msgs/Pose"} <= {each["type"] for each in types}
    assert ros_client.get_nodes() == ["/grouser"]
    assert "/own/drive" in ros_client.get_services()
    assert ros_client.get_service_type("/own/drive") == "std_srvs/Trigger"
    assert ros_client.get_service_type("/rosapi/topics") == "rosapi/Topics"
    assert "/own/path_plan" in ros_client.get_services_for_type("std_srvs/Trigger")
    assert ros_client.get_params() == ["/use_sim_time", "/own/robot_description"]
    assert ros_client.get_param("/use_sim_time") is True
    assert ros_client.get_param("/own/robot_description").startswith("<robot")
    assert ros_client.get_param("no_such") is None
    assert ros_client.get_action_servers(lambda names: None) is None
    details = ros_client.get_service_response_details("std_srvs/Trigger")
    assert details["typedefs"][0]["fieldnames"] == ["success", "message"]
    assert ros_client.get_time()["secs"] >= 0


def test_introspection_answers_are_exact(server: ServerProcess) -> None:
    with open_websocket(server) as socket:
        socket.send('{"op": "call_service", "service": "/rosapi/nodes", "id": 7}')
        assert socket.recv(TIMEOUT) == (
            '{"op": "service_response", "id": 7, "service": "/rosapi/nodes", '
            '"values": {"nodes": ["/grouser"]}, "result": true}'
        )
        socket.send('{"op": "call_service", "service": "/rosapi/set_param", "args": {"name": "a"}}')
        assert socket.recv(TIMEOUT) == (
            '{"op": "service_response", "service": "/rosapi/set_param", '
            '"values": "the parameters of this server are read-only", "result": false}'
        )


def test_client_that_resets_the_connection_while_closing_leaves_no_traceback(
    server: ServerProcess,
) -> None:
    for _ in range(20):
        connection = open_websocket(server)
        raw = connection.socket
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raw.sendall(bytes([0x88, 0x82, 0, 0, 0, 0, 3, 0xE8]))  # a close frame, code 1000
        raw.close()  # resets the connection
    with open_websocket(server) as connection:
        assert call(connection, "rosapi/services")["result"] is True
    assert "Traceback" not in server.log


def test_fragmented_message_is_reassembled(server: ServerProcess) -> None:
    with open_websocket(server) as socket:
        socket.send(iter(['{"op": "call_', 'service", "service": ', '"rosapi/services"}']))
        assert json.loads(socket.recv(TIMEOUT))["result"] is True


def test_oversized_message_closes_the_websocket_with_a_reason(server: ServerProcess) -> None:
    with open_websocket(server, max_size=None) as socket:
        socket.send("x" * 300_000)
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(TIMEOUT)
    assert not_none(closed.value.rcvd).code == 1009
    assert "65536" in not_none(closed.value.rcvd).reason
    with open_websocket(server) as socket:  # other connections are not affected
        assert call(socket, "rosapi/services")["result"] is True


def test_request_with_foreign_origin_is_rejected(server: ServerProcess) -> None:
    with (
        pytest.raises(InvalidStatus) as refused,
        open_websocket(server, origin="http://evil.example"),
    ):
        pass
    assert refused.value.response.status_code == http.HTTPStatus.FORBIDDEN
    assert b"--rosbridge-origin" in refused.value.response.body


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (None, b"Authorization: Bearer"),
        ("Bearer not-the-right-one", b"not one of the server's"),
        (f"Basic {TOKEN}", b"Authorization: Bearer"),
    ],
)
def test_connection_without_valid_token_is_rejected(
    token_server: ServerProcess, header: str | None, words: bytes
) -> None:
    headers = {"Authorization": header} if header else None
    with (
        pytest.raises(InvalidStatus) as refused,
        open_websocket(token_server, additional_headers=headers),
    ):
        pass
    assert refused.value.response.status_code == http.HTTPStatus.UNAUTHORIZED
    assert words in refused.value.response.body


def test_token_in_header_is_accepted(token_server: ServerProcess) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    client = roslibpy.Ros("127.0.0.1", token_server.ports["rosbridge"], headers=headers)
    client.run(timeout=TIMEOUT)
    try:
        success, message = trigger(client, "own/path_plan")
        assert not success
        assert "has no goal" in message
        assert "--goal own:X,Y" in message
    finally:
        client.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--goal", "1,2"], "--goal needs --rosbridge"),
        (["--rosbridge", "0", "--goal", "own:1"], "2 numbers"),
        (["--rosbridge", "0", "--goal", "onw:1,2"], "did you mean 'own'"),
        (["--rosbridge", "0", "--plan", "planner=PMR"], "did you mean 'PRM'"),
        (["--rosbridge", "0", "--plan", "trails=2"], "did you mean 'trials'"),
        (["--rosbridge", "0", "--plan", "trials=two"], "trials=2"),
        (["--rosbridge", "70000"], "must be from 0"),
    ],
)
def test_invalid_options_are_rejected(tmp_path: Path, options: list[str], words: str) -> None:
    (world := tmp_path / "yard.yaml").write_text(WORLD)
    message = error_line(grouser("serve", world, *CONTROL_ONLY, "--port", "0", *options))
    assert words in message
