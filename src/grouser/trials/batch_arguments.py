"""Arguments of `grouser.trials.batch.Batch`: worlds of one layout, arrays, whole numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.simulation.scene import Scene, compose
from grouser.trials.layout import layout
from grouser.world.file import World, as_world

AnyWorld = World | str | os.PathLike[str] | Mapping[str, Any]
"""World, name of a shipped world, path of a world file, or contents of one."""


def distinct_worlds(
    given: AnyWorld | Sequence[AnyWorld], n: int | None
) -> tuple[list[World], list[int]]:
    """Return the distinct worlds, and the index of each simulation's world."""
    listed = list(given) if isinstance(given, list | tuple) else None
    if n is None and listed is None:
        raise BadValue("batch: n is missing, the number of simulations")
    count = len(listed or ()) if n is None else whole_number("n", n, 1)
    if listed is not None and (len(listed) != count or not listed):
        raise BadValue(f"batch: {len(listed)} worlds given for {count} simulations")
    distinct: dict[str, int] = {}
    worlds: list[World] = []
    known: dict[int, int] = {}
    numbers = []
    for one in [given] * count if listed is None else listed:
        source: Any = one
        if id(one) not in known:
            world = as_world(source)
            number = known[id(one)] = distinct.setdefault(repr(world), len(worlds))
            if number == len(worlds):
                _check_world(world)
                worlds.append(world)
        numbers.append(known[id(one)])
    return worlds, numbers


def _check_world(world: World) -> None:
    """Raise `BadValue` for a world that a batch cannot step."""
    for present, what in (
        (world.events, "events"),
        (world.triggers, "triggers"),
        (world.match, "a match"),
    ):
        if present:
            raise BadValue(
                f"{world.where()}: the world has {what}, and a batch has none; "
                "leave them out, or step a Simulation"
            )


def compose_worlds(worlds: Sequence[World]) -> list[Scene]:
    """Compile worlds, which must have one layout."""
    scenes = [compose(world) for world in worlds]
    first = layout(scenes[0]) if len(scenes) > 1 else b""
    for number, scene in enumerate(scenes[1:], 1):
        if layout(scene) != first or scene.sensors.keys() != scenes[0].sensors.keys():
            raise BadValue(
                f"batch: world '{scene.world.name}' (number {number}) has another layout than the "
                "first; worlds of a batch have the same robots and objects, and as many pieces of "
                "ground"
            )
    return scenes


def numeric_array(name: str, given: object) -> Array:
    """Return numbers as an array of float; raise `BadValue` for other types and for NaN."""
    try:
        values = np.asarray(given)
    except ValueError:  # rows of different lengths
        values = np.asarray(None)
    if values.dtype.kind not in "iuf":
        raise BadValue(f"batch: {name} is {given!r}, numbers are needed")
    values = values.astype(float)
    if not np.isfinite(values).all():
        where = np.argwhere(~np.isfinite(values))[0].tolist()
        at = f" of simulation {where[0]}" if where else ""
        raise BadValue(f"batch: {name}{at} is {values[tuple(where)]}, a finite number is needed")
    return values


def whole_number(name: str, value: object, least: int) -> int:
    """Return ``value`` if it is a whole number of at least ``least``; raise `BadValue` if not."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise BadValue(f"batch: {name} is {value!r}, a whole number of at least {least} is needed")
    return int(value)
