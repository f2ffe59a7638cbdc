"""The biped walk: speeds in, twelve leg joints (and a waving arm) out.

A linear inverted pendulum (`grouser.locomotion.pendulum`) goes from foothold to foothold. A step
lasts `Biped.step` seconds: first both feet are down and the pressure point goes evenly from the old
foot to the new one, then it stays there while the other foot swings. At the start of every step the
footholds ahead are laid out as if the robot went on as it is told, ξ is planned backwards from
where they end, and the pressure point of this step is moved by the few millimetres that bring ξ
exactly there. The pelvis follows so that the centre of mass, legs included, is over x. Starting and
stopping are steps as well, in which no foot swings: weight is shifted onto the first foot, and back
to the middle at the end.

All points lie in the frame of the foot that carries: its sole's middle, x to the toes, y left. Feet
are (x, y, yaw). Nothing is felt: the walk is open loop.
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
"""What a robot does: stand, put its weight on one foot, step, bring the feet together, even out."""

TIME: Final = 0  # s since this step began
KIND: Final = 1  # one of the five above
SIDE: Final = 2  # 1: the left foot carries, -1: the right one
OTHER: Final = slice(3, 6)  # where the other foot was when this step began, m, m, rad
LANDING: Final = slice(6, 9)  # where it will be at the end
XI: Final = slice(9, 11)  # ξ at the beginning, m
MASS: Final = slice(11, 13)  # the centre of mass at the beginning, m
PRESSURE: Final = slice(13, 15)  # the pressure point at the beginning, m
TARGET: Final = slice(15, 17)  # the pressure point once the weight is shifted, m
PACE: Final = slice(17, 20)  # forward m/s, sideways m/s, turn rad/s: this step's
WAVE: Final = 20  # how far the arm is up, 0 to 1
BEAT: Final = 21  # how far the wave is, rad
WIDTH: Final = 22

AHEAD = 3
"""Steps that are laid out in advance; what comes later matters by exp(-ω step AHEAD), 1e-3."""
SMALL = 1e-9
"""Speeds (m/s, rad/s) and distances (m) below it are none."""


@dataclass(frozen=True, kw_only=True)
class Balance:
    """Where a humanoid's mass is."""

    centre: tuple[float, float, float]
    """Centre of mass in the pelvis when the robot stands, m."""
    leg: float
    """A leg's share of the mass, -."""
    along: float
    """How far down a leg its own centre is, as a share of the way to the sole, -."""
    waving: tuple[float, float]
    """How far the centre moves when the arm goes up to wave, m: x and y."""


@dataclass(frozen=True, kw_only=True)
class Wave:
    """How an arm waves: to the middle of the wave and to and fro about it."""

    drives: tuple[str, ...]
    up: tuple[float, ...]
    """Angles (rad) in the middle of the wave; at rest they are 0."""
    swing: tuple[float, ...]
    """Angles (rad) to either side of it."""
    rise: float
    """Time (s) the arm takes to go up or down."""
    frequency: float
    """Waves per second."""

    def angles(self, height: Array, beat: Array) -> Array:
        """Return the arm's angles (n, drives), ``height`` 0 to 1, ``beat`` in rad."""
        risen = _smooth(height)[:, None]
        return np.asarray(risen * (np.array(self.up) + np.sin(beat)[:, None] * self.swing))


@dataclass(frozen=True, kw_only=True)
class Biped:
    """A humanoid's walk."""

    leg: BipedLeg
    balance: Balance
    wave: Wave
    height: float
    """Of the pelvis over the ground, m."""
    gap: float
    """Between the middles of both soles, m."""
    inward: float
    """How far inside a sole's middle the pressure point is when that foot carries, m."""
    step: float
    """Time from one foot's landing to the other's, s."""
    both: float
    """Part of it in which both feet are down, s."""
    lift: float
    """How high a foot is lifted, m."""
    fastest: tuple[float, float, float]
    """Largest forward m/s, sideways m/s and turn rad/s."""
    gain: tuple[float, float, float]
    """How much each of them may change from one step to the next."""
    period: float = 0.01
    """Longest time (s) between two calls."""

    inputs = ("forward", "sideways", "turn", "wave")

    @property
    def drives(self) -> tuple[str, ...]:
        """Both legs and the arm that waves."""
        legs = tuple(f"{side}_{joint}" for side in ("left", "right") for joint in JOINTS)
        return legs + self.wave.drives

    @property
    def omega(self) -> float:
        """The pendulum's rate, 1/s."""
        return math.sqrt(GRAVITY / (self.height + self.balance.centre[2]))

    @cached_property
    def _fastest(self) -> Array:
        return np.array(self.fastest)

    # -- the protocol ------------------------------------------------------------------------

    def start(self) -> Array:
        """Return the state of a robot that stands with its feet side by side."""
        state = np.zeros(WIDTH)
        state[[KIND, SIDE]] = STAND, 1.0
        state[OTHER] = state[LANDING] = 0.0, -self.gap, 0.0
        for point in (XI, MASS, PRESSURE, TARGET):
            state[point] = 0.0, -self.gap / 2
        return state

    def advance(self, state: Array, inputs: Array, dt: float) -> Array:
        """Return the states (n, k) ``dt`` (s) later of robots that follow ``inputs``."""
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
        # A robot that stands has no more than the rest of its sway to get rid of.
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
        # The right leg is a left one in a mirror.
        sole[:, 1, 1] *= -1
        yaw[:, 1] *= -1
        legs = self.leg.angles(sole, yaw).reshape(count, -1)
        return np.concatenate([legs, self.wave.angles(state[:, WAVE], state[:, BEAT])], axis=1)

    # -- within a step -----------------------------------------------------------------------

    def pressure(self, state: Array) -> Array:
        """Return the planned pressure point in the frame of the foot that carries, (n, 2), m."""
        shifted = np.minimum(state[:, TIME, None] / self.both, 1.0)
        return np.asarray(state[:, PRESSURE] + shifted * (state[:, TARGET] - state[:, PRESSURE]))

    def _pendulum(self, state: Array) -> tuple[Array, Array]:
        """Return ξ and the centre of mass now, (n, 2) each."""
        time, start, end = state[:, TIME, None], state[:, PRESSURE], state[:, TARGET]
        first, hold = np.minimum(time, self.both), np.maximum(time - self.both, 0.0)
        xi, mass = pendulum.run(
            state[:, XI], state[:, MASS], start, end, self.omega, self.both, first
        )
        return pendulum.rest(xi, mass, end, self.omega, hold)

    def _swing(self, state: Array) -> tuple[Array, Array]:
        """Return where the other foot is, (n, 3), and how high, m, (n,)."""
        share = (state[:, TIME] - self.both) / (self.step - self.both)
        share = np.minimum(np.maximum(share, 0.0), 1.0)
        way = state[:, LANDING] - state[:, OTHER]
        # It lifts off and lands without speed.
        height = np.where(_swings(state[:, KIND]), self.lift, 0.0) * (4 * share * (1 - share)) ** 2
        return state[:, OTHER] + _smooth(share)[:, None] * way, height

    def _pelvis(self, state: Array, feet: Array, heading: Array) -> Array:
        """Return where the pelvis must be for the centre of mass to follow the pendulum, (n, 2).

        A leg's own centre goes along with its foot by a share of the foot's way.
        """
        share = self.balance.leg * self.balance.along
        offset = np.empty((len(state), 2))
        risen = _smooth(state[:, WAVE]) / (1 - 2 * share)
        for axis in (0, 1):
            offset[:, axis] = self.balance.centre[axis] + risen * self.balance.waving[axis]
        mass = self._pendulum(state)[1]
        footing = feet[:, 0, :2] + feet[:, 1, :2]
        return np.asarray((mass - share * footing) / (1 - 2 * share) - _turn(offset, heading))

    def _wave_arm(self, state: Array, waving: Array, dt: float) -> None:
        """Raise or lower the arm, and let it wave."""
        if not (np.count_nonzero(waving) or np.count_nonzero(state[:, WAVE])):
            return
        most = dt / self.wave.rise
        wanted = np.minimum(np.maximum(waving, 0.0), 1.0)
        state[:, WAVE] += np.minimum(np.maximum(wanted - state[:, WAVE], -most), most)
        turned = state[:, BEAT] + 2 * math.pi * self.wave.frequency * dt
        state[:, BEAT] = np.where(state[:, WAVE] > 0, turned % (2 * math.pi), 0.0)

    # -- from step to step -------------------------------------------------------------------

    def _next(self, state: Array, wanted: Array) -> Array:
        """Return the states at the start of the next step; ``wanted`` (n, 3) is what PACE is."""
        now = self._arrive(state)
        moves: Flags = np.asarray(wanted.any(axis=1))
        kind = _next_kind(state[:, KIND], moves)
        # Who starts to go left, or to turn left, steps with the left foot first.
        aside = np.where(wanted[:, 1] != 0, wanted[:, 1], wanted[:, 2])
        _change_feet(now, (kind == SHIFT) & (aside * now[:, SIDE] > 0))
        change = np.clip(wanted - now[:, PACE], -np.array(self.gain), self.gain)
        now[:, PACE] = np.where(_swings(kind)[:, None], now[:, PACE] + change, 0.0)
        stopping = (kind == STEP) & ~now[:, PACE].any(axis=1) & ~moves
        now[:, KIND] = np.where(stopping, LAST, kind)
        landing = self._landing(now[:, SIDE], now[:, PACE])
        now[:, LANDING] = np.where(_swings(kind)[:, None], landing, now[:, OTHER])
        self._aim(now)
        return now

    def _arrive(self, state: Array) -> Array:
        """Return the states at the end of their step, seen from the foot that will carry."""
        standing = state[:, KIND] == STAND
        end, now = state.copy(), state.copy()
        end[:, TIME] = np.where(standing, state[:, TIME], self.step)
        now[:, TIME] = np.where(standing, 0.0, state[:, TIME] - self.step)
        now[:, XI], now[:, MASS] = self._pendulum(end)
        now[:, PRESSURE] = self.pressure(end)
        now[:, OTHER] = state[:, LANDING]
        _change_feet(now, _swings(state[:, KIND]))
        return now

    def _landing(self, side: Array, pace: Array) -> Array:
        """Return where the other foot lands in a step at ``pace``, (n, 3).

        Sideways and turning, the foot on that side goes out and the other one closes up.
        """
        other = -side
        aside = np.where(pace[:, 1] * other > 0, 2 * self.step * pace[:, 1], 0.0)
        yaw = np.where(pace[:, 2] * other > 0, 2 * self.step * pace[:, 2], 0.0)
        place = np.stack([self.step * pace[:, 0], aside + other * self.gap], axis=-1)
        return np.concatenate([_turn(place, yaw / 2), yaw[:, None]], axis=-1)

    def _aim(self, state: Array) -> None:
        """Set where the pressure point goes, so that ξ ends this step where it is needed next."""
        kind = state[:, KIND, None]
        middle = state[:, OTHER.start : OTHER.start + 2] / 2
        stepping = _swings(kind)
        state[:, TARGET] = np.where(stepping, self._inside(state[:, SIDE])[:, :2], middle)
        for point in (XI, PRESSURE):
            state[:, point] = np.where(kind == STAND, middle, state[:, point])
        end = state.copy()
        end[:, TIME] = self.step
        missing = self._needed(state) - self._pendulum(end)[0]
        # Moving the target moves where ξ ends and, as the next step starts from there, the need.
        gives = pendulum.push(self.omega, self.both, self.step - self.both)
        takes = np.where(kind == SETTLE, 0.0, pendulum.pull(self.omega, self.both))
        state[:, TARGET] += np.where(kind == STAND, 0.0, missing / (gives - takes))

    def _needed(self, state: Array) -> Array:
        """Return where ξ must be at the end of this step for the footholds ahead, (n, 2)."""
        kind, rate, hold = state[:, KIND, None], self.omega, self.step - self.both
        middle = state[:, LANDING.start : LANDING.start + 2] / 2
        points, end = self._footholds(state)
        needed = end
        for here, there in reversed(list(zip(points, [*points[1:], end], strict=True))):
            needed = pendulum.back(needed, here, there, rate, self.both)
            needed = pendulum.back(needed, here, here, rate, hold)
        first = np.where(kind == LAST, middle, points[0])
        needed = np.where(kind == LAST, middle, needed)
        needed = pendulum.back(needed, state[:, TARGET], first, rate, self.both)
        return np.where((kind == SETTLE) | (kind == STAND), middle, needed)

    def _footholds(self, state: Array) -> tuple[list[Array], Array]:
        """Return the pressure points of the next steps at this pace, and the middle at the end."""
        shifting = state[:, KIND] == SHIFT
        side = np.where(shifting, state[:, SIDE], -state[:, SIDE])
        foot = np.where(shifting[:, None], 0.0, state[:, LANDING])
        points = []
        for _ in range(AHEAD):
            points.append(_compose_frames(foot, self._inside(side))[:, :2])
            before, foot = foot, _compose_frames(foot, self._landing(side, state[:, PACE]))
            side = -side
        return points, (before[:, :2] + foot[:, :2]) / 2

    def _inside(self, side: Array) -> Array:
        """Return the pressure point of a foot that carries, in its own frame, (n, 3)."""
        return np.stack([0 * side, -self.inward * side, 0 * side], axis=-1)


def _next_kind(kind: Array, moves: Flags) -> Array:
    """Return what comes after ``kind``, (n,), for robots that shall move or not."""
    after_settling = np.where(moves, SHIFT, STAND)
    return np.select(
        [kind == STAND, kind == SHIFT, kind == STEP, kind == LAST],
        [SHIFT, STEP, STEP, SETTLE],
        after_settling,
    )


def _swings(kind: Array) -> Flags:
    """Return whether a foot swings."""
    return np.asarray((kind == STEP) | (kind == LAST))


def _change_feet(state: Array, which: Flags) -> None:
    """Make the other foot the carrying one in the rows ``which``; its frame becomes theirs."""
    other = state[:, OTHER].copy()
    pick, yaw = which[:, None], other[:, 2]
    for point in (XI, MASS, PRESSURE):
        seen = _turn(state[:, point] - other[:, :2], -yaw)
        state[:, point] = np.where(pick, seen, state[:, point])
    back = np.concatenate([_turn(-other[:, :2], -yaw), -yaw[:, None]], axis=-1)
    state[:, OTHER] = np.where(pick, back, other)
    state[:, SIDE] = np.where(which, -state[:, SIDE], state[:, SIDE])


def _compose_frames(frame: Array, pose: Array) -> Array:
    """Return ``pose``, which is given in ``frame``, where ``frame`` is given, (n, 3) all."""
    place = frame[:, :2] + _turn(pose[:, :2], frame[:, 2])
    return np.concatenate([place, frame[:, 2:] + pose[:, 2:]], axis=-1)


def _turn(points: Array, angle: Array) -> Array:
    """Turn points (…, 2) by angles (…), rad."""
    cos, sin = np.cos(angle), np.sin(angle)
    x, y = points[..., 0], points[..., 1]
    turned = np.empty(points.shape)
    turned[..., 0] = cos * x - sin * y
    turned[..., 1] = sin * x + cos * y
    return turned


def _smooth(share: Array) -> Array:
    """Return 0 to 1 for 0 to 1, with neither speed nor acceleration at the ends."""
    return np.asarray(share**3 * (10 + share * (6 * share - 15)))
