"""Figures of a plan: candidates by energy, driven and planned paths, learned costs.

The figures follow figs 7.1-7.4 of the roach report: planned paths are black, driven paths blue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from grouser.frames import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Extent = tuple[float, float, float, float]
"""Smallest x, largest x, smallest y, largest y, m."""

WIDTH = 8.0
"""Width of a figure, inches."""


def candidates(
    height: Array,
    stands: npt.NDArray[np.bool_],
    extent: Extent,
    paths: Sequence[Array],
    energies: Sequence[float | None],
    best: int,
) -> Figure:
    """Draw all candidates on the ground, coloured by energy, dashed without a success.

    ``height`` (m) and ``stands`` are maps over ``extent``; ``paths`` are waypoints (n, 2);
    ``energies`` are the means of the successes (J; None: no success); ``best`` is drawn thick.
    """
    figure, axes = _ground(height, stands, extent)
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    known = [energy for energy in energies if energy is not None]
    scale = Normalize(min(known, default=0.0), max(known, default=1.0))
    colours = colormaps["plasma"]
    for number, (path, energy) in enumerate(zip(paths, energies, strict=True)):
        wide = 3.0 if number == best else 1.2
        if energy is None:
            axes.plot(*path.T, color="#7a8594", lw=1.0, ls=(0, (3, 2)))
        else:
            axes.plot(*path.T, color=colours(scale(energy)), lw=wide, zorder=2 + wide)
    if known:
        bar = ScalarMappable(scale, colours)
        figure.colorbar(bar, ax=axes, label="energy of its successes, J", shrink=0.8)
    _mark(axes, paths[best])
    return figure


def driven_paths(
    height: Array,
    stands: npt.NDArray[np.bool_],
    extent: Extent,
    path: Array,
    ways: Sequence[Array],
    arrived: Sequence[bool],
) -> Figure:
    """Draw driven paths (blue, with a cross at the end of a failure) and the planned path.

    ``height`` (m) and ``stands`` are maps over ``extent``; ``path`` and ``ways`` are points (n,
    2), m.
    """
    figure, axes = _ground(height, stands, extent)
    axes.plot(*path.T, color="black", lw=1.6, zorder=5)
    for way, there in zip(ways, arrived, strict=True):
        axes.plot(*way.T, color="#2166ac", lw=0.9, alpha=0.8, zorder=4)
        if not there:
            axes.plot(*way[-1], "x", color="#b2182b", ms=8, mew=2, zorder=6)
    _mark(axes, path)
    return figure


def learned_costs(
    energy_per_metre: Array,
    failures_per_metre: Array,
    known: Array,
    stands: npt.NDArray[np.bool_],
    extent: Extent,
    path: Array,
) -> Figure:
    """Draw maps of energy and failures per metre side by side, paler with less experience.

    All maps are (rows, columns) over ``extent``; ``known`` is the amount of experience, 0 to 1.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

    tall = (extent[3] - extent[2]) / (extent[1] - extent[0])
    figure = Figure(figsize=(1.6 * WIDTH, 0.8 + 0.75 * WIDTH * tall), layout="constrained")
    sides = figure.subplots(1, 2, sharey=True)
    shown = (
        (energy_per_metre, "viridis", "J/m", 0.0),
        (failures_per_metre, "magma_r", "failures/m", 0.05),
    )
    for axes, (values, colours, unit, least) in zip(sides, shown, strict=True):
        felt = values[known > 0.3 * known.max()]
        top = float(np.quantile(felt, 0.98)) if felt.size else 1.0
        top = max(top, least)
        low = float(np.quantile(felt, 0.02)) if felt.size else 0.0
        axes.set_facecolor("#e4e7eb")
        share = np.sqrt(known / max(1e-9, float(known.max())))
        alpha = np.where(stands, np.clip(0.1 + 0.9 * share, 0.0, 1.0), 0.0)
        image = axes.imshow(
            values,
            origin="lower",
            extent=extent,
            cmap=colours,
            vmin=low,
            vmax=max(top, low + 1e-9),
            alpha=alpha,
            interpolation="nearest",
        )
        axes.plot(*path.T, color="black", lw=1.5)
        _mark(axes, path)
        figure.colorbar(ScalarMappable(image.norm, image.cmap), ax=axes, label=unit, shrink=0.8)
    return figure


def _ground(height: Array, stands: npt.NDArray[np.bool_], extent: Extent) -> tuple[Figure, Any]:
    """Return a figure with the height of the ground in grey, red where the robot cannot stand."""
    from matplotlib.figure import Figure

    tall = (extent[3] - extent[2]) / (extent[1] - extent[0])
    figure = Figure(figsize=(WIDTH, 0.6 + WIDTH * 0.85 * tall), layout="constrained")
    axes = figure.subplots()
    level = np.where(np.isfinite(height), height, np.nan)
    axes.imshow(level, origin="lower", extent=extent, cmap="Greys_r", alpha=0.55)
    red = np.zeros((*stands.shape, 4))
    red[~stands] = (0.75, 0.2, 0.2, 0.45)
    axes.imshow(red, origin="lower", extent=extent, interpolation="nearest")
    axes.set_xlabel("x, m")
    axes.set_ylabel("y, m")
    return figure, axes


def _mark(axes: Any, path: Array) -> None:
    """Mark start and end of a path."""
    axes.plot(*path[0], "o", color="black", ms=7, zorder=7)
    axes.plot(*path[-1], "*", color="black", ms=13, zorder=7)
