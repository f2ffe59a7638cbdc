"""Voxel grid: points sorted into voxels, and downsampling to centroids (roach report, sec. 3.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array

Numbers = npt.NDArray[np.int64]
"""Integers; the docstring has the shape."""

MARGIN = 3
"""Empty cells around all points, so that neighbours have a fixed offset of the key."""
WORTH = 0.7
"""Number of runs per point below which runs of points in one voxel are summed before sorting."""
CHUNK = 8192
"""Points whose keys are computed at once, so few that they fit into the processor's cache."""
_EXACT = 2**53
"""Largest range of exact integers in floats."""


@dataclass(frozen=True)
class VoxelGrid:
    """Assignment of points to voxels; voxels begin at integer multiples of their size."""

    size: float
    """Edge of a voxel, m."""
    low: Numbers
    """Cell (x, y, z) with the key 0, (3,)."""
    steps: Numbers
    """Offset of the key for one cell along x, y, z, (3,)."""
    keys: Numbers
    """Keys of the occupied voxels, ascending, (k,)."""
    order: npt.NDArray[np.integer]
    """Indices of all points, sorted by voxel, (n,)."""
    starts: Numbers
    """Index of each voxel's first point in `order`, (k,)."""

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def counts(self) -> Numbers:
        """Number of points in each voxel, (k,)."""
        return np.diff(self.starts, append=len(self.order))

    def sums(self, values: npt.NDArray[np.floating]) -> Array:
        """Return the sum of the values (n,) of each voxel's points, (k,)."""
        return np.asarray(np.add.reduceat(values.take(self.order), self.starts), float)

    def means(self, values: Array) -> Array:
        """Return the mean of the rows (n, m) of each voxel's points, (k, m)."""
        counts, result = self.counts, np.empty((len(self), values.shape[1]))
        for axis, column in enumerate(values.T):
            np.divide(self.sums(np.ascontiguousarray(column)), counts, out=result[:, axis])
        return result

    def voxels(self) -> Numbers:
        """Return the voxel of each point, (n,)."""
        result = np.empty(len(self.order), np.int64)
        result[self.order] = np.repeat(np.arange(len(self)), self.counts)
        return result

    def cells(self, keys: Numbers) -> Numbers:
        """Return the cell numbers (x, y, z) of keys (k,), (k, 3)."""
        along_x, rest = np.divmod(keys, self.steps[0])
        along_y, along_z = np.divmod(rest, self.steps[1])
        return np.stack([along_x, along_y, along_z], axis=1) + self.low

    def around(self) -> tuple[int, ...]:
        """Return the key offsets of the 26 neighbours of a cell."""
        steps = [
            int(self.steps @ (x, y, z)) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)
        ]
        return tuple(step for step in steps if step)

    def find(self, keys: Numbers) -> Numbers:
        """Return the voxels with these keys, -1 for those without points."""
        found = np.searchsorted(self.keys, keys)
        found[found == len(self.keys)] = 0
        return np.where(self.keys[found] == keys, found, -1)


def voxel_grid(points: Array, size: float) -> VoxelGrid:
    """Sort finite points into voxels; key and point index are packed into one integer."""
    check_size(size)
    if not len(points):
        raise BadValue("voxel grid: there are no points")
    columns = [np.ascontiguousarray(column) for column in points.T]
    return _sorted_grid(size, *_keys(columns, size))


def _keys(columns: list[Array], size: float) -> tuple[Numbers, Array, Array]:
    """Return the key of each point's cell, the cell with key 0, and the cells per axis."""
    low = np.floor([column.min() / size for column in columns]) - MARGIN
    extent = np.floor([column.max() / size for column in columns]) + MARGIN + 1 - low
    if not np.isfinite(extent).all():
        raise BadValue("voxel grid: some points are not finite")
    if extent.prod() > _EXACT or np.abs(low).max() > _EXACT:
        raise BadValue(
            f"voxel grid: voxels of {size:g} m are too small for a cloud of "
            f"{' x '.join(f'{side * size:.3g}' for side in extent)} m"
        )
    count = len(columns[0])
    keys = np.empty(count, np.int64)
    for start in range(0, count, CHUNK):
        key = np.zeros(1)
        for column, first, cells in zip(columns, low, extent, strict=True):
            cell = column[start : start + CHUNK] / size
            np.floor(cell, out=cell)
            cell -= first
            cell += key * cells
            key = cell
        keys[start : start + CHUNK] = key
    return keys, low, extent


def _sorted_grid(size: float, packed: Numbers, low: Array, extent: Array) -> VoxelGrid:
    """Return the grid of keys, which are sorted in place."""
    shift = max(len(packed) - 1, 1).bit_length()
    if int(extent.prod()).bit_length() + shift < 64:
        packed <<= shift
        packed |= np.arange(len(packed))
        packed.sort()
        order: npt.NDArray[np.integer] = packed & ((1 << shift) - 1)
        packed >>= shift
    else:
        order = np.argsort(packed, kind="stable")
        packed = packed[order]
    first = np.empty(len(packed), bool)
    first[0] = True
    np.not_equal(packed[1:], packed[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    whole = extent.astype(np.int64)
    steps = np.array([whole[1] * whole[2], whole[2], 1])
    return VoxelGrid(size, low.astype(np.int64), steps, packed[starts], order, starts)


def voxel_centroids(points: Array, size: float) -> Array:
    """Return the mean of the points in each voxel, (k, 3), m, in the voxels' order.

    Args:
        points: (n, 3), m; non-finite ones are ignored.
        size: edge of a voxel, m; voxels begin at integer multiples of it.

    Raises:
        BadValue: no point is finite, or there are too many voxels.
    """
    check_size(size)
    columns = [np.ascontiguousarray(column) for column in points.T]
    if not np.isfinite(sum(float(column.sum()) for column in columns)):
        there = np.isfinite(points).all(axis=1)
        columns = [column[there] for column in columns]
    if not len(columns[0]):
        raise BadValue("voxel grid: there are no points that are finite")
    keys, low, extent = _keys(columns, size)
    runs = np.flatnonzero(np.diff(keys, prepend=-1))
    counts: Array | Numbers
    if len(runs) < WORTH * len(keys):  # successive points are often in one voxel
        many = np.diff(runs, append=len(keys)).astype(float)
        columns = [np.add.reduceat(column, runs) for column in columns]
        grid = _sorted_grid(size, keys[runs], low, extent)
        counts = grid.sums(many)
    else:
        grid = _sorted_grid(size, keys, low, extent)
        counts = grid.counts
    result = np.empty((len(grid), 3))
    for axis, column in enumerate(columns):
        np.divide(grid.sums(column), counts, out=result[:, axis])
    return result


def check_size(size: float) -> None:
    """Reject a voxel size (m) that is no positive number."""
    if not (np.isfinite(size) and size > 0):
        raise BadValue(f"voxel grid: a voxel of {size} m; a size above 0 is needed")
