"""Scene batch: simulations of scenes of one layout, in one `mujoco.batch.Batch`.

Model fields in which the scenes differ (a step's height, friction, a mass) become per-simulation
fields. A batch steps physics, belts, drives and gaits (`Stepper`, as a `Simulation` does); each
simulation is stepped from its own state row, so its bits do not depend on the others. Slots of
trials (`grouser.trials.batch_lane`) and `grouser.trials.batch.Batch` are built on it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import mujoco.batch
import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.physics.losses import has_losses
from grouser.physics.state import StateArrays
from grouser.simulation.divergence.watch import BAD_NUMBERS
from grouser.simulation.scene import Scene
from grouser.simulation.scene_state import LAGGED_FIELDS
from grouser.simulation.stepping import StepMemory, Stepper
from grouser.trials.layout import SharedGround, batch_fields
from grouser.trials.starts import DRAWN_FIELDS
from grouser.trials.warp.physics import PhysicsFactory

MANY_GEOMS = 100
"""Number of geoms from which computing the poses of static geoms only once pays off."""

Rows = npt.NDArray[np.int32]
"""Indices of simulations, increasing."""


@dataclass(frozen=True)
class RowStart:
    """Start of one simulation: its scene, varied model fields by name, MuJoCo's state."""

    scene: Scene
    fields: Mapping[str, Array]
    state: Array


class SceneBatch:
    """Simulations of scenes of one layout: physics, drives, belts and gaits; no sensors."""

    def __init__(
        self,
        scenes: Sequence[Scene],
        count: int,
        *,
        threads: int = 1,
        drawn: bool = False,
        persistent: bool = False,
        physics: PhysicsFactory | None = None,
    ) -> None:
        """Allocate ``count`` simulations; `load` sets their states.

        Args:
            scenes: all scenes that simulations may have, of one layout.
            count: number of simulations.
            threads: number of threads that step physics, the caller's included.
            drawn: True if simulations vary friction or mass (`DRAWN_FIELDS`).
            persistent: keep MuJoCo's derived quantities of every simulation, for `copy_data`.
            physics: makes the physics of the simulations; None: MuJoCo on ``threads``.
        """
        self._ground = SharedGround(scenes)
        first = self.scene = self._ground.scene
        """Scene whose model the batch uses; names and addresses are those of all scenes."""
        varied = self._varied(scenes, drawn)
        still = physics is None and _has_static_ground(first.model, varied)
        self.physics: Any = (
            physics(first.model, count)
            if physics
            else mujoco.batch.Batch(
                _with_static_ground(first.model) if still else first.model,
                nsim=count,
                nthread=threads,
                persistent=still or persistent,
            )
        )
        """MuJoCo's batch, or physics with its interface."""
        surfaces = any(belt.moving for belt in first.belts)
        switches = any(belt.switched for belt in first.belts)
        losses = has_losses(first.drives)
        self.stepper = Stepper(first)
        slip = bool(self.stepper.slip)
        self.rows = StateArrays.many(
            self.physics, surfaces=surfaces, switches=switches, losses=losses, slip=slip
        )
        self._command_fields = (
            "actuator_biasprm",
            *["geom_surfacevel"] * surfaces,
            *["geom_contype", "geom_conaffinity"] * switches,
            *["dof_frictionloss", "actuator_forcerange", "dof_invweight0"] * losses,
            *["geom_friction"] * slip,
        )
        self.time = self.physics.bind("time")
        """MuJoCo's time of every simulation, s, (n,)."""
        self.memory: StepMemory = self.stepper.memory(self.rows)
        self.varied = {name: self.physics.expand(name) for name in varied}
        """Model fields in which simulations differ, by name, (n, ...)."""
        self.drawn = drawn
        """True if simulations vary friction or mass."""

    def __len__(self) -> int:
        return len(self.rows.qpos)

    def vary_physics(self) -> None:
        """Let simulations vary friction and mass from now on."""
        if not self.drawn:
            self.drawn = True
            self.varied |= {name: self.physics.expand(name) for name in DRAWN_FIELDS}

    def run(self, which: Rows, steps: int, now: int, *, alone: bool = False) -> None:
        """Advance simulations by ``steps``.

        Args:
            which: the simulations, which are at the same step of the stepper's cycle.
            steps: number of steps.
            now: number of steps since the start, modulo `Stepper.cycle`.
            alone: True: the other simulations are running as well, at another step of the cycle;
                False: their physics stands still, and their drives are not used until `load`.
        """
        ids = None if len(which) == len(self) else which
        if not alone:
            self.stepper.run(
                self.rows, self.memory, steps, lambda k: self.physics.step(ids, nstep=k), now
            )
            return
        rows, memory = self.rows.take(which), self.memory.take(which)

        def physics(count: int) -> None:
            rows.store(self.rows, which)
            self.physics.step(ids, nstep=count)
            rows.load(self.rows, which)

        self.stepper.run(rows, memory, steps, physics, now)
        rows.store(self.rows, which)
        memory.store(self.memory, which)

    def load(self, starts: Mapping[int, RowStart]) -> None:
        """Start simulations anew: model fields, state, cleared step memory."""
        if not starts:
            return
        rows = np.array(sorted(starts), np.int32)
        for row, start in starts.items():
            self._load_fields(row, start)
            self.physics.state[row] = start.state
            self.stepper.clear(self.rows, self.memory, [row])
        # Sensor data of the state before must be replaced; forward() changes the warm start, so
        # the state is written again.
        self.physics.forward(rows)
        for row, start in starts.items():
            self.physics.state[row] = start.state
        self.physics.warning[rows] = 0

    def _load_fields(self, row: int, start: RowStart) -> None:
        """Write the model fields of a simulation."""
        model = start.scene.model
        for name, values in self.varied.items():
            # A batch holds only the bodies' part of bvh_aabb, which comes first.
            if name == "geom_dataid":
                values[row] = self._ground.geom_dataid(model)
            elif name in start.fields:
                values[row] = start.fields[name]
            else:
                values[row] = getattr(model, name)[: values.shape[1]]
        for name in self._command_fields:
            if name not in self.varied:
                getattr(self.rows, name)[row] = getattr(model, name)

    def lagged(self) -> dict[str, Array]:
        """Return the arrays of `LAGGED_FIELDS`, live and writable, by name, (n, ...)."""
        arrays = {name: getattr(self.rows, name)[:] for name in LAGGED_FIELDS}
        for array in arrays.values():
            array.flags.writeable = True
        return arrays

    def fields(self) -> dict[str, Array]:
        """Return the live arrays of all model fields with a value per simulation, by name."""
        return self.varied | {name: getattr(self.rows, name) for name in self._command_fields}

    def restore(
        self,
        which: Rows,
        *,
        state: Array,
        lagged: Mapping[str, Array],
        fields: Mapping[str, Array],
        memory: Sequence[Array],
    ) -> None:
        """Write states (k, ...) to the simulations ``which`` (k,); arguments as in a snapshot."""
        for name, own in self.fields().items():
            # Only fields that `vary_physics` added can be missing: all scenes agree in them.
            own[which] = fields[name] if name in fields else getattr(self.scene.model, name)
        for array, values in zip(self.memory.arrays(), memory, strict=True):
            array[which] = values
        self.stepper.losses.read_inertia(self.rows, self.memory.losses, which)
        self.physics.state[which] = state
        self.physics.forward(which)  # contacts and poses, which sensors may read before a step
        self.physics.state[which] = state  # the solver's warm start
        self.physics.warning[which] = 0
        for name, array in self.lagged().items():
            array[which] = lagged[name]

    def diverged(self) -> npt.NDArray[np.bool_]:
        """Return which simulations have numbers that are not finite or too large, (n,)."""
        warned = self.physics.warning[:, BAD_NUMBERS].any(axis=(1, 2))
        return np.asarray(warned | ~np.isfinite(self.rows.qvel).all(axis=1))

    def _varied(self, scenes: Sequence[Scene], drawn: bool) -> list[str]:
        """Return the model fields in which the scenes differ, or which simulations vary."""
        return [
            name
            for name in batch_fields()
            if any(
                not np.array_equal(getattr(scenes[0].model, name), getattr(other.model, name))
                for other in scenes
            )
            or (name == "geom_dataid" and self._ground.scene is not scenes[0])
            or (drawn and name in DRAWN_FIELDS)
        ]


def _has_static_ground(model: mujoco.MjModel, varied: list[str]) -> bool:
    """Return whether a world has many static geoms with constant poses, and one body tree.

    With a single tree of bodies, MuJoCo gives the same bits with sleeping on and off; several trees
    would be solved as separate islands.
    """
    moved = {name for name in varied if name.startswith(("geom_pos", "geom_quat", "body_pos"))}
    return model.ngeom >= MANY_GEOMS and model.ntree == 1 and not moved and not model.nmocap


def _with_static_ground(model: mujoco.MjModel) -> mujoco.MjModel:
    """Return a copy in which MuJoCo computes the poses of static geoms once; no body sleeps.

    Otherwise 1,600 bumps on two bridges cost 20 us per step, half of the time of a roach.
    """
    rested = copy.copy(model)
    rested.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    rested.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    rested.tree_sleep_policy[:] = int(mujoco.mjtSleepPolicy.mjSLEEP_NEVER)
    return rested
