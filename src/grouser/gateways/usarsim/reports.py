"""What a client is sent unasked: sensor readings, its robot's state, turns, notices, radio."""

from __future__ import annotations

from grouser.gateways.usarsim.context import UsarsimContext
from grouser.gateways.usarsim.drive_modes import DriveState
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.sensor_encoding import encode
from grouser.gateways.usarsim.writer import MessageWriter
from grouser.protocol.usarsim.extensions import RadioMessage, Tick
from grouser.protocol.usarsim.state import NO_BATTERY
from grouser.service.radio import RadioSignal
from grouser.service.reading_queues import SensorReading
from grouser.service.watchdog import BatteryState


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
