"""VRPN gateway: motion capture sensors of the world as trackers."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
