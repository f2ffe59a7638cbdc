"""Tables, plots and pages: the one look of everything we show."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
