"""Encoder and decoder of the browser page's protocol."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grouser.errors import BadValue
from grouser.gateways.page.quantised import encode_poses, quantise, quantum_of
from grouser.protocol.page.frames import (
    BodyPose,
    MeshFrame,
    PictureFrame,
    PoseFlag,
    PoseFrame,
    decode,
    pack_pose,
    unpack_pose,
)
from grouser.protocol.page.messages import (
    OPERATIONS,
    CommandDrives,
    Drive,
    PageHello,
    encode,
    encode_request,
    read_request,
)

NUMBER = st.floats(-50, 50)
QUATERNION = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: math.hypot(*q) > 0.1)
POSITION_ERROR = 0.5e-4 * (1 + 1e-6)  # m
TURN_ERROR = math.radians(0.14)


def unit(wxyz: tuple[float, ...]) -> tuple[float, float, float, float]:
    length = math.hypot(*wxyz)
    w, x, y, z = (value / length for value in wxyz)
    return w, x, y, z


def turn_between(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """Return the angle (rad) between two orientations."""
    same = min(math.dist(a, b), math.dist(a, [-value for value in b]))
    return 4 * math.asin(min(1.0, same / 2))


@given(st.tuples(NUMBER, NUMBER, NUMBER), QUATERNION)
def test_quantised_pose_is_near_the_pose(
    position: tuple[float, float, float], wxyz: tuple[float, ...]
) -> None:
    pose = BodyPose(position, unit(wxyz))
    found = unpack_pose(pack_pose(pose))
    assert math.dist(found.position, position) <= POSITION_ERROR * math.sqrt(3)
    assert turn_between(found.wxyz, pose.wxyz) < TURN_ERROR


@given(st.lists(st.tuples(NUMBER, NUMBER, NUMBER, QUATERNION), min_size=1, max_size=9))
def test_arrays_are_quantised_to_the_same_bits(
    rows: list[tuple[float, float, float, tuple[float, ...]]],
) -> None:
    poses = [BodyPose((x, y, z), unit(q)) for x, y, z, q in rows]
    words = quantise(
        np.array([pose.position for pose in poses]), np.array([pose.wxyz for pose in poses]), 1e-4
    )
    assert [tuple(row) for row in words.tolist()] == [pack_pose(pose) for pose in poses]


def test_coordinates_out_of_range_are_clamped() -> None:
    found = unpack_pose(pack_pose(BodyPose((1e9, -1e9, 0), (1, 0, 0, 0))))
    assert found.position[0] == pytest.approx(52.4287)
    assert found.position[1] == pytest.approx(-52.4288)
    assert quantum_of(52.0) == 1e-4
    assert quantum_of(60.0) == 2e-4
    assert quantum_of(1000.0) * 2**19 >= 1000.0


def test_frame_has_only_bodies_that_have_moved() -> None:
    rng = np.random.default_rng(4)
    before = rng.integers(0, 2**30, (70, 3), np.uint32)
    now = before.copy()
    now[[3, 64]] += 1
    frame = decode(encode_poses(now, before, 7, 2, 1.5, PoseFlag.PAST))
    expected = {body: tuple(now[body].tolist()) for body in (3, 64)}
    assert frame == PoseFrame(7, 2, 1.5, 70, expected, PoseFlag.PAST)
    assert frame.encode() == encode_poses(now, before, 7, 2, 1.5, PoseFlag.PAST)
    whole = decode(encode_poses(now, None, 8, 2, 1.5))
    assert isinstance(whole, PoseFrame)
    assert whole.flags is PoseFlag.KEY
    assert len(whole.moved) == 70


def test_five_hundred_moving_bodies_take_less_than_8_kib() -> None:
    words = np.zeros((500, 3), np.uint32)
    assert len(encode_poses(words, None, 1, 1, 0.0)) == 20 + 64 + 500 * 12


@pytest.mark.parametrize(
    "frame",
    [
        MeshFrame("ab" * 32, b"\0" * 36, b"\1\0\0\0" * 3),
        PictureFrame("rex", "Kamera ä", 2.5, b"\xff\xd8jpeg"),
        PoseFrame(1, 1, 0.0, 3, {0: (1, 2, 3), 2: (4, 5, 6)}),
    ],
)
def test_frames_are_decoded_as_encoded(frame: MeshFrame | PictureFrame | PoseFrame) -> None:
    data = frame.encode()
    assert decode(data) == frame
    for length in range(len(data) if not isinstance(frame, PictureFrame) else 14):
        with pytest.raises(BadValue, match="page: .* no frame"):
            decode(data[:length])


@given(st.binary(max_size=120))
def test_arbitrary_bytes_are_a_frame_or_rejected(data: bytes) -> None:
    try:
        frame = decode(data)
    except BadValue:
        return
    if isinstance(frame, PoseFrame):
        assert decode(frame.encode()) == frame


def test_requests_are_read_as_encoded() -> None:
    for request in (
        PageHello(1, "operator", "secret"),
        Drive("kenaf", 0.5, -1.0),
        CommandDrives("rex", {"kick": 1.0}),
    ):
        assert read_request(encode_request(request)) == request


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not JSON"),
        ("[1]", "must be a JSON object"),
        ('{"op": "drvie"}', "there is no op 'drvie'; did you mean 'drive'"),
        ('{"op": "drive", "robot": "a", "throttle": 1}', "lacks the key 'rudder'"),
        ('{"op": "drive", "robot": "a", "throttle": "1", "rudder": 0}', "throttle must be a fin"),
        ('{"op": "drive", "robot": "a", "throttle": NaN, "rudder": 0}', "throttle must be a fin"),
        ('{"op": "drive", "robot": 7, "throttle": 1, "rudder": 0}', "robot must be a text"),
        ('{"op": "ack", "frame": true}', "frame must be a whole number"),
        ('{"op": "ack", "frame": 1, "fram": 2}', "no key 'fram'; did you mean 'frame'"),
        ('{"op": "hello", "version": 1, "role": "king"}', "role must be one of spectator"),
        ('{"op": "order", "robot": "a", "command": {"x": []}}', "command must be a finite"),
        ('{"op": "mesh", "digest": "xyz"}', "digest must be 64"),
        ("\ud800", "not JSON"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_malformed_requests_are_rejected(text: str, reason: str) -> None:
    with pytest.raises(BadValue, match=reason):
        read_request(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
KEYS = st.sampled_from(["robot", "role", "token", "frame", "command", "order", "value", "id", "x"])


@settings(max_examples=40)
@given(st.sampled_from([*OPERATIONS, "x"]), st.dictionaries(KEYS, JSON))
def test_arbitrary_objects_are_a_request_or_rejected(op: str, content: dict[str, object]) -> None:
    try:
        request = read_request(json.dumps({**content, "op": op}))
    except BadValue:
        return
    assert read_request(encode_request(request)) == request


def test_numbers_that_are_not_finite_become_null() -> None:
    text = encode("state", speed=math.inf, nested=[{"x": math.nan}], good=1.5)
    assert json.loads(text) == {"op": "state", "speed": None, "nested": [{"x": None}], "good": 1.5}
