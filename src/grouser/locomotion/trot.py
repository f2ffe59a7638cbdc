"""Trot of a quadruped as in the four-legged league: paw trajectories, then inverse kinematics.

In the robot's frame every paw moves straight back on the ground and returns through the air on an
arch: half an ellipse with bent ends, so that paws neither scuff nor brake when they land. Diagonal
legs move together. The commanded speeds are reached with a limited acceleration and the lift of the
paws grows gradually, so that a walk starts and stops smoothly. `Trot` is a
`grouser.robots.robot.Gait`: pure functions on arrays with a leading axis.

`fastest_speeds` computes the largest speeds of a trot from the limits of the legs' joints. On the
ground a joint has to keep up with its paw; in the air it has to return within the swing. The lift
of the paw is ignored: a joint that lags lifts the paw less, which does not reduce the speed. In
simulation, walks fail at the same limit: an ERS-210 with the limit 0.175 m/s walks at 0.18 m/s when
0.18 m/s is commanded, and drags its paws at 0.25 m/s.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from grouser.frames import Array
from grouser.locomotion.kick import Kick
from grouser.locomotion.quadruped_legs import JOINTS, LEGS, Legs, Stance, Vector, to_pitched_frame

Locus = Literal["arch", "box"]
"""Trajectories of paws through the air."""
EDGE = 0.2
"""Share of the swing in which a paw with locus ``box`` is lifted, and in which it is lowered."""

OFFSETS = np.array([0.0, 0.5, 0.5, 0.0])
"""Phase offsets of `LEGS`, in cycles: diagonal legs move together."""

PHASE, SPEED, LIFT, KICK, SIDE, KICKED = 0, slice(1, 4), 4, 5, 6, 7
WIDTH = 8
"""Columns of a trot's state: phase (0 to 1), present speeds (m/s, m/s, rad/s), lift of the paws
(0 to 1), time since the kick began (s; 0: no kick), side of the kick (+1 left), input of the last
kick (0 once the input has been released)."""

_SAMPLES = 240  # phases of a cycle at which `fastest_speeds` checks the joints
_SEARCHED = (2.0, 2.0, 12.0)  # m/s, m/s, rad/s   upper ends of the search; faster than real robots


@dataclass(frozen=True, kw_only=True)
class Trot:
    """Trot and kick of a quadruped."""

    legs: Legs
    stance: Stance
    """Positions of the standing paws under a level body."""
    kick: Kick
    cycle: float
    """Duration of a step of every leg, s."""
    grounded: float
    """Duty factor, the share of the cycle in which a paw is on the ground: 0.5 to 1."""
    height: float
    """Greatest height of the paws above the ground, m."""
    acceleration: Vector
    """Acceleration of the speeds, m/s², m/s², rad/s²."""
    slip: Vector
    """Walked over stepped speed, forward, sideways, turning; measured (docs/how-to/legged.md)."""
    rise: float
    """Time in which the first steps grow to full height, s."""
    fastest: Vector = (math.inf, math.inf, math.inf)
    """Largest forward, sideways (m/s) and turning (rad/s) speed, each without the other two.
    Combined speeds are scaled such that their shares of these limits add up to at most 1."""
    pitch: float = 0.0
    """Nose-down pitch of the body relative to the plane of the paws, rad."""
    locus: Locus = "arch"
    """Trajectory through the air: an arch, or vertically up, across and vertically down."""

    inputs: tuple[str, ...] = ("forward", "sideways", "turn", "kick")
    """Speeds m/s ahead, m/s to the left, rad/s to the left, and kick: +1 left paw, -1 right paw. A
    kick begins once the robot stands. The next one needs a command without ``kick`` in between, or
    a different value (+2 after +1)."""
    drives: tuple[str, ...] = tuple(f"{leg}_{joint}" for leg in LEGS for joint in JOINTS)
    period: float = 0.008
    """Motion frame of the real robots (sources.md B1), s."""

    def start(self) -> Array:
        """Return the state of a standing robot without a kick."""
        return np.zeros(WIDTH)

    def advance(self, state: Array, inputs: Array, dt: float) -> Array:
        """Return the states of robots after following ``inputs`` (n, inputs) for ``dt`` (s)."""
        now = state.copy()
        share = np.abs(inputs[:, :3] / self._fastest).sum(axis=1)
        target = inputs[:, :3] / np.maximum(1.0, share)[:, None]
        # Kicks are rare: without a kick input or a running kick, its columns need no update.
        kicks = np.count_nonzero(inputs[:, 3]) or np.count_nonzero(state[:, KICK])
        if kicks:
            pressed = inputs[:, 3] != 0.0
            now[:, KICKED] = np.where(pressed, now[:, KICKED], 0.0)
            busy = (now[:, KICK] > 0.0) | (pressed & (inputs[:, 3] != now[:, KICKED]))
            target = np.where(busy[:, None], 0.0, target)
        else:
            now[:, KICKED] = 0.0
        speed, change = now[:, SPEED], self._acceleration * dt
        speed += np.minimum(np.maximum(target - speed, -change), change)
        walking = np.logical_or(target, speed).any(axis=1)
        step = dt / self.rise
        lift = now[:, LIFT] + np.where(walking, step, -step)
        now[:, LIFT] = lift = np.minimum(np.maximum(lift, 0.0), 1.0)
        moving = lift > 0.0
        now[:, PHASE] = (now[:, PHASE] + dt / self.cycle) % 1.0 * moving
        if kicks:
            self._advance_kick(now, inputs[:, 3], busy & ~moving, dt)
        return now

    def angles(self, state: Array) -> Array:
        """Return the legs' joint angles (rad), (n, 12)."""
        angles = self.legs.angles(self.paws(state)).reshape(len(state), -1)
        kicking = state[:, KICK] > 0.0
        if np.count_nonzero(kicking):
            angles[kicking] = self.kick.angles(state[kicking, KICK], state[kicking, SIDE])
        return angles

    def paws(self, state: Array) -> Array:
        """Return the positions of the paws in the body frame (m), (n, 4, 3), without kicks."""
        phase = (state[:, PHASE, None] + OFFSETS) % 1.0
        air = np.maximum(phase - self.grounded, 0.0) / (1.0 - self.grounded)
        # In the air: a cubic with the speed of the ground at both ends.
        ends = 1.0 - 1.0 / self.grounded
        back = -0.5 + air * (ends + air * (1.0 - ends) * (3.0 - 2.0 * air))
        along = np.where(air > 0.0, back, 0.5 - phase / self.grounded)
        along = along * (self.cycle * self.grounded)
        speed = (state[:, SPEED] / self._slip)[:, None]
        paws = np.empty((len(state), 4, 3))
        paws[..., :2] = along[..., None] * (speed[..., :2] + speed[..., 2:] * self._around)
        paws[..., 2] = self.height * state[:, LIFT, None] * self._relative_height(air)
        paws += self.standing
        return paws if self.pitch == 0.0 else to_pitched_frame(paws, self.pitch)

    def _relative_height(self, air: Array) -> Array:
        """Return the relative height of paws, 0 to 1, at a share ``air`` (0 to 1) of the swing."""
        if self.locus == "arch":
            return np.sin(np.pi * air)
        edge = np.minimum(np.minimum(air, 1.0 - air) / EDGE, 1.0)
        return edge * edge * (3.0 - 2.0 * edge)

    @cached_property
    def standing(self) -> Array:
        """Positions of the four standing paws under a level body, m, (4, 3)."""
        return self.stance.paws()

    @cached_property
    def _around(self) -> Array:
        """Displacement of the paws, x and y, per radian of a turn to the left, m, (4, 2)."""
        x, y, _ = self.standing.T
        return np.column_stack([-y, x])

    def _advance_kick(self, now: Array, kicking: Array, still: Array, dt: float) -> None:
        """Begin commanded kicks of robots that stand ``still``; advance running kicks."""
        begin = still & (now[:, KICK] == 0.0)
        now[:, SIDE] = np.where(begin, np.sign(kicking), now[:, SIDE])
        now[:, KICKED] = np.where(begin, kicking, now[:, KICKED])
        going = begin | (now[:, KICK] > 0.0)
        time = np.where(going, now[:, KICK] + dt, 0.0)
        now[:, KICK] = np.where(time < self.kick.duration, time, 0.0)

    @cached_property
    def _fastest(self) -> Array:
        return np.array(self.fastest)

    @cached_property
    def _acceleration(self) -> Array:
        return np.array(self.acceleration)

    @cached_property
    def _slip(self) -> Array:
        return np.array(self.slip)


def fastest_speeds(trot: Trot, limits: Array, speeds: Array) -> Vector:
    """Return the largest forward, sideways (m/s) and turning (rad/s) speed of a trot, each alone.

    Joints have ``limits`` (12, 2; rad) and largest ``speeds`` (12,; rad/s).
    """
    forward, sideways, turn = (_largest_speed(trot, limits, speeds, axis) for axis in range(3))
    return forward, sideways, turn


def _largest_speed(trot: Trot, limits: Array, speeds: Array, axis: int) -> float:
    """Return the largest speed along one axis by bisection, to a thousandth of the range."""
    low, high = 0.0, _SEARCHED[axis]
    for _ in range(10):
        middle = (low + high) / 2
        if _can_follow(trot, limits, speeds, axis, middle):
            low = middle
        else:
            high = middle
    return low


def _can_follow(trot: Trot, limits: Array, speeds: Array, axis: int, speed: float) -> bool:
    """Return True if all joints reach the paws' positions and keep up with them, both ways."""
    for way in (speed, -speed):
        states = np.zeros((_SAMPLES, WIDTH))
        states[:, PHASE] = np.arange(_SAMPLES) / _SAMPLES
        states[:, SPEED][:, axis] = way
        angles = trot.angles(states)
        if (angles < limits[:, 0]).any() or (angles > limits[:, 1]).any():
            return False
        moved = np.abs(np.roll(angles, -1, axis=0) - angles)
        air = (states[:, PHASE, None] + OFFSETS) % 1.0 >= trot.grounded
        aloft = np.repeat(air, 3, axis=1)
        on_ground = np.where(aloft, 0.0, moved).max(axis=0) * (_SAMPLES / trot.cycle)
        in_air = np.where(aloft, moved, 0.0).sum(axis=0) / ((1.0 - trot.grounded) * trot.cycle)
        if (np.maximum(on_ground, in_air) > speeds).any():
            return False
    return True
