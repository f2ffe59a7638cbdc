"""Static placement of a robot on the ground: height, attitude and validity of many poses at once.

The report's planner (roach, sec. 4.4) samples (x, y), projects the robot onto the surface and tests
three conditions: the body touches nothing, it is close to the ground, and there is ground under
every leg. This module tests them for thousands of poses in one call. Heights come from a
`HeightQuery`, so neither a simulation nor MuJoCo is needed.

The attitude is that of the plane that best fits the ground under the carrying points; the robot is
then raised until no leg or belt penetrates the ground. Slopes are measured along and across the
robot, which is exact for a plane and a good approximation for slopes on which robots can stand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, radians

STEEPEST = radians(45)
"""Steepest valid attitude, rad; estimate: rubber on concrete slips there."""

ENOUGH = 0.5
"""Share of a belt's carrying points that need ground; with less, its middle overhangs an edge."""

REFITS = 2
"""Number of times the plane under belts is fitted again without the points over a gap."""

STANDS, NO_GROUND, LEG_HANGS, BODY_TOUCHES, TOO_STEEP = range(5)
"""Verdicts of `place_on_ground`."""

VERDICTS = {
    STANDS: "stands",
    NO_GROUND: "there is no ground under the robot",
    LEG_HANGS: "a leg, wheel or belt has no ground under it",
    BODY_TOUCHES: "the robot's body would touch the ground or an obstacle",
    TOO_STEEP: "the ground is too steep",
}
"""Text of each verdict."""


class GroundHeights(Protocol):
    """Result of a height query."""

    @property
    def height(self) -> Array:
        """Heights z of the ground in the world, m; -inf where there is none."""
        ...


class HeightQuery(Protocol):
    """Ground with height queries, such as `grouser.simulation.ground.Ground`."""

    def below(self, points: npt.ArrayLike) -> GroundHeights:
        """Return the topmost ground at points (…, 2), m."""
        ...


@dataclass(frozen=True, eq=False)
class RobotFootprint:
    """Undersides of a robot's parts in its own frame (x forward, y left), m."""

    contacts: Array
    """Undersides of legs, wheels and belts (k, 3): x, y, height."""
    group: npt.NDArray[np.int64]
    """Index of the leg, wheel or belt of each contact (k,), from 0."""
    carries: npt.NDArray[np.bool_]
    """Contacts (k,) that are down when the robot stands level; at least one in each group."""
    reach: Array
    """Largest depth (m) below each group (groups,) at which ground counts as under it."""
    body: Array
    """Underside of all parts that must not touch (m, 3): x, y, height."""
    standing: float
    """Height of the root frame above the plane, m."""
    rolls: bool
    """True if the robot has wheels or belts; belts may bridge gaps."""

    @property
    def radius(self) -> float:
        """Radius of the circle around the root's origin that contains the whole robot, m."""
        points = np.concatenate([self.contacts, self.body])
        return float(np.hypot(points[:, 0], points[:, 1]).max())

    @property
    def groups(self) -> int:
        """Number of legs, wheels or belts that carry the robot."""
        return len(self.reach)

    @cached_property
    def carrying(self) -> Array:
        """Carrying contacts (c, 3)."""
        return self.contacts[self.carries]

    @cached_property
    def design(self) -> Array:
        """Design matrix (c, 3): maps planes (3, n) to their heights at the carrying contacts."""
        return np.column_stack([np.ones(len(self.carrying)), self.carrying[:, :2]])

    @cached_property
    def fit(self) -> Array:
        """Pseudo-inverse of `design`: maps heights (c, n) to the planes that fit best."""
        return np.asarray(np.linalg.pinv(self.design), np.float64)

    @cached_property
    def shares(self) -> Array:
        """Matrix (groups, c): maps flags of carrying contacts (c, n) to shares per group."""
        member = self.group[self.carries] == np.arange(self.groups)[:, None]
        return np.asarray(member / member.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class GroundPlacement:
    """Placements of a robot on the ground; arrays have the poses' length n."""

    height: Array
    """z of the root frame in the world, m; -inf where there is no ground."""
    slope: Array
    """Rise of the robot's x and y axes per metre (n, 2)."""
    verdict: npt.NDArray[np.int64]
    """`STANDS`, or the reason why the robot cannot stand."""

    @property
    def valid(self) -> npt.NDArray[np.bool_]:
        """True where the robot stands."""
        return np.asarray(self.verdict == STANDS)


def place_on_ground(
    ground: HeightQuery, footprint: RobotFootprint, poses: npt.ArrayLike
) -> GroundPlacement:
    """Place a robot on the ground at ``poses`` (n, 3): x, y (m), heading (rad)."""
    given = np.asarray(poses, np.float64).reshape(-1, 3)
    cos, sin = np.cos(given[:, 2]), np.sin(given[:, 2])
    offsets = np.concatenate([footprint.contacts, footprint.body])[:, :2]
    x = given[:, 0] + offsets[:, :1] * cos - offsets[:, 1:] * sin
    y = given[:, 1] + offsets[:, :1] * sin + offsets[:, 1:] * cos
    heights = ground.below(np.stack([x, y], axis=-1)).height
    count = len(footprint.contacts)
    placement = place_on_heights(footprint, heights[:count])
    touches = (heights[count:] > body_undersides(footprint, placement)).any(axis=0)
    placement.verdict[touches & (placement.verdict == STANDS)] = BODY_TOUCHES
    return placement


def place_on_heights(footprint: RobotFootprint, under: Array) -> GroundPlacement:
    """Place a robot on known heights; contacts of its body with the ground are not tested.

    Args:
        footprint: footprint of the robot.
        under: heights of the ground under its contacts (k, n), m; -inf: none.
    """
    missing = np.zeros(under.shape[1], bool)
    if not np.isfinite(under).all():
        under, missing = _with_far_ground(footprint, under)
    plane = footprint.fit @ (under[footprint.carries] - footprint.carrying[:, 2:])
    gaps = _gaps(footprint, plane, under)
    verdict = np.full(under.shape[1], STANDS)
    verdict[~_has_support(footprint, gaps)] = LEG_HANGS
    if footprint.rolls and (verdict != STANDS).any():
        _bridge(footprint, under, plane, gaps, verdict)
    verdict[(np.hypot(plane[1], plane[2]) > np.tan(STEEPEST)) & (verdict == STANDS)] = TOO_STEEP
    verdict[missing] = NO_GROUND
    height = plane[0] - gaps.min(axis=0) + footprint.standing
    return GroundPlacement(np.where(missing, -np.inf, height), plane[1:].T, verdict)


def body_undersides(footprint: RobotFootprint, placement: GroundPlacement) -> Array:
    """Return the heights (m, n) of the body's points of placed robots, m."""
    body, slope = footprint.body, placement.slope
    heights = body[:, :1] * slope[:, 0]
    heights += body[:, 1:2] * slope[:, 1]  # in place, to save memory
    heights += placement.height - footprint.standing
    heights += body[:, 2:]
    return np.asarray(heights)


def _with_far_ground(
    footprint: RobotFootprint, under: Array
) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return heights (k, n) with missing ground far below, and the poses (n,) without ground."""
    here = under[footprint.carries]
    missing = np.asarray(~np.isfinite(here).any(axis=0))
    lowest = np.where(np.isfinite(here), here, np.inf).min(axis=0, initial=np.inf)
    far = np.where(np.isfinite(lowest), lowest, 0.0) - 100 * footprint.radius
    return np.where(np.isfinite(under), under, far), missing


def _at(plane: Array, places: Array) -> Array:
    """Return the heights (k, n) of planes (3, n) at ``places`` (k, 2) of the robot."""
    return np.asarray(plane[0] + places[:, :1] * plane[1] + places[:, 1:] * plane[2])


def _gaps(footprint: RobotFootprint, plane: Array, under: Array) -> Array:
    """Return the height (k, n) of every contact above the ground before the robot is raised, m."""
    contacts = footprint.contacts
    return np.asarray(_at(plane, contacts[:, :2]) + contacts[:, 2:] - under)


def _has_support(footprint: RobotFootprint, gaps: Array) -> npt.NDArray[np.bool_]:
    """Return (n,) whether every group has enough ground under it once the robot is raised."""
    carries = footprint.carries
    reach = footprint.reach[footprint.group[carries]][:, None]
    near = gaps[carries] - gaps.min(axis=0) <= reach
    # Tolerance: a sum of thirds may be smaller than the exact value by rounding.
    return np.asarray((footprint.shares @ near >= ENOUGH - 1e-9).all(axis=0))


def _bridge(
    footprint: RobotFootprint,
    under: Array,
    plane: Array,
    gaps: Array,
    verdict: npt.NDArray[np.int64],
) -> None:
    """Refit planes without the points over a gap, where a group lacked ground; in place."""
    points, design = footprint.carrying, footprint.design
    some = np.flatnonzero(verdict != STANDS)
    heights = (under[footprint.carries] - points[:, 2:])[:, some]
    fitted = plane[:, some]
    for _ in range(REFITS):
        # Points above the plane carry; a small weight for the others keeps the fit defined.
        weight = np.where(heights >= _at(fitted, points[:, :2]) - 1e-9, 1.0, 1e-6)
        normal = np.einsum("kn,ki,kj->nij", weight, design, design)
        right = np.einsum("kn,ki,kn->ni", weight, design, heights)
        fitted = np.linalg.solve(normal, right[..., None])[..., 0].T
    open_gaps = _gaps(footprint, fitted, under[:, some])
    held = _has_support(footprint, open_gaps)
    better = some[held]
    plane[:, better], gaps[:, better] = fitted[:, held], open_gaps[:, held]
    verdict[better] = STANDS
