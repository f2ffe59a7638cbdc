"""Who moves: one robot per file, and `ROBOTS`, the table that names them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.robots.air_traffic import AirTraffic
    from grouser.robots.conveyor import Conveyor
    from grouser.robots.crawler import Crawler
    from grouser.robots.custom.custom_robot import load_robot
    from grouser.robots.ers7 import Ers7
    from grouser.robots.ers210 import Ers210
    from grouser.robots.kenaf import Kenaf
    from grouser.robots.kinds import ROBOTS, describe
    from grouser.robots.lugged_rover import LuggedRover
    from grouser.robots.p2at import P2at
    from grouser.robots.p2dx import P2dx
    from grouser.robots.p3at import P3at
    from grouser.robots.packbot import PackBot
    from grouser.robots.qrio import Qrio
    from grouser.robots.quince import Quince
    from grouser.robots.robot import Gait, Robot, RobotDescription, Steering
    from grouser.robots.velociroach import VelociRoach

_PLACES = {
    "ROBOTS": "grouser.robots.kinds",
    "AirTraffic": "grouser.robots.air_traffic",
    "Conveyor": "grouser.robots.conveyor",
    "Crawler": "grouser.robots.crawler",
    "Ers210": "grouser.robots.ers210",
    "Ers7": "grouser.robots.ers7",
    "Gait": "grouser.robots.robot",
    "Kenaf": "grouser.robots.kenaf",
    "LuggedRover": "grouser.robots.lugged_rover",
    "P2at": "grouser.robots.p2at",
    "P2dx": "grouser.robots.p2dx",
    "P3at": "grouser.robots.p3at",
    "PackBot": "grouser.robots.packbot",
    "Qrio": "grouser.robots.qrio",
    "Quince": "grouser.robots.quince",
    "Robot": "grouser.robots.robot",
    "RobotDescription": "grouser.robots.robot",
    "Steering": "grouser.robots.robot",
    "VelociRoach": "grouser.robots.velociroach",
    "describe": "grouser.robots.kinds",
    "load_robot": "grouser.robots.custom.custom_robot",
}

__all__ = [
    "ROBOTS",
    "AirTraffic",
    "Conveyor",
    "Crawler",
    "Ers7",
    "Ers210",
    "Gait",
    "Kenaf",
    "LuggedRover",
    "P2at",
    "P2dx",
    "P3at",
    "PackBot",
    "Qrio",
    "Quince",
    "Robot",
    "RobotDescription",
    "Steering",
    "VelociRoach",
    "describe",
    "load_robot",
]

__getattr__ = lazily(__name__, _PLACES)
