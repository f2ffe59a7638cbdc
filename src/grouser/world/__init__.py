"""World description: terrain, objects, triggers, events, world file; no robots or sensors."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
