"""Column heights of triangle meshes: vertical rays on a grid, height maps, and fit errors.

Intersections of a grid of vertical lines with a mesh give its heights seen from above and its solid
intervals. `fit` compares a mesh with its collision geometry on the same lines: the distance of the
surfaces, and the share of free space under bridges that is filled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array, millimetres
from grouser.world.terrain.height_field import MOST_POINTS

PAIRS = 1 << 21
"""Pairs of a triangle and a line that are processed together."""
MOST_LINES = 1_000_000
"""Largest number of lines in a comparison of two meshes."""
GRID_OFFSET = 0.381966
"""Offset of the lines as a part of a cell, so that none lies on mesh edges at round coordinates."""
LATTICE_SLACK = 0.01
"""Distance by which a mesh may miss a line of the grid and still end there, in steps."""
SLACK = 1e-6
"""Tolerance of barycentric coordinates, for walls exactly on lines of the grid."""
FARTHEST = 32
"""Largest search radius for the nearest surface, in lines."""


@dataclass(frozen=True)
class Lines:
    """Vertical lines on a regular grid."""

    x: float
    """x of the first line, m."""
    y: float
    """y of the first line, m."""
    step: float
    """Spacing of the lines, m."""
    shape: tuple[int, int]
    """Number of lines along y and along x."""

    @staticmethod
    def over(low: Array, high: Array, step: float) -> Lines:
        """Return lines between two corners, ``step`` (m) apart or more to keep `MOST_LINES`."""
        size = np.maximum(high[:2] - low[:2], 1e-9)
        step = max(step, float(np.sqrt(size.prod() / MOST_LINES)), float(size.max()) / MOST_LINES)
        columns, rows = np.maximum(np.ceil(size / step), 1).astype(int).tolist()
        x, y = (low[:2] + GRID_OFFSET * step).tolist()
        return Lines(x, y, step, (rows, columns))


@dataclass(frozen=True)
class Crossings:
    """Intersections of lines with triangles; arrays with one entry per intersection."""

    line: npt.NDArray[np.int64]
    """Index of the line, counted along x first."""
    z: Array
    """Height of the intersection, m."""
    rising: npt.NDArray[np.int8]
    """1: the line enters the solid, upwards; -1: it leaves it."""


def crossings(triangles: Array, lines: Lines, slack: float = 0.0) -> Crossings:
    """Return the intersections of ``lines`` with ``triangles`` (n, 3, 3; m), vertical ones omitted.

    Triangles are counter-clockwise seen from outside; ``slack`` is the tolerance of barycentric
    coordinates.
    """
    corners = np.asarray(triangles, float)
    flat = (corners[..., :2] - [lines.x, lines.y]) / lines.step
    reach = LATTICE_SLACK if slack else 0.0
    grid = _Lattice((0, 0), 1.0, lines.shape, reach, slack, 1e-12)
    return _intersections(flat, corners[..., 2], grid)


@dataclass(frozen=True)
class _Lattice:
    """Grid of lines in the units of the triangles' x and y."""

    first: tuple[int, int]
    """x and y of the first line, in steps."""
    step: float
    shape: tuple[int, int]
    """Number of lines along y and along x."""
    reach: float
    """Distance of a line from a triangle's bounding box up to which it is tested, in steps."""
    slack: float
    """Tolerance of the barycentric coordinates."""
    least: float
    """Area of a projected triangle, doubled, below which it is vertical."""


def _intersections(flat: Array, heights: Array, grid: _Lattice) -> Crossings:
    """Return the intersections of lines with triangles: ``flat`` (n, 3, 2), ``heights`` (n, 3)."""
    found = list(_batches(flat, heights, grid))
    if not found:
        nothing = np.empty(0)
        return Crossings(nothing.astype(np.int64), nothing, nothing.astype(np.int8))
    return Crossings(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _batches(
    flat: Array, heights: Array, grid: _Lattice
) -> Iterator[tuple[npt.NDArray[np.int64], Array, npt.NDArray[np.int8]]]:
    """Yield line, height and direction of intersections in batches of triangles."""
    rows, columns = grid.shape
    u, v = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    low, high = flat.min(axis=1) / grid.step, flat.max(axis=1) / grid.step
    first = np.maximum(np.ceil(low - grid.reach) - grid.first, 0).astype(np.int64)
    last = np.floor(high + grid.reach) - grid.first
    last = np.minimum(last, [columns - 1, rows - 1]).astype(np.int64)
    span = np.maximum(last - first + 1, 0)
    count = np.where(np.abs(area) > grid.least, span.prod(axis=1), 0)
    seen = np.flatnonzero(count)
    ends = np.cumsum(count[seen])
    start = 0
    while start < len(seen):
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + PAIRS, side="right")))
        some = seen[start:stop]
        which = np.repeat(some, count[some])
        place = np.arange(len(which)) - np.repeat(
            ends[start:stop] - count[some] - before, count[some]
        )
        column = first[which, 0] + place % span[which, 0]
        row = first[which, 1] + place // span[which, 0]
        east = (column + grid.first[0]) * grid.step - flat[which, 0, 0]
        north = (row + grid.first[1]) * grid.step - flat[which, 0, 1]
        s = (east * v[which, 1] - north * v[which, 0]) / area[which]
        t = (u[which, 0] * north - u[which, 1] * east) / area[which]
        hit = (s >= -grid.slack) & (t >= -grid.slack) & (s + t <= 1 + grid.slack)
        which, s, t = which[hit], s[hit], t[hit]
        z = heights[which]
        height = z[:, 0] + s * (z[:, 1] - z[:, 0]) + t * (z[:, 2] - z[:, 0])
        yield (
            (row * columns + column)[hit],
            height,
            np.where(area[which] > 0, -1, 1).astype(np.int8),
        )
        start = stop


def heights_from_above(triangles: npt.ArrayLike, cell: float) -> tuple[Array, tuple[float, float]]:
    """Return the heights of triangles, seen from above, on a grid that contains the origin.

    Rows go from the largest y down, columns along x; nan: no surface. The smallest x and y of
    the grid (m) are returned, too.
    """
    corners = np.asarray(triangles, float)
    low = np.floor(corners[..., :2].min(axis=(0, 1)) / cell + LATTICE_SLACK).astype(int)
    high = np.ceil(corners[..., :2].max(axis=(0, 1)) / cell - LATTICE_SLACK).astype(int)
    columns, rows = (high - low + 1).tolist()
    x, y = low.tolist()
    grid = _Lattice((x, y), cell, (rows, columns), LATTICE_SLACK, SLACK, 1e-14)
    lines = Lines(x * cell, y * cell, cell, grid.shape)
    heights = top_heights(_intersections(corners[..., :2], corners[..., 2], grid), lines)
    return heights[::-1].copy(), (lines.x, lines.y)


def top_heights(found: Crossings, lines: Lines) -> Array:
    """Return the height of the topmost upward face on every line, m, (rows, columns); nan: none."""
    heights = np.full(lines.shape[0] * lines.shape[1], -np.inf)
    up = found.rising < 0
    np.maximum.at(heights, found.line[up], found.z[up])
    heights[heights == -np.inf] = np.nan
    return heights.reshape(lines.shape)


@dataclass(frozen=True)
class Fit:
    """Error of an approximation of a mesh, measured on vertical lines."""

    mean: float
    """Mean vertical distance over the area visible from above, m."""
    largest: float
    """Largest vertical distance, m; at a displaced wall this is the wall's height."""
    off: float
    """Largest distance to the other surface, vertical or lateral, m; at a displaced wall this is
    its displacement."""
    filled: float
    """Share of the visible area under which free space higher than the tolerance is filled."""

    def within(self, tolerance: float) -> bool:
        """Return whether `off` is at most ``tolerance`` (m) and `filled` at most `MOST_FILLED`."""
        return self.off <= tolerance and self.filled <= MOST_FILLED

    def __str__(self) -> str:
        """Return the errors in millimetres, as text."""
        return (
            f"off by {millimetres(self.off):.1f} mm at most, {millimetres(self.mean):.2f} mm on "
            f"average, {100 * self.filled:.1f} % filled up underneath"
        )


MOST_FILLED = 0.01
"""Largest accepted `Fit.filled`: overhanging lips of stones, no bridges."""


def fit(mesh: Array, other: Array, tolerance: float, *, closed: bool = True) -> Fit:
    """Return the error of an approximation of a mesh by other, closed triangles (n, 3, 3; m).

    Lines are half the accepted error ``tolerance`` (m) apart. If the mesh is not closed, free
    space below it is not compared.
    """
    low = np.minimum(mesh.min(axis=(0, 1)), other.min(axis=(0, 1)))
    high = np.maximum(mesh.max(axis=(0, 1)), other.max(axis=(0, 1)))
    lines = Lines.over(low, high, tolerance / 2)
    ours, theirs = crossings(mesh, lines), crossings(other, lines)
    floor = float(mesh[..., 2].min())
    one, two = top_heights(ours, lines), top_heights(theirs, lines)
    seen = np.isfinite(one) | np.isfinite(two)
    if not seen.any():
        return Fit(0.0, 0.0, 0.0, 0.0)
    one, two = (np.where(np.isfinite(top), top, floor) for top in (one, two))
    apart = np.abs(one - two)
    # Pad with the floor, so that the outer walls are compared as well.
    wide, broad = (np.pad(top, FARTHEST, constant_values=floor) for top in (one, two))
    off = np.maximum(_off(wide, broad, lines.step), _off(broad, wide, lines.step))
    off = off[FARTHEST:-FARTHEST, FARTHEST:-FARTHEST]
    lost = 0.0
    if closed:
        inside = _only_in_second(ours, theirs, lines) - np.maximum(two - one, 0.0).ravel()
        lost = float((inside[seen.ravel()] > tolerance).mean())
    return Fit(
        mean=float(apart[seen].mean()),
        largest=float(apart[seen].max()),
        off=float(off[seen].max()),
        filled=lost,
    )


def _off(surface: Array, points: Array, step: float) -> Array:
    """Return the distance of every point of ``points`` from ``surface``, vertical or lateral, m."""
    low, high = surface, surface
    nearest = np.abs(points - surface)
    for around in range(1, FARTHEST + 1):
        if around * step >= nearest.max():
            break
        low, high = _spread(low, np.minimum), _spread(high, np.maximum)
        beyond = np.maximum(np.maximum(low - points, points - high), 0.0)
        nearest = np.minimum(nearest, np.maximum(beyond, around * step))
    return np.asarray(nearest)


def _spread(grid: Array, choose: np.ufunc) -> Array:
    """Return the minimum or maximum filter of a grid over 3 x 3 points."""
    wide = grid.copy()
    choose(wide[1:], grid[:-1], out=wide[1:])
    choose(wide[:-1], grid[1:], out=wide[:-1])
    tall = wide.copy()
    choose(wide[:, 1:], tall[:, :-1], out=wide[:, 1:])
    choose(wide[:, :-1], tall[:, 1:], out=wide[:, :-1])
    return wide


def _only_in_second(first: Crossings, second: Crossings, lines: Lines) -> Array:
    """Return the length of every line that is inside the second mesh and outside the first, m."""
    line = np.concatenate([first.line, second.line])
    z = np.concatenate([first.z, second.z])
    order = np.lexsort((z, line))
    line, z = line[order], z[order]
    nothing = [np.zeros(len(found.z), np.int64) for found in (first, second)]
    in_first = np.concatenate([first.rising.astype(np.int64), nothing[1]])[order].cumsum()
    in_second = np.concatenate([nothing[0], second.rising.astype(np.int64)])[order].cumsum()
    begins = np.flatnonzero(np.diff(line, prepend=-1))
    of = np.cumsum(np.diff(line, prepend=-1) != 0) - 1
    before = np.maximum(begins - 1, 0)
    in_first -= np.where(begins > 0, in_first[before], 0)[of]
    in_second -= np.where(begins > 0, in_second[before], 0)[of]
    long = np.diff(z, append=z[-1:] if z.size else 0.0)
    same = np.append(line[1:] == line[:-1], False) if line.size else np.zeros(0, bool)
    only = same & (in_second > 0) & (in_first <= 0)
    total = np.zeros(lines.shape[0] * lines.shape[1])
    np.add.at(total, line[only], long[only])
    return total


@dataclass(frozen=True)
class MeshHeights:
    """Height map of a mesh, and a mask of the cells that it covers."""

    heights: Array
    """m, (rows, columns), all finite; the first row is the farthest along y."""
    there: npt.NDArray[np.bool_]
    """Mask of cells whose centre is covered by the mesh, (rows - 1, columns - 1)."""
    cell: float
    """Grid spacing, m."""
    x: float
    """Smallest x of the grid, m."""
    y: float
    """Smallest y of the grid, m."""

    def triangles(self, floor: float) -> Array:
        """Return the top and bottom faces of its cells, down to ``floor`` (m), (n, 3, 3)."""
        rows, columns = self.heights.shape
        x = self.x + self.cell * np.arange(columns)
        y = self.y + self.cell * np.arange(rows)[::-1]
        points = np.stack([*np.meshgrid(x, y), self.heights], axis=-1)
        here = self.there
        far_left, far_right = points[:-1, :-1][here], points[:-1, 1:][here]
        left, right = points[1:, :-1][here], points[1:, 1:][here]
        # Split along the same diagonal as MuJoCo does.
        top = np.concatenate(
            [
                np.stack([left, right, far_right], axis=1),
                np.stack([left, far_right, far_left], axis=1),
            ]
        )
        bottom = top[:, ::-1].copy()
        bottom[..., 2] = min(floor, float(self.heights.min()))
        return np.concatenate([top, bottom])


def mesh_heights(triangles: Array, cell: float) -> MeshHeights:
    """Return the height map of triangles (n, 3, 3; m) on a grid that is centred on them."""
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    cells = np.maximum(np.ceil((high - low)[:2] / cell - 0.01), 1)
    if np.prod(cells + 1) > MOST_POINTS:
        raise BadValue(
            f"is {high[0] - low[0]:g} m x {high[1] - low[1]:g} m, too large for cells of "
            f"{cell:g} m: set a larger cell"
        )
    columns, rows = cells.astype(int).tolist()
    x, y = ((low + high)[:2] / 2 - cells * cell / 2).tolist()
    points = Lines(x, y, cell, (rows + 1, columns + 1))
    middles = Lines(x + cell / 2, y + cell / 2, cell, (rows, columns))
    heights = top_heights(crossings(triangles, points, SLACK), points)
    there = np.isfinite(top_heights(crossings(triangles, middles, SLACK), middles))
    if not there.any():
        raise BadValue("has no upward faces: its triangles face down or are vertical")
    return MeshHeights(_fill_holes(heights)[::-1].copy(), there[::-1].copy(), cell, x, y)


def _fill_holes(heights: Array) -> Array:
    """Return a grid whose holes are filled with the mean of their neighbours, ring by ring."""
    filled = heights.copy()
    while np.isnan(filled).any():
        wide = np.pad(filled, 1, constant_values=np.nan)
        rows, columns = filled.shape
        around = np.stack(
            [
                wide[i : i + rows, k : k + columns]
                for i in range(3)
                for k in range(3)
                if (i, k) != (1, 1)
            ]
        )
        known = np.isfinite(around)
        count = known.sum(axis=0)
        mean = np.where(known, around, 0.0).sum(axis=0) / np.maximum(count, 1)
        filled = np.where(np.isnan(filled) & (count > 0), mean, filled)
    return filled
