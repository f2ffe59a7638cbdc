"""Trot, kick, biped walk and flipper strategy as pure functions on arrays."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
