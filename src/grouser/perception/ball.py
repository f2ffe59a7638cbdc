"""The ball's distance and direction (cmos, sec. 5.1): by its size, its centre and its edge.

The outline of a sphere is a cone around the line of sight to its middle, wherever it is in the
picture. So its edge gives a cone by least squares, and its pixels a solid angle; and the middle is
a ball's radius above the ground, so that looking down at it gives a distance as well. The paper
names these three and no more; how they are weighed is ours: by how wrong each may be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, Pose, radians
from grouser.perception.colours import Colour, Image, Kinds
from grouser.perception.edges import refine_edges
from grouser.perception.optics import CameraOptics, elevation_tangent
from grouser.perception.optics import bearing as bearing_of
from grouser.perception.regions import ColourRegion, Mask, find_regions

LEAST_PIXELS = 4
EDGE_SIGMA = 0.3  # pixels   estimate: how wrong an outline's radius may be
TILT_SIGMA = radians(0.3)  # estimate: play of the neck, and a body that is not quite level
HIGHEST = 0.03  # tangent over the horizon; a ball on the ground is below it, but for the errors
_AROUND = 4  # pixels around the ball that show its surroundings; more than edges look out for


@dataclass(frozen=True, kw_only=True)
class BallSighting:
    """The ball in one picture. Distances are along the ground, from below the lens, m."""

    distance: float
    """What all three say together."""
    bearing: float
    """To the left of the robot's x, rad."""
    by_size: float | None
    """From the number of pixels; None: part of it is outside the picture."""
    by_edge: float
    """From the cone through the edge."""
    by_centre: float | None
    """From how far its middle is below the horizon; None: it is not."""
    edge: Array
    """Columns and rows of the edge, (n, 2), pixels."""

    def place(self, gaze: Pose) -> tuple[float, float]:
        """Return where the ball lies in the robot's footprint (x ahead, y left), m."""
        x, y, _ = gaze.position.tolist()
        ahead, left = math.cos(self.bearing), math.sin(self.bearing)
        return x + self.distance * ahead, y + self.distance * left


def see_ball(
    image: Image, kinds: Kinds, optics: CameraOptics, gaze: Pose, radius: float
) -> BallSighting | None:
    """Return the largest ball below the horizon, or None."""
    for region in sorted(find_regions(kinds, Colour.ORANGE, LEAST_PIXELS), key=lambda r: -r.area):
        sighting = _measure(region, image, optics, gaze, radius)
        if sighting is not None:
            return sighting
    return None


def _measure(
    region: ColourRegion, image: Image, optics: CameraOptics, gaze: Pose, radius: float
) -> BallSighting | None:
    disc = _disc(region, image)
    edge = _edge(disc)
    if len(edge) < 4:
        return None
    towards, spread = _cone(optics.directions(edge, gaze))
    height = float(gaze.position[2])
    slope = float(elevation_tangent(towards))
    if not 0 < spread < 1 or slope > HIGHEST:
        return None
    level = 1 / math.hypot(1.0, slope)  # cosine of the angle below the horizon
    by_edge = radius / math.sin(spread) * level
    by_size = None
    if not region.cut:
        rows, columns = np.nonzero(disc.mask)
        seen = float(optics.solid_angles[rows + disc.top, columns + disc.left].sum())
        by_size = radius / math.sin(math.acos(1 - seen / (2 * math.pi))) * level
    by_centre = (radius - height) / slope if slope < 0 else None
    return BallSighting(
        distance=_combined(by_size, by_edge, by_centre, radius, height, optics),
        bearing=float(bearing_of(towards)),
        by_size=by_size,
        by_edge=by_edge,
        by_centre=by_centre,
        edge=edge,
    )


def _cone(directions: Array) -> tuple[Array, float]:
    """Return axis (3,) and half opening angle (rad) of the cone through directions (n, 3).

    Unit vectors s on a cone around c satisfy s . c = cos a, so m = c / cos a solves s . m = 1.
    """
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    axis, *_ = np.linalg.lstsq(unit, np.ones(len(unit)), None)
    length = float(np.linalg.norm(axis))
    return axis / length, math.acos(1 / max(length, 1.0))


def _combined(
    by_size: float | None,
    by_edge: float,
    by_centre: float | None,
    radius: float,
    height: float,
    optics: CameraOptics,
) -> float:
    """Return the mean of the logarithms, each weighed by how wrong it may be."""
    pixels = radius / by_edge * sum(optics.focal) / 2
    size_sigma = EDGE_SIGMA / pixels
    weighed = [(by_edge, size_sigma)]
    if by_size is not None:
        weighed.append((by_size, size_sigma))
    if by_centre is not None:
        drop = height - radius
        weighed.append((by_centre, TILT_SIGMA * (by_centre**2 + drop**2) / (drop * by_centre)))
    weights = [sigma**-2 for _, sigma in weighed]
    logs = sum(w * math.log(d) for w, (d, _) in zip(weights, weighed, strict=True))
    return math.exp(logs / sum(weights))


# -- the ball in the picture, finer than colour classes ---------------------------------------


@dataclass(frozen=True)
class _Disc:
    """A window of the picture around the ball."""

    left: int
    top: int
    contrast: Array
    """Red over green, (rows, columns): what tells orange from carpet, lines and border."""
    mask: Mask
    """Which pixels are nearer to the ball's contrast than to that of its surroundings."""


def _disc(region: ColourRegion, image: Image) -> _Disc:
    """Find the ball's pixels by its own contrast.

    Blurred, a ball's rim is no longer orange: the colour table ends too far inside, and by how
    much depends on what is behind. Half-way between ball and surroundings is where the rim is.
    """
    height, width = image.shape[:2]
    left, top = max(0, region.left - _AROUND), max(0, region.top - _AROUND)
    right = min(width, region.left + region.wide + _AROUND)
    bottom = min(height, region.top + region.high + _AROUND)
    window = image[top:bottom, left:right].astype(float)
    contrast = window[..., 0] - window[..., 1]
    orange = np.zeros(contrast.shape, bool)
    row, column = region.top - top, region.left - left
    orange[row : row + region.high, column : column + region.wide] = region.mask
    near = _dilated(orange, _AROUND - 1)
    half_way = (
        (np.median(contrast[orange]) + np.median(contrast[~near])) / 2 if (~near).any() else 0
    )
    return _Disc(left, top, contrast, orange | (near & (contrast > half_way)))


def _dilated(mask: Mask, pixels: int) -> Mask:
    """Return ``mask`` and all that is at most so many steps up, down, left or right of it."""
    grown = mask.copy()
    for _ in range(pixels):
        before = grown.copy()
        grown[1:] |= before[:-1]
        grown[:-1] |= before[1:]
        grown[:, 1:] |= before[:, :-1]
        grown[:, :-1] |= before[:, 1:]
    return grown


def _edge(disc: _Disc) -> Array:
    """Return where the ball ends in every row and column, (n, 2), but for the picture's edge."""
    upright = _outer_pixels(disc.mask)
    lying = _outer_pixels(disc.mask.T)[:, [1, 0, 3, 2]]
    ends = np.concatenate([upright, lying])
    places = refine_edges(disc.contrast, ends[:, :2], ends[:, 2:])
    return np.asarray(places[np.isfinite(places[:, 0])] + (disc.left, disc.top))


def _outer_pixels(mask: Mask) -> npt.NDArray[np.int64]:
    """Return column and row of the outer pixels of every row, and the way outwards, (2 n, 4)."""
    rows = np.nonzero(mask.any(axis=1))[0]
    first = mask[rows].argmax(axis=1)
    last = mask.shape[1] - 1 - mask[rows, ::-1].argmax(axis=1)
    still = np.zeros_like(rows)
    return np.concatenate(
        [
            np.column_stack([first, rows, still - 1, still]),
            np.column_stack([last, rows, still + 1, still]),
        ]
    )
