"""Physics settings: time step, solver, contact compliance and surface friction.

Settings that a world file omits are those of `STANDARD`, with which every table of docs/papers and
every mobility sheet was made unless stated otherwise; ``grouser show`` prints them. Values that
MuJoCo would silently replace are rejected.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import mujoco
from pydantic import Field, model_validator

from grouser.description import Description, mistake
from grouser.physics.compliance import Compliance
from grouser.physics.slip_friction import law_marks
from grouser.world.field_types import Rgb

INTEGRATORS = {
    "euler": mujoco.mjtIntegrator.mjINT_EULER,
    "implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "discrete": mujoco.mjtIntegrator.mjINT_DISCRETE,
    "rk4": mujoco.mjtIntegrator.mjINT_RK4,
}
CONES = {"elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC, "pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL}
SOLVERS = {
    "newton": mujoco.mjtSolver.mjSOL_NEWTON,
    "cg": mujoco.mjtSolver.mjSOL_CG,
    "pgs": mujoco.mjtSolver.mjSOL_PGS,
}

Impedance = Annotated[float, Field(ge=0.0001, le=0.9999)]
"""Impedance of a constraint, -; MuJoCo clips values outside this range."""


class Contact(Description):
    """Contact softness in MuJoCo's terms (manual: Modeling, Solver parameters)."""

    time_constant: Annotated[float, Field(gt=0, le=1)]
    """Decay time of a penetration, s; above 0, at most 1. MuJoCo's solref[0]."""
    damping_ratio: Annotated[float, Field(gt=0, le=100)]
    """Damping ratio; contacts below 1 bounce; above 0, at most 100. MuJoCo's solref[1]."""
    impedance_start: Impedance
    """Impedance at zero penetration, 0.0001 to 0.9999. MuJoCo's solimp[0]."""
    impedance_end: Impedance
    """Impedance from a depth of `impedance_width` on, 0.0001 to 0.9999. MuJoCo's solimp[1]."""
    impedance_width: Annotated[float, Field(gt=0, le=1)]
    """Depth of the transition from start to end, m; above 0, at most 1. MuJoCo's solimp[2]."""

    @property
    def solref(self) -> tuple[float, float]:
        """Time constant (s) and damping ratio, as MuJoCo's geoms take them."""
        return self.time_constant, self.damping_ratio

    @property
    def solimp(self) -> tuple[float, float, float, float, float]:
        """Start, end, width (m), midpoint and power, as MuJoCo's geoms take them."""
        return self.impedance_start, self.impedance_end, self.impedance_width, 0.5, 2.0


class PhysicsSettings(Description):
    """Solver settings, and contact settings of ground and objects."""

    timestep: Annotated[float, Field(ge=1e-6, le=0.02)] = 0.001
    """Time step, s; 0.000001 to 0.02."""
    gravity: Annotated[float, Field(ge=0, le=100)] = 9.81
    """Acceleration downwards, m/s²; 0 to 100."""
    integrator: Literal["euler", "implicit", "implicitfast", "discrete", "rk4"] = "implicitfast"
    """Numerical integrator; MuJoCo's names."""
    springs: Literal["end", "start"] = "end"
    """Point in a step at which ``discrete`` evaluates springs and servos. At the end, as in MuJoCo,
    an oscillation of w rad/s gets an additional damping ratio of w x timestep/2; at the start it
    does not."""
    cone: Literal["elliptic", "pyramidal"] = "elliptic"
    """Shape of the friction cone; elliptic is exact, pyramidal is faster."""
    solver: Literal["newton", "cg", "pgs"] = "newton"
    """Constraint solver."""
    iterations: Annotated[int, Field(ge=1, le=100_000)] = 50
    """Largest number of solver iterations per step; at least 1."""
    tolerance: Annotated[float, Field(gt=0, le=1)] = 1e-10
    """Improvement of the (scaled) cost below which the solver stops; above 0, at most 1."""
    impratio: Annotated[float, Field(gt=0, le=100_000)] = 20_000.0
    """Ratio of friction to normal impedance; above 0. A held body creeps at (force held)/(damper x
    impratio)."""
    contact: Compliance = Compliance()
    """Contact compliance of moving bodies."""
    solver_contact: Contact | None = None
    """MuJoCo's contact parameters for every contact instead of `contact`; only for comparisons."""
    losses: bool = True
    """False: drives without friction, motors and batteries (docs/explanation/energy.md)."""
    energy_limit: Annotated[float, Field(gt=0)] = 500.0
    """Energy above which a run counts as diverged, J per kg of moving mass; above 0."""

    @model_validator(mode="after")
    def _check_springs(self) -> PhysicsSettings:
        """Reject `springs: start` for integrators without that choice."""
        if self.springs == "start" and self.integrator != "discrete":
            raise mistake(f"needs the integrator discrete, not {self.integrator}", "springs")
        return self

    @model_validator(mode="after")
    def _check_contact_time(self) -> PhysicsSettings:
        """Reject contacts so stiff that MuJoCo would silently use softer ones."""
        contact = self.solver_contact
        if contact is None:
            return self
        if self.integrator == "discrete":
            factor, resolved = 1, contact.time_constant * contact.damping_ratio >= self.timestep
        else:
            factor, resolved = 2, contact.time_constant >= 2 * self.timestep
        if not resolved:
            raise mistake(
                f"must be at least {factor} x timestep ({self.timestep:g})",
                *("solver_contact", "time_constant"),
            )
        return self

    @property
    def ground(self) -> Contact:
        """Contact of ground and objects; moving bodies override it without `solver_contact`."""
        return self.solver_contact or RIGID

    def apply(self, spec: mujoco.MjSpec) -> None:
        """Write these settings into ``spec.option``."""
        option = spec.option
        option.timestep = self.timestep
        option.gravity = [0.0, 0.0, -self.gravity]
        option.integrator = INTEGRATORS[self.integrator]
        option.cone = CONES[self.cone]
        option.solver = SOLVERS[self.solver]
        option.iterations = self.iterations
        option.tolerance = self.tolerance
        option.impratio = self.impratio
        # With several contacts per convex pair, MuJoCo 4.0 returns wrong lateral normals and half a
        # millimetre of depth for a drum just outside a box's edge: kilonewtons of false force.
        option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MULTICCD)


RIGID = Contact(
    time_constant=0.004,
    damping_ratio=1,
    impedance_start=0.95,
    impedance_end=0.99,
    impedance_width=0.001,
)
"""Near-rigid contact as in MuJoCo's example models; sliding bodies hop. Only for comparisons."""

STANDARD = PhysicsSettings()
"""Default settings of world files and of Python code without a world file."""


TORSION, ROLLING = 0.005, 0.0001  # m; MuJoCo's own defaults, without effect at condim 3


STANDARD_FRICTION = 0.6
"""Default friction: Okada et al. 2020, sec. IV, of ground and steps."""


class Surface(Description):
    """Friction and colour of ground or an object.

    MuJoCo gives a contact the larger friction of the two geoms and the weighted mean of their
    softness. Robot geoms have friction 0, so that this `friction` applies, while their softness is
    included in the mean.
    """

    friction: Annotated[float, Field(ge=0, le=10)] = STANDARD_FRICTION
    """Coulomb friction coefficient, -; 0 to 10."""
    kinetic: Annotated[float, Field(ge=0, le=10)] | None = None
    """Friction at high slip speed, -; at most `friction`; None: that of rest at all speeds."""
    stribeck_speed: Annotated[float, Field(gt=0, le=100)] | None = None
    """Slip speed of the transition to `kinetic`, m/s (docs/explanation/energy.md)."""
    stribeck_exponent: Annotated[float, Field(ge=1, le=100)] = 20.0
    """Sharpness of that transition: 2 is smooth, 20 almost a step."""
    rgb: Rgb | None = None
    """Colour, three numbers 0 to 1 (None: the kind's default)."""

    @model_validator(mode="after")
    def _check_kinetic(self) -> Self:
        if (self.kinetic is None) != (self.stribeck_speed is None):
            raise mistake("must be given together with kinetic", "stribeck_speed")
        if self.kinetic is not None and self.kinetic > self.friction:
            raise mistake(f"must be at most the friction, {self.friction:g}", "kinetic")
        return self

    def geom(self, contact: Contact, shade: Rgb) -> dict[str, Any]:
        """Return the attributes of this surface's geoms; ``shade`` is the colour without `rgb`."""
        law: dict[str, Any] = {}
        if self.kinetic is not None and self.stribeck_speed is not None:
            marks = law_marks(self.kinetic, self.stribeck_speed, self.stribeck_exponent)
            law = {"userdata": marks}
        return {
            **law,
            "friction": [self.friction, TORSION, ROLLING],
            "solref": contact.solref,
            "solimp": contact.solimp,
            "condim": 3,
            "rgba": [*(self.rgb or shade), 1.0],
        }
