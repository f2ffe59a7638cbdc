"""How bodies yield where they touch: springs and dampers in physical units, as MuJoCo's contacts.

A body that stands on n points bounces on them like a mass on a spring: `Compliance` says how fast
and how well damped. Each point is then a spring of K = m w²/n (N/m) with a damper of
B = 2 zeta m w/n (N s/m), and the body sinks by g/w² when it stands.

MuJoCo's contact is R f = -b v - k r - a, with R the regularisation that the impedance d and the
inverse weight A of the touching bodies give, R = A (1 - d)/d. For R well above A that is a spring
K = k/R and a damper B = b/R, so K, B and b choose d, k and b. `apply` does this for every geom of a
compiled model: A is not known before.

Why the damping is so small: MuJoCo's convex friction cone lifts a sliding contact as an approach
speed of mu |v_slip| would, f_n = K depth + B (mu |v_slip| - v_n). Near-rigid contacts have a B of
1e4 to 1e5 N s/m: what slides hops, and a tracked robot hardly turns (docs/contact.md).

So little damping would let a dropped robot rebound to two thirds of its height. What stops it are
*buffers*: a few more points without friction, which slip cannot lift, and without a spring, which
carry nothing at rest. They resist approach alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from grouser.errors import BadValue
from grouser.physics.contacts import BELT, HULL, WORLD

SINK = 0.11e-3
"""m by which the standard compliance lets a standing body sink: 9.81/300²."""

RATE_TIMES_STEP = 0.9
"""Largest product of friction rate and time step: from 1 on, contacts buzz."""

RATE_OVER_FREQUENCY = 3.0
"""Smallest ratio of friction rate and bounce frequency: below it a buzz near 29 Hz returns."""

OWN_COMPLIANCE_WINS = 1e3
"""Mixing weight of whatever moves against the 1 of whatever stands still."""

FIRMEST, SOFTEST = 0.9999, 0.0001
"""MuJoCo clips impedances beyond these."""

BUFFER_SPRING = 1e-3
"""Spring of buffers over that of the other points: they carry next to nothing."""

_POINTS = {
    int(mujoco.mjtGeom.mjGEOM_SPHERE): 1,
    int(mujoco.mjtGeom.mjGEOM_ELLIPSOID): 1,
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): 2,
}
"""In how many points a single body of this shape touches level ground; all others in 4."""

SHARE, FREQUENCY, DAMPING_RATIO, BUFFER = range(4)
"""What a geom's user data say; 0, or none: the standard."""


@dataclass(frozen=True, kw_only=True)
class Compliance:
    """How a whole body yields on the points it stands on."""

    frequency: float = 300.0
    """Of its bounce, rad/s. The standard is an estimate: a rubber block of 5 x 75 mm and 8 mm high
    (5 MPa) is 0.23 MN/m, and PackBot on its 24 bars would bounce at 540 rad/s; belt and bearings
    are softer."""
    damping_ratio: float = 0.05
    """Of that bounce; 1: critical. Estimate: rubber loses 0.1 to 0.3 of a cycle's energy as loss
    factor, which is twice this number; more would lift what slides."""
    friction_rate: float = 900.0
    """How fast friction stops a slip that it can stop, 1/s."""
    impact_damping: float = 8.0
    """Damping ratio of the buffers, against approach only; estimate: a robot dropped from 0.1 m
    rebounds by less than 10 mm."""

    def __post_init__(self) -> None:
        for name in ("frequency", "damping_ratio", "friction_rate", "impact_damping"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise BadValue(f"contact: {name} is {value}, must be above 0")

    def at(self, timestep: float) -> Compliance:
        """Return the nearest compliance that steps of ``timestep`` (s) can follow."""
        rate = min(self.friction_rate, RATE_TIMES_STEP / timestep)
        frequency = min(self.frequency, rate / RATE_OVER_FREQUENCY)
        return Compliance(
            frequency=frequency,
            # The damper stays: what slides is lifted by no more than at a smaller step.
            damping_ratio=min(1.0, self.damping_ratio * self.frequency / frequency),
            friction_rate=rate,
            impact_damping=self.impact_damping,
        )

    def stiffness(self, mass: float) -> float:
        """Return the spring (N/m) of all points together under ``mass`` (kg)."""
        return mass * self.frequency**2

    def damping(self, mass: float) -> float:
        """Return the damper (N s/m) of all points together under ``mass`` (kg)."""
        return 2 * self.damping_ratio * mass * self.frequency

    def buffering(self, mass: float) -> float:
        """Return the damper (N s/m) of all buffers together under ``mass`` (kg)."""
        return 2 * self.impact_damping * mass * self.frequency


STANDARD_COMPLIANCE = Compliance()


def mark(
    geom: mujoco.MjsGeom,
    *,
    share: float = 0.0,
    frequency: float = 0.0,
    damping_ratio: float = 0.0,
) -> None:
    """Say how ``geom`` differs from the standard, for `apply` to read after compilation.

    Args:
        geom: of a body that moves.
        share: part of the whole robot's spring that one contact point of it is; 0: a quarter.
        frequency: rad/s at which the robot bounces on it; 0: as the rest.
        damping_ratio: of that bounce; 0: as the rest.
    """
    geom.userdata = [share, frequency, damping_ratio, 0.0]


def add_buffer(
    body: mujoco.MjsBody,
    name: str,
    *,
    share: float,
    touches: int,
    **shape: Any,
) -> None:
    """Add an unseen point to ``body`` that only resists approach and rubs nothing.

    Args:
        body: that shall not rebound.
        name: of the geom.
        share: part of all the robot's buffers that it is.
        touches: contact classes; buffers never touch each other.
        shape: type, size, pos and so on of the geom.
    """
    geom = body.add_geom(
        name=name,
        contype=0,
        conaffinity=touches,
        condim=1,
        priority=1,  # else it would take the ground's friction
        friction=[0, 0, 0],
        mass=0,
        rgba=[0, 0, 0, 0],  # neither pictures nor rays see it
        **shape,
    )
    geom.userdata = [share, 0.0, 0.0, 1.0]


def remove_buffers(model: mujoco.MjModel) -> None:
    """Let buffers touch nothing: contacts in MuJoCo's own terms have no need of them."""
    if model.nuser_geom > BUFFER:
        buffers = model.geom_user[:, BUFFER] > 0
        model.geom_contype[buffers] = 0
        model.geom_conaffinity[buffers] = 0


def apply(
    model: mujoco.MjModel, standard: Compliance, own: Mapping[str, Compliance] | None = None
) -> None:
    """Make every contact of what moves in ``model`` a spring and a damper.

    Args:
        model: just compiled; its geoms' solver parameters are written.
        standard: for everybody.
        own: for single bodies, by the name of a child of the world body.
    """
    timestep = float(model.opt.timestep)
    everybody = standard.at(timestep)
    special = {model.body(name).id: one.at(timestep) for name, one in (own or {}).items()}
    # Steel on steel inside a chain stays as its builder made it.
    meets = (model.geom_contype | model.geom_conaffinity) & (WORLD | BELT | HULL) > 0
    moving = meets & (model.body_weldid[model.geom_bodyid] > 0)
    for geom in np.flatnonzero(moving).tolist():
        body = int(model.geom_bodyid[geom])
        root = int(model.body_rootid[body])
        _write(model, geom, special.get(root, everybody))


def _write(model: mujoco.MjModel, geom: int, compliance: Compliance) -> None:
    """Give ``geom`` the solver parameters of its share of ``compliance``."""
    body = int(model.geom_bodyid[geom])
    root = int(model.body_rootid[body])
    said = [*model.geom_user[geom].tolist(), 0.0, 0.0, 0.0, 0.0]
    if said[FREQUENCY] or said[DAMPING_RATIO]:
        compliance = Compliance(
            frequency=said[FREQUENCY] or compliance.frequency,
            damping_ratio=said[DAMPING_RATIO] or compliance.damping_ratio,
            friction_rate=compliance.friction_rate,
            impact_damping=compliance.impact_damping,
        ).at(float(model.opt.timestep))
    mass, weight = float(model.body_subtreemass[root]), float(model.body_invweight0[body, 0])
    share = said[SHARE] or 1 / _points(model, geom, root)
    stiffness, damping = share * compliance.stiffness(mass), share * compliance.damping(mass)
    rate = compliance.friction_rate
    if said[BUFFER]:
        stiffness, damping = BUFFER_SPRING * stiffness, share * compliance.buffering(mass)
        rate = RATE_TIMES_STEP / float(model.opt.timestep)  # as fast as steps can follow
    if weight <= 0:  # it is held by nothing but the world
        return
    resistance = rate / damping
    impedance = min(max(weight / (weight + resistance), SOFTEST), FIRMEST)
    resistance = weight * (1 - impedance) / impedance
    model.geom_solimp[geom] = [impedance, impedance, 0.001, 0.5, 2.0]
    # MuJoCo divides both by the impedance at full depth, the stiffness once more.
    model.geom_solref[geom] = [
        -stiffness * resistance * impedance,
        -damping * resistance * impedance,
    ]
    model.geom_solmix[geom] = OWN_COMPLIANCE_WINS


def _points(model: mujoco.MjModel, geom: int, root: int) -> int:
    """Return on how many points like those of ``geom`` its robot or object stands.

    An object is one body with a surface and a buffer of the same shape.
    """
    alone = int(model.geom_bodyid[geom]) == root and int(model.body_geomnum[root]) <= 2
    return _POINTS.get(int(model.geom_type[geom]), 4) if alone else 4
