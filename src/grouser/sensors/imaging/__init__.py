"""Image formation: lens, shutter, noise, CMOS filter; calibration; depth error models."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
