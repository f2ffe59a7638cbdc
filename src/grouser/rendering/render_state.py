"""Render state: positions and velocities that a picture shows, and the appearance of a model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import mujoco
import numpy as np

from grouser.frames import Array

APPEARANCE_FIELDS = ("geom_group", "geom_rgba", "mat_rgba", "mat_emission", "light_active")
"""Fields of a model that determine its appearance and may change during a simulation."""
HIDDEN_GROUP = mujoco.mjNGROUP - 1
"""Geom group that is not drawn."""


def copy_appearance(source: mujoco.MjModel, target: mujoco.MjModel) -> None:
    """Copy the appearance of ``source`` to ``target``, a copy of the same model."""
    for field in APPEARANCE_FIELDS:
        getattr(target, field)[:] = getattr(source, field)


@dataclass(frozen=True)
class RenderState:
    """State that determines the poses and velocities of all bodies at one instant."""

    model: mujoco.MjModel
    qpos: Array
    qvel: Array
    mocap_pos: Array
    mocap_quat: Array

    @staticmethod
    def of(model: mujoco.MjModel, data: mujoco.MjData) -> RenderState:
        """Return a copy of the present state of ``data``."""
        return RenderState(
            model, data.qpos.copy(), data.qvel.copy(), data.mocap_pos.copy(), data.mocap_quat.copy()
        )

    def equals(self, other: RenderState | None) -> bool:
        """Return True if ``other`` has the same model and state."""
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


class RenderStateLoader:
    """MjData into which render states are loaded for rendering, shared by all cameras.

    A state that several cameras use in succession is loaded once.
    """

    def __init__(self) -> None:
        self._data: mujoco.MjData | None = None
        self._loaded: RenderState | None = None
        self._later = 0.0

    def load(self, state: RenderState, later: float = 0.0) -> mujoco.MjData:
        """Return the state of ``state`` with computed poses and velocities.

        Args:
            state: state to be loaded.
            later: time of extrapolation with constant velocities, s; may be negative.
        """
        if self._data is not None and later == self._later and state.equals(self._loaded):
            return self._data
        model = state.model
        if self._data is None or self._loaded is None or self._loaded.model is not model:
            self._data = mujoco.MjData(model)
        data = self._data
        data.qpos[:], data.qvel[:] = state.qpos, state.qvel
        data.mocap_pos[:], data.mocap_quat[:] = state.mocap_pos, state.mocap_quat
        if later:
            mujoco.mj_integratePos(model, data.qpos, state.qvel, later)
        _place(model, data)
        self._loaded, self._later = state, later
        return data


@cache
def shared_loader() -> RenderStateLoader:
    """Return the loader that all cameras of this process share."""
    return RenderStateLoader()


def _place(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Compute the poses for rendering and the velocities, without dynamics."""
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_camlight(model, data)
    if model.nflex:
        mujoco.mj_flex(model, data)
    if model.ntendon:
        mujoco.mj_tendon(model, data)
    mujoco.mj_comVel(model, data)
