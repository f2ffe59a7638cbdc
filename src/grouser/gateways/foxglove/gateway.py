"""The Foxglove gateway: topics and services of a world, live in Foxglove."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from grouser.description import Items
from grouser.gateways.foxglove.foxglove_socket import FoxgloveGraph, FoxgloveSocket
from grouser.gateways.gateway import Endpoint, GatewayContext, PortNumber
from grouser.gateways.ros_graph.mesh_files import MeshFiles
from grouser.gateways.ros_graph.planning_gateway import PlanningGateway
from grouser.gateways.websocket import server_protocol
from grouser.protocol.foxglove import PORT


class FoxgloveGateway(PlanningGateway):
    """Port for Foxglove: topics and services, over its websocket protocol."""

    port: PortNumber = PORT
    origins: Items[str] = ()
    """Allowed origins of web pages, such as ``https://app.foxglove.dev``; empty: none."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port, ``foxglove``.

        Raises:
            UnknownName: a goal names a robot that is not in the world.
            MissingDependency: the websocket library or the message definitions are not installed.
        """
        self.check_goals(context)
        server_protocol(context.registry.limits.longest_line)  # fail early if not installed
        meshes = MeshFiles()
        services, topics = self.open_topics(context, meshes)
        graph = FoxgloveGraph(context.host.simulation.world.name, services, topics, meshes)
        factory = partial(FoxgloveSocket, context.registry, graph, self.origins)

        def opened(address: str, port: int) -> Callable[[], None]:
            meshes.opened(address, port, tls=context.tls)
            return topics.close

        yield Endpoint("foxglove", self.port, factory, opened)
