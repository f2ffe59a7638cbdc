"""Drafts of worlds, edited on the page: validation, preview, YAML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from pydantic import ValidationError

from grouser.description import mistakes
from grouser.errors import GrouserError
from grouser.gateways.page.timeline import PoseState, SceneNumbers, gather
from grouser.simulation.scene import compose
from grouser.world.file import World

WIDTH = 100
"""Longest line of a list entry that is written in one line."""

FIRST = ("name", "kind", "position")
"""Keys that come first in a mapping."""

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class DraftFault:
    """Fault of a draft."""

    path: Path
    """Keys and indices of the value at fault; empty: of the whole."""
    text: str


def content_of(world: World) -> dict[str, Any]:
    """Return the contents of a world file: the keys that were given, no defaults."""
    content: dict[str, Any] = world.model_dump(mode="json", exclude_unset=True)
    tidy: dict[str, Any] = _tidy(content)
    return tidy


def read_draft(content: Mapping[str, Any]) -> World | list[DraftFault]:
    """Return the world of a draft, or its faults."""
    try:
        return World.model_validate(content)
    except ValidationError as error:
        return [
            DraftFault(tuple(one.path), one.sentence(named=False))
            for one in mistakes(error, content, "the world")
        ]


def preview(numbers: SceneNumbers, world: World) -> PoseState | list[DraftFault]:
    """Compile a draft; return its poses at the start, or the fault."""
    try:
        scene = compose(world)
        return gather(numbers, scene, scene.initial(), 0.0)
    except GrouserError as error:
        return [DraftFault((), str(error))]


def draft_yaml(content: Mapping[str, Any]) -> str:
    """Return the text of a world file: one line per list entry where it fits, as written by hand.

    The text is read back as the same content.
    """
    return "\n".join(_mapping(_tidy(dict(content)), "")) + "\n"


def _mapping(content: Mapping[str, Any], indent: str) -> Iterator[str]:
    """Yield the lines of a mapping; what fits stays in one line, except entries of the world."""
    for key, value in content.items():
        short = f"{indent}{key}: {_flow(value)}"
        entries = isinstance(value, list) and any(isinstance(one, dict) for one in value)
        nested = isinstance(value, dict | list) and value
        if not nested or (len(short) <= WIDTH and (indent or not entries)):
            yield short
        elif isinstance(value, dict):
            yield f"{indent}{key}:"
            yield from _mapping(value, f"{indent}  ")
        else:
            yield f"{indent}{key}:"
            yield from _list(value, f"{indent}  ")


def _list(value: list[Any], indent: str) -> Iterator[str]:
    """Yield the lines of a list; entries that do not fit in a line are written as blocks."""
    for one in value:
        short = f"{indent}- {_flow(one)}"
        if len(short) <= WIDTH or not isinstance(one, dict):
            yield short
        else:
            first, *rest = _mapping(one, f"{indent}  ")
            yield f"{indent}- {first.strip()}"
            yield from rest


def _flow(value: Any) -> str:
    """Return a value in one line."""
    text = yaml.safe_dump(
        value, default_flow_style=True, sort_keys=False, width=10**6, allow_unicode=True
    )
    return text.removesuffix("\n").removesuffix("\n...")


def _tidy(value: Any) -> Any:
    """Return ``value`` with whole numbers without a point, and kind and name as first keys."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e9:
        return int(value)
    if isinstance(value, list | tuple):
        return [_tidy(one) for one in value]
    if isinstance(value, dict):
        order = sorted(value, key=lambda key: FIRST.index(key) if key in FIRST else len(FIRST))
        return {key: _tidy(value[key]) for key in order}
    return value
