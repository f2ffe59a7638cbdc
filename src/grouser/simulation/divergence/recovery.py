"""Divergence recovery: restart the robot that made physics diverge; keep all others.

The whole state is saved before every control interval. If physics diverges in the interval, the
state is restored, the robot or object that caused it is returned to its start, and the interval is
repeated. For all others the result is the same, bit for bit, as that of a `Restart` action.

Physics has diverged if a number is not finite, if MuJoCo raises a fatal error, or if the kinetic
energy of one robot or object exceeds ``energy_limit`` (J/kg). A robot or object that has fallen off
the world is restarted as well.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress

import mujoco
import numpy as np

from grouser.errors import SimulationDiverged
from grouser.frames import Array
from grouser.simulation.changes.actions import Restart
from grouser.simulation.changes.restart import restart
from grouser.simulation.divergence.watch import BAD_NUMBERS
from grouser.simulation.scene_state import STATE, SceneState
from grouser.simulation.simulation import Simulation

FALL_DEPTH = 10.0
"""Depth below the lowest ground from which on a body has fallen off the world, m."""
WORLD_RADIUS = 1e5
"""Distance from the origin from which on a body has left the world, m."""
OUTSIDE_CHECK_PERIOD = 0.1
"""Simulated time between two checks for bodies outside the world, s."""
REPEAT_WINDOW = 1.0
"""Simulated time within which a second divergence counts as a repetition, s."""

_LARGEST = mujoco.mjMAXVAL
"""Largest number that MuJoCo accepts."""

_LOG = logging.getLogger("grouser.physics")


class DivergenceCounter:
    """Counter of repeated divergence per robot or object: a start that diverges by itself."""

    def __init__(self) -> None:
        """Start with zero for all names."""
        self._last: dict[str, tuple[float, int]] = {}

    def count(self, name: str, time: float) -> int:
        """Register a restart of ``name`` at ``time`` (s); return the number just before it."""
        then, before = self._last.get(name, (-REPEAT_WINDOW, -1))
        again = before + 1 if 0 <= time - then <= REPEAT_WINDOW else 0
        self._last[name] = time, again
        return again


class DivergenceRecovery:
    """Steps a simulation and recovers from divergence; works across recompilations of the scene."""

    def __init__(self, simulation: Simulation) -> None:
        """Recover ``simulation`` from divergence in `step`."""
        self._simulation = simulation
        self.suspects: list[str] = []
        """Robots and objects by likelihood of having caused the last divergence, highest first."""
        self._restarted: list[str] = []
        self._rebind(simulation.state)

    def step(self, seconds: float) -> list[str]:
        """Advance by ``seconds``; return the robots and objects that were restarted.

        Raises:
            SimulationDiverged: physics diverges even with all bodies at their starts.
        """
        self._restarted = []
        self._simulation.step(seconds, physics=self.physics)
        if abs(self._simulation.time - self._checked) >= OUTSIDE_CHECK_PERIOD:
            self._restart_outside()
        return self._restarted

    def _rebind(self, state: SceneState) -> None:
        """Rebind to the running scene."""
        self._state, scene, model = state, state.scene, state.model
        self._ownership = state.ownership
        self._limit = scene.world.physics.energy_limit
        self._harmless = self._limit * float(min(self._ownership.masses, default=0.0))
        """Total energy (J) below which no single body can exceed the limit."""
        self._energy = state.data.energy  # potential and kinetic, J; a view
        self._bad_numbers = state.data.warning.number[BAD_NUMBERS]  # a view
        self._before = np.empty(mujoco.mj_stateSize(model, STATE))
        self._lowest = _lowest_ground(model, state.data) - FALL_DEPTH
        self._checked = self._simulation.time

    # -- every control interval --------------------------------------------------------------

    def physics(self, state: SceneState, steps: int) -> Array | None:
        """Advance physics by ``steps``; on divergence restart the cause and repeat.

        Returns the speeds after the restart.
        """
        if state is not self._state:
            self._rebind(state)
        model, data = state.model, state.data
        mujoco.mj_getState(model, data, self._before, STATE)
        return None if self._advance(model, data, steps) else self._recover(model, data, steps)

    def _advance(self, model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> bool:
        """Advance physics by ``steps``; return False if it has diverged."""
        try:
            mujoco.mj_step(model, data, steps)
        except mujoco.FatalError:  # NaN positions touch everything: contacts exceed the memory
            return False
        if any(self._bad_numbers.tolist()):  # MuJoCo has reset the state
            return False
        mujoco.mj_energyVel(model, data)
        # In this form NaN, which the last step may have left, fails the test.
        if self._energy[1] <= self._harmless:
            return True
        return bool((self._ownership.energies(data) <= self._limit).all())

    # -- after a divergence ------------------------------------------------------------------

    def _recover(self, model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> Array:
        """Restore the state, restart as few bodies as possible, and repeat ``steps``."""
        undo = Undo(self._state, self._before)
        self.suspects = self._rank_suspects(model, data, steps, undo)
        for names in _candidates(self.suspects):
            undo()
            for name in names:
                restart(self._state, name)
            if self._advance(model, data, steps):
                undo()
                for name in names:
                    self._restart(name, "diverged")
                speeds = np.array(data.qvel)
                mujoco.mj_step(model, data, steps)
                return speeds
        undo()
        raise SimulationDiverged(
            f"simulation diverged at {data.time:.3f} s, even with all bodies at their starts; try "
            "a smaller timestep or softer contacts"
        )

    def _rank_suspects(
        self, model: mujoco.MjModel, data: mujoco.MjData, steps: int, undo: Undo
    ) -> list[str]:
        """Return all bodies, the most likely cause first, at the first diverged step."""
        undo()
        suspicion = np.zeros(len(self._ownership.names))
        with suppress(mujoco.FatalError):
            for left in range(steps, -1, -1):
                suspicion = self._suspicion(model, data)
                if not left or not (suspicion <= self._limit).all():
                    break
                mujoco.mj_step(model, data)
        order = np.argsort(-suspicion, stable=True)
        return [self._ownership.names[number] for number in order]

    def _suspicion(self, model: mujoco.MjModel, data: mujoco.MjData) -> Array:
        """Return a score per body, (names,); above the energy limit: diverged.

        Highest are bodies with a position or speed that is not finite or too large for MuJoCo; then
        those with too large applied accelerations; then those with too large accelerations from
        contacts; then the others by kinetic energy, J/kg.
        """
        ownership = self._ownership
        broken = ownership.largest_of_dofs(data.qvel) > _LARGEST
        broken |= ownership.largest_of_positions(data.qpos) > _LARGEST
        if broken.any():
            return np.where(broken, np.inf, 0.0)
        warmstart = data.qacc_warmstart.copy()
        mujoco.mj_forward(model, data)
        data.qacc_warmstart[:] = warmstart
        pushed = ownership.largest_of_dofs(data.qacc_smooth) > _LARGEST
        thrown = ownership.largest_of_dofs(data.qacc) > _LARGEST
        return np.where(
            pushed, np.inf, np.where(thrown, np.finfo(float).max, ownership.energies(data))
        )

    def _restart(self, name: str, why: str) -> None:
        """Restart ``name`` permanently, not as a trial."""
        _LOG.info("%s %s and is restarted at %.3f s", name, why, self._simulation.time)
        self._simulation.apply(Restart(name), source="divergence recovery")
        if name not in self._restarted:
            self._restarted.append(name)

    def _restart_outside(self) -> None:
        """Restart all bodies that have fallen off the world or left it."""
        if self._simulation.state is not self._state:  # the last actions have changed the scene
            self._rebind(self._simulation.state)
        self._checked = self._simulation.time
        for name in self._ownership.outside(self._state.data, self._lowest, WORLD_RADIUS):
            self._restart(name, "left the world")


class Undo:
    """Saved values of all that an interval of physics and a `restart` change."""

    def __init__(self, state: SceneState, integration_state: Array) -> None:
        """Save the present values; ``integration_state`` is from before the interval."""
        self._state, self._integration_state = state, integration_state
        # Of the model, these fields are written at run time, by drives and belts.
        model = state.model
        settings = (
            model.actuator_biasprm,
            model.geom_surfacevel,
            model.geom_contype,
            model.geom_conaffinity,
        )
        self._arrays = [*state.memory.arrays(), *settings]
        self._saved = [array.copy() for array in self._arrays]

    def __call__(self) -> None:
        """Restore the saved values."""
        model, data = self._state.model, self._state.data
        # After a fatal error MuJoCo's internal memory is inconsistent; this resets it.
        mujoco.mj_resetData(model, data)
        mujoco.mj_setState(model, data, self._integration_state, STATE)
        for array, saved in zip(self._arrays, self._saved, strict=True):
            array[...] = saved


def _candidates(suspects: list[str]) -> Iterator[list[str]]:
    """Yield sets of bodies to restart: each alone, then the first two, the first three ...."""
    yield from ([name] for name in suspects)
    yield from (suspects[:count] for count in range(2, len(suspects) + 1))


def _lowest_ground(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Return the height of the lowest point of all static geoms, m; 0 if there is none."""
    fixed = model.body_weldid[model.geom_bodyid] == 0
    plane = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
    reach = np.where(plane, 0.0, model.geom_rbound)
    return float(min((data.geom_xpos[:, 2] - reach)[fixed], default=0.0))
