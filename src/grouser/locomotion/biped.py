"""Biped walk: speeds to the angles of twelve leg joints and a waving arm.

The walk follows a linear inverted pendulum (`grouser.locomotion.pendulum`) from foothold to
foothold. A step lasts `Biped.step` seconds and has two phases:

1. Double support: the pressure point moves at constant speed from the old foot to the new one.
2. Single support: the pressure point is fixed while the other foot swings.

At the start of every step the next footholds are computed for the present command. The divergent
component ξ is planned backwards from the last of them. The pressure point of this step is then
shifted by the few millimetres that make ξ end the step at the planned value. The pelvis moves such
that the centre of mass, legs included, is at the pendulum's x. Starting and stopping are steps
without a swing foot: the weight shifts to the first support foot, and at the end back to the middle
between the feet.

All points are given in the frame of the support foot: origin in the middle of its sole, x to the
toes, y left. Feet are (x, y, yaw). The walk is open loop and uses no feedback.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.locomotion import pendulum
from grouser.locomotion.biped_leg import JOINTS, BipedLeg

Flags = npt.NDArray[np.bool_]

GRAVITY = 9.81  # m/s2

STAND, SHIFT, STEP, LAST, SETTLE = range(5)
"""Kinds of step: stand, shift the weight to one foot, step, close the feet, centre the weight."""

TIME: Final = 0  # s since this step began
KIND: Final = 1  # one of the five kinds above
SIDE: Final = 2  # support foot: 1 left, -1 right
OTHER: Final = slice(3, 6)  # pose of the other foot at the beginning of this step, m, m, rad
LANDING: Final = slice(6, 9)  # pose of the other foot at the end of this step, m, m, rad
XI: Final = slice(9, 11)  # ξ at the beginning, m
MASS: Final = slice(11, 13)  # the centre of mass at the beginning, m
PRESSURE: Final = slice(13, 15)  # the pressure point at the beginning, m
TARGET: Final = slice(15, 17)  # the pressure point in single support, m
PACE: Final = slice(17, 20)  # speeds of this step: forward m/s, sideways m/s, turn rad/s
WAVE: Final = 20  # elevation of the waving arm, 0 to 1
BEAT: Final = 21  # phase of the wave, rad
WIDTH: Final = 22

AHEAD = 3
"""Number of steps planned in advance; later steps have a weight of exp(-ω step AHEAD), 1e-3."""
SMALL = 1e-9
"""Speeds (m/s, rad/s) and distances (m) below this value count as zero."""


@dataclass(frozen=True, kw_only=True)
class Balance:
    """Mass distribution of a humanoid."""

    centre: tuple[float, float, float]
    """Centre of mass of the standing robot in the pelvis frame, m."""
    leg: float
    """Mass of one leg over the mass of the robot, -."""
    leg_centre: float
    """Depth of a leg's own centre of mass over the depth of the sole, -."""
    waving: tuple[float, float]
    """Displacement of the centre of mass by the raised arm, x and y, m."""


@dataclass(frozen=True, kw_only=True)
class Wave:
    """Waving motion of an arm: a raised posture and an oscillation about it."""

    drives: tuple[str, ...]
    up: tuple[float, ...]
    """Angles (rad) of the raised posture; at rest they are 0."""
    swing: tuple[float, ...]
    """Amplitudes (rad) of the oscillation."""
    rise: float
    """Time (s) in which the arm is raised or lowered."""
    frequency: float
    """Frequency of the oscillation, Hz."""

    def angles(self, height: Array, beat: Array) -> Array:
        """Return the arm's angles (n, drives), rad; ``height`` 0 to 1, ``beat`` in rad."""
        risen = _smooth(height)[:, None]
        return np.asarray(risen * (np.array(self.up) + np.sin(beat)[:, None] * self.swing))


@dataclass(frozen=True, kw_only=True)
class Biped:
    """Open-loop walk of a humanoid; implements `grouser.robots.robot.Gait`."""

    leg: BipedLeg
    balance: Balance
    wave: Wave
    height: float
    """Height of the pelvis above the ground, m."""
    gap: float
    """Distance between the middles of the soles, m."""
    pressure_offset: float
    """Inward offset of the pressure point from the middle of the support foot's sole, m."""
    step: float
    """Time from the landing of one foot to the landing of the other, s."""
    double_support: float
    """Duration of double support in a step, s."""
    lift: float
    """Greatest height of the swing foot, m."""
    fastest: tuple[float, float, float]
    """Largest speeds: forward m/s, sideways m/s, turn rad/s."""
    max_change: tuple[float, float, float]
    """Largest change of each speed from one step to the next."""
    period: float = 0.01
    """Longest time (s) between two calls."""

    inputs = ("forward", "sideways", "turn", "wave")

    @property
    def drives(self) -> tuple[str, ...]:
        """Drives of both legs and of the waving arm."""
        legs = tuple(f"{side}_{joint}" for side in ("left", "right") for joint in JOINTS)
        return legs + self.wave.drives

    @property
    def omega(self) -> float:
        """Natural frequency of the pendulum, 1/s."""
        return math.sqrt(GRAVITY / (self.height + self.balance.centre[2]))

    @cached_property
    def _fastest(self) -> Array:
        return np.array(self.fastest)

    # -- the protocol ------------------------------------------------------------------------

    def start(self) -> Array:
        """Return the state of a robot standing with its feet side by side."""
        state = np.zeros(WIDTH)
        state[[KIND, SIDE]] = STAND, 1.0
        state[OTHER] = state[LANDING] = 0.0, -self.gap, 0.0
        for point in (XI, MASS, PRESSURE, TARGET):
            state[point] = 0.0, -self.gap / 2
        return state

    def advance(self, state: Array, inputs: Array, dt: float) -> Array:
        """Return the states (n, k) of robots after following ``inputs`` for ``dt`` (s)."""
        now = state.copy()
        self._wave_arm(now, inputs[:, 3], dt)
        now[:, TIME] += dt
        wanted = np.minimum(np.maximum(inputs[:, :3], -self._fastest), self._fastest)
        wanted[np.abs(wanted) < SMALL] = 0.0
        standing = now[:, KIND] == STAND
        over = np.where(standing, wanted.any(axis=1), now[:, TIME] >= self.step - SMALL)
        if np.count_nonzero(over):
            which = np.flatnonzero(over)
            now[which] = self._next(now[which], wanted[which])
        # A standing robot needs the time only until its remaining sway has decayed.
        now[:, TIME] = np.minimum(now[:, TIME], 2 * self.step)
        return now

    def angles(self, state: Array) -> Array:
        """Return the angles (n, drives) of the legs and the waving arm, rad."""
        count = len(state)
        rows, swinging = np.arange(count), np.where(state[:, SIDE] > 0, 1, 0)
        feet, height = np.zeros((count, 2, 3)), np.zeros((count, 2))
        other, up = self._swing(state)
        feet[rows, swinging], height[rows, swinging] = other, up
        heading = other[:, 2] / 2
        pelvis = self._pelvis(state, feet, heading)
        sole, yaw = np.empty((count, 2, 3)), feet[:, :, 2] - heading[:, None]
        sole[..., :2] = _turn(feet[..., :2] - pelvis[:, None], -heading[:, None])
        sole[..., 2] = height - self.height
        # The right leg is the mirror image of the left one.
        sole[:, 1, 1] *= -1
        yaw[:, 1] *= -1
        legs = self.leg.angles(sole, yaw).reshape(count, -1)
        return np.concatenate([legs, self.wave.angles(state[:, WAVE], state[:, BEAT])], axis=1)

    # -- within a step -----------------------------------------------------------------------

    def pressure(self, state: Array) -> Array:
        """Return the planned pressure point in the frame of the support foot, (n, 2), m."""
        shifted = np.minimum(state[:, TIME, None] / self.double_support, 1.0)
        return np.asarray(state[:, PRESSURE] + shifted * (state[:, TARGET] - state[:, PRESSURE]))

    def _pendulum(self, state: Array) -> tuple[Array, Array]:
        """Return ξ and the centre of mass now, (n, 2) each."""
        time, start, end = state[:, TIME, None], state[:, PRESSURE], state[:, TARGET]
        first, hold = (
            np.minimum(time, self.double_support),
            np.maximum(time - self.double_support, 0.0),
        )
        xi, mass = pendulum.advance_moving(
            state[:, XI], state[:, MASS], start, end, self.omega, self.double_support, first
        )
        return pendulum.advance_fixed(xi, mass, end, self.omega, hold)

    def _swing(self, state: Array) -> tuple[Array, Array]:
        """Return pose (n, 3) and height (n,), m, of the other foot."""
        share = (state[:, TIME] - self.double_support) / (self.step - self.double_support)
        share = np.minimum(np.maximum(share, 0.0), 1.0)
        way = state[:, LANDING] - state[:, OTHER]
        # The vertical speed is 0 at lift-off and landing.
        height = np.where(_swings(state[:, KIND]), self.lift, 0.0) * (4 * share * (1 - share)) ** 2
        return state[:, OTHER] + _smooth(share)[:, None] * way, height

    def _pelvis(self, state: Array, feet: Array, heading: Array) -> Array:
        """Return the pelvis position (n, 2) for which the centre of mass follows the pendulum."""
        # The centre of mass of a leg moves by a constant share of the displacement of its
        # foot.
        share = self.balance.leg * self.balance.leg_centre
        offset = np.empty((len(state), 2))
        risen = _smooth(state[:, WAVE]) / (1 - 2 * share)
        for axis in (0, 1):
            offset[:, axis] = self.balance.centre[axis] + risen * self.balance.waving[axis]
        mass = self._pendulum(state)[1]
        footing = feet[:, 0, :2] + feet[:, 1, :2]
        return np.asarray((mass - share * footing) / (1 - 2 * share) - _turn(offset, heading))

    def _wave_arm(self, state: Array, waving: Array, dt: float) -> None:
        """Raise or lower the arm and advance the phase of its wave."""
        if not (np.count_nonzero(waving) or np.count_nonzero(state[:, WAVE])):
            return
        most = dt / self.wave.rise
        wanted = np.minimum(np.maximum(waving, 0.0), 1.0)
        state[:, WAVE] += np.minimum(np.maximum(wanted - state[:, WAVE], -most), most)
        turned = state[:, BEAT] + 2 * math.pi * self.wave.frequency * dt
        state[:, BEAT] = np.where(state[:, WAVE] > 0, turned % (2 * math.pi), 0.0)

    # -- from step to step -------------------------------------------------------------------

    def _next(self, state: Array, wanted: Array) -> Array:
        """Return the states at the start of the next step; ``wanted`` (n, 3) has PACE's units."""
        now = self._end_step(state)
        moves: Flags = np.asarray(wanted.any(axis=1))
        kind = _next_kind(state[:, KIND], moves)
        # A walk that begins to the left, or with a turn to the left, begins with the left foot.
        leftward = np.where(wanted[:, 1] != 0, wanted[:, 1], wanted[:, 2])
        _swap_support(now, (kind == SHIFT) & (leftward * now[:, SIDE] > 0))
        change = np.clip(wanted - now[:, PACE], -np.array(self.max_change), self.max_change)
        now[:, PACE] = np.where(_swings(kind)[:, None], now[:, PACE] + change, 0.0)
        stopping = (kind == STEP) & ~now[:, PACE].any(axis=1) & ~moves
        now[:, KIND] = np.where(stopping, LAST, kind)
        landing = self._landing(now[:, SIDE], now[:, PACE])
        now[:, LANDING] = np.where(_swings(kind)[:, None], landing, now[:, OTHER])
        self._place_pressure(now)
        return now

    def _end_step(self, state: Array) -> Array:
        """Return the states at the end of their step, in the frame of the next support foot."""
        standing = state[:, KIND] == STAND
        end, now = state.copy(), state.copy()
        end[:, TIME] = np.where(standing, state[:, TIME], self.step)
        now[:, TIME] = np.where(standing, 0.0, state[:, TIME] - self.step)
        now[:, XI], now[:, MASS] = self._pendulum(end)
        now[:, PRESSURE] = self.pressure(end)
        now[:, OTHER] = state[:, LANDING]
        _swap_support(now, _swings(state[:, KIND]))
        return now

    def _landing(self, side: Array, pace: Array) -> Array:
        """Return the landing pose (n, 3) of the other foot in a step at ``pace``."""
        # Sideways and in turns the foot on that side opens the stance and the other one
        # closes it.
        other = -side
        lateral = np.where(pace[:, 1] * other > 0, 2 * self.step * pace[:, 1], 0.0)
        yaw = np.where(pace[:, 2] * other > 0, 2 * self.step * pace[:, 2], 0.0)
        place = np.stack([self.step * pace[:, 0], lateral + other * self.gap], axis=-1)
        return np.concatenate([_turn(place, yaw / 2), yaw[:, None]], axis=-1)

    def _place_pressure(self, state: Array) -> None:
        """Set TARGET such that ξ ends this step at the value that the next steps require."""
        kind = state[:, KIND, None]
        middle = state[:, OTHER.start : OTHER.start + 2] / 2
        stepping = _swings(kind)
        state[:, TARGET] = np.where(stepping, self._support_point(state[:, SIDE])[:, :2], middle)
        for point in (XI, PRESSURE):
            state[:, point] = np.where(kind == STAND, middle, state[:, point])
        end = state.copy()
        end[:, TIME] = self.step
        missing = self._required_xi(state) - self._pendulum(end)[0]
        # The target changes ξ at the end and, as the next step starts there, the required ξ.
        reached = pendulum.end_sensitivity(
            self.omega, self.double_support, self.step - self.double_support
        )
        required = np.where(
            kind == SETTLE, 0.0, pendulum.start_sensitivity(self.omega, self.double_support)
        )
        state[:, TARGET] += np.where(kind == STAND, 0.0, missing / (reached - required))

    def _required_xi(self, state: Array) -> Array:
        """Return ξ (n, 2) that the next footholds require at the end of this step."""
        kind, rate, hold = state[:, KIND, None], self.omega, self.step - self.double_support
        middle = state[:, LANDING.start : LANDING.start + 2] / 2
        points, end = self._footholds(state)
        needed = end
        for here, there in reversed(list(zip(points, [*points[1:], end], strict=True))):
            needed = pendulum.initial_xi(needed, here, there, rate, self.double_support)
            needed = pendulum.initial_xi(needed, here, here, rate, hold)
        first = np.where(kind == LAST, middle, points[0])
        needed = np.where(kind == LAST, middle, needed)
        needed = pendulum.initial_xi(needed, state[:, TARGET], first, rate, self.double_support)
        return np.where((kind == SETTLE) | (kind == STAND), middle, needed)

    def _footholds(self, state: Array) -> tuple[list[Array], Array]:
        """Return the pressure points of the next steps at this pace and the final mid-point."""
        shifting = state[:, KIND] == SHIFT
        side = np.where(shifting, state[:, SIDE], -state[:, SIDE])
        foot = np.where(shifting[:, None], 0.0, state[:, LANDING])
        points = []
        for _ in range(AHEAD):
            points.append(_compose_frames(foot, self._support_point(side))[:, :2])
            before, foot = foot, _compose_frames(foot, self._landing(side, state[:, PACE]))
            side = -side
        return points, (before[:, :2] + foot[:, :2]) / 2

    def _support_point(self, side: Array) -> Array:
        """Return the pressure point of a support foot in its own frame, (n, 3)."""
        return np.stack([0 * side, -self.pressure_offset * side, 0 * side], axis=-1)


def _next_kind(kind: Array, moves: Flags) -> Array:
    """Return the kind of step that follows ``kind``, (n,); ``moves``: a speed is commanded."""
    after_settling = np.where(moves, SHIFT, STAND)
    return np.select(
        [kind == STAND, kind == SHIFT, kind == STEP, kind == LAST],
        [SHIFT, STEP, STEP, SETTLE],
        after_settling,
    )


def _swings(kind: Array) -> Flags:
    """Return True where the other foot swings."""
    return np.asarray((kind == STEP) | (kind == LAST))


def _swap_support(state: Array, which: Flags) -> None:
    """Make the other foot the support foot, and its frame the reference, in the rows ``which``."""
    other = state[:, OTHER].copy()
    pick, yaw = which[:, None], other[:, 2]
    for point in (XI, MASS, PRESSURE):
        seen = _turn(state[:, point] - other[:, :2], -yaw)
        state[:, point] = np.where(pick, seen, state[:, point])
    back = np.concatenate([_turn(-other[:, :2], -yaw), -yaw[:, None]], axis=-1)
    state[:, OTHER] = np.where(pick, back, other)
    state[:, SIDE] = np.where(which, -state[:, SIDE], state[:, SIDE])


def _compose_frames(frame: Array, pose: Array) -> Array:
    """Return ``pose``, given in ``frame``, in the parent of ``frame``; all (n, 3)."""
    place = frame[:, :2] + _turn(pose[:, :2], frame[:, 2])
    return np.concatenate([place, frame[:, 2:] + pose[:, 2:]], axis=-1)


def _turn(points: Array, angle: Array) -> Array:
    """Rotate points (…, 2) by angles (…), rad."""
    cos, sin = np.cos(angle), np.sin(angle)
    x, y = points[..., 0], points[..., 1]
    turned = np.empty(points.shape)
    turned[..., 0] = cos * x - sin * y
    turned[..., 1] = sin * x + cos * y
    return turned


def _smooth(share: Array) -> Array:
    """Return the quintic smoothstep of a share 0 to 1: zero speed and acceleration at both ends."""
    return np.asarray(share**3 * (10 + share * (6 * share - 15)))
