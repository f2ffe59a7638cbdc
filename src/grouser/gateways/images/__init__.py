"""What cameras see, drawn by render workers in other processes and sent to image clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.gateways.images.latest_frames import LatestFrames
    from grouser.gateways.images.port import ImagePort
    from grouser.gateways.images.render_node import RenderNode
    from grouser.gateways.images.render_pool import RenderPool
    from grouser.gateways.images.tiles import Layout
    from grouser.gateways.images.views import Views

_PLACES = {
    "ImagePort": "grouser.gateways.images.port",
    "LatestFrames": "grouser.gateways.images.latest_frames",
    "Layout": "grouser.gateways.images.tiles",
    "RenderNode": "grouser.gateways.images.render_node",
    "RenderPool": "grouser.gateways.images.render_pool",
    "Views": "grouser.gateways.images.views",
}

__all__ = [
    "ImagePort",
    "LatestFrames",
    "Layout",
    "RenderNode",
    "RenderPool",
    "Views",
]

__getattr__ = lazily(__name__, _PLACES)
