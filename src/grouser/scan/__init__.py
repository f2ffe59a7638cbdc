"""Point clouds to ground: registration, surface reconstruction, world files."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
