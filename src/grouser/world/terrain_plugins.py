"""Kinds of ground that other packages bring: those they announce as ``grouser.terrains``.

A package announces its kinds in its own ``pyproject.toml``::

    [project.entry-points."grouser.terrains"]
    crater = "moon:Crater"

``Crater`` is a `TerrainPiece` whose ``kind`` is ``crater``. A package that cannot be loaded stops
nobody: whoever names its kind in a world file is told why there, and nobody else.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection
from importlib import metadata
from typing import Any, Literal, cast

from pydantic import create_model, model_validator

from grouser.plugins import TERRAINS, entry_points, reason
from grouser.world.field_types import mistake
from grouser.world.terrain.terrain_piece import TerrainPiece


def plugin_terrains(taken: Collection[str]) -> dict[str, type[TerrainPiece]]:
    """Return the kinds of ground of all installed packages, without names that are ``taken``."""
    kinds: dict[str, type[TerrainPiece]] = {}
    for entry in entry_points(TERRAINS, frozenset(taken)).values():
        try:
            kinds[entry.name] = _loaded(entry)
        except Exception as error:  # whatever a stranger's module does when it is imported
            kinds[entry.name] = _unusable(entry, error)
    return kinds


def _loaded(entry: metadata.EntryPoint) -> type[TerrainPiece]:
    kind = entry.load()
    if not (inspect.isclass(kind) and issubclass(kind, TerrainPiece)):
        raise TypeError("it is no TerrainPiece")
    field, expected = kind.model_fields.get("kind"), cast(Any, Literal[entry.name])
    if field is None or field.annotation != expected:
        raise TypeError(f'it needs the field  kind: Literal["{entry.name}"]')
    return kind


def _unusable(entry: metadata.EntryPoint, error: Exception) -> type[TerrainPiece]:
    """Return a kind that says, wherever it is used, why it cannot be."""
    why = reason(error)

    def refuse(value: Any) -> Any:
        raise mistake(f"comes from {entry.value}, which cannot be used ({why})", "kind")

    kind: type[TerrainPiece] = create_model(
        "UnusableTerrain",
        __base__=TerrainPiece,
        __doc__=f"Cannot be used: {why}",
        __validators__={"refuse": model_validator(mode="before")(refuse)},  # type: ignore[dict-item]
        kind=(cast(Any, Literal[entry.name]), entry.name),
    )
    return kind
