"""Terrain plug-ins: entry points of the group ``grouser.terrains``."""

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
    """Return the terrain kinds of all installed packages, except names that are ``taken``."""
    kinds: dict[str, type[TerrainPiece]] = {}
    for entry in entry_points(TERRAINS, frozenset(taken)).values():
        try:
            kinds[entry.name] = _loaded(entry)
        except Exception as error:  # importing a plug-in may raise anything
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
    """Return a kind whose validation fails with the reason for the import error."""
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
