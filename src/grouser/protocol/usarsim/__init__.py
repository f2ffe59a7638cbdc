"""USARSim wire protocol: parse and write messages in three dialects; no socket, no clock."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
