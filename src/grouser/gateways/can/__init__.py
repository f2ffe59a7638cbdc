"""CAN gateway: a robot's motor drivers on a virtual CAN bus, served over TCP (socketcand)."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
