"""Geometry that plans, and the driver that follows: arrays in, paths and commands out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.planning.driver import LegLaw, PathDriver, SkidLaw
    from grouser.planning.ground import Footprint, lay
    from grouser.planning.paths import PLANNERS, Path, plan_path
    from grouser.planning.roadmap import Roadmap
    from grouser.planning.validity import ValidityMap, map_validity

_PLACES = {
    "PLANNERS": "grouser.planning.paths",
    "Footprint": "grouser.planning.ground",
    "LegLaw": "grouser.planning.driver",
    "Path": "grouser.planning.paths",
    "PathDriver": "grouser.planning.driver",
    "Roadmap": "grouser.planning.roadmap",
    "SkidLaw": "grouser.planning.driver",
    "ValidityMap": "grouser.planning.validity",
    "lay": "grouser.planning.ground",
    "map_validity": "grouser.planning.validity",
    "plan_path": "grouser.planning.paths",
}

__all__ = [
    "PLANNERS",
    "Footprint",
    "LegLaw",
    "Path",
    "PathDriver",
    "Roadmap",
    "SkidLaw",
    "ValidityMap",
    "lay",
    "map_validity",
    "plan_path",
]

__getattr__ = lazily(__name__, _PLACES)
