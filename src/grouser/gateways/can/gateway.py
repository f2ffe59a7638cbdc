"""The CAN gateway: a robot's motors on a virtual CAN bus, served at a TCP port."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from pydantic import InstanceOf
from pydantic.json_schema import SkipJsonSchema

from grouser.description import Positive
from grouser.errors import BadValue, unknown
from grouser.gateways.can.beacon import start_beacon
from grouser.gateways.can.bus import CanBus
from grouser.gateways.can.can_socket import CanSocket
from grouser.gateways.can.drive_motors import DriveMotors, bus_layout
from grouser.gateways.can.motor_drivers import DRIVES, MotorDrivers
from grouser.gateways.gateway import Endpoint, Gateway, GatewayContext, PortNumber
from grouser.protocol.can.dbc import kenaf_dbc
from grouser.protocol.can.messages import BeltEncoders
from grouser.protocol.can.socketcand import PORT
from grouser.protocol.link_faults import LinkFaults
from grouser.robots.robot import Robot
from grouser.simulation.changes.placement import floor_below
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry

DEFAULT_ROBOT = "kenaf"
"""Name and kind of the robot that is added to a world without a suitable one."""
BUS_FRAMES = 10_000.0
"""Messages per second from one client: above the capacity of a CAN bus of 1 Mbit/s."""
BUS_SHARE = 0.5
"""Share of the server's processor time for one client, s/s: a control loop at 1 kHz must not be
throttled."""
HIGH = 1000.0
"""Height from which the ground below the added robot is searched, m."""


class CanGateway(Gateway):
    """Port where controllers reach a robot's motors on a CAN bus (socketcand)."""

    port: PortNumber = PORT
    bus: str = "can0"
    """Name of the bus."""
    robot: str = ""
    """Robot of any kind; empty: the only one with Kenaf's six motors, else a Kenaf is added."""
    rate_hz: Positive = 1 / BeltEncoders.CYCLE
    """Encoder rate per simulated second; at most once per physics step."""
    faults: SkipJsonSchema[InstanceOf[LinkFaults]] = LinkFaults()
    """Faults between each client and the bus, in simulated time."""
    beacon: bool = False
    """Broadcast socketcand's beacon, by which programs find the bus."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port, ``can``.

        Raises:
            UnknownName: there is no such robot.
            BadValue: it has no drives, or several robots are suitable.
        """
        host = context.host
        bus, entry = CanBus(lambda: host.time), self.entry(host.simulation)
        known = host.simulation.scene.robots.get(entry.name)
        any_drives = known is not None and not has_kenaf_motors(known)
        (DriveMotors if any_drives else MotorDrivers)(host, entry, bus, rate_hz=self.rate_hz)
        factory = partial(CanSocket, context.registry, bus, self.bus, self.faults)
        opened = partial(start_beacon, self.bus) if self.beacon else None
        yield Endpoint("can", self.port, factory, opened)

    def dbc(self, simulation: Simulation) -> str:
        """Return the DBC file of the bus."""
        entry = self.entry(simulation)
        known = simulation.scene.robots.get(entry.name)
        if known is None or has_kenaf_motors(known):
            return kenaf_dbc()
        return bus_layout(simulation.scene, entry.name).dbc(entry.name)

    def entry(self, simulation: Simulation) -> RobotEntry:
        """Return the robot whose motors are served."""
        entries = {entry.name: entry for entry in simulation.world.robots}
        if self.robot:
            if self.robot not in entries:
                raise unknown("motors", "robot", self.robot, entries)
            return entries[self.robot]
        robots = simulation.scene.robots
        fit = [name for name in entries if has_kenaf_motors(robots[name])]
        if len(fit) > 1:
            raise BadValue(f"motors: choose one of {', '.join(fit)}: --robot {fit[0]}")
        return entries[fit[0]] if fit else _default_entry(simulation)


def has_kenaf_motors(robot: Robot) -> bool:
    """Return whether a robot has Kenaf's six motors and so the frames of its bus."""
    return set(DRIVES) <= set(robot.drives)


def _default_entry(simulation: Simulation) -> RobotEntry:
    """Return a Kenaf at the first start pose of the world, else on the ground at its origin."""
    if DEFAULT_ROBOT in (
        member.name for member in (*simulation.world.robots, *simulation.world.objects)
    ):
        raise BadValue(f"motors: '{DEFAULT_ROBOT}' is not a robot with Kenaf's six motors")
    starts = simulation.world.starts
    if starts:
        place = starts[0].model_dump(exclude={"name"})
        return RobotEntry(name=DEFAULT_ROBOT, kind=DEFAULT_ROBOT, **place)
    ground = floor_below(simulation.model, simulation.data, 0.0, 0.0, HIGH)
    return RobotEntry(name=DEFAULT_ROBOT, kind=DEFAULT_ROBOT, position=(0.0, 0.0, ground or 0.0))
