"""What a client is sent unasked: sensor readings, its robot's state, turns, notices, radio."""

from __future__ import annotations

from collections.abc import Iterable

from grouser.gateways.usarsim.context import UsarsimContext
from grouser.gateways.usarsim.drive_modes import DriveState
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.sensor_encoding import encode
from grouser.protocol.usarsim.codec import ServerSide
from grouser.protocol.usarsim.extensions import Notice, RadioMessage, Tick
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.state import NO_BATTERY
from grouser.service.outbox import Sender
from grouser.service.radio import RadioSignal
from grouser.service.reading_queues import SensorReading
from grouser.service.watchdog import BatteryState


class MessageWriter:
    """Writes messages to one client."""

    def __init__(self, side: ServerSide, sender: Sender) -> None:
        """Send through ``sender`` the lines that ``side`` makes in the client's dialect."""
        self._side, self._sender = side, sender
        self.modern = False
        """Whether the client has sent a line of Grouser's own; others are sent none."""

    def write(self, message: Message) -> None:
        """Write something that the client must not miss."""
        for line in self._side.send(message):
            self._sender.line(line)

    def write_all(self, messages: Iterable[Message]) -> None:
        """Write several things that the client must not miss."""
        for message in messages:
            self.write(message)

    def write_replaceable(self, messages: Iterable[Message]) -> None:
        """Write what is worth nothing once it is written anew.

        Old clients need every line in a write of its own (reference: transport); others get all at
        once, which costs a third.
        """
        lines = [line for message in messages for line in self._side.send(message)]
        if self.modern and lines:
            self._sender.line(b"".join(lines), stale=" ".join(map(subject, lines)))
            return
        for line in lines:
            self._sender.line(line, stale=subject(line))

    def write_giving_way(self, message: Message, about: str) -> None:
        """Write something of which, if the client does not read, older ones are dropped first.

        Args:
            message: what is written.
            about: what it is one of; each of them says something of its own.
        """
        for line in self._side.send(message):
            self._sender.line(line, stale=about)

    def notice(self, kind: str, text: str) -> None:
        """Write something that concerns the client; old ones learn only that they were refused."""
        if self.modern or kind == "Refused":
            self.write(Notice(kind, text))


def subject(line: bytes) -> str:
    """Return what a line is about, by which it goes stale: head, type and name, without values."""
    words = line.split(b"{", 4)[:4]
    return b"".join([word for word in words if not word.startswith(b"Time")]).decode("latin-1")


class RobotReports:
    """Writes to one client what its participant in the host learns."""

    def __init__(
        self, context: UsarsimContext, profile: PortProfile, writer: MessageWriter
    ) -> None:
        """Report through ``writer``, as a port with ``profile`` has it."""
        self._context, self._profile, self._writer = context, profile, writer
        self.drive_state = DriveState()
        """What the client's commands have left behind."""
        self.requested_scans: set[str] = set()
        """Depth cameras whose next picture is to be sent."""

    def send_readings(self, robot: str, readings: list[SensorReading]) -> None:
        """Send what the robot's sensors measured."""
        layout = self._context.adapters[robot].layout
        readings = [one for one in readings if one[1].sensor in layout.sensors]
        messages = encode(readings, layout, self._profile, self.requested_scans)
        self._writer.write_replaceable(messages)
        if self.requested_scans:
            self.requested_scans -= {reading.sensor for _, reading in readings}

    def send_state(self, robot: str, battery: BatteryState) -> None:
        """Send STA, and MISSTA or ASTA of every mission package."""
        simulation, views = self._context.host.simulation, self._context.views
        states = self._context.adapters[robot].state(
            simulation.time,
            simulation.angles(robot),
            self._profile,
            battery=NO_BATTERY if battery.seconds_left is None else battery.seconds_left,
            light=self.drive_state.light,
            view=views.tile(robot) if views else -1,
        )
        # With an empty battery nothing but STA goes on (reference: UT2004, UDK).
        self._writer.write_replaceable(states[-1:] if battery.empty else states)

    def send_turn(self, time: float) -> None:
        """Send that it is the client's turn."""
        self._writer.write(Tick(time))

    def send_notice(self, kind: str, text: str) -> None:
        """Send something that concerns the client; only those who know our own lines get it."""
        self._writer.notice(kind, text)

    def send_radio(self, message: RadioSignal) -> None:
        """Send what the robot received over its radio, to those who know such lines."""
        if self._writer.modern:
            said = RadioMessage(message.sender, message.data, message.strength)
            self._writer.write_giving_way(said, f"radio {message.sender}")

    def robot_halted(self) -> None:
        """Forget every motion: the robot was stopped."""
        self.drive_state.stop()
