"""URBI gateway: commands of a program for AIBO become set points of one robot."""

from __future__ import annotations

import asyncio
import io
import math
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from grouser.errors import BadValue, GrouserError, Refused, unknown
from grouser.frames import radians, seconds
from grouser.gateways.client_socket import ClientSocket
from grouser.gateways.gateway import Endpoint, Gateway, GatewayContext, PortNumber
from grouser.gateways.ros_graph.robot_commands import RobotCommander
from grouser.gateways.urbi.devices import JOINTS, Devices
from grouser.physics.drives import Setpoint, angle, speed, torque
from grouser.protocol import urbi
from grouser.sensors.camera import Camera
from grouser.service.access import Role
from grouser.service.request_queue import Request
from grouser.simulation.observers import Subscription
from grouser.simulation.simulation import Simulation

PERIOD = 0.032
"""Interval of the messages of a loop: OPEN-R's frames of the ERS-7, s."""
TICK_HZ = 125.0
"""Rate at which movements are passed on: the robot's joint frames, 1/s."""
MOST_PENDING = 1000
"""Most commands of one client that wait."""
MOST_LOOPS = 100
PICTURE_TIMEOUT = 10.0
"""Simulated time until a picture that is not drawn is reported, s."""


class UrbiGateway(Gateway):
    """Port where programs for AIBO command one robot of the world."""

    port: PortNumber = urbi.PORT
    robot: str = ""
    """Name of the robot; empty: the only AIBO of the world."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port: ``urbi``, or ``urbi_NAME`` if the robot is chosen.

        Raises:
            UnknownName: there is no such robot.
            BadValue: there is no AIBO, or more than one.
        """
        name = self.robot or only_aibo(context.host.simulation)
        robots = [entry.name for entry in context.host.simulation.world.robots]
        if name not in robots:
            raise unknown("urbi", "robot", name, robots)
        port = f"urbi_{name}" if self.robot else "urbi"
        yield Endpoint(port, self.port, partial(UrbiSocket, context, name))


def only_aibo(simulation: Simulation) -> str:
    """Return the name of the only AIBO of a world."""
    found = [entry.name for entry in simulation.world.robots if entry.kind in JOINTS]
    if len(found) != 1:
        names = ", ".join(found) or "none"
        raise BadValue(f"urbi: the world has no single AIBO ({names}); choose one: robot=NAME")
    return found[0]


@dataclass
class Movement:
    """Movement of one joint from one angle to another, rad."""

    begin: float
    end: float
    start: float
    """Simulated time, s."""
    seconds: float
    smooth: bool

    def at(self, time: float) -> float:
        """Return the target at a time."""
        share = min(1.0, (time - self.start) / self.seconds) if self.seconds > 0 else 1.0
        if self.smooth:
            share = 0.5 - 0.5 * math.cos(math.pi * share)
        return self.begin + share * (self.end - self.begin)


@dataclass
class PendingPicture:
    """Picture that a client waits for."""

    tag: str
    asked: float
    """Simulated time, s."""


class UrbiSocket(ClientSocket):
    """Connection of one program; observes the simulation."""

    def __init__(self, context: GatewayContext, robot: str) -> None:
        super().__init__(context.registry)
        self._context, self._robot = context, robot
        self._simulation = context.host.simulation
        self._side = urbi.UrbiServerSide()
        self._pending: deque[urbi.UrbiCommand] = deque()
        self._until = 0.0
        """Simulated time until which the next command waits, s."""
        self._movements: dict[str, Movement] = {}
        """Drive → its movement."""
        self._loops: list[tuple[str, urbi.Read, float]] = []
        """Tag, device and time of the next message."""
        self._pictures: list[PendingPicture] = []
        self._owner: RobotCommander | None = None
        self._subscription: Subscription | None = None
        self._watched: tuple[str, str] | None = None
        """Robot and camera whose pictures are drawn for the client."""

    @property
    def has_robot(self) -> bool:
        """True if the program commands the robot."""
        return self._owner is not None

    def opened(self, transport: asyncio.Transport) -> None:
        """Send the greeting."""
        super().opened(transport)
        self._send(urbi.message(self._now, "start", "*** URBI server of Grouser"))
        self._send(urbi.message(self._now, "ident", f"*** ID: {self._robot}"))
        self._subscription = self._simulation.subscribe(self, rate_hz=TICK_HZ)

    def closed(self) -> None:
        """Release the robot."""
        if self._subscription is not None:
            self._subscription.close()
        if self._owner is not None:
            self._owner.release()
        self._watch_camera(False)

    def requests(self, data: bytes) -> list[Request]:
        """Return one request per command."""
        return [partial(self._add, command) for command in self._side.receive(data)]

    def on_step(self, time: float) -> None:
        """Move the joints, send the messages of loops, go on with commands that wait."""
        try:
            self._move(time)
            for number, (tag, read, due) in enumerate(self._loops):
                if time + 1e-9 >= due:
                    self._loops[number] = tag, read, max(due + PERIOD, time)
                    self._read(tag, read)
            self._send_pictures(time)
        except GrouserError as error:  # the robot has left
            self._send(urbi.error(time, urbi.NO_TAG, str(error)))
            self._loops.clear()
            self._movements.clear()
        self._go_on()

    # -- commands ----------------------------------------------------------------------------

    @property
    def _now(self) -> float:
        return self._simulation.time

    def _send(self, data: bytes) -> None:
        self.outbox.line(data)

    def _add(self, command: urbi.UrbiCommand) -> None:
        try:
            if isinstance(command.action, urbi.ShowToken):
                self.login.show(command.action.secret)
                return
            self.login.require(Role.DRIVE)
        except Refused as error:
            self._send(urbi.error(self._now, command.tag, str(error)))
            return
        if len(self._pending) >= MOST_PENDING:
            reason = f"more than {MOST_PENDING} commands wait, this one is dropped"
            self._send(urbi.error(self._now, command.tag, reason))
            return
        self._pending.append(command)
        self._go_on()

    def _go_on(self) -> None:
        """Execute the commands that need not wait."""
        while self._pending and self._now + 1e-9 >= self._until:
            command = self._pending.popleft()
            try:
                duration = self._execute(command.tag, command.action)
            except GrouserError as error:
                self._send(urbi.error(self._now, command.tag, str(error)))
                duration = 0.0
            if command.waits:
                self._until = self._now + duration

    def _execute(self, tag: str, action: urbi.Action) -> float:
        """Execute a command; return the simulated seconds until it has ended."""
        match action:
            case urbi.Motors(on):
                self._switch_motors(on)
            case urbi.Assign():
                return self._assign(action)
            case urbi.Read():
                self._start_reading(tag, action)
            case urbi.Wait(pause):
                return pause
            case urbi.Echo(text):
                self._send(urbi.message(self._now, tag, text))
            case urbi.StopTag(stopped):
                self._loops = [loop for loop in self._loops if loop[0] != stopped]
            case urbi.Invalid(reason):
                self._send(urbi.error(self._now, tag, reason))
        return 0.0

    def _devices(self) -> Devices:
        simulation = self._simulation
        entry = next((e for e in simulation.world.robots if e.name == self._robot), None)
        if entry is None:
            raise BadValue(f"'{self._robot}' is not in the world")
        return Devices(entry.name, entry.kind, simulation.scene.robots[entry.name])

    # -- joints ------------------------------------------------------------------------------

    def _command(self, setpoints: dict[str, Setpoint]) -> None:
        """Command the robot, whose owner the program becomes with its first command."""
        if self._owner is None:
            if not self._may_drive():
                raise Refused("no further robot may be driven from this address")
            self._owner = RobotCommander(
                self._context.host, self._robot, self.address, self._lose_robot
            )
        self._owner.command(setpoints)

    def _may_drive(self) -> bool:
        registry = self.registry
        return registry.robots_of(self.address) < registry.limits.robots_per_address

    def _lose_robot(self) -> None:
        self._owner = None
        self._movements.clear()

    def _switch_motors(self, on: bool) -> None:
        devices = self._devices()
        drives = [drive for drive in devices.joints.values() if not devices.is_rolling(drive)]
        held = {}
        for drive in drives:
            low, high = devices.limits(drive)
            held[drive] = min(max(self._angle(devices, drive), low), high)
        self._movements.clear()
        self._command(
            {drive: angle(at) if on else torque(0.0) for drive, at in held.items()}
            or {drive: speed(0.0) for drive in devices.joints.values()}
        )

    def _angle(self, devices: Devices, drive: str) -> float:
        device = next(name for name, known in devices.joints.items() if known == drive)
        return radians(devices.value(self._simulation, device))

    def _assign(self, command: urbi.Assign) -> float:
        """Begin a movement; return its duration, s. Other properties have no effect."""
        devices = self._devices()
        if command.property != "val":
            if command.device != "camera":
                devices.drive(command.device)
            return 0.0
        drive = devices.drive(command.device)
        low, high = devices.limits(drive)
        target = radians(float(command.value))
        if command.normal and not (math.isfinite(low) and math.isfinite(high)):
            raise BadValue(f"{command.device} has no limits, between which a value could be")
        if command.normal:
            target = low + float(command.value) * (high - low)
        elif command.base:
            target += radians(devices.value(self._simulation, command.base))
        if devices.is_rolling(drive):
            self._command({drive: speed(target)})
            return 0.0
        target = min(max(target, low), high)
        begin = self._angle(devices, drive)
        modifiers = dict(command.modifiers)
        given = max(modifiers.get("time", 0.0), modifiers.get("smooth", 0.0), 0.0)
        duration = seconds(given)
        if rate := radians(abs(modifiers.get("speed", 0.0))):
            duration = abs(target - begin) / rate
        self._movements[drive] = Movement(begin, target, self._now, duration, "smooth" in modifiers)
        self._move(self._now)
        return duration

    def _move(self, time: float) -> None:
        if not self._movements:
            return
        self._command({drive: angle(one.at(time)) for drive, one in self._movements.items()})
        self._movements = {
            drive: one for drive, one in self._movements.items() if time < one.start + one.seconds
        }

    # -- values ------------------------------------------------------------------------------

    def _start_reading(self, tag: str, read: urbi.Read) -> None:
        if read.device == "camera" or not read.loop:
            self._read(tag, read)
        if read.loop:
            if len(self._loops) >= MOST_LOOPS:
                raise BadValue(f"more than {MOST_LOOPS} loops")
            self._devices().value(self._simulation, read.device)  # raises for an unknown one
            self._loops.append((tag, read, self._now))

    def _read(self, tag: str, read: urbi.Read) -> None:
        """Send the value of a device."""
        if read.device == "camera":
            self._pictures.append(PendingPicture(tag, self._now))
            self._watch_camera(True)
            return
        devices = self._devices()
        value = devices.value(self._simulation, read.device)
        if read.normal:
            low, high = devices.limits(devices.drive(read.device))
            value = (radians(value) - low) / (high - low)
        self._send(urbi.number(self._now, tag, value))

    # -- pictures ----------------------------------------------------------------------------

    def _camera(self) -> tuple[str, str] | None:
        """Return robot and name of its first camera."""
        sensors = self._simulation.scene.sensors.items()
        own = (key for key, (sensor, _) in sensors if isinstance(sensor, Camera))
        return next((key for key in own if key[0] == self._robot), None)

    def _watch_camera(self, on: bool) -> None:
        views, camera = self._context.views, self._camera()
        if on and (views is None or camera is None):
            self._pictures.clear()
            raise BadValue("the robot has no camera, or the server draws no pictures")
        if views is None or camera is None or on == (self._watched is not None):
            return
        (views.frames.watch if on else views.frames.unwatch)(camera)
        self._watched = camera if on else None

    def _send_pictures(self, time: float) -> None:
        views = self._context.views
        if not self._pictures or views is None or self._watched is None:
            return
        drawn = views.frames.pictures.get(self._watched)
        if drawn is None or not views.frames.is_current(self._watched):
            if time - self._pictures[0].asked > PICTURE_TIMEOUT:
                self._pictures.clear()
                raise BadValue("the camera's picture could not be drawn")
            return
        image = drawn.raster.bgr()[..., ::-1]
        jpeg = drawn.jpeg or b"".join(_encode(image))
        for waiting in self._pictures:
            size = (image.shape[1], image.shape[0])
            self._send(urbi.picture(drawn.time, waiting.tag, jpeg, size))
        self._pictures.clear()


def _encode(image: object) -> Iterator[bytes]:
    """Yield the JPEG file of a picture."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=80)  # type: ignore[arg-type]
    yield file.getvalue()
