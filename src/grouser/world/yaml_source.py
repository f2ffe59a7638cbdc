"""YAML text as plain data, with the position where each key was written.

Only the plain part of YAML 1.2 is read: mappings, lists, text, numbers, true/false and null.
``1e-3`` is a number and ``on`` a word, as people expect; tags, aliases, merge keys, doubled keys,
nan and inf are refused with their line. What the keys mean is not known here.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from grouser.errors import WorldFileError

KeyPath = tuple[str | int, ...]
"""Keys and list indices from the top of the file to a value."""

_TAG = "tag:yaml.org,2002:"


@dataclass(frozen=True, order=True)
class SourcePosition:
    """Where something was written; sorts in reading order."""

    line: int = 0
    """Line in the file, from 1; 0: not in the file but given on top of it."""
    text: str = ""
    """The place in words: ``"worlds/step.yaml line 4"``."""


@dataclass(frozen=True)
class Source:
    """What was read and where; never part of what makes two worlds equal."""

    data: Any = field(default=None, compare=False)
    """Plain dicts, lists and scalars."""
    positions: dict[KeyPath, SourcePosition] = field(default_factory=dict, compare=False)
    """Position of every key and list item; ``()`` is the text's first line."""

    def position(self, path: KeyPath) -> SourcePosition:
        """Return where ``path`` was written, or else the nearest thing that encloses it."""
        while path and path not in self.positions:
            path = path[:-1]
        return self.positions.get(path, SourcePosition())


class _Loader(yaml.SafeLoader):
    """Resolves plain words by YAML 1.2's core schema instead of PyYAML's 1.1."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own attribute


for _kind, _pattern in {
    "null": r"~|null|",
    "bool": r"true|false",
    "int": r"[-+]?[0-9]+",
    "float": r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan",
}.items():
    _Loader.add_implicit_resolver(_TAG + _kind, re.compile(rf"(?:{_pattern})\Z", re.I), None)


DEEPEST = 50
"""Lists and mappings within each other, at most."""
LONGEST = 2_000_000
"""Characters of a text, at most."""
MOST_VALUES = 200_000
"""Keys, values, lists and mappings of a text, at most."""

_QUICK = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Twenty times as fast where PyYAML has it; only counts, since it words its errors otherwise."""


def read_yaml(text: str, where: str, most: Mapping[str, int] | None = None) -> Source:
    """Read YAML ``text``; ``where`` names it in errors.

    Args:
        text: what is read.
        where: names it in errors.
        most: how many items the lists of the uppermost keys may have.

    Raises:
        WorldFileError: the text is not YAML, uses more of YAML than a world file may, or is larger.
    """
    with suppress(yaml.YAMLError):  # what is wrong with it is said below
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
    except yaml.YAMLError as error:  # a character that no YAML text may hold
        reason = str(error).splitlines()[0]
        raise WorldFileError(f"{where}: this is not YAML ({reason})") from None
    except RecursionError:
        raise WorldFileError(f"{where}: lists or mappings are nested too deeply") from None


def _check_size(text: str, where: str, most: Mapping[str, int]) -> None:
    """Refuse a text that would take long to read, as soon as it is clear that it would."""
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
    """Refuse aliases (a file could then hold itself) and tags (which ask for Python objects)."""
    place = where if event.start_mark is None else f"{where} line {event.start_mark.line + 1}"
    if isinstance(event, yaml.AliasEvent):
        raise WorldFileError(f"{place}: the alias '*{event.anchor}' is not allowed, write it out")
    tag = getattr(event, "tag", None)
    if isinstance(tag, str) and not isinstance(event, yaml.DocumentStartEvent):
        shown = tag.replace(_TAG, "!!")
        raise WorldFileError(f"{place}: the tag '{shown}' is not allowed, drop it")


class _Reader:
    """Turns nodes into plain data and notes the line of each."""

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
            number = float(text.replace(".inf", "inf").replace(".nan", "nan"))
            if not math.isfinite(number):
                place = f"{self.where} line {self._line(node)}"
                given = f"{dotted(path) or 'the world'} is {text[:40]}"
                raise WorldFileError(f"{place}: {given}, must be finite")
            return int(text) if kind == "int" else number
        return text

    def _note(self, node: Node, path: KeyPath) -> None:
        line = self._line(node)
        self.positions[path] = SourcePosition(line, f"{self.where} line {line}")

    @staticmethod
    def _line(node: Node) -> int:
        return int(node.start_mark.line) + 1


def dotted(path: Sequence[str | int]) -> str:
    """Return a path as people write it: ``terrain.1.height``."""
    return ".".join(str(part) for part in path)
