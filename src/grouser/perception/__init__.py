"""Vision and localisation of a robot: colour classes, ball, landmarks, own pose; arrays only."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
