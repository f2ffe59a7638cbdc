"""USARSim's form of sensor readings: the encoder of each shipped kind of sensor, and `encode`.

Readings of the same type share one message, which the protocol writes as one line or several,
depending on the dialect. Types are sent in the order of UT2004's burst, those of plug-ins last.
Cameras and batteries send no SEN: images are on the image port, the battery is in STA.
"""

from __future__ import annotations

import functools
import logging
import math
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import mujoco

from grouser import plugins
from grouser.errors import GrouserError
from grouser.frames import Pose, degrees, radians
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.range_images import ray_grid, resample_depth
from grouser.gateways.usarsim.robot_layout import MountPose, RobotLayout, local_body_name
from grouser.gateways.usarsim.sensor_encoder import (
    Fields,
    Pairs,
    Readings,
    SensorEncoder,
    Settings,
    generic_encoder,
    grouped_messages,
    scan_interval,
    single_messages,
)
from grouser.protocol.usarsim import sensor_messages
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.values import Vector, wrapped_angle
from grouser.sensors.battery import Battery
from grouser.sensors.depth import DepthCamera
from grouser.sensors.encoder import Encoder
from grouser.sensors.gps import Gps
from grouser.sensors.laser import Laser
from grouser.sensors.odometry import Odometry
from grouser.sensors.pressure import Pressure
from grouser.sensors.rfid import RfidReader
from grouser.sensors.sensor import Reading, Sensor, SensorDescription
from grouser.sensors.tachometer import Tachometer
from grouser.sensors.touch import Touch
from grouser.sensors.victims import VictimSensor

TICK = radians(1.0)
"""Angle per encoder tick (rad) for a sensor without a resolution: USARSim's default."""
_ENCODER_NAME = Encoder.model_fields["name"].default

_LOG = logging.getLogger(__name__)


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
        requested: names of sensors with a pending SCAN. Other depth images are not sent: as with
            USARSim's range imagers, an image of about a hundred lines is sent on request only.
    """
    by_type: dict[str, tuple[SensorEncoder, list[tuple[Any, Reading]]]] = {}
    for sensor, reading in readings:
        encoder = encoder_of(sensor)
        if not encoder.on_request or sensor.name in requested:
            by_type.setdefault(encoder.type, (encoder, []))[1].append((sensor, reading))
    messages: list[Message] = []
    for kind in sorted(by_type, key=lambda kind: _ORDER.get(kind, len(_ORDER))):
        encoder, own = by_type[kind]
        messages += encoder.messages(own, layout, profile)
    return messages


def encoder_of(sensor: Sensor) -> SensorEncoder:
    """Return the encoder of a sensor's kind, or else of the kind that its class derives from."""
    return _encoder(type(sensor))


@functools.cache
def _encoder(cls: type) -> SensorEncoder:
    for base in cls.__mro__:
        described = issubclass(base, SensorDescription) and base.model_fields.get("kind")
        kind = described.default if described else None
        if kind in ENCODERS:
            return ENCODERS[kind]
        if kind in plugins.entry_points(plugins.USARSIM_ENCODERS, frozenset()):
            try:
                found = plugins.load(kind, {}, plugins.USARSIM_ENCODERS, "usarsim")
                if isinstance(found, SensorEncoder):
                    return found
                _LOG.error("encoder of sensor '%s' is %r, not a SensorEncoder", kind, found)
            except GrouserError as error:
                _LOG.error("%s; its readings are sent as they are", error)
    return generic_encoder(cls.__name__)


# -- encoders that share a message -----------------------------------------------------------------


def _ranges(sensor: Sensor, reading: Reading, layout: RobotLayout, profile: PortProfile) -> Pairs:
    return [(sensor.name, profile.length(reading["range"]))]


def _encoders(
    sensor: Encoder, reading: Reading, layout: RobotLayout, profile: PortProfile
) -> Pairs:
    for name, drive in zip(_encoder_names(sensor, layout), sensor.drives, strict=True):
        joint = layout.joints.by_drive[drive]
        turned = joint.sign * reading[drive] / joint.radius
        turned = turned % (sensor.wrap / joint.radius) if sensor.wrap else turned
        # The margin keeps integer tick counts from being rounded down.
        yield name, math.floor(turned / tick_angle(sensor, drive, layout) + 1e-6)


def _touches(sensor: Touch, reading: Reading, layout: RobotLayout, profile: PortProfile) -> Pairs:
    return [(sensor.name, bool(reading["touch"]))]


def _forces(sensor: Pressure, reading: Reading, layout: RobotLayout, profile: PortProfile) -> Pairs:
    places = (reading[place] for place, _ in sensor.places)
    return zip(_pressure_names(sensor, layout), places, strict=True)


def tick_angle(sensor: Encoder, drive: str, layout: RobotLayout) -> float:
    """Return the angle of one tick of the encoder of ``drive`` on the wire, rad."""
    radius = layout.joints.by_drive[drive].radius
    return sensor.resolution / radius if sensor.resolution else TICK


def _encoder_names(sensor: Encoder, layout: RobotLayout) -> tuple[str, ...]:
    """Return ``ECLeft`` and so on for several drives; a custom sensor name replaces ``EC``."""
    if len(sensor.drives) == 1:
        return (sensor.name,)
    first = "EC" if sensor.name == _ENCODER_NAME else sensor.name
    return tuple(first + layout.joints.by_drive[drive].name for drive in sensor.drives)


def _pressure_names(sensor: Pressure, layout: RobotLayout) -> tuple[str, ...]:
    return tuple(f"{sensor.name}_{place}" for place, _ in sensor.places)


def _touch_poses(sensor: Touch, layout: RobotLayout) -> list[MountPose]:
    model, full = layout.model, f"{layout.name}/{sensor.mount}"
    if mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, full) >= 0:
        return [MountPose(sensor.mount, Pose())]
    geom = model.geom(full)
    pose = Pose(geom.pos.copy(), geom.quat.copy())
    return [MountPose(local_body_name(model, layout.name, int(geom.bodyid[0])), pose)]


def _pressure_poses(sensor: Pressure, layout: RobotLayout) -> list[MountPose]:
    return [MountPose(sensor.mount, Pose.at(*at)) for _, at in sensor.places]


def _battery_settings(sensor: Battery) -> tuple[tuple[str, Any], ...]:
    return ("Capacity", sensor.capacity), ("IdlePower", sensor.idle)


# -- encoders with a message of their own ----------------------------------------------------------


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


def _depths(readings: Readings, layout: RobotLayout, profile: PortProfile) -> Iterator[Message]:
    """Yield one message for each row of a depth image."""
    for sensor, reading in readings:
        picture = resample_depth(sensor.optics, reading.array("depth"))
        for frame, row in enumerate(picture.ranges):
            yield sensor_messages.RangeImage(
                reading.time,
                sensor.name,
                len(picture.ranges),
                frame,
                profile.angle(picture.resolution),
                profile.angle(picture.fov),
                profile.lengths(row),
            )


# -- settings --------------------------------------------------------------------------------------


def _span(sensor: Any, profile: PortProfile) -> Settings:
    return (("MaxRange", profile.length(sensor.far)), ("MinRange", profile.length(sensor.near)))


def _range_rows(sensor: DepthCamera, layout: RobotLayout, profile: PortProfile) -> Settings:
    rays = ray_grid(sensor.optics.output_plane)
    return (*_span(sensor.optics, profile), *_fan(rays.resolution, rays.fov, profile, tilting=True))


def _fan(resolution: float, fov: float, profile: PortProfile, *, tilting: bool) -> Settings:
    return (
        ("Resolution", profile.angle(resolution)),
        ("Fov", profile.angle(fov)),
        ("Panning", True),
        ("Tilting", tilting),
    )


ENCODERS: dict[str, SensorEncoder] = {
    "sonar": SensorEncoder(
        type="Sonar",
        messages=grouped_messages(sensor_messages.Sonars, _ranges),
        settings=lambda sensor, layout, profile: (
            *_span(sensor, profile),
            ("BeamAngle", profile.angle(sensor.beam)),
        ),
    ),
    "infrared": SensorEncoder(
        type="IR",
        messages=grouped_messages(sensor_messages.Infrareds, _ranges),
        settings=lambda sensor, layout, profile: _span(sensor, profile),
    ),
    "laser": SensorEncoder(
        type="RangeScanner",
        messages=single_messages(sensor_messages.RangeScan, _laser),
        settings=lambda sensor, layout, profile: (
            *_span(sensor, profile),
            *_fan(sensor.resolution, sensor.fov, profile, tilting=False),
        ),
    ),
    "ins": SensorEncoder(type="INS", messages=single_messages(sensor_messages.Ins, _pose)),
    "odometry": SensorEncoder(
        type="Odometry",
        messages=single_messages(sensor_messages.Odometry, _odometry),
        settings=lambda sensor, layout, profile: (
            *scan_interval(sensor, layout, profile),
            ("EncoderResolution", profile.angle(sensor.resolution / sensor.radius)),
        ),
    ),
    "encoder": SensorEncoder(
        type="Encoder",
        messages=grouped_messages(sensor_messages.Encoders, _encoders),
        names=_encoder_names,
        settings=lambda sensor, layout, profile: (
            ("Resolution", profile.angle(tick_angle(sensor, sensor.drives[0], layout))),
        ),
    ),
    "tachometer": SensorEncoder(
        type="Tachometer", messages=single_messages(sensor_messages.Tachometer, _tachometer)
    ),
    "touch": SensorEncoder(
        type="Touch",
        messages=grouped_messages(sensor_messages.Touches, _touches),
        poses=_touch_poses,
    ),
    "pressure": SensorEncoder(
        type="Force",
        messages=grouped_messages(sensor_messages.Forces, _forces),
        names=_pressure_names,
        poses=_pressure_poses,
    ),
    "accelerometer": SensorEncoder(
        type="AcceleroMeter",
        messages=single_messages(
            sensor_messages.ProperAcceleration,
            lambda sensor, reading, layout, profile: (_place(reading, profile),),
        ),
    ),
    "gyroscope": SensorEncoder(
        type="Gyroscope",
        messages=single_messages(
            sensor_messages.Gyroscope,
            lambda sensor, reading, layout, profile: (
                profile.angles((reading["x"], reading["y"], reading["z"])),
            ),
        ),
    ),
    "compass": SensorEncoder(
        type="MagneticCompass",
        messages=single_messages(
            sensor_messages.Compass,
            lambda sensor, reading, layout, profile: (profile.heading(reading["heading"]),),
        ),
    ),
    "rfid": SensorEncoder(
        type="RFID",
        messages=single_messages(sensor_messages.Tags, _tags),
        settings=lambda sensor, layout, profile: (("MaxRange", profile.length(sensor.far)),),
    ),
    "truth": SensorEncoder(
        type="GroundTruth", messages=single_messages(sensor_messages.GroundTruth, _pose)
    ),
    "mocap": SensorEncoder(
        type="MotionCapture", messages=single_messages(sensor_messages.MotionCapture, _mocap)
    ),
    "gps": SensorEncoder(type="GPS", messages=single_messages(sensor_messages.Gps, _gps)),
    "victims": SensorEncoder(
        type="VictSensor",
        messages=single_messages(sensor_messages.Victims, _victims),
        settings=lambda sensor, layout, profile: (
            ("MaxRange", profile.length(sensor.far)),
            ("HorizontalFOV", profile.angle(sensor.fov)),
            ("VerticalFOV", profile.angle(sensor.fov_vertical)),
        ),
    ),
    "depth": SensorEncoder(
        type="RangeImager", messages=_depths, settings=_range_rows, on_request=True
    ),
    "camera": SensorEncoder(type="Camera"),
    "battery": SensorEncoder(
        type="Battery",
        settings=lambda sensor, layout, profile: (
            () if sensor.capacity is None else _battery_settings(sensor)
        ),
    ),
}
"""Kind of sensor → its encoder, in the order of transmission."""

_ORDER = {encoder.type: place for place, encoder in enumerate(ENCODERS.values())}
