"""What is there: ground, objects, events and the world file that says so; no robot, no sensor."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
