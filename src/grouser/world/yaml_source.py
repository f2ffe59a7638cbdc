"""YAML parser that returns plain data and the line of each key, and overrides of single values.

Only a subset of YAML 1.2 is accepted: mappings, lists, text, numbers, true/false and null.
``1e-3`` is a number and ``on`` a string; tags, aliases, merge keys, duplicate keys, nan and inf are
rejected with their line. The meaning of keys is validated elsewhere.

An override is ``path=value``, such as ``terrain.1.height=0.12``. A path consists of keys and list
items; an item is given by its index or by its ``name``. The value is YAML. The position of an
overridden value is recorded, so that an error message names the override and not the file. An item
whose ``kind`` changes loses the keys that the new kind does not have (a step that becomes stairs
loses ``height``), and a robot its ``options``.
"""

from __future__ import annotations

import copy
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from grouser.description import KeyPath, dotted_path
from grouser.errors import WorldFileError, nearest

AllowedKeys = Mapping[str, Collection[str]]
"""Allowed keys of each part of a file, by the part's path."""

_TAG = "tag:yaml.org,2002:"


@dataclass(frozen=True, order=True)
class SourcePosition:
    """Position in a file; sorts in reading order."""

    line: int = 0
    """Line in the file, from 1; 0: given by an override."""
    text: str = ""
    """Position as text: ``"worlds/step.yaml line 4"``."""


@dataclass(frozen=True)
class Source:
    """Parsed data and its positions; ignored in comparisons of worlds."""

    data: Any = field(default=None, compare=False)
    """Plain dicts, lists and scalars."""
    positions: dict[KeyPath, SourcePosition] = field(default_factory=dict, compare=False)
    """Position of every key and list item; ``()`` is the text's first line."""
    folder: Path | None = field(default=None, compare=False)
    """Folder of the file; None: no file."""

    def position(self, path: KeyPath) -> SourcePosition:
        """Return the position of ``path``, or else of the nearest enclosing key."""
        while path and path not in self.positions:
            path = path[:-1]
        return self.positions.get(path, SourcePosition())


class _Loader(yaml.SafeLoader):
    """Loader that resolves plain scalars by YAML 1.2's core schema instead of PyYAML's 1.1."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own attribute


for _kind, _pattern in {
    "null": r"~|null|",
    "bool": r"true|false",
    "int": r"[-+]?[0-9]+",
    "float": r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan",
}.items():
    _Loader.add_implicit_resolver(_TAG + _kind, re.compile(rf"(?:{_pattern})\Z", re.I), None)


DEEPEST = 50
"""Largest nesting depth of lists and mappings."""
LONGEST = 2_000_000
"""Largest number of characters of a text."""
MOST_BYTES = 4 * LONGEST
"""Largest size of a file, bytes: a character of UTF-8 has up to four."""
LONGEST_VALUE = 100_000
"""Largest number of characters of a key or value."""
MOST_VALUES = 200_000
"""Largest number of keys, values, lists and mappings of a text."""

_QUICK = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Fast loader (20 times) if PyYAML has it; used only to check sizes, since its errors differ."""


def read_yaml(text: str, where: str, most: Mapping[str, int] | None = None) -> Source:
    """Read YAML ``text``; ``where`` names it in errors.

    ``most`` is the largest number of items in the lists of top-level keys.
    """
    with suppress(yaml.YAMLError, UnicodeError):  # errors are reported below
        _check_size(text, where, most or {})
    try:
        for event in yaml.parse(text, Loader=_Loader):
            _refuse_extras(event, where)
        root = yaml.compose(text, Loader=_Loader)
        reader = _Reader(where)
        reader.positions[()] = SourcePosition(1, where)
        return Source(None if root is None else reader.value(root, ()), reader.positions)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = "" if mark is None else f" line {mark.line + 1}"
        raise WorldFileError(f"{where}{line}: this is not YAML ({error.problem})") from None
    except yaml.YAMLError as error:  # a character that YAML does not allow
        reason = str(error).splitlines()[0]
        raise WorldFileError(f"{where}: this is not YAML ({reason})") from None
    except RecursionError:
        raise WorldFileError(f"{where}: lists or mappings are nested too deeply") from None


def _check_size(text: str, where: str, most: Mapping[str, int]) -> None:
    """Reject a text that exceeds a size limit, before it is parsed completely."""
    if len(text) > LONGEST:
        raise WorldFileError(f"{where}: is longer than {LONGEST} characters")
    depth, key, values = 0, "", 0
    counts: Counter[str] = Counter()
    for event in yaml.parse(text, Loader=_QUICK):
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
            continue
        if not isinstance(event, yaml.NodeEvent):
            continue
        values += 1
        if isinstance(event, yaml.ScalarEvent) and len(event.value) > LONGEST_VALUE:
            raise WorldFileError(
                f"{where} line {line}: a value is longer than {LONGEST_VALUE} characters"
            )
        if depth == 1 and isinstance(event, yaml.ScalarEvent):
            key = event.value
        elif depth == 2 and key in most:
            counts[key] += 1
            if counts[key] > most[key]:
                raise WorldFileError(f"{where} line {line}: {key}: more than {most[key]} of them")
        if values > MOST_VALUES:
            raise WorldFileError(f"{where} line {line}: more than {MOST_VALUES} values")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                too_deep = f"lists or mappings are nested more than {DEEPEST} deep"
                raise WorldFileError(f"{where} line {line}: {too_deep}")


def _refuse_extras(event: yaml.Event, where: str) -> None:
    """Reject aliases (a file could contain itself) and tags (which construct Python objects)."""
    place = where if event.start_mark is None else f"{where} line {event.start_mark.line + 1}"
    if isinstance(event, yaml.AliasEvent):
        raise WorldFileError(f"{place}: the alias '*{event.anchor}' is not allowed, write it out")
    tag = getattr(event, "tag", None)
    if isinstance(tag, str) and not isinstance(event, yaml.DocumentStartEvent):
        shown = tag.replace(_TAG, "!!")
        raise WorldFileError(f"{place}: the tag '{shown}' is not allowed, drop it")


class _Reader:
    """Converts nodes into plain data and records the line of each."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.positions: dict[KeyPath, SourcePosition] = {}

    def value(self, node: Node, path: KeyPath) -> Any:
        """Return the data of ``node``, found at ``path``."""
        if isinstance(node, MappingNode):
            return {key: self.value(item, (*path, key)) for key, item in self._items(node, path)}
        if isinstance(node, SequenceNode):
            return [self._item(item, (*path, i)) for i, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _items(self, node: MappingNode, path: KeyPath) -> Iterator[tuple[str, Node]]:
        first: dict[str, int] = {}
        for key, item in node.value:
            line = self._line(key)
            if not isinstance(key, ScalarNode) or key.tag != _TAG + "str":
                raise WorldFileError(f"{self.where} line {line}: a key must be a word")
            name = str(key.value)
            if name in first:
                place = f"{self.where} line {line}"
                raise WorldFileError(f"{place}: {name!r} is already given in line {first[name]}")
            first[name] = line
            self._note(key, (*path, name))
            yield name, item

    def _item(self, node: Node, path: KeyPath) -> Any:
        self._note(node, path)
        return self.value(node, path)

    def _scalar(self, node: Node, path: KeyPath) -> Any:
        text, kind = str(node.value), node.tag.removeprefix(_TAG)
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() == "true"
        if kind in ("int", "float"):
            special = text.lower().endswith((".inf", ".nan"))
            number = math.nan if special else float(text)
            if not math.isfinite(number):
                place = f"{self.where} line {self._line(node)}"
                given = f"{dotted_path(path) or 'the world'} is {text[:40]}"
                raise WorldFileError(f"{place}: {given}, must be finite")
            return int(text) if kind == "int" else number
        return text

    def _note(self, node: Node, path: KeyPath) -> None:
        line = self._line(node)
        self.positions[path] = SourcePosition(line, f"{self.where} line {line}")

    @staticmethod
    def _line(node: Node) -> int:
        return int(node.start_mark.line) + 1


def override(source: Source, overrides: Sequence[str], keys: AllowedKeys) -> Source:
    """Return ``source`` with each ``path=value`` of ``overrides`` set, in their order.

    ``keys`` are the allowed keys of each part by its path and kind: ``"terrain.*.step"``.
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
    """Set one value in ``source``, in place; ``steps`` lead from the top to it."""
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
        _drop_other_keys(holder, keys.get(f"{dotted_path(path[:-1])}.*.{value}"))


def _drop_other_keys(item: dict[str, Any], allowed: Collection[str] | None) -> None:
    """Remove the keys that an item's new kind does not have, and a robot's options."""
    item.pop("options", None)
    for key in [key for key in item if allowed is not None and key not in allowed]:
        del item[key]


def _part(holder: Any, key: str, path: KeyPath, where: str) -> str | int:
    """Return the key or index that ``key`` refers to in ``holder``, which is at ``path``."""
    if isinstance(holder, dict):
        return key
    owner = dotted_path(path)
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
