"""Motors of a robot on a CAN bus: ownership, command check, stall detection, battery, health.

Commands are checked as described in docs/how-to/can.md (`CommandGate`). Encoders have their own
rate, up to every physics step, and are sent with the motors' clock, which is simulated time.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from grouser.frames import radians
from grouser.gateways.can.bus import CanBus
from grouser.physics.drives import Setpoint, speed
from grouser.protocol.can import messages as can
from grouser.sensors.battery import Battery
from grouser.sensors.ins import Ins
from grouser.sensors.sensor import Reading, check_rate
from grouser.sensors.tachometer import Tachometer
from grouser.service.host import Host, RobotOwner
from grouser.service.reading_queues import SensorReading
from grouser.simulation.changes.actions import Command
from grouser.world.file import RobotEntry

ENCODERS, POSTURE = "motor_encoders", "motor_posture"
"""Names of the sensors that the motors add."""
STALL_TIME = 0.3
"""Time that a motor must miss its setpoint to count as stalled, s; chosen."""
SLOW = 0.2
"""Fraction of the commanded speed below which a motor counts as standing; chosen."""
STILL = radians(1)  # rad/s   a slower joint counts as standing; chosen
NEAR = radians(3)  # rad   tolerated position error of a joint: above its servo's compliance

_LOG = logging.getLogger(__name__)


class StallDetector:
    """Stall detection: drives that have missed their setpoint for `STALL_TIME`."""

    def __init__(self, drives: Sequence[str], now: float) -> None:
        """Start at time ``now`` (s) without setpoints."""
        self._drives = tuple(drives)
        self._setpoints: dict[str, Setpoint] = {}
        self._last_good = dict.fromkeys(drives, now)
        """Time at which a drive last followed its setpoint, s."""
        self.bits = 0
        """One bit per drive, set if it is stalled."""

    def set(self, command: Mapping[str, Setpoint]) -> None:
        """Replace the setpoints of some drives."""
        self._setpoints.update(command)

    def update(self, time: float, positions: Sequence[float], speeds: Sequence[float]) -> None:
        """Update `bits` from measured positions and speeds at ``time`` (s)."""
        self.bits = 0
        for number, drive in enumerate(self._drives):
            setpoint = self._setpoints.get(drive)
            if setpoint is None or _follows(setpoint, positions[number], speeds[number]):
                self._last_good[drive] = time
            elif time - self._last_good[drive] > STALL_TIME:
                self.bits |= 1 << number


def _follows(setpoint: Setpoint, position: float, speed: float) -> bool:
    """Return True if a drive follows its setpoint."""
    value = float(setpoint.value)
    if setpoint.mode == "angle":
        return abs(value - position) < NEAR or abs(speed) > STILL
    return speed * value >= SLOW * value**2


class BusMotors(RobotOwner, ABC):
    """Motors of one robot: its owner on the host (`RobotOwner`) and a node on the bus.

    Subclasses translate between frames and drives.
    """

    def __init__(
        self,
        host: Host,
        entry: RobotEntry,
        bus: CanBus,
        *,
        rate_hz: float,
        drives: tuple[str, ...],
        mount: str,
    ) -> None:
        """Acquire the robot, or add it to the world, and connect its motors to the bus.

        Args:
            host: the host.
            entry: the robot.
            bus: the bus.
            rate_hz: encoder rate per simulated second.
            drives: names of its drives, in the order of the bus.
            mount: body whose posture is sent.
        """
        self._host, self._bus, self._robot, self._drives = host, bus, entry.name, drives
        check_rate("motors", rate_hz)
        sensors = _sensors(entry, rate_hz, drives, mount)
        host.join(entry.model_copy(update={"sensors": sensors}), self)
        self._present = True
        carried = host.simulation.scene.robots[entry.name].sensors
        self._has_battery = any(isinstance(sensor, Battery) for sensor in carried)
        self._connection = bus.connect(self)
        self._switch_on()

    def _switch_on(self) -> None:
        """Reset to the state after power-on."""
        self.gate = self._new_gate()
        self._then = self._host.time
        self._stalls = StallDetector(self._drives, self._host.time)
        self._halted = True
        self._stopped = self._empty = False
        self._sent: dict[type[can.CanStatus], float] = {}

    @property
    def robot(self) -> str:
        """Name of the robot."""
        return self._robot

    @abstractmethod
    def _new_gate(self) -> can.CommandGate:
        """Return the check of commands."""

    @abstractmethod
    def _execute(self, command: can.CanCommand) -> None:
        """Execute a command other than `Stop`."""

    @abstractmethod
    def _watch(self, time: float) -> None:
        """Stop drives that were not commanded in time."""

    @abstractmethod
    def _send_encoders(self, reading: Reading) -> None:
        """Send positions and speeds of the drives."""

    @abstractmethod
    def _health(self) -> can.CanStatus:
        """Return the state of the motors."""

    # -- commands ----------------------------------------------------------------------------

    def on_frame(self, frame: can.CanFrame, time: float) -> None:
        """Execute a valid command; ignore other frames."""
        if not self._present or frame.extended or frame.id not in self.gate.commands:
            return
        command = self.gate.check(frame, self._host.time)
        if command is None or self._empty:
            return
        self._stopped = isinstance(command, can.Stop)
        if self._stopped:
            self._halt()
        else:
            self._execute(command)

    def on_batch_end(self) -> None:
        """Do nothing: commands are executed on arrival."""

    def _move(self, command: Mapping[str, Setpoint]) -> None:
        self._stalls.set(command)
        self._host.apply(Command(self._robot, command), source=self.address)

    def _halt(self) -> None:
        """Stop all motors."""
        self._move({drive: speed(0.0) for drive in self._drives})
        self._halted = True

    # -- status ------------------------------------------------------------------------------

    def receive_readings(self, readings: list[SensorReading]) -> None:
        """Send sensor readings as status frames; run the watchdog."""
        for sensor, reading in readings:
            match sensor:
                case Tachometer(name=name) if name == ENCODERS:
                    self._stalls.update(
                        reading.time,
                        reading.array("positions").tolist(),
                        reading.array("speeds").tolist(),
                    )
                    self._send_encoders(reading)
                case Ins(name=name) if name == POSTURE:
                    roll, pitch, yaw = (reading[name] for name in ("roll", "pitch", "yaw"))
                    self._send(can.Posture(roll, pitch, yaw), reading.time)
                case Battery():
                    self._note_battery(reading)
        self.time_passed(self._host.time)

    def time_passed(self, time: float) -> None:
        """Run the watchdog; send cyclic status frames that are due."""
        if time < self._then:  # the world was reset
            self._switch_on()
            self._bus.restart()
        self._then = time
        self._watch(time)
        health = self._health()
        if self._due(type(health), time):
            self._send(health, time)
        if not self._has_battery and self._due(can.BatteryLeft, time):
            self._send(can.BatteryLeft.of(None), time)
        self._bus.pass_time()

    def _send(self, message: can.CanStatus, time: float) -> None:
        self._sent[type(message)] = time
        self._connection.send(message.frame(), time)

    def _due(self, kind: type[can.CanStatus], time: float) -> bool:
        """Return True if the last message of a kind is at least one cycle old."""
        return kind not in self._sent or time - self._sent[kind] >= kind.CYCLE - 1e-9

    def _note_battery(self, reading: Reading) -> None:
        """Send the remaining battery time; stop the motors when the battery is empty."""
        self._send(can.BatteryLeft.of(reading["seconds"]), reading.time)
        if reading["charge"] <= 0 and not self._empty:
            self._halt()
            self._empty = True
            _LOG.warning("%s: the battery is empty, the motors are stopped", self._robot)

    def _flags(self) -> int:
        """Return the sum of the present fault flags."""
        return sum(
            flag
            for flag, true in (
                (can.SILENT, self.gate.is_silent(self._host.time)),
                (can.STOPPED, self._stopped),
                (can.NO_ROBOT, not self._present),
                (can.EMPTY, self._empty),
            )
            if true
        )

    # -- callbacks of the host ---------------------------------------------------------------

    def notice(self, kind: str, text: str) -> None:
        """Log a notice; the bus has no frame for it."""
        _LOG.info("%s: %s", self._robot, text)

    def robot_removed(self) -> None:
        """Send a last health frame and disconnect from the bus."""
        self._present = False
        self._send(self._health(), self._host.time)
        self._bus.flush()
        self.disconnect()
        _LOG.warning(
            "%s was removed from the world; its motors are disconnected from the bus", self._robot
        )

    def disconnect(self) -> None:
        """Disconnect from the bus."""
        self._present = False
        self._connection.close()


def _sensors(
    entry: RobotEntry, rate_hz: float, drives: tuple[str, ...], mount: str
) -> tuple[dict[str, Any], ...]:
    """Return the sensors of the robot, its standard equipment and those of the motors."""
    own = [
        sensor
        for sensor in entry.equipped().sensors
        if sensor.get("name") not in (ENCODERS, POSTURE)
    ]
    encoders = {"kind": "tachometer", "name": ENCODERS, "drives": drives, "rate_hz": rate_hz}
    posture = {"kind": "ins", "name": POSTURE, "mount": mount, "rate_hz": 1 / can.Posture.CYCLE}
    return (*own, encoders, posture)
