"""The rosbridge gateway: topics and services of a world, for ROS programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from grouser.description import Items
from grouser.gateways.gateway import Endpoint, GatewayContext, PortNumber
from grouser.gateways.ros_graph.mesh_files import MeshFiles
from grouser.gateways.ros_graph.planning_gateway import PlanningGateway
from grouser.gateways.rosbridge.rosapi import RosGraph
from grouser.gateways.rosbridge.rosbridge_socket import RosbridgeSocket
from grouser.gateways.websocket import server_protocol
from grouser.protocol.rosbridge import PORT
from grouser.ros.json_fields import RosVersion


class RosbridgeGateway(PlanningGateway):
    """Port for ROS programs: topics and services, over the rosbridge protocol."""

    port: PortNumber = PORT
    origins: Items[str] = ()
    """Allowed origins of web pages, such as ``http://localhost:8000``; empty: none."""
    ros: RosVersion = 1
    """Form of types and messages: 1, such as ``sensor_msgs/Imu``; 2, ``sensor_msgs/msg/Imu``."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port, ``rosbridge``.

        Raises:
            UnknownName: a goal names a robot that is not in the world.
            MissingDependency: the websocket library or the message definitions are not installed.
        """
        self.check_goals(context)
        server_protocol(context.registry.limits.longest_line)  # fail early if not installed
        meshes = MeshFiles()
        services, topics = self.open_topics(context, meshes)
        graph = RosGraph(services, topics, self.ros, meshes)
        factory = partial(RosbridgeSocket, context.registry, graph, self.origins)

        def opened(address: str, port: int) -> Callable[[], None]:
            meshes.opened(address, port, tls=context.tls)
            return topics.close

        yield Endpoint("rosbridge", self.port, factory, opened)
