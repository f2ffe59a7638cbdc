"""Encoding of sensor readings as SEN messages.

Readings of the same type share one message, which the protocol writes as one line or several,
depending on the dialect. Types are sent in the order of UT2004's burst. Cameras and batteries send
no SEN: images are on the image port, the battery is in STA. A sensor class without an encoder, such
as that of a plug-in, is sent as a `GenericReading` of the type of its class name.

A depth image is resampled to USARSim's range imager format: rows at equal angles, uppermost first,
each from right to left. Pinhole pixels are equidistant in the image plane and not in angle, so each
ray takes the nearest pixel. Rays outside the image, or without a depth, report the maximum range.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, degrees, radians
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.robot_layout import RobotLayout
from grouser.protocol.usarsim import sensor_messages
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.values import Vector, wrapped_angle
from grouser.rendering.image_plane import ImagePlane
from grouser.sensors.battery import Battery
from grouser.sensors.camera import Camera
from grouser.sensors.compass import Compass
from grouser.sensors.depth import DepthCamera, DepthOptics
from grouser.sensors.encoder import Encoder
from grouser.sensors.gps import Gps
from grouser.sensors.inertial import Accelerometer, Gyroscope
from grouser.sensors.ins import Ins
from grouser.sensors.laser import Laser
from grouser.sensors.mocap import MotionCapture
from grouser.sensors.odometry import Odometry
from grouser.sensors.pressure import Pressure
from grouser.sensors.range import Infrared, Sonar
from grouser.sensors.rfid import RfidReader
from grouser.sensors.sensor import Reading, Sensor
from grouser.sensors.tachometer import Tachometer
from grouser.sensors.touch import Touch
from grouser.sensors.truth import Truth
from grouser.sensors.victims import VictimSensor

RAYS_PER_ROW = 128
"""Rays of one row; an image is then about 80 kB of text instead of 1 MB for all pixels."""


@dataclass(frozen=True)
class RangeRows:
    """Ranges of a depth image at equal angles."""

    resolution: float
    """Angle between rays and between rows, rad."""
    fov: float
    """Angle from the first ray to the last, rad."""
    ranges: Array
    """m, (rows, rays), uppermost first, right to left."""


@dataclass(frozen=True)
class RayGrid:
    """Rays through an image plane, and their nearest pixels."""

    resolution: float
    fov: float
    rows: npt.NDArray[np.intp]
    """Pixel row of each ray, (rows, rays)."""
    columns: npt.NDArray[np.intp]
    outside: npt.NDArray[np.bool_]
    stretch: Array
    """Range divided by depth, (rows, rays)."""


def resample_depth(optics: DepthOptics, depths: npt.NDArray[Any]) -> RangeRows:
    """Return ``depths`` (height, width; m, nan: no return) resampled at equal angles."""
    rays = ray_grid(optics.output_plane)
    ranges = depths[rays.rows, rays.columns].astype(float) * rays.stretch
    ranges[rays.outside | ~np.isfinite(ranges)] = optics.far
    return RangeRows(rays.resolution, rays.fov, np.minimum(ranges, optics.far))


@lru_cache
def ray_grid(plane: ImagePlane) -> RayGrid:
    """Return the rays through ``plane``, cached."""
    across, down = (
        2 * math.atan(size / 2 / focal)
        for size, focal in zip((plane.width, plane.height), plane.focal, strict=True)
    )
    resolution = across / (RAYS_PER_ROW - 1)
    count = math.floor(down / resolution) + 1
    left = -across / 2 + resolution * np.arange(RAYS_PER_ROW)
    up = ((count - 1) / 2 - np.arange(count))[:, None] * resolution
    columns = np.rint(plane.centre[0] - plane.focal[0] * np.tan(left))
    rows = np.rint(plane.centre[1] - plane.focal[1] * np.tan(up) / np.cos(left))
    columns = np.broadcast_to(columns, rows.shape)
    outside = (columns < 0) | (columns >= plane.width) | (rows < 0) | (rows >= plane.height)
    return RayGrid(
        resolution,
        across,
        np.clip(rows, 0, plane.height - 1).astype(np.intp),
        np.clip(columns, 0, plane.width - 1).astype(np.intp),
        outside,
        1 / (np.cos(up) * np.cos(left)),
    )


TYPES: dict[type, str] = {
    Sonar: "Sonar",
    Infrared: "IR",
    Laser: "RangeScanner",
    Ins: "INS",
    Odometry: "Odometry",
    Encoder: "Encoder",
    Tachometer: "Tachometer",
    Touch: "Touch",
    Pressure: "Force",
    Accelerometer: "AcceleroMeter",
    Gyroscope: "Gyroscope",
    Compass: "MagneticCompass",
    RfidReader: "RFID",
    Truth: "GroundTruth",
    MotionCapture: "MotionCapture",
    Gps: "GPS",
    VictimSensor: "VictSensor",
    DepthCamera: "RangeImager",
    Camera: "Camera",
    Battery: "Battery",
}
"""Sensor class → sensor type on the wire, in the order of transmission."""

TICK = radians(1.0)
"""Angle per encoder tick (rad) for a sensor without a resolution: USARSim's default."""

MAX_GENERIC_VALUES = 10_000
"""Maximum number of values of a field in a `GenericReading`; longer fields are omitted."""

_ORDER = {kind: place for place, kind in enumerate(TYPES)}


def encode(
    readings: Sequence[tuple[Sensor, Reading]],
    layout: RobotLayout,
    profile: PortProfile,
    requested: Collection[str] = (),
) -> list[Message]:
    """Return the messages for new ``readings`` of a robot.

    Args:
        readings: sensors and their readings.
        layout: the robot.
        profile: dialect, axes and units of the client's port.
        requested: names of depth cameras with a pending SCAN. Other depth images are not sent: as
            with USARSim's range imagers, an image of about a hundred lines is sent on request only.
    """
    by_type: dict[type, list[tuple[Any, Reading]]] = {}
    for sensor, reading in readings:
        if not isinstance(sensor, DepthCamera) or sensor.name in requested:
            by_type.setdefault(sensor_class(sensor), []).append((sensor, reading))
    messages: list[Message] = []
    for kind in sorted(by_type, key=lambda kind: _ORDER.get(kind, len(_ORDER))):
        if kind in _GROUPED:
            messages += _group_by_time(_GROUPED[kind], by_type[kind], layout, profile)
        elif kind in _SINGLE:
            message, fields = _SINGLE[kind]
            messages += [
                message(reading.time, sensor.name, *fields(sensor, reading, layout, profile))
                for sensor, reading in by_type[kind]
            ]
        elif kind is DepthCamera:
            for sensor, reading in by_type[kind]:
                messages += _depth(sensor, reading, profile)
        elif kind not in TYPES:
            messages += [_generic(sensor, reading) for sensor, reading in by_type[kind]]
    return messages


def sensor_class(sensor: Sensor) -> type:
    """Return the class of ``sensor`` in `TYPES` that it is or derives from, else its own class."""
    cls: type = type(sensor)
    return next((base for base in cls.__mro__ if base in TYPES), cls)


def wire_type(sensor: Sensor) -> str:
    """Return the sensor type on the wire; the class name for a class that is not in `TYPES`."""
    cls = sensor_class(sensor)
    return TYPES.get(cls, cls.__name__)


def tick_angle(sensor: Encoder, drive: str, layout: RobotLayout) -> float:
    """Return the angle of one tick of the encoder of ``drive`` on the wire, rad."""
    radius = layout.joints.by_drive[drive].radius
    return sensor.resolution / radius if sensor.resolution else TICK


def sensor_names(sensor: Sensor, layout: RobotLayout) -> tuple[str, ...]:
    """Return the names of a sensor on the wire, of which some sensors have several.

    An encoder of several drives is ``ECLeft`` and so on; a custom sensor name replaces ``EC``.
    """
    if isinstance(sensor, Encoder) and len(sensor.drives) > 1:
        first = "EC" if sensor.name == Encoder.model_fields["name"].default else sensor.name
        return tuple(first + layout.joints.by_drive[drive].name for drive in sensor.drives)
    if isinstance(sensor, Pressure):
        return tuple(f"{sensor.name}_{place}" for place, _ in sensor.places)
    return (sensor.name,)


# -- sensors that share a message ----------------------------------------------------------------

Pairs = Iterable[tuple[str, Any]]
GroupEncoder = tuple[
    type[sensor_messages.Grouped], Callable[[Any, Reading, RobotLayout, PortProfile], Pairs]
]


def _group_by_time(
    group: GroupEncoder,
    readings: Sequence[tuple[Any, Reading]],
    layout: RobotLayout,
    profile: PortProfile,
) -> list[Message]:
    """Return one message per measurement time."""
    message, pairs = group
    by_time: dict[float, list[tuple[str, Any]]] = {}
    for sensor, reading in readings:
        by_time.setdefault(reading.time, []).extend(pairs(sensor, reading, layout, profile))
    return [message(time, tuple(by_time[time])) for time in sorted(by_time)]


def _ranges(sensor: Sensor, reading: Reading, layout: RobotLayout, profile: PortProfile) -> Pairs:
    return [(sensor.name, profile.length(reading["range"]))]


def _encoders(
    sensor: Encoder, reading: Reading, layout: RobotLayout, profile: PortProfile
) -> Pairs:
    for name, drive in zip(sensor_names(sensor, layout), sensor.drives, strict=True):
        joint = layout.joints.by_drive[drive]
        turned = joint.sign * reading[drive] / joint.radius
        turned = turned % (sensor.wrap / joint.radius) if sensor.wrap else turned
        # The margin keeps integer tick counts from being rounded down.
        yield name, math.floor(turned / tick_angle(sensor, drive, layout) + 1e-6)


def _touches(sensor: Touch, reading: Reading, layout: RobotLayout, profile: PortProfile) -> Pairs:
    return [(sensor.name, bool(reading["touch"]))]


def _forces(sensor: Pressure, reading: Reading, layout: RobotLayout, profile: PortProfile) -> Pairs:
    places = (reading[place] for place, _ in sensor.places)
    return zip(sensor_names(sensor, layout), places, strict=True)


_GROUPED: dict[type, GroupEncoder] = {
    Sonar: (sensor_messages.Sonars, _ranges),
    Infrared: (sensor_messages.Infrareds, _ranges),
    Encoder: (sensor_messages.Encoders, _encoders),
    Touch: (sensor_messages.Touches, _touches),
    Pressure: (sensor_messages.Forces, _forces),
}


# -- sensors that have messages of their own -----------------------------------------------------

Fields = tuple[Any, ...]
"""Fields of a message after time and sensor name."""
FieldEncoder = Callable[[Any, Reading, RobotLayout, PortProfile], Fields]


def _place(reading: Reading, profile: PortProfile) -> Vector:
    return profile.place((reading["x"], reading["y"], reading["z"]))


def _pose(sensor: Sensor, reading: Reading, layout: RobotLayout, profile: PortProfile) -> Fields:
    turn = profile.angles((reading["roll"], reading["pitch"], reading["yaw"]))
    return _place(reading, profile), turn


def _laser(sensor: Laser, reading: Reading, layout: RobotLayout, profile: PortProfile) -> Fields:
    angles = profile.angle(sensor.resolution), profile.angle(sensor.fov)
    return *angles, profile.lengths(reading.array("ranges"))


def _mocap(sensor: Sensor, reading: Reading, layout: RobotLayout, profile: PortProfile) -> Fields:
    return (True, *_pose(sensor, reading, layout, profile)) if reading["tracked"] else (False,)


def _odometry(
    sensor: Odometry, reading: Reading, layout: RobotLayout, profile: PortProfile
) -> Fields:
    x, y, _ = profile.place((reading["x"], reading["y"], 0.0))
    yaw = reading["yaw"]
    if sensor_messages.Odometry.type in profile.dialect.wrapped:
        yaw = -wrapped_angle(-yaw)  # the heading on the wire, -yaw, is wrapped to (-pi, pi]
    return ((x, y, profile.heading(yaw)),)


def _tachometer(
    sensor: Tachometer, reading: Reading, layout: RobotLayout, profile: PortProfile
) -> Fields:
    joints = [layout.joints.by_drive[drive] for drive in sensor.drives]
    return tuple(
        tuple(
            joint.wire_angle(value, profile)
            for joint, value in zip(joints, reading.array(key).tolist(), strict=True)
        )
        for key in ("speeds", "positions")
    )


def _gps(sensor: Gps, reading: Reading, layout: RobotLayout, profile: PortProfile) -> Fields:
    place = (degrees(reading[key]) for key in ("latitude", "longitude"))
    return int(reading["satellites"]), *(place if reading["fix"] else ())


def _tags(
    sensor: RfidReader, reading: Reading, layout: RobotLayout, profile: PortProfile
) -> Fields:
    """Encode the tag numbers; positions are not measured, and captures contain none."""
    return (tuple(sensor_messages.TagSeen(str(n)) for n in reading.array("ids").tolist()),)


def _victims(
    sensor: VictimSensor, reading: Reading, layout: RobotLayout, profile: PortProfile
) -> Fields:
    parts, places = (reading.array(key).tolist() for key in ("parts", "positions"))
    seen = zip(parts, places, strict=True)
    return (tuple((part.capitalize(), profile.place((x, y, z))) for part, (x, y, z) in seen),)


_SINGLE: dict[type, tuple[Callable[..., Message], FieldEncoder]] = {
    Laser: (sensor_messages.RangeScan, _laser),
    Ins: (sensor_messages.Ins, _pose),
    Truth: (sensor_messages.GroundTruth, _pose),
    MotionCapture: (sensor_messages.MotionCapture, _mocap),
    Odometry: (sensor_messages.Odometry, _odometry),
    Tachometer: (sensor_messages.Tachometer, _tachometer),
    Accelerometer: (
        sensor_messages.ProperAcceleration,
        lambda sensor, reading, layout, profile: (_place(reading, profile),),
    ),
    Gyroscope: (
        sensor_messages.Gyroscope,
        lambda sensor, reading, layout, profile: (
            profile.angles((reading["x"], reading["y"], reading["z"])),
        ),
    ),
    Compass: (
        sensor_messages.Compass,
        lambda sensor, reading, layout, profile: (profile.heading(reading["heading"]),),
    ),
    Gps: (sensor_messages.Gps, _gps),
    RfidReader: (sensor_messages.Tags, _tags),
    VictimSensor: (sensor_messages.Victims, _victims),
}
"""Sensor class → its message and the encoder of its fields."""


def _depth(sensor: DepthCamera, reading: Reading, profile: PortProfile) -> list[Message]:
    """Return one message for each row of a depth image."""
    picture = resample_depth(sensor.optics, reading.array("depth"))
    return [
        sensor_messages.RangeImage(
            reading.time,
            sensor.name,
            len(picture.ranges),
            frame,
            profile.angle(picture.resolution),
            profile.angle(picture.fov),
            profile.lengths(row),
        )
        for frame, row in enumerate(picture.ranges)
    ]


# -- sensors without a message of their own ------------------------------------------------------


def _generic(sensor: Sensor, reading: Reading) -> Message:
    """Encode all values of a reading unchanged (SI, radians, the axes of the sensor).

    Fields with values that are not finite, or with too many values, are omitted.
    """
    values: list[tuple[str, tuple[float, ...] | str]] = []
    for key in reading.values:
        array = reading.array(key).ravel()
        if array.size > MAX_GENERIC_VALUES:
            continue
        key = re.sub(r"[^\w.-]", "_", key, flags=re.ASCII)
        if array.dtype.kind not in "biuf":
            values.append((key, ",".join(map(str, array.tolist()))))
        elif np.isfinite(array).all():
            values.append((key, tuple(array.astype(float).tolist())))
    return sensor_messages.GenericReading(
        reading.time, wire_type(sensor), sensor.name, tuple(values)
    )
