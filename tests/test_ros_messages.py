"""Conversion of readings, poses and commands to ROS messages."""

import math
from typing import Any

import numpy as np
import pytest

from grouser.frames import Pose, degrees, radians
from grouser.physics.drives import Setpoint
from grouser.rendering.image_plane import ImagePlane
from grouser.ros import messages
from grouser.ros.camera_messages import camera_info, depth_image
from grouser.ros.definitions import DEFINITIONS, deserialize, serialize, type_hash
from grouser.sensors.battery import Battery
from grouser.sensors.gps import Gps
from grouser.sensors.imaging.lens import Lens, Radial
from grouser.sensors.inertial import Accelerometer, Gyroscope
from grouser.sensors.laser import Laser
from grouser.sensors.range import Infrared, Sonar
from grouser.sensors.sensor import Reading, Sensor
from grouser.sensors.touch import Touch
from grouser.sensors.truth import Truth

TIME = 1_500_000_001


def convert(sensor: Sensor, **values: Any) -> Any:
    """Return the message of a reading, after a round trip through CDR."""
    message = messages.reading_message("my-bot", sensor, Reading(sensor.name, 1.5, values), TIME)
    return deserialize(serialize(message), message.__msgtype__)


def test_orientation_of_a_pose_survives() -> None:
    pose = Pose.at(1.0, 2.0, 3.0, roll=0.1, pitch=0.2, yaw=0.3)
    message = messages.pose_message(pose)
    assert (message.orientation.w, message.orientation.z) == (pose.wxyz[0], pose.wxyz[3])
    assert messages.pose_of(message) == pose
    assert messages.pose_of(messages.transform(0, "map", "base", pose).transform) == pose


def test_times_are_exact() -> None:
    stamp = messages.time_message(TIME)
    assert (stamp.sec, stamp.nanosec) == (1, 500_000_001)
    assert messages.time_of(stamp) == TIME


def test_inertial_readings_mark_what_is_not_measured() -> None:
    found: dict[str, object] = {}
    for sensor in (Accelerometer(mount="body", noise=0.1), Gyroscope(mount="body", noise=0.2)):
        message = convert(sensor, x=1.0, y=2.0, z=3.0)
        measured = {
            "orientation": message.orientation_covariance,
            "angular": message.angular_velocity_covariance,
            "linear": message.linear_acceleration_covariance,
        }
        found[sensor.name] = {name: value[0] for name, value in measured.items() if value[0] >= 0}
        assert message.header.frame_id == f"my_bot/{sensor.name}"
    assert found == {
        "accelerometer": {"linear": pytest.approx(0.01)},
        "gyroscope": {"angular": pytest.approx(0.04)},
    }


def test_scan_goes_from_right_to_left() -> None:
    laser = Laser(mount="body", fov=math.pi, resolution=radians(90.0))
    scan = convert(laser, ranges=np.array([1.0, 2.0, 3.0]))
    angles = [scan.angle_min + i * scan.angle_increment for i in range(3)]
    assert angles == pytest.approx([-math.pi / 2, 0.0, math.pi / 2], abs=1e-6)
    assert scan.ranges.tolist() == [1.0, 2.0, 3.0]


def test_ranges_name_their_radiation() -> None:
    sonar = convert(Sonar(mount="body", beam=0.4), range=2.0)
    infrared = convert(Infrared(mount="body"), range=0.5)
    assert (sonar.radiation_type, infrared.radiation_type) == (0, 1)
    assert sonar.field_of_view == pytest.approx(0.4)


def test_places_on_earth_are_in_degrees() -> None:
    gps = Gps(mount="body")
    values = {"fix": 1.0, "satellites": 8.0, "altitude": 10.0}
    fix = convert(gps, latitude=radians(39.0), longitude=-radians(77.0), **values)
    assert fix.latitude == pytest.approx(39.0)
    assert fix.longitude == pytest.approx(-77.0)
    lost = convert(gps, latitude=math.nan, longitude=math.nan, **{**values, "fix": 0.0})
    assert lost.status.status == -1


def test_velocity_of_the_truth_is_in_the_frame_of_the_body() -> None:
    pose = {"x": 1.0, "y": 0.0, "z": 0.0, "roll": 0.0, "pitch": 0.0, "yaw": math.pi / 2}
    moving = convert(Truth(body="chassis"), **pose, vx=0.0, vy=2.0, vz=0.0)
    linear = moving.twist.twist.linear
    assert (linear.x, linear.y) == pytest.approx((2.0, 0.0), abs=1e-12)
    assert moving.child_frame_id == "my_bot/chassis"


def test_other_readings_keep_names_and_values() -> None:
    battery = convert(Battery(capacity=100.0, idle=1.0), energy=50.0, charge=0.5, seconds=50.0)
    assert battery.percentage == 0.5
    touch = convert(Touch(mount="body"), touch=1.0, force=2.5)
    assert touch.kind == "touch"
    assert dict(zip(touch.names, touch.values.tolist(), strict=True)) == {
        "touch": 1.0,
        "force": 2.5,
    }


def test_commands_keep_modes_and_steering() -> None:
    command: dict[str, float | Setpoint] = {
        "forward": 0.2,
        "turn_deg": 90.0,
        "front": Setpoint("angle", 0.5),
    }
    message = messages.command_message(TIME, "127.0.0.1", command)
    assert list(zip(message.names, message.modes, message.values.tolist(), strict=True)) == [
        ("forward", "", 0.2),
        ("turn_deg", "", 90.0),
        ("front", "angle", 0.5),
    ]
    forward, turn = messages.velocity_of(command) or (0.0, 0.0)
    assert (forward, degrees(turn)) == pytest.approx((0.2, 90.0))
    assert messages.velocity_of({"front": 0.5}) is None
    twist = messages.twist_stamped(TIME, "base", forward, turn).twist
    assert messages.command_of_twist(twist) == {"forward": forward, "turn": turn}


def test_several_sensors_of_a_kind_have_topics_of_their_own() -> None:
    one, two = Sonar(mount="body", name="F1"), Sonar(mount="body", name="F-2")
    assert messages.sensor_topics("my-bot", [one, Laser(mount="body")]) == {
        "F1": "/my_bot/range",
        "laser": "/my_bot/scan",
    }
    assert messages.sensor_topics("my-bot", [one, two]) == {
        "F1": "/my_bot/range/F1",
        "F-2": "/my_bot/range/F_2",
    }


def test_lens_is_described_as_opencv_does() -> None:
    lens = Lens(width=176, height=144, fov_deg=(57.6, 47.8), distortion=Radial(-0.1))
    info = camera_info(TIME, "eye", lens)
    k1, k2, _, _, k3 = info.d
    points = np.array([[0.1, 0.2], [0.4, -0.3], [0.5, 0.4]])
    r2 = (points**2).sum(axis=1, keepdims=True)
    series = points * (1 + k1 * r2 + k2 * r2**2 + k3 * r2**3)
    np.testing.assert_allclose(series, lens.distortion.distort(points), atol=1e-4)
    assert info.k[0] == lens.focal[0]


@pytest.mark.parametrize("name", DEFINITIONS)
def test_own_definitions_have_hashes(name: str) -> None:
    assert type_hash(name).startswith("RIHS01_")


def test_depth_image_is_in_millimetres() -> None:
    depths = np.array([[0.5, np.nan, 1.2344], [8.0, 70.0, 0.0]], np.float32)
    image = depth_image(TIME, "eye", depths)
    assert (image.encoding, image.height, image.width, image.step) == ("16UC1", 2, 3, 6)
    read = deserialize(serialize(image), "sensor_msgs/msg/Image").data.view("<u2")
    assert read.tolist() == [500, 0, 1234, 8000, 65535, 0]
    info = camera_info(TIME, "eye", ImagePlane.centred(3, 2, 4.0))
    assert info.d.size == 0, "no distortion"
    assert info.k.tolist() == [4.0, 0.0, 1.0, 0.0, 4.0, 0.5, 0.0, 0.0, 1.0]
