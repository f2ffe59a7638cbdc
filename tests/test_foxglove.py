"""Foxglove's websocket protocol: messages, sessions with a plain and the official client."""

import json
import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.server_fixtures import CONTROL_ONLY, TIMEOUT, ServerProcess
from support.server_world import WORLD
from support.threaded_server import ThreadedServer
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from grouser.gateways.foxglove.gateway import FoxgloveGateway
from grouser.protocol import foxglove
from grouser.ros.definitions import deserialize, message_type, serialize
from grouser.ros.messages import vector3
from grouser.service.access import Token
from grouser.world.file import load

SESSION = Path(__file__).parent / "support" / "foxglove_session.mjs"
PACKAGES = ("@foxglove/ws-protocol@0.8.0", "ws@8")
TWIST = "geometry_msgs/msg/Twist"
TOKEN = "open-sesame-12345"


def test_requests_are_read() -> None:
    read = foxglove.read_request
    text = '{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 7}]}'
    assert read(text.encode()) == foxglove.SubscribeChannels(((1, 7),))
    assert read('{"op": "unsubscribe", "subscriptionIds": [1]}') == foxglove.UnsubscribeChannels(
        (1,)
    )
    channel = {"id": 3, "topic": "/a", "schemaName": "b", "encoding": "json"}
    made = read(json.dumps({"op": "advertise", "channels": [channel]}))
    assert made == foxglove.AdvertiseChannels((foxglove.ClientChannel(3, "/a", "b", "json"),))
    assert read('{"op": "unadvertise", "channelIds": [3]}') == foxglove.UnadvertiseChannels((3,))
    assert read(b"\1\3\0\0\0{}") == foxglove.ChannelMessage(3, b"{}")
    call = b"\2" + struct.pack("<III", 4, 5, 3) + b"cdr\0"
    assert read(call) == foxglove.ChannelCall(4, 5, "cdr", b"\0")


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (b"[1]", "op is None, must be subscribe"),
        (b"{", "malformed"),
        (b"\1\1", "malformed"),
        (b"\7", "must begin with 1 or 2"),
        (b'{"op": "subscribe", "subscriptions": [{"id": -1, "channelId": 1}]}', "an id must be"),
        (b'{"op": "unadvertise", "channelIds": 3}', "must be a list"),
        (b'{"op": "advertise", "channels": [{"id": 1, "topic": 2}]}', "a name must be text"),
    ],
)
def test_malformed_requests_are_problems(message: bytes, words: str) -> None:
    found = foxglove.read_request(message)
    assert isinstance(found, foxglove.BadMessage)
    assert words in found.text


@given(st.binary(max_size=40))
def test_arbitrary_bytes_do_not_raise(message: bytes) -> None:
    foxglove.read_request(message)


class Client:
    """Plain client of the protocol."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.channels: dict[str, Any] = {}
        self.services: dict[str, int] = {}
        info = json.loads(socket.recv(TIMEOUT))
        assert (info["op"], info["supportedEncodings"]) == ("serverInfo", ["cdr", "json"])
        while not (self.channels and self.services):
            self.read()

    def read(self) -> Any:
        """Return the next message that is not the time; note announcements."""
        while isinstance(data := self.socket.recv(TIMEOUT), bytes) and data[0] == 2:
            pass
        if isinstance(data, bytes):
            return data
        message = json.loads(data)
        if message["op"] == "advertise":
            self.channels |= {each["topic"]: each for each in message["channels"]}
        elif message["op"] == "unadvertise":
            gone = message["channelIds"]
            self.channels = {k: one for k, one in self.channels.items() if one["id"] not in gone}
        elif message["op"] == "advertiseServices":
            self.services |= {each["name"]: each["id"] for each in message["services"]}
        return message

    def send(self, op: str, **content: Any) -> None:
        self.socket.send(json.dumps({"op": op, **content}))

    def subscribe(self, id_: int, topic: str) -> None:
        channel = self.channels[topic]["id"]
        self.send("subscribe", subscriptions=[{"id": id_, "channelId": channel}])

    def receive(self, id_: int, topic: str) -> Any:
        """Return the next message of a subscription."""
        while True:
            data = self.read()
            if isinstance(data, bytes) and struct.unpack_from("<I", data, 1)[0] == id_:
                return deserialize(data[13:], self.channels[topic]["schemaName"])

    def refusal(self) -> str:
        """Return the text of the next status message."""
        while isinstance(found := self.read(), bytes) or found["op"] != "status":
            pass
        text: str = found["message"]
        return text


def open_client(port: int, path: str = "", **more: Any) -> ClientConnection:
    names = [Subprotocol(name) for name in more.pop("subprotocols", foxglove.SUBPROTOCOLS[:1])]
    url = f"ws://127.0.0.1:{port}{path}"
    connection: ClientConnection = connect(url, subprotocols=names, open_timeout=TIMEOUT, **more)
    return connection


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThreadedServer]:
    (path := tmp_path_factory.mktemp("foxglove") / "yard.yaml").write_text(WORLD)
    gateway = FoxgloveGateway(port=0, origins=("https://app.foxglove.dev",))
    with ThreadedServer(load(path), gateway) as server:
        yield server


def test_client_reads_drives_and_calls(served: ThreadedServer) -> None:
    with open_client(served.server.ports["foxglove"]) as socket:
        assert socket.subprotocol == foxglove.SUBPROTOCOLS[0]
        client = Client(socket)
        assert client.channels["/own/odom"]["schema"].startswith(
            "std_msgs/Header header\nstring child"
        )
        client.subscribe(1, "/own/robot_description")
        assert client.receive(1, "/own/robot_description").data.startswith("<robot")
        client.subscribe(2, "/own/odom")
        start = client.receive(2, "/own/odom").pose.pose.position.x
        channel = {"topic": "own/cmd_vel", "schemaName": "geometry_msgs/Twist"}
        both = [{"id": n, "encoding": each, **channel} for n, each in ((5, "cdr"), (6, "json"))]
        client.send("advertise", channels=both)
        twist = message_type(TWIST)(vector3(0.4, 0, 0), vector3(0, 0, 0))
        socket.send(b"\1" + struct.pack("<I", 5) + serialize(twist))
        while (odometry := client.receive(2, "/own/odom")).pose.pose.position.x < start + 0.1:
            pass
        socket.send(b"\1" + struct.pack("<I", 6) + b'{"linear": {"x": -0.4}}')
        while client.receive(2, "/own/odom").twist.twist.linear.x > -0.1:
            pass
        client.send("unadvertise", channelIds=[5, 6])  # stops the robot, which is free again
        client.send("unsubscribe", subscriptionIds=[2])
        call = struct.pack("<BIII", 2, client.services["/own/reset_pose"], 9, 3) + b"cdr"
        socket.send(call)
        while not (isinstance(data := client.read(), bytes) and data[0] == 3):
            pass
        assert struct.unpack_from("<III", data, 1) == (client.services["/own/reset_pose"], 9, 3)
        assert data[13:16] == b"cdr"
        assert data[20] == 1  # success
        assert odometry.header.frame_id == "map"


def test_channels_follow_the_world_and_errors_are_reported(served: ThreadedServer) -> None:
    with open_client(served.server.ports["foxglove"]) as socket:
        client = Client(socket)
        for op, content, words in (
            ("subscribe", {"subscriptions": [{"id": 1, "channelId": 99999}]}, "no channel 99999"),
            ("subscribe", {"subscriptions": {}}, "must be a list"),
            ("dance", {}, "op is dance"),
            (
                "advertise",
                {"channels": [{"id": 1, "topic": "/a", "schemaName": TWIST, "encoding": "cdr"}]},
                "no command topic '/a'",
            ),
        ):
            client.send(op, **content)
            assert words in client.refusal()
        socket.send(b"\1\1\0\0\0")
        assert "no channel 1 of this client" in client.refusal()
        socket.send(struct.pack("<BIII", 2, 0, 9, 3) + b"cdr")
        assert client.read()["op"] == "serviceCallFailure"
        host = served.server.host
        served.call(lambda: host.simulation.remove("own"))
        while "/own/odom" in client.channels:
            client.read()
        served.call(host.simulation.reset)
        while "/own/odom" not in client.channels:
            client.read()


def test_foreign_pages_and_other_protocols_are_refused(served: ThreadedServer) -> None:
    port = served.server.ports["foxglove"]
    with open_client(port, origin="https://app.foxglove.dev") as socket:
        Client(socket)
    for more, status in (
        ({"origin": "https://evil.example"}, 403),
        ({"subprotocols": ["other"]}, 400),
    ):
        with pytest.raises(InvalidStatus) as refused, open_client(port, **more):
            pass
        assert refused.value.response.status_code == status


def test_token_is_in_the_query_or_the_header(tmp_path: Path) -> None:
    (path := tmp_path / "yard.yaml").write_text(WORLD)
    with ThreadedServer(load(path), FoxgloveGateway(port=0), tokens=(Token(TOKEN),)) as server:
        port = server.server.ports["foxglove"]
        for query in ("", "?token=wrong-one-12345"):
            with pytest.raises(InvalidStatus) as refused, open_client(port, f"/{query}"):
                pass
            assert refused.value.response.status_code == 401
        with open_client(port, f"/?token={TOKEN}") as socket:
            Client(socket)
        header = {"Authorization": f"Bearer {TOKEN}"}
        with open_client(port, additional_headers=header) as socket:
            Client(socket)


@pytest.mark.slow
def test_official_client_reads_and_drives(tmp_path: Path) -> None:
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("Node.js is not installed")
    words = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(tmp_path), *PACKAGES]
    done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode:
        pytest.skip(f"npm cannot install {PACKAGES}: {done.stderr.strip().splitlines()[-1:]}")
    (world := tmp_path / "yard.yaml").write_text(WORLD)
    session = shutil.copy(SESSION, tmp_path / SESSION.name)
    with ServerProcess(tmp_path, world, *CONTROL_ONLY, "--gateway", "foxglove:port=0") as server:
        url = f"ws://127.0.0.1:{server.ports['foxglove']}"
        done = subprocess.run(
            ["node", session, url], capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
        assert done.returncode == 0, done.stderr
        got = json.loads(done.stdout)
        assert got["info"]["capabilities"] == list(foxglove.CAPABILITIES)
        assert {"/own/odom", "/tf", "/clock"} <= set(got["topics"])
        assert "/own/reset_pose" in got["services"]
        assert min(got["counts"].values()) > 10
        assert got["errors"] == []
        place = server.console("where own")
        assert got["moved"] > 0.2, place
        assert got["answer"] == 1
