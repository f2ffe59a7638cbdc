"""Values set on top of a world file: ``terrain.1.height=0.12``.

A path goes through keys and list items; an item is meant by its index or by its ``name``. The
value is YAML. Whether a key may exist is the models' business: here it is only put in place,
and its place is remembered, so that a later complaint names the override and not the file. Only
an item that gets another ``kind`` forgets what the new kind cannot have: a step that becomes
stairs has no ``height`` any more, a robot that becomes another one no ``options``.
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
        source: what the file says.
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
        source: what the file says.
        steps: keys, and indices or names of list items, from the top to the value.
        value: plain data.
        where: what errors call it.
        keys: allowed keys of each part by its path and kind.
    """
    holder: Any = source.data
    path: KeyPath = ()
    for key in steps[:-1]:
        part = _part(holder, key, path, where)
        if isinstance(holder, dict) and holder.get(part) is None:
            holder[part] = {}  # a part the file left to its defaults
            source.positions[(*path, part)] = SourcePosition(0, where)
        holder, path = holder[part], (*path, part)
    part = _part(holder, steps[-1], path, where)
    old = holder[part] if isinstance(part, int) else holder.get(part)
    holder[part] = value
    _replace_positions(source, (*path, part), where)
    if part == "kind" and value != old:
        _forget_other_kind(holder, keys.get(f"{dotted(path[:-1])}.*.{value}"))


def _forget_other_kind(item: dict[str, Any], allowed: Collection[str] | None) -> None:
    """Drop what an item of its new kind cannot have; of a robot, its options."""
    item.pop("options", None)
    for key in [key for key in item if allowed is not None and key not in allowed]:
        del item[key]


def _part(holder: Any, key: str, path: KeyPath, where: str) -> str | int:
    """Return the key or index that ``key`` means in ``holder``, which lies at ``path``."""
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
