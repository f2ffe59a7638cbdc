"""What a robot can get over: obstacle courses, who drives them, and limits with intervals."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
