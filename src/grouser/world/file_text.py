"""Serialization of a world as YAML, with all default values written out.

The text is a world file: parsed again, it gives an equal world. Lines whose value the world's own
file omits end in ``# default``.
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
"""End of a line whose value the world file omits."""

RobotDefaults = Callable[[RobotEntry], Mapping[str, Any]]
"""Returns the default options of a robot's kind."""

_PLAIN = re.compile(r"[A-Za-z][\w ./()+-]*")  # needs no quotes, in a list either


def world_text(world: World, robot_defaults: RobotDefaults | None = None) -> str:
    """Return ``world`` as the text of a world file.

    Args:
        world: the world.
        robot_defaults: returns the default options of a robot; None: options are written as the
            file has them, since this package does not depend on the robot kinds.
    """
    return "\n".join(_mapping(world, 0, robot_defaults or (lambda entry: {}))) + "\n"


def _mapping(part: Description, indent: int, robot_defaults: RobotDefaults) -> list[str]:
    """Return the lines of one mapping, including nested ones."""
    lines = []
    keys = sorted(type(part).model_fields, key=lambda key: key not in ("kind", "name"))
    for key in keys:
        value, given = getattr(part, key), key in part.model_fields_set or key == "kind"
        if key == "options" and isinstance(part, RobotEntry):
            lines += _options(part, indent, robot_defaults)
            continue
        head, mark = f"{' ' * indent}{key}:", "" if given else DEFAULT
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
    given = [f"{inside}{key}: {_flow(value)}" for key, value in entry.options.items()]
    rest = [f"{inside}{key}: {_flow(value)}{DEFAULT}" for key, value in more.items()]
    return [f"{' ' * indent}options:", *given, *rest]


def _flow(value: Any) -> str:
    """Return a value as YAML in flow style."""
    if isinstance(value, Description):
        value = {key: getattr(value, key) for key in type(value).model_fields}
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flow(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if isinstance(value, str):
        return value if _reads_as_itself(value) else json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e6:
        return str(int(value))  # 0 instead of 0.0
    return json.dumps(value)


def _reads_as_itself(text: str) -> bool:
    try:
        return bool(_PLAIN.fullmatch(text)) and read_yaml(text, "").data == text
    except WorldFileError:
        return False
