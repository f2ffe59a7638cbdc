"""Track models: segments, surface, constraint, wheels and plates behind one interface."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
