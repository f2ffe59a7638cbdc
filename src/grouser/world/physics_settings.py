"""How time passes and how hard the ground is: the numbers that decide a simulation's result.

Nothing here that decides the result has a default: a world file says it, or Python code takes
`STANDARD` by name. Values that MuJoCo would silently replace are refused instead.
"""

from __future__ import annotations

from typing import Annotated, Literal

import mujoco
from pydantic import Field, model_validator

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

    timestep: Annotated[float, Field(gt=0, le=0.02)]
    """Length of one step, s; above 0, at most 0.02."""
    gravity: Annotated[float, Field(ge=0, le=100)] = 9.81
    """Acceleration downwards, m/s²; 0 to 100."""
    integrator: Literal["euler", "implicit", "implicitfast", "discrete", "rk4"]
    """How velocities and positions advance; MuJoCo's names."""
    cone: Literal["elliptic", "pyramidal"]
    """Shape of the friction cone; elliptic is the true one, pyramidal the cheap one."""
    solver: Literal["newton", "cg", "pgs"]
    """How constraint forces are found."""
    iterations: Annotated[int, Field(ge=1, le=100_000)]
    """The most iterations the solver takes in a step; at least 1."""
    tolerance: Annotated[float, Field(gt=0, le=1)]
    """Improvement of the (scaled) cost below which the solver stops; above 0, at most 1."""
    impratio: Annotated[float, Field(gt=0, le=100_000)]
    """How much stiffer friction is than the normal force; above 0. More means less creep."""
    contact: Contact
    """How softly ground and objects meet what touches them."""
    energy_limit: Annotated[float, Field(gt=0)] = 500.0
    """Energy beyond which a run is called diverged, J per kg of moving mass; above 0."""

    @model_validator(mode="after")
    def _contact_is_resolved(self) -> Physics:
        """Refuse contacts so stiff that MuJoCo would use softer ones without a word."""
        contact = self.contact
        if self.integrator == "discrete":
            factor, resolved = 1, contact.time_constant * contact.damping_ratio >= self.timestep
        else:
            factor, resolved = 2, contact.time_constant >= 2 * self.timestep
        if not resolved:
            raise mistake(
                f"must be at least {factor} x timestep ({self.timestep:g})",
                *("contact", "time_constant"),
            )
        return self

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


STANDARD = Physics(
    timestep=0.001,
    integrator="implicitfast",
    cone="elliptic",
    solver="newton",
    iterations=50,
    tolerance=1e-8,
    impratio=10,
    contact=Contact(
        time_constant=0.004,
        damping_ratio=1,
        impedance_start=0.95,
        impedance_end=0.99,
        impedance_width=0.001,
    ),
)
"""The settings of Python code that has no world file at hand."""
