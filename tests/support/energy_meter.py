"""Energy balance of a running simulation, step by step."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.simulation.simulation import Simulation


@dataclass(frozen=True)
class EnergyBalance:
    """Energies of an interval, J."""

    drives: float
    """Work of all drives."""
    sliding: float
    """Energy lost to friction at contacts under their elastic load: what Coulomb's law explains."""
    contacts: float
    """Any other energy lost at contacts, less the increase of that of their springs."""
    joints: float
    """Energy lost to dry friction of joints."""
    couplings: float
    """Energy lost in the couplings of a belt's links."""
    springs: float
    """Increase of the energy of contact springs."""
    mechanical: float
    """Increase of kinetic and potential energy, without the roll-backs of links."""
    vertical_rms: float
    """Root mean square of the vertical speed of the first robot's centre of mass, m/s."""

    @property
    def work(self) -> float:
        """Work of the drives that is not stored at the end."""
        return self.drives - self.mechanical - self.springs

    @property
    def losses(self) -> float:
        """Energy that friction of joints and Coulomb's friction at contacts explain."""
        return self.sliding + self.joints

    @property
    def residual(self) -> float:
        """Work that is in no other term: the integrator's error."""
        return self.work - self.losses - self.contacts - self.couplings


def measure(simulation: Simulation, seconds: float) -> EnergyBalance:
    """Step for ``seconds`` and return the balance.

    A step applies constant forces, so that their work is force x mean of the speeds at its ends.
    """
    model, data = simulation.model, simulation.data
    timestep = float(model.opt.timestep)
    scratch = mujoco.MjData(model)
    sliding = contacts = joints = couplings = drives = returned = square = 0.0
    driven = model.actuator_trnid[:, 0]
    dofs, gears = model.jnt_dofadr[driven], model.actuator_gear[:, 0]
    viscosity, strongest = -model.actuator_biasprm[:, 2], model.actuator_forcerange[:, 1]

    def limited() -> npt.NDArray[np.bool_]:
        return np.asarray(np.abs(data.actuator_force) >= strongest)

    slides = _Slides(model)
    robot = int(model.dof_bodyid[0])
    begin = _energies(model, data, scratch)
    steps = round(seconds / timestep)
    for _ in range(steps):
        before, places = data.qvel.copy(), data.qpos[slides.addresses]
        simulation.step(timestep)
        square += _vertical_speed(model, data, robot) ** 2
        returned += slides.energy_of_jumps(data, places, timestep)
        speeds = np.zeros(data.nefc)
        mujoco.mj_mulJacVec(model, data, speeds, (before + data.qvel) / 2)
        lost = -data.efc_force * speeds * timestep
        here = data.contact.efc_address >= 0
        first, dims = data.contact.efc_address[here], data.contact.dim[here]
        elastic = _stiffness(data, first) * -data.contact.dist[here]
        pressed = data.efc_force[first] > 0
        share = np.zeros(len(first))
        share[pressed] = np.clip(elastic[pressed] / data.efc_force[first][pressed], 0.0, 1.0)
        slid = sum(float(lost[(first + row)[dims > row]] @ share[dims > row]) for row in (1, 2))
        kinds = data.efc_type
        of_contacts = float(
            lost[kinds >= int(mujoco.mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS)].sum()
        )
        of_joints = float(lost[kinds == int(mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF)].sum())
        sliding, contacts, joints = (
            sliding + slid,
            contacts + of_contacts - slid,
            joints + of_joints,
        )
        couplings += float(lost.sum()) - of_contacts - of_joints
        # The integrator evaluates a servo's damping at the end of the step.
        after, earlier = data.qvel[dofs] * gears, before[dofs] * gears
        force = data.actuator_force - np.where(limited(), 0.0, viscosity * (after - earlier))
        drives += float(force @ (after + earlier)) / 2 * timestep
    end = _energies(model, data, scratch)
    return EnergyBalance(
        drives=drives,
        sliding=sliding,
        contacts=contacts - (end[1] - begin[1]),
        joints=joints,
        couplings=couplings,
        springs=end[1] - begin[1],
        mechanical=end[0] - begin[0] - returned,
        vertical_rms=float(np.sqrt(square / steps)),
    )


def vertical_rms(simulation: Simulation, seconds: float) -> float:
    """Step for ``seconds``; return the rms vertical speed (m/s) of the first robot's body."""
    model, data = simulation.model, simulation.data
    timestep, robot = float(model.opt.timestep), int(model.dof_bodyid[0])
    steps = round(seconds / timestep)
    square = 0.0
    for _ in range(steps):
        simulation.step(timestep)
        square += _vertical_speed(model, data, robot) ** 2
    return math.sqrt(square / steps) if steps else 0.0


class _Slides:
    """Links on slide joints, which a roll-back lifts or lowers."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._joints = np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_SLIDE)
        self.addresses = model.jnt_qposadr[self._joints]
        """Indices in ``qpos``."""
        self._dofs = model.jnt_dofadr[self._joints]
        masses = model.body_subtreemass[model.jnt_bodyid[self._joints]]
        self._weights = masses * -float(model.opt.gravity[2])

    def energy_of_jumps(self, data: mujoco.MjData, places: Array, timestep: float) -> float:
        """Return the potential energy (J) of what moved further from ``places`` than its speed."""
        jumps = data.qpos[self.addresses] - places - timestep * data.qvel[self._dofs]
        return float(self._weights * data.xaxis[self._joints, 2] @ jumps)


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
    here = scratch.contact.efc_address >= 0
    stiffness = _stiffness(scratch, scratch.contact.efc_address[here])
    depth = scratch.contact.dist[here]
    return float(scratch.energy.sum()), float((stiffness * depth**2).sum()) / 2


def _stiffness(data: mujoco.MjData, rows: npt.NDArray[np.int32]) -> Array:
    """Return the stiffness (N/m) of the contacts whose first constraints are ``rows``."""
    return np.asarray(data.efc_KBIP[rows, 0] * data.efc_KBIP[rows, 2] / data.efc_R[rows])


def _vertical_speed(model: mujoco.MjModel, data: mujoco.MjData, body: int) -> float:
    """Return the vertical speed (m/s) of the centre of mass of a free ``body`` alone."""
    turn = data.xmat[body].reshape(3, 3)
    spin = turn @ data.qvel[3:6]
    return float(data.qvel[2] + np.cross(spin, data.xipos[body] - data.xpos[body])[2])
