"""The rosbridge gateway: planning services of the robots of a world, for ROS programs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from pydantic import InstanceOf
from pydantic.json_schema import SkipJsonSchema

from grouser.description import Items
from grouser.errors import unknown
from grouser.gateways.gateway import Endpoint, Gateway, GatewayContext, PortNumber
from grouser.gateways.rosbridge.robot_services import RobotServices
from grouser.gateways.rosbridge.rosbridge_socket import RosbridgeSocket
from grouser.gateways.websocket import server_protocol
from grouser.protocol.rosbridge import PORT
from grouser.trials.plan import PlanSettings
from grouser.trials.plan_task import Point2


class RosbridgeGateway(Gateway):
    """Port where clients call the services of robots, over the rosbridge protocol."""

    port: PortNumber = PORT
    goals: tuple[tuple[str, Point2], ...] = ()
    """Goals (m) by name of the robot; "" is the goal of all other robots."""
    settings: SkipJsonSchema[InstanceOf[PlanSettings]] = PlanSettings()
    """Size of one plan; the seed is that of a robot's first plan."""
    origins: Items[str] = ()
    """Allowed origins of web pages, such as ``http://localhost:8000``; empty: none."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port, ``rosbridge``.

        Raises:
            UnknownName: a goal names a robot that is not in the world.
            MissingDependency: the websocket library is not installed.
        """
        robots = context.host.simulation.scene.robots
        for robot, _ in self.goals:
            if robot and robot not in robots:
                raise unknown("--goal", "robot", robot, robots)
        server_protocol(context.registry.limits.longest_line)  # fail early if not installed
        services = RobotServices(
            context.host, dict(self.goals), self.settings, context.registry.wake
        )
        factory = partial(RosbridgeSocket, context.registry, services, self.origins)
        yield Endpoint("rosbridge", self.port, factory)
