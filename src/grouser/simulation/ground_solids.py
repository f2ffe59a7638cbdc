"""Intersections of vertical lines with solids: entry, exit and surface normal.

Boxes, planes and convex meshes are intersections of half-spaces; spheres, ellipsoids, cylinders and
capsules have closed forms; a height field is interpolated on the triangles of its grid, with the
same diagonal as in MuJoCo.
"""

from __future__ import annotations

from typing import Any, Protocol

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array

Spans = tuple[Array, Array, npt.NDArray[np.int64]]
"""Heights of entry and exit, m (no hit: exit is -inf), and the number of the exit face."""

LEVEL = 1e-9
"""Largest z component of the normal of a vertical face."""


class Solid(Protocol):
    """A solid that vertical lines intersect."""

    geom: int
    """Id of its geom in the model."""
    bounds: tuple[float, float, float, float]
    """Smallest and largest x, smallest and largest y, m."""

    def spans(self, x: Array, y: Array) -> Spans:
        """Return entry and exit of vertical lines at ``x``, ``y`` (n,)."""
        ...

    def normals(self, x: Array, y: Array, z: Array, face: npt.NDArray[np.int64]) -> Array:
        """Return unit normals (n, 3) at the exits, at ``z`` through ``face``."""
        ...


def solid_of(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> Solid:
    """Return the solid of a geom at its pose in ``data``."""
    kind = mujoco.mjtGeom(model.geom_type[geom])
    place = np.array(data.geom_xpos[geom])
    turn = np.array(data.geom_xmat[geom]).reshape(3, 3)
    size = np.array(model.geom_size[geom])
    if kind == mujoco.mjtGeom.mjGEOM_HFIELD:
        return HeightFieldSolid(
            geom, place, turn, *height_grid(model, int(model.geom_dataid[geom]))
        )
    if kind == mujoco.mjtGeom.mjGEOM_PLANE:
        up = turn[:, 2]
        return HalfSpaces(geom, up[None], np.array([up @ place]), None)
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        axes = np.concatenate([turn.T, -turn.T])
        offsets = np.concatenate([size, size]) + axes @ place
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
        return HalfSpaces(geom, axes, offsets, place + (signs * size) @ turn.T)
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        normals, offsets, corners = _hull(model, int(model.geom_dataid[geom]))
        axes = normals @ turn.T
        return HalfSpaces(geom, axes, offsets + axes @ place, place + corners @ turn.T)
    return Round(geom, kind, place, turn, size)


class HalfSpaces:
    """A convex body: all points p with ``axes @ p <= offsets``."""

    def __init__(self, geom: int, axes: Array, offsets: Array, corners: Array | None) -> None:
        """Store the faces; ``corners`` (n, 3) bound it (None: unbounded)."""
        self.geom = geom
        self._axes, rise = axes, axes[:, 2]
        self._up: list[int] = np.flatnonzero(rise > LEVEL).tolist()
        self._down: list[int] = np.flatnonzero(rise < -LEVEL).tolist()
        self._walls: list[int] = np.flatnonzero(np.abs(rise) <= LEVEL).tolist()
        sloped = np.where(np.abs(rise) <= LEVEL, 1.0, rise)
        # Of every face its height at x = y = 0 and its slopes; of vertical ones their base line.
        self._height, self._slopes = offsets / sloped, -axes[:, :2] / sloped[:, None]
        self._offsets = offsets
        if corners is None:
            self.bounds = (-np.inf, np.inf, -np.inf, np.inf)
        else:
            low, high = corners.min(axis=0), corners.max(axis=0)
            self.bounds = (float(low[0]), float(high[0]), float(low[1]), float(high[1]))

    def spans(self, x: Array, y: Array) -> Spans:
        """Return entry and exit; faces are numbered as ``axes``."""
        high, face = np.full(len(x), np.inf), np.zeros(len(x), np.int64)
        low = np.full(len(x), -np.inf)
        for i in self._up:
            z = self._at(i, x, y)
            face[z < high] = i
            high = np.minimum(high, z)
        for i in self._down:
            low = np.maximum(low, self._at(i, x, y))
        hit = low <= high
        for i in self._walls:
            hit &= self._axes[i, 0] * x + self._axes[i, 1] * y <= self._offsets[i]
        return low, np.where(hit, high, -np.inf), face

    def _at(self, i: int, x: Array, y: Array) -> Array:
        """Return the height of face ``i`` at points."""
        return np.asarray(self._height[i] + self._slopes[i, 0] * x + self._slopes[i, 1] * y)

    def normals(self, x: Array, y: Array, z: Array, face: npt.NDArray[np.int64]) -> Array:
        """Return the faces' normals."""
        return np.asarray(self._axes[face])


class Round:
    """A sphere, ellipsoid, cylinder or capsule."""

    def __init__(
        self, geom: int, kind: mujoco.mjtGeom, place: Array, turn: Array, size: Array
    ) -> None:
        """Store pose and size."""
        self.geom = geom
        self._place, self._turn = place, turn
        radius, half = float(size[0]), float(size[1])
        ball = np.full(3, radius)
        if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
            self._parts: list[tuple[float, Array]] = [(0.0, ball)]
            self._half: float | None = None
        elif kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
            self._parts, self._half = [(0.0, size)], None
        elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
            self._parts, self._half = [], half
        elif kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
            self._parts, self._half = [(half, ball), (-half, ball)], half
        else:
            raise BadValue(f"ground: geoms of type {kind.name} are not supported")
        self._radius = radius
        reach = float(np.linalg.norm(size)) if self._half is None else radius + half
        x, y = float(place[0]), float(place[1])
        self.bounds = (x - reach, x + reach, y - reach, y + reach)

    def spans(self, x: Array, y: Array) -> Spans:
        """Return entry and exit; faces: index of a part, -1 a cylinder's side, -2 its caps."""
        start = self._local(x, y, np.zeros(len(x)))
        up = self._turn[2]
        low, high = np.full(len(x), np.inf), np.full(len(x), -np.inf)
        face = np.zeros(len(x), np.int64)
        for number, (along, semi) in enumerate(self._parts):
            enter, leave = _quadric(start - [0.0, 0.0, along], up, 1 / semi)
            face[leave > high] = number
            low, high = np.minimum(low, enter), np.maximum(high, leave)
        if self._half is not None:
            enter, leave, capped = self._cylinder(self._half, start, up)
            face = np.where(leave > high, np.where(capped, -2, -1), face)
            low, high = np.minimum(low, enter), np.maximum(high, leave)
        return low, high, face

    def _cylinder(
        self, half: float, start: Array, up: Array
    ) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
        """Return entry and exit of a cylinder, and whether the exit is a cap."""
        inverse = np.array([1 / self._radius, 1 / self._radius, 0.0])
        enter, leave = _quadric(start, up, inverse)
        along = start[:, 2]
        if abs(up[2]) < LEVEL:  # horizontal: lines pass between its caps or miss it
            above = np.where(np.abs(along) <= half, np.inf, -np.inf)
            below = -above
        else:
            middle, reach = -along / up[2], half / abs(up[2])
            below, above = middle - reach, middle + reach
        capped = above < leave
        enter, leave = np.maximum(enter, below), np.minimum(leave, above)
        missed = enter > leave
        return np.where(missed, np.inf, enter), np.where(missed, -np.inf, leave), capped

    def normals(self, x: Array, y: Array, z: Array, face: npt.NDArray[np.int64]) -> Array:
        """Return the normals of spheres, of the cylinder's side, or of its caps."""
        local = self._local(x, y, z)
        normal = np.empty_like(local)
        for number, (along, semi) in enumerate(self._parts):
            mine = face == number
            normal[mine] = (local[mine] - [0.0, 0.0, along]) / semi**2
        side, cap = face == -1, face == -2
        normal[side] = local[side] * [1.0, 1.0, 0.0]
        normal[cap] = [0.0, 0.0, 1.0 if self._turn[2, 2] > 0 else -1.0]
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        return np.asarray(normal @ self._turn.T)

    def _local(self, x: Array, y: Array, z: Array) -> Array:
        return np.asarray((np.column_stack([x, y, z]) - self._place) @ self._turn)


class HeightFieldSolid:
    """A height field with a vertical z axis."""

    def __init__(self, geom: int, place: Array, turn: Array, heights: Array, size: Array) -> None:
        """Store heights (rows along y, columns along x; m) and size, as in MuJoCo."""
        if turn[2, 2] < 1 - 1e-9:
            raise BadValue("ground: tilted height fields are not supported")
        self.geom = geom
        self._place, self._cos, self._sin = place, float(turn[0, 0]), float(turn[1, 0])
        rows, self._columns = heights.shape
        self._most = (self._columns - 2, rows - 2)
        self._cell = (2 * size[0] / (self._columns - 1), 2 * size[1] / (rows - 1))
        self._half = size[:2]
        self._heights = np.ascontiguousarray(heights + place[2]).ravel()
        self._low = float(place[2] - size[3])
        reach = np.abs(turn[:2, :2]) @ size[:2]
        low, high = place[:2] - reach, place[:2] + reach
        self.bounds = (float(low[0]), float(high[0]), float(low[1]), float(high[1]))

    def spans(self, x: Array, y: Array) -> Spans:
        """Return entry and exit; a face is a triangle: cell and half."""
        u, v, first, upper, outside = self._cells(x, y)
        along, across, corner = self._slopes(first, upper)
        high = corner + u * along + v * across
        high[outside] = -np.inf
        return np.full(len(x), self._low), high, 2 * first + upper

    def _cells(self, x: Array, y: Array) -> tuple[Any, ...]:
        """Return position in the cell, cell, half, and whether the point is outside."""
        east, north = x - self._place[0], y - self._place[1]
        u = (self._cos * east + self._sin * north + self._half[0]) / self._cell[0]
        v = (self._cos * north - self._sin * east + self._half[1]) / self._cell[1]
        column, row = u.astype(np.int64), v.astype(np.int64)
        np.clip(column, 0, self._most[0], out=column)
        np.clip(row, 0, self._most[1], out=row)
        u -= column
        v -= row
        # Rounding errors at the edge count as inside.
        outside = (u < -1e-9) | (v < -1e-9) | (u > 1 + 1e-9) | (v > 1 + 1e-9)
        return u, v, row * self._columns + column, v > u, outside

    def _slopes(
        self, first: npt.NDArray[np.int64], upper: npt.NDArray[np.bool_]
    ) -> tuple[Array, Array, Array]:
        """Return slopes of triangles along x and y, m per cell, and the height of corner 0."""
        # Both halves share the first and last corner; the third is beside or above the first.
        corner = self._heights.take(first)
        last = self._heights.take(first + (self._columns + 1))
        third = self._heights.take(first + np.where(upper, self._columns, 1))
        one, two = third - corner, last - third
        return np.where(upper, two, one), np.where(upper, one, two), corner

    def normals(self, x: Array, y: Array, z: Array, face: npt.NDArray[np.int64]) -> Array:
        """Return the triangles' normals."""
        along, across, _ = self._slopes(face >> 1, (face & 1).astype(bool))
        along /= -self._cell[0]
        across /= -self._cell[1]
        up = 1 / np.sqrt(1 + along * along + across * across)
        normal = np.empty((len(x), 3))
        normal[:, 0] = (self._cos * along - self._sin * across) * up
        normal[:, 1] = (self._sin * along + self._cos * across) * up
        normal[:, 2] = up
        return normal


def _quadric(start: Array, up: Array, inverse: Array) -> tuple[Array, Array]:
    """Return t where ``start + t up`` enters and leaves ``|inverse * p| <= 1``; else inf, -inf."""
    p, d = start * inverse, up * inverse
    a, b, c = float(d @ d), p @ d, np.einsum("ij,ij->i", p, p) - 1
    if a < LEVEL:  # an upright cylinder: the whole line, or none of it
        return np.where(c <= 0, -np.inf, np.inf), np.where(c <= 0, np.inf, -np.inf)
    under = b * b - a * c
    root = np.sqrt(np.maximum(under, 0.0))
    hit = under >= 0
    return np.where(hit, (-b - root) / a, np.inf), np.where(hit, (-b + root) / a, -np.inf)


def height_grid(model: mujoco.MjModel, field: int) -> tuple[Array, Array]:
    """Return heights (rows, columns; m) and size of a height field."""
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    start, size = int(model.hfield_adr[field]), np.array(model.hfield_size[field])
    data = np.array(model.hfield_data[start : start + rows * columns], np.float64)
    return data.reshape(rows, columns) * size[2], size


def _hull(model: mujoco.MjModel, mesh: int) -> tuple[Array, Array, Array]:
    """Return normals and offsets of the faces of a mesh's convex hull, and all its corners."""
    first = int(model.mesh_vertadr[mesh])
    corners = np.array(model.mesh_vert[first : first + model.mesh_vertnum[mesh]], np.float64)
    faces = slice(model.mesh_polyadr[mesh], model.mesh_polyadr[mesh] + model.mesh_polynum[mesh])
    normals = np.array(model.mesh_polynormal[faces], np.float64)
    return normals, (corners @ normals.T).max(axis=0), corners
