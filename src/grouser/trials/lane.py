"""A lane: one batch on one core, into whose slots trials come one after another.

Trials whose scenes have the same layout share a lane: whatever differs between their models (a
step's height, friction, a mass) becomes a per-simulation field. A lane has a fixed number of slots;
a finished trial leaves its slot to the next one that waits. Every trial is stepped from its own
state row, so its result is the same bits in any lane and in any company.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import mujoco
import mujoco.batch
import numpy as np
import numpy.typing as npt

from grouser.frames import Array, up_tilt
from grouser.physics.state import StateArrays
from grouser.simulation.scene import Scene
from grouser.simulation.stepping import StepMemory, Stepper, settle_strides
from grouser.trials.trial import Observation, Outcome, Trial, Verdict

LOOK_EVERY = 0.1
"""Simulated seconds between two looks at how a trial goes; also the samples of its trajectory."""

_BAD = [
    int(kind)
    for kind in (
        mujoco.mjtWarning.mjWARN_BADQPOS,
        mujoco.mjtWarning.mjWARN_BADQVEL,
        mujoco.mjtWarning.mjWARN_BADQACC,
    )
]


@dataclass(frozen=True)
class Entry:
    """A trial with its composed scene."""

    number: int
    """Its place among all trials."""
    trial: Trial
    scene: Scene


def layout(scene: Scene) -> bytes:
    """Return what two scenes must share to go in one batch.

    Sizes, names, settings, assets, and how robots are driven: a lane has one `Stepper` for all.
    """
    model = scene.model
    driven = [
        (name, robot.posture, robot.drives, robot.steering, robot.groups, robot.gait)
        for name, robot in scene.robots.items()
    ]
    shared = [
        np.asarray(getattr(model, name))
        for name in sorted(dir(model))
        if not name.startswith("_")
        and isinstance(getattr(model, name), np.ndarray | int)
        and name not in mujoco.batch.MODEL_FIELDS
    ]
    options = [np.asarray(getattr(model.opt, name)).tobytes() for name in _option_names(model)]
    parts = [bytes(model.names), str(scene.stride).encode(), repr(driven).encode(), *options]
    parts += [str(array.shape).encode() + array.tobytes() for array in shared]
    parts += [str(getattr(model, name).shape).encode() for name in _fields()]
    return b"|".join(parts)


def _option_names(model: mujoco.MjModel) -> list[str]:
    """Return the physics settings of a model: time step, gravity, solver."""
    names = (name for name in sorted(dir(model.opt)) if not name.startswith("_"))
    return [name for name in names if not callable(getattr(model.opt, name))]


def _fields() -> list[str]:
    """Return the array fields of a model that a batch can hold per simulation."""
    return sorted(name for name in mujoco.batch.MODEL_FIELDS if not name.startswith("opt."))


def _strides_per_look(scene: Scene, look_every: float = LOOK_EVERY) -> int:
    """Return a number of strides that makes up about ``look_every`` (s).

    Whole settling periods: a trial that joins a batch later settles in the same rhythm.
    """
    every = scene.stride * float(scene.model.opt.timestep)
    settle = settle_strides(every)
    return settle * max(1, round(look_every / every / settle))


def look_time(scene: Scene) -> float:
    """Return the simulated seconds between two looks at a trial in ``scene``."""
    return _strides_per_look(scene) * scene.stride * float(scene.model.opt.timestep)


class Lane:
    """Trials of one layout, run in the slots of one batch on the core of whoever calls."""

    def __init__(
        self, scenes: list[Scene], waiting: deque[Entry], *, slots: int, look_every: float
    ) -> None:
        """Make room for ``slots`` trials at a time.

        Args:
            scenes: all that may come, of one layout.
            waiting: trials in these scenes; other lanes may take from it as well.
            slots: simulations in flight.
            look_every: simulated seconds between two samples, about.
        """
        self._scenes, self._waiting = scenes, waiting
        first = scenes[0]
        self._model = first.model
        self._batch = mujoco.batch.Batch(first.model, nsim=slots, nthread=1)
        self._rows = StateArrays.many(self._batch)
        self._time = self._batch.bind("time")
        self._stepper = Stepper(first)
        self._memory: StepMemory = self._stepper.memory(slots)
        self._varied_fields = {name: self._batch.expand(name) for name in self._varied()}
        self._steps = _strides_per_look(first, look_every) * first.stride
        self._running: dict[int, _Run] = {}
        self._starts: dict[int, Array] = {}

    def run(self, finished: Callable[[int, Outcome], None], given_up: Callable[[], bool]) -> None:
        """Run until nobody waits and every trial that came has its outcome, or until given up."""
        self._fill(list(range(self._batch.nsim)))
        while self._running and not given_up():
            slots = sorted(self._running)
            some = None if len(slots) == self._batch.nsim else np.array(slots, np.int32)
            physics = partial(self._physics, some)
            for _ in self._stepper.advance(self._rows, self._memory, 0, self._steps, physics):
                pass
            over = {slot: verdict for slot in slots if (verdict := self._look(slot))}
            for slot, verdict in over.items():
                run = self._running.pop(slot)
                finished(run.entry.number, run.outcome(verdict, self._spent(slot, run)))
            self._fill(list(over))

    def _physics(self, slots: npt.NDArray[np.int32] | None, steps: int) -> None:
        """Let ``steps`` of physics pass in ``slots``; None: in all."""
        self._batch.step(slots, nstep=steps)

    def _varied(self) -> list[str]:
        """Return the model fields in which the group's models differ."""
        return [
            name
            for name in _fields()
            if any(
                not np.array_equal(getattr(self._model, name), getattr(other.model, name))
                for other in self._scenes
            )
        ]

    def _fill(self, slots: list[int]) -> None:
        """Put the next waiting trials into ``slots``, as far as there are any."""
        filled: dict[int, Entry] = {}
        for slot in slots:
            try:
                filled[slot] = self._waiting.popleft()
            except IndexError:  # another lane was quicker
                break
        for slot, entry in filled.items():
            self._put(slot, entry)
        if filled:
            # Sensors must not show what the slot's last trial felt; forward() moves the warm start
            # on, so the state is written once more.
            self._batch.forward(np.array(list(filled), np.int32))
        for slot, entry in filled.items():
            self._batch.state[slot] = self._start(entry.scene)
            self._batch.warning[slot] = 0
            self._running[slot] = _Run(entry)
            self._settle_in(slot, entry)

    def _put(self, slot: int, entry: Entry) -> None:
        """Give ``slot`` the model and the first state of a trial."""
        model, rows = entry.scene.model, self._rows
        for name, values in self._varied_fields.items():
            # A batch keeps only the bodies' part of bvh_aabb, which comes first.
            values[slot] = getattr(model, name)[: values.shape[1]]
        for name in ("actuator_biasprm", "actuator_dynprm", "geom_surfacevel"):
            getattr(rows, name)[slot] = getattr(model, name)
        self._stepper.clear(self._memory, [slot])
        self._batch.state[slot] = self._start(entry.scene)

    def _start(self, scene: Scene) -> Array:
        """Return the state in which ``scene`` starts; trials of one scene share it."""
        if id(scene) not in self._starts:
            state = np.empty(self._batch.nstate)
            kind = int(mujoco.mjtState.mjSTATE_INTEGRATION)
            mujoco.mj_getState(scene.model, scene.initial(), state, kind)
            self._starts[id(scene)] = state
        return self._starts[id(scene)]

    def _settle_in(self, slot: int, entry: Entry) -> None:
        """Hold every posture and give every robot its standing command, as a Simulation does."""
        for robot in entry.trial.world.robots:
            self._stepper.settle_in(self._rows, self._memory, robot.name, robot.command, [slot])

    def _look(self, slot: int) -> Verdict | None:
        """Sample a trial, give it its due commands and say whether it is over."""
        run = self._running[slot]
        trial, time = run.entry.trial, float(self._time[slot])
        if self._batch.warning[slot][_BAD].any() or not np.isfinite(self._rows.qvel[slot]).all():
            return "diverged"
        root = run.root
        pose = self._rows.qpos[slot, root : root + 7].copy()
        verdict = run.see(time, pose)
        for command in run.commands(time, pose):
            self._stepper.command(self._rows, self._memory, trial.robot, command, [slot])
        return verdict

    def _spent(self, slot: int, run: _Run) -> tuple[float, float]:
        """Return the work and the effort (J) of the watched robot's drives."""
        prefix = f"{run.entry.trial.robot}/"
        mine = [i for i, name in enumerate(self._stepper.drives.names) if name.startswith(prefix)]
        return (
            float(self._memory.work[slot, mine].sum()),
            float(self._memory.effort[slot, mine].sum()),
        )


class _Run:
    """A trial in flight: what was seen of it so far."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        model, robot = entry.scene.model, entry.trial.robot
        self.root = int(model.joint(f"{robot}/free").qposadr[0])
        self._due = list(entry.trial.schedule)
        self._policy = entry.trial.policy() if entry.trial.policy else None
        self._times: list[float] = []
        self._poses: list[Array] = []
        self._best = -np.inf
        self._best_time = 0.0

    def see(self, time: float, pose: Array) -> Verdict | None:
        """Keep a sample (x, y, z, wxyz) and say whether the trial is over."""
        trial = self.entry.trial
        self._times.append(time)
        self._poses.append(pose)
        tilt = up_tilt(*pose[3:].tolist())
        if trial.goal and trial.goal.reached(pose[:3], tilt):
            return "arrived"
        if tilt > trial.tipped_beyond:
            return "tipped"
        if pose[0] > self._best + trial.stuck_within:
            self._best, self._best_time = float(pose[0]), time
        elif time - self._best_time > trial.stuck_after:
            return "stuck"
        return "out of time" if time >= trial.limit - 1e-9 else None

    def commands(self, time: float, pose: Array) -> Iterator[Mapping[str, float]]:
        """Yield what the robot is to be told now: scheduled commands, then the policy's."""
        while self._due and self._due[0][0] <= time + 1e-9:
            yield self._due.pop(0)[1]
        told = self._policy(Observation(time, pose[:3], pose[3:])) if self._policy else None
        if told:
            yield told

    def outcome(self, verdict: Verdict, spent: tuple[float, float]) -> Outcome:
        """Return how it went."""
        poses = np.array(self._poses).reshape(-1, 7)
        last = self._times[-1] if self._times else 0.0
        return Outcome(
            self.entry.trial,
            verdict,
            last,
            np.array(self._times),
            poses[:, :3],
            poses[:, 3:],
            *spent,
        )
