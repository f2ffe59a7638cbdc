"""Verification of a scan's collision geometry by dropped spheres, and the choice of its kind.

A scan can collide as a height map or as convex pieces. For both, the rest heights of spheres
dropped all over the cloud are compared with the cloud, and the contacts of a skid are counted, as a
measure of the cost of a robot's belts. The more accurate kind is chosen; if both are about equally
accurate, the one with fewer contacts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.frames import Array, millimetres
from grouser.scan.ground.spheres import Spheres
from grouser.world.physics_settings import RIGID, STANDARD
from grouser.world.terrain.terrain_piece import TerrainPiece

LARGEST = 0.1
"""Limit of a sphere's error, m; a fall through a hole counts as this much."""
AS_TRUE = 0.001
"""Largest difference of mean errors that counts as equal, m."""
SKIDS = 40
"""Number of skids."""


@dataclass(frozen=True)
class SphereErrors:
    """Statistics of the differences between rest heights and the cloud."""

    count: int
    mean: float
    """Mean absolute error, m."""
    most: float
    """95 % quantile, m."""
    largest: float
    """Largest error, m."""

    @staticmethod
    def of(errors: Array) -> SphereErrors:
        """Return the statistics of some spheres; all zero if there are none."""
        size = np.abs(errors) if len(errors) else np.zeros(1)
        return SphereErrors(
            len(errors), float(size.mean()), float(np.percentile(size, 95)), float(size.max())
        )

    def __str__(self) -> str:
        mean, most, largest = map(millimetres, (self.mean, self.most, self.largest))
        return f"{mean:.1f} mm in the mean, 95 % within {most:.1f}, largest {largest:.1f}"


@dataclass(frozen=True)
class GroundCheck:
    """Result of spheres and skids for one kind of collision geometry."""

    errors: Array
    """Rest height minus expected height, per sphere, (n,), m; limited to ±`LARGEST`."""
    open_ground: SphereErrors
    """Spheres neither beside a step nor under an overhang."""
    edges: SphereErrors
    """Spheres beside a step."""
    covered: SphereErrors
    """Spheres under an overhang."""
    fell: int
    """Number of spheres without ground: more than `LIFT` below the expected height."""
    contacts: float
    """Mean number of contacts of a skid."""

    @property
    def error(self) -> float:
        """Mean error of all spheres that are not beside a step, m."""
        one, other = self.open_ground, self.covered
        count = max(one.count + other.count, 1)
        return (one.mean * one.count + other.mean * other.count) / count


def check_ground(terrain: Sequence[TerrainPiece], spheres: Spheres) -> GroundCheck:
    """Drop spheres and skids on ground."""
    errors = np.clip(rest_heights(terrain, spheres) - spheres.middle[:, 2], -LARGEST, LARGEST)
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
        skid_contacts(terrain, places),
    )


def choose(checks: Mapping[str, GroundCheck]) -> tuple[str, str]:
    """Return the chosen kind of collision geometry, and the reason in one sentence."""
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


def _error(check: GroundCheck) -> str:
    return f"{millimetres(check.error):.1f} mm"


def _words(name: str) -> str:
    return name.replace("_", " ")


TIMESTEP = 0.002  # s
LONGEST = 1.5
"""Time limit for a sphere to come to rest, s."""
AT_REST = 1e-3
"""Speed below which a body is at rest, m/s."""
LIFT = 0.05
"""Height above its expected place from which a body is dropped, m; less under an overhang."""
MASS = 0.1  # kg   of a sphere; without effect on where it rests but for 0.1 mm
BURIED = 0.5
"""Initial penetration, as a part of the radius, above which a sphere starts inside the ground."""
SKID = (0.15, 0.04, 0.01)
"""Half the size of a skid, m: the part of a small crawler's belt that is on the ground."""
SKID_MASS = 1.0  # kg
SKID_TIME = 0.4
"""Time for a skid to settle, s; on a slope it may still slide."""


def rest_heights(terrain: Sequence[TerrainPiece], spheres: Spheres) -> Array:
    """Return the heights of spheres' centres at rest on ground, (n,), m.

    Each sphere slides on a vertical axis, without friction and without contacts with others. A
    sphere without ground falls for `LONGEST`; one that starts inside the ground has the height
    ``inf``.
    """
    spec = _ground(terrain)
    lift = np.minimum(LIFT, 0.5 * spheres.room)
    for place, up in zip(spheres.middle, lift, strict=True):
        body = spec.worldbody.add_body(pos=place + np.array([0.0, 0.0, up]))
        body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[spheres.radius, 0, 0],
            mass=MASS,
            condim=1,
            priority=1,  # otherwise the ground's friction would hold it at walls
            **_OTHERS_PASS,
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    deep = data.contact.dist < -BURIED * spheres.radius
    # Bodies are the spheres, in order, after the world; geoms of ground belong to the world.
    buried = model.geom_bodyid[data.contact.geom[deep]].max(axis=1, initial=0) - 1
    _settle(model, data, LONGEST)
    heights = spheres.middle[:, 2] + lift + data.qpos
    heights[buried[buried >= 0]] = np.inf
    return np.asarray(heights)


def skid_contacts(terrain: Sequence[TerrainPiece], places: Array) -> float:
    """Return the mean number of contacts of a skid dropped over each of ``places`` (n, 3), m."""
    spec = _ground(terrain)
    for place in places:
        body = spec.worldbody.add_body(pos=place + np.array([0.0, 0.0, LIFT]))
        body.add_freejoint()
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, size=SKID, mass=SKID_MASS, condim=3, **_OTHERS_PASS
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    _settle(model, data, SKID_TIME)
    return int(data.ncon) / len(places)


_OTHERS_PASS = {"contype": 0, "conaffinity": 1, "solref": RIGID.solref, "solimp": RIGID.solimp}
"""Contacts with ground, and none between dropped bodies."""


def _ground(terrain: Sequence[TerrainPiece]) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    STANDARD.model_copy(update={"timestep": TIMESTEP}).apply(spec)
    for number, piece in enumerate(terrain):
        piece.add(spec, STANDARD.ground, f"terrain/{number}")
    return spec


def _settle(model: mujoco.MjModel, data: mujoco.MjData, longest: float) -> None:
    """Step until all bodies are at rest, or for ``longest`` (s)."""
    fall = round(2 * float(np.sqrt(2 * LIFT / 9.81)) / TIMESTEP)
    for number in range(round(longest / TIMESTEP)):
        mujoco.mj_step(model, data)
        if number > fall and np.abs(data.qvel).max() < AT_REST:
            return
