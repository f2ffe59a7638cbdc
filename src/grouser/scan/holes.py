"""Holes of a surface: where nothing was seen; reported, and closed up to a stated size."""

from __future__ import annotations

from dataclasses import dataclass

from grouser.frames import Array
from grouser.scan.triangle_mesh import TriangleMesh


@dataclass(frozen=True)
class Hole:
    """A closed loop of edges that have a face on one side alone."""

    rim: Array
    """Its points in order, (k, 3), m."""
    width: float
    """Largest distance between two points of the rim, m."""
    outer: bool
    """Whether it is the outer edge of a piece of surface rather than a hole in it."""


def find_holes(mesh: TriangleMesh) -> tuple[Hole, ...]:
    """Return all holes and outer edges, widest first."""
    raise NotImplementedError


def close_holes(mesh: TriangleMesh, largest: float) -> tuple[TriangleMesh, tuple[Hole, ...]]:
    """Close the holes that are not wider than ``largest`` (m); return those that were closed."""
    raise NotImplementedError
