"""State arrays: MuJoCo's state and settings with a leading axis, one row per simulation.

Drives and tracks are written once on `StateArrays` and serve a single simulation (one row, views of
its MjData) and a batch of thousands (views of ``mujoco.batch.Batch``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import mujoco
import mujoco.batch
import numpy as np
import numpy.typing as npt

from grouser.frames import Array

Which = int | Sequence[int] | npt.NDArray[np.integer] | slice
"""Index of simulations in a batch; a single number is several times as fast as a list."""

Indices = npt.NDArray[np.int32]
"""MuJoCo's integers: contact classes."""

ColumnIndex = slice | npt.NDArray[np.int64]
"""Index of columns of an array; a slice where they are evenly spaced."""


def column_index(columns: npt.NDArray[np.int64]) -> ColumnIndex:
    """Return an index for ``columns``: a slice, which is faster, if they are evenly spaced."""
    steps = np.diff(columns)
    if len(steps) and steps[0] > 0 and (steps == steps[0]).all():
        return slice(int(columns[0]), int(columns[-1]) + 1, int(steps[0]))
    return columns


@dataclass(frozen=True)
class StateArrays:
    """Live views, shape (simulations, …): writing to one changes the simulations' next step."""

    qpos: Array
    qvel: Array
    act: Array
    ctrl: Array
    qfrc_applied: Array
    sensordata: Array
    """Read only; one substep behind the state, as in MuJoCo."""
    actuator_force: Array
    """Read only; as ``sensordata``."""
    qacc: Array
    """Read only; as ``sensordata``."""
    actuator_biasprm: Array
    geom_surfacevel: Array
    geom_contype: Indices
    geom_conaffinity: Indices
    dof_frictionloss: Array
    actuator_forcerange: Array
    geom_friction: Array
    dof_invweight0: Array
    """Read only."""

    @staticmethod
    def one(model: mujoco.MjModel, data: mujoco.MjData) -> StateArrays:
        """Return the one row of a simulation that has its own model and data."""
        return StateArrays(
            qpos=data.qpos[None],
            qvel=data.qvel[None],
            act=data.act[None],
            ctrl=data.ctrl[None],
            qfrc_applied=data.qfrc_applied[None],
            sensordata=data.sensordata[None],
            actuator_force=data.actuator_force[None],
            qacc=data.qacc[None],
            actuator_biasprm=model.actuator_biasprm[None],
            geom_surfacevel=model.geom_surfacevel[None],
            geom_contype=model.geom_contype[None],
            geom_conaffinity=model.geom_conaffinity[None],
            dof_frictionloss=model.dof_frictionloss[None],
            actuator_forcerange=model.actuator_forcerange[None],
            geom_friction=model.geom_friction[None],
            dof_invweight0=model.dof_invweight0[None],
        )

    def take(self, which: npt.NDArray[np.integer]) -> StateArrays:
        """Return a copy of the rows ``which``; see `load` and `store`."""
        return StateArrays(**{name: getattr(self, name)[which] for name in _FIELDS})

    def load(self, whole: StateArrays, which: npt.NDArray[np.integer]) -> None:
        """Overwrite this copy by the rows ``which`` of ``whole``."""
        for name in _FIELDS:
            getattr(self, name)[...] = getattr(whole, name)[which]

    def store(self, whole: StateArrays, which: npt.NDArray[np.integer]) -> None:
        """Write this copy to the rows ``which`` of ``whole``."""
        for name in _INPUTS:
            getattr(whole, name)[which] = getattr(self, name)

    @staticmethod
    def many(
        batch: mujoco.batch.Batch,
        *,
        surfaces: bool = True,
        switches: bool = True,
        losses: bool = True,
        slip: bool = True,
    ) -> StateArrays:
        """Return the rows of a batch; drives' settings become per simulation.

        Args:
            batch: the simulations.
            surfaces: allocate surface velocities per simulation. Such fields are copied at every
                step, and ground may have thousands of geoms: False leaves the array empty.
            switches: the same for contact classes of geoms.
            losses: the same for friction, force limits and inertia of drives.
            slip: the same for the friction of geoms.
        """
        none, no_numbers = np.zeros((batch.nsim, 0), np.int32), np.zeros((batch.nsim, 0))
        still = np.zeros((batch.nsim, 0, 6))
        return StateArrays(
            qpos=batch.bind("qpos"),
            qvel=batch.bind("qvel"),
            act=batch.bind("act"),
            ctrl=batch.bind("ctrl"),
            qfrc_applied=batch.bind("qfrc_applied"),
            sensordata=batch.bind("sensordata"),
            actuator_force=batch.bind("actuator_force"),
            qacc=batch.bind("qacc"),
            actuator_biasprm=batch.expand("actuator_biasprm"),
            geom_surfacevel=batch.expand("geom_surfacevel") if surfaces else still,
            geom_contype=batch.expand("geom_contype") if switches else none,
            geom_conaffinity=batch.expand("geom_conaffinity") if switches else none,
            dof_frictionloss=batch.expand("dof_frictionloss") if losses else no_numbers,
            actuator_forcerange=batch.expand("actuator_forcerange") if losses else no_numbers,
            geom_friction=batch.expand("geom_friction") if slip else no_numbers,
            dof_invweight0=batch.expand("dof_invweight0") if losses else no_numbers,
        )


_OUTPUTS = {"sensordata", "actuator_force", "qacc", "dof_invweight0"}
_FIELDS = tuple(entry.name for entry in fields(StateArrays))
_INPUTS = tuple(name for name in _FIELDS if name not in _OUTPUTS)
