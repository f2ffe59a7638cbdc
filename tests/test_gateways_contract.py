"""Contract of all gateways that command robots, over sockets and through the host."""

import asyncio
import contextlib
import itertools
import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Self, TypeVar

import pytest
from support.client_helpers import instance_of
from support.page_client import PageClient
from support.server_fixtures import TIMEOUT, wait_until
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from grouser.errors import BadValue
from grouser.gateways import Server, ServerOptions
from grouser.gateways.can.gateway import CanGateway
from grouser.gateways.foxglove.gateway import FoxgloveGateway
from grouser.gateways.gateway import GATEWAYS, Gateway, describe_gateway
from grouser.gateways.page.gateway import PageGateway
from grouser.gateways.rosbridge.gateway import RosbridgeGateway
from grouser.gateways.urbi.gateway import UrbiGateway
from grouser.gateways.usarsim import PortProfile, UsarsimGateway
from grouser.protocol import foxglove
from grouser.protocol.can.messages import BeltSpeeds
from grouser.protocol.can.socketcand import (
    RAW_MODE,
    BusAnswer,
    MessageSplitter,
    encode_open,
    encode_send,
    read_answer,
)
from grouser.protocol.lines import Fault
from grouser.protocol.page.messages import Drive, Take
from grouser.protocol.usarsim.codec import ClientSide
from grouser.protocol.usarsim.dialects import UT2004
from grouser.protocol.usarsim.extensions import Notice
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.sensor_messages import Odometry
from grouser.service.access import Role, Token
from grouser.service.host import Host
from grouser.service.rate_limiter import Limits
from grouser.simulation.simulation import Simulation
from grouser.trials.plan import PlanSettings
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

WITHOUT_COMMANDS = ("truth", "images", "render_workers", "vrpn")
"""Gateways whose clients do not command robots; each other one needs a client in `CLIENTS`."""
WITHOUT_CONNECTIONS = ("ros2", "game_controller")
"""Gateways whose clients are not connections of the server (`tests/test_ros2.py`,
`tests/test_game_controller.py`)."""
ADDING = ("usarsim",)
"""Gateways whose clients add robots; others use those of the world."""
OWN = "resident"
"""Name of the robot of the world."""
DRIVER = Token("may-drive-robots", frozenset({Role.DRIVE}))
WATCHER = Token("may-only-look-on", frozenset({Role.WATCH}))


Kind = TypeVar("Kind", bound=Message)


class UsarsimClient:
    """Client of the USARSim gateway that adds a P2DX, or takes over that of the world."""

    gateway = UsarsimGateway(ports=((0, PortProfile()),))
    port = "control"

    def __init__(self, server: "LiveServer", name: str, *, token: Token | None = None) -> None:
        self._socket = socket.create_connection(("127.0.0.1", server.ports[self.port]), TIMEOUT)
        server.closing.callback(self._socket.close)
        self._side = ClientSide(UT2004)
        login = f" {{Token {token.secret}}}" if token else ""
        self._send(f"INIT {{ClassName USARBot.P2DX}} {{Name {name}}} {{Location 0,0,0}}{login}")

    def drive(self) -> None:
        self._send("DRIVE {Left 3.0} {Right 3.0}")

    def travelled(self) -> float:
        """Return the forward distance (m) of the next odometry reading."""
        return float(self._next(Odometry).pose[0])

    def enter(self) -> None:
        """Check that the client was admitted."""
        self.travelled()

    def refusal(self) -> str:
        """Return the reason of the refusal."""
        return str(self._next(Notice).text)

    def break_connection(self) -> None:
        """Break the connection without closing it."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def _send(self, line: str) -> None:
        self._socket.sendall(f"{line}\r\n".encode())

    def _next(self, kind: type[Kind]) -> Kind:
        while True:
            data = self._socket.recv(65536)
            assert data, "the server closed the connection"
            for message in self._side.receive(data):
                if isinstance(message, kind):
                    return message


class RosbridgeClient:
    """Client of the rosbridge gateway that lets the server drive a robot of the world."""

    gateway = RosbridgeGateway(
        port=0, goals=((OWN, (3.0, 3.0)),), settings=PlanSettings(candidates=1, trials=1, rounds=1)
    )
    port = "rosbridge"

    def __init__(self, server: "LiveServer", name: str, *, token: Token | None = None) -> None:
        self._robot, self._refusal = name, None
        header = {"Authorization": f"Bearer {token.secret}"} if token else None
        try:
            self._socket = server.closing.enter_context(
                connect(
                    f"ws://127.0.0.1:{server.ports[self.port]}",
                    additional_headers=header,
                    open_timeout=TIMEOUT,
                )
            )
        except InvalidStatus as error:
            self._refusal = error.response.body.decode()

    def drive(self) -> None:
        assert self._call("path_plan")["values"]["success"]
        self._send("drive")

    def enter(self) -> None:
        """Check that the client was admitted."""
        assert self._call("reset_pose")["values"]["success"]

    def refusal(self) -> str:
        """Return the reason of the refusal to connect or to drive."""
        return self._refusal or self._call("drive")["values"]

    def break_connection(self) -> None:
        """Break the connection without closing it."""
        self._socket.socket.shutdown(socket.SHUT_RDWR)

    def _call(self, service: str) -> dict[str, Any]:
        self._send(service)
        result: dict[str, Any] = json.loads(self._socket.recv(TIMEOUT))
        return result

    def _send(self, service: str) -> None:
        self._socket.send(json.dumps({"op": "call_service", "service": f"{self._robot}/{service}"}))


class FoxgloveClient:
    """Client of the Foxglove gateway that commands a robot of the world."""

    gateway = FoxgloveGateway(port=0)
    port = "foxglove"

    def __init__(self, server: "LiveServer", name: str, *, token: Token | None = None) -> None:
        self._robot, self._refusal = name, None
        header = {"Authorization": f"Bearer {token.secret}"} if token else None
        try:
            self._socket = server.closing.enter_context(
                connect(
                    f"ws://127.0.0.1:{server.ports[self.port]}",
                    subprotocols=[Subprotocol(foxglove.SUBPROTOCOLS[0])],
                    additional_headers=header,
                    open_timeout=TIMEOUT,
                )
            )
        except InvalidStatus as error:
            self._refusal = error.response.body.decode()

    def drive(self) -> None:
        channel = {"id": 1, "topic": f"/{self._robot}/cmd_vel", "encoding": "json"}
        channel |= {"schemaName": "geometry_msgs/msg/Twist"}
        self._socket.send(json.dumps({"op": "advertise", "channels": [channel]}))
        self._socket.send(b"\1" + struct.pack("<I", 1) + b'{"linear": {"x": 0.4}}')

    def enter(self) -> None:
        """Check that the client was admitted."""
        assert json.loads(self._socket.recv(TIMEOUT))["op"] == "serverInfo"

    def refusal(self) -> str:
        """Return the reason of the refusal to connect or to drive."""
        if self._refusal is None:
            self.drive()
            while (
                not isinstance(data := self._socket.recv(TIMEOUT), str)
                or (message := json.loads(data))["op"] != "status"
            ):
                pass
            self._refusal = message["message"]
        return self._refusal

    def break_connection(self) -> None:
        """Break the connection without closing it."""
        self._socket.socket.shutdown(socket.SHUT_RDWR)


class CanClient:
    """Controller on the bus of a Kenaf of the world, which its motor drivers own."""

    gateway = CanGateway(port=0)
    port = "can"
    kind = "kenaf"
    owners_when_gone = frozenset({OWN})

    def __init__(self, server: "LiveServer", name: str, *, token: Token | None = None) -> None:
        self._socket = socket.create_connection(("127.0.0.1", server.ports[self.port]), TIMEOUT)
        server.closing.callback(self._socket.close)
        self._splitter = MessageSplitter()
        self._socket.sendall(encode_open("can0", token.secret if token else "") + RAW_MODE)
        assert self._next() == BusAnswer("hi")

    def drive(self) -> None:
        """Command the belts until the connection closes, from a thread."""
        self.enter()
        threading.Thread(target=self._drive, daemon=True).start()

    def _drive(self) -> None:
        with contextlib.suppress(OSError):
            for counter in itertools.count():
                self._socket.sendall(encode_send(BeltSpeeds(0.3, 0.3).frame(counter)))
                time.sleep(0.02)

    def enter(self) -> None:
        """Check that the client was admitted."""
        assert self._next() == self._next() == BusAnswer("ok")

    def refusal(self) -> str:
        """Return the reason of the refusal to connect or to command."""
        if (answer := self._next()) == BusAnswer("ok"):
            assert self._next() == answer
            self._socket.sendall(encode_send(BeltSpeeds(0.3, 0.3).frame(1)))
            while not isinstance(answer, BusAnswer) or answer.word != "error":
                answer = self._next()
        assert answer.word == "error"
        return answer.reason

    def break_connection(self) -> None:
        """Break the connection without closing it."""
        self._socket.shutdown(socket.SHUT_RDWR)

    def _next(self) -> BusAnswer:
        messages: list[str | Fault] = []
        while not messages:
            data = self._socket.recv(1)
            assert data, "the server closed the connection"
            messages = self._splitter.feed(data)
        assert isinstance(messages[0], str)
        return instance_of(BusAnswer, read_answer(messages[0]))


class PageDriver:
    """Client of the browser page that drives a robot of the world."""

    gateway = PageGateway(port=0)
    port = "page"

    def __init__(self, server: "LiveServer", name: str, *, token: Token | None = None) -> None:
        self._robot = name
        secret = token.secret if token else ""
        self._client = PageClient(server.ports[self.port], "operator", secret)
        server.closing.enter_context(self._client)

    def drive(self) -> None:
        """Command the robot until the connection closes, from a thread."""
        self.enter()
        threading.Thread(target=self._drive, daemon=True).start()

    def _drive(self) -> None:
        with contextlib.suppress(ConnectionClosed, OSError):
            while True:
                self._client.send(Drive(self._robot, 1.0, 0.0))
                time.sleep(0.02)

    def enter(self) -> None:
        """Check that the client was admitted, and take the robot."""
        self._client.send(Take(self._robot))
        assert self._client.next("driving")["robots"] == [self._robot]

    def refusal(self) -> str:
        """Return the reason of the refusal."""
        return self._client.close_code()[1]

    def break_connection(self) -> None:
        """Break the connection without closing it."""
        self._client.socket.socket.shutdown(socket.SHUT_RDWR)


class UrbiClient:
    """Program of the URBI gateway that drives a robot of the world."""

    gateway = UrbiGateway(port=0, robot=OWN)
    port = f"urbi_{OWN}"

    def __init__(self, server: "LiveServer", name: str, *, token: Token | None = None) -> None:
        self._socket = socket.create_connection(("127.0.0.1", server.ports[self.port]), TIMEOUT)
        server.closing.callback(self._socket.close)
        self._lines = server.closing.enter_context(self._socket.makefile("r"))
        if token:
            self._send(f"token {token.secret};")

    def drive(self) -> None:
        self._send("left.val = 180, right.val = 180,")

    def enter(self) -> None:
        """Check that the client was admitted, and take the robot."""
        self._send("left.val = 0; a: left.val;")
        assert float(self._next("a")) == pytest.approx(0.0, abs=1.0)

    def refusal(self) -> str:
        """Return the reason of the refusal."""
        self._send("a: left.val = 0;")
        return self._next("a")

    def break_connection(self) -> None:
        """Break the connection without closing it."""
        self._socket.shutdown(socket.SHUT_RDWR)

    def _send(self, text: str) -> None:
        self._socket.sendall(text.encode())

    def _next(self, tag: str) -> str:
        """Return the text of the next message with a tag."""
        return next(line.partition("] ")[2] for line in self._lines if f":{tag}]" in line)


CLIENTS: dict[str, type[Any]] = {
    "usarsim": UsarsimClient,
    "rosbridge": RosbridgeClient,
    "foxglove": FoxgloveClient,
    "can": CanClient,
    "page": PageDriver,
    "urbi": UrbiClient,
}
"""Gateway -> client for the contract tests."""


Result = TypeVar("Result")


class LiveServer:
    """Server in a thread, as a context manager."""

    def __init__(self, *gateways: Gateway, kind: str = "p2dx", **options: Any) -> None:
        robot = RobotEntry(name=OWN, kind=kind, position=(0, 3, 0))
        ground = (Flat(friction=0.8),)
        world = World(name="yard", physics=STANDARD, terrain=ground, robots=(robot,))
        self._simulation = Simulation(world)
        self._options = ServerOptions(gateways=gateways, pictures=None, **options)
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self._ready = threading.Event()
        self.closing = ExitStack()
        """Connections to be closed at the end."""

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        async with Server(self._simulation, self._options) as self._server:
            self.ports = self._server.ports
            self._ready.set()
            await self._server.run()

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(TIMEOUT)
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.close()
        self._loop.call_soon_threadsafe(self._server.stop)
        self._thread.join(TIMEOUT)

    def query(self, question: Callable[[Host], Result]) -> Result:
        """Return ``question(host)``, evaluated in the thread of the server."""

        async def answer() -> Result:
            return question(self._server.host)

        return asyncio.run_coroutine_threadsafe(answer(), self._loop).result(TIMEOUT)

    def owners(self) -> set[str]:
        return self.query(lambda host: set(host.owners))

    def robots(self) -> set[str]:
        return self.query(lambda host: set(host.simulation.scene.robots))

    def x(self, name: str) -> float:
        return self.query(lambda host: float(host.simulation.pose(name).position[0]))

    def pass_time(self, seconds: float) -> None:
        end = self.query(lambda host: host.time) + seconds
        wait_until(lambda: self.query(lambda host: host.time) >= end)


def _kind(client: type[Any]) -> str:
    """Return the kind of the robot of the world for this client."""
    return str(getattr(client, "kind", "p2dx"))


def _owners(client: type[Any]) -> frozenset[str]:
    """Return the owned robots without a connected client: those of motor drivers."""
    owners: frozenset[str] = getattr(client, "owners_when_gone", frozenset())
    return owners


@pytest.fixture(
    params=[name for name in GATEWAYS if name not in WITHOUT_COMMANDS + WITHOUT_CONNECTIONS]
)
def client(request: pytest.FixtureRequest) -> type[Any]:
    assert request.param in CLIENTS, "a gateway that commands robots needs a client in this table"
    return CLIENTS[request.param]


@pytest.fixture(params=ADDING)
def adding_client(request: pytest.FixtureRequest) -> type[Any]:
    return CLIENTS[request.param]


@pytest.mark.parametrize("name", GATEWAYS)
def test_every_row_names_a_gateway(name: str) -> None:
    assert isinstance(describe_gateway(name, {}, "here"), Gateway)
    with pytest.raises(BadValue, match=f"here: unknown key 'prot' in gateway '{name}'.*did you"):
        describe_gateway(name, {"prot": 1}, "here")


def test_client_joins_drives_and_receives_readings(adding_client: type[Any]) -> None:
    with LiveServer(adding_client.gateway) as server:
        robot = adding_client(server, "rover")
        before = robot.travelled()
        assert server.owners() == {"rover"}
        robot.drive()
        wait_until(lambda: robot.travelled() > before + 0.1)
        assert server.x("rover") > 0.08


def test_added_robot_is_removed_with_its_connection(adding_client: type[Any]) -> None:
    with LiveServer(adding_client.gateway) as server:
        lost, other = adding_client(server, "lost"), adding_client(server, "other")
        lost.travelled(), other.travelled()
        lost.break_connection()
        wait_until(lambda: server.robots() == {OWN, "other"})
        assert server.owners() == {"other"}
        other.travelled()  # not affected


def test_robot_of_the_world_stays_and_stops(client: type[Any]) -> None:
    with LiveServer(client.gateway, kind=_kind(client)) as server:
        robot = client(server, OWN)
        robot.drive()
        wait_until(lambda: server.x(OWN) > 0.05)
        robot.break_connection()
        wait_until(lambda: server.owners() == _owners(client))
        server.pass_time(0.5)
        stands = server.x(OWN)
        server.pass_time(0.3)
        assert server.x(OWN) == pytest.approx(stands, abs=0.002)
        assert OWN in server.robots()


def test_robot_of_a_silent_client_stops(adding_client: type[Any]) -> None:
    with LiveServer(adding_client.gateway, command_timeout=0.3) as server:
        robot = adding_client(server, "quiet")
        robot.travelled()  # joined
        robot.drive()
        wait_until(lambda: server.x("quiet") > 0.02)
        server.pass_time(1.0)
        stands = server.x("quiet")
        server.pass_time(0.3)
        assert server.x("quiet") == pytest.approx(stands, abs=0.002)
        assert server.owners() == {"quiet"}


def test_driving_needs_the_drive_role(client: type[Any]) -> None:
    with LiveServer(client.gateway, kind=_kind(client), tokens=(DRIVER, WATCHER)) as server:
        assert "token" in client(server, OWN).refusal()
        assert "'drive'" in client(server, OWN, token=WATCHER).refusal()
        assert server.owners() == _owners(client)
        client(server, OWN, token=DRIVER).enter()
        assert server.robots() == {OWN}


def test_robots_per_address_are_limited(adding_client: type[Any]) -> None:
    with LiveServer(adding_client.gateway, limits=Limits(robots_per_address=1)) as server:
        adding_client(server, "first").travelled()
        assert "no further robot" in adding_client(server, "second").refusal()
        assert server.owners() == {"first"}


def test_robots_of_all_gateways_are_counted_together() -> None:
    both, limits = (UsarsimClient.gateway, RosbridgeClient.gateway), Limits(robots_per_address=1)
    with LiveServer(*both, limits=limits) as server:
        UsarsimClient(server, "first").travelled()
        assert "limit of driven robots" in RosbridgeClient(server, OWN).refusal()
        assert server.owners() == {"first"}
