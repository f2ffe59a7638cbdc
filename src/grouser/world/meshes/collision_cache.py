"""Cache of collision proxies, since a convex decomposition takes seconds.

A choice is kept in memory and in a file of the user's cache folder (``GROUSER_CACHE``, else the
system's), whose name is a hash of all inputs, so that a changed mesh is processed again. A folder
that cannot be written, or a damaged file, only costs time.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
import logging
import os
import sys
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from grouser import files
from grouser.array_files import ArrayHead, read_npz
from grouser.errors import BadValue
from grouser.world.meshes.collision_proxy import Collide, CollisionProxy, ProxyChoice, choose_proxy
from grouser.world.meshes.columns import Fit, MeshHeights
from grouser.world.meshes.triangle_mesh import TriangleMesh

FORMAT = 3
"""Version of the files' contents; increased with every change of the result."""
PACKAGES = ("coacd", "manifold3d")
MOST_BYTES = 1 << 30
"""Largest size of an array of a file, bytes."""
KEPT = 16
"""Largest number of choices in memory."""

_LOG = logging.getLogger(__name__)
_memory: dict[str, ProxyChoice] = {}


def cached_proxy(
    mesh: TriangleMesh, collide: Collide, tolerance: float, cell: float | None
) -> ProxyChoice:
    """Return the result of `choose_proxy`, from memory or the cache folder if available."""
    key = _key(mesh, collide, tolerance, cell)
    if key not in _memory:
        path = cache_folder() / "meshes" / f"{key}.npz"
        choice = _read(path)
        if choice is None:
            _LOG.info("computing the collision proxy of a mesh of %d triangles", len(mesh.faces))
            choice = choose_proxy(mesh, collide, tolerance, cell)
            _write(path, choice)
        while len(_memory) >= KEPT:
            del _memory[next(iter(_memory))]
        _memory[key] = choice
    return _memory[key]


def cache_folder() -> Path:
    """Return the cache folder: ``GROUSER_CACHE``, else the system's."""
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
    """Return a hash of all inputs of a choice."""
    content = hashlib.sha256()
    for array in (mesh.vertices, mesh.faces):
        content.update(repr((array.shape, array.dtype.str)).encode())
        content.update(np.ascontiguousarray(array).tobytes())
    content.update(repr((FORMAT, collide, tolerance, cell, _versions())).encode())
    return content.hexdigest()[:32]


@functools.cache
def _versions() -> tuple[str, ...]:
    """Return the versions of MuJoCo and the decomposition packages; "": not installed."""
    found = [mujoco.__version__]
    for package in PACKAGES:
        try:
            found.append(metadata.version(package))
        except metadata.PackageNotFoundError:
            found.append("")
    return tuple(found)


def _write(path: Path, choice: ProxyChoice) -> None:
    arrays: dict[str, Any] = {}
    each = [_pack(one, f"{i}_", arrays) for i, one in enumerate((choice.taken, *choice.others))]
    buffer = io.BytesIO()
    np.savez_compressed(buffer, summary=json.dumps({"why": choice.why, "each": each}), **arrays)
    try:
        files.write_bytes(path, buffer.getvalue())
    except (BadValue, OSError) as error:
        _LOG.info("the collision proxy of a mesh cannot be cached: %s", error)


def _pack(one: CollisionProxy, prefix: str, arrays: dict[str, Any]) -> dict[str, Any]:
    """Return a proxy's plain values; its arrays are added to ``arrays``."""
    values: dict[str, Any] = {"fit": asdict(one.fit), "geoms": one.geoms, "contacts": one.contacts}
    if one.heights is None:
        arrays[f"{prefix}corners"] = np.concatenate(one.pieces)
        arrays[f"{prefix}starts"] = np.cumsum([0, *(len(piece) for piece in one.pieces)])
        return values
    arrays[f"{prefix}heights"], arrays[f"{prefix}there"] = one.heights.heights, one.heights.there
    return values | {"grid": [one.heights.cell, one.heights.x, one.heights.y]}


def _read(path: Path) -> ProxyChoice | None:
    """Return the choice in a file; None: the file does not exist or is damaged."""
    try:
        with path.open("rb") as file:
            arrays = read_npz(file, lambda names: names, _check_size)
        summary = json.loads(str(arrays["summary"]))
        each = [_unpack(one, f"{i}_", arrays) for i, one in enumerate(summary["each"])]
        return ProxyChoice(each[0], summary["why"], tuple(each[1:]))
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def _check_size(head: ArrayHead) -> None:
    if head.count * head.dtype.itemsize > MOST_BYTES:
        raise BadValue(f"holds {head.name} of more than {MOST_BYTES:,} bytes")


def _unpack(values: dict[str, Any], prefix: str, arrays: Any) -> CollisionProxy:
    cost = {"fit": Fit(**values["fit"]), "geoms": values["geoms"], "contacts": values["contacts"]}
    if "grid" in values:
        heights = MeshHeights(arrays[f"{prefix}heights"], arrays[f"{prefix}there"], *values["grid"])
        return CollisionProxy("height_map", (), heights, **cost)
    pieces = np.split(arrays[f"{prefix}corners"], arrays[f"{prefix}starts"][1:-1])
    return CollisionProxy("convex_pieces", tuple(pieces), None, **cost)
