"""What every gateway that commands robots must do, over real sockets and through the host."""

import asyncio
import contextlib
import itertools
import json
import socket
import struct
import threading
import time
from contextlib import ExitStack

import pytest
from support.server_fixtures import PATIENCE, until
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from grouser.gateways import Server, ServerOptions
from grouser.gateways.can.gateway import CanGateway
from grouser.gateways.gateway import GATEWAYS
from grouser.gateways.rosbridge.gateway import RosbridgeGateway
from grouser.gateways.usarsim import PortProfile, UsarsimGateway
from grouser.protocol.can.messages import BeltSpeeds
from grouser.protocol.can.socketcand import (
    RAW_MODE,
    BusAnswer,
    MessageSplitter,
    encode_open,
    encode_send,
    read_answer,
)
from grouser.protocol.usarsim.codec import ClientSide
from grouser.protocol.usarsim.dialects import UT2004
from grouser.protocol.usarsim.extensions import Notice
from grouser.protocol.usarsim.sensor_messages import Odometry
from grouser.service.access import Role, Token
from grouser.service.rate_limiter import Limits
from grouser.simulation.simulation import Simulation
from grouser.trials.plan import PlanSettings
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.kinds import Flat

COMMANDING = [name for name, row in GATEWAYS.items() if row.commands_robots]
BRINGING = [name for name in COMMANDING if GATEWAYS[name].adds_robots]
OWN = "resident"
"""A robot of the world's own."""
DRIVER = Token("may-drive-robots", frozenset({Role.DRIVE}))
WATCHER = Token("may-only-look-on", frozenset({Role.WATCH}))


class UsarsimClient:
    """A client of the USARSim gateway that brings a P2DX, or takes over the world's own."""

    gateway = UsarsimGateway(((0, PortProfile()),))
    port = "control"

    def __init__(self, server, name, *, token=None):
        self._socket = socket.create_connection(("127.0.0.1", server.ports[self.port]), PATIENCE)
        server.closing.callback(self._socket.close)
        self._side = ClientSide(UT2004)
        login = f" {{Token {token.secret}}}" if token else ""
        self._send(f"INIT {{ClassName USARBot.P2DX}} {{Name {name}}} {{Location 0,0,0}}{login}")

    def drive(self):
        self._send("DRIVE {Left 3.0} {Right 3.0}")

    def travelled(self):
        """Return how far ahead (m) the next reading of the robot's own odometry says it is."""
        return self._next(Odometry).pose[0]

    def enter(self):
        """Make sure that it was let in."""
        self.travelled()

    def refusal(self):
        """Return why the server would not let it in."""
        return self._next(Notice).text

    def vanish(self):
        """Let the connection break, without a goodbye."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def _send(self, line):
        self._socket.sendall(f"{line}\r\n".encode())

    def _next(self, kind):
        while True:
            data = self._socket.recv(65536)
            assert data, "the server has hung up"
            for message in self._side.receive(data):
                if isinstance(message, kind):
                    return message


class RosbridgeClient:
    """A client of the rosbridge gateway that has one of the world's own driven."""

    gateway = RosbridgeGateway(
        0,
        goals=((OWN, (3.0, 3.0)),),
        settings=PlanSettings(candidates=1, trials=1, rounds=1),
    )
    port = "rosbridge"

    def __init__(self, server, name, *, token=None):
        self._robot, self._refusal = name, None
        header = {"Authorization": f"Bearer {token.secret}"} if token else None
        try:
            self._socket = server.closing.enter_context(
                connect(
                    f"ws://127.0.0.1:{server.ports[self.port]}",
                    additional_headers=header,
                    open_timeout=PATIENCE,
                )
            )
        except InvalidStatus as error:
            self._refusal = error.response.body.decode()

    def drive(self):
        assert self._call("path_plan")["values"]["success"]
        self._send("drive")

    def enter(self):
        """Make sure that it was let in."""
        assert self._call("reset_pose")["values"]["success"]

    def refusal(self):
        """Return why the server would not let it in, or not drive its robot."""
        return self._refusal or self._call("drive")["values"]

    def vanish(self):
        """Let the connection break, without a goodbye."""
        self._socket.socket.shutdown(socket.SHUT_RDWR)

    def _call(self, service):
        self._send(service)
        return json.loads(self._socket.recv(PATIENCE))

    def _send(self, service):
        self._socket.send(json.dumps({"op": "call_service", "service": f"{self._robot}/{service}"}))


class CanClient:
    """A controller on the bus of the world's own Kenaf, whose motor drivers own it."""

    gateway = CanGateway(0)
    port = "can"
    kind = "kenaf"
    owners_when_gone = frozenset({OWN})

    def __init__(self, server, name, *, token=None):
        self._socket = socket.create_connection(("127.0.0.1", server.ports[self.port]), PATIENCE)
        server.closing.callback(self._socket.close)
        self._splitter = MessageSplitter()
        self._socket.sendall(encode_open("can0", token.secret if token else "") + RAW_MODE)
        assert self._next() == BusAnswer("hi")

    def drive(self):
        """Command the belts for as long as the connection lasts, from a thread."""
        self.enter()
        threading.Thread(target=self._drive, daemon=True).start()

    def _drive(self):
        with contextlib.suppress(OSError):
            for counter in itertools.count():
                self._socket.sendall(encode_send(BeltSpeeds(0.3, 0.3).frame(counter)))
                time.sleep(0.02)

    def enter(self):
        """Make sure that it was let in."""
        assert self._next() == self._next() == BusAnswer("ok")

    def refusal(self):
        """Return why the server would not let it in, or not let it command."""
        if (answer := self._next()) == BusAnswer("ok"):
            assert self._next() == answer
            self._socket.sendall(encode_send(BeltSpeeds(0.3, 0.3).frame(1)))
            while not isinstance(answer, BusAnswer) or answer.word != "error":
                answer = self._next()
        assert answer.word == "error"
        return answer.reason

    def vanish(self):
        """Let the connection break, without a goodbye."""
        self._socket.shutdown(socket.SHUT_RDWR)

    def _next(self):
        messages = []
        while not messages:
            data = self._socket.recv(1)
            assert data, "the server has hung up"
            messages = self._splitter.feed(data)
        return read_answer(messages[0])


CLIENTS = {"usarsim": UsarsimClient, "rosbridge": RosbridgeClient, "can": CanClient}
"""Gateway → how the contract's tests speak to it."""


class Live:
    """A server in a thread of its own, in a ``with`` block."""

    def __init__(self, *gateways, kind="p2dx", **options):
        robot = RobotEntry(name=OWN, kind=kind, position=(0, 3, 0))
        ground = (Flat(friction=0.8),)
        world = World(name="yard", physics=STANDARD, terrain=ground, robots=(robot,))
        self._simulation = Simulation(world)
        self._options = ServerOptions(gateways=gateways, pictures=None, **options)
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self._ready = threading.Event()
        self.closing = ExitStack()
        """What clients leave to be closed."""

    async def _serve(self):
        self._loop = asyncio.get_running_loop()
        async with Server(self._simulation, self._options) as self._server:
            self.ports = self._server.ports
            self._ready.set()
            await self._server.run()

    def __enter__(self):
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        return self

    def __exit__(self, *_):
        self.closing.close()
        self._loop.call_soon_threadsafe(self._server.stop)
        self._thread.join(PATIENCE)

    def ask(self, question):
        """Return what ``question`` says of the host, asked in the server's own thread."""

        async def answer():
            return question(self._server.host)

        return asyncio.run_coroutine_threadsafe(answer(), self._loop).result(PATIENCE)

    def owners(self):
        return self.ask(lambda host: set(host.owners))

    def robots(self):
        return self.ask(lambda host: set(host.simulation.scene.robots))

    def x(self, name):
        return self.ask(lambda host: float(host.simulation.pose(name).position[0]))

    def pass_time(self, seconds):
        end = self.ask(lambda host: host.time) + seconds
        until(lambda: self.ask(lambda host: host.time) >= end)


def _kind(client):
    """Return which robot the world has for this kind of client."""
    return getattr(client, "kind", "p2dx")


def _owners(client):
    """Return whose robots have an owner while no client is there: motor drivers always are."""
    return getattr(client, "owners_when_gone", set())


@pytest.fixture(params=COMMANDING)
def client(request):
    assert request.param in CLIENTS, "a gateway that commands robots needs a client here"
    return CLIENTS[request.param]


@pytest.fixture(params=BRINGING)
def bringer(request):
    return CLIENTS[request.param]


@pytest.mark.parametrize("name", GATEWAYS)
def test_every_row_names_a_gateway_that_can_be_described(name):
    assert callable(GATEWAYS[name].load()().endpoints)


def test_a_client_joins_drives_and_reads_its_sensors(bringer):
    with Live(bringer.gateway) as server:
        robot = bringer(server, "rover")
        before = robot.travelled()
        assert server.owners() == {"rover"}
        robot.drive()
        until(lambda: robot.travelled() > before + 0.1)
        assert server.x("rover") > 0.08


def test_a_robot_that_was_brought_leaves_with_its_connection(bringer):
    with Live(bringer.gateway) as server:
        lost, other = bringer(server, "lost"), bringer(server, "other")
        lost.travelled(), other.travelled()
        lost.vanish()
        until(lambda: server.robots() == {OWN, "other"})
        assert server.owners() == {"other"}
        other.travelled()  # nobody else notices


def test_a_robot_of_the_worlds_own_stays_and_halts(client):
    with Live(client.gateway, kind=_kind(client)) as server:
        robot = client(server, OWN)
        robot.drive()
        until(lambda: server.x(OWN) > 0.05)
        robot.vanish()
        until(lambda: server.owners() == _owners(client))
        server.pass_time(0.5)
        stands = server.x(OWN)
        server.pass_time(0.3)
        assert server.x(OWN) == pytest.approx(stands, abs=0.002)
        assert OWN in server.robots()


def test_the_robot_of_a_silent_client_halts(bringer):
    with Live(bringer.gateway, command_timeout=0.3) as server:
        robot = bringer(server, "quiet")
        robot.travelled()  # it is there
        robot.drive()
        until(lambda: server.x("quiet") > 0.02)
        server.pass_time(1.0)
        stands = server.x("quiet")
        server.pass_time(0.3)
        assert server.x("quiet") == pytest.approx(stands, abs=0.002)
        assert server.owners() == {"quiet"}


def test_roles_are_the_hosts(client):
    with Live(client.gateway, kind=_kind(client), tokens=(DRIVER, WATCHER)) as server:
        assert "token" in client(server, OWN).refusal()
        assert "'drive'" in client(server, OWN, token=WATCHER).refusal()
        assert server.owners() == _owners(client)
        client(server, OWN, token=DRIVER).enter()
        assert server.robots() == {OWN}


def test_no_more_robots_than_a_machine_may_have(bringer):
    with Live(bringer.gateway, limits=Limits(robots_per_address=1)) as server:
        bringer(server, "first").travelled()
        assert "no further robot" in bringer(server, "second").refusal()
        assert server.owners() == {"first"}


def test_robots_of_all_gateways_count():
    both, limits = (UsarsimClient.gateway, RosbridgeClient.gateway), Limits(robots_per_address=1)
    with Live(*both, limits=limits) as server:
        UsarsimClient(server, "first").travelled()
        assert "no further robot" in RosbridgeClient(server, OWN).refusal()
        assert server.owners() == {"first"}
