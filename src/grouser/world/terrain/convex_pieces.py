"""Ground made of convex pieces from a file, such as a scan or a decomposed mesh.

The file is an archive (``.npz``) of two arrays: ``corners``, (n, 3), of all pieces in sequence, and
``starts``, (k + 1,), the index of each piece's first corner and the end of the last one. A piece is
the convex hull of its corners.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import mujoco
import numpy as np
from pydantic import model_validator

from grouser import files
from grouser.array_files import ArrayHead, read_npz
from grouser.description import mistake
from grouser.errors import BadValue
from grouser.frames import Array, Pose
from grouser.world.field_types import Coordinate, data_file
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import LIGHT, PlacedTerrain, add_convex_hull

MOST_PIECES = 20_000
"""Largest number of pieces; more take MuJoCo minutes to compile."""
MOST_BYTES = 1 << 28
"""Largest size of the file and of either array, bytes."""


class ConvexPieces(PlacedTerrain):
    """Ground from a file of convex pieces."""

    kind: Literal["convex_pieces"] = "convex_pieces"
    file: Annotated[Path, data_file((".npz",), "pieces")]
    """Pieces (.npz), relative to the world file; kept as an absolute path."""
    z: Coordinate = 0.0
    """Height of the pieces' 0 in the world, m."""

    @model_validator(mode="after")
    def _is_ground(self) -> ConvexPieces:
        """Read the pieces during validation, so that errors name the world file's line."""
        try:
            self.pieces()
        except BadValue as error:
            raise mistake(f"which {error}", "file") from None
        return self

    def pieces(self) -> Sequence[Array]:
        """Return the corners of each piece, (n, 3), m, in the piece's frame."""
        return _read(self.file, self.file.stat().st_mtime_ns)

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the pieces, ``{name}/piece_{number}``."""
        X_WP, surface = self.frame @ Pose.at(z=self.z), self.geom(contact, LIGHT)
        add_pieces(spec, name, self.pieces(), X_WP, **surface)


def add_pieces(
    spec: mujoco.MjSpec, name: str, pieces: Sequence[Array], X_WP: Pose, **geom: Any
) -> None:
    """Add convex ``pieces``, corners (n, 3; m) each, at ``X_WP`` to the world body.

    Geoms are called ``{name}/piece_{number}``; ``geom`` has further attributes, such as their
    friction.
    """
    for number, corners in enumerate(pieces):
        label = f"{name}/piece_{number}"
        add_convex_hull(spec, label, corners, pos=X_WP.position, quat=X_WP.wxyz, **geom)


def write_pieces(path: Path, pieces: Sequence[Array]) -> None:
    """Write convex pieces, corners (n, 3) each, m, whole or not at all."""
    starts = np.cumsum([0, *(len(piece) for piece in pieces)])
    buffer = io.BytesIO()
    np.savez_compressed(buffer, corners=np.concatenate(pieces).astype(np.float32), starts=starts)
    files.write_bytes(path, buffer.getvalue())


@functools.lru_cache(maxsize=8)
def _read(path: Path, changed: int) -> tuple[Array, ...]:
    """Return a file's pieces; cached until its time of modification (``changed``) changes."""
    return read_pieces(path)


def read_pieces(path: Path) -> tuple[Array, ...]:
    """Return the corners of each piece in a file, (n, 3)."""
    content = files.read_bytes(path, MOST_BYTES)
    arrays = read_npz(io.BytesIO(content), _piece_arrays, _check_array)
    corners, starts = arrays["corners"].astype(float), arrays["starts"].astype(np.int64)
    if corners.ndim != 2 or corners.shape[1] != 3 or starts.ndim != 1 or len(starts) < 2:
        raise BadValue("has no corners (n, 3), or starts of no piece")
    if not np.isfinite(corners).all():
        raise BadValue("has corners that are not finite")
    if len(starts) - 1 > MOST_PIECES:
        raise BadValue(f"has {len(starts) - 1:,} pieces, at most {MOST_PIECES:,} are allowed")
    if starts[0] != 0 or starts[-1] != len(corners) or (np.diff(starts) < 4).any():
        raise BadValue("has starts that do not fit its corners: each piece needs at least 4")
    return tuple(np.split(corners, starts[1:-1]))


def _piece_arrays(names: Sequence[str]) -> tuple[str, str]:
    if not {"corners", "starts"} <= set(names):
        raise BadValue("is no archive of the arrays corners and starts")
    return "corners", "starts"


def _check_array(head: ArrayHead) -> None:
    if head.dtype.kind not in "iuf":
        raise BadValue(f"holds {head.name} of {head.dtype}, numbers are needed")
    if head.count * head.dtype.itemsize > MOST_BYTES:
        raise BadValue(f"has an array of more than {MOST_BYTES:,} bytes")
