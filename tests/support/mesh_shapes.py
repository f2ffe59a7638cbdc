"""Meshes of a box and of a bridge."""

import trimesh
from trimesh.base import Trimesh


def box(size: tuple[float, float, float], place: tuple[float, float, float] = (0, 0, 0)) -> Trimesh:
    """Return the mesh of a box with its centre at ``place``."""
    mesh: Trimesh = trimesh.creation.box(size)
    mesh.apply_translation(place)
    return mesh


def bridge() -> Trimesh:
    """Mesh of a deck on two piers, which consists of three convex pieces."""
    deck = box((2, 0.5, 0.1), (0, 0, 0.45))
    piers = [box((0.2, 0.5, 0.4), (x, 0, 0.2)) for x in (-0.9, 0.9)]
    result: Trimesh = trimesh.boolean.union([deck, *piers])
    return result
