"""Geometry that plans, and the driver that follows: arrays in, paths and commands out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.planning.driver import LegLaw, PathDriver, SkidLaw

_PLACES = {
    "LegLaw": "grouser.planning.driver",
    "PathDriver": "grouser.planning.driver",
    "SkidLaw": "grouser.planning.driver",
}

__all__ = [
    "LegLaw",
    "PathDriver",
    "SkidLaw",
]

__getattr__ = lazily(__name__, _PLACES)
