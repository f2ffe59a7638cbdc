"""Render workers: processes that draw the pictures of a world, and videos of a run."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
