"""The ROS 2 gateway: topics and services of a world for ROS 2 nodes over zenoh."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from grouser.errors import BadValue
from grouser.gateways.gateway import Endpoint, GatewayContext, PortNumber
from grouser.gateways.ros2.node import RosNode
from grouser.gateways.ros2.session import NodeOptions, access_rules
from grouser.gateways.ros_graph.mesh_files import MeshFolder
from grouser.gateways.ros_graph.planning_gateway import PlanningGateway
from grouser.service.access import is_loopback

ROUTER_PORT = 7447
"""TCP port of zenoh routers."""
HIGHEST_DOMAIN = 232
"""Largest domain of ROS 2."""
_NEEDED = "config=FILE, in which zenoh checks users or certificates (docs/how-to/ros.md)"


class Ros2Gateway(PlanningGateway):
    """Node of ROS 2 with the topics and services of a world, over zenoh as in rmw_zenoh."""

    mode: Literal["router", "peer", "client"] = "router"
    """``router``: nodes connect to this server; the others connect to a router (rmw_zenohd)."""
    address: str = "127.0.0.1"
    """Local address on which a router or peer listens."""
    port: PortNumber = ROUTER_PORT
    """Port of a router; of the router to which a peer or client connects."""
    router: str = "127.0.0.1"
    """Host of the router to which a peer or client connects."""
    domain: Annotated[int, Field(ge=0, le=HIGHEST_DOMAIN)] = 0
    """As ROS_DOMAIN_ID of the nodes."""
    hashes: bool = True
    """False: keys without hashes of types, as in ROS 2 Humble."""
    config: str = ""
    """Settings of zenoh (JSON5 file), such as users, TLS and addresses; they have priority."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return no port: zenoh opens its own."""
        return ()

    def start(self, context: GatewayContext) -> Callable[[], None]:
        """Open the zenoh session; return a function that closes it.

        Raises:
            BadValue: the address or the server needs a configuration with access control, or the
                address cannot be used.
            UnknownName: a goal names a robot that is not in the world.
            MissingDependency: zenoh or the message definitions are not installed.
        """
        if self.config and not Path(self.config).is_file():
            raise BadValue(f"ros2: config: there is no file {self.config}")
        self._check_access(context)
        self.check_goals(context)
        meshes = MeshFolder()
        services, topics = self.open_topics(context, meshes)
        options = NodeOptions(self.domain, self.hashes, self.zenoh_settings(), self.config)
        try:
            node = RosNode(options, topics, services, asyncio.get_running_loop())
        except BaseException:
            topics.close()
            meshes.close()
            raise

        def close() -> None:
            node.close()
            topics.close()
            meshes.close()

        return close

    def _check_access(self, context: GatewayContext) -> None:
        """Raise `BadValue` if programs could connect that must not."""
        if not self.config:
            if self.mode != "client" and not is_loopback(self.address):
                raise BadValue(
                    f"ros2: address {self.address} can be reached by other machines, and ROS 2 "
                    f"has no tokens; use a local address, or {_NEEDED}"
                )
            if not context.registry.access.is_open:
                raise BadValue(
                    "ros2: this server needs tokens, and ROS 2 has none; leave the gateway out, "
                    f"serve a match with --open all, or use {_NEEDED}"
                )
            return
        rules = access_rules(self.config)
        closed = not context.registry.access.is_open
        exposed = rules.listens or not is_loopback(self.address)
        if self.mode == "client":
            refused = closed and not rules.is_known
        else:
            refused = (exposed or closed) and not rules.admits_known
        if refused:
            raise BadValue(f"ros2: {self.config} admits every program; use {_NEEDED}")

    def zenoh_settings(self) -> dict[str, object]:
        """Return the settings of zenoh."""
        known: dict[str, object] = {
            "mode": self.mode,
            "scouting/multicast/enabled": False,
            "timestamping/enabled": True,
        }
        if self.mode == "router":
            return known | {"listen/endpoints": [f"tcp/{self.address}:{self.port}"]}
        listen: list[str] = [f"tcp/{self.address}:0"] if self.mode == "peer" else []
        connect = [f"tcp/{self.router}:{self.port}"]
        return known | {"listen/endpoints": listen, "connect/endpoints": connect}
