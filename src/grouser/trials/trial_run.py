"""A trial in flight: looked at ten times a second, wherever its physics runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, up_tilt
from grouser.sensors.sensor import Reading
from grouser.simulation.live_scene import fingerprint
from grouser.simulation.scene import Scene
from grouser.simulation.stepping import StepMemory, Stepper, settle_strides
from grouser.trials.trial import FALL_TIME, Observation, Outcome, Trial, Verdict

LOOK_EVERY = 0.1
"""Simulated seconds between two looks at how a trial goes; also the samples of its trajectory."""

BAD_WARNINGS = [
    int(kind)
    for kind in (
        mujoco.mjtWarning.mjWARN_BADQPOS,
        mujoco.mjtWarning.mjWARN_BADQVEL,
        mujoco.mjtWarning.mjWARN_BADQACC,
    )
]
"""Those of MuJoCo's warnings that mean that physics has blown up."""

Finished = Callable[[int, Outcome], None]
"""Called with a trial's number and how it went."""


@dataclass(frozen=True)
class Entry:
    """A trial with its composed scene."""

    number: int
    """Its place among all trials."""
    trial: Trial
    scene: Scene


def look_steps(scene: Scene, look_every: float = LOOK_EVERY) -> int:
    """Return the number of physics steps between two looks, about ``look_every`` seconds.

    Whole settling periods: a trial that joins a batch later settles in the same rhythm.
    """
    every = scene.stride * scene.timestep
    settle = settle_strides(every)
    return scene.stride * settle * max(1, round(look_every / every / settle))


class TrialRun:
    """What was seen of a trial so far, and what its robot is to be told."""

    def __init__(self, trial: Trial) -> None:
        """Begin; the policy is made anew."""
        self.trial = trial
        self._due = list(trial.schedule)
        self._policy = trial.policy() if trial.policy else None
        self._times: list[float] = []
        self._poses: list[Array] = []
        self._spent: list[float] = []
        self._best = -np.inf
        self._best_time = 0.0
        self._tilted_since = np.inf
        self._root: tuple[Scene, int] | None = None

    def root_pose(self, scene: Scene, qpos: Array) -> Array:
        """Return where the watched robot's root is (x, y, z, wxyz); ``qpos``: of ``scene``."""
        if self._root and self._root[0] is scene:  # to look it up by name takes ten times as long
            return qpos[self._root[1] : self._root[1] + 7].copy()
        name, model = self.trial.robot, scene.model
        if name not in scene.robots:
            raise BadValue(f"trial: '{name}', whom it watches, has left the world")
        if scene.robots[name].free:
            root = int(model.joint(f"{name}/free").qposadr[0])
            self._root = scene, root
            return qpos[root : root + 7].copy()
        body = model.body(f"{name}/{scene.robots[name].root}").id  # it stands where it was built
        return np.concatenate([model.body_pos[body], model.body_quat[body]])

    def drives(self, stepper: Stepper) -> list[int]:
        """Return which of all drives are the watched robot's."""
        prefix = f"{self.trial.robot}/"
        return [i for i, name in enumerate(stepper.drives.names) if name.startswith(prefix)]

    def look(
        self, time: float, pose: Array, *, spent: float, to_go: float | None = None
    ) -> Verdict | None:
        """Keep a sample (x, y, z, wxyz) and say whether the trial is over.

        Args:
            time: simulated, s.
            pose: of the watched robot's root.
            spent: effort of the watched robot's drives so far, J.
            to_go: how far it has to go on its path, m; None: it has none.
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
        if self._tipped(time, tilt):
            return "tipped"
        far = float(pose[0]) if to_go is None else -to_go
        if far > self._best + trial.stuck_within:
            self._best, self._best_time = far, time
        elif time - self._best_time > trial.stuck_after:
            return "stuck"
        return "out of time" if time >= trial.limit - 1e-9 else None

    def _tipped(self, time: float, tilt: float) -> bool:
        """Say whether it has tipped over; who may yet fall is given `FALL_TIME` to do so.

        Whoever goes over an edge turns over in the air: that is a fall.
        """
        trial = self.trial
        if tilt <= trial.tipped_beyond:
            self._tilted_since = np.inf
            return False
        self._tilted_since = min(self._tilted_since, time)
        return np.isinf(trial.fall) or time - self._tilted_since > FALL_TIME - 1e-9

    def _lost_height(self) -> float:
        """Return by how much the root is lower than it was within `FALL_TIME`, m."""
        now, lost = self._times[-1], 0.0
        for time, pose in zip(reversed(self._times), reversed(self._poses), strict=True):
            if now - time > FALL_TIME + 1e-9:
                break
            lost = max(lost, float(pose[2] - self._poses[-1][2]))
        return lost

    def commands(
        self, time: float, pose: Array, readings: Mapping[str, Reading]
    ) -> Iterator[Mapping[str, float]]:
        """Yield what the robot is to be told now: scheduled commands, then the policy's."""
        while self._due and self._due[0][0] <= time + 1e-9:
            yield self._due.pop(0)[1]
        if self._policy:
            command = self._policy(Observation(time, pose[:3], pose[3:], readings))
            if command:
                yield command

    def outcome(
        self, verdict: Verdict, state: Array, stepper: Stepper, memory: StepMemory, row: int = 0
    ) -> Outcome:
        """Return how it went.

        Args:
            verdict: how it ended.
            state: MuJoCo's, at the end.
            stepper: knows its robot's drives.
            memory: what its drives have spent.
            row: which simulation of ``memory`` it is.
        """
        poses = np.array(self._poses).reshape(-1, 7)
        mine = self.drives(stepper)
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
        )
