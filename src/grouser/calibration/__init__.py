"""What a real robot's log tells about it and its ground: values, intervals, verdicts."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
