"""Parts shared by several robots: hulls, wheels, linkages, flippers, pan-tilt heads."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(
    __name__, __file__, renamed={"Cranks": "grouser.robots.velociroach:Cranks"}
)
