"""Overrides of values in a world file: ``terrain.1.height=0.12``.

A path consists of keys and list items; an item is given by its index or by its ``name``. The value
is YAML. Keys are validated later, by the models; the position of an overridden value is recorded,
so that an error message names the override and not the file. An item whose ``kind`` changes loses
the keys that the new kind does not have (a step that becomes stairs loses ``height``), and a robot
its ``options``.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence
from typing import Any

from grouser.errors import WorldFileError, nearest
from grouser.world.validation_errors import AllowedKeys
from grouser.world.yaml_source import KeyPath, Source, SourcePosition, dotted, read_yaml


def override(source: Source, overrides: Sequence[str], keys: AllowedKeys) -> Source:
    """Return ``source`` with each ``path=value`` of ``overrides`` set, in their order.

    Args:
        source: contents of the file.
        overrides: ``path=value`` each.
        keys: allowed keys of each part by its path and kind: ``"terrain.*.step"``.
    """
    result = Source(copy.deepcopy(source.data), dict(source.positions))
    for text in overrides:
        _set(result, text, keys)
    return result


def _set(source: Source, text: str, keys: AllowedKeys) -> None:
    where = f"override {text!r}"
    given, equals, value_text = text.partition("=")
    steps = given.strip().split(".")
    if not equals or not all(steps):
        raise WorldFileError(f"{where}: 'path=value' is needed, such as 'physics.timestep=0.002'")
    put(source, steps, read_yaml(value_text, where).data, where, keys)


def put(source: Source, steps: Sequence[str], value: Any, where: str, keys: AllowedKeys) -> None:
    """Set one value in ``source``, in place.

    Args:
        source: contents of the file.
        steps: keys, and indices or names of list items, from the top to the value.
        value: plain data.
        where: name for error messages.
        keys: allowed keys of each part by its path and kind.
    """
    holder: Any = source.data
    path: KeyPath = ()
    for key in steps[:-1]:
        part = _part(holder, key, path, where)
        if isinstance(holder, dict) and holder.get(part) is None:
            holder[part] = {}  # a part that the file omits
            source.positions[(*path, part)] = SourcePosition(0, where)
        holder, path = holder[part], (*path, part)
    part = _part(holder, steps[-1], path, where)
    old = holder[part] if isinstance(part, int) else holder.get(part)
    holder[part] = value
    _replace_positions(source, (*path, part), where)
    if part == "kind" and value != old:
        _drop_other_keys(holder, keys.get(f"{dotted(path[:-1])}.*.{value}"))


def _drop_other_keys(item: dict[str, Any], allowed: Collection[str] | None) -> None:
    """Remove the keys that an item's new kind does not have, and a robot's options."""
    item.pop("options", None)
    for key in [key for key in item if allowed is not None and key not in allowed]:
        del item[key]


def _part(holder: Any, key: str, path: KeyPath, where: str) -> str | int:
    """Return the key or index that ``key`` refers to in ``holder``, which is at ``path``."""
    if isinstance(holder, dict):
        return key
    owner = dotted(path)
    if not isinstance(holder, list):
        raise WorldFileError(f"{where}: {owner} is {holder!r} and has no '{key}'")
    names = [item.get("name") if isinstance(item, dict) else None for item in holder]
    if key in names:
        return names.index(key)
    if key.isascii() and key.isdigit() and int(key[:9]) < len(holder):
        return int(key[:9])
    known = [name for name in names if isinstance(name, str)]
    allowed = ", ".join([*map(str, range(len(holder))), *known]) or "none, the list is empty"
    raise WorldFileError(
        f"{where}: there is no '{key}' in {owner}; allowed: {allowed}{nearest(key, known)}"
    )


def _replace_positions(source: Source, path: KeyPath, where: str) -> None:
    for old in [known for known in source.positions if known[: len(path)] == path]:
        del source.positions[old]
    source.positions[path] = SourcePosition(0, where)
