"""What meshes collide as, remembered: cutting takes seconds, and a world must load at once.

A choice is kept in memory and in a file of the user's cache folder (``GROUSER_CACHE``, else the
system's), under a name made of everything that decides it, so that a changed mesh is cut anew. A
folder that cannot be written, or a file that is broken, costs time and nothing else.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
import logging
import os
import sys
import zipfile
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from grouser import files
from grouser.errors import BadValue
from grouser.world.meshes.columns import Fit
from grouser.world.meshes.mesh_heights import MeshHeights
from grouser.world.meshes.stand_in import Collide, StandIn, StandInChoice, stand_in
from grouser.world.meshes.triangle_mesh import TriangleMesh

FORMAT = 2
"""Grows when what is made of a mesh changes."""
PACKAGES = ("coacd", "manifold3d")
KEPT = 16
"""Choices kept in memory."""

_LOG = logging.getLogger(__name__)
_memory: dict[str, StandInChoice] = {}


def cached_stand_in(
    mesh: TriangleMesh, collide: Collide, tolerance: float, cell: float | None
) -> StandInChoice:
    """Return `stand_in`'s choice, from memory or the cache folder if it was made before."""
    key = _key(mesh, collide, tolerance, cell)
    if key not in _memory:
        path = cache_folder() / "meshes" / f"{key}.npz"
        choice = _read(path)
        if choice is None:
            _LOG.info("finding out what a mesh of %d triangles collides as", len(mesh.faces))
            choice = stand_in(mesh, collide, tolerance, cell)
            _write(path, choice)
        while len(_memory) >= KEPT:
            del _memory[next(iter(_memory))]
        _memory[key] = choice
    return _memory[key]


def cache_folder() -> Path:
    """Return the folder for what can be made again: ``GROUSER_CACHE``, else the system's."""
    if named := os.environ.get("GROUSER_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "grouser"


def _key(mesh: TriangleMesh, collide: str, tolerance: float, cell: float | None) -> str:
    """Return a name for everything that decides a choice."""
    content = hashlib.sha256()
    for array in (mesh.vertices, mesh.faces):
        content.update(repr((array.shape, array.dtype.str)).encode())
        content.update(np.ascontiguousarray(array).tobytes())
    content.update(repr((FORMAT, collide, tolerance, cell, _versions())).encode())
    return content.hexdigest()[:32]


@functools.cache
def _versions() -> tuple[str, ...]:
    """Return the versions of what cuts and collides meshes; "": not installed."""
    found = [mujoco.__version__]
    for package in PACKAGES:
        try:
            found.append(metadata.version(package))
        except metadata.PackageNotFoundError:
            found.append("")
    return tuple(found)


def _write(path: Path, choice: StandInChoice) -> None:
    arrays: dict[str, Any] = {}
    told = [_pack(one, f"{i}_", arrays) for i, one in enumerate((choice.taken, *choice.others))]
    buffer = io.BytesIO()
    np.savez_compressed(buffer, told=json.dumps({"why": choice.why, "each": told}), **arrays)
    try:
        files.write_bytes(path, buffer.getvalue())
    except (BadValue, OSError) as error:
        _LOG.info("what a mesh collides as is not remembered: %s", error)


def _pack(one: StandIn, prefix: str, arrays: dict[str, Any]) -> dict[str, Any]:
    """Return a stand-in's plain values, its arrays put among ``arrays``."""
    told: dict[str, Any] = {"fit": asdict(one.fit), "geoms": one.geoms, "contacts": one.contacts}
    if one.heights is None:
        arrays[f"{prefix}corners"] = np.concatenate(one.pieces)
        arrays[f"{prefix}starts"] = np.cumsum([0, *(len(piece) for piece in one.pieces)])
        return told
    arrays[f"{prefix}heights"], arrays[f"{prefix}there"] = one.heights.heights, one.heights.there
    return told | {"grid": [one.heights.cell, one.heights.x, one.heights.y]}


def _read(path: Path) -> StandInChoice | None:
    """Return the choice in a file; None: there is none, or none that can be read."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            told = json.loads(str(arrays["told"]))
            each = [_unpack(one, f"{i}_", arrays) for i, one in enumerate(told["each"])]
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        return None
    return StandInChoice(each[0], told["why"], tuple(each[1:]))


def _unpack(told: dict[str, Any], prefix: str, arrays: Any) -> StandIn:
    cost = {"fit": Fit(**told["fit"]), "geoms": told["geoms"], "contacts": told["contacts"]}
    if "grid" in told:
        heights = MeshHeights(arrays[f"{prefix}heights"], arrays[f"{prefix}there"], *told["grid"])
        return StandIn("height_map", (), heights, **cost)
    pieces = np.split(arrays[f"{prefix}corners"], arrays[f"{prefix}starts"][1:-1])
    return StandIn("convex_pieces", tuple(pieces), None, **cost)
