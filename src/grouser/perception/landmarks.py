"""Detection of beacons and goal posts: name, bearing and distance.

A beacon has a pink band and a band of another colour above or below it. The surroundings above and
below both bands are not colourful, so that the outer edges of the bands are located with sub-pixel
accuracy. These edges are two band heights apart, which gives the distance. The distance of a beacon
that the image border cuts off is computed from its width. A goal has two posts, the left and right
ends of its colour. Posts have a bearing only, because the colour beside a post may belong to the
back of the goal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from grouser.frames import Array, Pose
from grouser.perception.colours import Colour, Image, Kinds
from grouser.perception.optics import CameraOptics, bearing, elevation_tangent
from grouser.perception.regions import ColourRegion, find_regions, refine_edges

BAND_LEAST, GOAL_LEAST = 6, 40  # pixels   estimates: smaller regions are noise
MAX_WIDTH_RATIO = 1.5  # largest ratio of the widths of the bands of a beacon
MAX_OFFSET = 0.5  # largest lateral offset of the bands, as a share of the smaller width
GAP = (2.0, 0.25)  # largest gap: pixels, plus a share of a band's height; blends have no class
AROUND = 4  # pixels above and below a beacon within which its edges are searched
PARTNERS = (Colour.YELLOW, Colour.SKY_BLUE, Colour.GREEN)
GOAL_COLOURS = (Colour.YELLOW, Colour.SKY_BLUE)


@dataclass(frozen=True)
class BeaconShape:
    """Dimensions of all beacons."""

    band: float
    """Height of a coloured band, m."""
    radius: float
    """Radius of the cylinder, m."""

    @property
    def bulge(self) -> float:
        """Mean distance of the visible surface in front of the axis, m."""
        return math.pi / 4 * self.radius


@dataclass(frozen=True)
class LandmarkSighting:
    """Landmark in one image."""

    name: str
    """``pink/yellow``: a beacon, upper band first; ``yellow goal left``: a post."""
    bearing: float
    """Bearing from the robot's x at `eye`, positive to the left, rad."""
    distance: float | None
    """Distance along the ground from `eye`, m; None: not measured."""
    eye: tuple[float, float]
    """Position of the lens in the robot's footprint, x and y, m."""


def beacon_name(upper: str, lower: str) -> str:
    """Return the name of a beacon in sightings."""
    return f"{upper}/{lower}"


def post_name(colour: str, side: str) -> str:
    """Return the name of a goal post in sightings."""
    return f"{colour} goal {side}"


def see_landmarks(
    image: Image,
    kinds: Kinds,
    optics: CameraOptics,
    gaze: Pose,
    beacon: BeaconShape,
    *,
    sub_pixel: bool = True,
) -> list[LandmarkSighting]:
    """Return every beacon and every goal post in an image.

    ``kinds`` is the colour class of every pixel, ``gaze`` the pose of the lens in the
    footprint. Without ``sub_pixel`` the edges of beacons are the borders of their classes.
    """
    pinks = list(find_regions(kinds, Colour.PINK, BAND_LEAST))
    others = {colour: list(find_regions(kinds, colour, BAND_LEAST)) for colour in PARTNERS}
    seen: list[LandmarkSighting] = []
    bands: list[ColourRegion] = []
    for pink in pinks:
        touching = [r for colour in PARTNERS for r in others[colour] if _touching(pink, r)]
        bands += touching
        matches = [r for r in touching if _may_be_one_beacon(pink, r)]
        if matches:
            partner = min(matches, key=lambda r: _distance(pink, r))
            if not (pink.cut_beside or partner.cut_beside):  # otherwise its middle is unknown
                strength = _colourfulness(image, pink, partner) if sub_pixel else None
                seen.append(_beacon(strength, pink, partner, optics, gaze, beacon))
    for colour in GOAL_COLOURS:
        goals = [r for r in others[colour] if r.area >= GOAL_LEAST and r not in bands]
        if goals:
            seen += _posts(max(goals, key=lambda r: r.area), optics, gaze)
    return seen


def _touching(pink: ColourRegion, other: ColourRegion) -> bool:
    """Return True if one of two regions is directly above the other."""
    upper, lower = sorted((pink, other), key=lambda r: r.centre[1])
    gap = abs(lower.top - (upper.top + upper.high))
    overlap = min(r.left + r.wide for r in (pink, other)) - max(pink.left, other.left)
    return overlap > 0 and gap <= GAP[0] + GAP[1] * min(pink.high, other.high)


def _may_be_one_beacon(pink: ColourRegion, other: ColourRegion) -> bool:
    """Return True if two touching regions can be the bands of one beacon."""
    narrow, wide = sorted((pink.wide, other.wide))
    across = abs(pink.centre[0] - other.centre[0])
    return wide <= MAX_WIDTH_RATIO * narrow + 1 and across <= 1 + MAX_OFFSET * narrow


def _distance(one: ColourRegion, other: ColourRegion) -> float:
    return float(np.hypot(one.centre[0] - other.centre[0], one.centre[1] - other.centre[1]))


def _beacon(
    strength: Array | None,
    pink: ColourRegion,
    other: ColourRegion,
    optics: CameraOptics,
    gaze: Pose,
    beacon: BeaconShape,
) -> LandmarkSighting:
    upper, lower = sorted((pink, other), key=lambda r: r.centre[1])
    towards = optics.directions([upper.centre, lower.centre], gaze)
    if not (pink.cut or other.cut):
        distance = _by_height(strength, upper, lower, optics, gaze, beacon)
    else:  # a near beacon is wide
        distance = _by_width(
            strength, max(upper, lower, key=lambda r: r.area), optics, gaze, beacon
        )
    return LandmarkSighting(
        beacon_name(upper.colour.name.lower(), lower.colour.name.lower()),
        float(bearing(towards.mean(axis=0))),
        distance,
        _ground_position(gaze),
    )


def _colourfulness(image: Image, one: ColourRegion, other: ColourRegion) -> Array:
    """Return the chroma of the pixels around two bands, (height, width); 0 elsewhere."""
    upper, lower = sorted((one, other), key=lambda r: r.centre[1])
    rows = slice(max(0, upper.top - AROUND), lower.top + lower.high + AROUND)
    columns = slice(
        max(0, min(upper.left, lower.left) - AROUND),
        max(upper.left + upper.wide, lower.left + lower.wide) + AROUND,
    )
    strength = np.zeros(image.shape[:2])
    part = image[rows, columns].astype(float)
    strength[rows, columns] = part.max(axis=2) - part.min(axis=2)
    return strength


def _by_height(
    strength: Array | None,
    upper: ColourRegion,
    lower: ColourRegion,
    optics: CameraOptics,
    gaze: Pose,
    beacon: BeaconShape,
) -> float | None:
    """Return the distance from the height of both bands, m; None: an edge is not visible."""
    slopes = []
    for region, way in ((upper, -1), (lower, 1)):
        edge = optics.directions(_edge(strength, region, (0, way)), gaze)
        slopes.append(float(np.median(elevation_tangent(edge))) if len(edge) else np.nan)
    fallen = slopes[0] - slopes[1]
    return 2 * beacon.band / fallen + beacon.bulge if fallen > 0 else None


def _by_width(
    strength: Array | None,
    band: ColourRegion,
    optics: CameraOptics,
    gaze: Pose,
    beacon: BeaconShape,
) -> float | None:
    """Return the distance from the width of a band, m; None: an edge is not visible."""
    turns = []
    for way in (-1, 1):
        edge = optics.directions(_edge(strength, band, (way, 0)), gaze)
        turns.append(float(np.median(bearing(edge))) if len(edge) else np.nan)
    across = turns[0] - turns[1]
    return beacon.radius / math.sin(across / 2) if 0 < across < math.pi else None


def _edge(strength: Array | None, region: ColourRegion, way: tuple[int, int]) -> Array:
    """Return the edge of a region on one side, (n, 2), in the middle half of rows or columns.

    Without ``strength`` it is the outer border of the region's pixels.
    """
    mask = region.mask if way[1] else region.mask.T
    middle = np.arange(mask.shape[1] // 4, mask.shape[1] - mask.shape[1] // 4)
    lines = mask[:, middle]
    outward = sum(way)
    ends = lines.argmax(axis=0) if outward < 0 else len(mask) - 1 - lines[::-1].argmax(axis=0)
    places = np.column_stack([middle, ends] if way[1] else [ends, middle])
    places += (region.left, region.top)
    if strength is None:
        return np.asarray(places + 0.5 * np.array(way))
    edge = refine_edges(strength, places, np.tile(np.array(way), (len(places), 1)))
    return edge[np.isfinite(edge).all(axis=1)]


def _posts(goal: ColourRegion, optics: CameraOptics, gaze: Pose) -> Iterator[LandmarkSighting]:
    """Yield the posts of a goal that are inside the image."""
    rows = np.nonzero(goal.mask.sum(axis=1) >= 0.5 * goal.mask.sum(axis=1).max())[0]
    first = goal.mask[rows].argmax(axis=1) + goal.left
    last = goal.mask.shape[1] - 1 - goal.mask[rows, ::-1].argmax(axis=1) + goal.left
    inside = {"left": first > 0, "right": last < optics.width - 1}
    for side, columns in (("left", first - 0.5), ("right", last + 0.5)):  # outer edges of pixels
        if inside[side].all():
            pixels = np.column_stack([columns, rows + goal.top])
            turn = float(np.median(bearing(optics.directions(pixels, gaze))))
            yield LandmarkSighting(
                post_name(goal.colour.name.lower(), side), turn, None, _ground_position(gaze)
            )


def _ground_position(gaze: Pose) -> tuple[float, float]:
    return float(gaze.position[0]), float(gaze.position[1])
