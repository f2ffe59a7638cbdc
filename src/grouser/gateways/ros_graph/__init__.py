"""Topics and services of a served world as ROS programs know them, for all ROS gateways."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
