"""Robot registry: shipped robots, robots of installed packages, robot files.

A robot is named by its key in `ROBOTS`, by the name of an entry point in the group
``grouser.robots``, or by the path of a robot file (YAML, URDF or MJCF).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grouser import plugins
from grouser.description import Description
from grouser.errors import BadValue, GrouserError, unknown
from grouser.robots.custom.custom_robot import CustomRobot, load_robot, model_name
from grouser.robots.robot import RobotDescription
from grouser.world.field_types import ROBOT_ENDINGS

ROBOTS: dict[str, str] = {
    "packbot": "grouser.robots.packbot:PackBot",
    "quince": "grouser.robots.quince:Quince",
    "kenaf": "grouser.robots.kenaf:Kenaf",
    "crawler": "grouser.robots.crawler:Crawler",
    "qrio": "grouser.robots.qrio:Qrio",
    "velociroach": "grouser.robots.velociroach:VelociRoach",
    "lugged_rover": "grouser.robots.lugged_rover:LuggedRover",
    "conveyor": "grouser.robots.conveyor:Conveyor",
    "air_traffic": "grouser.robots.air_traffic:AirTraffic",
    "ers7": "grouser.robots.ers7:Ers7",
    "ers210": "grouser.robots.ers210:Ers210",
    "p2dx": "grouser.robots.p2dx:P2dx",
    "p2at": "grouser.robots.p2at:P2at",
    "p3at": "grouser.robots.p3at:P3at",
    "atrvjr": "grouser.robots.atrvjr:AtrvJr",
    "zerg": "grouser.robots.zerg:Zerg",
    "talon": "grouser.robots.talon:Talon",
    "telemax": "grouser.robots.telemax:TeleMax",
    "tarantula": "grouser.robots.tarantula:Tarantula",
}
"""Kind of robot → ``module:attribute`` of its description; imported on use."""


def robot_kinds() -> dict[str, str]:
    """Return all registered robots: kind → ``module:attribute``; shipped ones first."""
    return ROBOTS | plugins.entry_point_targets(plugins.ROBOTS, ROBOTS)


def is_file(kind: str) -> bool:
    """Return whether ``kind`` is the path of a robot file."""
    return kind.lower().endswith(ROBOT_ENDINGS)


def display_name(kind: str) -> str:
    """Return the human-readable name of a robot: the name in its file, or its kind."""
    if not is_file(kind):
        return kind
    try:
        return load_robot(kind).display_name
    except GrouserError:  # building it reports the error
        return model_name(Path(kind))


def default_name(kind: str) -> str:
    """Return a valid robot name for a robot of ``kind`` in a world."""
    return model_name(Path(kind)) if is_file(kind) else kind


def describe(kind: str, options: Mapping[str, Any], where: str) -> RobotDescription:
    """Return the description of a robot by name or file, its options checked.

    Args:
        kind: a key of `robot_kinds`, or the path of a robot file.
        options: fields of that robot's description; for a file: overrides, nested as in the file or
            by path (``tracks.0.width``).
        where: location for error messages, e.g. ``"step.yaml line 12"``.
    """
    if is_file(kind):
        return _from_file(kind, options, where)
    if kind not in robot_kinds():
        raise unknown(where, "robot", kind, robot_kinds())
    description = load_robot_kind(kind, where)
    if isinstance(description, Path | str):  # an entry point that is a robot file
        return _from_file(str(description), options, where)
    made: Any = description.from_options(options, where, f"robot '{kind}'")
    robot: RobotDescription = made
    return robot


def _from_file(path: str, options: Mapping[str, Any], where: str) -> CustomRobot:
    try:
        return load_robot(path, options)
    except GrouserError as error:
        raise BadValue(f"{where}: {error}" if where else str(error)) from error


def load_robot_kind(kind: str, where: str) -> type[Description] | Path | str:
    """Return the class of a registered robot, or the robot file of an entry point."""
    found = plugins.load(kind, ROBOTS, plugins.ROBOTS, where)
    if isinstance(found, Path | str):
        return found
    return plugins.load_class(kind, ROBOTS, plugins.ROBOTS, where, _check)


def _check(found: object, kind: str) -> type[Description]:
    if not hasattr(found, "build"):
        raise TypeError("it is neither a Description with build() nor the path of a robot file")
    return plugins.check_class(found, Description)
