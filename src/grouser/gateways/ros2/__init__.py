"""Topics and services for ROS 2 nodes over zenoh (rmw_zenoh); ROS is not needed."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
