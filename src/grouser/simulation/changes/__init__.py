"""Actions that change a running world, and their implementation.

`grouser.simulation` exports the actions that users write; events, clocks and the referee use the
others.
"""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
