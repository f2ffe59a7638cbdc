"""Legs, trot and kick as pure functions: exactness, smoothness, limits, batches."""

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


def walk_states(
    gait: Trot, commands: Array | list[float], seconds: float, state: Array | None = None
) -> Array:
    """Return the states (steps, n, k) of robots with the constant commands ``commands`` (n, 4)."""
    commands = np.atleast_2d(commands).astype(float)
    state = np.tile(gait.start(), (len(commands), 1)) if state is None else state
    states = []
    for _ in range(round(seconds / DT)):
        state = gait.advance(state, commands, DT)
        states.append(state)
    return np.array(states)


def extreme_commands(gait: Trot) -> Array:
    """Return the corners of the range of commands, without kicks, (n, 4)."""
    forward, sideways, turn = gait.fastest
    signs = np.array(np.meshgrid([-1, 0, 1], [-1, 0, 1], [-1, 0, 1])).reshape(3, -1).T
    return np.column_stack([signs * [forward, sideways, turn], np.zeros(len(signs))])


@AIBOS
def test_inverse_kinematics_inverts_forward_kinematics(aibo: Aibo) -> None:
    rng = np.random.default_rng(1)
    (low, high), straight = limits(aibo)[0].reshape(4, 3, 2).transpose(2, 0, 1), aibo.legs._straight
    angles = rng.uniform(np.maximum(low, -1.2), np.minimum(high, 1.2), (500, 4, 3))
    # Beyond a straight knee there is a second solution.
    angles[..., 2] = rng.uniform(END * straight + 0.05, high[:, 2], (500, 4))
    paws = aibo.legs.paws(angles)
    below = paws[..., 2] < -0.02  # a paw above its shoulder is reached from the other side
    assert below.mean() > 0.5
    assert np.abs(aibo.legs.angles(paws) - angles)[below].max() < 1e-9


@AIBOS
def test_paws_reach_commanded_positions_to_a_micrometre(aibo: Aibo) -> None:
    rng = np.random.default_rng(2)
    paws = aibo.stance.paws() + rng.uniform(-0.01, 0.01, (200, 4, 3))
    assert np.abs(aibo.legs.paws(aibo.legs.angles(paws)) - paws).max() < 1e-12


@AIBOS
def test_leg_stretches_towards_unreachable_targets(aibo: Aibo) -> None:
    far = aibo.legs.shoulders + np.array([0.0, 0.0, -1.0])
    angles = aibo.legs.angles(far)
    assert np.isfinite(angles).all()
    assert angles[:, 2] == pytest.approx(END * aibo.legs._straight)


@AIBOS
def test_hanging_legs_have_the_published_length(aibo: Aibo) -> None:
    paws = aibo.legs.paws(np.zeros((4, 3)))
    for leg, paw in zip(LEGS, paws, strict=True):
        limb = aibo.legs.fore if leg.endswith("f") else aibo.legs.hind
        x, y, z = np.sum([limb.shoulder, limb.upper, limb.lower], axis=0)
        assert paw == pytest.approx([x, y if leg.startswith("l") else -y, z])


@AIBOS
def test_positive_joint_angles_are_forwards_outwards_and_bent(aibo: Aibo) -> None:
    still = aibo.legs.angles(aibo.stance.paws())
    for joint, axis, sign in ((0, 0, np.ones(4)), (1, 1, np.array([1, 1, -1, -1])), (2, 0, END)):
        more = still.copy()
        more[:, joint] += 0.05
        assert ((aibo.legs.paws(more) - aibo.stance.paws())[:, axis] * sign > 0).all()


@AIBOS
def test_joints_stay_within_limits_for_all_commands(aibo: Aibo) -> None:
    (low, high), _ = limits(aibo)[0].T, None
    gait = aibo.gait
    for commands in (extreme_commands(gait), 5 * extreme_commands(gait)):
        states = walk_states(gait, commands, 2.0)
        angles = gait.angles(states.reshape(-1, states.shape[-1]))
        assert (angles >= low).all()
        assert (angles <= high).all()
    assert np.abs(states[-1, :, SPEED]).max(axis=0) == pytest.approx(gait.fastest)


@AIBOS
def test_trot_moves_diagonal_legs_together_with_two_in_stance(aibo: Aibo) -> None:
    gait = aibo.gait
    states = walk_states(gait, [gait.fastest[0], 0, 0, 0], 3.0)[250:, 0]
    lifted = gait.paws(states)[..., 2] - gait.standing[:, 2]
    assert lifted[:, 0] == pytest.approx(lifted[:, 3], abs=1e-12)
    assert lifted[:, 1] == pytest.approx(lifted[:, 2], abs=1e-12)
    assert ((lifted < 1e-9).sum(axis=1) >= 2).all()
    assert lifted.max() == pytest.approx(gait.height, rel=0.01)


@AIBOS
def test_stance_paws_move_at_the_speed_of_the_robot(aibo: Aibo) -> None:
    gait = aibo.gait
    commands = np.array([0.5 * gait.fastest[0], 0.3 * gait.fastest[1], 0.2 * gait.fastest[2], 0.0])
    paws = gait.paws(walk_states(gait, commands, 3.0)[500:, 0])
    down = (paws[1:, :, 2] == gait.standing[:, 2]) & (paws[:-1, :, 2] == gait.standing[:, 2])
    speeds = np.diff(paws, axis=0) / DT
    forward, sideways, turn = commands[:3] / gait.slip
    x, y, _ = gait.standing.T
    wanted = -np.stack([forward - turn * y, sideways + turn * x], axis=-1)
    assert np.abs(speeds[..., :2] - wanted)[down].max() < 1e-9


@AIBOS
def test_start_and_stop_are_continuous(aibo: Aibo) -> None:
    gait = aibo.gait
    go = walk_states(gait, [gait.fastest[0], 0, gait.fastest[2] / 2, 0], 1.5)
    halt = walk_states(gait, np.zeros(4), 2.0, go[-1])
    paws = gait.paws(np.concatenate([gait.start()[None], go[:, 0], halt[:, 0]]))
    steps = np.linalg.norm(np.diff(paws, axis=0), axis=-1)
    assert steps.max() < 1.0 * DT, "no paw moves faster than 1 m/s"
    assert steps[0].max() < 0.1 * DT
    assert paws[-1] == pytest.approx(gait.standing)
    assert halt[-1, 0] == pytest.approx(gait.start())


@AIBOS
def test_batch_of_robots_equals_single_robots_bit_for_bit(aibo: Aibo) -> None:
    gait = aibo.gait
    commands = extreme_commands(gait)
    commands[::3, 3] = 1.0
    together = walk_states(gait, commands, 1.0)
    for number in (0, 7, len(commands) - 1):
        alone = walk_states(gait, commands[number], 1.0)
        assert np.array_equal(together[:, number], alone[:, 0])
        assert np.array_equal(gait.angles(together[-1])[number], gait.angles(alone[-1])[0])


@AIBOS
def test_kick_starts_when_standing_and_runs_once(aibo: Aibo) -> None:
    gait = aibo.gait
    fast = walk_states(gait, [gait.fastest[0], 0, 0, 0], 1.0)[-1]
    commands = [gait.fastest[0], 0, 0, 1.0]
    states = walk_states(gait, commands, gait.kick.duration + 3.0, fast)[:, 0]
    begun = int(np.argmax(states[:, KICK] > 0))
    assert begun * DT > 0.1
    assert (states[begun, SPEED] == 0).all()
    assert states[begun, LIFT] == 0
    kicking = states[:, KICK] > 0
    assert kicking.sum() * DT == pytest.approx(gait.kick.duration, abs=2 * DT)
    assert np.flatnonzero(np.diff(kicking.astype(int)) < 0).size == 1, "one kick only"
    assert states[-1, SPEED][0] == pytest.approx(gait.fastest[0])
    released = walk_states(gait, np.zeros(4), 2.0, states[-1:])[-1]
    assert (walk_states(gait, commands, 1.0, released)[:, 0, KICK] > 0).any(), (
        "a second command causes a second kick"
    )


@AIBOS
def test_left_and_right_kicks_are_mirrored_and_within_limits(aibo: Aibo) -> None:
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
