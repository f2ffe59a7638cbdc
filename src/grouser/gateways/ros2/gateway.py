"""The ROS 2 gateway: topics and services of a world for ROS 2 nodes over zenoh."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from grouser.description import Positive
from grouser.errors import BadValue
from grouser.gateways.gateway import Endpoint, Gateway, GatewayContext, PortNumber
from grouser.gateways.ros2.node import NodeOptions, RosNode
from grouser.gateways.ros_graph.live_topics import STATE_RATE_HZ, LiveTopics
from grouser.gateways.ros_graph.robot_services import RobotServices
from grouser.service.access import is_loopback
from grouser.trials.plan import PlanSettings

ROUTER_PORT = 7447
"""TCP port of zenoh routers."""
HIGHEST_DOMAIN = 232
"""Largest domain of ROS 2."""


class Ros2Gateway(Gateway):
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
    """Further settings of zenoh (JSON5 file), such as TLS and access control."""
    rate_hz: Positive = STATE_RATE_HZ
    """Rate of poses, odometry, joint states and the clock, messages per simulated second."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return no port: zenoh opens its own."""
        return ()

    def start(self, context: GatewayContext) -> Callable[[], None]:
        """Open the zenoh session; return a function that closes it.

        Raises:
            BadValue: the address or the server needs a configuration with access control, or the
                address cannot be used.
            MissingDependency: zenoh or the message definitions are not installed.
        """
        if self.mode != "client" and not is_loopback(self.address) and not self.config:
            raise BadValue(
                f"ros2: address {self.address} can be reached by other machines, and ROS 2 has no "
                "tokens; use a local address, or config=FILE with TLS and access control of zenoh"
            )
        if self.config and not Path(self.config).is_file():
            raise BadValue(f"ros2: config: there is no file {self.config}")
        if not context.registry.access.is_open and not self.config:
            raise BadValue(
                "ros2: this server needs tokens, and ROS 2 has none; leave the gateway out, serve "
                "a match with --open all, or use config=FILE with TLS and access control of zenoh"
            )
        services = RobotServices(context.host, {}, PlanSettings(), context.registry.wake)
        topics = LiveTopics(context.host.simulation, context.views, self.rate_hz)
        services.on_path = topics.publish_path
        options = NodeOptions(self.domain, self.hashes, self.settings(), self.config)
        try:
            node = RosNode(options, topics, services, asyncio.get_running_loop())
        except BaseException:
            topics.close()
            raise

        def close() -> None:
            node.close()
            topics.close()

        return close

    def settings(self) -> dict[str, object]:
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
