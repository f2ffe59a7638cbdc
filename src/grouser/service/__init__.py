"""The host: who is there, who commands, who hears what; it knows no wire."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
