"""What other packages bring: kinds of ground, robots, sensors and tracks that they announce.

A package announces them in its own ``pyproject.toml``::

    [project.entry-points."grouser.robots"]
    rover = "moon:Rover"

They are found by name without being imported. What cannot be loaded stops nobody but those who
name it.
"""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Collection, Mapping
from importlib import metadata
from typing import Any

from grouser.errors import BadValue

TERRAINS, ROBOTS, SENSORS, TRACKS = (
    f"grouser.{kind}" for kind in ("terrains", "robots", "sensors", "tracks")
)
"""The groups of entry points."""


@functools.cache
def announced(group: str, taken: frozenset[str]) -> dict[str, metadata.EntryPoint]:
    """Return what installed packages announce in ``group``, without names that are ``taken``."""
    found: dict[str, metadata.EntryPoint] = {}
    what = group.rpartition(".")[2].removesuffix("s")
    for entry in sorted(metadata.entry_points(group=group), key=lambda e: (e.name, e.value)):
        if entry.name in taken or entry.name in found:
            warnings.warn(
                f"{entry.value}: its {what} '{entry.name}' is left out: another has this name",
                stacklevel=2,
            )
            continue
        found[entry.name] = entry
    return found


def places(group: str, own: Collection[str]) -> dict[str, str]:
    """Return what ``group`` has as ``module:attribute`` by name, without names in ``own``."""
    return {name: entry.value for name, entry in announced(group, frozenset(own)).items()}


def attribute(name: str, own: Mapping[str, str], group: str, where: str) -> Any:
    """Return what a table or an installed package has under ``name``, imported.

    Args:
        name: a key of ``own``, or one that is announced in ``group``.
        own: the table of what ships, ``module:attribute`` each.
        group: of entry points.
        where: the place to name in an error.

    Raises:
        BadValue: the package that announces it cannot be loaded; the sentence says why.
    """
    if name in own:
        module, _, wanted = own[name].partition(":")
        return getattr(importlib.import_module(module), wanted)
    entry = announced(group, frozenset(own))[name]
    try:
        return entry.load()
    except Exception as error:  # whatever a stranger's module does when it is imported
        raise unusable(name, entry, error, where) from error


def unusable(name: str, entry: metadata.EntryPoint, error: Exception, where: str) -> BadValue:
    """Build the error for something that a package announces and does not bring."""
    what = entry.group.rpartition(".")[2].removesuffix("s")
    return BadValue(
        f"{where}: {what} '{name}' comes from {entry.value}, which cannot be used ({reason(error)})"
    )


def reason(error: Exception) -> str:
    """Return in one line why something could not be loaded."""
    return " ".join(f"{type(error).__name__}: {error}".split())
