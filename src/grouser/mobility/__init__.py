"""Mobility tests: obstacle courses and limits, routes through a world, and driving checks."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    __file__,
    renamed={
        "DrivenWay": "grouser.mobility.routes:DrivenRoute",
        "Way": "grouser.mobility.routes:Route",
        "drive_ways": "drive_routes",
        "ways_between_starts": "routes_between_starts",
    },
)
