"""Offscreen rendering of images, videos and camera views."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(
    __name__, __file__, renamed={"Snapshot": "grouser.rendering.render_state:RenderState"}
)
