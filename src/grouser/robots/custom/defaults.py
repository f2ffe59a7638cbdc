"""Defaulted values of a robot file."""

from __future__ import annotations

from typing import Any

from grouser.robots.custom.robot_file import RobotFile
from grouser.world.field_types import Description


def defaulted_values(robot_file: RobotFile) -> dict[str, Any]:
    """Return the values that are defaults, by path, in the file's order.

    Values that are derived later (None) and empty values are not included.
    """
    return _defaulted(robot_file, "")


def _defaulted(part: Description, path: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in type(part).model_fields:
        value, place = getattr(part, key), f"{path}{key}"
        if isinstance(value, Description):
            found |= _defaulted(value, f"{place}.")
        elif isinstance(value, dict):
            for name, item in value.items():
                found |= _defaulted(item, f"{place}.{name}.") if _is_part(item) else {}
        elif isinstance(value, tuple) and any(map(_is_part, value)):
            for number, item in enumerate(value):
                found |= _defaulted(item, f"{place}.{getattr(item, 'name', None) or number}.")
        elif key not in part.model_fields_set and isinstance(value, int | float | str) and value:
            found[place] = value
    return found


def _is_part(value: Any) -> bool:
    return isinstance(value, Description)
