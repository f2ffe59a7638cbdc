"""Tables, plots and HTML pages with a common style."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
