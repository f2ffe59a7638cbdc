"""Calibration: estimate parameters of a robot and its ground from a log, with intervals."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, renamed={"planted_log": "synthetic_log"})
