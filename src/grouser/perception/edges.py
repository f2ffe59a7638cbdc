"""Edges between pixels: where a contrast has fallen half-way from inside to outside.

A colour class ends somewhere near an edge, and where depends on what is behind. Half-way is where
the edge is, however much lens blur there is, as long as blur is alike on both sides.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from grouser.frames import Array

REACH = 2
"""Pixels inside and outside of a boundary that say what is on either side."""

Places = npt.NDArray[np.int64]
"""Columns and rows, (n, 2)."""


def refine_edges(contrast: Array, outermost: Places, outwards: Places) -> Array:
    """Return the edges near some pixels, (n, 2), columns and rows; nan: none is found.

    Args:
        contrast: (height, width), high inside.
        outermost: the last pixels inside, as a colour class says.
        outwards: the way out of each, one step: (±1, 0) or (0, ±1).
    """
    steps = np.arange(-REACH, REACH + 2)
    columns = outermost[:, :1] + steps * outwards[:, :1]
    rows = outermost[:, 1:] + steps * outwards[:, 1:]
    height, width = contrast.shape
    inside = ((columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)).all(axis=1)
    fallen = np.full(len(outermost), np.nan)
    fallen[inside] = _half_way(contrast[rows[inside], columns[inside]])
    return np.asarray(outermost + fallen[:, None] * outwards)


def _half_way(levels: Array) -> Array:
    """Return how far outwards each row of ``levels`` falls half-way, pixels; nan: it does not.

    Args:
        levels: (n, 2 `REACH` + 2) from inside to outside; the outermost pixel is at `REACH`.
    """
    inside = levels[:, : REACH + 1].max(axis=1, keepdims=True)
    outside = levels[:, REACH + 1 :].min(axis=1, keepdims=True)
    above = levels - (inside + outside) / 2
    falls = (above[:, :-1] >= 0) & (above[:, 1:] < 0)
    nearest = np.where(falls, -np.abs(np.arange(falls.shape[1]) - REACH), -np.inf).argmax(axis=1)
    each = np.arange(len(levels))
    high, low = above[each, nearest], above[each, nearest + 1]
    has_edge = falls.any(axis=1)
    fall = np.where(has_edge, high - low, 1.0)
    return np.where(has_edge, nearest + high / fall - REACH, np.nan)
