"""Triangles that vertical lines pass: how high they are seen from above, and what is solid inside.

One grid of lines looks at a mesh and at what is to stand for it, so that both can be compared:
how far apart they are where a robot drives, and how much room under bridges was lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import Array

PAIRS = 1 << 21
"""Triangles and lines that are looked at together."""
MOST_LINES = 1_000_000
"""Of a grid that compares two meshes."""
ASIDE = 0.381966
"""Part of a cell by which lines stand aside: on the edges of a mesh they would see it twice."""
FARTHEST = 32
"""Lines to the side that are looked at for the nearest surface."""


@dataclass(frozen=True)
class Lines:
    """Vertical lines on a regular grid."""

    x: float
    """Place of the first line, m."""
    y: float
    """The same along y, m."""
    step: float
    """From one line to the next, m."""
    shape: tuple[int, int]
    """Lines along y and along x."""

    @staticmethod
    def over(low: Array, high: Array, step: float) -> Lines:
        """Return lines between two corners, ``step`` (m) apart or as far as `MOST_LINES` need."""
        size = np.maximum(high[:2] - low[:2], 1e-9)
        step = max(step, float(np.sqrt(size.prod() / MOST_LINES)), float(size.max()) / MOST_LINES)
        columns, rows = np.maximum(np.ceil(size / step), 1).astype(int).tolist()
        x, y = (low[:2] + ASIDE * step).tolist()
        return Lines(x, y, step, (rows, columns))


@dataclass(frozen=True)
class Crossings:
    """Where lines pass triangles; arrays have one entry for each."""

    line: npt.NDArray[np.int64]
    """Which line, counted along x first."""
    z: Array
    """How high, m."""
    rising: npt.NDArray[np.int8]
    """1: the line enters what is solid there, -1: it leaves it."""


def crossings(triangles: Array, lines: Lines, slack: float = 0.0) -> Crossings:
    """Return where ``lines`` pass ``triangles`` (n, 3, 3; m), upright ones left out.

    Args:
        triangles: counter-clockwise seen from outside.
        lines: where to look.
        slack: part of a triangle by which a line may miss it and still count.
    """
    found = list(_pieces(np.asarray(triangles, float), lines, slack))
    if not found:
        nothing = np.empty(0)
        return Crossings(nothing.astype(np.int64), nothing, nothing.astype(np.int8))
    return Crossings(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _pieces(
    triangles: Array, lines: Lines, slack: float
) -> Iterator[tuple[npt.NDArray[np.int64], Array, npt.NDArray[np.int8]]]:
    """Yield line, height and direction of crossings, some triangles at a time."""
    rows, columns = lines.shape
    flat = (triangles[..., :2] - [lines.x, lines.y]) / lines.step
    u, v = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    reach = 0.01 if slack else 0.0
    first = np.maximum(np.ceil(flat.min(axis=1) - reach), 0).astype(np.int64)
    last = np.minimum(np.floor(flat.max(axis=1) + reach), [columns - 1, rows - 1]).astype(np.int64)
    span = np.maximum(last - first + 1, 0)
    count = np.where(np.abs(area) > 1e-12, span.prod(axis=1), 0)
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
        east, north = column - flat[which, 0, 0], row - flat[which, 0, 1]
        s = (east * v[which, 1] - north * v[which, 0]) / area[which]
        t = (u[which, 0] * north - u[which, 1] * east) / area[which]
        hit = (s >= -slack) & (t >= -slack) & (s + t <= 1 + slack)
        which, s, t = which[hit], s[hit], t[hit]
        z = triangles[which, :, 2]
        height = z[:, 0] + s * (z[:, 1] - z[:, 0]) + t * (z[:, 2] - z[:, 0])
        yield (
            (row * columns + column)[hit],
            height,
            np.where(area[which] > 0, -1, 1).astype(np.int8),
        )
        start = stop


def tops(found: Crossings, lines: Lines) -> Array:
    """Return the highest surface that looks up on every line, m, (rows, columns); nan: none."""
    heights = np.full(lines.shape[0] * lines.shape[1], -np.inf)
    up = found.rising < 0
    np.maximum.at(heights, found.line[up], found.z[up])
    heights[heights == -np.inf] = np.nan
    return heights.reshape(lines.shape)


@dataclass(frozen=True)
class Fit:
    """How well something stands for a mesh, measured on vertical lines."""

    mean: float
    """Mean vertical distance over the area that is seen from above, m."""
    largest: float
    """Largest vertical distance, m: at a wall that is a hair aside, the wall's height."""
    off: float
    """Largest distance to the other's surface, up or aside, m: at such a wall, the hair."""
    filled: float
    """Share of the seen area under which room is lost, higher than the tolerance."""

    def within(self, tolerance: float) -> bool:
        """Return whether no surface is off by more than ``tolerance`` (m), and no room is lost."""
        return self.off <= tolerance and self.filled <= MOST_FILLED

    def __str__(self) -> str:
        """Say it in millimetres."""
        return (
            f"off by {1000 * self.off:.1f} mm at most, {1000 * self.mean:.2f} mm on average, "
            f"{100 * self.filled:.1f} % filled up underneath"
        )


MOST_FILLED = 0.01
"""Share of the seen area under which room may be lost: lips of stones, no bridges."""


def fit(mesh: Array, other: Array, tolerance: float, *, closed: bool = True) -> Fit:
    """Compare what stands for a mesh with the mesh.

    Args:
        mesh: its triangles, (n, 3, 3), m.
        other: triangles of what stands for it; closed.
        tolerance: what may be called equal, m; lines are half of it apart.
        closed: whether the mesh is closed; if not, nothing is under it.
    """
    low = np.minimum(mesh.min(axis=(0, 1)), other.min(axis=(0, 1)))
    high = np.maximum(mesh.max(axis=(0, 1)), other.max(axis=(0, 1)))
    lines = Lines.over(low, high, tolerance / 2)
    ours, theirs = crossings(mesh, lines), crossings(other, lines)
    floor = float(mesh[..., 2].min())
    one, two = tops(ours, lines), tops(theirs, lines)
    seen = np.isfinite(one) | np.isfinite(two)
    if not seen.any():
        return Fit(0.0, 0.0, 0.0, 0.0)
    one, two = (np.where(np.isfinite(top), top, floor) for top in (one, two))
    apart = np.abs(one - two)
    # Around both there is the floor, so that the walls at their ends are seen.
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
    """Return how far from every point of ``points`` the ``surface`` is, up or aside, m."""
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
    """Return the least or largest of every point and the eight around it."""
    wide = grid.copy()
    choose(wide[1:], grid[:-1], out=wide[1:])
    choose(wide[:-1], grid[1:], out=wide[:-1])
    tall = wide.copy()
    choose(wide[:, 1:], tall[:, :-1], out=wide[:, 1:])
    choose(wide[:, :-1], tall[:, 1:], out=wide[:, :-1])
    return wide


def _only_in_second(first: Crossings, second: Crossings, lines: Lines) -> Array:
    """Return how much of every line is inside the second and not the first, m."""
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
