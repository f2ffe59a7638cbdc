"""A surface of triangles as convex pieces: a prism behind each triangle.

What was seen is a skin; nobody knows how thick things are behind it. So a prism reaches `THICKNESS`
behind its triangle, or less where the other side of the same thing was seen as well. Prisms share
their corners, front and back, so that there is no gap between them; and none of them knows up from
down, so that walls, undersides and bridges come out as they are.
"""

from __future__ import annotations

import numpy as np

from grouser.frames import Array
from grouser.world.meshes.triangle_mesh import TriangleMesh

THICKNESS = 0.05
"""m; a foot that is pressed in is still pushed out on the right side."""
THINNEST = 0.002
"""m; thinner pieces MuJoCo cannot build."""
LEAST_AREA = 1e-7
"""m2; smaller triangles hold nothing."""


def prisms(mesh: TriangleMesh, thickness: float = THICKNESS) -> list[Array]:
    """Return a prism behind each triangle: its six corners, (6, 3), m.

    Args:
        mesh: the surface, its triangles facing where they were seen from.
        thickness: how far a prism reaches behind its triangle at most, m.
    """
    normals = mesh.vertex_normals()
    back = mesh.vertices - normals * _depths(mesh.vertices, normals, thickness)[:, None]
    large = np.linalg.norm(mesh.crosses(), axis=1) / 2 > LEAST_AREA
    faces = mesh.faces[large]
    return list(np.concatenate([mesh.vertices[faces], back[faces]], axis=1))


def _depths(vertices: Array, normals: Array, thickness: float) -> Array:
    """Return how far behind each vertex its prisms may reach, (n,), m.

    If something that faces the other way lies behind a vertex, both reach half as far as that.
    """
    from grouser.scan.scipy_parts import spatial

    depths = np.full(len(vertices), thickness)
    pairs = spatial.cKDTree(vertices).query_pairs(2 * thickness, output_type="ndarray")
    one, other = pairs.T
    opposed = np.einsum("ni,ni->n", normals[one], normals[other]) < -0.5
    one, other = one[opposed], other[opposed]
    way = vertices[other] - vertices[one]
    for here, normal, sight in ((one, normals[one], way), (other, normals[other], -way)):
        behind = -np.einsum("ni,ni->n", normal, sight)
        aside = np.linalg.norm(sight + behind[:, None] * normal, axis=1)
        facing = (behind > 0) & (aside < np.maximum(behind, thickness / 2))
        np.minimum.at(depths, here[facing], behind[facing] / 2)
    return np.asarray(np.maximum(depths, THINNEST))
