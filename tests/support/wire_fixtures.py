"""A robot in a world, seen over the wire without a socket: what tests of the wire share."""

from functools import partial

from grouser.gateways.usarsim.drive_modes import DriveState
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.robot_adapter import RobotAdapter
from grouser.gateways.usarsim.robot_layout import RobotLayout
from grouser.gateways.usarsim.wire_names import CLASSES
from grouser.protocol.usarsim.codec import ClientSide, ServerSide
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat


class Wired:
    """One robot, ``r``, and its client."""

    def __init__(self, kind, *sensors, objects=(), profile=None, friction=0.8, **options) -> None:
        _, usual = CLASSES[kind]
        entry = RobotEntry(
            name="r", kind=kind, position=(0, 0, 0), sensors=sensors, options=usual | options
        )
        ground = (Flat(friction=friction),)
        world = World(name="w", physics=STANDARD, terrain=ground, robots=(entry,), objects=objects)
        self.sim = Simulation(world)
        scene = self.sim.scene
        sensed = {name: sensor for (_, name), (sensor, _) in scene.sensors.items()}
        self.layout = RobotLayout("r", kind, scene.robots["r"], sensed, scene.model)
        self.adapter = RobotAdapter(self.layout)
        self.speak(profile or PortProfile())

    def speak(self, profile):
        """Go on with another client, to whom the robot looks so."""
        self.profile, self.drive_state = profile, DriveState()
        self._server = ServerSide(profile.dialect)
        self._client = ClientSide(profile.dialect)
        return self

    def heard(self, line):
        """Return the message of a client's line."""
        (message,) = self._server.receive(f"{line}\r\n".encode())
        return message

    def orders(self, line):
        angles = partial(self.sim.angles, "r")
        return self.adapter.command(self.heard(line), self.profile, angles, self.drive_state)

    def tell(self, *lines, seconds=0.0) -> None:
        """Let the client say ``lines``, then let time pass."""
        for line in lines:
            self.sim.command("r", self.orders(line))
        self.sim.step(seconds)

    def received(self, messages):
        """Return what the client understands of what the server says."""
        data = b"".join(line for message in messages for line in self._server.send(message))
        return self._client.receive(data)

    def lines(self, messages):
        return [line.decode().rstrip() for m in messages for line in self._server.send(m)]

    def state(self, **more):
        return self.adapter.state(self.sim.time, self.sim.angles("r"), self.profile, **more)

    def readings(self):
        """Return every sensor's newest reading."""
        sensors = self.sim.scene.sensors
        return [(sensor, self.sim.read("r", name)) for (_, name), (sensor, _) in sensors.items()]

    @property
    def x(self):
        return float(self.sim.pose("r").position[0])


BARE = {kind: {"sensors": False} for kind in ("ers7", "ers210", "p2dx", "p2at", "p3at")}
"""Options of robots that are built faster without most of their sensors."""


def wired(kind, **more):
    """Return a robot that is built fast."""
    return Wired(kind, **BARE.get(kind, {}), **more)


def spins(robot, orders):
    """Return the sides' spins in ``orders``, rad/s."""
    steering, radius = robot.layout.robot.steering, robot.layout.drive_mode.radius
    return tuple(
        orders[side[0]].value * steering.radius / radius for side in (steering.left, steering.right)
    )
