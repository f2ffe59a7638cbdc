"""ROS bags as logs: rosbag2 folders, MCAP files and ROS 1 bags of other programs."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import StoragePlugin
from rosbags.rosbag2 import Writer as Writer2
from rosbags.typesys import Stores, get_typestore
from support.cli_runner import grouser

from grouser.errors import BadValue, UnknownName
from grouser.evaluation.bags import bag_columns
from grouser.evaluation.trajectory import read_trajectory
from grouser.frames import Pose
from grouser.ros import messages
from grouser.simulation.simulation import Simulation

TIMES = np.arange(5) / 10
X = 0.1 * TIMES
PITCH = 0.2 * TIMES


def write_bag(path: Path, version: int) -> None:
    """Write a bag as a real robot's driver would: odometry, IMU, joint states."""
    store = get_typestore(Stores.ROS1_NOETIC if version == 1 else Stores.ROS2_HUMBLE)
    types = store.types

    def header(number: int) -> Any:
        stamp = types["builtin_interfaces/msg/Time"](100, int(TIMES[number] * 1e9))
        more = (number,) if version == 1 else ()
        return types["std_msgs/msg/Header"](*more, stamp, "odom")

    poses = [Pose.at(x, 0.0, 0.3, pitch=pitch) for x, pitch in zip(X, PITCH, strict=True)]
    writer = Writer1(path) if version == 1 else _writer2(path, version)
    with writer:
        topics = {
            "/odom": "nav_msgs/msg/Odometry",
            "/imu/data": "sensor_msgs/msg/Imu",
            "/joints": "sensor_msgs/msg/JointState",
        }
        known = {t: writer.add_connection(t, kind, typestore=store) for t, kind in topics.items()}
        for number, pose in enumerate(poses):
            ours = messages.odometry(0, "odom", "base_link", pose)
            ours.header = header(number)
            one = messages.vector3(1.0, 2.0, 3.0)
            turn, unknown = messages.quaternion(pose.wxyz), np.zeros(9)
            imu = types["sensor_msgs/msg/Imu"](
                header(number), turn, unknown, one, unknown, one, unknown
            )
            positions = np.array([0.5, number])
            joints = types["sensor_msgs/msg/JointState"](
                header(number), ["a", "b"], positions, np.zeros(0), np.zeros(0)
            )
            for topic, message in zip(topics, (ours, imu, joints), strict=True):
                write = store.serialize_ros1 if version == 1 else store.serialize_cdr
                writer.write(known[topic], number, write(message, topics[topic]))


def _writer2(path: Path, version: int) -> Writer2:
    plugin = StoragePlugin.MCAP if version == 3 else StoragePlugin.SQLITE3
    return Writer2(path, version=9, storage_plugin=plugin)


@pytest.mark.parametrize(
    ("name", "version"),
    [("one.bag", 1), pytest.param("two", 2, marks=pytest.mark.slow), ("three", 3)],
)
def test_bags_of_other_programs_are_read(name: str, version: int, tmp_path: Path) -> None:
    path = tmp_path / name
    write_bag(path, version)
    log = read_trajectory(path)
    np.testing.assert_allclose(log.times, 100 + TIMES)
    np.testing.assert_allclose(log.x, X)
    np.testing.assert_allclose(log.pitch, PITCH, atol=1e-12)
    imu, joints = bag_columns(path, "/imu/data"), bag_columns(path, "/joints")
    assert imu["az_m_s2"].tolist() == [3.0] * 5
    assert joints["position_b"].tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(UnknownName, match=r"topic '/odo'"):
        bag_columns(path, "/odo")
    if version == 3:
        np.testing.assert_allclose(read_trajectory(next(path.glob("*.mcap"))).x, X)


def test_topic_without_poses_is_no_trajectory(tmp_path: Path) -> None:
    write_bag(tmp_path / "bag", 3)
    with pytest.raises(BadValue, match="lacks the column 't'|lacks the column 'x'"):
        read_trajectory(tmp_path / "bag", topic="/imu/data")
    (tmp_path / "broken.bag").write_bytes(b"#ROSBAG V2.0\nnothing")
    with pytest.raises(BadValue, match=r"broken.bag: cannot be read"):
        read_trajectory(tmp_path / "broken.bag")


@pytest.mark.slow
def test_recorded_run_compared_with_itself_has_no_error(tmp_path: Path) -> None:
    simulation = Simulation(
        {
            "name": "flat",
            "terrain": [{"kind": "flat"}],
            "robots": [{"name": "rover", "kind": "p2dx", "position": [0, 0]}],
        }
    )
    with simulation.record(tmp_path / "run", topics=("/*/odom",)):
        simulation.command("rover", forward=0.3)
        simulation.step(0.4)
    run, result = tmp_path / "run", tmp_path / "result.json"
    assert grouser("compare", run, run, "--json", result).exit_code == 0
    figures = json.loads(result.read_text())["after"]
    errors = [value for name, value in figures.items() if "error" in name]
    assert errors
    assert max(map(abs, errors)) == 0
