"""Topics and services for ROS programs over a websocket (rosbridge); ROS is not needed."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
