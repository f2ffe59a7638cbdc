"""Sensor models, one per file: each measures the true value, then applies its error model."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
