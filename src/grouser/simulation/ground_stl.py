"""Ground export: the ground of a scene as one watertight surface for an STL file.

All static collision geoms are united: inner faces are removed, and every edge has exactly two
faces. An infinite plane becomes a slab slightly larger than the other geoms.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue, missing_extra
from grouser.frames import Array
from grouser.simulation.ground import ground_geoms
from grouser.simulation.ground_solids import height_grid
from grouser.simulation.scene import Scene
from grouser.world.meshes.mesh_files import Triangles
from grouser.world.terrain.terrain_piece import FOUNDATION

GROWTH = 20e-6
"""Offset of every solid on all sides, m: solids that only touch overlap and are united."""
MARGIN = 0.5
"""Margin of the slab of a plane around all other geoms, m."""
ROUND = 48
"""Vertices of a circle."""


def ground_surface(scene: Scene) -> Triangles:
    """Return the ground as one watertight surface.

    Raises:
        BadValue: there is no ground.
        MissingDependency: manifold3d is not installed.
    """
    try:
        import manifold3d
    except ImportError as error:
        raise missing_extra("STL files need manifold3d", "ground") from error
    model, data = scene.model, mujoco.MjData(scene.model)
    mujoco.mj_kinematics(model, data)
    planes, solids = [], []
    for geom in ground_geoms(scene):
        if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE:
            planes.append(geom)
        elif model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_HFIELD:
            corners, faces = _height_field(model, int(model.geom_dataid[geom]))
            mesh = manifold3d.Mesh64(_in_world(data, geom, corners), faces.astype(np.uint64))
            solids.append(manifold3d.Manifold(mesh))
        else:
            corners = _in_world(data, geom, _enlarge(_corners(model, geom)))
            solids.append(manifold3d.Manifold.hull_points(corners))
    boxes = np.array([solid.bounding_box() for solid in solids] or [(0.0,) * 6])
    low, high = boxes[:, :3].min(axis=0), boxes[:, 3:].max(axis=0)
    for geom in planes:
        slab = _slab(data, geom, (low + high) / 2, float(np.linalg.norm(high - low)) / 2)
        solids.append(manifold3d.Manifold.hull_points(slab))
    if not solids:
        raise BadValue(f"{scene.world.where()}: has no ground for an STL file")
    joined = manifold3d.Manifold.batch_boolean(solids, manifold3d.OpType.Add)
    return _triangles(joined)


def _triangles(joined: Any) -> Triangles:
    """Return a solid's faces in single precision, without degenerate triangles."""
    mesh = joined.simplify(GROWTH / 10).to_mesh64()
    # Readers merge vertices that differ in the eighth digit only: merged here as well.
    corners = np.round(mesh.vert_properties[:, :3], 7).astype(np.float32) + np.float32(0.0)
    faces = np.asarray(mesh.tri_verts, np.int64)
    number = np.unique(corners, axis=0, return_inverse=True)[1].reshape(-1)[faces]
    flat = (number == np.roll(number, 1, axis=1)).any(axis=1)
    faces, number = faces[~flat], np.sort(number[~flat], axis=1)
    # Two faces with the same vertices are back to back and enclose no volume.
    _, same, count = np.unique(number, axis=0, return_inverse=True, return_counts=True)
    return np.asarray(corners[faces[count[same.reshape(-1)] == 1]])


def _in_world(data: mujoco.MjData, geom: int, corners: Array) -> Array:
    turn = np.array(data.geom_xmat[geom]).reshape(3, 3)
    return np.ascontiguousarray(corners @ turn.T + data.geom_xpos[geom])


def _enlarge(corners: Array) -> Array:
    """Return the vertices of a solid that is larger by `GROWTH` on all sides."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle, half = (low + high) / 2, (high - low) / 2
    return np.asarray(middle + (corners - middle) * (half + GROWTH) / half)


def _corners(model: mujoco.MjModel, geom: int) -> Array:
    """Return points (n, 3) whose convex hull is the geom, in its own frame."""
    kind, size = mujoco.mjtGeom(model.geom_type[geom]), np.array(model.geom_size[geom])
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
    angle = np.arange(ROUND) * (2 * np.pi / ROUND)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return np.asarray(signs * size)
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        first = model.mesh_vertadr[mesh]
        return np.array(model.mesh_vert[first : first + model.mesh_vertnum[mesh]], np.float64)
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        ends = [np.column_stack([circle * size[0], np.full(ROUND, z)]) for z in (-size[1], size[1])]
        return np.concatenate(ends)
    tilt = np.linspace(-np.pi / 2, np.pi / 2, ROUND // 2 + 1)
    ball = np.concatenate(
        [np.column_stack([circle * np.cos(t), np.full(ROUND, np.sin(t))]) for t in tilt]
    )
    if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        return np.asarray(ball * size)
    along = np.array([0.0, 0.0, size[1] if kind == mujoco.mjtGeom.mjGEOM_CAPSULE else 0.0])
    return np.concatenate([ball * size[0] - along, ball * size[0] + along])


def _height_field(model: mujoco.MjModel, field: int) -> tuple[Array, npt.NDArray[np.int64]]:
    """Return vertices and faces of a height field as a closed solid, in its own frame."""
    grid, size = height_grid(model, field)
    (rows, columns), heights = grid.shape, grid.ravel()
    grown = size[:2] + GROWTH
    y, x = np.meshgrid(
        np.linspace(-grown[1], grown[1], rows),
        np.linspace(-grown[0], grown[0], columns),
        indexing="ij",
    )
    top = np.column_stack([x.ravel(), y.ravel(), heights + GROWTH])
    bottom = np.column_stack([x.ravel(), y.ravel(), np.full(rows * columns, -size[3])])
    number = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    # Diagonal from the first to the last corner of each cell, as in MuJoCo.
    upper = np.concatenate([_rows(a, b, c), _rows(a, c, d)])
    around = np.concatenate([number[0, :-1], number[:-1, -1], number[-1, :0:-1], number[:0:-1, 0]])
    after, under = np.roll(around, -1), rows * columns
    walls = np.concatenate(
        [_rows(around + under, after + under, after), _rows(around + under, after, around)]
    )
    return np.concatenate([top, bottom]), np.concatenate([upper, upper[:, ::-1] + under, walls])


def _rows(*corners: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.column_stack([corner.ravel() for corner in corners])


def _slab(data: mujoco.MjData, geom: int, middle: Array, reach: float) -> Array:
    """Return the vertices of a slab under a plane, around ``middle``, with radius ``reach`` (m)."""
    turn = np.array(data.geom_xmat[geom]).reshape(3, 3)
    centre = (middle - data.geom_xpos[geom]) @ turn
    half = reach + MARGIN
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 0])).reshape(3, -1).T
    size = np.array([half, half, FOUNDATION])
    return _in_world(data, geom, _enlarge(signs * size + [centre[0], centre[1], 0.0]))
