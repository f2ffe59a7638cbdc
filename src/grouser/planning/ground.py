"""A robot laid on the ground: height and attitude from the ground under its feet or belts.

The report's planner samples (x, y), projects the robot onto the surface and asks three questions
(roach, sec. 4.4): does the body touch nothing, is it close to the ground, is there ground under
every leg? Here they are asked for thousands of poses at once. The ground answers through a type of
its own, `AskableGround`, so that this room needs neither a simulation nor MuJoCo.

A robot is laid by the plane that fits the ground under its carrying points best, raised until no
leg or belt is in the ground. Slopes are measured along and across the robot, which is exact for a
plane and close to it for what robots can stand on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, radians

STEEPEST = radians(45)
"""Steepest attitude (rad) that is called standing; estimate: rubber on concrete slips there."""

ENOUGH = 0.5
"""Share of a belt's carrying points that need ground: with less, its middle hangs over an edge."""

REFITS = 2
"""How often the plane under belts is fitted again without what hangs over a gap."""

STANDS, NO_GROUND, LEG_HANGS, BODY_TOUCHES, TOO_STEEP = range(5)
"""What `lay` says of a pose."""

VERDICTS = {
    STANDS: "stands",
    NO_GROUND: "there is no ground under the robot",
    LEG_HANGS: "a leg, wheel or belt has no ground under it",
    BODY_TOUCHES: "the robot's body would touch the ground or an obstacle",
    TOO_STEEP: "the ground is too steep",
}
"""In words."""


class HeightsBelow(Protocol):
    """What a ground says about points."""

    @property
    def height(self) -> Array:
        """Return z of the ground in the world, m; -inf where there is none."""
        ...


class AskableGround(Protocol):
    """A ground that can be asked; `grouser.simulation.ground.Ground` is one."""

    def below(self, points: npt.ArrayLike) -> HeightsBelow:
        """Return the topmost ground at points (…, 2), m."""
        ...


@dataclass(frozen=True, eq=False)
class Footprint:
    """What of a robot is over the ground, in its own frame: x forward, y left, m.

    Heights are over the plane on which the robot stands level.
    """

    contacts: Array
    """Undersides of legs, wheels and belts (k, 3): x, y, height."""
    group: npt.NDArray[np.int64]
    """Which leg, wheel or belt a contact belongs to (k,), counted from 0."""
    carries: npt.NDArray[np.bool_]
    """Contacts (k,) that are down when the robot stands level; of every group at least one."""
    reach: Array
    """How far (m) below a group (groups,) the ground may be and still count as under it."""
    body: Array
    """Underside of everything that must not touch (m, 3): x, y, height."""
    standing: float
    """Height of the root's frame over the plane, m."""
    rolls: bool
    """It has wheels or belts: belts may bridge gaps."""

    @property
    def radius(self) -> float:
        """Of the circle around the root's middle that the whole robot is in, m."""
        points = np.concatenate([self.contacts, self.body])
        return float(np.hypot(points[:, 0], points[:, 1]).max())

    @property
    def groups(self) -> int:
        """How many legs, wheels or belts carry it."""
        return len(self.reach)

    @cached_property
    def carrying(self) -> Array:
        """Contacts that carry (c, 3)."""
        return self.contacts[self.carries]

    @cached_property
    def design(self) -> Array:
        """What turns planes (3, n) into their heights at the points that carry, (c, 3)."""
        return np.column_stack([np.ones(len(self.carrying)), self.carrying[:, :2]])

    @cached_property
    def fit(self) -> Array:
        """What turns heights (c, n) at the points that carry into the planes that fit best."""
        return np.asarray(np.linalg.pinv(self.design), np.float64)

    @cached_property
    def shares(self) -> Array:
        """What turns contacts that carry (c, n), 1 or 0 each, into shares of their groups."""
        member = self.group[self.carries] == np.arange(self.groups)[:, None]
        return np.asarray(member / member.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Laid:
    """Robots laid on the ground; arrays have the poses' length n."""

    height: Array
    """z of the root's frame in the world, m; -inf where there is no ground."""
    slope: Array
    """Rise of the robot's x and y axes per metre (n, 2)."""
    verdict: npt.NDArray[np.int64]
    """`STANDS`, or why the robot does not."""

    @property
    def valid(self) -> npt.NDArray[np.bool_]:
        """Where the robot stands."""
        return np.asarray(self.verdict == STANDS)


def lay(ground: AskableGround, footprint: Footprint, poses: npt.ArrayLike) -> Laid:
    """Lay a robot on the ground at ``poses`` (n, 3): x, y (m), heading (rad)."""
    given = np.asarray(poses, np.float64).reshape(-1, 3)
    cos, sin = np.cos(given[:, 2]), np.sin(given[:, 2])
    offsets = np.concatenate([footprint.contacts, footprint.body])[:, :2]
    x = given[:, 0] + offsets[:, :1] * cos - offsets[:, 1:] * sin
    y = given[:, 1] + offsets[:, :1] * sin + offsets[:, 1:] * cos
    heights = ground.below(np.stack([x, y], axis=-1)).height
    count = len(footprint.contacts)
    laid = stand(footprint, heights[:count])
    touches = (heights[count:] > undersides(footprint, laid)).any(axis=0)
    laid.verdict[touches & (laid.verdict == STANDS)] = BODY_TOUCHES
    return laid


def stand(footprint: Footprint, under: Array) -> Laid:
    """Lay robots on known ground; whether the body touches anything is not asked yet.

    Args:
        footprint: of the robot.
        under: heights of the ground under its contacts (k, n), m; -inf: none.
    """
    missing = np.zeros(under.shape[1], bool)
    if not np.isfinite(under).all():
        under, missing = _with_far_ground(footprint, under)
    plane = footprint.fit @ (under[footprint.carries] - footprint.carrying[:, 2:])
    gaps = _gaps(footprint, plane, under)
    verdict = np.full(under.shape[1], STANDS)
    verdict[~_carried(footprint, gaps)] = LEG_HANGS
    if footprint.rolls and (verdict != STANDS).any():
        _bridge(footprint, under, plane, gaps, verdict)
    verdict[(np.hypot(plane[1], plane[2]) > np.tan(STEEPEST)) & (verdict == STANDS)] = TOO_STEEP
    verdict[missing] = NO_GROUND
    height = plane[0] - gaps.min(axis=0) + footprint.standing
    return Laid(np.where(missing, -np.inf, height), plane[1:].T, verdict)


def undersides(footprint: Footprint, laid: Laid) -> Array:
    """Return the heights (m, n) of the body's points of robots that are laid, m."""
    body, slope = footprint.body, laid.slope
    heights = body[:, :1] * slope[:, 0]
    heights += body[:, 1:2] * slope[:, 1]  # in place: there are many
    heights += laid.height - footprint.standing
    heights += body[:, 2:]
    return np.asarray(heights)


def _with_far_ground(footprint: Footprint, under: Array) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return heights (k, n) with ground far below where there is none; who has none at all (n,).

    Nothing is as good as something far below: it carries nobody.
    """
    here = under[footprint.carries]
    missing = np.asarray(~np.isfinite(here).any(axis=0))
    lowest = np.where(np.isfinite(here), here, np.inf).min(axis=0, initial=np.inf)
    far = np.where(np.isfinite(lowest), lowest, 0.0) - 100 * footprint.radius
    return np.where(np.isfinite(under), under, far), missing


def _at(plane: Array, places: Array) -> Array:
    """Return the heights (k, n) of planes (3, n) at ``places`` (k, 2) of the robot."""
    return np.asarray(plane[0] + places[:, :1] * plane[1] + places[:, 1:] * plane[2])


def _gaps(footprint: Footprint, plane: Array, under: Array) -> Array:
    """Return how far every contact (k, n) is above the ground before the robot is raised."""
    contacts = footprint.contacts
    return np.asarray(_at(plane, contacts[:, :2]) + contacts[:, 2:] - under)


def _carried(footprint: Footprint, gaps: Array) -> npt.NDArray[np.bool_]:
    """Return (n,) whether every group has ground under enough of it, once no contact is in it."""
    carries = footprint.carries
    reach = footprint.reach[footprint.group[carries]][:, None]
    near = gaps[carries] - gaps.min(axis=0) <= reach
    # A little less than enough: thirds added up may be a last digit short.
    return np.asarray((footprint.shares @ near >= ENOUGH - 1e-9).all(axis=0))


def _bridge(
    footprint: Footprint,
    under: Array,
    plane: Array,
    gaps: Array,
    verdict: npt.NDArray[np.int64],
) -> None:
    """Fit again, without what hangs over a gap, where a belt seemed to hang; in place."""
    points, design = footprint.carrying, footprint.design
    some = np.flatnonzero(verdict != STANDS)
    heights = (under[footprint.carries] - points[:, 2:])[:, some]
    fitted = plane[:, some]
    for _ in range(REFITS):
        # What is above the plane carries; a little of everything keeps the fit defined.
        weight = np.where(heights >= _at(fitted, points[:, :2]) - 1e-9, 1.0, 1e-6)
        normal = np.einsum("kn,ki,kj->nij", weight, design, design)
        right = np.einsum("kn,ki,kn->ni", weight, design, heights)
        fitted = np.linalg.solve(normal, right[..., None])[..., 0].T
    open_gaps = _gaps(footprint, fitted, under[:, some])
    held = _carried(footprint, open_gaps)
    better = some[held]
    plane[:, better], gaps[:, better] = fitted[:, held], open_gaps[:, held]
    verdict[better] = STANDS
