"""Scripted USARSim server for tests of clients: real bytes over a real socket, no physics.

It greets, records the received messages and sends the answers that a test defines.
"""

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Callable, Sequence
from typing import Any, Self

from grouser.client.connection import RemoteRobot
from grouser.protocol.usarsim import commands, extensions, setting
from grouser.protocol.usarsim.codec import ServerSide
from grouser.protocol.usarsim.commands import Greeting, StartPose, StartPoses
from grouser.protocol.usarsim.dialects import UDK, Dialect
from grouser.protocol.usarsim.drive import SkidDrive
from grouser.protocol.usarsim.extensions import (
    ConsoleAnswer,
    Lockstep,
    Notice,
    RadioMessage,
    Step,
    Tick,
)
from grouser.protocol.usarsim.geo_conf import RobotGeometry, SensorConfiguration, SensorSettings
from grouser.protocol.usarsim.message import Message, UnknownMessage
from grouser.protocol.usarsim.sensor_messages import Odometry
from grouser.protocol.usarsim.setting import Response, Result
from grouser.protocol.usarsim.state import State

Answers = Callable[[Any], Sequence[Message | None]]
"""Returns the answers to a received message; None closes the connection."""


class ScriptedServer:
    """Server in a thread of its own, as a context manager.

    Args:
        answers: answers to each received message.
        dialect: dialect of sent messages.
        greets: True to send the greeting.
        context: for TLS.
    """

    def __init__(
        self,
        answers: Answers,
        dialect: Dialect = UDK,
        greets: bool = True,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.answers = answers
        self.dialect = dialect
        self.greets = greets
        self.context = context
        self.received: list[Any] = []
        """Messages and faults."""
        self.left = threading.Event()
        """Set when a client has closed its connection."""
        self.port = 0

    def __enter__(self) -> Self:
        started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(started)))
        self._thread.start()
        assert started.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        assert not self._thread.is_alive()

    async def _serve(self, started: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._open: set[asyncio.StreamWriter] = set()
        server = await asyncio.start_server(self._client, "127.0.0.1", 0, ssl=self.context)
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        await self._stop.wait()
        server.close()
        for writer in self._open:
            writer.close()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        side = ServerSide(self.dialect)
        self._open.add(writer)
        with contextlib.suppress(OSError):
            if self.greets:
                self._send(writer, side, Greeting(level="peer"))
            while data := await reader.read(65536):
                for message in side.receive(data):
                    self.received.append(message)
                    for answer in self.answers(message):
                        if answer is None:
                            writer.close()
                            return
                        self._send(writer, side, answer)
        self.left.set()
        writer.close()

    def _send(self, writer: asyncio.StreamWriter, side: ServerSide, message: Message) -> None:
        for line in side.send(message):
            writer.write(line)


STATE = State(type="GroundVehicle", time=1.5)
POSES = (StartPose("Point1", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),)


def answer_as_one_robot(message: Any) -> Sequence[Message | None]:
    """Return the answers of a server with one robot."""
    match message:
        case commands.Init(class_name="USARBot.P3AT"):
            return [STATE, Odometry(1.5, "Odometry", (0.0, 0.0, 0.0))]
        case commands.Init(class_name="USARBot.Nobody"):
            return [Notice("Refused", "there is no robot 'Nobody'")]
        case SkidDrive(left=speed) if speed is not None:
            return [Odometry(1.6, "Odometry", (speed, 0.0, 0.0))]
        case commands.GetStartPoses():
            return [StartPoses(POSES)]
        case commands.GetGeometry(type="Robot"):
            return [RobotGeometry("GroundVehicle", "P3AT", (0.5, 0.4, 0.2))]
        case commands.GetConfiguration(type="Camera"):
            return [SensorConfiguration("Camera", (SensorSettings("Camera", (("Fov", 1),)),))]
        case extensions.ConsoleLine(line="open door"):
            return [ConsoleAnswer("the door is open")]
        case extensions.ConsoleLine():
            return [ConsoleAnswer("there is no 'dor'", failed=True)]
        case extensions.Transmit():
            return [RadioMessage("fido", message.data[::-1], -61.2)]
        case setting.ResetSensor():
            return [Response(2.0, "Odometry", (Result("Name", "Odometry"),))]
        case Lockstep(every=every) if every > 0:
            return [STATE, Tick(2.0)]
        case Step():
            return [Odometry(2.1, "Odometry", (1.0, 0.0, 0.0)), Tick(2.1)]
        case UnknownMessage(word="CRASH"):
            return [None]
    return []


def wait_for_odometry(robot: RemoteRobot, speed: float) -> bool:
    """Wait until the odometry is ``speed``; the first reading may still be on its way."""
    while True:
        reading = robot.reading("odometry", timeout=5)
        assert isinstance(reading, Odometry)
        if reading.pose == (speed, 0.0, 0.0):
            return True
