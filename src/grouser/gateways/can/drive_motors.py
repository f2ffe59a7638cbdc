"""Motors of any robot on a CAN bus: one command for each quantity of a drive, by drive order.

A watchdog stops a drive 0.3 s after its last valid speed or torque command.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable

import mujoco

from grouser.gateways.can.bus import CanBus
from grouser.gateways.can.bus_motors import BusMotors
from grouser.physics.drives import Setpoint, angle, speed, torque
from grouser.protocol.can import messages as can
from grouser.protocol.can.drive_messages import (
    BASES,
    BusDrive,
    DriveClock,
    DriveHealth,
    DriveLayout,
    Quantity,
)
from grouser.sensors.sensor import Reading
from grouser.service.host import Host
from grouser.simulation.scene import Scene
from grouser.world.file import RobotEntry

SETPOINTS: dict[Quantity, Callable[[float], Setpoint]] = {
    "position": angle,
    "speed": speed,
    "torque": torque,
}

_LOG = logging.getLogger(__name__)


def bus_layout(scene: Scene, robot: str) -> DriveLayout:
    """Return the messages of a robot's bus."""
    described, model = scene.robots[robot], scene.model
    belts = {belt.drive for belt in described.belts}
    drives = []
    for name, drive in described.drives.items():
        joint = int(model.actuator_trnid[model.actuator(f"{robot}/{name}").id, 0])
        low, high = described.limits.get(name, (-math.inf, math.inf))
        drives.append(
            BusDrive(
                name=name,
                linear=name in belts or model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE,
                rolling=name in described.rolling,
                speed=drive.speed,
                force=drive.force,
                low=low,
                high=high,
            )
        )
    return DriveLayout(drives)


class DriveMotors(BusMotors):
    """Motors of a robot with any drives."""

    def __init__(self, host: Host, entry: RobotEntry, bus: CanBus, *, rate_hz: float) -> None:
        """Acquire the robot, which is in the world, and connect its motors to the bus.

        ``rate_hz`` is the encoder rate per simulated second.
        """
        self.layout = bus_layout(host.simulation.scene, entry.name)
        self._moved: set[int] = set()
        """Identifiers of the speed and torque commands that are in effect."""
        names = tuple(drive.name for drive in self.layout.drives)
        root = host.simulation.scene.robots[entry.name].root
        super().__init__(host, entry, bus, rate_hz=rate_hz, drives=names, mount=root)

    def _switch_on(self) -> None:
        super()._switch_on()
        self._moved.clear()

    def _new_gate(self) -> can.CommandGate:
        targets = self.layout.targets.items()
        moving = {number for number, (_, quantity) in targets if quantity != "position"}
        return can.CommandGate(self.layout.commands, moving)

    def _halt(self) -> None:
        super()._halt()
        self._moved.clear()

    def _execute(self, command: can.CanCommand) -> None:
        drive, quantity = self.layout.targets[command.ID]
        [value] = command.values()
        self._move({drive.name: SETPOINTS[quantity](value)})
        number = command.ID - BASES[quantity]
        self._moved -= {base + number for base in BASES.values()}
        if quantity != "position":
            self._moved.add(command.ID)

    def _watch(self, time: float) -> None:
        silent = {
            number
            for number in self._moved
            if time - self.gate.executed.get(number, -math.inf) >= can.SILENCE
        }
        if silent:
            self._moved -= silent
            drives = sorted(self.layout.targets[number][0].name for number in silent)
            self._move({drive: speed(0.0) for drive in drives})
            _LOG.info("%s: watchdog stopped %s", self._robot, ", ".join(drives))

    def _send_encoders(self, reading: Reading) -> None:
        self._send(DriveClock(reading.time), reading.time)
        positions = reading.array("positions").tolist()
        speeds = reading.array("speeds").tolist()
        for kind, position, rate in zip(self.layout.motions, positions, speeds, strict=True):
            self._send(kind(position, rate), reading.time)  # type: ignore[call-arg]

    def _health(self) -> DriveHealth:
        refused = self.gate.refused
        return DriveHealth(
            self._flags(),
            self._stalls.bits,
            refused["crc"] % 256,
            refused["counter"] % 256,
            (refused["length"] + refused["range"]) % 256,
        )
