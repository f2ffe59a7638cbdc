"""What can be felt, one sensor per file: each measures first and corrupts after."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
