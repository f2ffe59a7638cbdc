"""Conversion of readings, poses and commands to ROS messages and back.

Frames follow REP-103 and REP-105: x forward, y left, z up; ``map`` is the world frame;
``ROBOT/base_link`` is a robot's root body, ``ROBOT/odom`` the start of its dead reckoning. Image
frames end in ``_optical``: z forward, x right, y down. A covariance is known where the sensor's
description has its noise; in an IMU message, a first element of -1 marks a quantity that was not
measured. Times are in ns.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array, Pose, conjugate, degrees, from_rpy, radians, rotate
from grouser.physics.drives import Setpoint, angle, speed, torque
from grouser.ros.definitions import message_type
from grouser.sensors.battery import Battery
from grouser.sensors.camera import Camera
from grouser.sensors.compass import Compass
from grouser.sensors.depth import DepthCamera
from grouser.sensors.encoder import Encoder
from grouser.sensors.gps import Gps
from grouser.sensors.inertial import Accelerometer, Gyroscope, Inertial
from grouser.sensors.ins import Ins
from grouser.sensors.laser import Laser
from grouser.sensors.mocap import MotionCapture
from grouser.sensors.odometry import Odometry
from grouser.sensors.range import Infrared, Sonar
from grouser.sensors.sensor import MountedSensor, Reading, Sensor, TimedSensor
from grouser.sensors.tachometer import Tachometer
from grouser.sensors.truth import Truth
from grouser.simulation.script.events import LogEntry

WORLD_FRAME = "map"
BASE = "base_link"
NANOSECONDS = 10**9

_Converter = Callable[[str, Any, Reading, int], Any]
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_/]")
_UNKNOWN = np.zeros(36)
_NOT_MEASURED = np.array([-1.0, *[0.0] * 8])
_CELLS_UNKNOWN: npt.NDArray[np.float32] = np.zeros(0, np.float32)


def nanoseconds(seconds: float) -> int:
    """Return a time (s) in ns."""
    return round(seconds * NANOSECONDS)


def ros_name(name: str) -> str:
    """Return ``name`` with ``_`` in place of all characters that ROS names do not have."""
    cleaned = _NOT_IN_NAMES.sub("_", name)
    return cleaned if not cleaned[:1].isdigit() else f"_{cleaned}"


def time_message(time: int) -> Any:
    """Return ``time`` (ns) as builtin_interfaces/Time."""
    sec, nanosec = divmod(time, NANOSECONDS)
    return message_type("builtin_interfaces/msg/Time")(sec, nanosec)


def time_of(stamp: Any) -> int:
    """Return a builtin_interfaces/Time in ns."""
    return int(stamp.sec) * NANOSECONDS + int(stamp.nanosec)


def header(time: int, frame: str = "") -> Any:
    """Return a std_msgs/Header."""
    return message_type("std_msgs/msg/Header")(time_message(time), frame)


# -- poses -----------------------------------------------------------------------------------------


def vector3(x: float, y: float, z: float) -> Any:
    """Return a geometry_msgs/Vector3."""
    return message_type("geometry_msgs/msg/Vector3")(x, y, z)


def quaternion(wxyz: Sequence[float] | Array) -> Any:
    """Return a geometry_msgs/Quaternion."""
    w, x, y, z = wxyz
    return message_type("geometry_msgs/msg/Quaternion")(float(x), float(y), float(z), float(w))


def pose_message(pose: Pose) -> Any:
    """Return a geometry_msgs/Pose."""
    x, y, z = pose.position.tolist()
    point = message_type("geometry_msgs/msg/Point")(x, y, z)
    return message_type("geometry_msgs/msg/Pose")(point, quaternion(pose.wxyz))


def pose_of(message: Any) -> Pose:
    """Return the pose of a geometry_msgs/Pose or a geometry_msgs/Transform."""
    place = message.position if hasattr(message, "position") else message.translation
    turn = message.orientation if hasattr(message, "orientation") else message.rotation
    position = np.array([place.x, place.y, place.z], float)
    return Pose(position, np.array([turn.w, turn.x, turn.y, turn.z], float))


def transform(time: int, parent: str, child: str, X_PC: Pose) -> Any:
    """Return a geometry_msgs/TransformStamped."""
    moved = message_type("geometry_msgs/msg/Transform")(
        vector3(*X_PC.position.tolist()), quaternion(X_PC.wxyz)
    )
    stamped = message_type("geometry_msgs/msg/TransformStamped")
    return stamped(header(time, parent), child, moved)


def twist(linear: Sequence[float], angular: Sequence[float]) -> Any:
    """Return a geometry_msgs/Twist: m/s and rad/s in the frame of the body."""
    return message_type("geometry_msgs/msg/Twist")(vector3(*linear), vector3(*angular))


def odometry(
    time: int,
    frame: str,
    child: str,
    pose: Pose,
    linear: Sequence[float] = (0.0, 0.0, 0.0),
    angular: Sequence[float] = (0.0, 0.0, 0.0),
) -> Any:
    """Return a nav_msgs/Odometry: pose in ``frame``, velocities in ``child``."""
    with_covariance = message_type("geometry_msgs/msg/PoseWithCovariance")
    moving = message_type("geometry_msgs/msg/TwistWithCovariance")
    return message_type("nav_msgs/msg/Odometry")(
        header(time, frame),
        child,
        with_covariance(pose_message(pose), _UNKNOWN),
        moving(twist(linear, angular), _UNKNOWN),
    )


def joint_state(
    time: int,
    names: Sequence[str],
    positions: npt.ArrayLike = (),
    velocities: npt.ArrayLike = (),
    efforts: npt.ArrayLike = (),
) -> Any:
    """Return a sensor_msgs/JointState of drives: rad, rad/s, N m; belts and slides m, m/s, N."""
    arrays = (np.asarray(values, np.float64) for values in (positions, velocities, efforts))
    return message_type("sensor_msgs/msg/JointState")(header(time), list(names), *arrays)


# -- commands --------------------------------------------------------------------------------------


def command_message(time: int, source: str, command: Mapping[str, float | Setpoint]) -> Any:
    """Return a grouser_msgs/Command with the keys of `Robot.setpoints`."""
    setpoints = [
        (key, value.mode, float(value.value)) if isinstance(value, Setpoint) else (key, "", value)
        for key, value in command.items()
    ]
    names, modes, values = zip(*setpoints, strict=True) if setpoints else ((), (), ())
    return message_type("grouser_msgs/msg/Command")(
        header(time), source, list(names), list(modes), np.array(values, np.float64)
    )


def velocity_of(command: Mapping[str, float | Setpoint]) -> tuple[float, float] | None:
    """Return forward speed (m/s) and turn rate (rad/s) of a command; None: it does not steer."""
    given = {key: value for key, value in command.items() if not isinstance(value, Setpoint)}
    if given.keys().isdisjoint(("forward", "turn", "turn_deg")):
        return None
    turn = given.get("turn", radians(float(given.get("turn_deg", 0.0))))
    return float(given.get("forward", 0.0)), float(turn)


def command_of_twist(message: Any) -> dict[str, float]:
    """Return the command of a geometry_msgs/Twist."""
    return {"forward": float(message.linear.x), "turn": float(message.angular.z)}


def twist_stamped(time: int, frame: str, forward: float, turn: float) -> Any:
    """Return a geometry_msgs/TwistStamped that drives forward (m/s) and turns (rad/s)."""
    return message_type("geometry_msgs/msg/TwistStamped")(
        header(time, frame), twist((forward, 0.0, 0.0), (0.0, 0.0, turn))
    )


def command_of_joint_state(message: Any) -> dict[str, float | Setpoint]:
    """Return the command of a sensor_msgs/JointState: a position, else a speed, else an effort.

    Of each drive that is named, the first list with a value for it counts.

    Raises:
        BadValue: a list is neither empty nor as long as the names, or all are empty.
    """
    lists = (("position", angle), ("velocity", speed), ("effort", torque))
    for name, _ in lists:
        if (given := len(getattr(message, name))) not in (0, len(message.name)):
            raise BadValue(
                f"JointState: {name} has {given} values, must have none or {len(message.name)}"
            )
    for name, make in lists:
        values = getattr(message, name).tolist()
        if values:
            return {key: make(value) for key, value in zip(message.name, values, strict=True)}
    raise BadValue("JointState: has no position, velocity or effort")


def path_message(time: int, points: list[list[float]]) -> Any:
    """Return points (x, y) in the world as a nav_msgs/Path; poses look along the path."""
    stamped = message_type("geometry_msgs/msg/PoseStamped")
    poses = []
    for number, (x, y) in enumerate(points):
        a, b = points[max(0, min(number, len(points) - 2)) :][:2] if len(points) > 1 else points * 2
        yaw = math.atan2(b[1] - a[1], b[0] - a[0])
        poses.append(stamped(header(time, WORLD_FRAME), pose_message(Pose.at(x, y, yaw=yaw))))
    return message_type("nav_msgs/msg/Path")(header(time, WORLD_FRAME), poses)


def points_of_path(message: Any) -> list[list[float]]:
    """Return the points (x, y) of a nav_msgs/Path.

    Raises:
        BadValue: it has fewer than two points, or is in another frame than the world's.
    """
    frame = message.header.frame_id
    if frame.removeprefix("/") not in ("", WORLD_FRAME):
        raise BadValue(f"Path: frame_id is '{frame[:40]}', must be '{WORLD_FRAME}'")
    places = [stamped.pose.position for stamped in message.poses]
    points = [[place.x, place.y] for place in places]
    different = [p for i, p in enumerate(points) if i == 0 or p != points[i - 1]]
    if len(different) < 2:
        raise BadValue(f"Path: has {len(different)} different points, must have 2 or more")
    return different


def log_message(
    time: int, level: int, name: str, text: str, place: tuple[str, str, int] = ("", "", 0)
) -> Any:
    """Return a rcl_interfaces/Log; ``place`` is file, function and line."""
    kind = message_type("rcl_interfaces/msg/Log")
    return kind(time_message(time), level, name, text, *place)


EVENT_LEVELS = {"failed": 30}
"""Kinds of entries of the event log → level; others: `INFORMATION`."""
INFORMATION = 20
"""Level of rcl_interfaces/Log."""


def event_message(time: int, entry: LogEntry) -> Any:
    """Return an entry of the event log as rcl_interfaces/Log."""
    level = EVENT_LEVELS.get(entry.kind, INFORMATION)
    return log_message(time, level, entry.name or entry.kind, str(entry).partition("  ")[2])


# -- readings --------------------------------------------------------------------------------------

CATEGORIES: dict[type[Any], str] = {
    Accelerometer: "imu",
    Gyroscope: "imu",
    Compass: "compass",
    Laser: "scan",
    Infrared: "range",
    Sonar: "range",
    Encoder: "encoder",
    Tachometer: "tachometer",
    Odometry: "wheel_odom",
    Ins: "ins",
    Gps: "gps",
    MotionCapture: "mocap",
    Truth: "truth",
    Battery: "battery",
    Camera: "camera",
    DepthCamera: "depth",
}
"""Kind of sensor → name of its topic in the robot's namespace; others: the sensor's name."""


def sensor_topics(robot: str, sensors: Sequence[Sensor]) -> dict[str, str]:
    """Return the topic of each of a robot's sensors, by the sensor's name.

    The only sensor of its category has ``/ROBOT/CATEGORY``, several have
    ``/ROBOT/CATEGORY/SENSOR``.
    """
    categories = {one.name: CATEGORIES.get(type(one), ros_name(one.name)) for one in sensors}
    counts = list(categories.values())
    return {
        name: ros_name(f"/{robot}/{category}")
        + (f"/{ros_name(name)}" if counts.count(category) > 1 else "")
        for name, category in categories.items()
    }


def sensor_frame(robot: str, sensor: TimedSensor) -> str:
    """Return the frame of a sensor's readings; of one without a place the robot's base."""
    if isinstance(sensor, MountedSensor):
        return ros_name(f"{robot}/{sensor.name}")
    return ros_name(f"{robot}/{BASE}")


def reading_message(robot: str, sensor: Sensor, reading: Reading, time: int) -> Any:
    """Return a reading as a ROS message; of a kind without a counterpart as `grouser_msgs/Reading`.

    Args:
        robot: name of the robot.
        sensor: description of the sensor.
        reading: the reading; pictures are not converted here.
        time: of the measurement, ns.
    """
    _, convert = _CONVERT.get(type(sensor), _OTHER)
    return convert(robot, sensor, reading, time)


def reading_type(sensor: Sensor) -> str:
    """Return the type of `reading_message` for a sensor."""
    kind, _ = _CONVERT.get(type(sensor), _OTHER)
    return kind


def _imu(time: int, frame: str, **parts: tuple[Any, Array]) -> Any:
    """Return a sensor_msgs/Imu with the measured ``parts``: value and covariance (9,)."""
    rest = (vector3(0.0, 0.0, 0.0), _NOT_MEASURED)
    return message_type("sensor_msgs/msg/Imu")(
        header(time, frame),
        *parts.get("orientation", (quaternion((1.0, 0.0, 0.0, 0.0)), _NOT_MEASURED)),
        *parts.get("angular", rest),
        *parts.get("linear", rest),
    )


def _inertial(robot: str, sensor: Inertial, reading: Reading, time: int) -> Any:
    value = vector3(*(float(reading[axis]) for axis in "xyz"))
    part = "linear" if isinstance(sensor, Accelerometer) else "angular"
    covariance = np.diag([sensor.noise**2] * 3).ravel()
    measured: dict[str, tuple[Any, Array]] = {part: (value, covariance)}
    return _imu(time, sensor_frame(robot, sensor), **measured)


def _compass(robot: str, sensor: Compass, reading: Reading, time: int) -> Any:
    heading = from_rpy(0.0, 0.0, float(reading["heading"]))
    spread = np.diag([math.pi**2, math.pi**2, sensor.noise**2]).ravel()  # tilt is not measured
    return _imu(time, sensor_frame(robot, sensor), orientation=(quaternion(heading), spread))


def _laser(robot: str, sensor: Laser, reading: Reading, time: int) -> Any:
    ranges = reading.array("ranges").astype(np.float32)
    half, step = sensor.fov / 2, sensor.fov / max(1, len(ranges) - 1)
    return message_type("sensor_msgs/msg/LaserScan")(
        *(header(time, sensor_frame(robot, sensor)), -half, half, step, 0.0),
        *(1 / sensor.rate_hz, sensor.near, sensor.far, ranges, _CELLS_UNKNOWN),
    )


def _range(robot: str, sensor: Sonar | Infrared, reading: Reading, time: int) -> Any:
    kind, beam = (0, sensor.beam) if isinstance(sensor, Sonar) else (1, 0.0)
    return message_type("sensor_msgs/msg/Range")(
        *(header(time, sensor_frame(robot, sensor)), kind, beam, sensor.near, sensor.far),
        *(float(reading["range"]), 0.0),
    )


def _encoder(robot: str, sensor: Encoder, reading: Reading, time: int) -> Any:
    return joint_state(time, list(reading.values), [float(v) for v in reading.values.values()])


def _tachometer(robot: str, sensor: Tachometer, reading: Reading, time: int) -> Any:
    return joint_state(time, sensor.drives, reading.array("positions"), reading.array("speeds"))


def _wheel_odometry(robot: str, sensor: Odometry, reading: Reading, time: int) -> Any:
    pose = Pose.at(float(reading["x"]), float(reading["y"]), yaw=float(reading["yaw"]))
    frames = ros_name(f"{robot}/odom"), ros_name(f"{robot}/{BASE}")
    return odometry(time, *frames, pose)


def _ins(robot: str, sensor: Ins, reading: Reading, time: int) -> Any:
    x, y, z, roll, pitch, yaw = (
        float(reading[key]) for key in ("x", "y", "z", "roll", "pitch", "yaw")
    )
    pose = message_type("geometry_msgs/msg/PoseWithCovariance")(
        pose_message(Pose.at(x, y, z, roll=roll, pitch=pitch, yaw=yaw)), _UNKNOWN
    )
    stamped = message_type("geometry_msgs/msg/PoseWithCovarianceStamped")
    return stamped(header(time, WORLD_FRAME), pose)


def _truth(robot: str, sensor: Truth, reading: Reading, time: int) -> Any:
    x, y, z, roll, pitch, yaw, *velocity = (
        float(reading[key]) for key in ("x", "y", "z", "roll", "pitch", "yaw", "vx", "vy", "vz")
    )
    pose = Pose.at(x, y, z, roll=roll, pitch=pitch, yaw=yaw)
    linear = rotate(conjugate(pose.wxyz), velocity).tolist()
    child = ros_name(f"{robot}/{sensor.body}")
    return odometry(time, WORLD_FRAME, child, pose, linear)


def _mocap(robot: str, sensor: MotionCapture, reading: Reading, time: int) -> Any:
    values = [float(reading[key]) for key in ("x", "y", "z", "qw", "qx", "qy", "qz")]
    pose = Pose(np.array(values[:3]), np.array(values[3:]))
    stamped = message_type("geometry_msgs/msg/PoseStamped")
    return stamped(header(time, WORLD_FRAME), pose_message(pose))


def _gps(robot: str, sensor: Gps, reading: Reading, time: int) -> Any:
    fix = float(reading["fix"]) > 0
    status = message_type("sensor_msgs/msg/NavSatStatus")(0 if fix else -1, 1)
    places = (degrees(float(reading[key])) for key in ("latitude", "longitude"))
    covariance = np.diag([sensor.noise**2] * 3).ravel()
    return message_type("sensor_msgs/msg/NavSatFix")(
        *(header(time, sensor_frame(robot, sensor)), status, *places, float(reading["altitude"])),
        *(covariance, 1),
    )


def _battery(robot: str, sensor: Battery, reading: Reading, time: int) -> Any:
    nan, none = math.nan, np.zeros(0, np.float32)
    return message_type("sensor_msgs/msg/BatteryState")(
        *(header(time), nan, nan, nan, nan, nan, nan, float(reading["charge"])),
        *(2, 0, 0, True, none, none, "", ""),
    )


def _reading(robot: str, sensor: Sensor, reading: Reading, time: int) -> Any:
    arrays = {name: reading.array(name) for name in reading.values}
    numbers = [array.astype(np.float64).ravel() for array in arrays.values()]
    return message_type("grouser_msgs/msg/Reading")(
        header(time, sensor_frame(robot, sensor)),
        str(getattr(sensor, "kind", type(sensor).__name__)),
        list(arrays),
        np.array([array.size for array in arrays.values()], np.uint32),
        np.concatenate([np.zeros(0), *numbers]),
    )


_CONVERT: dict[type[Any], tuple[str, _Converter]] = {
    Accelerometer: ("sensor_msgs/msg/Imu", _inertial),
    Gyroscope: ("sensor_msgs/msg/Imu", _inertial),
    Compass: ("sensor_msgs/msg/Imu", _compass),
    Laser: ("sensor_msgs/msg/LaserScan", _laser),
    Infrared: ("sensor_msgs/msg/Range", _range),
    Sonar: ("sensor_msgs/msg/Range", _range),
    Encoder: ("sensor_msgs/msg/JointState", _encoder),
    Tachometer: ("sensor_msgs/msg/JointState", _tachometer),
    Odometry: ("nav_msgs/msg/Odometry", _wheel_odometry),
    Ins: ("geometry_msgs/msg/PoseWithCovarianceStamped", _ins),
    Gps: ("sensor_msgs/msg/NavSatFix", _gps),
    MotionCapture: ("geometry_msgs/msg/PoseStamped", _mocap),
    Truth: ("nav_msgs/msg/Odometry", _truth),
    Battery: ("sensor_msgs/msg/BatteryState", _battery),
}
"""Kind of sensor → type of its messages, and conversion."""
_OTHER: tuple[str, _Converter] = ("grouser_msgs/msg/Reading", _reading)
