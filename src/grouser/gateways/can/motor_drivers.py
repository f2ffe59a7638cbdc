"""Kenaf's six motor drivers on a CAN bus: command check, stall detection, encoders.

The drivers own the robot on the host. Commands are checked as described in docs/how-to/can.md
(`CommandGate`); a watchdog stops the belts 0.3 s after the last valid command, as drivers of real
motors do. Encoders have their own rate, up to every physics step, and are sent with the motors'
clock, which is simulated time.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from grouser.errors import BadValue
from grouser.frames import radians
from grouser.gateways.can.bus import CanBus
from grouser.physics.drives import Setpoint, angle, speed
from grouser.protocol.can import messages as can
from grouser.sensors.battery import Battery
from grouser.sensors.camera import Camera
from grouser.sensors.ins import Ins
from grouser.sensors.sensor import Reading
from grouser.sensors.tachometer import Tachometer
from grouser.service.host import Host, RobotOwner
from grouser.service.reading_queues import SensorReading
from grouser.simulation.changes.actions import AimCamera, Command
from grouser.world.file import RobotEntry

ENCODERS, POSTURE = "motor_encoders", "motor_posture"
"""Names of the sensors that the drivers add."""
BELTS = can.MOTORS[:2]
DRIVES = (*BELTS, *(f"{flipper}_arm" for flipper in can.MOTORS[2:]))
"""The robot's drives in the order of `MOTORS`."""
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
    if setpoint.mode == "angle":
        return abs(setpoint.value - position) < NEAR or abs(speed) > STILL
    return speed * setpoint.value >= SLOW * setpoint.value**2


class MotorDrivers(RobotOwner):
    """Motor drivers of one robot: its owner on the host (`RobotOwner`) and a node on the bus."""

    def __init__(self, host: Host, entry: RobotEntry, bus: CanBus, *, rate_hz: float) -> None:
        """Acquire the robot, or add it to the world, and connect its drivers to the bus.

        ``entry`` has Kenaf's six motors; ``rate_hz`` is the encoder rate per simulated
        second.
        """
        self._host, self._bus, self._robot = host, bus, entry.name
        if not rate_hz > 0:
            raise BadValue(f"motors: rate_hz is {rate_hz:g}, must be above 0")
        robots = host.simulation.scene.robots
        if entry.name in robots and (missing := set(DRIVES) - set(robots[entry.name].drives)):
            raise BadValue(
                f"'{entry.name}' is a {entry.kind}, which has no drive '{min(missing)}': robots "
                f"with Kenaf's six motors have {', '.join(DRIVES)}"
            )
        host.join(entry.model_copy(update={"sensors": _sensors(entry, rate_hz)}), self)
        self._present = True
        carried = host.simulation.scene.robots[entry.name].sensors
        self._has_battery = any(isinstance(sensor, Battery) for sensor in carried)
        self._connection = bus.connect(self)
        self._switch_on()

    def _switch_on(self) -> None:
        """Reset to the state after power-on."""
        self.gate = can.CommandGate()
        self._then = self._host.time
        self._stalls = StallDetector(DRIVES, self._host.time)
        self._zero: tuple[float, float] | None = None
        self._halted = True
        self._stopped = self._empty = False
        self._sent: dict[type[can.CanStatus], float] = {}

    @property
    def robot(self) -> str:
        """Name of the robot."""
        return self._robot

    # -- commands ----------------------------------------------------------------------------

    def on_frame(self, frame: can.CanFrame, time: float) -> None:
        """Execute a valid command; ignore other frames."""
        if not self._present or frame.extended or frame.id not in can.COMMANDS:
            return
        command = self.gate.check(frame, self._host.time)
        if command is not None and not self._empty:
            self._execute(command)

    def on_batch_end(self) -> None:
        """Do nothing: commands are executed on arrival."""

    def _execute(self, command: can.CanCommand) -> None:
        match command:
            case can.Stop():
                self._halt()
                self._stopped = True
                return
            case can.BeltSpeeds(left, right):
                self._move(dict(zip(BELTS, map(speed, (left, right)), strict=True)))
                self._halted = False
            case can.FrontFlippers(left, right):
                self._move({"front_left_arm": angle(left), "front_right_arm": angle(right)})
            case can.RearFlippers(left, right):
                self._move({"rear_left_arm": angle(left), "rear_right_arm": angle(right)})
            case can.CameraAim(pan, tilt):
                self._aim(pan, tilt)
        self._stopped = False

    def _move(self, command: Mapping[str, Setpoint]) -> None:
        self._stalls.set(command)
        self._host.apply(Command(self._robot, command), source=self.address)

    def _halt(self) -> None:
        """Stop all six motors."""
        self._move({drive: speed(0.0) for drive in DRIVES})
        self._halted = True

    def _aim(self, pan: float, tilt: float) -> None:
        """Aim the first camera; the tilt of simulated cameras is positive downwards."""
        for (robot, name), (sensor, _) in self._host.simulation.scene.sensors.items():
            if robot == self._robot and isinstance(sensor, Camera):
                aim = AimCamera(robot, name, pan=pan, tilt=-tilt)
                self._host.apply(aim, source=self.address)
                return

    # -- status ------------------------------------------------------------------------------

    def receive_readings(self, readings: list[SensorReading]) -> None:
        """Send sensor readings as status frames; run the watchdog."""
        for sensor, reading in readings:
            match sensor:
                case Tachometer(name=name) if name == ENCODERS:
                    self._send_encoders(reading)
                case Ins(name=name) if name == POSTURE:
                    roll, pitch, yaw = (reading[name] for name in ("roll", "pitch", "yaw"))
                    self._send(can.Posture(roll, pitch, yaw), reading.time)
                case Battery():
                    self._note_battery(reading)
        self.time_passed(self._host.time)

    def time_passed(self, time: float) -> None:
        """Run the watchdog of the belts; send cyclic status frames that are due."""
        if time < self._then:  # the world was reset
            self._switch_on()
            self._bus.restart()
        self._then = time
        if self.gate.is_silent(time) and not self._halted:
            self._move({belt: speed(0.0) for belt in BELTS})
            self._halted = True
            _LOG.info("%s: watchdog stopped the belts, no valid command", self._robot)
        if self._due(can.Health, time):
            self._send(self._health(), time)
        if not self._has_battery and self._due(can.BatteryLeft, time):
            self._send(can.BatteryLeft.of(None), time)
        self._bus.pass_time()

    def _send(self, message: can.CanStatus, time: float) -> None:
        self._sent[type(message)] = time
        self._connection.send(message.frame(), time)

    def _due(self, kind: type[can.CanStatus], time: float) -> bool:
        """Return True if the last message of a kind is at least one cycle old."""
        return kind not in self._sent or time - self._sent[kind] >= kind.CYCLE - 1e-9

    def _send_encoders(self, reading: Reading) -> None:
        positions = reading.array("positions").tolist()
        speeds = reading.array("speeds").tolist()
        self._stalls.update(reading.time, positions, speeds)
        if self._zero is None:
            self._zero = positions[0], positions[1]
        left, right = (at - zero for at, zero in zip(positions, self._zero, strict=False))
        self._send(can.BeltEncoders(left, right), reading.time)
        self._send(can.BeltMotion(speeds[0], speeds[1], reading.time), reading.time)
        if self._due(can.FlipperAngles, reading.time):
            self._send(can.FlipperAngles(*positions[2:]), reading.time)

    def _note_battery(self, reading: Reading) -> None:
        """Send the remaining battery time; stop the motors when the battery is empty."""
        self._send(can.BatteryLeft.of(reading["seconds"]), reading.time)
        if reading["charge"] <= 0 and not self._empty:
            self._halt()
            self._empty = True
            _LOG.warning("%s: the battery is empty, the motors are stopped", self._robot)

    def _health(self) -> can.Health:
        refused, flags = self.gate.refused, 0
        for flag, true in (
            (can.SILENT, self.gate.is_silent(self._host.time)),
            (can.STOPPED, self._stopped),
            (can.NO_ROBOT, not self._present),
            (can.EMPTY, self._empty),
        ):
            flags |= flag if true else 0
        return can.Health(
            flags,
            self._stalls.bits,
            *(refused[kind] % 256 for kind in ("crc", "counter", "length", "range")),
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
        self._connection.close()
        _LOG.warning(
            "%s was removed from the world; its motors are disconnected from the bus", self._robot
        )


def _sensors(entry: RobotEntry, rate_hz: float) -> tuple[dict[str, Any], ...]:
    """Return the sensors of the robot, its standard equipment and those of the drivers."""
    own = [
        sensor
        for sensor in entry.equipped().sensors
        if sensor.get("name") not in (ENCODERS, POSTURE)
    ]
    encoders = {"kind": "tachometer", "name": ENCODERS, "drives": DRIVES, "rate_hz": rate_hz}
    posture = {"kind": "ins", "name": POSTURE, "mount": "body", "rate_hz": 1 / can.Posture.CYCLE}
    return (*own, encoders, posture)
