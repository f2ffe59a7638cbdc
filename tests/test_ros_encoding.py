"""Encodings of ROS messages: JSON in both forms, PNG, CBOR, fragments."""

import json
import math
from typing import Any

import numpy as np
import pytest

from grouser.errors import BadValue
from grouser.frames import Pose
from grouser.gateways.ros_graph.live_topics import Publication, Topic
from grouser.gateways.rosbridge.encoding import cbor, encode, png_message, read_png
from grouser.protocol.rosbridge import (
    LONGEST_MESSAGE,
    MOST_PARTIAL,
    Fragment,
    FragmentAssembler,
    Png,
    Problem,
    Subscribe,
    read_request,
    split,
)
from grouser.ros import messages
from grouser.ros.definitions import deserialize, message_type, serialize
from grouser.ros.json_fields import example, fields, from_json, to_json

TWIST = "geometry_msgs/msg/Twist"


def scan(*ranges: float) -> Any:
    """Return a LaserScan."""
    values = np.array(ranges, np.float32)
    return message_type("sensor_msgs/msg/LaserScan")(
        messages.header(1_500_000_000, "laser"), -1.0, 1.0, 0.5, 0.0, 0.1, 0.05, 8.0, values,
        np.zeros(0, np.float32),
    )  # fmt: skip


@pytest.mark.parametrize("version", [1, 2])
def test_message_survives_json_in_both_forms(version: Any) -> None:
    message = messages.odometry(1_500_000_001, "map", "one/base_link", Pose.at(1, 2, yaw=0.5))
    text = json.dumps(to_json(message, version))
    stamp = json.loads(text)["header"]["stamp"]
    names = ("secs", "nsecs") if version == 1 else ("sec", "nanosec")
    assert stamp == dict(zip(names, (1, 500_000_001), strict=True))
    assert serialize(from_json(json.loads(text), message.__msgtype__)) == serialize(message)


def test_ros_1_form_has_its_names_of_fields() -> None:
    names = [field.name for field in fields("sensor_msgs/msg/CameraInfo", 1)]
    assert {"D", "K", "R", "P"} <= set(names)
    assert "seq" in example("std_msgs/msg/Header", 1)
    assert "seq" not in example("std_msgs/msg/Header", 2)
    info = example("sensor_msgs/msg/CameraInfo", 1)
    info["K"] = [float(n) for n in range(9)]
    assert from_json(info, "sensor_msgs/msg/CameraInfo").k.tolist() == info["K"]


def test_numbers_that_json_does_not_have_are_null() -> None:
    ranges = to_json(scan(1.0, math.inf, math.nan), 2)["ranges"]
    assert ranges == [1.0, None, None]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (3, "must be an object"),
        ({"linear": {"x": "fast"}}, "Twist.linear.x is 'fast', must be a number"),
        ({"linear": {"x": math.nan}}, "must be finite"),
        ({"linear": {"x": 10**400}}, "must be finite"),
        ({"linear": {"x": True}}, "must be a number"),
        ({"speed": 1}, "no field 'speed'; it has linear, angular"),
    ],
)
def test_wrong_json_is_refused_in_one_sentence(content: Any, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        from_json(content, TWIST)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"name": "a"}, "must be a list"),
        ({"name": [1]}, "must be text"),
        ({"header": {"stamp": {"secs": 1 << 40}}}, "must be a whole number"),
        ({"position": [[]]}, "must be a number"),
    ],
)
def test_wrong_lists_are_refused(content: Any, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        from_json(content, "sensor_msgs/msg/JointState")


def test_arrays_have_their_length() -> None:
    kind = "geometry_msgs/msg/PoseWithCovariance"
    with pytest.raises(BadValue, match="2 elements, must have 36"):
        from_json({"covariance": [1, 2]}, kind)
    assert from_json({}, kind).covariance.tolist() == [0.0] * 36


def publication_of(message: Any) -> Publication:
    topic = Topic("/one/scan", message.__msgtype__)
    return Publication(topic, 1_500_000_000, lambda: message)


def test_png_and_fragments_are_read_back() -> None:
    message, wanted = scan(1.0, 2.0), Subscribe("/one/scan", compression="png", fragment=100)
    parts = encode(publication_of(message), wanted, "7", 2)
    assert len(parts) > 2
    assembler, whole = FragmentAssembler(), None
    for part in parts:
        assert isinstance(part, str)
        request = read_request(part)
        assert isinstance(request, Fragment)
        whole = assembler.add(request)
    assert isinstance(whole, str)
    png = read_request(whole)
    assert isinstance(png, Png)
    content = json.loads(read_png(png.data))
    assert content["op"], content["topic"] == ("publish", "/one/scan")
    assert content["msg"]["ranges"] == [1.0, 2.0]


@pytest.mark.parametrize("data", ["x", "AAAA", "iVBORw0KGgoAAAANSUhEUg=="])
def test_png_that_is_none_is_refused(data: str) -> None:
    with pytest.raises(BadValue, match="png"):
        read_png(data)


def test_png_of_a_large_picture_is_refused_before_it_is_decoded() -> None:
    text = json.loads(png_message(" " * (LONGEST_MESSAGE + 6000)))
    with pytest.raises(BadValue, match="larger than"):
        read_png(text["data"])


def test_incomplete_fragments_are_bounded() -> None:
    assembler = FragmentAssembler()
    for number in range(MOST_PARTIAL + 1):
        assert assembler.add(Fragment("a", 0, 2, number)) is None
    assert assembler.add(Fragment("b", 1, 2, 0)) is None  # its beginning was dropped
    assert assembler.add(Fragment("b", 1, 2, MOST_PARTIAL)) == "ab"
    assert isinstance(assembler.add(Fragment("x" * (LONGEST_MESSAGE + 1), 0, 2, 1)), Problem)
    assert isinstance(assembler.add(Fragment("b", 1, 3, 0)), Problem)


def test_short_message_is_not_split() -> None:
    assert split("short", 100, "1") == ["short"]


def test_cbor_is_read_by_another_implementation() -> None:
    cbor2 = pytest.importorskip("cbor2")
    value = {
        "a": [1, -1, 23, 24, 255, 256, 65536, 1 << 33, -(1 << 40)], "b": 1.5, "c": None,
        "d": [True, False], "é": b"\0\1", "t": "x" * 300, "u": np.array([1, 2], np.uint8),
    }  # fmt: skip
    assert cbor2.loads(cbor(value)) == {**value, "u": b"\1\2"}
    [data] = encode(
        publication_of(scan(1.0, 2.5)), Subscribe("/one/scan", compression="cbor"), "", 2
    )
    content = cbor2.loads(data)
    tagged = content["msg"]["ranges"]
    assert (content["op"], tagged.tag) == ("publish", 85)  # RFC 8746: float32, little endian
    assert np.frombuffer(tagged.value, "<f4").tolist() == [1.0, 2.5]
    raw = Subscribe("/one/scan", compression="cbor-raw")
    content = cbor2.loads(encode(publication_of(scan(1.0, 2.5)), raw, "", 2)[0])["msg"]
    assert (content["secs"], content["nsecs"]) == (1, 500_000_000)
    assert deserialize(content["bytes"], "sensor_msgs/msg/LaserScan").ranges.tolist() == [1.0, 2.5]


def test_message_is_encoded_once_for_all_subscribers() -> None:
    made = []

    def make() -> Any:
        made.append(1)
        zero = messages.vector3(0, 0, 0)
        return message_type(TWIST)(messages.vector3(1, 0, 0), zero)

    one = Publication(Topic("/t", TWIST), 0, make)
    first = encode(one, Subscribe("/t"), "a", 1)
    assert encode(one, Subscribe("/t"), "b", 1)[0] is first[0]
    assert made == [1]


def test_path_and_joint_commands_are_checked() -> None:
    points = [[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]]
    path = messages.path_message(0, points)
    assert messages.points_of_path(path) == points
    assert messages.pose_of(path.poses[1].pose) == Pose.at(1.0, 0.0, yaw=math.pi / 2)
    assert messages.points_of_path(messages.path_message(0, points[:2])) == points[:2]
    with pytest.raises(BadValue, match="1 different points"):
        messages.points_of_path(messages.path_message(0, [[1.0, 1.0]] * 3))
    path.header.frame_id = "odom"
    with pytest.raises(BadValue, match="must be 'map'"):
        messages.points_of_path(path)
    command = messages.joint_state(0, ["a", "b"], velocities=[1.0, 2.0])
    made = messages.command_of_joint_state(command)
    assert {name: value.mode for name, value in made.items()} == {"a": "speed", "b": "speed"}  # type: ignore[union-attr]
    with pytest.raises(BadValue, match="has 1 values, must have none or 2"):
        messages.command_of_joint_state(messages.joint_state(0, ["a", "b"], [1.0]))
    with pytest.raises(BadValue, match="no position, velocity or effort"):
        messages.command_of_joint_state(messages.joint_state(0, ["a"]))
