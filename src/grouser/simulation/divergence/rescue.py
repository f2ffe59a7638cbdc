"""The rescue: one robot whose physics diverges starts over, and the others never notice.

Before every stride of physics the whole state is kept. If the stride ends in something impossible,
the world goes back to before it, whoever caused it is put back to its start, and the stride is run
again. To everybody else, to the bit, somebody was put back there and nothing else happened.

Impossible is what is no number, what MuJoCo itself gives up on, and one robot or object with more
kinetic energy than the world allows (``energy_limit``, J/kg). Whoever has fallen off the world is
put back as well.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from typing import Protocol

import mujoco
import numpy as np

from grouser.errors import SimulationDiverged
from grouser.frames import Array
from grouser.simulation.changes.actions import Restart
from grouser.simulation.changes.restart import restart
from grouser.simulation.changes.running_world import RunningWorld
from grouser.simulation.live_scene import STATE, LiveScene, Physics

FALLEN = 10.0
"""How far below the lowest ground somebody has fallen off the world, m."""
FAR = 1e5
"""How far from the origin somebody has left the world, m."""
LOST_EVERY = 0.1
"""Simulated seconds between two looks for those who fell off or left."""

_LARGEST = mujoco.mjMAXVAL
"""Beyond this MuJoCo does not go on."""

_LOG = logging.getLogger("grouser.physics")


class Steppable(RunningWorld, Protocol):
    """A running world that lets time pass with the physics it is given: a `Simulation`."""

    def step(self, seconds: float | None = None, *, physics: Physics) -> None:
        """Let one step pass, or as many as fit into ``seconds``."""
        ...


class Rescue:
    """Guards the physics of a simulation, through everybody's joining and leaving."""

    def __init__(self, simulation: Steppable) -> None:
        """Guard what passes of ``simulation`` in `step`."""
        self._simulation = simulation
        self.suspects: list[str] = []
        """Robots and objects by how likely each caused the last fault, the likeliest first."""
        self._rescued: list[str] = []
        self._rebind(simulation.live)

    def step(self, seconds: float) -> list[str]:
        """Let ``seconds`` pass; return who had to be put back to its start, robots and objects.

        Raises:
            SimulationDiverged: not even a world with everybody at the start can go on.
        """
        self._rescued = []
        self._simulation.step(seconds, physics=self.physics)
        if abs(self._simulation.time - self._looked) >= LOST_EVERY:
            self._restart_lost()
        return self._rescued

    def _rebind(self, live: LiveScene) -> None:
        """Rebind to the scene that runs now."""
        self._live, scene, model = live, live.scene, live.model
        self._movers = live.movers
        self._limit = scene.world.physics.energy_limit
        self._harmless = self._limit * float(min(self._movers.masses, default=0.0))
        """With less energy than this (J) altogether, nobody can have too much."""
        self._energy = live.data.energy  # potential and kinetic, J; a live view
        self._before = np.empty(mujoco.mj_stateSize(model, STATE))
        self._abyss = _lowest_ground(model, live.data) - FALLEN
        self._looked = self._simulation.time

    # -- every stride ------------------------------------------------------------------------

    def physics(self, live: LiveScene, steps: int) -> None:
        """Let ``steps`` of physics pass, whoever has to be put back for it."""
        if live is not self._live:
            self._rebind(live)
        model, data = live.model, live.data
        mujoco.mj_getState(model, data, self._before, STATE)
        if not self._passes(model, data, steps):
            self._rescue(model, data, steps)

    def _passes(self, model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> bool:
        """Let ``steps`` pass; return whether physics can go on from there."""
        try:
            mujoco.mj_step(model, data, steps)
        except mujoco.FatalError:  # no number touches everything: more contacts than memory
            return False
        mujoco.mj_energyVel(model, data)
        # Asked this way round, a NaN is looked into as well; there is one wherever MuJoCo would
        # have started the world over, had `Physics.apply` not told it not to.
        if self._energy[1] <= self._harmless:
            return True
        return bool((self._movers.energies(data) <= self._limit).all())

    # -- when it went wrong ------------------------------------------------------------------

    def _rescue(self, model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> None:
        """Go back, put as few as possible to their starts, and let ``steps`` pass again."""
        undo = Undo(self._live, self._before)
        self.suspects = self._suspects(model, data, steps, undo)
        for these in _choices(self.suspects):
            self._put_back(these, undo)
            if self._passes(model, data, steps):
                undo()
                for name in these:
                    self._restart(name, "diverged")
                mujoco.mj_step(model, data, steps)
                return
        undo()
        raise SimulationDiverged(
            f"simulation diverged at {data.time:.3f} s, whoever is put back to its start; try a "
            "smaller timestep or softer contacts"
        )

    def _suspects(
        self, model: mujoco.MjModel, data: mujoco.MjData, steps: int, undo: Undo
    ) -> list[str]:
        """Return everybody, the most likely cause first, as seen when it first goes wrong."""
        undo()
        suspicion = np.zeros(len(self._movers.names))
        with suppress(mujoco.FatalError):
            for left in range(steps, -1, -1):
                suspicion = self._suspicion(model, data)
                if not left or not (suspicion <= self._limit).all():
                    break
                mujoco.mj_step(model, data)
        order = np.argsort(-suspicion, stable=True)
        return [self._movers.names[number] for number in order]

    def _suspicion(self, model: mujoco.MjModel, data: mujoco.MjData) -> Array:
        """Return how suspicious everybody is now, (names,); above the limit: cannot be.

        Most of all who has a position or speed that is no number, or too large for MuJoCo; then who
        is pushed beyond measure; then who is so by what it touches; then by kinetic energy, J/kg.
        """
        movers = self._movers
        broken = movers.fastest(data.qvel) > _LARGEST
        broken |= movers.farthest(data.qpos) > _LARGEST
        if broken.any():
            return np.where(broken, np.inf, 0.0)
        warmstart = data.qacc_warmstart.copy()
        mujoco.mj_forward(model, data)
        data.qacc_warmstart[:] = warmstart
        pushed = movers.fastest(data.qacc_smooth) > _LARGEST
        thrown = movers.fastest(data.qacc) > _LARGEST
        return np.where(
            pushed, np.inf, np.where(thrown, np.finfo(float).max, movers.energies(data))
        )

    def _put_back(self, names: list[str], undo: Undo) -> None:
        """Go back and try what happens with ``names`` at their starts; `Undo` undoes all of it."""
        undo()
        for name in names:
            restart(self._live, name)

    def _restart(self, name: str, why: str) -> None:
        """Put ``name`` back for good."""
        _LOG.info("%s %s and starts over at %.3f s", name, why, self._simulation.time)
        self._simulation.do(Restart(name))
        if name not in self._rescued:
            self._rescued.append(name)

    def _restart_lost(self) -> None:
        """Put back whoever has fallen off the world or left it."""
        if self._simulation.live is not self._live:  # what was just done has changed the scene
            self._rebind(self._simulation.live)
        self._looked = self._simulation.time
        for name in self._movers.lost(self._live.data, self._abyss, FAR):
            self._restart(name, "was lost")


class Undo:
    """Everything that a stride of physics and a `restart` change, to be put back."""

    def __init__(self, live: LiveScene, state: Array) -> None:
        """Keep what is there now; ``state`` is MuJoCo's, from before the stride."""
        self._live, self._state = live, state
        self._arrays = [*live.memory.arrays(), *_settings(live.model)]
        self._kept = [array.copy() for array in self._arrays]

    def __call__(self) -> None:
        """Go back."""
        model, data = self._live.model, self._live.data
        # After a fatal error MuJoCo's own memory is in disorder; this tidies it.
        mujoco.mj_resetData(model, data)
        mujoco.mj_setState(model, data, self._state, STATE)
        for array, kept in zip(self._arrays, self._kept, strict=True):
            array[...] = kept


def _settings(model: mujoco.MjModel) -> tuple[Array, ...]:
    """Return what drives and belts write into the model while it runs."""
    return model.actuator_biasprm, model.actuator_dynprm, model.geom_surfacevel


def _choices(suspects: list[str]) -> Iterator[list[str]]:
    """Yield whom to put back: each alone, then the first two, the first three and so on."""
    yield from ([name] for name in suspects)
    yield from (suspects[:count] for count in range(2, len(suspects) + 1))


def _lowest_ground(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Return how low the lowest thing that cannot move reaches, m; 0 where there is none."""
    fixed = model.body_weldid[model.geom_bodyid] == 0
    plane = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
    reach = np.where(plane, 0.0, model.geom_rbound)
    return float(min((data.geom_xpos[:, 2] - reach)[fixed], default=0.0))
