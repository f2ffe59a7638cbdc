"""What drives put into the world: their power now, their work and effort over time."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from grouser.frames import Array
from grouser.physics.led_drives import columns_index
from grouser.physics.state import StateArrays

FEW = 8
"""Drives up to which plain numbers take less time than arrays."""
SAMPLES = 16
"""Instants that are added up together: more save little."""


class DriveWork:
    """The power of all drives of a compiled scene, for one simulation or many."""

    def __init__(
        self, model: mujoco.MjModel, actuators: Sequence[int], strongest: Sequence[float]
    ) -> None:
        """Look up the drives' ``actuators`` in ``model``; ``strongest``: their force limits."""
        ids = np.array(actuators, int)
        self._dofs = model.jnt_dofadr[model.actuator_trnid[ids, 0]]
        self._gears = model.actuator_gear[ids, 0]
        self._outputs = columns_index(model.actuator_outadr[ids])
        self._gains = columns_index(ids)
        self._strongest = np.array(strongest)
        self._timestep = float(model.opt.timestep)
        self._discrete = model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE
        looks = self._dofs, self._gears, model.actuator_outadr[ids]
        self._looks = tuple(zip(*(column.tolist() for column in looks), strict=True))

    def power(self, rows: StateArrays) -> Array:
        """Return what each drive put into the world in the last step, W, shape (n, drives)."""
        return self.power_at(rows, rows.qvel, rows.qacc, rows.actuator_force)

    def add(self, rows: StateArrays, seconds: float, work: Array, effort: Array) -> None:
        """Add what each drive did in the last ``seconds``, by its power in the last step.

        Args:
            rows: the simulations.
            seconds: how long.
            work: signed, J, (n, drives); added to in place.
            effort: taken as positive both ways, J, (n, drives); added to in place.
        """
        if len(self._looks) <= FEW and len(rows.qpos) == 1 and not self._discrete:
            speed, force = rows.qvel.item, rows.actuator_force.item
            for place, (dof, gear, output) in enumerate(self._looks):
                joules = force(output) * (speed(dof) * gear) * seconds
                work[0, place] += joules
                effort[0, place] += abs(joules)
            return
        joules = self.power(rows)
        joules *= seconds
        np.add(work, joules, out=work)
        np.add(effort, np.abs(joules, out=joules), out=effort)

    def samples(self, rows: StateArrays, every: float) -> WorkSamples:
        """Return what adds up the same, to the bit, from samples ``every`` so many seconds."""
        return WorkSamples(self, rows, every)

    def power_at(self, rows: StateArrays, qvel: Array, qacc: Array, force: Array) -> Array:
        """Return the power at one or more instants, W, from MuJoCo's arrays of them, (…, n, ·)."""
        speeds = qvel.take(self._dofs, -1) * self._gears
        force = force[..., self._outputs]
        if self._discrete:
            force = force + self._yielded(rows, force, speeds, qacc)
        return np.asarray(force * speeds)

    def _yielded(self, rows: StateArrays, force: Array, speeds: Array, qacc: Array) -> Array:
        """Return by how much servos' forces changed within the last step, as ``force``.

        MuJoCo keeps the force at the step's beginning, but its ``discrete`` integrator applies the
        one at the end, when the joint has moved. At the light legs of a roach the work would else
        come out 40 to 110 % too large (1 ms).
        """
        gains = rows.actuator_biasprm[:, self._gains]
        stiffness, viscosity = gains[..., 1], gains[..., 2]
        accelerations = qacc.take(self._dofs, -1) * self._gears
        change = self._timestep * (stiffness * speeds + viscosity * accelerations)
        return np.where(np.abs(force) < self._strongest, change, 0.0)


class WorkSamples:
    """Instants whose work is added up together, while nobody commands a drive.

    It is NumPy's calls that cost, not the numbers.
    """

    def __init__(self, work: DriveWork, rows: StateArrays, every: float) -> None:
        """Take samples of ``rows`` that stand for ``every`` so many seconds each."""
        self._of, self._rows, self._every = work, rows, every
        self._watched = rows.qvel, rows.qacc, rows.actuator_force
        self._kept = [np.empty((SAMPLES, *array.shape)) for array in self._watched]
        self._taken = 0

    @property
    def full(self) -> bool:
        """Whether there is no room for another one."""
        return self._taken == SAMPLES

    def take(self) -> None:
        """Keep what the drives do now."""
        for kept, array in zip(self._kept, self._watched, strict=True):
            kept[self._taken] = array
        self._taken += 1

    def add(self, work: Array, effort: Array) -> None:
        """Add what was sampled to ``work`` and ``effort``, as `DriveWork.add` does; start anew."""
        if not self._taken:
            return
        kept = (array[: self._taken] for array in self._kept)
        joules = self._of.power_at(self._rows, *kept) * self._every
        self._taken = 0
        for total, each in ((work, joules), (effort, np.abs(joules))):
            # One after another, as single samples are: any other order is another last digit.
            total[...] = np.add.accumulate(np.concatenate([total[None], each]))[-1]
