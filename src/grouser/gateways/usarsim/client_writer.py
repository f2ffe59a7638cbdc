"""Outgoing messages of one session: readings, state, turns, notices, radio and answers."""

from __future__ import annotations

from collections.abc import Iterable

from grouser.gateways.usarsim.context import UsarsimContext
from grouser.gateways.usarsim.drive_state import DriveState
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.sensor_encoding import encode
from grouser.protocol.usarsim.codec import ServerSide
from grouser.protocol.usarsim.extensions import Notice, RadioMessage, Tick
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.state import NO_BATTERY
from grouser.service.outbox import Outbox
from grouser.service.radio import RadioSignal
from grouser.service.reading_queues import SensorReading
from grouser.service.watchdog import BatteryState


class ClientWriter:
    """Writer of messages in the client's dialect; the session's `ParticipantListener`."""

    def __init__(
        self, context: UsarsimContext, profile: PortProfile, side: ServerSide, outbox: Outbox
    ) -> None:
        """Write to one client, whose messages ``side`` encodes for ``outbox``."""
        self._context, self._profile = context, profile
        self._side, self._outbox = side, outbox
        self.extended = False
        """The client has sent an extension command, so it may receive extension messages."""
        self.drive_state = DriveState()
        """Command state of the client's robot."""
        self.requested_scans: set[str] = set()
        """Depth cameras whose next image is to be sent."""

    # -- answers -----------------------------------------------------------------------------

    def write(self, *messages: Message) -> None:
        """Write messages that are never dropped."""
        for message in messages:
            for line in self._side.send(message):
                self._outbox.line(line)

    def _write_replaceable(self, messages: Iterable[Message]) -> None:
        """Write messages that are dropped if a newer one of the same subject is queued."""
        # Old clients need one socket write per line (USARSim's transport). Other clients
        # get all lines in one write, which costs a third.
        lines = [line for message in messages for line in self._side.send(message)]
        if self.extended and lines:
            self._outbox.line(b"".join(lines), stale=" ".join(map(line_subject, lines)))
            return
        for line in lines:
            self._outbox.line(line, stale=line_subject(line))

    # -- participant listener ----------------------------------------------------------------

    def send_readings(self, robot: str, readings: list[SensorReading]) -> None:
        """Send sensor readings of the robot."""
        layout = self._context.adapters[robot].layout
        readings = [one for one in readings if one[1].sensor in layout.sensors]
        messages = encode(readings, layout, self._profile, self.requested_scans)
        self._write_replaceable(messages)
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
        # With an empty battery only STA continues, as in UT2004 and UDK.
        self._write_replaceable(states[-1:] if battery.empty else states)

    def send_turn(self, time: float) -> None:
        """Send the start of the client's turn."""
        self.write(Tick(time))

    def send_notice(self, kind: str, text: str) -> None:
        """Send a notice; clients without extensions receive only ``Refused``."""
        if self.extended or kind == "Refused":
            self.write(Notice(kind, text))

    def send_radio(self, message: RadioSignal) -> None:
        """Send a radio message to a client with extensions, which may replace older ones."""
        if self.extended:
            received = RadioMessage(message.sender, message.data, message.strength)
            for line in self._side.send(received):
                self._outbox.line(line, stale=f"radio {message.sender}")

    def robot_halted(self) -> None:
        """Clear all motion commands after the robot was stopped."""
        self.drive_state.stop()


def line_subject(line: bytes) -> str:
    """Return message type, sensor type and name of a line: the key under which it goes stale."""
    words = line.split(b"{", 4)[:4]
    return b"".join([word for word in words if not word.startswith(b"Time")]).decode("latin-1")
