"""Batch lane: scheduler of trials of one layout in the slots of a `SceneBatch` on one core.

A lane has a fixed number of slots; a waiting trial enters the slot of a finished one. A trial's
result has the same bits in any lane, whatever the other trials are.

Trials of worlds with events, triggers or sensors run in `grouser.trials.simulation_lane`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from grouser.simulation.policy import sample_steps
from grouser.simulation.scene import Scene
from grouser.trials.scene_batch import RowStart, SceneBatch
from grouser.trials.starts import SceneStarts, initialize_robots
from grouser.trials.trial import Verdict
from grouser.trials.trial_run import Entry, Finished, RobotSample, TrialRun, TrialSupervisor
from grouser.trials.warp.physics import PhysicsFactory


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
        physics: PhysicsFactory | None = None,
    ) -> None:
        """Allocate a batch of ``slots`` simulations.

        Args:
            scenes: scenes of all trials, of one layout.
            waiting: queue of trials in these scenes, shared with other lanes.
            slots: number of simulations in the batch.
            sample_period: approximate simulated time between two samples, s.
            drawn: True if some trials vary friction or mass (`TrialStart`).
            physics: as in `SceneBatch`.
        """
        self._waiting = waiting
        self._batch = SceneBatch(scenes, slots, drawn=drawn, physics=physics)
        self._steps = sample_steps(self._batch.scene, sample_period)
        self._running: dict[int, tuple[Entry, TrialRun]] = {}
        self._starts: dict[int, SceneStarts] = {}
        self._supervisor = TrialSupervisor(slots)
        self._drives: dict[str, list[int]] = {}

    def run(self, finished: Finished, cancelled: Callable[[], bool]) -> None:
        """Run until the queue is empty and all slots are free, or until ``cancelled``."""
        batch = self._batch
        self._fill(list(range(len(batch))))
        while self._running and not cancelled():
            slots = sorted(self._running)
            # The step count starts at 0 again: samples are whole settling periods apart.
            batch.run(np.array(slots, np.int32), self._steps, 0)
            over = self._sample(slots)
            for slot, verdict in over.items():
                entry, run = self._running.pop(slot)
                state = batch.physics.state[slot]
                finished(
                    entry.number, run.outcome(verdict, state, batch.stepper, batch.memory, slot)
                )
            self._fill(list(over))

    def _fill(self, slots: list[int]) -> None:
        """Start the next waiting trials in ``slots``, as far as there are any."""
        filled: dict[int, Entry] = {}
        for slot in slots:
            try:
                filled[slot] = self._waiting.popleft()
            except IndexError:  # the queue is empty
                break
        self._batch.load({slot: self._start(entry) for slot, entry in filled.items()})
        for slot, entry in filled.items():
            self._running[slot] = entry, TrialRun(entry.trial)
            self._initialize(slot)

    def _start(self, entry: Entry) -> RowStart:
        """Return the start of a trial."""
        scene, trial = entry.scene, entry.trial
        if id(scene) not in self._starts:
            self._starts[id(scene)] = SceneStarts(scene)
        return RowStart(scene, *self._starts[id(scene)].state(trial.robot, trial.start))

    def _initialize(self, slot: int) -> None:
        """Set the posture and the first commands of the robots in ``slot``."""
        entry, run = self._running[slot]
        batch = self._batch
        self._supervisor.enter(slot, run)
        pose = run.root_pose(entry.scene, batch.rows.qpos[slot])
        initialize_robots(
            batch.stepper,
            batch.rows,
            batch.memory,
            entry.scene,
            [slot],
            watched=entry.trial.robot,
            phase=entry.trial.start.phase if entry.trial.start else 0.0,
            command=self._supervisor.steer({slot: pose}).get(slot),
        )

    def _sample(self, slots: list[int]) -> dict[int, Verdict]:
        """Sample and command the trials; return the verdicts of those that have ended."""
        batch = self._batch
        over: dict[int, Verdict] = {}
        samples: dict[int, RobotSample] = {}
        diverged = batch.diverged().tolist()
        for slot in slots:
            if diverged[slot]:
                over[slot] = "diverged"
            else:
                entry, run = self._running[slot]
                pose = run.root_pose(entry.scene, batch.rows.qpos[slot])
                samples[slot] = RobotSample(
                    float(batch.time[slot]),
                    pose,
                    self._spent(slot, run),
                    truth=run.root_state(entry.scene, pose, batch.rows.qvel[slot]),
                )
        for slot, (verdict, commands) in self._supervisor.assess(samples).items():
            robot = self._running[slot][0].trial.robot
            for command in commands:
                batch.stepper.command(batch.rows, batch.memory, robot, command, [slot])
            if verdict:
                over[slot] = verdict
        return over

    def _spent(self, slot: int, run: TrialRun) -> float:
        """Return the effort of a trial's robot so far, J."""
        robot, batch = run.trial.robot, self._batch
        if robot not in self._drives:
            self._drives[robot] = run.drive_indices(batch.stepper)
        return float(batch.memory.effort[slot, self._drives[robot]].sum())
