"""Triangle mesh as arrays: open edges, connected components, convexity, normals, convex hulls."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array, Pose, cross

Faces = npt.NDArray[np.int64]
"""Indices of three corners each, counter-clockwise seen from outside, (n, 3)."""

MOST_TRIANGLES = 1_000_000
"""Largest number of triangles of a mesh; more take minutes to process."""
THIN = 1e-9
"""Volume below which a body has no hull that MuJoCo can collide, m3."""
CHUNK = 1 << 22
"""Numbers compared at a time."""


@dataclass(frozen=True)
class TriangleMesh:
    """Vertices and triangles; meshes of scans are open."""

    vertices: Array
    """Corners, m, (n, 3)."""
    faces: Faces
    """Triangles, (m, 3)."""

    @staticmethod
    def of(vertices: npt.ArrayLike, faces: npt.ArrayLike) -> TriangleMesh:
        """Return a mesh of arrays; `BadValue` is a clause to follow "which"."""
        corners, triangles = np.array(vertices, float), np.asarray(faces)
        if corners.ndim != 2 or corners.shape[-1] != 3:
            raise BadValue(f"has corners of shape {corners.shape}, (n, 3) is needed")
        if triangles.ndim != 2 or triangles.shape[-1] != 3 or not triangles.size:
            raise BadValue("has no triangles")
        if len(triangles) > MOST_TRIANGLES:
            raise BadValue(
                f"has {len(triangles):,} triangles, at most {MOST_TRIANGLES:,} are allowed: "
                "simplify or crop it"
            )
        if triangles.min() < 0 or triangles.max() >= len(corners):
            raise BadValue(
                f"has {len(corners)} corners and a triangle between corners "
                f"{int(triangles.min())} and {int(triangles.max())}"
            )
        if not np.isfinite(corners[np.unique(triangles)]).all():
            raise BadValue("has corners that are not finite")
        return TriangleMesh(corners, triangles.astype(np.int64))

    @staticmethod
    def of_triangles(triangles: npt.ArrayLike) -> TriangleMesh:
        """Return a mesh of separate triangles (n, 3, 3); equal corners are merged."""
        soup = np.asarray(triangles, float).reshape(-1, 3)
        corners, numbers = np.unique(soup, axis=0, return_inverse=True)
        return TriangleMesh.of(corners, numbers.reshape(-1, 3))

    @functools.cached_property
    def triangles(self) -> Array:
        """Corners of every triangle, m, (m, 3, 3)."""
        return np.asarray(self.vertices[self.faces])

    @property
    def size(self) -> Array:
        """Extent along x, y and z, m."""
        return np.asarray(np.ptp(self.triangles.reshape(-1, 3), axis=0))

    @functools.cached_property
    def volume(self) -> float:
        """Enclosed volume, m3; negative if the faces are oriented inward."""
        a, b, c = (self.triangles[:, i] for i in range(3))
        return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)

    @functools.cached_property
    def open_edges(self) -> int:
        """Number of edges not used equally often in both directions; 0: the mesh is closed."""
        return _unbalanced_edges(self.faces)

    def crosses(self) -> Array:
        """Return each face's normal with twice the face's area as length, (m, 3), m2."""
        a, b, c = (self.vertices.take(corner, axis=0) for corner in self.faces.T)
        return cross(b - a, c - a)

    def face_normals(self) -> Array:
        """Return each face's unit normal, (m, 3); zero where a face has no area."""
        return _unit(self.crosses())

    def vertex_normals(self) -> Array:
        """Return the unit normal at each vertex, (n, 3): the area-weighted mean of its faces'."""
        crosses, sums = self.crosses(), np.zeros_like(self.vertices)
        for axis in range(3):
            weights = np.repeat(crosses[:, axis], 3)
            sums[:, axis] = np.bincount(self.faces.ravel(), weights, len(self.vertices))
        return _unit(sums)

    def area(self) -> float:
        """Return the area of all faces, m2."""
        return float(np.linalg.norm(self.crosses(), axis=1).sum() / 2)

    def transformed(self, X_WB: Pose) -> TriangleMesh:
        """Return the mesh, given in B, in W."""
        return TriangleMesh(X_WB.apply(self.vertices), self.faces)

    def drop_unused_vertices(self) -> TriangleMesh:
        """Return the mesh without unused vertices."""
        used = np.zeros(len(self.vertices), bool)
        used[self.faces] = True
        return TriangleMesh(self.vertices[used], (np.cumsum(used) - 1)[self.faces])

    def outward(self) -> TriangleMesh:
        """Return the mesh with its faces oriented outward."""
        return self if self.volume >= 0 else TriangleMesh(self.vertices, self.faces[:, ::-1])

    def parts(self) -> list[TriangleMesh]:
        """Return the connected components (faces connected by shared corners)."""
        label = np.arange(len(self.vertices))
        while True:
            lowest = label[self.faces].min(axis=1)
            after = label.copy()
            np.minimum.at(after, self.faces.ravel(), np.repeat(lowest, 3))
            after = after[after]
            if np.array_equal(after, label):
                break
            label = after
        of_face = label[self.faces[:, 0]]
        return [self._of_faces(of_face == part) for part in np.unique(of_face)]

    def _of_faces(self, chosen: npt.NDArray[np.bool_]) -> TriangleMesh:
        corners, numbers = np.unique(self.faces[chosen], return_inverse=True)
        return TriangleMesh(self.vertices[corners], numbers.reshape(-1, 3))

    def is_convex(self, tolerance: float) -> bool:
        """Return whether no corner lies beyond a face's plane by more than ``tolerance`` (m).

        Triangles thinner than the tolerance are ignored.
        """
        a, b, c = (self.triangles[:, i] for i in range(3))
        normal = np.cross(b - a, c - a)
        twice = np.linalg.norm(normal, axis=1)
        longest = np.linalg.norm([b - a, c - b, a - c], axis=2).max(axis=0)
        broad = twice > tolerance * longest
        normal, a = normal[broad] / twice[broad, None], a[broad]
        offset = np.einsum("ij,ij->i", normal, a)
        step = max(1, CHUNK // len(self.vertices))
        chunks = (slice(i, i + step) for i in range(0, len(normal), step))
        over = ((normal[i] @ self.vertices.T).max(axis=1) - offset[i] for i in chunks)
        return all(float(most.max()) <= tolerance for most in over)


def open_edges(triangles: npt.ArrayLike) -> int:
    """Return `TriangleMesh.open_edges` of separate triangles (n, 3, 3), of any number."""
    soup = np.asarray(triangles).reshape(-1, 3)
    return _unbalanced_edges(np.unique(soup, axis=0, return_inverse=True)[1].reshape(-1, 3))


def _unbalanced_edges(faces: Faces) -> int:
    """Return the number of edges that faces do not use equally often in both directions."""
    # Edges of degenerate faces, whose two ends are equal, are ignored.
    edges = faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    _, number = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    balance = np.bincount(number.ravel(), np.sign(edges[:, 1] - edges[:, 0]))
    return int(np.count_nonzero(balance))


def _unit(vectors: Array) -> Array:
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.asarray(vectors / np.where(length > 0, length, 1.0))


def hulls(bodies: Sequence[Array]) -> list[TriangleMesh]:
    """Return the convex hulls of point sets (n, 3; m), as MuJoCo collides them, if not too thin."""
    spec, kept = mujoco.MjSpec(), 0
    for corners in bodies:
        if _spans_a_body(corners):
            name = f"{kept}"
            kept += 1
            spec.add_mesh(name=name, uservert=np.ravel(corners))
            spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name)
    if not kept:
        return []
    return list(_meshes_of(spec.compile()))


def _spans_a_body(corners: Array) -> bool:
    """Return whether the points span a volume."""
    if len(corners) < 4:
        return False
    extent = np.linalg.svd(corners - corners.mean(axis=0), compute_uv=False)
    return bool(extent[2] / len(corners) ** 0.5 > 1e-6 and np.prod(extent) > THIN)


def _meshes_of(model: mujoco.MjModel) -> Iterable[TriangleMesh]:
    """Yield a model's meshes in their original frames; MuJoCo centres and rotates them."""
    for mesh in range(model.nmesh):
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        corners = np.array(model.mesh_vert[first : first + count], float)
        turn = np.empty(9)
        mujoco.mju_quat2Mat(turn, model.mesh_quat[mesh])
        corners = corners @ turn.reshape(3, 3).T + model.mesh_pos[mesh]
        first, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
        yield TriangleMesh(corners, np.array(model.mesh_face[first : first + count], np.int64))
