"""Error of a reconstructed surface against the true one, near and away from sharp edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, radians
from grouser.scan.cloud import PointCloud
from grouser.scan.scipy_parts import spatial
from grouser.scan.simplify import triangle_distances
from grouser.world.meshes.triangle_mesh import TriangleMesh

CHUNK = 1 << 20
"""Pairs of a point and a triangle that are processed together."""
SHARP = radians(30.0)
"""Angle between faces above which their edge is sharp."""
ALONG = 0.005
"""Spacing of points along an edge, m."""


@dataclass(frozen=True)
class SurfaceErrors:
    """Distances of points of a reconstructed surface from the true one."""

    away: Array
    """Distances of points away from edges, (n,), m."""
    band: Array
    """Distances of points near an edge, (m,), m."""


def surface_errors(
    mesh: TriangleMesh,
    cloud: PointCloud,
    true: Array,
    *,
    seen_within: float,
    band: float,
    box: tuple[npt.ArrayLike, npt.ArrayLike],
    count: int,
    rng: np.random.Generator,
) -> SurfaceErrors:
    """Return the distances of random points of a reconstructed surface from the true one.

    Args:
        mesh: the reconstructed surface.
        cloud: the scan; points of the mesh further than ``seen_within`` from it are ignored.
        true: corners of the true surface's triangles, (k, 3, 3), m.
        seen_within: m.
        band: width of the band along edges of the true surface, m.
        box: corners of the box outside which points are ignored, m.
        count: number of random points.
        rng: random number generator.
    """
    points = _random_points(mesh, count, rng)
    low, high = (np.asarray(corner, float) for corner in box)
    points = points[((points >= low) & (points <= high)).all(axis=1)]
    far, _ = spatial.cKDTree(cloud.points).query(points)
    points = points[far <= seen_within]
    near, _ = spatial.cKDTree(edge_points(true)).query(points)
    distances = distances_to(points, true)
    return SurfaceErrors(distances[near > band], distances[near <= band])


def distances_to(points: Array, corners: Array) -> Array:
    """Return the distance of each point (n, 3) from the nearest of triangles (k, 3, 3), m."""
    nearest = np.empty(len(points))
    step = max(1, CHUNK // len(corners))
    for begin in range(0, len(points), step):
        some = points[begin : begin + step]
        pairs = triangle_distances(
            np.repeat(some, len(corners), axis=0), np.tile(corners, (len(some), 1, 1))
        )
        nearest[begin : begin + step] = pairs.reshape(len(some), -1).min(axis=1)
    return nearest


def edge_points(corners: Array) -> Array:
    """Return points along all sharp edges of faces (k, 3, 3), (n, 3), m."""
    places, index = np.unique(corners.reshape(-1, 3).round(5), axis=0, return_inverse=True)
    faces = index.reshape(-1, 3)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-15)
    edges = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    owner = np.repeat(np.arange(len(faces)), 3)
    order = np.lexsort(edges.T)
    edges, owner = edges[order], owner[order]
    same = (edges[1:] == edges[:-1]).all(axis=1)
    one, other = owner[:-1][same], owner[1:][same]
    sharp = np.einsum("ni,ni->n", normals[one], normals[other]) < np.cos(SHARP)
    result = []
    for a, b in places[edges[:-1][same][sharp]]:
        parts = max(2, int(np.ceil(np.linalg.norm(b - a) / ALONG)) + 1)
        result.append(a + np.linspace(0.0, 1.0, parts)[:, None] * (b - a))
    return np.concatenate(result)


def _random_points(mesh: TriangleMesh, count: int, rng: np.random.Generator) -> Array:
    """Return uniformly distributed random points of a surface, (count, 3), m."""
    areas = np.linalg.norm(mesh.crosses(), axis=1)
    which = rng.choice(len(areas), count, p=areas / areas.sum())
    s, t = rng.random((2, count, 1))
    over = s + t > 1
    s, t = np.where(over, 1 - s, s), np.where(over, 1 - t, t)
    a, b, c = np.moveaxis(mesh.triangles[which], 1, 0)
    return np.asarray(a + s * (b - a) + t * (c - a))
