"""Codec of a control connection (port 3000): bytes to messages and messages to lines.

Feed received bytes into a side to get messages; pass messages to get the lines to send::

    server = ServerSide(UT2004)
    for command in server.receive(data):    # messages, and a Fault for each unreadable line
        ...
    for line in server.send(state):         # one write per line: old clients require it
        ...

`ClientSide` is the counterpart for clients. Received data never raises. Both sides read the lines
of every dialect; the dialect decides how lines are written and what some commands mean.
"""

from __future__ import annotations

from collections.abc import Callable

from grouser.errors import BadValue
from grouser.protocol.lines import ENCODING, END, Fault, LineReader
from grouser.protocol.usarsim import commands, extensions, sensor_messages
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
"""Maximum length of a line from a client, bytes."""
LONGEST_MESSAGE = 1024 * 1024
"""Maximum length of a line from a server, bytes; range images are long."""

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
"""Message type of a client's line → its reader."""

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
"""Sensor type in lower case → reader of its SEN."""


def read_reading(line: ParsedLine, dialect: Dialect) -> Message:
    """Read a SEN by its sensor type; SEN of an unknown type becomes an `UnknownMessage`."""
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
"""Message type of a server's line → its reader."""


def _line_decoder(readers: dict[str, Reader], dialect: Dialect) -> Callable[[str], Message]:
    def read(text: str) -> Message:
        line = parse(text)
        reader = readers.get(line.head) or readers.get(line.message_type(), UnknownMessage.read)
        try:
            return reader(line, dialect)
        except BadValue as error:
            raise BadValue(f"{line.head}: {error}") from None

    return read


class _Side:
    """One side of a connection: line decoder and encoder."""

    def __init__(self, readers: dict[str, Reader], dialect: Dialect, longest: int) -> None:
        self.dialect = dialect
        self._reader = LineReader(_line_decoder(readers, dialect), longest)

    def receive(self, data: bytes) -> list[Message | Fault]:
        """Decode the next bytes; return a message or `Fault` per completed line. Never raises."""
        return self._reader.feed(data)

    def send(self, message: Message) -> list[bytes]:
        """Encode ``message`` as lines, each of which needs a socket write of its own.

        Returns an empty list if the dialect has no such line. Raises `BadValue` for a number that
        is not finite and for text that would break the line.
        """
        return [f"{line}{END}".encode(ENCODING, "replace") for line in message.lines(self.dialect)]


class ServerSide(_Side):
    """Server side of a connection: receives commands.

    Args:
        dialect: dialect of the client.
        longest: maximum length of a line from the client, bytes.
    """

    def __init__(self, dialect: Dialect, longest: int = LONGEST_COMMAND) -> None:
        super().__init__(COMMANDS, dialect, longest)


class ClientSide(_Side):
    """Client side of a connection: receives server messages.

    Args:
        dialect: dialect of the server.
        longest: maximum length of a line from the server, bytes.
    """

    def __init__(self, dialect: Dialect, longest: int = LONGEST_MESSAGE) -> None:
        super().__init__(MESSAGES, dialect, longest)
