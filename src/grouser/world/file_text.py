"""A world as the text of a world file, with everything in it that the file left to defaults.

What is printed is a world file itself: read again, it gives an equal world. Lines that the world's
own file did not say end in ``# default``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from grouser.errors import WorldFileError
from grouser.world.field_types import Description
from grouser.world.file import RobotEntry, World
from grouser.world.yaml_source import read_yaml

DEFAULT = "  # default"
"""How a line ends whose value the world's file left out."""

RobotDefaults = Callable[[RobotEntry], Mapping[str, Any]]
"""Returns the options that a robot's kind has besides those that its entry says."""

_PLAIN = re.compile(r"[A-Za-z][\w ./()+-]*")  # needs no quotes, in a list either


def world_text(world: World, robot_defaults: RobotDefaults | None = None) -> str:
    """Return ``world`` as a world file says it.

    Args:
        world: what is there.
        robot_defaults: the options that robots have unless their entries say others; None: options
            are printed as the file has them. The world itself knows no kinds of robot.
    """
    return "\n".join(_mapping(world, 0, robot_defaults or (lambda entry: {}))) + "\n"


def _mapping(part: Description, indent: int, robot_defaults: RobotDefaults) -> list[str]:
    """Return the lines of one mapping, a key each, or more for what is inside."""
    lines = []
    keys = sorted(type(part).model_fields, key=lambda key: key not in ("kind", "name"))
    for key in keys:
        value, said = getattr(part, key), key in part.model_fields_set or key == "kind"
        if key == "options" and isinstance(part, RobotEntry):
            lines += _options(part, indent, robot_defaults)
            continue
        head, mark = f"{' ' * indent}{key}:", "" if said else DEFAULT
        if isinstance(value, Description):
            lines += [head + mark, *_mapping(value, indent + 2, robot_defaults)]
        elif isinstance(value, tuple) and any(isinstance(item, Description) for item in value):
            lines.append(head + mark)
            for item in value:
                first, *rest = _mapping(item, indent + 4, robot_defaults)
                lines += [f"{' ' * (indent + 2)}- {first.lstrip()}", *rest]
        else:
            lines.append(f"{head} {_flow(value)}{mark}")
    return lines


def _options(entry: RobotEntry, indent: int, robot_defaults: RobotDefaults) -> list[str]:
    more = {k: v for k, v in robot_defaults(entry).items() if k not in entry.options}
    if not (entry.options or more):
        return [f"{' ' * indent}options: {{}}{DEFAULT}"]
    inside = " " * (indent + 2)
    said = [f"{inside}{key}: {_flow(value)}" for key, value in entry.options.items()]
    rest = [f"{inside}{key}: {_flow(value)}{DEFAULT}" for key, value in more.items()]
    return [f"{' ' * indent}options:", *said, *rest]


def _flow(value: Any) -> str:
    """Return a value as YAML on one line."""
    if isinstance(value, Description):
        value = {key: getattr(value, key) for key in type(value).model_fields}
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flow(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if isinstance(value, str):
        return value if _reads_as_itself(value) else json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e6:
        return str(int(value))  # 0.0 is written as people type it
    return json.dumps(value)


def _reads_as_itself(text: str) -> bool:
    try:
        return bool(_PLAIN.fullmatch(text)) and read_yaml(text, "").data == text
    except WorldFileError:
        return False
