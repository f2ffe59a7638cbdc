"""Kenaf's six motor drivers on a CAN bus: commands in, encoders out, straight on the host.

They own their robot, whoever is on the bus. Commands are checked as docs/can.md says
(`CommandGate`); belts stand still 0.3 s after the last one that was valid, as drivers of real
motors see to when their controller dies. Encoders are read at a rate of their own, up to every
physics step, and sent with the motors' clock, which is simulated time.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from grouser.errors import BadValue
from grouser.gateways.can.bus import CanBus
from grouser.gateways.can.stall import StallWatch
from grouser.physics.drives import Setpoint, angle, speed
from grouser.protocol.can.frame import CanFrame
from grouser.protocol.can.gate import CommandGate
from grouser.protocol.can.messages import (
    COMMANDS,
    EMPTY,
    MOTORS,
    NO_ROBOT,
    SILENT,
    STOPPED,
    BatteryLeft,
    BeltEncoders,
    BeltMotion,
    BeltSpeeds,
    CameraAim,
    CanCommand,
    CanStatus,
    FlipperAngles,
    FrontFlippers,
    Health,
    Posture,
    RearFlippers,
    Stop,
)
from grouser.sensors.battery import Battery
from grouser.sensors.camera import BoundCamera
from grouser.sensors.ins import Ins
from grouser.sensors.sensor import Reading
from grouser.sensors.tachometer import Tachometer
from grouser.service.host import Host
from grouser.service.radio import RadioSignal
from grouser.service.reading_queues import SensorReading
from grouser.world.file import RobotEntry

ENCODERS, POSTURE = "motor_encoders", "motor_posture"
"""Names of the sensors that the drivers bring."""
BELTS = MOTORS[:2]
DRIVES = (*BELTS, *(f"{flipper}_arm" for flipper in MOTORS[2:]))
"""The robot's drives in the order of `MOTORS`."""

_LOG = logging.getLogger(__name__)


class MotorDrivers:
    """The drivers of one robot: its owner on the host (`RobotOwner`), a node on the bus."""

    address: str = ""

    def __init__(self, host: Host, entry: RobotEntry, bus: CanBus, *, rate_hz: float) -> None:
        """Take the robot, or bring it, and put its drivers on the bus.

        Args:
            host: the world.
            entry: a robot with Kenaf's six motors; one of the world's own is taken over.
            bus: where its commands come from.
            rate_hz: how often encoders are read and sent, per simulated second.

        Raises:
            BadValue: somebody has it, or it has other motors.
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
        """Begin as motors that have just got power."""
        self.gate = CommandGate()
        self._then = self._host.time
        self._stalls = StallWatch(DRIVES, self._host.time)
        self._zero: tuple[float, float] | None = None
        self._halted = True
        self._stopped = self._empty = False
        self._sent: dict[type[CanStatus], float] = {}

    @property
    def robot(self) -> str:
        """Name of the robot."""
        return self._robot

    # -- what comes over the bus -------------------------------------------------------------

    def hear(self, frame: CanFrame, time: float) -> None:
        """Do what a command says, if it is valid; others' frames are not for motors."""
        if not self._present or frame.extended or frame.id not in COMMANDS:
            return
        command = self.gate.check(frame, self._host.time)
        if command is not None and not self._empty:
            self._obey(command)

    def heard_all(self) -> None:
        """Nothing waits: commands are obeyed as they come."""

    def _obey(self, command: CanCommand) -> None:
        match command:
            case Stop():
                self._halt()
                self._stopped = True
                return
            case BeltSpeeds(left, right):
                self._move(dict(zip(BELTS, map(speed, (left, right)), strict=True)))
                self._halted = False
            case FrontFlippers(left, right):
                self._move({"front_left_arm": angle(left), "front_right_arm": angle(right)})
            case RearFlippers(left, right):
                self._move({"rear_left_arm": angle(left), "rear_right_arm": angle(right)})
            case CameraAim(pan, tilt):
                self._aim(pan, tilt)
        self._stopped = False

    def _move(self, command: Mapping[str, Setpoint]) -> None:
        self._stalls.note(command)
        self._host.command(self._robot, command)

    def _halt(self) -> None:
        """Let all six motors stand where they are."""
        self._move({drive: speed(0.0) for drive in DRIVES})
        self._halted = True

    def _aim(self, pan: float, tilt: float) -> None:
        """Turn the first camera; those of our robots look down positive."""
        for (robot, _), (_, bound) in self._host.simulation.scene.sensors.items():
            if robot == self._robot and isinstance(bound, BoundCamera):
                bound.aim(pan=pan, tilt=-tilt)
                return

    # -- what goes over the bus --------------------------------------------------------------

    def receive_readings(self, readings: list[SensorReading]) -> None:
        """Send what was measured; look whether the belts must stop."""
        for sensor, reading in readings:
            match sensor:
                case Tachometer(name=name) if name == ENCODERS:
                    self._send_encoders(reading)
                case Ins(name=name) if name == POSTURE:
                    roll, pitch, yaw = (reading[name] for name in ("roll", "pitch", "yaw"))
                    self._send(Posture(roll, pitch, yaw), reading.time)
                case Battery():
                    self._note_battery(reading)
        self.time_passed(self._host.time)

    def time_passed(self, time: float) -> None:
        """Stop belts that nobody commands any more; say how the motors are when that is due."""
        if time < self._then:  # the world has started over
            self._switch_on()
            self._bus.restart()
        self._then = time
        if self.gate.is_silent(time) and not self._halted:
            self._move({belt: speed(0.0) for belt in BELTS})
            self._halted = True
            _LOG.info("%s: no valid command for its belts, they were stopped", self._robot)
        if self._due(Health, time):
            self._send(self._health(), time)
        if not self._has_battery and self._due(BatteryLeft, time):
            self._send(BatteryLeft.of(None), time)
        self._bus.pass_time()

    def _send(self, message: CanStatus, time: float) -> None:
        self._sent[type(message)] = time
        self._connection.send(message.frame(), time)

    def _due(self, kind: type[CanStatus], time: float) -> bool:
        """Return whether a message has not been sent for its cycle."""
        return kind not in self._sent or time - self._sent[kind] >= kind.CYCLE - 1e-9

    def _send_encoders(self, reading: Reading) -> None:
        positions = reading.array("positions").tolist()
        speeds = reading.array("speeds").tolist()
        self._stalls.look(reading.time, positions, speeds)
        if self._zero is None:
            self._zero = positions[0], positions[1]
        left, right = (at - zero for at, zero in zip(positions, self._zero, strict=False))
        self._send(BeltEncoders(left, right), reading.time)
        self._send(BeltMotion(speeds[0], speeds[1], reading.time), reading.time)
        if self._due(FlipperAngles, reading.time):
            self._send(FlipperAngles(*positions[2:]), reading.time)

    def _note_battery(self, reading: Reading) -> None:
        """Send how long the battery lasts; motors without power stand."""
        self._send(BatteryLeft.of(reading["seconds"]), reading.time)
        if reading["charge"] <= 0 and not self._empty:
            self._halt()
            self._empty = True
            _LOG.warning("%s: the battery is empty, the motors stand", self._robot)

    def _health(self) -> Health:
        refused, flags = self.gate.refused, 0
        for flag, true in (
            (SILENT, self.gate.is_silent(self._host.time)),
            (STOPPED, self._stopped),
            (NO_ROBOT, not self._present),
            (EMPTY, self._empty),
        ):
            flags |= flag if true else 0
        return Health(
            flags,
            self._stalls.bits,
            *(refused[kind] % 256 for kind in ("crc", "counter", "length", "range")),
        )

    # -- what the host says ------------------------------------------------------------------

    def notice(self, kind: str, text: str) -> None:
        """Log what concerns the robot: nobody can be told over the bus."""
        _LOG.info("%s: %s", self._robot, text)

    def robot_removed(self) -> None:
        """Note that somebody took the robot out of the world: its motors answer no more."""
        self._present = False
        self._send(self._health(), self._host.time)
        self._bus.flush()
        self._connection.close()
        _LOG.warning("%s was taken out of the world; its motors are off the bus", self._robot)

    def carry_out_deferred(self) -> None:
        """Nothing is put off."""

    def begin_turn(self, time: float) -> None:
        """It has no turns."""

    def receive_radio(self, message: RadioSignal) -> None:
        """Motors have no radio."""

    def turn_missed(self, seconds: float) -> None:
        """Nobody waits for motors."""


def _sensors(entry: RobotEntry, rate_hz: float) -> tuple[dict[str, Any], ...]:
    """Return what the robot carries beside its own: its equipment, and the drivers' sensors."""
    own = [sensor for sensor in entry.equipped().sensors if sensor.get("name") not in _OWN]
    encoders = {"kind": "tachometer", "name": ENCODERS, "drives": DRIVES, "rate_hz": rate_hz}
    posture = {"kind": "ins", "name": POSTURE, "mount": "body", "rate_hz": 1 / Posture.CYCLE}
    return (*own, encoders, posture)


_OWN = {ENCODERS, POSTURE}
