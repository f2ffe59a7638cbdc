"""Motions along given paths: what glides or spins is put where it must be, whatever it meets.

What glides is put where it must be every few milliseconds, with the speed it must have and its
weight taken off it; in between it is an ordinary body, so it pushes what it meets and carries what
lies on it. A motion is a pure function of time, so nothing drifts.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import mujoco
import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, Pose, axis_angle, conjugate, multiply, rotate, to_rpy
from grouser.simulation.changes.actions import Glide, Move, Shift, Spin
from grouser.simulation.live_scene import LiveScene
from grouser.simulation.scene import Scene
from grouser.simulation.schedule import NEVER, Clock

RATE_HZ = 500.0
"""How often what glides is put in its place."""

UP = (0.0, 0.0, 1.0)


class Motion(Protocol):
    """Where something is, over time."""

    def at(self, seconds: float) -> tuple[Pose, Array, bool]:
        """Return pose and velocity (m/s and rad/s about z) after so long, and if it is over."""
        ...


@dataclass(frozen=True)
class StraightMotion:
    """Straight to a place, in a given time, turning evenly about the vertical."""

    begin: Pose
    by: tuple[float, float, float]
    """m."""
    turn: float
    """rad."""
    seconds: float

    def at(self, seconds: float) -> tuple[Pose, Array, bool]:
        """Return pose, velocity and whether it is there."""
        share = min(1.0, seconds / self.seconds)
        rates = np.array([*self.by, self.turn]) / self.seconds
        pose = _turned(self.begin, share * np.array(self.by), share * self.turn)
        return pose, rates, seconds >= self.seconds - 1e-9


@dataclass(frozen=True)
class PathMotion:
    """Along straight lines at one speed, keeping its heading."""

    begin: Pose
    points: tuple[tuple[float, float, float], ...]
    """Places after the first, m."""
    speed: float
    """m/s."""
    loop: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.speed) and self.speed > 0):
            raise BadValue(f"glide: the speed is {self.speed:g} m/s, must be above 0")
        if not self.points:
            raise BadValue("glide: a way needs at least one place to go to")

    def at(self, seconds: float) -> tuple[Pose, Array, bool]:
        """Return pose, velocity and whether the last place is reached."""
        corners = [(*self.begin.position.tolist(),), *self.points]
        ring = [self.points[-1], *self.points]
        gone, first, round_ = self.speed * seconds, _length(corners), _length(ring)
        if self.loop and gone > first and round_ > 0:
            corners, gone = ring, math.fmod(gone - first, round_)
        for a, b in itertools.pairwise(corners):
            leg = math.dist(a, b)
            if gone < leg:
                along = (np.array(b) - a) / leg
                place = np.array(a) + gone * along
                return Pose(place, self.begin.wxyz), np.array([*(self.speed * along), 0.0]), False
            gone -= leg
        return Pose(np.array(corners[-1]), self.begin.wxyz), np.zeros(4), not self.loop


@dataclass(frozen=True)
class SpinMotion:
    """On the spot, about the vertical, without end."""

    begin: Pose
    rate: float
    """rad/s."""

    def at(self, seconds: float) -> tuple[Pose, Array, bool]:
        """Return pose and velocity; it is never over."""
        turn = math.remainder(self.rate * seconds, math.tau)
        pose = _turned(self.begin, np.zeros(3), turn)
        return pose, np.array([0.0, 0.0, 0.0, self.rate]), False


def _length(corners: Sequence[tuple[float, ...]]) -> float:
    return sum(math.dist(a, b) for a, b in itertools.pairwise(corners))


def _turned(pose: Pose, by: Array, turn: float) -> Pose:
    """Return ``pose`` moved along the world's axes and turned about its vertical."""
    return Pose(pose.position + by, multiply(axis_angle(UP, turn), pose.wxyz))


def motion_for(action: Move | Shift | Glide | Spin, X_WB: Pose, standing: float) -> Motion | Pose:
    """Return how something at ``X_WB`` moves, or where it is at once.

    Args:
        action: what was asked for.
        X_WB: where its root or middle is now.
        standing: height of that above the ground on which it stands, m; 0 for objects.
    """
    match action:
        case Glide():
            return PathMotion(X_WB, action.through, action.speed, action.loop)
        case Spin():
            return SpinMotion(X_WB, action.rate)
        case Shift():
            by, turn = action.by, action.turn
        case Move():
            x, y, z = X_WB.position.tolist()
            up = 0.0 if action.z is None else action.z + standing - z
            by = (action.x - x, action.y - y, up)
            yaw = to_rpy(X_WB.wxyz)[2]
            turn = 0.0 if action.yaw is None else math.remainder(action.yaw - yaw, math.tau)
    if not (math.isfinite(action.seconds) and action.seconds >= 0):
        raise BadValue(f"move: the time is {action.seconds:g} s, must be at least 0")
    if action.seconds == 0:
        return _turned(X_WB, np.array(by), turn)
    return StraightMotion(X_WB, by, turn, action.seconds)


@dataclass(frozen=True)
class _RunningMotion:
    motion: Motion
    since: int
    """Step at which it began."""
    body: str
    """Name of the body."""


class Motions:
    """All running motions, by who is moved; they go on when somebody joins or leaves."""

    def __init__(self) -> None:
        self._running: dict[str, _RunningMotion] = {}

    def rebind(self, scene: Scene, step: int) -> None:
        """Rebind to a recomposed scene."""
        names = {*scene.robots, *(thing.name for thing in scene.world.objects)}
        self._running = {name: one for name, one in self._running.items() if name in names}
        self._clock = Clock(RATE_HZ, float(scene.model.opt.timestep))
        self._clock.start(step + 1)

    @property
    def due(self) -> int:
        """The step at which things are put in their places next."""
        return self._clock.due if self._running else NEVER

    def start(self, live: LiveScene, name: str, motion: Motion, step: int) -> None:
        """Let ``name`` follow ``motion`` from ``step`` on."""
        body = live.body(name)
        free_joint(live.model, body, name)  # raises when it is fixed
        self._running[name] = _RunningMotion(motion, step, body)
        self._clock.start(step + 1)

    def stop(self, live: LiveScene, name: str) -> None:
        """End the motion of ``name``, if it has one, and put it at rest."""
        running = self._running.pop(name, None)
        if running is not None:
            _, dof = free_joint(live.model, running.body, name)
            live.data.qfrc_applied[dof : dof + 6] = 0.0
            live.data.qvel[dof : dof + 6] = 0.0

    def forget(self, name: str) -> None:
        """End the motion of somebody who has been put at rest already."""
        self._running.pop(name, None)

    def advance(self, live: LiveScene, step: int) -> None:
        """Put everything where it must be at ``step``; end the motions that have arrived."""
        arrived = []
        for name, running in self._running.items():
            seconds = (step - running.since) * live.scene.timestep
            pose, velocity, over = running.motion.at(seconds)
            place_free_body(live, name, pose, velocity)
            if over:
                arrived.append(name)
        for name in arrived:
            self.stop(live, name)
        self._clock.start(step + 1)


def place_free_body(live: LiveScene, name: str, X_WB: Pose, velocity: Array | None = None) -> None:
    """Put a free body somewhere: at rest, or carried with a velocity and its weight taken off."""
    model, data, body = live.model, live.data, live.body(name)
    position, dof = free_joint(model, body, name)
    data.qpos[position : position + 7] = [*X_WB.position, *X_WB.wxyz]
    data.qvel[dof : dof + 6] = 0.0
    if velocity is not None:
        data.qvel[dof : dof + 3] = velocity[:3]
        # MuJoCo has a free body's angular velocity in the body's own frame.
        data.qvel[dof + 3 : dof + 6] = rotate(conjugate(X_WB.wxyz), [0.0, 0.0, velocity[3]])
        # Of all that hangs on it: a robot's legs as well.
        weight = model.body_subtreemass[model.body(body).id] * model.opt.gravity
        data.qfrc_applied[dof : dof + 3] = -weight


def free_joint(model: mujoco.MjModel, body: str, name: str) -> tuple[int, int]:
    """Return where a body's free joint is in ``qpos`` and in ``qvel``."""
    joint = int(model.body_jntadr[model.body(body).id])
    if joint < 0 or model.jnt_type[joint] != mujoco.mjtJoint.mjJNT_FREE:
        raise BadValue(f"world: '{name}' is fixed, it cannot be carried about")
    return int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
