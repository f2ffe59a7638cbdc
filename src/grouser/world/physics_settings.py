"""How time passes and how bodies yield: the numbers that decide a simulation's result.

Whatever a world file does not say is as in `STANDARD`, the one set of settings with which every
table of docs/papers and every mobility sheet was made unless it says otherwise; ``grouser show``
prints them. Values that MuJoCo would silently replace are refused instead.
"""

from __future__ import annotations

from typing import Annotated, Literal

import mujoco
from pydantic import Field, model_validator

from grouser.physics.compliance import STANDARD_COMPLIANCE, Compliance
from grouser.world.field_types import Description, mistake

INTEGRATORS = {
    "euler": mujoco.mjtIntegrator.mjINT_EULER,
    "implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "discrete": mujoco.mjtIntegrator.mjINT_DISCRETE,
    "rk4": mujoco.mjtIntegrator.mjINT_RK4,
}
CONES = {
    "elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC,
    "pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL,
}
SOLVERS = {
    "newton": mujoco.mjtSolver.mjSOL_NEWTON,
    "cg": mujoco.mjtSolver.mjSOL_CG,
    "pgs": mujoco.mjtSolver.mjSOL_PGS,
}

Impedance = Annotated[float, Field(ge=0.0001, le=0.9999)]
"""A constraint's ability to generate force, -; MuJoCo clips what is nearer to 0 or 1."""


class Yielding(Description):
    """How whatever moves yields where it touches: a bounce, in physical terms (docs/contact.md)."""

    frequency: Annotated[float, Field(gt=0, le=10_000)] = STANDARD_COMPLIANCE.frequency
    """Of a body that bounces on the points it stands on, rad/s; above 0. It sinks by g/frequency²;
    steps of 2 ms cannot follow 300 and take 0.4/timestep."""
    damping_ratio: Annotated[float, Field(gt=0, le=1)] = STANDARD_COMPLIANCE.damping_ratio
    """Of that bounce, above 0 to 1; more than 0.1 lifts what slides."""
    friction_rate: Annotated[float, Field(gt=0, le=100_000)] = STANDARD_COMPLIANCE.friction_rate
    """How fast friction stops what it can hold, 1/s; at most 0.9/timestep is taken."""
    impact_damping: Annotated[float, Field(gt=0, le=100)] = STANDARD_COMPLIANCE.impact_damping
    """Damping ratio against approach alone, where robots and objects have buffers; above 0."""

    @property
    def compliance(self) -> Compliance:
        """The same for physics."""
        return Compliance(
            frequency=self.frequency,
            damping_ratio=self.damping_ratio,
            friction_rate=self.friction_rate,
            impact_damping=self.impact_damping,
        )


class Contact(Description):
    """How softly surfaces meet, in MuJoCo's terms (manual: Modeling, Solver parameters)."""

    time_constant: Annotated[float, Field(gt=0, le=1)]
    """Time in which a penetration decays, s; above 0, at most 1. MuJoCo's solref[0]."""
    damping_ratio: Annotated[float, Field(gt=0, le=100)]
    """Below 1 contacts bounce, 1 does not; above 0, at most 100. MuJoCo's solref[1]."""
    impedance_start: Impedance
    """How firmly a first touch is resisted, 0.0001 to 0.9999. MuJoCo's solimp[0]."""
    impedance_end: Impedance
    """How firmly from `impedance_width` on, 0.0001 to 0.9999. MuJoCo's solimp[1]."""
    impedance_width: Annotated[float, Field(gt=0, le=1)]
    """Depth over which it goes from start to end, m; above 0, at most 1. MuJoCo's solimp[2]."""

    @property
    def solref(self) -> tuple[float, float]:
        """Time constant (s) and damping ratio, as MuJoCo's geoms take them."""
        return self.time_constant, self.damping_ratio

    @property
    def solimp(self) -> tuple[float, float, float, float, float]:
        """Start, end, width (m), midpoint and power, as MuJoCo's geoms take them."""
        return self.impedance_start, self.impedance_end, self.impedance_width, 0.5, 2.0


class Physics(Description):
    """The solver's settings and the contact all ground and objects share."""

    timestep: Annotated[float, Field(ge=1e-6, le=0.02)] = 0.001
    """Length of one step, s; from 0.000001 (shorter, and a second would take hours) to 0.02."""
    gravity: Annotated[float, Field(ge=0, le=100)] = 9.81
    """Acceleration downwards, m/s²; 0 to 100."""
    integrator: Literal["euler", "implicit", "implicitfast", "discrete", "rk4"] = "implicitfast"
    """How velocities and positions advance; MuJoCo's names."""
    springs: Literal["end", "start"] = "end"
    """When in a step ``discrete`` takes springs and servos. At its end, as MuJoCo does, a bounce of
    w rad/s gets a damping ratio of w x timestep/2 beside its own; at its start it does not."""
    cone: Literal["elliptic", "pyramidal"] = "elliptic"
    """Shape of the friction cone; elliptic is the true one, pyramidal the cheap one."""
    solver: Literal["newton", "cg", "pgs"] = "newton"
    """How constraint forces are found."""
    iterations: Annotated[int, Field(ge=1, le=100_000)] = 50
    """The most iterations the solver takes in a step; at least 1."""
    tolerance: Annotated[float, Field(gt=0, le=1)] = 1e-10
    """Improvement of the (scaled) cost below which the solver stops; above 0, at most 1."""
    impratio: Annotated[float, Field(gt=0, le=100_000)] = 20_000.0
    """How much stiffer friction is than the normal force; above 0. More means less creep: what is
    held creeps at (force held)/(damper x impratio)."""
    contact: Yielding = Yielding()
    """How whatever moves yields where it touches."""
    solver_contact: Contact | None = None
    """MuJoCo's own terms for every contact instead of `contact`; only for comparisons."""
    energy_limit: Annotated[float, Field(gt=0)] = 500.0
    """Energy beyond which a run is called diverged, J per kg of moving mass; above 0."""

    @model_validator(mode="after")
    def _springs_can_be_taken(self) -> Physics:
        """Refuse to say it of integrators that take no spring at the end."""
        if self.springs == "start" and self.integrator != "discrete":
            raise mistake(f"only the integrator discrete can, not {self.integrator}", "springs")
        return self

    @model_validator(mode="after")
    def _contact_is_resolved(self) -> Physics:
        """Refuse contacts so stiff that MuJoCo would use softer ones without a word."""
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
        """What ground and objects say; whatever moves overrules it unless `solver_contact` is."""
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
        # A state that is no longer finite must stop the run, not restart it unseen.
        option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
        # Several contacts per convex pair: MuJoCo 4.0 then invents sideways normals and half a
        # millimetre of depth for a drum just outside a box's edge, kilonewtons from nothing.
        option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MULTICCD)


RIGID = Contact(
    time_constant=0.004,
    damping_ratio=1,
    impedance_start=0.95,
    impedance_end=0.99,
    impedance_width=0.001,
)
"""Near-rigid contact as MuJoCo's models have it: what slides hops. Only for comparisons."""

STANDARD = Physics()
"""What a world that says nothing about physics has, and Python code without a world file."""
