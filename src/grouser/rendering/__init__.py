"""The one renderer that pictures, videos and cameras share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.rendering.image import DepthImage, Image, write_png
    from grouser.rendering.image_plane import ImagePlane
    from grouser.rendering.renderer import Renderer
    from grouser.rendering.snapshot import Snapshot
    from grouser.rendering.video import Video
    from grouser.rendering.viewpoint import Viewpoint

_PLACES = {
    "DepthImage": "grouser.rendering.image",
    "Image": "grouser.rendering.image",
    "ImagePlane": "grouser.rendering.image_plane",
    "Renderer": "grouser.rendering.renderer",
    "Snapshot": "grouser.rendering.snapshot",
    "Video": "grouser.rendering.video",
    "Viewpoint": "grouser.rendering.viewpoint",
    "write_png": "grouser.rendering.image",
}

__all__ = [
    "DepthImage",
    "Image",
    "ImagePlane",
    "Renderer",
    "Snapshot",
    "Video",
    "Viewpoint",
    "write_png",
]

__getattr__ = lazily(__name__, _PLACES)
