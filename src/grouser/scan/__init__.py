"""From a depth camera to ground: clouds, registration, surface; arrays in, triangles out."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
