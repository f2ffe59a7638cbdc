"""Topics and services of a served world, shared by all gateways for ROS."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
