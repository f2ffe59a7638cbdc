"""Frames: group rules and round trips."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.frames import (
    Array,
    Pose,
    conjugate,
    degrees,
    from_rpy,
    metres,
    millimetres,
    milliseconds,
    multiply,
    multiply_one,
    radians,
    rotate,
    rotate_one,
    seconds,
    to_rpy,
    to_rpy_one,
    up_tilt,
)

angles = st.floats(-3.0, 3.0)
pitches = st.floats(-1.5, 1.5)
vectors = st.tuples(*[st.floats(-10, 10)] * 3).map(np.array)
turns = st.builds(from_rpy, angles, pitches, angles)


@given(angles, pitches, angles)
def test_rpy_round_trip(roll: float, pitch: float, yaw: float) -> None:
    np.testing.assert_allclose(to_rpy(from_rpy(roll, pitch, yaw)), (roll, pitch, yaw), atol=1e-6)
    np.testing.assert_allclose(
        to_rpy_one(*from_rpy(roll, pitch, yaw)), (roll, pitch, yaw), atol=1e-6
    )


@given(turns, turns, vectors)
def test_scalar_versions_equal_array_versions_bit_for_bit(a: Array, b: Array, v: Array) -> None:
    assert multiply_one(a.tolist(), b.tolist()) == tuple(multiply(a, b).tolist())
    assert rotate_one(a.tolist(), v.tolist()) == tuple(rotate(a, v).tolist())


@given(turns, turns, vectors)
def test_product_of_quaternions_composes_rotations(a: Array, b: Array, v: Array) -> None:
    np.testing.assert_allclose(rotate(multiply(a, b), v), rotate(a, rotate(b, v)), atol=1e-9)


@given(turns, vectors)
def test_conjugate_inverts_and_rotation_keeps_length(q: Array, v: Array) -> None:
    np.testing.assert_allclose(rotate(conjugate(q), rotate(q, v)), v, atol=1e-9)
    assert math.isclose(np.linalg.norm(rotate(q, v)), np.linalg.norm(v), abs_tol=1e-9)


@given(turns, vectors, turns, vectors, vectors)
def test_poses_compose_and_invert(qa: Array, pa: Array, qb: Array, pb: Array, point: Array) -> None:
    a, b = Pose(pa, qa), Pose(pb, qb)
    np.testing.assert_allclose((a @ b).apply(point), a.apply(b.apply(point)), atol=1e-8)
    np.testing.assert_allclose((a.inverse() @ a).apply(point), point, atol=1e-8)


def test_batch_equals_single_results() -> None:
    quaternions = np.array([from_rpy(0.1 * i, 0.05 * i, -0.2 * i) for i in range(6)])
    vectors = np.arange(18.0).reshape(6, 3)
    alone = [rotate(q, v) for q, v in zip(quaternions, vectors, strict=True)]
    np.testing.assert_allclose(rotate(quaternions, vectors), alone)


def test_pitch_is_positive_nose_down_and_tilt_is_from_vertical() -> None:
    assert rotate(from_rpy(0, 0.3, 0), (1, 0, 0))[2] < 0
    assert math.isclose(up_tilt(*from_rpy(0.0, 0.3, 1.0)), 0.3, abs_tol=1e-9)


@pytest.mark.parametrize("value", [0.0, 0.1, -2.75, 1234.5])
def test_unit_conversions_round_trip(value: float) -> None:
    for there, back, factor in (
        (degrees, radians, 180 / math.pi),
        (millimetres, metres, 1000),
        (milliseconds, seconds, 1000),
    ):
        assert there(value) == pytest.approx(value * factor)
        assert back(there(value)) == pytest.approx(value)
    np.testing.assert_array_equal(millimetres(np.array([value])), [millimetres(value)])
    np.testing.assert_array_equal(degrees(np.array([value])), [degrees(value)])
