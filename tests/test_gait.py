"""Legs, trot and kick as pure functions: exact, smooth, within limits, alike for many."""

import numpy as np
import pytest

from grouser.frames import Array
from grouser.locomotion.quadruped_legs import END, LEGS, MIRROR
from grouser.locomotion.trot import KICK, LIFT, SPEED, Trot
from grouser.robots.ers7 import ERS7
from grouser.robots.ers210 import ERS210
from grouser.robots.parts.aibo import Aibo

AIBOS = pytest.mark.parametrize("aibo", [ERS7, ERS210], ids=["ers7", "ers210"])
DT = 0.004


def limits(aibo: Aibo) -> tuple[Array, Array]:
    """Return the legs' joint limits, rad, (12, 2), and speeds, rad/s, (12,)."""
    robot = aibo.build()
    names = aibo.gait.drives
    speeds = np.array([robot.drives[name].speed for name in names])
    return np.array([robot.limits[name] for name in names]), speeds


def walked(
    gait: Trot, told: Array | list[float], seconds: float, state: Array | None = None
) -> Array:
    """Return the states (steps, n, k) of robots told the rows of ``told`` all the time."""
    told = np.atleast_2d(told).astype(float)
    state = np.tile(gait.start(), (len(told), 1)) if state is None else state
    states = []
    for _ in range(round(seconds / DT)):
        state = gait.advance(state, told, DT)
        states.append(state)
    return np.array(states)


def extremes(gait: Trot) -> Array:
    """Return corners of what the gait can be told, without kicks, (n, 4)."""
    forward, sideways, turn = gait.fastest
    signs = np.array(np.meshgrid([-1, 0, 1], [-1, 0, 1], [-1, 0, 1])).reshape(3, -1).T
    return np.column_stack([signs * [forward, sideways, turn], np.zeros(len(signs))])


@AIBOS
def test_legs_go_back_where_they_came_from(aibo: Aibo) -> None:
    rng = np.random.default_rng(1)
    (low, high), straight = limits(aibo)[0].reshape(4, 3, 2).transpose(2, 0, 1), aibo.legs._straight
    angles = rng.uniform(np.maximum(low, -1.2), np.minimum(high, 1.2), (500, 4, 3))
    # Beyond straight the knee has another, equally good answer.
    angles[..., 2] = rng.uniform(END * straight + 0.05, high[:, 2], (500, 4))
    paws = aibo.legs.paws(angles)
    below = paws[..., 2] < -0.02  # a paw above its shoulder is reached over the other side
    assert below.mean() > 0.5
    assert np.abs(aibo.legs.angles(paws) - angles)[below].max() < 1e-9


@AIBOS
def test_legs_reach_what_they_are_told_to_the_last_micrometre(aibo: Aibo) -> None:
    rng = np.random.default_rng(2)
    paws = aibo.stance.paws() + rng.uniform(-0.01, 0.01, (200, 4, 3))
    assert np.abs(aibo.legs.paws(aibo.legs.angles(paws)) - paws).max() < 1e-12


@AIBOS
def test_a_leg_stretches_towards_what_is_out_of_reach(aibo: Aibo) -> None:
    far = aibo.legs.shoulders + np.array([0.0, 0.0, -1.0])
    angles = aibo.legs.angles(far)
    assert np.isfinite(angles).all()
    assert angles[:, 2] == pytest.approx(END * aibo.legs._straight)


@AIBOS
def test_hanging_legs_are_as_long_as_the_table(aibo: Aibo) -> None:
    paws = aibo.legs.paws(np.zeros((4, 3)))
    for leg, paw in zip(LEGS, paws, strict=True):
        limb = aibo.legs.fore if leg.endswith("f") else aibo.legs.hind
        x, y, z = np.sum([limb.shoulder, limb.upper, limb.lower], axis=0)
        assert paw == pytest.approx([x, y if leg.startswith("l") else -y, z])


@AIBOS
def test_positive_angles_go_forwards_outwards_and_bend(aibo: Aibo) -> None:
    still = aibo.legs.angles(aibo.stance.paws())
    for joint, axis, sign in ((0, 0, np.ones(4)), (1, 1, np.array([1, 1, -1, -1])), (2, 0, END)):
        more = still.copy()
        more[:, joint] += 0.05
        assert ((aibo.legs.paws(more) - aibo.stance.paws())[:, axis] * sign > 0).all()


@AIBOS
def test_whatever_it_is_told_joints_stay_within_their_limits(aibo: Aibo) -> None:
    (low, high), _ = limits(aibo)[0].T, None
    gait = aibo.gait
    for told in (extremes(gait), 5 * extremes(gait)):
        states = walked(gait, told, 2.0)
        angles = gait.angles(states.reshape(-1, states.shape[-1]))
        assert (angles >= low).all()
        assert (angles <= high).all()
    assert np.abs(states[-1, :, SPEED]).max(axis=0) == pytest.approx(gait.fastest)


@AIBOS
def test_diagonal_legs_go_together_and_two_are_always_down(aibo: Aibo) -> None:
    gait = aibo.gait
    states = walked(gait, [gait.fastest[0], 0, 0, 0], 3.0)[250:, 0]
    lifted = gait.paws(states)[..., 2] - gait.standing[:, 2]
    assert lifted[:, 0] == pytest.approx(lifted[:, 3], abs=1e-12)
    assert lifted[:, 1] == pytest.approx(lifted[:, 2], abs=1e-12)
    assert ((lifted < 1e-9).sum(axis=1) >= 2).all()
    assert lifted.max() == pytest.approx(gait.height, rel=0.01)


@AIBOS
def test_paws_on_the_ground_go_back_as_fast_as_the_robot_goes_on(aibo: Aibo) -> None:
    gait = aibo.gait
    told = np.array([0.5 * gait.fastest[0], 0.3 * gait.fastest[1], 0.2 * gait.fastest[2], 0.0])
    paws = gait.paws(walked(gait, told, 3.0)[500:, 0])
    down = (paws[1:, :, 2] == gait.standing[:, 2]) & (paws[:-1, :, 2] == gait.standing[:, 2])
    speeds = np.diff(paws, axis=0) / DT
    forward, sideways, turn = told[:3] / gait.slip
    x, y, _ = gait.standing.T
    wanted = -np.stack([forward - turn * y, sideways + turn * x], axis=-1)
    assert np.abs(speeds[..., :2] - wanted)[down].max() < 1e-9


@AIBOS
def test_it_starts_and_stops_without_a_jump(aibo: Aibo) -> None:
    gait = aibo.gait
    go = walked(gait, [gait.fastest[0], 0, gait.fastest[2] / 2, 0], 1.5)
    halt = walked(gait, np.zeros(4), 2.0, go[-1])
    paws = gait.paws(np.concatenate([gait.start()[None], go[:, 0], halt[:, 0]]))
    steps = np.linalg.norm(np.diff(paws, axis=0), axis=-1)
    assert steps.max() < 1.0 * DT, "no paw ever moves faster than 1 m/s"
    assert steps[0].max() < 0.1 * DT
    assert paws[-1] == pytest.approx(gait.standing)
    assert halt[-1, 0] == pytest.approx(gait.start())


@AIBOS
def test_many_robots_walk_as_one_does_to_the_bit(aibo: Aibo) -> None:
    gait = aibo.gait
    told = extremes(gait)
    told[::3, 3] = 1.0
    together = walked(gait, told, 1.0)
    for number in (0, 7, len(told) - 1):
        alone = walked(gait, told[number], 1.0)
        assert np.array_equal(together[:, number], alone[:, 0])
        assert np.array_equal(gait.angles(together[-1])[number], gait.angles(alone[-1])[0])


@AIBOS
def test_a_kick_waits_until_it_stands_happens_once_and_then_walks_on(aibo: Aibo) -> None:
    gait = aibo.gait
    fast = walked(gait, [gait.fastest[0], 0, 0, 0], 1.0)[-1]
    told = [gait.fastest[0], 0, 0, 1.0]
    states = walked(gait, told, gait.kick.duration + 3.0, fast)[:, 0]
    begun = int(np.argmax(states[:, KICK] > 0))
    assert begun * DT > 0.1
    assert (states[begun, SPEED] == 0).all()
    assert states[begun, LIFT] == 0
    kicking = states[:, KICK] > 0
    assert kicking.sum() * DT == pytest.approx(gait.kick.duration, abs=2 * DT)
    assert np.flatnonzero(np.diff(kicking.astype(int)) < 0).size == 1, "one kick only"
    assert states[-1, SPEED][0] == pytest.approx(gait.fastest[0])
    released = walked(gait, np.zeros(4), 2.0, states[-1:])[-1]
    assert (walked(gait, told, 1.0, released)[:, 0, KICK] > 0).any(), "and another when told again"


@AIBOS
def test_kicks_of_both_paws_mirror_each_other_within_the_limits(aibo: Aibo) -> None:
    kick, (low, high) = aibo.gait.kick, limits(aibo)[0].T
    time = np.linspace(0, kick.duration, 300)
    left = kick.angles(time, np.ones(300)).reshape(-1, 4, 3)
    right = kick.angles(time, -np.ones(300)).reshape(-1, 4, 3)
    assert np.array_equal(left[:, MIRROR], right)
    assert (left.reshape(-1, 12) >= low).all()
    assert (left.reshape(-1, 12) <= high).all()
    standing = aibo.legs.angles(aibo.stance.paws())
    assert left[0] == pytest.approx(standing)
    assert left[-1] == pytest.approx(standing)


def test_equal_robots_have_equal_gaits() -> None:
    assert hash(ERS7.gait) == hash(ERS7.build().gait)
    assert ERS7.build().gait == ERS7.build().gait
    assert ERS7.gait != ERS210.gait
