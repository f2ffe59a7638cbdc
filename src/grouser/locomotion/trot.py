"""A trot on four legs, as the four-legged-league teams walked: paw paths, then joint angles.

In the robot's frame every paw goes straight back on the ground and returns through the air on an
arch, half an ellipse whose ends are bent so that paws neither scuff nor brake as they land;
diagonal legs go together. Told speeds are reached with a limited acceleration, and the paws are
lifted little by little, so that a walk starts and stops smoothly from a stand. `Trot` is a
`grouser.robots.robot.Gait`: pure functions on arrays with a leading axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from grouser.frames import Array
from grouser.locomotion.kick import Kick
from grouser.locomotion.quadruped_legs import JOINTS, LEGS, Legs, Stance, Vector, pitched

Locus = Literal["arch", "box"]
"""Paths of paws through the air."""
EDGE = 0.2
"""Part of the way through the air in which a box's paw is lifted, and set down."""

OFFSETS = np.array([0.0, 0.5, 0.5, 0.0])
"""Part of a period by which each of `LEGS` is ahead: diagonal legs go together."""

PHASE, SPEED, LIFT, KICK, SIDE, KICKED = 0, slice(1, 4), 4, 5, 6, 7
WIDTH = 8
"""Columns of a trot's state: phase (0 to 1), walked speeds (m/s, m/s, rad/s), how much the paws are
lifted (0 to 1), time into a kick (s; 0: none), its side (+1 left), the input that the last one
answered (0: none since it was let go)."""


@dataclass(frozen=True, kw_only=True)
class Trot:
    """How a quadruped trots, and kicks."""

    legs: Legs
    stance: Stance
    """Where the paws stand under a level body."""
    kick: Kick
    cycle: float
    """Time of a step of every leg, s."""
    grounded: float
    """Part of the cycle a paw is on the ground, more than a half: 0.5 to 1."""
    height: float
    """How high paws are lifted, m."""
    acceleration: Vector
    """Of the walked speeds, m/s², m/s², rad/s²."""
    slip: Vector
    """Walked over stepped speed, forward, sideways, turning; measured (docs/how-to/legged.md)."""
    rise: float
    """Time in which the first steps grow to full height, s."""
    fastest: Vector = (math.inf, math.inf, math.inf)
    """Largest forward, sideways (m/s) and turning (rad/s) speed, each on its own; told
    together they share a leg's way."""
    pitch: float = 0.0
    """How far the body is tilted nose down over the paws' level, rad."""
    locus: Locus = "arch"
    """How paws return through the air: on an arch, or lifted at once, carried over and set down."""

    inputs: tuple[str, ...] = ("forward", "sideways", "turn", "kick")
    """m/s ahead, m/s to the left, rad/s to the left, and which paw kicks: +1 left, -1 right. A kick
    waits until the robot stands; the next one needs a command without ``kick`` in between, or a
    number of another size (+2 after +1)."""
    drives: tuple[str, ...] = tuple(f"{leg}_{joint}" for leg in LEGS for joint in JOINTS)
    period: float = 0.008
    """s; the real robots' motion frame (sources.md B1)."""

    def start(self) -> Array:
        """Return the state of a robot that stands, ready to kick."""
        return np.zeros(WIDTH)

    def advance(self, state: Array, inputs: Array, dt: float) -> Array:
        """Return the states after ``dt`` seconds of following ``inputs`` (n, inputs)."""
        now = state.copy()
        share = np.abs(inputs[:, :3] / self._fastest).sum(axis=1)
        wish = inputs[:, :3] / np.maximum(1.0, share)[:, None]
        # Kicks are rare; without one nobody is busy, and nobody has kicked.
        kicks = np.count_nonzero(inputs[:, 3]) or np.count_nonzero(state[:, KICK])
        if kicks:
            pressed = inputs[:, 3] != 0.0
            now[:, KICKED] = np.where(pressed, now[:, KICKED], 0.0)
            busy = (now[:, KICK] > 0.0) | (pressed & (inputs[:, 3] != now[:, KICKED]))
            wish = np.where(busy[:, None], 0.0, wish)
        else:
            now[:, KICKED] = 0.0
        speed, change = now[:, SPEED], self._acceleration * dt
        speed += np.minimum(np.maximum(wish - speed, -change), change)
        walking = np.logical_or(wish, speed).any(axis=1)
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
        """Return where the paws shall be in the body's frame (m), (n, 4, 3), kicks aside."""
        phase = (state[:, PHASE, None] + OFFSETS) % 1.0
        air = np.maximum(phase - self.grounded, 0.0) / (1.0 - self.grounded)
        # In the air: the cubic that leaves and meets the ground at the ground's own speed.
        ends = 1.0 - 1.0 / self.grounded
        back = -0.5 + air * (ends + air * (1.0 - ends) * (3.0 - 2.0 * air))
        along = np.where(air > 0.0, back, 0.5 - phase / self.grounded)
        along = along * (self.cycle * self.grounded)
        speed = (state[:, SPEED] / self._slip)[:, None]
        paws = np.empty((len(state), 4, 3))
        paws[..., :2] = along[..., None] * (speed[..., :2] + speed[..., 2:] * self._around)
        paws[..., 2] = self.height * state[:, LIFT, None] * self._lifted(air)
        paws += self.standing
        return paws if self.pitch == 0.0 else pitched(paws, self.pitch)

    def _lifted(self, air: Array) -> Array:
        """Return how high paws are, 0 to 1, ``air`` (0 to 1) of the way through the air."""
        if self.locus == "arch":
            return np.sin(np.pi * air)
        edge = np.minimum(np.minimum(air, 1.0 - air) / EDGE, 1.0)
        return edge * edge * (3.0 - 2.0 * edge)

    @cached_property
    def standing(self) -> Array:
        """Where the four paws stand under a level body, m, (4, 3)."""
        return self.stance.paws()

    @cached_property
    def _around(self) -> Array:
        """How the paws go, x and y, when the robot turns by a radian to the left, m, (4, 2)."""
        x, y, _ = self.standing.T
        return np.column_stack([-y, x])

    def _advance_kick(self, now: Array, kicking: Array, still: Array, dt: float) -> None:
        """Begin a kick that is wanted where the robot stands ``still``; go on with begun ones."""
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
