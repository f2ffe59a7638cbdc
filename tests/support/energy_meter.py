"""Energy balance of a running simulation, step by step."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.simulation.simulation import Simulation


@dataclass(frozen=True)
class EnergyBalance:
    """Energies of an interval, J."""

    drives: float
    """Work of all drives."""
    friction: float
    """Energy lost to friction at contacts."""
    normal: float
    """Energy lost to contacts in the direction of their normals, springs included; negative: more
    is released than was stored."""
    couplings: float
    """Energy lost in the couplings of a belt's links."""
    springs: float
    """Increase of the energy of contact springs."""
    mechanical: float
    """Increase of kinetic and potential energy."""
    vertical_rms: float
    """Root mean square of the vertical speed of the first robot's centre of mass, m/s."""

    @property
    def residual(self) -> float:
        """Work that is in no other term: the integrator's error."""
        return self.drives - self.friction - self.normal - self.couplings - self.mechanical


def measure(simulation: Simulation, seconds: float) -> EnergyBalance:
    """Step for ``seconds`` and return the balance.

    A step applies constant forces, so that their work is force x mean of the speeds at its ends.
    """
    model, data = simulation.model, simulation.data
    timestep = float(model.opt.timestep)
    scratch = mujoco.MjData(model)
    friction = normal = couplings = drives = square = 0.0
    joints = model.actuator_trnid[:, 0]
    dofs, gears = model.jnt_dofadr[joints], model.actuator_gear[:, 0]
    viscosity, strongest = -model.actuator_biasprm[:, 2], model.actuator_forcerange[:, 1]

    def limited() -> npt.NDArray[np.bool_]:
        return np.asarray(np.abs(data.actuator_force) >= strongest)

    robot = int(model.dof_bodyid[0])
    begin = _energies(model, data, scratch)
    steps = round(seconds / timestep)
    for _ in range(steps):
        before = data.qvel.copy()
        simulation.step(timestep)
        square += _vertical_speed(model, data, robot) ** 2
        speeds = np.zeros(data.nefc)
        mujoco.mj_mulJacVec(model, data, speeds, (before + data.qvel) / 2)
        work = data.efc_force * speeds * timestep
        is_normal, is_friction = np.zeros(data.nefc, bool), np.zeros(data.nefc, bool)
        first = data.contact.efc_address[data.contact.efc_address >= 0]
        dims = data.contact.dim[data.contact.efc_address >= 0]
        is_normal[first] = True
        for row in (1, 2):
            is_friction[(first + row)[dims > row]] = True
        normal -= float(work[is_normal].sum())
        friction -= float(work[is_friction].sum())
        couplings -= float(work[~is_normal & ~is_friction].sum())
        # The integrator evaluates a servo's damping at the end of the step.
        after, earlier = data.qvel[dofs] * gears, before[dofs] * gears
        force = data.actuator_force - np.where(limited(), 0.0, viscosity * (after - earlier))
        drives += float(force @ (after + earlier)) / 2 * timestep
    end = _energies(model, data, scratch)
    return EnergyBalance(
        drives=drives,
        friction=friction,
        normal=normal,
        couplings=couplings,
        springs=end[1] - begin[1],
        mechanical=end[0] - begin[0],
        vertical_rms=float(np.sqrt(square / steps)),
    )


def _energies(
    model: mujoco.MjModel, data: mujoco.MjData, scratch: mujoco.MjData
) -> tuple[float, float]:
    """Return mechanical energy and that of the contact springs, J."""
    state = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_INTEGRATION))
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
    mujoco.mj_setState(model, scratch, state, mujoco.mjtState.mjSTATE_INTEGRATION)
    mujoco.mj_forward(model, scratch)
    mujoco.mj_energyPos(model, scratch)
    mujoco.mj_energyVel(model, scratch)
    rows = scratch.contact.efc_address
    depth, rows = scratch.contact.dist[rows >= 0], rows[rows >= 0]
    stiffness = scratch.efc_KBIP[rows, 0] * scratch.efc_KBIP[rows, 2] / scratch.efc_R[rows]
    return float(scratch.energy.sum()), float((stiffness * depth**2).sum()) / 2


def _vertical_speed(model: mujoco.MjModel, data: mujoco.MjData, body: int) -> float:
    """Return the vertical speed (m/s) of the centre of mass of a free ``body`` alone."""
    turn = data.xmat[body].reshape(3, 3)
    spin = turn @ data.qvel[3:6]
    return float(data.qvel[2] + np.cross(spin, data.xipos[body] - data.xpos[body])[2])
