"""Topics and services for Foxglove, over its websocket protocol."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
