"""Evaluation of recorded arrays: log matching, energy, turning, fits; no MuJoCo."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
