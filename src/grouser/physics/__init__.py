"""MuJoCo building blocks: drives, state arrays, contact classes, compliance, labels."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(
    __name__, __file__, renamed={"speed": "grouser.physics.drives:speed"}
)
