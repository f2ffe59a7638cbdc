"""Contact compliance: springs and dampers in physical units, as MuJoCo's contact parameters.

A body that stands on n points bounces on them like a mass on a spring; `Compliance` has the
frequency and the damping ratio. Each point is then a spring of K = m w²/n (N/m) with a damper of
B = 2 zeta m w/n (N s/m), and the body sinks by g/w² when it stands.

MuJoCo's contact is R f = -b v - k r - a, with R the regularisation that the impedance d and the
inverse weight A of the touching bodies give, R = A (1 - d)/d. For R well above A that is a spring
K = k/R and a damper B = b/R, so K, B and b choose d, k and b. `apply` does this for every geom of a
compiled model, since A results from the compilation.

The damping is small because MuJoCo's convex friction cone lifts a sliding contact as an approach
speed of mu |v_slip| would, f_n = K depth + B (mu |v_slip| - v_n). Near-rigid contacts have a B of
1e4 to 1e5 N s/m: sliding bodies hop, and a tracked robot hardly turns
(docs/explanation/contact.md).

With so little damping alone a dropped robot would rebound to two thirds of its height. *Buffers*
prevent that: additional points without friction, which slip cannot lift, and without a spring,
which carry no load at rest. They resist approach only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import mujoco
import numpy as np
from pydantic import Field

from grouser.description import Description
from grouser.physics.contacts import BELT, HULL, WORLD

SINK = 0.11e-3
"""m by which the standard compliance lets a standing body sink: 9.81/300²."""

RATE_TIMES_STEP = 0.9
"""Largest product of friction rate and time step: from 1 on, contacts chatter."""

RATE_OVER_FREQUENCY = 2.25
"""Smallest ratio of friction rate and bounce frequency: below it contacts chatter."""

OWN_COMPLIANCE_WINS = 1e3
"""Mixing weight (solmix) of moving geoms; that of static geoms is 1."""

FIRMEST, SOFTEST = 0.9999, 0.0001
"""MuJoCo clips impedances beyond these."""

BUFFER_DEPTH = 0.001
"""Depth below the surface, m: nine times the static penetration of a robot. At a wall or an edge
few points carry the whole load, and buffers without friction must not take it over."""

BUFFER_SPRING = 1e-3
"""Ratio of the spring of buffers and that of other points: buffers carry almost no load."""

_POINTS = {
    int(mujoco.mjtGeom.mjGEOM_SPHERE): 1,
    int(mujoco.mjtGeom.mjGEOM_ELLIPSOID): 1,
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): 2,
}
"""Number of contact points of a single body of this shape on level ground; others have 4."""

MARKS = 4
SHARE, FREQUENCY, DAMPING_RATIO, BUFFER = range(MARKS)
"""Columns of a geom's user data; 0, or none: the standard."""


class Compliance(Description):
    """Compliance of a whole body on the points it stands on (docs/explanation/contact.md)."""

    frequency: Annotated[float, Field(gt=0, le=10_000)] = 300.0
    """Natural frequency of a body bouncing on its contact points, rad/s; above 0. The body sinks in
    by g/frequency²; it is limited to 0.4/timestep, which is below 300 at steps of 2 ms. The default
    is an estimate: a rubber block of 5 x 75 mm and 8 mm high (5 MPa) is 0.23 MN/m, and PackBot on
    its 24 bars would bounce at 540 rad/s; belt and bearings are softer."""
    damping_ratio: Annotated[float, Field(gt=0, le=1)] = 0.05
    """Damping ratio of that motion, above 0 to 1; values above 0.1 lift sliding bodies. The default
    is an estimate: rubber loses 0.1 to 0.3 of a cycle's energy as loss factor, which is twice this
    number."""
    friction_rate: Annotated[float, Field(gt=0, le=100_000)] = 900.0
    """Rate at which friction stops slip, 1/s; limited to 0.9/timestep."""
    impact_damping: Annotated[float, Field(gt=0, le=100)] = 8.0
    """Damping ratio during approach only, for robots and objects with buffer geoms; above 0. The
    default is an estimate: a robot dropped from 0.1 m rebounds by less than 10 mm."""

    def at(self, timestep: float) -> Compliance:
        """Return the nearest compliance that steps of ``timestep`` (s) can follow."""
        rate = min(self.friction_rate, RATE_TIMES_STEP / timestep)
        frequency = min(self.frequency, rate / RATE_OVER_FREQUENCY)
        return Compliance(
            frequency=frequency,
            # The damper stays: sliding bodies are lifted by no more than at a smaller step.
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


def mark(
    geom: mujoco.MjsGeom, *, share: float = 0.0, frequency: float = 0.0, damping_ratio: float = 0.0
) -> None:
    """Store deviations of a moving ``geom`` from the standard for `apply`, after compilation.

    ``share`` is the fraction of the whole robot's spring per contact point of it (0: a
    quarter), ``frequency`` (rad/s) and ``damping_ratio`` those of a bounce on it (0: the
    standard).
    """
    geom.userdata = [share, frequency, damping_ratio, 0.0]


def add_buffer(
    body: mujoco.MjsBody, name: str, *, share: float, touches: int, **shape: Any
) -> None:
    """Add an invisible geom to ``body`` that resists approach only and has no friction.

    ``share`` is its fraction of all of the robot's buffers, ``touches`` its contact classes
    (buffers never touch each other), ``shape`` type, size, pos and so on of the geom.
    """
    geom = body.add_geom(
        name=name,
        contype=0,
        conaffinity=touches,
        condim=1,
        priority=1,  # otherwise it would take the ground's friction
        friction=[0, 0, 0],
        mass=0,
        rgba=[0, 0, 0, 0],  # neither pictures nor rays see it
        **shape,
    )
    geom.userdata = [share, 0.0, 0.0, 1.0]


def remove_buffers(model: mujoco.MjModel) -> None:
    """Disable buffers: contacts in MuJoCo's own parameters do not need them."""
    if model.nuser_geom > BUFFER:
        buffers = model.geom_user[:, BUFFER] > 0
        model.geom_contype[buffers] = 0
        model.geom_conaffinity[buffers] = 0


def apply(
    model: mujoco.MjModel, standard: Compliance, own: Mapping[str, Compliance] | None = None
) -> None:
    """Make every contact of moving bodies in the just compiled ``model`` a spring and a damper.

    ``standard`` is the default, ``own`` for single bodies, by the name of a child of the world
    body.
    """
    timestep = float(model.opt.timestep)
    default = standard.at(timestep)
    special = {model.body(name).id: one.at(timestep) for name, one in (own or {}).items()}
    # Contacts inside a chain (steel on steel) keep the parameters of their builder.
    meets = (model.geom_contype | model.geom_conaffinity) & (WORLD | BELT | HULL) > 0
    moving = np.flatnonzero(meets & (model.body_weldid[model.geom_bodyid] > 0))
    bodies = model.geom_bodyid[moving]
    roots = model.body_rootid[bodies]
    # Python scalars: single accesses to MuJoCo's arrays take four times as long as the arithmetic.
    marks_of = np.zeros((len(moving), MARKS))
    width = min(MARKS, model.nuser_geom)
    marks_of[:, :width] = model.geom_user[moving, :width]
    points = np.where(
        (bodies == roots) & (model.body_geomnum[roots] <= 2),
        [_POINTS.get(kind, 4) for kind in model.geom_type[moving].tolist()],
        4,
    )  # an object is one body with a surface and a buffer of the same shape
    columns = (moving, roots, model.body_subtreemass[roots], model.body_invweight0[bodies, 0])
    for geom, root, mass, weight, marks, count in zip(
        *(column.tolist() for column in (*columns, marks_of, points)), strict=True
    ):
        if weight <= 0:  # it is attached to the world
            continue
        solver = _solver_numbers(special.get(root, default), marks, mass, weight, count, timestep)
        model.geom_solimp[geom], model.geom_solref[geom] = solver
        model.geom_solmix[geom] = OWN_COMPLIANCE_WINS


def _solver_numbers(
    compliance: Compliance,
    marks: list[float],
    mass: float,
    weight: float,
    points: int,
    timestep: float,
) -> tuple[list[float], list[float]]:
    """Return solimp and solref of a geom with its share of ``compliance``.

    ``marks`` is user data of `mark` or `add_buffer`, ``mass`` (kg) that of its kinematic tree,
    ``weight`` (1/kg) the inverse weight of its body, ``points`` the number of such contact
    points that carry the whole, where no share is marked.
    """
    if marks[FREQUENCY] or marks[DAMPING_RATIO]:
        compliance = Compliance(
            frequency=marks[FREQUENCY] or compliance.frequency,
            damping_ratio=marks[DAMPING_RATIO] or compliance.damping_ratio,
            friction_rate=compliance.friction_rate,
            impact_damping=compliance.impact_damping,
        ).at(timestep)
    share = marks[SHARE] or 1 / points
    stiffness, damping = share * compliance.stiffness(mass), share * compliance.damping(mass)
    rate = compliance.friction_rate
    if marks[BUFFER]:
        stiffness, damping = BUFFER_SPRING * stiffness, share * compliance.buffering(mass)
        rate = RATE_TIMES_STEP / timestep  # as fast as steps can follow
    resistance = rate / damping
    impedance = min(max(weight / (weight + resistance), SOFTEST), FIRMEST)
    resistance = weight * (1 - impedance) / impedance
    # MuJoCo divides both by the impedance at full depth, the stiffness once more.
    solref = [-stiffness * resistance * impedance, -damping * resistance * impedance]
    return [impedance, impedance, 0.001, 0.5, 2.0], solref
