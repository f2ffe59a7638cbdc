"""The watch: notices when physics blows up, and saves the last second.

A state diverges when it is not finite, or when the moving masses hold more kinetic energy than
the world allows (``energy_limit``, J/kg): no robot on the ground gets there.
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

EVERY = 0.04
"""Simulated seconds between two looks."""
KEPT = 1.0
"""Simulated seconds of states that are kept."""

_STATE = mujoco.mjtState.mjSTATE_INTEGRATION


def log_warnings() -> None:
    """Send MuJoCo's warnings to the logger ``grouser.physics``.

    Left alone, MuJoCo writes a file MUJOCO_LOG.TXT into whatever folder the user is in.
    """
    mujoco.set_mju_user_warning(logging.getLogger("grouser.physics").info)


class DivergenceWatch:
    """Keeps the last second of states and raises when the newest is impossible."""

    def __init__(self, model: mujoco.MjModel, energy_limit: float, folder: Path | None) -> None:
        """Watch ``model``; write to ``folder``, if there is one, when it diverges."""
        self._model = model
        self._limit = energy_limit * float(model.body_mass.sum())
        self._folder = folder
        self._size = mujoco.mj_stateSize(model, int(_STATE))
        self._states: deque[Array] = deque(maxlen=round(KEPT / EVERY))
        self._times: deque[float] = deque(maxlen=round(KEPT / EVERY))

    def check(self, data: mujoco.MjData) -> None:
        """Keep the state; raise `SimulationDiverged` when it is impossible."""
        state = np.empty(self._size)
        mujoco.mj_getState(self._model, data, state, int(_STATE))
        self._states.append(state)
        self._times.append(data.time)
        mujoco.mj_energyVel(self._model, data)
        energy = float(data.energy[1])
        if not energy <= self._limit:  # said this way round, a NaN is caught as well
            raise self._diverged(
                data, f"kinetic energy is {energy:.3g} J, at most {self._limit:.3g} J is believable"
            )

    def _diverged(self, data: mujoco.MjData, why: str) -> SimulationDiverged:
        """Save the last second and return the error that says where."""
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
