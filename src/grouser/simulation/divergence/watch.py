"""Divergence detection; saves the last second of states.

A simulation has diverged when a number is not finite or too large for MuJoCo, or when the kinetic
energy of the moving masses exceeds ``energy_limit`` (J/kg), which no robot on the ground reaches.
MuJoCo replaces a state with such a number by the model's initial one and counts a warning, so the
warnings show it, and not the state.
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

BAD_NUMBERS = slice(mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQACC + 1)
"""Indices of MuJoCo's warnings about positions, velocities and accelerations."""

_STATE = mujoco.mjtState.mjSTATE_INTEGRATION


def has_bad_numbers(data: mujoco.MjData) -> bool:
    """Return True if MuJoCo has found a bad number since ``data`` was reset or restored."""
    return any(data.warning.number[BAD_NUMBERS].tolist())


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

    def check_numbers(self, data: mujoco.MjData, time: float) -> None:
        """Raise `SimulationDiverged` if MuJoCo has found a bad number; ``time`` (s) is the present.

        Called after every call of physics: nothing may read the state that MuJoCo has reset.
        """
        if has_bad_numbers(data):
            raise self._divergence_error(time, "a number is not finite or too large")

    def check(self, data: mujoco.MjData) -> None:
        """Store the state; raise `SimulationDiverged` if it has diverged."""
        state = np.empty(self._size)
        mujoco.mj_getState(self._model, data, state, int(_STATE))
        self._states.append(state)
        self._times.append(data.time)
        mujoco.mj_energyVel(self._model, data)
        energy = float(data.energy[1])
        if not energy <= self._limit:  # in this form NaN raises as well
            raise self._divergence_error(
                data.time, f"kinetic energy is {energy:.3g} J, the limit is {self._limit:.3g} J"
            )

    def _divergence_error(self, time: float, why: str) -> SimulationDiverged:
        """Save the last second; return the error with the path of the file."""
        what = f"simulation diverged at {time:.3f} s: {why}; try a smaller timestep or softer "
        if self._folder is None:
            return SimulationDiverged(f"{what}contacts")
        path = self._folder / f"grouser-diverged-{time:.3f}s.npz"
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
