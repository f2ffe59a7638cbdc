"""Many at once: the same trial on this machine's cores, and later on a GPU or a cluster."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
