"""Kenaf's six motor drivers on a CAN bus.

A watchdog stops the belts 0.3 s after the last valid command, as drivers of real motors do.
"""

from __future__ import annotations

import logging

from grouser.errors import BadValue
from grouser.gateways.can.bus import CanBus
from grouser.gateways.can.bus_motors import BusMotors
from grouser.physics.drives import angle, speed
from grouser.protocol.can import messages as can
from grouser.sensors.camera import Camera
from grouser.sensors.sensor import Reading
from grouser.sensors.zoom_range import zoom_range
from grouser.service.host import Host
from grouser.simulation.changes.actions import AimCamera
from grouser.world.file import RobotEntry

BELTS = can.MOTORS[:2]
DRIVES = (*BELTS, *(f"{flipper}_arm" for flipper in can.MOTORS[2:]))
"""The robot's drives in the order of `MOTORS`."""
PAN_TILT = {"pan", "tilt"}
"""Drives of a camera's head."""

_LOG = logging.getLogger(__name__)


class MotorDrivers(BusMotors):
    """Kenaf's motor drivers, for robots with its six motors."""

    def __init__(self, host: Host, entry: RobotEntry, bus: CanBus, *, rate_hz: float) -> None:
        """Acquire the robot, or add it to the world, and connect its drivers to the bus.

        ``entry`` has Kenaf's six motors; ``rate_hz`` is the encoder rate per simulated
        second.
        """
        robots = host.simulation.scene.robots
        if entry.name in robots and (missing := set(DRIVES) - set(robots[entry.name].drives)):
            raise BadValue(
                f"'{entry.name}' is a {entry.kind}, which has no drive '{min(missing)}': robots "
                f"with Kenaf's six motors have {', '.join(DRIVES)}"
            )
        super().__init__(host, entry, bus, rate_hz=rate_hz, drives=DRIVES, mount="body")

    def _switch_on(self) -> None:
        super()._switch_on()
        self._zero: tuple[float, float] | None = None

    def _new_gate(self) -> can.CommandGate:
        return can.CommandGate()

    def _execute(self, command: can.CanCommand) -> None:
        match command:
            case can.BeltSpeeds(left, right):
                self._move(dict(zip(BELTS, map(speed, (left, right)), strict=True)))
                self._halted = False
            case can.FrontFlippers(left, right):
                self._move({"front_left_arm": angle(left), "front_right_arm": angle(right)})
            case can.RearFlippers(left, right):
                self._move({"rear_left_arm": angle(left), "rear_right_arm": angle(right)})
            case can.CameraAim(pan, tilt):
                self._aim(pan, tilt)
            case can.CameraZoom(view):
                if (camera := self._first_camera()) is not None:
                    zoom = zoom_range(camera).zoom(view)
                    aim = AimCamera(self._robot, camera.name, zoom=zoom)
                    self._host.apply(aim, source=self.address)

    def _aim(self, pan: float, tilt: float) -> None:
        """Move the motors of a pan-tilt camera, or aim the first camera in its mount.

        The tilt of cameras in their mounts is positive downwards.
        """
        robot = self._host.simulation.scene.robots[self._robot]
        if robot.drives.keys() >= PAN_TILT:
            low, high = robot.limits["tilt"]
            self._move({"pan": angle(pan), "tilt": angle(min(max(tilt, low), high))})
        elif (camera := self._first_camera()) is not None:
            aim = AimCamera(self._robot, camera.name, pan=pan, tilt=-tilt)
            self._host.apply(aim, source=self.address)

    def _first_camera(self) -> Camera | None:
        """Return the first camera of the robot."""
        sensors = self._host.simulation.scene.sensors.items()
        own = (sensor for (robot, _), (sensor, _) in sensors if robot == self._robot)
        return next((sensor for sensor in own if isinstance(sensor, Camera)), None)

    def _watch(self, time: float) -> None:
        if self.gate.is_silent(time) and not self._halted:
            self._move({belt: speed(0.0) for belt in BELTS})
            self._halted = True
            _LOG.info("%s: watchdog stopped the belts, no valid command", self._robot)

    def _send_encoders(self, reading: Reading) -> None:
        positions = reading.array("positions").tolist()
        speeds = reading.array("speeds").tolist()
        if self._zero is None:
            self._zero = positions[0], positions[1]
        left, right = (at - zero for at, zero in zip(positions, self._zero, strict=False))
        self._send(can.BeltEncoders(left, right), reading.time)
        self._send(can.BeltMotion(speeds[0], speeds[1], reading.time), reading.time)
        if self._due(can.FlipperAngles, reading.time):
            self._send(can.FlipperAngles(*positions[2:]), reading.time)

    def _health(self) -> can.Health:
        refused = self.gate.refused
        return can.Health(
            self._flags(),
            self._stalls.bits,
            *(refused[kind] % 256 for kind in ("crc", "counter", "length", "range")),
        )
