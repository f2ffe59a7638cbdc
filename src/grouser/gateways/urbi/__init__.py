"""URBI gateway: an AIBO's joints, sensors and camera for programs of the real robot."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
