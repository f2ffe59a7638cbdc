"""A surface of triangles that share their corners: what scans become."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, Pose, cross
from grouser.world.stl_file import Triangles

Faces = npt.NDArray[np.int64]
"""Numbers of the corners of triangles, counter-clockwise seen from outside, (m, 3)."""


@dataclass(frozen=True)
class TriangleMesh:
    """Triangles with shared corners; open where nothing was seen."""

    vertices: Array
    """(n, 3), m."""
    faces: Faces
    """(m, 3), counter-clockwise seen from where it was seen."""

    @property
    def corners(self) -> Array:
        """The corners of every triangle, (m, 3, 3), m."""
        return self.vertices[self.faces]

    @property
    def triangles(self) -> Triangles:
        """The same as STL files hold them."""
        return self.corners.astype(np.float32)

    def crosses(self) -> Array:
        """Return each face's normal, as long as twice its area, (m, 3), m2."""
        a, b, c = (self.vertices.take(corner, axis=0) for corner in self.faces.T)
        return cross(b - a, c - a)

    def face_normals(self) -> Array:
        """Return each face's unit normal, (m, 3); zero where a face has no area."""
        return _unit(self.crosses())

    def vertex_normals(self) -> Array:
        """Return the unit normal at each vertex, (n, 3): its faces' mean, weighed by area."""
        crosses, sums = self.crosses(), np.zeros_like(self.vertices)
        for axis in range(3):
            weights = np.repeat(crosses[:, axis], 3)
            sums[:, axis] = np.bincount(self.faces.ravel(), weights, len(self.vertices))
        return _unit(sums)

    def area(self) -> float:
        """Return the area of all faces, m2."""
        return float(np.linalg.norm(self.crosses(), axis=1).sum() / 2)

    def moved(self, X_WB: Pose) -> TriangleMesh:
        """Return the mesh, given in B, in W."""
        return TriangleMesh(X_WB.apply(self.vertices), self.faces)

    def tidied(self) -> TriangleMesh:
        """Return the mesh without vertices that no face has."""
        used = np.zeros(len(self.vertices), bool)
        used[self.faces] = True
        return TriangleMesh(self.vertices[used], (np.cumsum(used) - 1)[self.faces])


def _unit(vectors: Array) -> Array:
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.asarray(vectors / np.where(length > 0, length, 1.0))
