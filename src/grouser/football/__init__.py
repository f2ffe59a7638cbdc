"""Players of the four-legged league: behaviours of ERS-7s, games between teams, tournaments."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
