"""The CAN gateway: a robot's motor drivers on a bus, and the bus at a port."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from grouser.errors import BadValue, unknown
from grouser.gateways.can.bus import CanBus
from grouser.gateways.can.can_socket import CanSocket
from grouser.gateways.can.motor_drivers import DRIVES, MotorDrivers
from grouser.gateways.gateway import Endpoint, GatewayContext
from grouser.protocol.can.messages import BeltEncoders
from grouser.protocol.can.socketcand import PORT
from grouser.protocol.link_faults import LinkFaults
from grouser.simulation.changes.placement import floor_below
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry

NEWCOMER = "kenaf"
"""Name and kind of the robot that comes to a world without one."""
BUS_FRAMES = 10_000.0
"""Messages per second from one client: more frames than this no CAN bus of 1 Mbit/s carries."""
BUS_SHARE = 0.5
"""Seconds per second that a server of motors works for one client: a loop that is closed 1,000
times a second must not wait for its share, and the bus is what such a server is there for."""
HIGH = 1000.0
"""Height from which the ground under a newcomer is looked for, m."""


@dataclass(frozen=True)
class CanGateway:
    """A port where controllers find a robot's motors on a CAN bus (socketcand)."""

    port: int = PORT
    bus: str = "can0"
    """What clients open."""
    robot: str = ""
    """Whose motors; empty: the only robot there with Kenaf's six motors, or a Kenaf that comes."""
    rate_hz: float = 1 / BeltEncoders.CYCLE
    """How often encoders are read and sent, per simulated second; at most once a physics step."""
    faults: LinkFaults = field(default_factory=LinkFaults)
    """What goes wrong between each client and the bus, in simulated time."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port, ``can``.

        Raises:
            UnknownName: there is no such robot.
            BadValue: it has other motors, or which one is meant cannot be told.
        """
        host = context.host
        bus = CanBus(lambda: host.time)
        MotorDrivers(host, self._entry(host.simulation), bus, rate_hz=self.rate_hz)
        factory = partial(CanSocket, context.registry, bus, self.bus, self.faults)
        yield Endpoint("can", self.port, factory)

    def _entry(self, simulation: Simulation) -> RobotEntry:
        """Return the robot whose motors are meant."""
        entries = {entry.name: entry for entry in simulation.world.robots}
        if self.robot:
            if self.robot not in entries:
                raise unknown("motors", "robot", self.robot, entries)
            return entries[self.robot]
        robots = simulation.scene.robots
        fit = [name for name in entries if set(DRIVES) <= set(robots[name].drives)]
        if len(fit) > 1:
            raise BadValue(f"motors: say whose, there are {', '.join(fit)}: --robot {fit[0]}")
        return entries[fit[0]] if fit else _newcomer(simulation)


def _newcomer(simulation: Simulation) -> RobotEntry:
    """Return a Kenaf at the world's first start, else on the ground at its origin."""
    if NEWCOMER in (
        member.name for member in (*simulation.world.robots, *simulation.world.objects)
    ):
        raise BadValue(f"motors: '{NEWCOMER}' is not a robot with Kenaf's six motors")
    starts = simulation.world.starts
    if starts:
        place = starts[0].model_dump(exclude={"name"})
        return RobotEntry(name=NEWCOMER, kind=NEWCOMER, **place)
    ground = floor_below(simulation.model, simulation.data, 0.0, 0.0, HIGH)
    return RobotEntry(name=NEWCOMER, kind=NEWCOMER, position=(0.0, 0.0, ground or 0.0))
