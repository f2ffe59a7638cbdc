"""The rosbridge gateway: topics and services of a world, for ROS programs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from pydantic import InstanceOf
from pydantic.json_schema import SkipJsonSchema

from grouser.description import Items, Positive
from grouser.errors import unknown
from grouser.gateways.gateway import Endpoint, Gateway, GatewayContext, PortNumber
from grouser.gateways.ros_graph.live_topics import STATE_RATE_HZ, LiveTopics
from grouser.gateways.ros_graph.robot_services import RobotServices
from grouser.gateways.rosbridge.rosapi import RosGraph
from grouser.gateways.rosbridge.rosbridge_socket import RosbridgeSocket
from grouser.gateways.websocket import server_protocol
from grouser.protocol.rosbridge import PORT
from grouser.ros.json_fields import RosVersion
from grouser.trials.plan import PlanSettings
from grouser.trials.plan_task import Point2


class RosbridgeGateway(Gateway):
    """Port for ROS programs: topics and services, over the rosbridge protocol."""

    port: PortNumber = PORT
    goals: tuple[tuple[str, Point2], ...] = ()
    """Goals (m) by name of the robot; "" is the goal of all other robots."""
    settings: SkipJsonSchema[InstanceOf[PlanSettings]] = PlanSettings()
    """Size of one plan; the seed is that of a robot's first plan."""
    origins: Items[str] = ()
    """Allowed origins of web pages, such as ``http://localhost:8000``; empty: none."""

    ros: RosVersion = 1
    """Form of types and messages: 1, such as ``sensor_msgs/Imu``; 2, ``sensor_msgs/msg/Imu``."""
    rate_hz: Positive = STATE_RATE_HZ
    """Rate of poses, odometry, joint states and the clock, messages per simulated second."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port, ``rosbridge``.

        Raises:
            UnknownName: a goal names a robot that is not in the world.
            MissingDependency: the websocket library or the message definitions are not installed.
        """
        robots = context.host.simulation.scene.robots
        for robot, _ in self.goals:
            if robot and robot not in robots:
                raise unknown("--goal", "robot", robot, robots)
        server_protocol(context.registry.limits.longest_line)  # fail early if not installed
        services = RobotServices(
            context.host, dict(self.goals), self.settings, context.registry.wake
        )
        topics = LiveTopics(context.host.simulation, context.views, self.rate_hz)
        services.on_path = topics.publish_path
        graph = RosGraph(services, topics, self.ros)
        factory = partial(RosbridgeSocket, context.registry, graph, self.origins)
        yield Endpoint("rosbridge", self.port, factory, lambda address, port: topics.close)
