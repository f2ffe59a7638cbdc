"""ROS 2 messages without a ROS installation: definitions, CDR, and conversion of our data."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
