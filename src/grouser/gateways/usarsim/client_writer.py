"""Outgoing messages of one session: readings, state, turns, notices, radio and answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from grouser.frames import Pose
from grouser.gateways.usarsim.context import UsarsimContext
from grouser.gateways.usarsim.drive_state import DriveState
from grouser.gateways.usarsim.port_profile import STATE_EVERY, PortProfile
from grouser.gateways.usarsim.sensor_encoding import encode
from grouser.protocol.usarsim.codec import ServerSide
from grouser.protocol.usarsim.extensions import Notice, RadioMessage, Tick
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.state import NO_BATTERY
from grouser.protocol.usarsim.values import Vector
from grouser.sensors.battery import Battery
from grouser.sensors.camera import Camera
from grouser.sensors.depth import DepthCamera
from grouser.service.outbox import Outbox
from grouser.service.radio import RadioSignal
from grouser.service.reading_queues import SensorReading
from grouser.service.request_queue import Request
from grouser.service.watchdog import BatteryState

MAX_BURST = 1000
"""Maximum number of readings of a burst; older ones are dropped."""
FALLBACK_PERIODS = 3
"""Periods of the state after which an incomplete burst is sent."""
UNSENT = (Camera, DepthCamera, Battery)
"""Sensors without lines of their own."""


@dataclass(frozen=True)
class _Announcement:
    """Messages without a request."""

    messages: Callable[[], list[Message]]
    ready: Callable[[], bool]


class ClientWriter:
    """Writer of messages in the client's dialect; the session's `ParticipantListener`."""

    def __init__(
        self,
        context: UsarsimContext,
        profile: PortProfile,
        side: ServerSide,
        outbox: Outbox,
        *,
        process: Callable[[list[Request]], None],
        disconnect: Callable[[], None],
    ) -> None:
        """Write to one client.

        Args:
            context: state of the gateway.
            profile: dialect, axes and units of the port.
            side: encodes the messages.
            outbox: sends them.
            process: processes deferred commands, before requests that wait.
            disconnect: closes the connection at once.
        """
        self.process, self.disconnect = process, disconnect
        self._context, self._profile = context, profile
        self._side, self._outbox = side, outbox
        self.extended = False
        """The client has sent an extension command, so it may receive extension messages."""
        self.drive_state = DriveState()
        """Command state of the client's robot."""
        self.requested_scans: set[str] = set()
        """Depth cameras whose next image is to be sent."""
        self._announcements: list[_Announcement] = []
        self._burst: list[SensorReading] = []
        """Readings that wait for the next burst (UT2004)."""
        self._periods = FALLBACK_PERIODS
        """Periods of the state since the last burst; the first state is sent at once."""
        self._battery = BatteryState(seconds_left=None, empty=False)

    # -- answers -----------------------------------------------------------------------------

    def write(self, *messages: Message) -> None:
        """Write messages that are never dropped."""
        for message in messages:
            for line in self._side.send(message):
                self._outbox.line(line)

    def announce(self, messages: Callable[[], list[Message]], ready: Callable[[], bool]) -> None:
        """Write ``messages`` before the next state for which ``ready`` returns True."""
        self._announcements.append(_Announcement(messages, ready))

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

    @property
    def _in_bursts(self) -> bool:
        """True if readings and state are sent together, once per period of the state (UT2004)."""
        return self._profile.dialect.bursts and not self.extended

    def send_readings(self, robot: str, readings: list[SensorReading]) -> None:
        """Send sensor readings of the robot."""
        if not self._in_bursts:
            self._send_readings(robot, readings)
            return
        scans = [one for one in readings if one[1].sensor in self.requested_scans]
        if scans:
            self._send_readings(robot, scans)
        self._burst += [one for one in readings if one not in scans]
        del self._burst[:-MAX_BURST]
        if self._burst_is_complete(robot):
            self._send_burst(robot)

    def _burst_is_complete(self, robot: str) -> bool:
        """Return True if every sensor that is read once per period of the state has a reading."""
        least = (1 - 1e-6) / STATE_EVERY[self._profile.dialect.name]
        sensors = self._context.adapters[robot].layout.sensors
        expected = {
            name
            for name, sensor in sensors.items()
            if sensor.rate_hz >= least and not isinstance(sensor, UNSENT)
        }
        return bool(expected) and expected <= {reading.sensor for _, reading in self._burst}

    def _send_burst(self, robot: str) -> None:
        """Send the collected readings, then the state: in the order of UT2004's robot timer."""
        readings, self._burst, self._periods = self._burst, [], 0
        if not self._battery.empty:
            self._send_readings(robot, readings)
        self._send_state(robot, self._battery)

    def _send_readings(self, robot: str, readings: list[SensorReading]) -> None:
        layout = self._context.adapters[robot].layout
        readings = [one for one in readings if one[1].sensor in layout.sensors]
        messages = encode(readings, layout, self._profile, self.requested_scans)
        self._write_replaceable(messages)
        if self.requested_scans:
            self.requested_scans -= {reading.sensor for _, reading in readings}

    def send_state(self, robot: str, battery: BatteryState) -> None:
        """Send STA, and MISSTA or ASTA of every mission package.

        In UT2004 they follow the readings of their period, but come alone if there are none.
        """
        for announcement in [one for one in self._announcements if one.ready()]:
            self._announcements.remove(announcement)
            self.write(*announcement.messages())
        if not self._in_bursts:
            self._send_state(robot, battery)
            return
        self._battery, self._periods = battery, self._periods + 1
        if self._periods >= FALLBACK_PERIODS or battery.empty:
            self._send_burst(robot)
            self._periods = FALLBACK_PERIODS - 1

    def _send_state(self, robot: str, battery: BatteryState) -> None:
        simulation, views = self._context.host.simulation, self._context.views
        states = self._context.adapters[robot].state(
            simulation.time,
            simulation.angles(robot),
            self._profile,
            battery=self._seconds_left(robot, battery),
            light=self.drive_state.light,
            view=views.tile(robot) if views else -1,
            motion=self._motion(robot) if self._profile.early else None,
        )
        # With an empty battery only STA continues, as in UT2004 and UDK.
        self._write_replaceable(states[-1:] if battery.empty else states)

    def _seconds_left(self, robot: str, battery: BatteryState) -> int:
        """Return the remaining time of INIT's battery, or else that of the robot's sensor, s."""
        if battery.seconds_left is not None:
            return battery.seconds_left
        for name, sensor in self._context.adapters[robot].layout.sensors.items():
            if isinstance(sensor, Battery):
                seconds = float(self._context.host.simulation.read(robot, name)["seconds"])
                return int(min(seconds, NO_BATTERY))
        return NO_BATTERY

    def _motion(self, robot: str) -> tuple[Pose, Vector]:
        """Return pose and velocity of the robot's root."""
        handle = self._context.host.simulation.robots[robot]
        x, y, z = handle.velocity.linear.tolist()
        return handle.pose, (x, y, z)

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
