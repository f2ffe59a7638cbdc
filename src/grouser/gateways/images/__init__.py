"""Camera pictures: drawn by render workers, served to image clients, written as videos."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(
    __name__, __file__, renamed={"RenderNode": "grouser.gateways.images.render_host:RenderHost"}
)
