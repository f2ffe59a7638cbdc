"""Fewer triangles, with a stated error."""

from __future__ import annotations

from dataclasses import dataclass

from grouser.scan.triangle_mesh import TriangleMesh


@dataclass(frozen=True)
class Simplified:
    """A mesh with fewer triangles."""

    mesh: TriangleMesh
    error: float
    """Largest distance of a corner of the mesh before from the mesh after, m."""


def simplified(mesh: TriangleMesh, error: float) -> Simplified:
    """Return fewer triangles, nowhere further than ``error`` (m) from these."""
    raise NotImplementedError
