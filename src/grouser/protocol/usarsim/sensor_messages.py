"""SEN: sensor readings, one class per sensor type.

Sensors of which a robot has several (`Grouped`) share one line in UT2004, where name and value
share a segment, ``{Name F1 Range 4.5523}``; UT3 and UDK send one line per sensor. Both forms are
read, and one message may be written as several lines. Gyroscopes, force sensors, motion capture and
`GenericReading` are Grouser extensions, written in the same form. Positions and angles are in the
axes of the wire (`grouser.protocol.usarsim.axes`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from grouser.errors import BadValue
from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.message import (
    FieldCodec,
    Message,
    angles,
    flag,
    integer,
    list_segments,
    number,
    numbers,
    percent_encode,
    read_fields,
    read_runs,
    text,
    to_segments,
    vector,
)
from grouser.protocol.usarsim.segments import (
    ParsedLine,
    Segment,
    quote_text,
    segment_runs,
    unpack_names,
    write,
)
from grouser.protocol.usarsim.values import Vector, read_named_number


@dataclass(frozen=True, slots=True)
class SensorMessage(Message, head="SEN"):
    """Base class of sensor readings."""

    type: ClassVar[str]
    """Sensor type; classes set it as a keyword."""
    stamp: ClassVar[Quantity] = Quantity.STAMP
    """Number format of the time."""

    time: float | None
    """s; None: not sent. Some dialects omit it for some types."""

    def __init_subclass__(cls, type: str | None = None) -> None:
        if type is not None:
            cls.type = type

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the optional time and the fields of the class."""
        return cls(time=read_time(line), **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return time and type, then the fields."""
        return [*self.time_and_type(dialect), *to_segments(self, dialect)]

    def time_and_type(self, dialect: Dialect) -> list[Segment]:
        """Return the segments of time and type."""
        kind = ("Type", self.type)
        if self.time is None or self.type in dialect.untimed:
            return [kind]
        return [("Time", dialect.write(self.stamp, self.time)), kind]


@dataclass(frozen=True, slots=True)
class NamedReading(SensorMessage):
    """Base class of readings of one sensor with a name."""

    name: Annotated[str, text("Name")]


def read_time(line: ParsedLine) -> float | None:
    """Return the time in a line, or None."""
    value = line.by_key.get("time")
    return None if value is None else read_named_number("Time", value)


@dataclass(frozen=True, slots=True)
class GroundTruth(NamedReading, type="GroundTruth"):
    """True pose of the robot."""

    location: Annotated[Vector, vector("Location", Quantity.TRUTH)]
    orientation: Annotated[Vector, angles("Orientation", Quantity.TRUTH, "GroundTruth")]


@dataclass(frozen=True, slots=True)
class Ins(NamedReading, type="INS"):
    """Pose estimated by inertial navigation."""

    location: Annotated[Vector, vector("Location", Quantity.INS)]
    orientation: Annotated[Vector, angles("Orientation", Quantity.INS, "INS")]


@dataclass(frozen=True, slots=True)
class Odometry(NamedReading, type="Odometry"):
    """Pose estimated from wheel odometry."""

    pose: Annotated[Vector, vector("Pose", Quantity.SCALAR)]
    """x, y (m), heading (rad), since the start."""


@dataclass(frozen=True, slots=True)
class RangeScan(NamedReading, type="RangeScanner"):
    """Laser scan, from right to left."""

    stamp: ClassVar[Quantity] = Quantity.SCAN_STAMP

    resolution: Annotated[float, number("Resolution", Quantity.SCALAR)]
    """Angle between two rays, rad."""
    fov: Annotated[float, number("FOV", Quantity.SCALAR)]
    """Angle between the first ray and the last, rad."""
    ranges: Annotated[tuple[float, ...], numbers("Range", Quantity.SCAN)]
    """m; maximum range where nothing was hit."""


@dataclass(frozen=True, slots=True)
class InfraredScan(RangeScan, type="IRScanner"):
    """Scan of an infrared scanner."""


@dataclass(frozen=True, slots=True)
class RangeImage(NamedReading, type="RangeImager"):
    """One row of a range image."""

    stamp: ClassVar[Quantity] = Quantity.SCAN_STAMP

    frames: Annotated[int, integer("Frames")]
    """Number of rows."""
    frame: Annotated[int, integer("Frame")]
    """Index of this row."""
    resolution: Annotated[float, number("Resolution", Quantity.SCALAR)]
    fov: Annotated[float, number("FOV", Quantity.SCALAR)]
    ranges: Annotated[tuple[float, ...], numbers("Range", Quantity.SCAN)]


@dataclass(frozen=True, slots=True)
class Tachometer(NamedReading, type="Tachometer"):
    """Angular speed and accumulated angle of the wheels."""

    speeds: Annotated[tuple[float, ...], numbers("Vel", Quantity.SCALAR)]
    """rad/s, per wheel."""
    angles: Annotated[tuple[float, ...], numbers("Pos", Quantity.SCALAR)]
    """rad, per wheel."""


@dataclass(frozen=True, slots=True)
class Imu(NamedReading, type="IMU"):
    """Inertial measurement unit (UDK)."""

    acceleration: Annotated[Vector, vector("XYZAcceleration", Quantity.SCALAR)]
    """m/s2."""
    angular_velocity: Annotated[Vector, vector("AngularVel", Quantity.SCALAR)]
    """rad/s."""
    angular_acceleration: Annotated[Vector, vector("AngularAccel", Quantity.SCALAR)]
    """rad/s2."""
    rotation: Annotated[Vector, vector("Rotation", Quantity.SCALAR)]


@dataclass(frozen=True, slots=True)
class Acceleration(NamedReading, type="Accel"):
    """Acceleration without gravity, m/s2, in the robot's axes."""

    acceleration: Annotated[Vector, vector("Acceleration", Quantity.SCALAR)]


@dataclass(frozen=True, slots=True)
class ProperAcceleration(NamedReading, type="AcceleroMeter"):
    """Proper acceleration (gravity included), m/s2, in the robot's axes."""

    acceleration: Annotated[Vector, vector("ProperAcceleration", Quantity.SCALAR)]


@dataclass(frozen=True, slots=True)
class Compass(NamedReading, type="MagneticCompass"):
    """Magnetic heading, rad (UDK)."""

    angle: Annotated[float, number("MagneticAngle", Quantity.SCALAR)]


@dataclass(frozen=True, slots=True)
class Altitude(NamedReading, type="AltitudeSensor"):
    """Altitude, m (UDK)."""

    relative: Annotated[float, number("relativeAltitude", Quantity.SCALAR)]
    absolute: Annotated[float, number("absoluteAltitude", Quantity.SCALAR)]


@dataclass(frozen=True, slots=True)
class MissionTime(NamedReading, type="MissionTime"):
    """Mission time, min (UDK)."""

    minutes: Annotated[int, integer("Minutes")]


@dataclass(frozen=True, slots=True)
class Gas(NamedReading, type="CO2Sensor"):
    """Gas concentration."""

    gas: Annotated[str, text("Gas")]
    density: Annotated[float, number("Density", Quantity.COARSE)]


@dataclass(frozen=True, slots=True)
class Acoustic(NamedReading, type="Acoustic"):
    """Sound detection: none, far, or with direction, volume and duration."""

    far: bool = False
    direction: Annotated[Vector | None, vector("Direction")] = None
    volume: Annotated[float | None, number("Volume")] = None
    duration: Annotated[float | None, number("Duration")] = None
    """s."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the fields and the flag ``{Far}``."""
        far = any(key.lower() == "far" and not value for key, value in line.segments)
        return cls(time=read_time(line), far=far, **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the fields; ``{None}`` if no sound is detected."""
        segments = to_segments(self, dialect)
        if self.far:
            segments.append(("Far", ""))
        elif self.direction is None:
            segments.append(("None", ""))
        return [*self.time_and_type(dialect), *segments]


@dataclass(frozen=True, slots=True)
class Victims(NamedReading, type="VictSensor"):
    """Detected victim parts (UT2004)."""

    parts: tuple[tuple[str, Vector], ...] = ()
    """Head, Arm, Hand, Chest, Pelvis, Leg or Foot → position."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the parts in order."""
        seen = read_runs(VictimPartSeen, line.segments, "PartName")
        parts = tuple((part.name, part.location) for part in seen)
        return cls(time=read_time(line), parts=parts, **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the parts, or the status ``NoVictims``."""
        segments = [*self.time_and_type(dialect), ("Name", self.name)]
        if not self.parts:
            return [*segments, ("Status", "NoVictims")]
        seen = (VictimPartSeen(name, location) for name, location in self.parts)
        return [*segments, *list_segments(seen, dialect)]


@dataclass(frozen=True, slots=True)
class VictimPartSeen:
    """Detected part of a victim."""

    name: Annotated[str, text("PartName")]
    location: Annotated[Vector, vector("Location", Quantity.PLACE)]


@dataclass(frozen=True, slots=True)
class TagSeen:
    """RFID tag within range."""

    id: Annotated[str, text("ID")]
    location: Annotated[Vector | None, vector("Location", Quantity.PLACE)] = None
    distance: Annotated[float | None, number("Distance", Quantity.PLACE)] = None
    """m."""


@dataclass(frozen=True, slots=True)
class Tags(NamedReading, type="RFID"):
    """RFID tags within range (UT2004)."""

    tags: tuple[TagSeen, ...] = ()

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the tags in order."""
        tags = read_runs(TagSeen, line.segments, "ID")
        return cls(time=read_time(line), tags=tags, **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the name, then the tags."""
        tags = list_segments(self.tags, dialect)
        return [*self.time_and_type(dialect), ("Name", self.name), *tags]


@dataclass(frozen=True, slots=True)
class Gps(NamedReading, type="GPS"):
    """Satellite position fix."""

    satellites: Annotated[int, integer("Satellites")] = 0
    latitude_deg: float | None = None
    """North positive; None: no fix."""
    longitude_deg: float | None = None
    """East positive; None: no fix."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read latitude and longitude from degrees and minutes."""
        return cls(
            time=read_time(line),
            latitude_deg=_read_degrees("Latitude", line.by_key.get("latitude")),
            longitude_deg=_read_degrees("Longitude", line.by_key.get("longitude")),
            **read_fields(cls, line.by_key),
        )

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return latitude and longitude in degrees and minutes if there is a fix."""
        segments = [*self.time_and_type(dialect), ("Name", self.name)]
        fix = "0"
        if self.latitude_deg is not None and self.longitude_deg is not None:
            segments.append(("Latitude", _write_degrees(self.latitude_deg, "NS")))
            segments.append(("Longitude", _write_degrees(self.longitude_deg, "EW")))
            fix = "1"
        return [*segments, ("Fix", fix), ("Satellites", str(self.satellites))]


def _read_degrees(key: str, value: str | None) -> float | None:
    """Return ``39,8.0341,N`` in degrees."""
    if value is None:
        return None
    words = value.replace(",", " ").split()
    if len(words) != 3 or words[2].upper() not in ("N", "S", "E", "W"):
        raise BadValue(f"{key} is '{value[:40]}', must be degrees,minutes,N|S|E|W")
    degrees = read_named_number(key, words[0]) + read_named_number(key, words[1]) / 60.0
    return degrees if words[2].upper() in "NE" else -degrees


def _write_degrees(degrees: float, hemispheres: str) -> str:
    """Return degrees, minutes with four decimals and hemisphere; minutes stay below 60."""
    parts = round(degrees * 600_000)  # ten thousandths of minutes
    whole_degrees, rest = divmod(abs(parts), 600_000)
    minutes, fraction = divmod(rest, 10_000)
    return f"{whole_degrees},{minutes}.{fraction:04d},{hemispheres[parts < 0]}"


@dataclass(frozen=True, slots=True)
class Grouped(SensorMessage):
    """Readings of several sensors of one type."""

    codec: ClassVar[FieldCodec]
    """Codec of one value."""

    readings: tuple[tuple[str, Any], ...]
    """Sensor → value."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the sensors in order."""
        key = cls.codec.key.lower()
        readings = []
        for run in segment_runs(unpack_names(line.segments), "Name"):
            name = run["name"]
            try:
                readings.append((name, cls.codec.read(run.get(key, ""))))
            except BadValue as error:
                raise BadValue(f"{cls.codec.key} of {quote_text(name)} {error}") from None
        return cls(read_time(line), tuple(readings))

    def lines(self, dialect: Dialect) -> list[str]:
        """Return one line for all sensors, or one per sensor, depending on the dialect."""
        prefix = self.time_and_type(dialect)
        key = self.codec.key
        texts = [(name, self.codec.write(value, dialect)) for name, value in self.readings]
        if dialect.packed:
            packed = [("Name", f"{name} {key} {value}") for name, value in texts]
            return [write(self.head, [*prefix, *packed])]
        return [write(self.head, [*prefix, ("Name", name), (key, value)]) for name, value in texts]


@dataclass(frozen=True, slots=True)
class Encoders(Grouped, type="Encoder"):
    """Encoder ticks since the start."""

    codec: ClassVar[FieldCodec] = integer("Tick")

    readings: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Sonars(Grouped, type="Sonar"):
    """Ranges of sonars, m."""

    codec: ClassVar[FieldCodec] = number("Range", Quantity.SCALAR)

    readings: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Infrareds(Grouped, type="IR"):
    """Ranges of infrared sensors, m."""

    codec: ClassVar[FieldCodec] = number("Range", Quantity.SCALAR)

    readings: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Touches(Grouped, type="Touch"):
    """Contact states of touch sensors."""

    codec: ClassVar[FieldCodec] = flag("Touch")

    readings: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class TouchArrays(Grouped, type="TouchArray"):
    """Contact states of bumpers with several switches."""

    codec: ClassVar[FieldCodec] = flag("Touch")

    readings: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Gyroscope(NamedReading, type="Gyroscope"):
    """Angular velocity of the sensor."""

    angular_velocity: Annotated[Vector, vector("AngularVel", Quantity.SCALAR)]
    """About roll, pitch and yaw, rad/s; same key as UDK's IMU."""


@dataclass(frozen=True, slots=True)
class Forces(Grouped, type="Force"):
    """Normal forces on force sensors, N."""

    codec: ClassVar[FieldCodec] = number("Force", Quantity.SCALAR)

    readings: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class MotionCapture(NamedReading, type="MotionCapture"):
    """Pose of a body measured by a motion capture system."""

    tracked: Annotated[bool, flag("Tracked")]
    location: Annotated[Vector | None, vector("Location", Quantity.SCALAR)] = None
    """m; None: not tracked."""
    orientation: Annotated[Vector | None, vector("Orientation", Quantity.SCALAR)] = None


@dataclass(frozen=True, slots=True)
class GenericReading(Message, head="SEN"):
    """Reading of a sensor that has no SEN of its own, such as a plug-in sensor.

    One segment per value; numbers with all their digits, text percent-encoded. Clients read it as
    `grouser.protocol.usarsim.message.UnknownMessage`.
    """

    time: float
    """s."""
    type: str
    """Sensor type."""
    name: str
    """Name of the sensor."""
    values: tuple[tuple[str, tuple[float, ...] | str], ...]
    """Key → numbers or text."""

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return time, type and name, then the values."""
        join = dialect.styles[Quantity.EXACT].join
        stamp = dialect.write(Quantity.STAMP, self.time)
        return [
            ("Time", stamp),
            ("Type", self.type),
            ("Name", self.name),
            *(
                (key, percent_encode(value) if isinstance(value, str) else join(value))
                for key, value in self.values
            ),
        ]
