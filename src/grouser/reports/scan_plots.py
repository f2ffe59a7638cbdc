"""Overview of a scan: point cloud, reconstructed surface, and contact error of spheres."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, degrees, millimetres

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS = 40_000
"""Largest number of points drawn of a cloud."""
LIGHT = np.array([0.3, -0.4, 0.87])
"""Direction to the light, approximately a unit vector."""
SCALE_MM = 15.0
"""Error at the end of the colour scale of spheres."""


def overview(
    points: Array,
    colours: npt.NDArray[np.uint8] | None,
    corners: Array,
    places: Array,
    errors: Array,
    eye: Array,
) -> Figure:
    """Draw cloud, surface and error side by side, seen from the side of the sensor at ``eye``.

    ``errors`` (k,) are heights of spheres at ``places`` (k, 3) above their resting heights on
    the cloud, m; without ``colours`` points are coloured by height.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15.0, 5.2), layout="constrained")
    box = np.array([corners.reshape(-1, 3).min(axis=0), corners.reshape(-1, 3).max(axis=0)])
    away = eye - box.mean(axis=0)
    view = {
        "azim": float(degrees(np.arctan2(away[1], away[0]))),
        "elev": float(np.clip(degrees(np.arctan2(away[2], np.hypot(*away[:2]))), 20.0, 45.0)),
    }
    left = _space(figure, 1, box, view)
    some = points[:: max(1, len(points) // DOTS)]
    inside = ((some >= box[0] - 0.02) & (some <= box[1] + 0.02)).all(axis=1)
    if colours is None:
        left.scatter(*some[inside].T, c=some[inside, 2], s=0.4, cmap="viridis", linewidths=0)
    else:
        paint = colours[:: max(1, len(points) // DOTS)][inside] / 255.0
        left.scatter(*some[inside].T, c=paint, s=0.4, linewidths=0)
    left.set_title(f"{len(points):,} points")
    middle = _space(figure, 2, box, view)
    _add_surface(middle, corners)
    middle.set_title(f"{len(corners):,} triangles")
    _add_errors(figure, places, errors)
    return figure


def _space(figure: Figure, number: int, box: Array, view: dict[str, float]) -> Any:
    axes: Any = figure.add_subplot(1, 3, number, projection="3d", computed_zorder=True)
    axes.set(xlim=box[:, 0], ylim=box[:, 1], zlim=box[:, 2])
    axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    axes.set_zticks(np.round(box[:, 2], 2))
    axes.set_box_aspect(np.maximum(np.ptp(box, axis=0), 0.05))
    axes.view_init(**view)
    return axes


def _add_surface(axes: Any, corners: Array) -> None:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    bright = 0.25 + 0.7 * np.clip(normal @ LIGHT, 0.0, 1.0)
    shade = bright[:, None] * np.array([1.0, 0.93, 0.8])
    axes.add_collection3d(
        Poly3DCollection(corners, facecolors=shade, edgecolors=shade, linewidths=0.2)
    )


def _add_errors(figure: Figure, places: Array, errors: Array) -> None:
    axes = figure.add_subplot(1, 3, 3)
    off = millimetres(errors)
    dots = axes.scatter(
        places[:, 0], places[:, 1], c=off, s=14, cmap="coolwarm", vmin=-SCALE_MM, vmax=SCALE_MM
    )
    axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    axes.set_title(f"{len(places)} spheres rest {np.abs(off).mean():.1f} mm off in the mean")
    figure.colorbar(dots, label="above where the cloud has them [mm]")
