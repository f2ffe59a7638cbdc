"""Simulation of a world: scene, stepping, sensing, gaits; no wall clock, thread or socket."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
