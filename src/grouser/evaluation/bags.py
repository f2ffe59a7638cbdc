"""Topics of ROS bags as columns: rosbag2 folders, MCAP files, SQLite bags and ROS 1 bags.

ROS is not needed; the package rosbags reads the files. Columns are named as in logs: ``t_s``; of
poses and odometry ``x_m y_m z_m qw qx qy qz``; of odometry also velocities; of an IMU ``qw`` …,
``wx_rad_s`` …, ``ax_m_s2`` …; of joint states ``position_NAME``, ``velocity_NAME``,
``effort_NAME``. Times are those of the headers, or of the reception where a header has none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from grouser.errors import BadValue, GrouserError, MissingDependency, reason_of, unknown
from grouser.frames import Array

ENDINGS = (".mcap", ".bag", ".db3")
"""Suffixes of bags that are files; others are folders."""

Row = dict[str, float]


def is_bag(path: Path) -> bool:
    """Return True if ``path`` is the folder of a bag, or has the suffix of one."""
    return (path / "metadata.yaml").exists() or path.suffix.lower() in ENDINGS


def bag_columns(path: Path, topic: str | None = None) -> dict[str, Array]:
    """Return the columns of a topic.

    Args:
        path: bag.
        topic: name of the topic; None: the only one with poses, of several the one that ends in
            ``/odom``.

    Raises:
        BadValue: the bag or a message of the topic cannot be read.
        UnknownName: there is no such topic.
        MissingDependency: rosbags is not installed.
    """
    try:
        from rosbags.highlevel import AnyReader
        from rosbags.typesys import Stores, get_typestore
    except ImportError as error:
        raise MissingDependency(
            f"{path}: bags need the package rosbags: pip install 'grouser[record]'"
        ) from error
    if not path.exists():
        raise BadValue(f"{path}: there is no such bag")
    try:
        with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
            kinds = {one.topic: one.msgtype for one in reader.connections}
            chosen = topic if topic is not None else _only_pose(path, kinds)
            if chosen not in kinds:
                raise unknown(str(path), "topic", chosen, kinds)
            if kinds[chosen] not in _ROWS:
                allowed = ", ".join(sorted(_ROWS))
                raise BadValue(f"{path}: {chosen} is {kinds[chosen]}, allowed: {allowed}")
            connections = [one for one in reader.connections if one.topic == chosen]
            to_row = _ROWS[kinds[chosen]]
            rows = []
            for connection, time, content in reader.messages(connections):
                message = reader.deserialize(content, connection.msgtype)
                rows.append({"t_s": _time(message, time), **to_row(message)})
    except GrouserError:
        raise
    except Exception as error:  # readers raise anything on damaged files
        raise BadValue(f"{path}: cannot be read ({reason_of(error)})") from error
    return _columns(rows)


def _only_pose(path: Path, kinds: dict[str, str]) -> str:
    """Return the topic with poses, if there is no choice."""
    topics = sorted(topic for topic, kind in kinds.items() if kind in POSES)
    named = [topic for topic in topics if topic.endswith("/odom")]
    for found in (topics, named):
        if len(found) == 1:
            return found[0]
    there = ", ".join(topics) or "none"
    raise BadValue(f"{path}: a topic must be chosen; topics with poses: {there}")


def _time(message: Any, received: int) -> float:
    """Return the time of a message, s."""
    stamp = message.header.stamp
    nanoseconds = stamp.sec * 10**9 + stamp.nanosec
    return float((nanoseconds or received) / 10**9)


def _columns(rows: list[Row]) -> dict[str, Array]:
    """Return rows as columns; a value that a row lacks is nan."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: np.array([row.get(name, math.nan) for row in rows]) for name in names}


def _vector(names: Iterable[str], value: Any) -> Row:
    return dict(zip(names, (float(value.x), float(value.y), float(value.z)), strict=True))


def _turn(value: Any) -> Row:
    return {f"q{axis}": float(getattr(value, axis)) for axis in "wxyz"}


def _pose(message: Any) -> Row:
    return {**_vector(("x_m", "y_m", "z_m"), message.position), **_turn(message.orientation)}


def _odometry(message: Any) -> Row:
    twist = message.twist.twist
    return {
        **_pose(message.pose.pose),
        **_vector(("vx_m_s", "vy_m_s", "vz_m_s"), twist.linear),
        **_vector(("wx_rad_s", "wy_rad_s", "wz_rad_s"), twist.angular),
    }


def _imu(message: Any) -> Row:
    return {
        **_turn(message.orientation),
        **_vector(("wx_rad_s", "wy_rad_s", "wz_rad_s"), message.angular_velocity),
        **_vector(("ax_m_s2", "ay_m_s2", "az_m_s2"), message.linear_acceleration),
    }


def _joints(message: Any) -> Row:
    return {
        f"{part}_{name}": float(value)
        for part in ("position", "velocity", "effort")
        for name, value in zip(message.name, getattr(message, part), strict=False)
    }


POSES: dict[str, Callable[[Any], Row]] = {
    "geometry_msgs/msg/PoseStamped": lambda message: _pose(message.pose),
    "geometry_msgs/msg/PoseWithCovarianceStamped": lambda message: _pose(message.pose.pose),
    "nav_msgs/msg/Odometry": _odometry,
}
"""Types with poses → function that returns a row."""
_ROWS = POSES | {"sensor_msgs/msg/Imu": _imu, "sensor_msgs/msg/JointState": _joints}
