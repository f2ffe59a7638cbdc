"""What makes a real picture: lens, shutter, noise, the CMOS sweep; and errors of depth cameras."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
