"""Interface of sensor encoders: form of one kind of sensor in SEN, GEO and CONF.

A sensor without an encoder is sent as a `GenericReading` of the type of its class name. The package
of a plug-in sensor may supply one, by the kind of the sensor::

    [project.entry-points."grouser.usarsim_encoders"]
    moon_clock = "grouser_moon.usarsim:CLOCK"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.robot_layout import MountPose, RobotLayout, mount_poses
from grouser.protocol.usarsim import geo_conf, sensor_messages
from grouser.protocol.usarsim.message import Message
from grouser.sensors.sensor import Reading, Sensor

Readings = Sequence[tuple[Any, Reading]]
"""Sensors of one kind and their readings."""
MessageEncoder = Callable[[Readings, RobotLayout, PortProfile], Iterable[Message]]
"""Returns the messages of new readings."""
Settings = tuple[tuple[str, geo_conf.Value], ...]
"""Keys and values of CONF."""
Pairs = Iterable[tuple[str, Any]]
"""Names and values in a message of several sensors."""
Fields = tuple[Any, ...]
"""Fields of a message after time and sensor name."""

MAX_GENERIC_VALUES = 10_000
"""Maximum number of values of a field in a `GenericReading`; longer fields are omitted."""


def no_messages(readings: Readings, layout: RobotLayout, profile: PortProfile) -> list[Message]:
    """Return nothing: readings of this kind are sent elsewhere."""
    return []


def own_name(sensor: Sensor, layout: RobotLayout) -> tuple[str, ...]:
    """Return the sensor's name as its only name on the wire."""
    return (sensor.name,)


def scan_interval(sensor: Sensor, layout: RobotLayout, profile: PortProfile) -> Settings:
    """Return the period of the readings as the only setting."""
    return (("ScanInterval", 1.0 / sensor.rate_hz),)


@dataclass(frozen=True, kw_only=True)
class SensorEncoder:
    """Form of one kind of sensor on the wire; values in the axes and units of the port."""

    type: str
    """Sensor type."""
    messages: MessageEncoder = no_messages
    """Returns the SEN messages of new readings; see `single_messages` and `grouped_messages`."""
    names: Callable[[Any, RobotLayout], tuple[str, ...]] = own_name
    """Returns the names of a sensor, of which some sensors have several."""
    settings: Callable[[Any, RobotLayout, PortProfile], Settings] = scan_interval
    """Returns the settings in CONF."""
    poses: Callable[[Any, RobotLayout], list[MountPose]] = mount_poses
    """Returns the mounting poses in GEO: one per name, or one for all."""
    on_request: bool = False
    """True: a reading is sent only as the answer to SCAN."""


def single_messages(
    message: Callable[..., Message],
    fields: Callable[[Any, Reading, RobotLayout, PortProfile], Fields],
) -> MessageEncoder:
    """Return the encoder of sensors with one message per reading: time, name and ``fields``."""

    def encode(readings: Readings, layout: RobotLayout, profile: PortProfile) -> Iterable[Message]:
        return [
            message(reading.time, sensor.name, *fields(sensor, reading, layout, profile))
            for sensor, reading in readings
        ]

    return encode


def grouped_messages(
    message: type[sensor_messages.Grouped],
    pairs: Callable[[Any, Reading, RobotLayout, PortProfile], Pairs],
) -> MessageEncoder:
    """Return the encoder of sensors that share one message per measurement time."""

    def encode(readings: Readings, layout: RobotLayout, profile: PortProfile) -> Iterable[Message]:
        by_time: dict[float, list[tuple[str, Any]]] = {}
        for sensor, reading in readings:
            by_time.setdefault(reading.time, []).extend(pairs(sensor, reading, layout, profile))
        return [message(time, tuple(by_time[time])) for time in sorted(by_time)]

    return encode


def generic_encoder(type: str) -> SensorEncoder:
    """Return an encoder that sends all values unchanged (SI, radians, the sensor's axes).

    Fields with values that are not finite, or with too many values, are omitted.
    """
    return SensorEncoder(
        type=type,
        messages=single_messages(
            lambda time, name, values: sensor_messages.GenericReading(time, type, name, values),
            lambda sensor, reading, layout, profile: (_generic_values(reading),),
        ),
    )


def _generic_values(reading: Reading) -> tuple[tuple[str, tuple[float, ...] | str], ...]:
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
    return tuple(values)
