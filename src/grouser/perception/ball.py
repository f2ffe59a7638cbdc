"""Distance and direction of the ball (cmos, sec. 5.1) from its size, centre and edge.

The outline of a sphere is a cone around the line of sight to its middle, at any place in the image.
There are three estimates of the distance:

- size: the pixels of the ball give a solid angle;
- edge: a cone is fitted to the pixels of the edge by least squares;
- centre: the middle of the ball is one radius above the ground, so that its angle below the horizon
  gives the distance.

The paper names these three estimates without details. Their weights here are the inverse variances
of their expected errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, Pose, radians
from grouser.perception.colours import Colour, Image, Kinds
from grouser.perception.optics import CameraOptics, elevation_tangent
from grouser.perception.optics import bearing as bearing_of
from grouser.perception.regions import ColourRegion, Mask, find_regions, refine_edges

LEAST_PIXELS = 4
EDGE_SIGMA = 0.3  # pixels   estimate: standard error of the outline's radius
TILT_SIGMA = radians(0.3)  # estimate: play of the neck and tilt of the body
HIGHEST = 0.03  # largest tangent of the elevation; a ball on the ground has less but for errors
_AROUND = 4  # pixels   margin around the ball for its surroundings; more than `refine_edges` reads


@dataclass(frozen=True, kw_only=True)
class BallSighting:
    """Ball in one image. Distances are along the ground, from the point below the lens, m."""

    distance: float
    """Weighted mean of the three estimates."""
    bearing: float
    """Bearing from the robot's x, positive to the left, rad."""
    by_size: float | None
    """Estimate from the number of pixels; None: a part of the ball is outside the image."""
    by_edge: float
    """Estimate from the cone through the edge."""
    by_centre: float | None
    """Estimate from the angle of the middle below the horizon; None: it is above the horizon."""
    edge: Array
    """Columns and rows of the edge, (n, 2), pixels."""

    def place(self, gaze: Pose) -> tuple[float, float]:
        """Return the ball's position in the robot's footprint (x ahead, y left), m."""
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
        distance=_weighted_mean(by_size, by_edge, by_centre, radius, height, optics),
        bearing=float(bearing_of(towards)),
        by_size=by_size,
        by_edge=by_edge,
        by_centre=by_centre,
        edge=edge,
    )


def _cone(directions: Array) -> tuple[Array, float]:
    """Return axis (3,) and half opening angle (rad) of the cone through directions (n, 3)."""
    # Unit vectors s on a cone around c satisfy s . c = cos a, so m = c / cos a solves s . m =
    # 1.
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    axis, *_ = np.linalg.lstsq(unit, np.ones(len(unit)), None)
    length = float(np.linalg.norm(axis))
    return axis / length, math.acos(1 / max(length, 1.0))


def _weighted_mean(
    by_size: float | None,
    by_edge: float,
    by_centre: float | None,
    radius: float,
    height: float,
    optics: CameraOptics,
) -> float:
    """Return the geometric mean of the estimates, weighted by the inverse of their variances."""
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


# -- ball pixels and edges, more accurate than colour classes ---------------------------------


@dataclass(frozen=True)
class _Disc:
    """Window of the image around the ball."""

    left: int
    top: int
    contrast: Array
    """Red minus green, (rows, columns): separates orange from carpet, lines and border."""
    mask: Mask
    """Pixels with a contrast nearer to that of the ball than to that of its surroundings."""


def _disc(region: ColourRegion, image: Image) -> _Disc:
    """Return the ball's pixels by a threshold half-way between ball and surroundings."""
    # The blurred rim of a ball is not orange. The colour table therefore ends too far inside,
    # by a distance that depends on the background.
    height, width = image.shape[:2]
    left, top = max(0, region.left - _AROUND), max(0, region.top - _AROUND)
    right = min(width, region.left + region.wide + _AROUND)
    bottom = min(height, region.top + region.high + _AROUND)
    window = image[top:bottom, left:right].astype(float)
    contrast = window[..., 0] - window[..., 1]
    orange = np.zeros(contrast.shape, bool)
    row, column = region.top - top, region.left - left
    orange[row : row + region.high, column : column + region.wide] = region.mask
    near = _dilate(orange, _AROUND - 1)
    half_way = (
        (np.median(contrast[orange]) + np.median(contrast[~near])) / 2 if (~near).any() else 0
    )
    return _Disc(left, top, contrast, orange | (near & (contrast > half_way)))


def _dilate(mask: Mask, pixels: int) -> Mask:
    """Return ``mask`` dilated by ``pixels`` steps up, down, left and right."""
    grown = mask.copy()
    for _ in range(pixels):
        before = grown.copy()
        grown[1:] |= before[:-1]
        grown[:-1] |= before[1:]
        grown[:, 1:] |= before[:, :-1]
        grown[:, :-1] |= before[:, 1:]
    return grown


def _edge(disc: _Disc) -> Array:
    """Return the ball's ends in every row and column, (n, 2), without those at the image border."""
    upright = _outer_pixels(disc.mask)
    lying = _outer_pixels(disc.mask.T)[:, [1, 0, 3, 2]]
    ends = np.concatenate([upright, lying])
    places = refine_edges(disc.contrast, ends[:, :2], ends[:, 2:])
    return np.asarray(places[np.isfinite(places[:, 0])] + (disc.left, disc.top))


def _outer_pixels(mask: Mask) -> npt.NDArray[np.int64]:
    """Return column, row and outward step of the outer pixels of every row, (2 n, 4)."""
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
