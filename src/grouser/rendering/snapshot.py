"""A world's state at one instant, kept so that it can be drawn when somebody asks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import mujoco
import numpy as np

from grouser.frames import Array


@dataclass(frozen=True)
class Snapshot:
    """Everything that decides where things are and how fast they move."""

    model: mujoco.MjModel
    qpos: Array
    qvel: Array
    mocap_pos: Array
    mocap_quat: Array

    @staticmethod
    def of(model: mujoco.MjModel, data: mujoco.MjData) -> Snapshot:
        """Return a copy of the state that ``data`` is in now."""
        return Snapshot(
            model,
            data.qpos.copy(),
            data.qvel.copy(),
            data.mocap_pos.copy(),
            data.mocap_quat.copy(),
        )

    def equals(self, other: Snapshot | None) -> bool:
        """Return whether ``other`` shows the same model in the same state."""
        if other is self:
            return True
        return (
            other is not None
            and other.model is self.model
            and np.array_equal(other.qpos, self.qpos)
            and np.array_equal(other.qvel, self.qvel)
            and np.array_equal(other.mocap_pos, self.mocap_pos)
            and np.array_equal(other.mocap_quat, self.mocap_quat)
        )


class SnapshotLoader:
    """One MjData into which snapshots are loaded to be drawn; all cameras share it.

    For several cameras that draw the same instant it is loaded once.
    """

    def __init__(self) -> None:
        self._data: mujoco.MjData | None = None
        self._loaded: Snapshot | None = None
        self._later = 0.0

    def load(self, snapshot: Snapshot, later: float = 0.0) -> mujoco.MjData:
        """Return the world of ``snapshot``, everything placed and its speeds known.

        Args:
            snapshot: the state.
            later: go on so long with the speeds as they were, s; may be negative.
        """
        if self._data is not None and later == self._later and snapshot.equals(self._loaded):
            return self._data
        model = snapshot.model
        if self._data is None or self._loaded is None or self._loaded.model is not model:
            self._data = mujoco.MjData(model)
        data = self._data
        data.qpos[:], data.qvel[:] = snapshot.qpos, snapshot.qvel
        data.mocap_pos[:], data.mocap_quat[:] = snapshot.mocap_pos, snapshot.mocap_quat
        if later:
            mujoco.mj_integratePos(model, data.qpos, snapshot.qvel, later)
        _place(model, data)
        self._loaded, self._later = snapshot, later
        return data


@cache
def shared_loader() -> SnapshotLoader:
    """Return the one loader that all cameras of this process share."""
    return SnapshotLoader()


def _place(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Compute what drawing and speeds need, and none of the dynamics."""
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_camlight(model, data)
    if model.nflex:
        mujoco.mj_flex(model, data)
    if model.ntendon:
        mujoco.mj_tendon(model, data)
    mujoco.mj_comVel(model, data)
