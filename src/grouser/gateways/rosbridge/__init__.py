"""Planning services for ROS programs, over a websocket, without any ROS installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.gateways.rosbridge.gateway import RosbridgeGateway

_PLACES = {"RosbridgeGateway": "grouser.gateways.rosbridge.gateway"}

__all__ = ["RosbridgeGateway"]

__getattr__ = lazily(__name__, _PLACES)
