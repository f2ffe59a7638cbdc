"""Batch lane: trials of one layout in the slots of one `mujoco.batch.Batch` on one core.

Trials whose scenes have the same layout share a lane: model fields in which they differ (a step's
height, friction, a mass) become per-simulation fields. A lane has a fixed number of slots; a
waiting trial enters the slot of a finished one. Each trial is stepped from its own state row, so
its result has the same bits in any lane, whatever the other trials are.

Scenes have the same `layout` if they differ only in model fields that a batch holds per
simulation. Height fields are not among them; `SharedGround` puts the height fields of all scenes
into one model.

A batch steps physics, belts, drives and gaits (`Stepper.run`, as a `Simulation` does). Trials of
worlds with events, triggers or sensors run in `grouser.trials.simulation_lane`.
"""

from __future__ import annotations

import copy
import dataclasses
import sys
from collections import deque
from collections.abc import Callable, Sequence

import mujoco
import mujoco.batch
import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.physics.height_fields import HeightFieldData, height_fields, restore
from grouser.physics.state import StateArrays
from grouser.simulation import stepping
from grouser.simulation.divergence.watch import BAD_NUMBERS
from grouser.simulation.policy import sample_steps
from grouser.simulation.scene import Scene, compose
from grouser.simulation.stepping import StepMemory, Stepper
from grouser.trials.starts import DRAWN_FIELDS, SceneStarts, initialize_robots
from grouser.trials.trial import Verdict
from grouser.trials.trial_run import Entry, Finished, RobotSample, TrialRun, TrialSupervisor

MANY_GEOMS = 100
"""Number of geoms from which computing the poses of static geoms only once pays off."""


class BatchLane:
    """Trials of one layout, run in the slots of one batch in the calling thread."""

    def __init__(
        self,
        scenes: list[Scene],
        waiting: deque[Entry],
        *,
        slots: int,
        sample_period: float,
        drawn: bool = False,
    ) -> None:
        """Allocate a batch of ``slots`` simulations.

        Args:
            scenes: scenes of all trials, of one layout.
            waiting: queue of trials in these scenes, shared with other lanes.
            slots: number of simulations in the batch.
            sample_period: approximate simulated time between two samples, s.
            drawn: True if some trials vary friction or mass (`TrialStart`).
        """
        self._scenes, self._waiting = scenes, waiting
        self._ground = SharedGround(scenes)
        first = self._ground.scene
        varied = self._varied(drawn)
        still = _has_static_ground(first.model, varied)
        self._batch = mujoco.batch.Batch(
            _with_static_ground(first.model) if still else first.model,
            nsim=slots,
            nthread=1,
            persistent=still,
        )
        surfaces = any(belt.moving for belt in first.belts)
        self._rows = StateArrays.many(self._batch, surfaces=surfaces)
        self._command_fields = ("actuator_biasprm", *["geom_surfacevel"] * surfaces)
        self._time = self._batch.bind("time")
        self._stepper = Stepper(first)
        self._memory: StepMemory = self._stepper.memory(self._rows)
        self._varied_fields = {name: self._batch.expand(name) for name in varied}
        self._steps = sample_steps(first, sample_period)
        self._running: dict[int, tuple[Entry, TrialRun]] = {}
        self._starts: dict[int, SceneStarts] = {}
        self._supervisor = TrialSupervisor(slots)
        self._drives: dict[str, list[int]] = {}

    def run(self, finished: Finished, cancelled: Callable[[], bool]) -> None:
        """Run until the queue is empty and all slots are free, or until ``cancelled``."""
        self._fill(list(range(self._batch.nsim)))
        while self._running and not cancelled():
            slots = sorted(self._running)
            some = None if len(slots) == self._batch.nsim else np.array(slots, np.int32)

            def physics(steps: int, some: npt.NDArray[np.int32] | None = some) -> None:
                self._batch.step(some, nstep=steps)

            # The step count starts at 0 again: samples are whole settling periods apart.
            self._stepper.run(self._rows, self._memory, self._steps, physics)
            over = self._sample(slots)
            for slot, verdict in over.items():
                entry, run = self._running.pop(slot)
                state = self._batch.state[slot]
                finished(
                    entry.number, run.outcome(verdict, state, self._stepper, self._memory, slot)
                )
            self._fill(list(over))

    def _varied(self, drawn: bool) -> list[str]:
        """Return the model fields in which the scenes differ, or which trials vary."""
        return [
            name
            for name in batch_fields()
            if any(
                not np.array_equal(getattr(self._scenes[0].model, name), getattr(other.model, name))
                for other in self._scenes
            )
            or (name == "geom_dataid" and self._ground.scene is not self._scenes[0])
            or (drawn and name in DRAWN_FIELDS)
        ]

    def _fill(self, slots: list[int]) -> None:
        """Start the next waiting trials in ``slots``, as far as there are any."""
        filled: dict[int, Entry] = {}
        for slot in slots:
            try:
                filled[slot] = self._waiting.popleft()
            except IndexError:  # the queue is empty
                break
        starts = {slot: self._load(slot, entry) for slot, entry in filled.items()}
        if filled:
            # Sensor data of the slot's previous trial must be replaced; forward() changes the warm
            # start, so the state is written again below.
            self._batch.forward(np.array(list(filled), np.int32))
        for slot, entry in filled.items():
            self._batch.state[slot] = starts[slot]
            self._batch.warning[slot] = 0
            self._running[slot] = entry, TrialRun(entry.trial)
            self._initialize(slot)

    def _load(self, slot: int, entry: Entry) -> Array:
        """Write the model fields and the initial state of a trial into ``slot``; return it."""
        scene, rows = entry.scene, self._rows
        model = scene.model
        if id(scene) not in self._starts:
            self._starts[id(scene)] = SceneStarts(scene)
        fields, state = self._starts[id(scene)].state(entry.trial.robot, entry.trial.start)
        for name, values in self._varied_fields.items():
            # A batch holds only the bodies' part of bvh_aabb, which comes first.
            if name == "geom_dataid":
                values[slot] = self._ground.geom_dataid(model)
            elif name in fields:
                values[slot] = fields[name]
            else:
                values[slot] = getattr(model, name)[: values.shape[1]]
        for name in self._command_fields:
            getattr(rows, name)[slot] = getattr(model, name)
        self._batch.state[slot] = state
        self._stepper.clear(rows, self._memory, [slot])
        return state

    def _initialize(self, slot: int) -> None:
        """Set the posture and the first commands of the robots in ``slot``."""
        entry, run = self._running[slot]
        self._supervisor.enter(slot, run)
        pose = run.root_pose(entry.scene, self._rows.qpos[slot])
        initialize_robots(
            self._stepper,
            self._rows,
            self._memory,
            entry.scene,
            [slot],
            watched=entry.trial.robot,
            phase=entry.trial.start.phase if entry.trial.start else 0.0,
            command=self._supervisor.steer({slot: pose}).get(slot),
        )

    def _sample(self, slots: list[int]) -> dict[int, Verdict]:
        """Sample and command the trials; return the verdicts of those that have ended."""
        over: dict[int, Verdict] = {}
        samples: dict[int, RobotSample] = {}
        warned = self._batch.warning[:, BAD_NUMBERS].any(axis=(1, 2))
        diverged = (warned | ~np.isfinite(self._rows.qvel).all(axis=1)).tolist()
        for slot in slots:
            if diverged[slot]:
                over[slot] = "diverged"
            else:
                entry, run = self._running[slot]
                pose = run.root_pose(entry.scene, self._rows.qpos[slot])
                samples[slot] = RobotSample(
                    float(self._time[slot]),
                    pose,
                    self._spent(slot, run),
                    truth=run.root_state(entry.scene, pose, self._rows.qvel[slot]),
                )
        for slot, (verdict, commands) in self._supervisor.assess(samples).items():
            robot = self._running[slot][0].trial.robot
            for command in commands:
                self._stepper.command(self._rows, self._memory, robot, command, [slot])
            if verdict:
                over[slot] = verdict
        return over

    def _spent(self, slot: int, run: TrialRun) -> float:
        """Return the effort of a trial's robot so far, J."""
        robot = run.trial.robot
        if robot not in self._drives:
            self._drives[robot] = run.drive_indices(self._stepper)
        return float(self._memory.effort[slot, self._drives[robot]].sum())


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


_GROUND = ("hfield_", "nhfielddata", "nbuffer")
"""Prefixes of height-field data, which all simulations of a batch share (`SharedGround`)."""


def layout(scene: Scene) -> bytes:
    """Return a key; scenes with equal keys can share a batch.

    It contains sizes, names, options, assets except height fields, and the robot descriptions that
    the batch's `Stepper` uses.
    """
    model = scene.model
    shared = [
        np.asarray(getattr(model, name))
        for name in sorted(dir(model))
        if not name.startswith("_")
        and isinstance(getattr(model, name), np.ndarray | int)
        and name not in mujoco.batch.MODEL_FIELDS
        and not name.startswith(_GROUND)
    ]
    shared += [getattr(model, name) for name in stepping.MODEL_FIELDS]
    options = [np.asarray(getattr(model.opt, name)).tobytes() for name in _option_names(model)]
    parts = [bytes(model.names), str(scene.control_interval).encode(), _step_key(scene), *options]
    parts += [str(array.shape).encode() + array.tobytes() for array in shared]
    parts += [str(getattr(model, name).shape).encode() for name in batch_fields()]
    return b"|".join(parts)


def batch_fields() -> list[str]:
    """Return the array fields of a model that a batch can hold per simulation."""
    return sorted(name for name in mujoco.batch.MODEL_FIELDS if not name.startswith("opt."))


def _step_key(scene: Scene) -> bytes:
    """Return the robot descriptions that a `Stepper` uses, with all digits."""
    robots = [
        (name, robot.posture, robot.drives, robot.steering, robot.groups, robot.gait)
        for name, robot in scene.robots.items()
    ]
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        return repr((robots, dict(scene.drives), scene.belts)).encode()


def _option_names(model: mujoco.MjModel) -> list[str]:
    """Return the names of a model's physics options: time step, gravity, solver."""
    names = (name for name in sorted(dir(model.opt)) if not name.startswith("_"))
    return [name for name in names if not callable(getattr(model.opt, name))]


class SharedGround:
    """Height fields of all scenes of one layout, in one model."""

    def __init__(self, scenes: Sequence[Scene]) -> None:
        """Collect the height fields of all ``scenes``; equal ones are stored once."""
        first, own = scenes[0], height_fields(scenes[0].model)
        self._numbers: dict[HeightFieldData, int] = {}
        for number, field in enumerate(own):
            self._numbers.setdefault(field, number)
        others = [
            field
            for scene in scenes[1:]
            for field in dict.fromkeys(height_fields(scene.model))
            if field not in self._numbers
        ]
        spare = tuple(dict.fromkeys(others))
        self._numbers |= {field: len(own) + number for number, field in enumerate(spare)}
        self.scene = first
        """First scene, whose model the batch uses."""
        if spare:
            self.scene = dataclasses.replace(first, model=compose(first.world, spare).model)
            for field in spare:
                restore(self.scene.model, self._numbers[field], field)

    def geom_dataid(self, model: mujoco.MjModel) -> npt.NDArray[np.int32]:
        """Return `geom_dataid` of ``model``, one of the scenes', for the shared model."""
        pointers = np.array(model.geom_dataid, np.int32)
        fields = height_fields(model)
        for geom in np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_HFIELD).tolist():
            pointers[geom] = self._numbers[fields[pointers[geom]]]
        return pointers
