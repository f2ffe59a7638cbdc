"""USARSim gateway: robot clients in three dialects, world controllers, ground truth port."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
