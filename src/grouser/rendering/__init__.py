"""The one renderer that pictures, videos and cameras share."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
