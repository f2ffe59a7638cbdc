"""Does what a scan became collide as what was seen? Spheres tell; and a choice is made by it.

A scan can collide as a height map or as convex pieces. Of both it is measured where spheres rest
that are dropped all over the cloud, and in how many points a skid touches them, which is what a
robot's belts will cost. The truer one is taken; if they are about as true, the cheaper one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, millimetres
from grouser.scan.ground.sphere_drop import LIFT, contacts_of_skids, dropped
from grouser.scan.ground.spheres import Spheres
from grouser.world.terrain.terrain_piece import TerrainPiece

LARGEST = 0.1
"""m; a sphere further off than that counts as this much: how far it falls in all says nothing."""
AS_TRUE = 0.001
"""m by which mean errors may differ and still be about the same."""
SKIDS = 40
"""How many skids are put down."""


@dataclass(frozen=True)
class SphereErrors:
    """How far spheres rest from where the cloud has them."""

    count: int
    mean: float
    """Of the distances, m."""
    most: float
    """Below which 95 % are, m."""
    largest: float
    """m."""

    @staticmethod
    def of(errors: Array) -> SphereErrors:
        """Return the figures of some spheres; all zero where there are none."""
        size = np.abs(errors) if len(errors) else np.zeros(1)
        return SphereErrors(
            len(errors), float(size.mean()), float(np.percentile(size, 95)), float(size.max())
        )

    def __str__(self) -> str:
        mean, most, largest = map(millimetres, (self.mean, self.most, self.largest))
        return f"{mean:.1f} mm in the mean, 95 % within {most:.1f}, largest {largest:.1f}"


@dataclass(frozen=True)
class GroundCheck:
    """What spheres and skids say of one way to collide."""

    errors: Array
    """Rest height less what the cloud says, per sphere, (n,), m; at most `LARGEST` either way."""
    open_ground: SphereErrors
    """Of the spheres that lie neither beside a step nor under something."""
    edges: SphereErrors
    """Of those beside a step."""
    covered: SphereErrors
    """Of those under something."""
    fell: int
    """Spheres for which there was no ground: more than `LIFT` below where they should be."""
    contacts: float
    """Of a skid, on average."""

    @property
    def error(self) -> float:
        """Mean distance over all spheres that do not lie beside a step, m."""
        one, other = self.open_ground, self.covered
        count = max(one.count + other.count, 1)
        return (one.mean * one.count + other.mean * other.count) / count


def check_ground(terrain: Sequence[TerrainPiece], spheres: Spheres) -> GroundCheck:
    """Drop spheres and skids on ground."""
    errors = np.clip(dropped(terrain, spheres) - spheres.middle[:, 2], -LARGEST, LARGEST)
    covered, edge = spheres.covered, spheres.edge & ~spheres.covered
    clear = ~covered & ~edge
    step = max(1, int(clear.sum()) // SKIDS)
    places = spheres.middle[clear][::step] if clear.any() else spheres.middle[:SKIDS]
    return GroundCheck(
        errors,
        SphereErrors.of(errors[clear]),
        SphereErrors.of(errors[edge]),
        SphereErrors.of(errors[covered]),
        int(np.count_nonzero(errors < -LIFT)),
        contacts_of_skids(terrain, places),
    )


def choose(checks: Mapping[str, GroundCheck]) -> tuple[str, str]:
    """Return which way of colliding is taken, and why, in one sentence."""
    truest = min(checks.values(), key=lambda check: check.error)
    as_true = {
        name: check for name, check in checks.items() if check.error <= truest.error + AS_TRUE
    }
    name = min(as_true, key=lambda key: (as_true[key].contacts, as_true[key].error))
    if len(checks) == 1:
        return name, f"{_words(name)}: spheres rest {_error(checks[name])} from the cloud"
    rest = "; ".join(
        f"{_error(check)} and {check.contacts:.1f} contacts a skid as {_words(other)}"
        for other, check in checks.items()
        if other != name
    )
    reason = "truer" if len(as_true) == 1 else "as true and cheaper"
    mine = checks[name]
    return name, (
        f"{_words(name)}, {reason}: spheres rest {_error(mine)} from the cloud and a skid has "
        f"{mine.contacts:.1f} contacts; {rest}"
    )


def covered_share(spheres: Spheres) -> float:
    """Return the part of all spheres that lie under something, 0 to 1."""
    covered: npt.NDArray[np.bool_] = spheres.covered
    return float(covered.mean())


def _error(check: GroundCheck) -> str:
    return f"{millimetres(check.error):.1f} mm"


def _words(name: str) -> str:
    return name.replace("_", " ")
