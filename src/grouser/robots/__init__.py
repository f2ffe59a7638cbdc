"""Robot models: one robot per file; `grouser.robots.kinds.ROBOTS` is the table of all."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
