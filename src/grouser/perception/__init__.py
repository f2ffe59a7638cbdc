"""What a robot makes of its pictures: colour classes, ball, landmarks, its own pose; arrays in."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
