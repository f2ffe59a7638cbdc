"""The rosbridge gateway: planning services of the world's robots for ROS programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from grouser.errors import unknown
from grouser.gateways.gateway import Endpoint, GatewayContext
from grouser.gateways.rosbridge.robot_services import RobotServices
from grouser.gateways.rosbridge.rosbridge_socket import RosbridgeSocket
from grouser.gateways.rosbridge.websocket import server_protocol
from grouser.protocol.rosbridge import PORT
from grouser.trials.plan import PlanSettings
from grouser.trials.plan_task import Point2


@dataclass(frozen=True)
class RosbridgeGateway:
    """A port where clients call the services of robots, over the rosbridge protocol."""

    port: int = PORT
    goals: tuple[tuple[str, Point2], ...] = ()
    """Where robots are to get, by name; "" is everybody who is not named."""
    settings: PlanSettings = field(default_factory=PlanSettings)
    """How much is planned and driven aside in one plan; its seed is that of a robot's first."""
    origins: tuple[str, ...] = ()
    """Origins of pages that may come in, such as ``http://localhost:8000``; none: no page may."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port, ``rosbridge``.

        Raises:
            UnknownName: a goal is for nobody in the world.
            MissingDependency: the websocket library is not installed.
        """
        robots = context.host.simulation.scene.robots
        for robot, _ in self.goals:
            if robot and robot not in robots:
                raise unknown("--goal", "robot", robot, robots)
        server_protocol(context.registry.limits.longest_line)  # is it installed?
        services = RobotServices(
            context.host, dict(self.goals), self.settings, context.registry.wake
        )
        factory = partial(RosbridgeSocket, context.registry, services, self.origins)
        yield Endpoint("rosbridge", self.port, factory)
