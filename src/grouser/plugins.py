"""Plug-ins: terrains, robots, sensors, tracks, planners and runners of other packages.

A package declares them as entry points in its ``pyproject.toml``::

    [project.entry-points."grouser.robots"]
    rover = "moon:Rover"

Plug-ins are listed without being imported. A broken plug-in fails only when it is used.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import warnings
from collections.abc import Callable, Collection, Mapping
from importlib import metadata
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from grouser.errors import BadValue

if TYPE_CHECKING:
    from pydantic import BaseModel

TERRAINS = "grouser.terrains"
ROBOTS = "grouser.robots"
SENSORS = "grouser.sensors"
TRACKS = "grouser.tracks"
PLANNERS = "grouser.planners"
RUNNERS = "grouser.runners"
GATEWAYS = "grouser.gateways"
COMMANDS = "grouser.commands"
USARSIM_ENCODERS = "grouser.usarsim_encoders"

GROUPS = frozenset(
    {
        *(TERRAINS, ROBOTS, SENSORS, TRACKS, PLANNERS, RUNNERS),
        *(GATEWAYS, COMMANDS, USARSIM_ENCODERS),
    }
)
"""Entry point groups."""


Kind = TypeVar("Kind", bound="BaseModel")


@functools.cache
def entry_points(group: str, own: frozenset[str]) -> dict[str, metadata.EntryPoint]:
    """Return the entry points of ``group`` by name, without the names in ``own``."""
    found: dict[str, metadata.EntryPoint] = {}
    what = group.rpartition(".")[2].removesuffix("s")
    for entry in sorted(metadata.entry_points(group=group), key=lambda e: (e.name, e.value)):
        if entry.name in own or entry.name in found:
            warnings.warn(
                f"{entry.value}: {what} '{entry.name}' is ignored, the name is already in use",
                stacklevel=2,
            )
            continue
        found[entry.name] = entry
    return found


def entry_point_targets(group: str, own: Collection[str]) -> dict[str, str]:
    """Return name -> ``module:attribute`` of ``group``, without the names in ``own``."""
    return {name: entry.value for name, entry in entry_points(group, frozenset(own)).items()}


def load(name: str, own: Mapping[str, str], group: str, where: str) -> Any:
    """Import and return the object ``name`` of a built-in table or of an entry point group.

    Args:
        name: a key of ``own``, or the name of an entry point in ``group``.
        own: built-in table, name -> ``module:attribute``.
        group: entry point group.
        where: location for error messages.

    Raises:
        BadValue: the plug-in cannot be imported; the message has the reason.
    """
    if name in own:
        module, _, wanted = own[name].partition(":")
        return getattr(importlib.import_module(module), wanted)
    entry = entry_points(group, frozenset(own))[name]
    try:
        return entry.load()
    except Exception as error:  # a foreign module may raise anything on import
        raise broken_plugin_error(name, entry, error, where) from error


def load_class(
    name: str,
    own: Mapping[str, str],
    group: str,
    where: str,
    check: Callable[[object, str], type[Kind]],
) -> type[Kind]:
    """Import and return a class with `load`.

    ``check`` returns the class of a loaded object with a name, or raises `TypeError`.
    """
    found = load(name, own, group, where)
    try:
        return check(found, name)
    except TypeError as error:
        entry = entry_points(group, frozenset(own))[name]
        raise broken_plugin_error(name, entry, error, where) from error


def check_class(found: object, base: type[Kind]) -> type[Kind]:
    """Return ``found``; raise `TypeError` unless it is a class derived from ``base``."""
    if not (inspect.isclass(found) and issubclass(found, base)):
        raise TypeError(f"it is no {base.__name__}")
    return found


def check_kind(found: object, base: type[Kind], name: str) -> type[Kind]:
    """Return ``found``; raise `TypeError` unless it is a ``base`` whose field ``kind`` is ``name``.

    ``base`` is a description (`grouser.description.Description`).
    """
    kind = check_class(found, base)
    field = kind.model_fields.get("kind")
    if field is None or field.annotation != cast(Any, Literal[name]):
        raise TypeError(f'it needs the field  kind: Literal["{name}"]')
    return kind


def broken_plugin_error(
    name: str, entry: metadata.EntryPoint, error: Exception, where: str
) -> BadValue:
    """Return the error for a plug-in that cannot be used."""
    what = entry.group.rpartition(".")[2].removesuffix("s")
    return BadValue(
        f"{where}: {what} '{name}' comes from {entry.value}, which cannot be used ({reason(error)})"
    )


def reason(error: Exception) -> str:
    """Return type and message of an error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())
