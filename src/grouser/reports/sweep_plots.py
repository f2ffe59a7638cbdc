"""Figures of sweeps: maps over two parameters, and main effects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from grouser.frames import Array
from grouser.reports.plots import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HALF = 0.5
"""Probability of the contour."""


def crosses_half(part: Array) -> bool:
    """Return whether a map has values on both sides of `HALF`."""
    inside = part[np.isfinite(part)]
    return len(inside) > 0 and bool(inside.min() < HALF < inside.max())


def parameter_map(
    xs: Sequence[float],
    ys: Sequence[float],
    value: Array,
    *,
    bounds: tuple[Array, Array] | None = None,
    marks: Sequence[tuple[float, float, str]] = (),
    labels: tuple[str, str, str],
    title: str = "",
) -> Figure:
    """Draw a measured value over two parameters.

    Args:
        xs: values of the parameter along x.
        ys: values of the parameter along y.
        value: measured values (len(ys), len(xs)); nan: none.
        bounds: lower and upper ends of the 95 % intervals of a probability, which has contours at
            50 %: solid for the probability, dashed for the ends.
        marks: points of reference with a text each.
        labels: names of x, y and the measured value.
        title: title of the figure.
    """
    figure = new_figure(6.4, 4.8, title)
    axes = figure.subplots()
    image = axes.pcolormesh(
        np.array(xs, float),
        np.array(ys, float),
        np.ma.masked_invalid(value),
        cmap="RdYlGn" if bounds else "viridis",
        shading="nearest",
        vmin=0.0 if bounds else None,
        vmax=1.0 if bounds else None,
    )
    figure.colorbar(image, ax=axes, label=labels[2])
    if bounds and len(xs) > 1 and len(ys) > 1:
        for part, style, width in (
            (value, "solid", 1.8),
            *((end, "dashed", 0.9) for end in bounds),
        ):
            if crosses_half(part):
                axes.contour(
                    np.array(xs, float),
                    np.array(ys, float),
                    np.ma.masked_invalid(part),
                    levels=[HALF],
                    colors="black",
                    linestyles=style,
                    linewidths=width,
                )
    for x, y, text in marks:
        box = {"boxstyle": "circle", "facecolor": "white", "edgecolor": "black"}
        axes.text(x, y, text, ha="center", va="center", fontsize=9, bbox=box)
    axes.set(xlabel=labels[0], ylabel=labels[1])
    return figure


def effect(
    values: Sequence[float | str], estimates: Array, *, label: str, measured: str, share: bool
) -> Figure:
    """Draw a main effect: ``estimates`` (n, 3) with 95 % intervals (value, low, high)."""
    figure = new_figure(4.8, 3.2, "")
    axes = figure.subplots()
    numeric = not any(isinstance(value, str) for value in values)
    x = np.array(values, float) if numeric else np.arange(len(values))
    value, low, high = estimates.T
    reach = np.maximum([value - low, high - value], 0.0)
    axes.errorbar(x, value, yerr=reach, fmt="o-" if numeric else "o", capsize=3, color="#2f5d8a")
    if not numeric:
        axes.set_xticks(x, [str(value) for value in values])
    if share:
        axes.set_ylim(-0.03, 1.03)
    axes.set(xlabel=label, ylabel=measured)
    return figure
