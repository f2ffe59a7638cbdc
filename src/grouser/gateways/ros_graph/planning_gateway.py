"""Options and services that the gateways for ROS have in common."""

from __future__ import annotations

from pydantic import InstanceOf
from pydantic.json_schema import SkipJsonSchema

from grouser.description import Positive
from grouser.errors import unknown
from grouser.gateways.gateway import Gateway, GatewayContext
from grouser.gateways.ros_graph.live_topics import STATE_RATE_HZ, LiveTopics
from grouser.gateways.ros_graph.mesh_files import MeshFiles
from grouser.gateways.ros_graph.robot_services import RobotServices
from grouser.trials.plan import PlanSettings
from grouser.trials.plan_task import Point2


class PlanningGateway(Gateway):
    """Base of the gateways with topics and planning services."""

    goals: tuple[tuple[str, Point2], ...] = ()
    """Goals (m) by name of the robot; "" is the goal of all other robots."""
    settings: SkipJsonSchema[InstanceOf[PlanSettings]] = PlanSettings()
    """Size of one plan; the seed is that of a robot's first plan."""
    rate_hz: Positive = STATE_RATE_HZ
    """Rate of poses, odometry, joint states and the clock, messages per simulated second."""

    def check_goals(self, context: GatewayContext) -> None:
        """Raise `UnknownName` if a goal names a robot that is not in the world."""
        robots = context.host.simulation.scene.robots
        for robot, _ in self.goals:
            if robot and robot not in robots:
                raise unknown("--goal", "robot", robot, robots)

    def open_topics(
        self, context: GatewayContext, meshes: MeshFiles
    ) -> tuple[RobotServices, LiveTopics]:
        """Return services and topics of the world; the topics must be closed."""
        services = RobotServices(
            context.host, dict(self.goals), self.settings, context.registry.wake
        )
        topics = LiveTopics(context.host.simulation, context.views, self.rate_hz, meshes)
        services.on_path = topics.publish_path
        return services, topics
