"""Divergence detection; saves the last second of states.

A state has diverged when it is not finite, or when the kinetic energy of the moving masses exceeds
``energy_limit`` (J/kg), which no robot on the ground reaches.
"""

from __future__ import annotations

import logging
from collections import deque
from pathlib import Path

import mujoco
import numpy as np

from grouser import files
from grouser.errors import SimulationDiverged
from grouser.frames import Array

CHECK_PERIOD = 0.04
"""Simulated time between two checks, s."""
KEPT = 1.0
"""Simulated time over which states are kept, s."""

_STATE = mujoco.mjtState.mjSTATE_INTEGRATION


def log_warnings() -> None:
    """Send MuJoCo's warnings to the logger ``grouser.physics``.

    By default MuJoCo writes a file MUJOCO_LOG.TXT into the working directory.
    """
    mujoco.set_mju_user_warning(logging.getLogger("grouser.physics").info)


class DivergenceWatch:
    """Buffer of the last second of states; raises when the newest has diverged."""

    def __init__(self, model: mujoco.MjModel, energy_limit: float, folder: Path | None) -> None:
        """Check states of ``model``; write to ``folder``, if given, on divergence."""
        self._model = model
        self._limit = energy_limit * float(model.body_mass.sum())
        self._folder = folder
        self._size = mujoco.mj_stateSize(model, int(_STATE))
        self._states: deque[Array] = deque(maxlen=round(KEPT / CHECK_PERIOD))
        self._times: deque[float] = deque(maxlen=round(KEPT / CHECK_PERIOD))

    def check(self, data: mujoco.MjData) -> None:
        """Store the state; raise `SimulationDiverged` if it has diverged."""
        state = np.empty(self._size)
        mujoco.mj_getState(self._model, data, state, int(_STATE))
        self._states.append(state)
        self._times.append(data.time)
        mujoco.mj_energyVel(self._model, data)
        energy = float(data.energy[1])
        if not energy <= self._limit:  # in this form NaN raises as well
            raise self._diverged(
                data, f"kinetic energy is {energy:.3g} J, the limit is {self._limit:.3g} J"
            )

    def _diverged(self, data: mujoco.MjData, why: str) -> SimulationDiverged:
        """Save the last second; return the error with the path of the file."""
        what = f"simulation diverged at {data.time:.3f} s: {why}; try a smaller timestep or softer "
        if self._folder is None:
            return SimulationDiverged(f"{what}contacts")
        path = self._folder / f"grouser-diverged-{data.time:.3f}s.npz"
        with files.replacing(path) as draft, draft.open("wb") as stream:
            np.savez_compressed(
                stream,
                times=np.array(self._times),
                states=np.array(self._states),
                spec=np.array(int(_STATE)),
            )
        return SimulationDiverged(
            f"{what}contacts; the last second of states is in {path}", states=path
        )
