"""Custom robots: robot files (YAML), alone or with a URDF or MJCF model."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
