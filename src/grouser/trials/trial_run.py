"""Supervision of running trials: sample the pose, judge, steer; the same for batch and simulation.

`TrialRun` holds the samples of one trial and judges it. `TrialSupervisor` does this for all trials
of a batch, a simulation or a server, and calls each path driver once for all of its robots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, up_tilt
from grouser.planning.driver import PathDriver, PathProgress
from grouser.sensors.sensor import Reading
from grouser.simulation.policy import (
    PolicyCommand,
    PolicyOptions,
    RobotRoot,
    RunningPolicy,
    TrueState,
    declaration,
    make_policy,
)
from grouser.simulation.scene import Scene
from grouser.simulation.scene_state import fingerprint
from grouser.simulation.stepping import StepMemory, Stepper
from grouser.trials.trial import FALL_TIME, Outcome, Trial, Verdict

Finished = Callable[[int, Outcome], None]
"""Called with the index of a trial and its outcome."""


@dataclass(frozen=True)
class Entry:
    """A trial with its compiled scene."""

    number: int
    """Index among all trials."""
    trial: Trial
    scene: Scene


@dataclass(frozen=True)
class RobotSample:
    """Measurement of a trial's robot at one time."""

    time: float
    """Simulated time since the start of the trial, s."""
    pose: Array
    """Pose of the robot's root: x, y, z (m), wxyz."""
    spent: float
    """Effort of the robot's drives so far, J."""
    readings: Mapping[str, Reading] = field(default_factory=dict)
    """Newest reading of each of `Trial.read_sensors`."""
    truth: TrueState | None = None
    """State of the root, if the policy requests it."""


class Assessment(NamedTuple):
    """Result of a sample."""

    verdict: Verdict | None
    """End of the trial; None: it continues."""
    commands: list[PolicyCommand]
    """Commands that are due now, in order."""


def running_policy(trial: Trial) -> RunningPolicy | None:
    """Return a new run of the trial's policy; None: it has none.

    Raises:
        BadValue: its factory makes no policy, or hides sensors that the policy declares.
    """
    if trial.policy is None:
        return None
    options = PolicyOptions(trial.robot, trial.run_seed, trial.read_sensors, trial.fleet_task)
    policy = make_policy(trial.policy, "trial")
    running = RunningPolicy(policy, options)
    hidden = [name for name in running.sensors if name not in trial.read_sensors]
    if trial.rate_hz is None and declaration(policy, "rate_hz") is not None:
        hidden.append("rate_hz")
    if hidden:
        raise BadValue(
            f"trial: the factory of policy {running.name} hides that it declares "
            f"{', '.join(hidden)}; pass its class, or functools.partial of it"
        )
    return running


class TrialRun:
    """Samples, verdict and scheduled commands of one running trial."""

    def __init__(self, trial: Trial) -> None:
        """Start a run; the policy is created for this run."""
        self.trial = trial
        self._due = list(trial.schedule)
        self.policy = running_policy(trial)
        """Policy of the run; None: it has none."""
        self._times: list[float] = []
        self._poses: list[Array] = []
        self._spent: list[float] = []
        self._best = -np.inf
        self._best_time = 0.0
        self._tilted_since = np.inf
        self._root: RobotRoot | None = None

    def root(self, scene: Scene) -> RobotRoot:
        """Return the root of the watched robot."""
        if self._root is None or self._root.scene is not scene:
            self._root = RobotRoot(scene, self.trial.robot)
        return self._root

    def root_pose(self, scene: Scene, qpos: Array) -> Array:
        """Return the pose of the watched robot's root (x, y, z, wxyz); ``qpos``: of ``scene``."""
        return self.root(scene).pose(qpos)

    def root_state(self, scene: Scene, pose: Array, qvel: Array) -> TrueState | None:
        """Return the state of the root at ``pose``; None: the policy does not request it."""
        if self.policy is None or not self.policy.truth:
            return None
        return self.root(scene).state(pose, qvel)

    def drive_indices(self, stepper: Stepper) -> list[int]:
        """Return the indices of the watched robot's drives among all drives."""
        prefix = f"{self.trial.robot}/"
        return [i for i, name in enumerate(stepper.drives.names) if name.startswith(prefix)]

    def sample(
        self, time: float, pose: Array, *, spent: float, to_go: float | None = None
    ) -> Verdict | None:
        """Store a sample and return the verdict; None: the trial continues.

        Args:
            time: simulated time, s.
            pose: pose of the watched robot's root (x, y, z, wxyz).
            spent: effort of the watched robot's drives so far, J.
            to_go: remaining length of its path, m; None: it has none.
        """
        trial = self.trial
        self._times.append(time)
        self._poses.append(pose)
        self._spent.append(spent)
        tilt = up_tilt(*pose[3:].tolist())
        if trial.goal and trial.goal.reached(pose[:3], tilt):
            return "arrived"
        if self._lost_height() > trial.fall:
            return "fell"
        if self._is_tipped(time, tilt):
            return "tipped"
        far = float(pose[0]) if to_go is None else -to_go
        if far > self._best + trial.stuck_within:
            self._best, self._best_time = far, time
        elif time - self._best_time > trial.stuck_after:
            return "stuck"
        return "out of time" if time >= trial.limit - 1e-9 else None

    def _is_tipped(self, time: float, tilt: float) -> bool:
        """Return whether the robot has tipped over.

        If the trial detects falls, the tilt must last for `FALL_TIME`: a robot that drives over an
        edge turns over in the air, and its verdict is "fell".
        """
        trial = self.trial
        if tilt <= trial.tipped_beyond:
            self._tilted_since = np.inf
            return False
        self._tilted_since = min(self._tilted_since, time)
        return np.isinf(trial.fall) or time - self._tilted_since > FALL_TIME - 1e-9

    def _lost_height(self) -> float:
        """Return the height that the root has lost within `FALL_TIME`, m."""
        now, lost = self._times[-1], 0.0
        for time, pose in zip(reversed(self._times), reversed(self._poses), strict=True):
            if now - time > FALL_TIME + 1e-9:
                break
            lost = max(lost, float(pose[2] - self._poses[-1][2]))
        return lost

    def scheduled(self, time: float) -> Iterator[PolicyCommand]:
        """Yield the scheduled commands that are due."""
        while self._due and self._due[0][0] <= time + 1e-9:
            yield self._due.pop(0)[1]

    def policy_command(
        self, time: float, readings: Mapping[str, Reading], truth: TrueState | None
    ) -> PolicyCommand | None:
        """Call the policy, and return its command; None: it has none now."""
        if self.policy is None or self._root is None:
            return None
        return self.policy.command(time, self._root.robot, readings, truth)

    def outcome(
        self, verdict: Verdict, state: Array, stepper: Stepper, memory: StepMemory, row: int = 0
    ) -> Outcome:
        """Return the outcome.

        Args:
            verdict: end of the trial.
            state: MuJoCo's state at the end.
            stepper: stepper of the scene.
            memory: state of its drives and gaits.
            row: index of the simulation in ``memory``.
        """
        poses = np.array(self._poses).reshape(-1, 7)
        mine = self.drive_indices(stepper)
        return Outcome(
            self.trial,
            verdict,
            self._times[-1] if self._times else 0.0,
            np.array(self._times),
            poses[:, :3],
            poses[:, 3:],
            np.array(self._spent),
            work=float(memory.work[row, mine].sum()),
            effort=float(memory.effort[row, mine].sum()),
            fingerprint=fingerprint(state, memory, row),
            electric=stepper.losses.electric_sum(memory.losses, self.trial.robot, row),
        )


class TrialSupervisor:
    """Sampling, judging and steering of running trials, one per slot.

    Trials with equal path drivers share one call. Each row is computed as it would be alone, so
    that the bits of a trial do not depend on the other trials.
    """

    def __init__(self, slots: int) -> None:
        """Create a supervisor with ``slots`` free slots."""
        self._slots = slots
        self._runs: dict[int, TrialRun] = {}
        self._progress: dict[PathDriver, PathProgress] = {}

    def enter(self, slot: int, run: TrialRun) -> None:
        """Start ``run`` in ``slot``."""
        self._runs[slot] = run
        driver, path = run.trial.fleet, run.trial.fleet_task
        if driver is not None and path is not None:
            if driver not in self._progress:
                self._progress[driver] = driver.begin(self._slots)
            driver.enter(self._progress[driver], slot, path)

    def assess(self, samples: Mapping[int, RobotSample]) -> dict[int, Assessment]:
        """Store one sample per slot; return verdicts and commands."""
        poses = {slot: sample.pose for slot, sample in samples.items()}
        to_go, steering = self.to_go(poses), self.steer(poses)
        found: dict[int, Assessment] = {}
        for slot, at in samples.items():
            run = self._runs[slot]
            verdict = run.sample(at.time, at.pose, spent=at.spent, to_go=to_go.get(slot))
            commands = [*run.scheduled(at.time)]
            if slot in steering:
                commands.append(steering[slot])
            if run.trial.rate_hz is None:
                own = run.policy_command(at.time, at.readings, at.truth)
                commands += [own] if own else []
            found[slot] = Assessment(verdict, commands)
        return found

    def to_go(self, poses: Mapping[int, Array]) -> dict[int, float]:
        """Return the remaining path length (m) of robots at ``poses`` (slot → x, y, z, wxyz)."""
        found: dict[int, float] = {}
        for driver, slots, rows in self._by_driver(poses):
            lengths = driver.to_go(self._progress[driver], slots, rows[:, :3])
            found |= dict(zip(slots, lengths.tolist(), strict=True))
        return found

    def steer(self, poses: Mapping[int, Array]) -> dict[int, dict[str, float]]:
        """Return the path drivers' commands for robots at ``poses`` (slot → x, y, z, wxyz)."""
        commands: dict[int, dict[str, float]] = {}
        for driver, slots, rows in self._by_driver(poses):
            values = driver.act(self._progress[driver], slots, rows[:, :3], rows[:, 3:])
            for slot, row in zip(slots, values.tolist(), strict=True):
                commands[slot] = dict(zip(driver.words, row, strict=True))
        return commands

    def _by_driver(self, poses: Mapping[int, Array]) -> list[tuple[PathDriver, list[int], Array]]:
        """Return every path driver with its slots among ``poses`` and their poses (n, 7)."""
        slots: dict[PathDriver, list[int]] = {}
        for slot in poses:
            driver = self._runs[slot].trial.fleet
            if driver is not None:
                slots.setdefault(driver, []).append(slot)
        return [
            (driver, those, np.array([poses[slot] for slot in those]))
            for driver, those in slots.items()
        ]
