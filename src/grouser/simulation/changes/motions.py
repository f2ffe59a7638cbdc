"""Prescribed motions: bodies that follow a path or spin, regardless of contacts.

Every few milliseconds the pose and velocity of such a body are set and its weight is compensated;
between two updates it is a free body, so it pushes other bodies and carries loads. A motion is a
pure function of time, so there is no drift.
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
from grouser.simulation.scene import Scene
from grouser.simulation.scene_state import SceneState
from grouser.simulation.schedule import NEVER, Clock

RATE_HZ = 500.0
"""Updates per simulated second."""

ENERGY_SHARE = 0.5
"""Largest kinetic energy of a prescribed motion, as a part of the limit that means divergence."""

UP = (0.0, 0.0, 1.0)


class Motion(Protocol):
    """A pose as a function of time."""

    def at(self, seconds: float) -> tuple[Pose, Array, bool]:
        """Return pose, velocity (m/s and rad/s about z), and True at the end of the motion."""
        ...


@dataclass(frozen=True)
class StraightMotion:
    """Straight line in a given time, with a constant turn rate about the vertical."""

    begin: Pose
    by: tuple[float, float, float]
    """m."""
    turn: float
    """rad."""
    seconds: float

    def at(self, seconds: float) -> tuple[Pose, Array, bool]:
        """Return pose, velocity, and True at the end."""
        share = min(1.0, seconds / self.seconds)
        with np.errstate(over="ignore"):  # infinite rates are refused by their energy
            rates = np.array([*self.by, self.turn]) / self.seconds
        pose = _move_and_turn(self.begin, share * np.array(self.by), share * self.turn)
        return pose, rates, seconds >= self.seconds - 1e-9


@dataclass(frozen=True)
class PathMotion:
    """Polyline at constant speed, with constant heading."""

    begin: Pose
    points: tuple[tuple[float, float, float], ...]
    """Waypoints after the first, m."""
    speed: float
    """m/s."""
    loop: bool = False
    hold: bool = False
    """Stay at the last waypoint."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.speed) and self.speed > 0):
            raise BadValue(f"glide: the speed is {self.speed:g} m/s, must be above 0")
        if not self.points:
            raise BadValue("glide: a path needs at least one waypoint")

    def at(self, seconds: float) -> tuple[Pose, Array, bool]:
        """Return pose, velocity, and True at the last waypoint."""
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
        return (
            Pose(np.array(corners[-1]), self.begin.wxyz),
            np.zeros(4),
            not (self.loop or self.hold),
        )


@dataclass(frozen=True)
class SpinMotion:
    """Rotation about the vertical, without end."""

    begin: Pose
    rate: float
    """rad/s."""

    def at(self, seconds: float) -> tuple[Pose, Array, bool]:
        """Return pose, velocity and False."""
        turn = math.remainder(self.rate * seconds, math.tau)
        pose = _move_and_turn(self.begin, np.zeros(3), turn)
        return pose, np.array([0.0, 0.0, 0.0, self.rate]), False


def _length(corners: Sequence[tuple[float, ...]]) -> float:
    return sum(math.dist(a, b) for a, b in itertools.pairwise(corners))


def _move_and_turn(pose: Pose, by: Array, turn: float) -> Pose:
    """Return ``pose`` moved along the world's axes and turned about the vertical."""
    return Pose(pose.position + by, multiply(axis_angle(UP, turn), pose.wxyz))


def motion_for(action: Move | Shift | Glide | Spin, X_WB: Pose, standing: float) -> Motion | Pose:
    """Return the motion of a body at ``X_WB``, or its new pose if it takes no time.

    Args:
        action: the requested motion.
        X_WB: present pose of its root or centre.
        standing: height of a robot's root above its ground, m; 0 for objects.
    """
    match action:
        case Glide():
            return PathMotion(X_WB, action.through, action.speed, action.loop, action.hold)
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
        return _move_and_turn(X_WB, np.array(by), turn)
    return StraightMotion(X_WB, by, turn, action.seconds)


@dataclass(frozen=True)
class _RunningMotion:
    motion: Motion
    since: int
    """Step at which it began."""
    body: str
    """Name of the body."""


class Motions:
    """All running motions by body; kept when the scene is recompiled."""

    _clock: Clock
    """Clock of the updates; set by `rebound`."""

    def __init__(self) -> None:
        self._running: dict[str, _RunningMotion] = {}

    def rebound(self, scene: Scene, step: int) -> Motions:
        """Return these motions bound to ``scene``; this object does not change."""
        after, names = Motions(), {*scene.robots, *(thing.name for thing in scene.world.objects)}
        after._running = {name: one for name, one in self._running.items() if name in names}
        after._clock = Clock(RATE_HZ, float(scene.model.opt.timestep))
        after._clock.start(step + 1)
        return after

    @property
    def due(self) -> int:
        """The step of the next update."""
        return self._clock.due if self._running else NEVER

    def start(self, state: SceneState, name: str, motion: Motion, step: int) -> None:
        """Start ``motion`` of ``name`` at ``step``."""
        body = state.body(name)
        _check_energy(state, name, free_joint(state.model, body, name)[1], motion)
        self._running[name] = _RunningMotion(motion, step, body)
        self._clock.start(step + 1)

    def stop(self, state: SceneState, name: str) -> None:
        """End the motion of ``name``, if it has one, at rest."""
        running = self._running.pop(name, None)
        if running is not None:
            _, dof = free_joint(state.model, running.body, name)
            state.data.qfrc_applied[dof : dof + 6] = 0.0
            state.data.qvel[dof : dof + 6] = 0.0

    def forget(self, name: str) -> None:
        """End the motion of a body that is at rest already."""
        self._running.pop(name, None)

    def advance(self, state: SceneState, step: int) -> None:
        """Set all poses for ``step``; end the motions that have arrived."""
        arrived = []
        for name, running in self._running.items():
            seconds = (step - running.since) * state.scene.timestep
            pose, velocity, over = running.motion.at(seconds)
            place_free_body(state, name, pose, velocity)
            if over:
                arrived.append(name)
        for name in arrived:
            self.stop(state, name)
        self._clock.start(step + 1)


def _check_energy(state: SceneState, name: str, dof: int, motion: Motion) -> None:
    """Raise `BadValue` for a motion so fast that it would count as divergence."""
    x, y, z, turn = motion.at(0.0)[1].tolist()
    mass, inertia = state.model.dof_M0[[dof, dof + 5]].tolist()
    energy = 0.5 * (x * x + y * y + z * z + inertia / mass * turn * turn)
    most = ENERGY_SHARE * state.scene.world.physics.energy_limit
    if not energy <= most:
        raise BadValue(
            f"'{name}' would move at {math.hypot(x, y, z):.3g} m/s and {turn:.3g} rad/s, "
            f"{energy:.3g} J/kg, must be at most {most:g} (half of physics.energy_limit)"
        )


def place_free_body(
    state: SceneState, name: str, X_WB: Pose, velocity: Array | None = None
) -> None:
    """Set the pose of a free body: at rest, or with a velocity and its weight compensated."""
    model, data, body = state.model, state.data, state.body(name)
    position, dof = free_joint(model, body, name)
    data.qpos[position : position + 7] = [*X_WB.position, *X_WB.wxyz]
    data.qvel[dof : dof + 6] = 0.0
    if velocity is not None:
        data.qvel[dof : dof + 3] = velocity[:3]
        # MuJoCo's angular velocity of a free body is in the body frame.
        data.qvel[dof + 3 : dof + 6] = rotate(conjugate(X_WB.wxyz), [0.0, 0.0, velocity[3]])
        # Of the whole subtree, including a robot's legs.
        weight = model.body_subtreemass[model.body(body).id] * model.opt.gravity
        data.qfrc_applied[dof : dof + 3] = -weight


def free_joint(model: mujoco.MjModel, body: str, name: str) -> tuple[int, int]:
    """Return the addresses of a body's free joint in ``qpos`` and ``qvel``."""
    joint = int(model.body_jntadr[model.body(body).id])
    if joint < 0 or model.jnt_type[joint] != mujoco.mjtJoint.mjJNT_FREE:
        raise BadValue(f"world: '{name}' is fixed and cannot be moved")
    return int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
