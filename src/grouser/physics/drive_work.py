"""Mechanical work of drives: their power over time, or the exact work of single steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mujoco
import numpy as np

from grouser.frames import Array
from grouser.physics.state import StateArrays, column_index

FEW = 8
"""Number of drives up to which Python scalars are faster than NumPy arrays."""

WORK_SAMPLES = 16
"""Steps of `WorkSamples` per NumPy call; more save little."""


class DriveWork:
    """Power, work and effort of all drives of a compiled scene, for one simulation or many."""

    def __init__(
        self, model: mujoco.MjModel, actuators: Sequence[int], strongest: Sequence[float]
    ) -> None:
        """Look up the drives' ``actuators`` in ``model``; ``strongest``: their force limits."""
        ids = np.array(actuators, int)
        self._dofs = model.jnt_dofadr[model.actuator_trnid[ids, 0]]
        self._gears = model.actuator_gear[ids, 0]
        self._outputs = column_index(model.actuator_outadr[ids])
        self._gains = column_index(ids)
        self._strongest = np.array(strongest)
        self._timestep = float(model.opt.timestep)
        self._discrete = bool(model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE)
        columns = (self._dofs, self._gears, model.actuator_outadr[ids])
        self._scalar_addresses = tuple(zip(*map(np.ndarray.tolist, columns), strict=True))

    def power(self, rows: StateArrays) -> Array:
        """Return each drive's mechanical power in the last step, W, shape (n, drives)."""
        return self._power_at(rows, rows.qvel, rows.qacc, rows.actuator_force)

    def add(self, rows: StateArrays, seconds: float, work: Array, effort: Array) -> None:
        """Add each drive's work in the last ``seconds``, from its power in the last step.

        Args:
            rows: the simulations.
            seconds: length of the interval.
            work: signed, J, (n, drives); added to in place.
            effort: absolute value, J, (n, drives); added to in place.
        """
        if len(self._scalar_addresses) <= FEW and len(rows.qpos) == 1 and not self._discrete:
            speed, force = rows.qvel.item, rows.actuator_force.item
            for place, (dof, gear, output) in enumerate(self._scalar_addresses):
                joules = force(output) * (speed(dof) * gear) * seconds
                work[0, place] += joules
                effort[0, place] += abs(joules)
            return
        joules = self.power(rows)
        joules *= seconds
        np.add(work, joules, out=work)
        np.add(effort, np.abs(joules, out=joules), out=effort)

    def samples(self, rows: StateArrays) -> WorkSamples:
        """Return an accumulator of the exact work of single steps."""
        return WorkSamples(self, rows)

    def in_steps(
        self, rows: StateArrays, speeds: Array, force: Array, accelerations: Array | None
    ) -> Array:
        """Return the work in consecutive steps, J, (steps, n, drives).

        A step applies a constant force: its work is force x mean of the speeds at both ends. The
        integrator ``implicitfast`` evaluates a servo's damping at the end of the step.

        Args:
            rows: the simulations.
            speeds: ``qvel`` before the first step and after each, (steps + 1, n, ·).
            force: ``actuator_force`` of each step, (steps, n, ·).
            accelerations: ``qacc`` of each step, (steps, n, ·); None unless `needs_accelerations`.
        """
        if accelerations is not None:
            power = self._power_at(rows, speeds[1:], accelerations, force)
            return np.asarray(power * self._timestep)
        moved = speeds.take(self._dofs, -1) * self._gears
        first, last = moved[:-1], moved[1:]
        force = force[..., self._outputs]
        damping = rows.actuator_biasprm[:, self._gains][..., 2]
        force = force + np.where(np.abs(force) < self._strongest, damping * (last - first), 0.0)
        return np.asarray(force * (first + last) * (self._timestep / 2))

    @property
    def needs_accelerations(self) -> bool:
        """True if forces change within a step (integrator ``discrete``)."""
        return self._discrete

    def _power_at(self, rows: StateArrays, qvel: Array, qacc: Array, force: Array) -> Array:
        """Return the power at one or more instants, W, from MuJoCo's arrays of them, (…, n, ·)."""
        speeds = qvel.take(self._dofs, -1) * self._gears
        force = force[..., self._outputs]
        if self._discrete:
            force = force + self._force_change(rows, force, speeds, qacc)
        return np.asarray(force * speeds)

    def _force_change(self, rows: StateArrays, force: Array, speeds: Array, qacc: Array) -> Array:
        """Return the change of the servos' forces within the last step, shape of ``force``.

        MuJoCo stores the force at the step's beginning, but its ``discrete`` integrator applies the
        one at the end, when the joint has moved. Without this term the work of the light legs of a
        roach is 40 to 110 % too large (1 ms).
        """
        gains = rows.actuator_biasprm[:, self._gains]
        stiffness, viscosity = gains[..., 1], gains[..., 2]
        accelerations = qacc.take(self._dofs, -1) * self._gears
        change = self._timestep * (stiffness * speeds + viscosity * accelerations)
        return np.where(np.abs(force) < self._strongest, change, 0.0)


Advance = Callable[[int], Array | None]
"""Function that advances physics by a number of steps; it returns ``qvel`` (n, ·) after a restart
if it did not begin with the state before the call."""


class WorkSamples:
    """Batched accumulator of the work of single steps, while no drive is commanded.

    Legs reverse and swing within a control interval: the power at its end is no measure of their
    work (QRIO's walk then had a negative one).
    """

    def __init__(self, work: DriveWork, rows: StateArrays) -> None:
        """Observe ``rows``."""
        self._of, self._rows = work, rows
        self._speeds = np.empty((WORK_SAMPLES + 1, *rows.qvel.shape))
        self._forces = np.empty((WORK_SAMPLES, *rows.actuator_force.shape))
        self._accelerations = (
            np.empty((WORK_SAMPLES, *rows.qacc.shape)) if work.needs_accelerations else None
        )
        self._taken = 0

    def step(self, physics: Advance, steps: int, work: Array, effort: Array) -> None:
        """Advance ``physics`` by ``steps``; add to ``work`` and ``effort`` if the buffer fills."""
        rows, speeds, forces = self._rows, self._speeds, self._forces
        for _ in range(steps):
            if not self._taken:
                speeds[0] = rows.qvel
            restarted = physics(1)
            if restarted is not None:
                self.add(work, effort)
                speeds[0] = restarted
            forces[self._taken] = rows.actuator_force
            if self._accelerations is not None:
                self._accelerations[self._taken] = rows.qacc
            self._taken += 1
            speeds[self._taken] = rows.qvel
            if self._taken == WORK_SAMPLES:
                self.add(work, effort)

    def add(self, work: Array, effort: Array) -> None:
        """Add signed work and its magnitude of the steps since the last call, J, (n, drives)."""
        if not self._taken:
            return
        taken, self._taken = self._taken, 0
        accelerations = self._accelerations
        joules = self._of.in_steps(
            self._rows,
            self._speeds[: taken + 1],
            self._forces[:taken],
            None if accelerations is None else accelerations[:taken],
        )
        for total, each in ((work, joules), (effort, np.abs(joules))):
            # One after another, however many there are: another order changes the last bit.
            total[...] = np.add.accumulate(np.concatenate([total[None], each]))[-1]
