"""Wires: each gateway translates between the host and one kind of client."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
