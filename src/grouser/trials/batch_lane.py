"""A lane: one batch on one core, into whose slots trials come one after another.

Trials whose scenes have the same layout share a lane: whatever differs between their models (a
step's height, friction, a mass) becomes a per-simulation field. A lane has a fixed number of slots;
a finished trial leaves its slot to the next one that waits. Every trial is stepped from its own
state row, so its result is the same bits in any lane and in any company.

A batch steps physics, belts, drives and gaits (`Stepper.run`, as a `Simulation` does). Worlds
in which anything else happens go to `grouser.trials.simulation_lane`.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable
from functools import partial

import mujoco
import mujoco.batch
import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.physics.state import StateArrays
from grouser.simulation.scene import Scene
from grouser.simulation.stepping import StepMemory, Stepper
from grouser.trials.fleet import Fleet
from grouser.trials.layout import batch_fields
from grouser.trials.shared_ground import SharedGround
from grouser.trials.starts import DRAWN_FIELDS, SceneStarts, settle_in
from grouser.trials.trial import Verdict
from grouser.trials.trial_run import BAD_WARNINGS, Entry, Finished, TrialRun, look_steps

MANY_GEOMS = 100
"""From so many geoms on it is worth while to work out once where those that stand still are."""


class BatchLane:
    """Trials of one layout, run in the slots of one batch on the core of whoever calls."""

    def __init__(
        self,
        scenes: list[Scene],
        waiting: deque[Entry],
        *,
        slots: int,
        look_every: float,
        drawn: bool = False,
    ) -> None:
        """Make room for ``slots`` trials at a time.

        Args:
            scenes: all that may come, of one layout.
            waiting: trials in these scenes; other lanes may take from it as well.
            slots: simulations in flight.
            look_every: simulated seconds between two samples, about.
            drawn: some trials draw friction or mass (`TrialStart`).
        """
        self._scenes, self._waiting = scenes, waiting
        self._ground = SharedGround(scenes)
        first = self._ground.scene
        varied = self._varied(drawn)
        still = _stands_still(first.model, varied)
        self._batch = mujoco.batch.Batch(
            _with_ground_at_rest(first.model) if still else first.model,
            nsim=slots,
            nthread=1,
            persistent=still,
        )
        surfaces = any(belt.moving for belt in first.belts)
        self._rows = StateArrays.many(self._batch, surfaces=surfaces)
        self._told = ("actuator_biasprm", "actuator_dynprm", *["geom_surfacevel"] * surfaces)
        self._time = self._batch.bind("time")
        self._stepper = Stepper(first)
        self._memory: StepMemory = self._stepper.memory(slots)
        self._varied_fields = {name: self._batch.expand(name) for name in varied}
        self._steps = look_steps(first, look_every)
        self._running: dict[int, tuple[Entry, TrialRun]] = {}
        self._starts: dict[int, SceneStarts] = {}
        self._fleet = Fleet(slots)
        self._drives: dict[str, list[int]] = {}

    def run(self, finished: Finished, given_up: Callable[[], bool]) -> None:
        """Run until nobody waits and every trial that came has its outcome, or until given up."""
        self._fill(list(range(self._batch.nsim)))
        while self._running and not given_up():
            slots = sorted(self._running)
            some = None if len(slots) == self._batch.nsim else np.array(slots, np.int32)
            physics = partial(self._physics, some)
            # From 0: after whole settling periods everything is done in the same rhythm again.
            self._stepper.run(self._rows, self._memory, self._steps, physics)
            over = self._look(slots)
            for slot, verdict in over.items():
                entry, run = self._running.pop(slot)
                state = self._batch.state[slot]
                finished(
                    entry.number, run.outcome(verdict, state, self._stepper, self._memory, slot)
                )
            self._fill(list(over))

    def _physics(self, slots: npt.NDArray[np.int32] | None, steps: int) -> None:
        """Let ``steps`` of physics pass in ``slots``; None: in all."""
        self._batch.step(slots, nstep=steps)

    def _varied(self, drawn: bool) -> list[str]:
        """Return the model fields in which the group's models differ, or may once drawn."""
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
        """Put the next waiting trials into ``slots``, as far as there are any."""
        filled: dict[int, Entry] = {}
        for slot in slots:
            try:
                filled[slot] = self._waiting.popleft()
            except IndexError:  # another lane was quicker
                break
        starts = {slot: self._put(slot, entry) for slot, entry in filled.items()}
        if filled:
            # Sensors must not show what the slot's last trial felt; forward() moves the warm start
            # on, so the state is written once more.
            self._batch.forward(np.array(list(filled), np.int32))
        for slot, entry in filled.items():
            self._batch.state[slot] = starts[slot]
            self._batch.warning[slot] = 0
            self._running[slot] = entry, TrialRun(entry.trial)
            self._settle_in(slot, entry)

    def _put(self, slot: int, entry: Entry) -> Array:
        """Give ``slot`` the model and the first state of a trial; return that state."""
        scene, rows = entry.scene, self._rows
        model = scene.model
        if id(scene) not in self._starts:
            self._starts[id(scene)] = SceneStarts(scene)
        fields, state = self._starts[id(scene)].state(entry.trial.robot, entry.trial.start)
        for name, values in self._varied_fields.items():
            # A batch keeps only the bodies' part of bvh_aabb, which comes first.
            if name == "geom_dataid":
                values[slot] = self._ground.geom_dataid(model)
            elif name in fields:
                values[slot] = fields[name]
            else:
                values[slot] = getattr(model, name)[: values.shape[1]]
        for name in self._told:
            getattr(rows, name)[slot] = getattr(model, name)
        self._stepper.clear(self._memory, [slot])
        self._batch.state[slot] = state
        return state

    def _settle_in(self, slot: int, entry: Entry) -> None:
        """Hold every posture, give every robot its standing command, let the trial's begin."""
        trial, run = self._running[slot][0].trial, self._running[slot][1]
        self._fleet.enter(slot, trial.fleet, trial.errand)
        pose = run.root_pose(entry.scene, self._rows.qpos[slot])
        settle_in(
            self._stepper,
            self._rows,
            self._memory,
            entry.scene,
            [slot],
            watched=trial.robot,
            phase=trial.start.phase if trial.start else 0.0,
            command=self._fleet.commands({slot: pose}).get(slot),
        )

    def _look(self, slots: list[int]) -> dict[int, Verdict]:
        """Sample the trials, give them their due commands; return the verdicts of those over."""
        over: dict[int, Verdict] = {}
        poses: dict[int, Array] = {}
        warned = self._batch.warning[:, BAD_WARNINGS].any(axis=(1, 2))
        diverged = (warned | ~np.isfinite(self._rows.qvel).all(axis=1)).tolist()
        for slot in slots:
            if diverged[slot]:
                over[slot] = "diverged"
            else:
                entry, run = self._running[slot]
                poses[slot] = run.root_pose(entry.scene, self._rows.qpos[slot])
        to_go = self._fleet.to_go(poses)
        told = self._fleet.commands(poses)
        for slot, pose in poses.items():
            entry, run = self._running[slot]
            time = float(self._time[slot])
            verdict = run.look(time, pose, spent=self._spent(slot, run), to_go=to_go.get(slot))
            commands = [*run.commands(time, pose, {}), *([told[slot]] if slot in told else [])]
            for command in commands:
                self._stepper.command(self._rows, self._memory, entry.trial.robot, command, [slot])
            if verdict:
                over[slot] = verdict
        return over

    def _spent(self, slot: int, run: TrialRun) -> float:
        """Return the effort of a trial's robot so far, J."""
        robot = run.trial.robot
        if robot not in self._drives:
            self._drives[robot] = run.drives(self._stepper)
        return float(self._memory.effort[slot, self._drives[robot]].sum())


def _stands_still(model: mujoco.MjModel, varied: list[str]) -> bool:
    """Say whether a world has much ground, in the same place for all trials, and one robot on it.

    A single tree of bodies gets the same bits with MuJoCo's sleeping on or off; of more, some would
    be solved apart from others.
    """
    moved = {name for name in varied if name.startswith(("geom_pos", "geom_quat", "body_pos"))}
    return model.ngeom >= MANY_GEOMS and model.ntree == 1 and not moved and not model.nmocap


def _with_ground_at_rest(model: mujoco.MjModel) -> mujoco.MjModel:
    """Return a copy in which MuJoCo works out once where static geoms are; nobody falls asleep.

    1,600 bumps on two bridges cost 20 us a step otherwise, as much as half of a roach.
    """
    rested = copy.copy(model)
    rested.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    rested.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    rested.tree_sleep_policy[:] = int(mujoco.mjtSleepPolicy.mjSLEEP_NEVER)
    return rested
