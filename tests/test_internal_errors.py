"""An internal error in a request costs at most that connection; everything else stays as it is.

An exception is raised at one place of the real request handlers while one client is served. Physics
and the bytes that another client receives must be the same as if the client had closed its
connection at that moment.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from support.fuzzing.memory_client import MemoryClient
from support.fuzzing.run import FaultLog, SocketlessServer, fuzzed_server, run_in_virtual_time

from grouser.gateways.can.bus import CanBus
from grouser.gateways.can.can_socket import CanSocket
from grouser.gateways.can.motor_drivers import MotorDrivers
from grouser.gateways.ros_graph.live_topics import LiveTopics
from grouser.gateways.ros_graph.robot_commands import RobotCommander
from grouser.gateways.rosbridge import encoding, rosbridge_socket
from grouser.gateways.rosbridge.rosbridge_socket import RosbridgeSession
from grouser.gateways.usarsim import session as session_module
from grouser.gateways.usarsim import settings
from grouser.gateways.usarsim.client_writer import ClientWriter
from grouser.gateways.usarsim.robot_adapter import RobotAdapter
from grouser.gateways.usarsim.session import Session
from grouser.gateways.usarsim.truth_port import TruthSocket
from grouser.gateways.usarsim.world_controller import WorldControllers
from grouser.protocol.usarsim.codec import ServerSide
from grouser.service.access import Login
from grouser.service.console import Console
from grouser.service.host import Host
from grouser.service.membership import Membership
from grouser.service.participant import Participant
from grouser.simulation.simulation import Simulation

ROBOT = "INIT {ClassName USARBot.P2DX} {Name Victim} {Location -2,-2,0}"
CONTROLLER = "INIT {ClassName USARBotAPI.WorldController}"
CREATE = "CONTROL {Type Create} {ClassName Box} {Name thing0} {Location 2,2,-1}"
FRAME = "< send 100 8 00 00 00 00 00 00 00 00 >"
TURNS = 4
EVERY = 0.1


class InjectedFault(Exception):
    """Stands for any internal error."""


@dataclass(frozen=True)
class Place:
    """One place of the request handlers."""

    owner: Any
    """Class or module."""
    name: str
    """Its function."""
    line: str
    """Line of the client that leads there; empty: the passing of time does."""
    setup: tuple[str, ...] = (ROBOT,)
    """Earlier lines of the client."""
    port: str = "control"
    mine: Callable[[Any, MemoryClient], bool] = field(default=lambda first, client: True)
    """Return True if a call with this first argument serves the client."""
    after: bool = False
    """Raise after the original function has returned."""

    def __str__(self) -> str:
        where = getattr(self.owner, "__name__", "").rpartition(".")[2]
        return f"{where}.{self.name}{' (after)' if self.after else ''}"


def of_session(first: Any, client: MemoryClient) -> bool:
    """Return True for the session of the client and its parts."""
    session: Any = getattr(client.connection, "session", None)
    return session is not None and first in (session, session._writer, session.participant)


def of_connection(first: Any, client: MemoryClient) -> bool:
    return first is client.connection


TURN = "LOCKSTEP {Every 0.1}"
CMD_VEL = '{"op": "publish", "topic": "/own/cmd_vel", "msg": {}}'
SUBSCRIBE = '{"op": "subscribe", "topic": "/tf_static"}'
REQUESTS = (
    Place(Session, "_init", ROBOT, ()),
    Place(Session, "_init", ROBOT, (), after=True),
    Place(Host, "join", ROBOT, ()),
    Place(Host, "join", ROBOT, (), after=True),
    Place(Membership, "arrive", ROBOT, (), after=True),
    Place(Participant, "join", ROBOT, (), after=True),
    Place(Session, "_move", "DRIVE {Left 1} {Right 1}"),
    Place(RobotAdapter, "command", "DRIVE {Left 1} {Right 1}"),
    Place(Simulation, "apply", "DRIVE {Left 1} {Right 1}"),
    Place(settings, "apply", "SET {Type Odometry} {Opcode RESET}"),
    Place(Session, "_set", "SET {Type Odometry} {Opcode RATE} {Params 5}"),
    Place(session_module, "geometry", "GETGEO {Type Robot}"),
    Place(session_module, "configuration", "GETCONF {Type Robot}"),
    Place(session_module, "start_poses", "GETSTARTPOSES"),
    Place(Login, "show", "LOGIN {Token x}"),
    Place(ServerSide, "receive", "GETSTARTPOSES"),
    Place(ServerSide, "send", "GETSTARTPOSES"),
    Place(Host, "enter_lockstep", TURN),
    Place(Host, "transmit", "RADIO {Data aGVsbG8=}"),
    Place(Console, "execute", "CONSOLE {Line list robots}"),
    Place(WorldControllers, "execute", CREATE, (CONTROLLER,)),
    Place(Membership, "change", CREATE, (CONTROLLER,)),
    Place(
        WorldControllers, "_set_pose", "CONTROL {Type RelMove} {Name thing0}", (CONTROLLER, CREATE)
    ),
    Place(Participant, "defer", "DRIVE {Left 1} {Right 1}", (ROBOT, TURN)),
    Place(TruthSocket, "_answer", "", (), "truth", of_connection),
    Place(CanSocket, "_apply", FRAME, ("< open can0 >",), "can", of_connection),
    Place(CanBus, "flush", FRAME, ("< open can0 >",), "can"),
    Place(MotorDrivers, "on_frame", FRAME, ("< open can0 >",), "can"),
    Place(RosbridgeSession, "receive", "{}", (), "rosbridge"),
    Place(rosbridge_socket, "read_request", "{}", (), "rosbridge"),
    Place(rosbridge_socket, "from_json", CMD_VEL, (), "rosbridge"),
    Place(RobotCommander, "__init__", CMD_VEL, (), "rosbridge"),
    Place(LiveTopics, "subscribe", SUBSCRIBE, (), "rosbridge"),
    Place(encoding, "_text", SUBSCRIBE, (), "rosbridge"),
)
CALLBACKS = (
    Place(ClientWriter, "send_readings", "", (ROBOT,), mine=of_session),
    Place(ClientWriter, "send_state", "", (ROBOT,), mine=of_session),
    Place(ClientWriter, "send_turn", "", (ROBOT, TURN), mine=of_session),
    Place(ClientWriter, "send_radio", "", (ROBOT,), mine=of_session),
    Place(Participant, "time_passed", "", (ROBOT,), mine=of_session),
    Place(Participant, "begin_turn", "", (ROBOT, TURN), mine=of_session),
    Place(Participant, "execute_deferred", "", (ROBOT, TURN), mine=of_session),
)


class Scenario:
    """A client in lockstep, and one whose request or callback fails once."""

    def __init__(self, place: Place, patch: pytest.MonkeyPatch, *, fault: bool) -> None:
        self.place, self._patch, self._fault = place, patch, fault
        self._armed = False
        self.faults = 0
        self.lost = False
        self.result: tuple[str, bytes, float] = "", b"", 0.0

    async def run(self, log: FaultLog) -> None:
        async with fuzzed_server("max") as server:
            running = asyncio.get_running_loop().create_task(server.run())
            other = server.connect("control", "127.0.0.5")
            other.send("INIT {ClassName USARBot.P3AT} {Name Other} {Location 2,-2,0}")
            other.send(f"LOCKSTEP {{Every {EVERY}}}")
            client = server.connect(self.place.port, "127.0.0.6")
            for line in self.place.setup:
                client.send(line)
            await self._turn(server, other, client)
            self._replace(client)
            await self._fail(client)
            for _ in range(TURNS):
                await self._turn(server, other, client)
            self.lost = client.lost
            self.result = server.host.simulation.fingerprint(), other.received, server.host.time
            assert not running.done()
            assert set(server.host.owners) == {"Other", "kenaf"}
            assert server.registry.connections == {other.connection}
            server.stop()
            await running

    async def _turn(
        self, server: SocketlessServer, other: MemoryClient, client: MemoryClient
    ) -> None:
        """Let the other client drive for one turn; the client ends its turn."""
        begin = server.host.time
        other.send("DRIVE {Left 2} {Right 1}")
        other.send("RADIO {Data aGVsbG8=}")
        other.send("STEP")
        if TURN in self.place.setup and not client.lost:
            client.send("STEP")
        for _ in range(1000):
            await asyncio.sleep(0.001)
            if server.host.time >= begin + EVERY - 1e-9:
                return
        raise AssertionError("time stands still")

    async def _fail(self, client: MemoryClient) -> None:
        """Send the line that fails; in the reference run close the connection instead."""
        self._armed = self._fault or self.place in CALLBACKS
        if not self._armed:
            client.close()
        elif self.place not in CALLBACKS:
            client.send(self.place.line)
        await asyncio.sleep(0.001)

    def _replace(self, client: MemoryClient) -> None:
        """Let the function at the place fail once."""
        place, original = self.place, getattr(self.place.owner, self.place.name)

        def replacement(*args: Any, **kwargs: Any) -> Any:
            if not (self._armed and place.mine(args[0] if args else None, client)):
                return original(*args, **kwargs)
            self._armed, self.faults = False, self.faults + 1
            if place.after:
                original(*args, **kwargs)
            if self._fault:
                raise InjectedFault
            session: Any = client.connection.session  # type: ignore[attr-defined]
            session.participant.leave()
            client.close()
            return None

        self._patch.setattr(place.owner, place.name, replacement)


def run(place: Place, *, fault: bool) -> tuple[Scenario, FaultLog]:
    with pytest.MonkeyPatch.context() as patch:
        scenario = Scenario(place, patch, fault=fault)
        return scenario, run_in_virtual_time(scenario.run)


@pytest.mark.parametrize("place", [*REQUESTS, *CALLBACKS], ids=str)
def test_internal_error_costs_one_connection_and_changes_nothing_for_others(place: Place) -> None:
    failed, log = run(place, fault=True)
    closed, _ = run(place, fault=False)
    assert failed.faults == 1
    assert [finding.where.partition(" at ")[0] for finding in log.findings] == ["InjectedFault"]
    assert failed.lost
    assert failed.result == closed.result
