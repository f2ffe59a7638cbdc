"""The two ends of a control connection (port 3000).

Make an end, feed it the bytes that came, get messages; give it messages, get the bytes to send::

    server = ServerSide(UT2004)
    for command in server.receive(data):    # messages, and a Fault for what was none
        ...
    for line in server.send(state):         # one write per line: old clients depend on it
        ...

`ClientSide` is the same from the far side. Neither raises for what it receives. Both understand the
lines of every dialect; the dialect decides how lines are written and what some commands mean.
"""

from __future__ import annotations

from collections.abc import Callable

from grouser.errors import BadValue
from grouser.protocol.lines import ENCODING, END, Fault, LineReader
from grouser.protocol.usarsim import (
    commands,
    extensions,
    sensor_messages,
)
from grouser.protocol.usarsim.commands import read_nfo
from grouser.protocol.usarsim.control import read_control
from grouser.protocol.usarsim.dialects import Dialect
from grouser.protocol.usarsim.drive import MultiDrive, read_drive
from grouser.protocol.usarsim.geo_conf import read_configuration, read_geometry
from grouser.protocol.usarsim.message import Message, UnknownMessage
from grouser.protocol.usarsim.package import EffectorState, MovePackage, PackageState
from grouser.protocol.usarsim.segments import ParsedLine, parse
from grouser.protocol.usarsim.setting import Response, read_set
from grouser.protocol.usarsim.state import read_state

PORT = 3000

LONGEST_COMMAND = 16 * 1024
"""Bytes of a line that a client may send."""
LONGEST_MESSAGE = 1024 * 1024
"""Bytes of a line that a server may send: a range image is long."""

Reader = Callable[[ParsedLine, Dialect], Message]

COMMANDS: dict[str, Reader] = {
    "INIT": commands.Init.read,
    "LOGIN": commands.Login.read,
    "DRIVE": read_drive,
    "MULTIDRIVE": MultiDrive.read,
    "SET": read_set,
    "MISPKG": MovePackage.read,
    "ACT": MovePackage.read,
    "GETSTARTPOSES": commands.GetStartPoses.read,
    "GETGEO": commands.GetGeometry.read,
    "GETCONF": commands.GetConfiguration.read,
    "TRACE": commands.Trace.read,
    "CONTROL": read_control,
    "GETPATHNODES": commands.GetPathNodes.read,
    "GETCLOSESTPATHNODE": commands.GetClosestPathNode.read,
    "LOCKSTEP": extensions.Lockstep.read,
    "STEP": extensions.Step.read,
    "KICK": extensions.Kick.read,
    "CONSOLE": extensions.ConsoleLine.read,
    "RADIO": extensions.Transmit.read,
}
"""Head of a client's line → how it is read."""

SENSORS: dict[str, Reader] = {
    **{
        cls.type.lower(): cls.read
        for cls in (
            sensor_messages.GroundTruth,
            sensor_messages.Ins,
            sensor_messages.Odometry,
            sensor_messages.RangeScan,
            sensor_messages.InfraredScan,
            sensor_messages.RangeImage,
            sensor_messages.Tachometer,
            sensor_messages.Imu,
            sensor_messages.Acceleration,
            sensor_messages.ProperAcceleration,
            sensor_messages.Compass,
            sensor_messages.Altitude,
            sensor_messages.MissionTime,
            sensor_messages.Gas,
            sensor_messages.Acoustic,
            sensor_messages.Victims,
            sensor_messages.Tags,
            sensor_messages.Gps,
            sensor_messages.Encoders,
            sensor_messages.Sonars,
            sensor_messages.Infrareds,
            sensor_messages.Touches,
            sensor_messages.TouchArrays,
            sensor_messages.Gyroscope,
            sensor_messages.Forces,
            sensor_messages.MotionCapture,
        )
    },
    "rfidtag": sensor_messages.Tags.read,  # older name
}
"""Type of sensor, in lower case → how its SEN is read."""


def read_reading(line: ParsedLine, dialect: Dialect) -> Message:
    """Tell the sensor by its type; keep what no sensor of ours says as it is."""
    return SENSORS.get(line.by_key.get("type", "").lower(), UnknownMessage.read)(line, dialect)


MESSAGES: dict[str, Reader] = {
    "NFO": read_nfo,
    "STA": read_state,
    "SEN": read_reading,
    "MISSTA": PackageState.read,
    "ASTA": PackageState.read,
    "EFF": EffectorState.read,
    "GEO": read_geometry,
    "CONF": read_configuration,
    "RES": Response.read,
    "TICK": extensions.Tick.read,
    "CONSOLE": extensions.ConsoleAnswer.read,
    "RADIO": extensions.RadioMessage.read,
    "NOTICE": extensions.Notice.read,
}
"""Head of a server's line → how it is read."""


def _meaning(readers: dict[str, Reader], dialect: Dialect) -> Callable[[str], Message]:
    def read(text: str) -> Message:
        line = parse(text)
        reader = readers.get(line.head) or readers.get(line.named(), UnknownMessage.read)
        try:
            return reader(line, dialect)
        except BadValue as refusal:
            raise BadValue(f"{line.head}: {refusal}") from None

    return read


class _Side:
    """One end: what it hears and how it speaks."""

    def __init__(self, readers: dict[str, Reader], dialect: Dialect, longest: int) -> None:
        self.dialect = dialect
        self._reader = LineReader(_meaning(readers, dialect), longest)

    def receive(self, data: bytes) -> list[Message | Fault]:
        """Take the next bytes; return what the lines they complete say, and never raise."""
        return self._reader.feed(data)

    def send(self, message: Message) -> list[bytes]:
        """Return the lines that say ``message``, each to be written at once.

        None if the dialect has no such line. Raises `BadValue` for a number that is not finite and
        for a text that would break the line.
        """
        return [f"{line}{END}".encode(ENCODING, "replace") for line in message.lines(self.dialect)]


class ServerSide(_Side):
    """The server's end of a connection: hears commands.

    Args:
        dialect: what the client expects.
        longest: bytes that a line of the client may have.
    """

    def __init__(self, dialect: Dialect, longest: int = LONGEST_COMMAND) -> None:
        super().__init__(COMMANDS, dialect, longest)


class ClientSide(_Side):
    """The client's end of a connection: hears messages.

    Args:
        dialect: what the server speaks.
        longest: bytes that a line of the server may have.
    """

    def __init__(self, dialect: Dialect, longest: int = LONGEST_MESSAGE) -> None:
        super().__init__(MESSAGES, dialect, longest)
