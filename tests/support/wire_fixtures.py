"""One simulated robot behind the USARSim adapter and codec, without a socket."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Self

from grouser.gateways.usarsim.drive_state import DriveState
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.robot_adapter import RobotAdapter
from grouser.gateways.usarsim.robot_layout import RobotLayout
from grouser.gateways.usarsim.wire_names import CLASSES
from grouser.physics.drives import Setpoint
from grouser.protocol.usarsim.codec import ClientSide, ServerSide
from grouser.protocol.usarsim.message import Message
from grouser.robots.drive_modes import SkidSteering
from grouser.sensors.sensor import Reading, Sensor
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.objects import AnyObject
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat


class WireRobot:
    """One robot, ``r``, and its client."""

    def __init__(
        self,
        kind: str,
        *sensors: dict[str, Any],
        objects: Sequence[AnyObject] = (),
        profile: PortProfile | None = None,
        friction: float = 0.8,
        **options: object,
    ) -> None:
        _, usual = CLASSES[kind]
        entry = RobotEntry(
            name="r", kind=kind, position=(0, 0, 0), sensors=sensors, options={**usual, **options}
        )
        world = World(
            name="w",
            physics=STANDARD,
            terrain=(Flat(friction=friction),),
            robots=(entry,),
            objects=tuple(objects),
        )
        self.sim = Simulation(world)
        scene = self.sim.scene
        sensors_by_name = {name: sensor for (_, name), (sensor, _) in scene.sensors.items()}
        self.layout = RobotLayout("r", kind, scene.robots["r"], sensors_by_name, scene.model)
        self.adapter = RobotAdapter(self.layout)
        self.set_profile(profile or PortProfile())

    def set_profile(self, profile: PortProfile) -> Self:
        """Replace the client by a new one on a port with another profile."""
        self.profile, self.drive_state = profile, DriveState()
        self._server = ServerSide(profile.dialect)
        self._client = ClientSide(profile.dialect)
        return self

    def parse(self, line: str) -> Message:
        """Return the message of a client's line."""
        (message,) = self._server.receive(f"{line}\r\n".encode())
        assert isinstance(message, Message), message
        return message

    def command_of(self, line: str) -> dict[str, Any]:
        """Return the command of a client's line: setpoints of drives and numbers of a gait."""
        angles = partial(self.sim.angles, "r")
        message = self.parse(line)
        return dict(self.adapter.command(message, self.profile, angles, self.drive_state))

    def send(self, *lines: str, seconds: float = 0.0) -> None:
        """Apply the commands of ``lines``, then step the simulation."""
        for line in lines:
            self.sim.command("r", self.command_of(line))
        self.sim.step(seconds)

    def decode(self, messages: Iterable[Message]) -> list[Any]:
        """Return the messages that the client reads from the server's ``messages``."""
        data = b"".join(line for message in messages for line in self._server.send(message))
        return self._client.receive(data)

    def lines(self, messages: Iterable[Message]) -> list[str]:
        """Return the lines that the server sends for ``messages``."""
        return [line.decode().rstrip() for m in messages for line in self._server.send(m)]

    def state(self, **more: Any) -> list[Any]:
        """Return the state messages of the robot."""
        return self.adapter.state(self.sim.time, self.sim.angles("r"), self.profile, **more)

    def readings(self) -> list[tuple[Sensor, Reading]]:
        """Return every sensor with its newest reading."""
        sensors = self.sim.scene.sensors
        return [(sensor, self.sim.read("r", name)) for (_, name), (sensor, _) in sensors.items()]

    @property
    def x(self) -> float:
        """Position of the robot along the world's x axis, m."""
        return float(self.sim.pose("r").position[0])


BARE: dict[str, dict[str, Any]] = {
    kind: {"sensors": False} for kind in ("ers7", "ers210", "p2dx", "p2at", "p3at")
}
"""Options of robots that are built faster without most of their sensors."""


def simple_robot(kind: str, **more: Any) -> WireRobot:
    """Return a robot that is built fast."""
    return WireRobot(kind, **{**BARE.get(kind, {}), **more})


def side_speeds(robot: WireRobot, command: dict[str, Setpoint]) -> tuple[float, float]:
    """Return the spins of the left and right side in ``command``, rad/s."""
    steering, drive_mode = robot.layout.robot.steering, robot.layout.drive_mode
    assert steering is not None
    assert isinstance(drive_mode, SkidSteering)
    left, right = (
        float(command[side[0]].value) * steering.radius / drive_mode.radius
        for side in (steering.left, steering.right)
    )
    return left, right
