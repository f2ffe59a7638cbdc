"""Geometry that plans, and the driver that follows: arrays in, paths and commands out."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
