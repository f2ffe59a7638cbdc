"""The USARSim gateway: robots' clients in three dialects, world controllers, the truth port."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
