"""SEN: what one sensor felt, one class per type of sensor.

Sensors that UT2004 puts together into one line are in `grouser.protocol.usarsim.sensor_messages`.
Places and angles are in the wire's axes (`grouser.protocol.usarsim.axes`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from grouser.errors import BadValue
from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.message import (
    Message,
    Wire,
    angles,
    flag,
    number,
    numbers,
    read_fields,
    text,
    to_segments,
    vector,
    whole,
)
from grouser.protocol.usarsim.segments import (
    ParsedLine,
    Segment,
    quoted,
    segment_runs,
    unpack_names,
    write,
)
from grouser.protocol.usarsim.values import Vector, read_named_number


@dataclass(frozen=True, slots=True)
class SensorMessage(Message):
    """What a sensor felt."""

    head: ClassVar[str] = "SEN"
    type: ClassVar[str]
    """Name of the type of sensor."""
    stamp: ClassVar[Quantity] = Quantity.STAMP
    """How its time is written."""

    time: float | None
    """s; None: not sent. Some dialects leave it out for some types."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the time, if it is there, and the fields of the class."""
        return cls(time=read_time(line), **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Write time and type before the rest."""
        return [*self.time_and_type(dialect), *to_segments(self, dialect)]

    def time_and_type(self, dialect: Dialect) -> list[Segment]:
        """Return the segments of time and type."""
        kind = ("Type", self.type)
        if self.time is None or self.type in dialect.untimed:
            return [kind]
        return [("Time", dialect.write(self.stamp, self.time)), kind]


def read_time(line: ParsedLine) -> float | None:
    """Return the time that a line says, if it does."""
    value = line.by_key.get("time")
    return None if value is None else read_named_number("Time", value)


@dataclass(frozen=True, slots=True)
class GroundTruth(SensorMessage):
    """Where the robot really is."""

    type: ClassVar[str] = "GroundTruth"

    name: Annotated[str, text("Name")]
    location: Annotated[Vector, vector("Location", Quantity.TRUTH)]
    orientation: Annotated[Vector, angles("Orientation", Quantity.TRUTH, "GroundTruth")]


@dataclass(frozen=True, slots=True)
class Ins(SensorMessage):
    """Where inertial navigation believes the robot to be."""

    type: ClassVar[str] = "INS"

    name: Annotated[str, text("Name")]
    location: Annotated[Vector, vector("Location", Quantity.INS)]
    orientation: Annotated[Vector, angles("Orientation", Quantity.INS, "INS")]


@dataclass(frozen=True, slots=True)
class Odometry(SensorMessage):
    """Where the wheels believe the robot to be."""

    type: ClassVar[str] = "Odometry"

    name: Annotated[str, text("Name")]
    pose: Annotated[Vector, vector("Pose", Quantity.SCALAR)]
    """x, y (m), heading (rad), since the start."""


@dataclass(frozen=True, slots=True)
class RangeScan(SensorMessage):
    """One sweep of a laser, from right to left."""

    type: ClassVar[str] = "RangeScanner"
    stamp: ClassVar[Quantity] = Quantity.SCAN_STAMP

    name: Annotated[str, text("Name")]
    resolution: Annotated[float, number("Resolution", Quantity.SCALAR)]
    """Angle between two rays, rad."""
    fov: Annotated[float, number("FOV", Quantity.SCALAR)]
    """Angle between the first ray and the last, rad."""
    ranges: Annotated[tuple[float, ...], numbers("Range", Quantity.SCAN)]
    """m; the greatest range where nothing was hit."""


@dataclass(frozen=True, slots=True)
class InfraredScan(RangeScan):
    """One sweep of an infrared scanner."""

    type: ClassVar[str] = "IRScanner"


@dataclass(frozen=True, slots=True)
class RangeImage(SensorMessage):
    """A piece of a range imager's picture."""

    type: ClassVar[str] = "RangeImager"
    stamp: ClassVar[Quantity] = Quantity.SCAN_STAMP

    name: Annotated[str, text("Name")]
    frames: Annotated[int, whole("Frames")]
    """How many pieces there are."""
    frame: Annotated[int, whole("Frame")]
    """Which one this is."""
    resolution: Annotated[float, number("Resolution", Quantity.SCALAR)]
    fov: Annotated[float, number("FOV", Quantity.SCALAR)]
    ranges: Annotated[tuple[float, ...], numbers("Range", Quantity.SCAN)]


@dataclass(frozen=True, slots=True)
class Tachometer(SensorMessage):
    """How fast the wheels spin and how far they have."""

    type: ClassVar[str] = "Tachometer"

    name: Annotated[str, text("Name")]
    speeds: Annotated[tuple[float, ...], numbers("Vel", Quantity.SCALAR)]
    """rad/s, per wheel."""
    angles: Annotated[tuple[float, ...], numbers("Pos", Quantity.SCALAR)]
    """rad, per wheel."""


@dataclass(frozen=True, slots=True)
class Imu(SensorMessage):
    """An inertial unit (UDK)."""

    type: ClassVar[str] = "IMU"

    name: Annotated[str, text("Name")]
    acceleration: Annotated[Vector, vector("XYZAcceleration", Quantity.SCALAR)]
    """m/s2."""
    angular_velocity: Annotated[Vector, vector("AngularVel", Quantity.SCALAR)]
    """rad/s."""
    angular_acceleration: Annotated[Vector, vector("AngularAccel", Quantity.SCALAR)]
    """rad/s2."""
    rotation: Annotated[Vector, vector("Rotation", Quantity.SCALAR)]


@dataclass(frozen=True, slots=True)
class Acceleration(SensorMessage):
    """Acceleration without gravity, m/s2, in the robot's axes."""

    type: ClassVar[str] = "Accel"

    name: Annotated[str, text("Name")]
    acceleration: Annotated[Vector, vector("Acceleration", Quantity.SCALAR)]


@dataclass(frozen=True, slots=True)
class ProperAcceleration(SensorMessage):
    """Acceleration as an accelerometer feels it, gravity included, m/s2, in the robot's axes."""

    type: ClassVar[str] = "AcceleroMeter"

    name: Annotated[str, text("Name")]
    acceleration: Annotated[Vector, vector("ProperAcceleration", Quantity.SCALAR)]


@dataclass(frozen=True, slots=True)
class Compass(SensorMessage):
    """Where north is, rad (UDK)."""

    type: ClassVar[str] = "MagneticCompass"

    name: Annotated[str, text("Name")]
    angle: Annotated[float, number("MagneticAngle", Quantity.SCALAR)]


@dataclass(frozen=True, slots=True)
class Altitude(SensorMessage):
    """How high the robot is, m (UDK)."""

    type: ClassVar[str] = "AltitudeSensor"

    name: Annotated[str, text("Name")]
    relative: Annotated[float, number("relativeAltitude", Quantity.SCALAR)]
    absolute: Annotated[float, number("absoluteAltitude", Quantity.SCALAR)]


@dataclass(frozen=True, slots=True)
class MissionTime(SensorMessage):
    """Minutes of the mission (UDK)."""

    type: ClassVar[str] = "MissionTime"

    name: Annotated[str, text("Name")]
    minutes: Annotated[int, whole("Minutes")]


@dataclass(frozen=True, slots=True)
class Gas(SensorMessage):
    """How much of a gas is in the air."""

    type: ClassVar[str] = "CO2Sensor"

    name: Annotated[str, text("Name")]
    gas: Annotated[str, text("Gas")]
    density: Annotated[float, number("Density", Quantity.COARSE)]


@dataclass(frozen=True, slots=True)
class Acoustic(SensorMessage):
    """Whether something is heard: from far, or from a direction."""

    type: ClassVar[str] = "Acoustic"

    name: Annotated[str, text("Name")]
    far: bool = False
    direction: Annotated[Vector | None, vector("Direction")] = None
    volume: Annotated[float | None, number("Volume")] = None
    duration: Annotated[float | None, number("Duration")] = None
    """s."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Look for ``{Far}``."""
        far = any(key.lower() == "far" and not value for key, value in line.segments)
        return cls(time=read_time(line), far=far, **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Write ``{None}`` if nothing is heard."""
        segments = to_segments(self, dialect)
        if self.far:
            segments.append(("Far", ""))
        elif self.direction is None:
            segments.append(("None", ""))
        return [*self.time_and_type(dialect), *segments]


@dataclass(frozen=True, slots=True)
class Victims(SensorMessage):
    """Parts of victims that are seen (UT2004)."""

    type: ClassVar[str] = "VictSensor"

    name: Annotated[str, text("Name")]
    parts: tuple[tuple[str, Vector], ...] = ()
    """Head, Arm, Hand, Chest, Pelvis, Leg or Foot → where."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the parts one after the other."""
        seen = (
            VictimPartSeen(**read_fields(VictimPartSeen, run))
            for run in segment_runs(line.segments, "PartName")
        )
        parts = tuple((part.name, part.location) for part in seen)
        return cls(time=read_time(line), parts=parts, **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Write the parts, or that there are none."""
        segments = [*self.time_and_type(dialect), ("Name", self.name)]
        if not self.parts:
            return [*segments, ("Status", "NoVictims")]
        for name, location in self.parts:
            segments += to_segments(VictimPartSeen(name, location), dialect)
        return segments


@dataclass(frozen=True, slots=True)
class VictimPartSeen:
    """A part of a victim."""

    name: Annotated[str, text("PartName")]
    location: Annotated[Vector, vector("Location", Quantity.PLACE)]


@dataclass(frozen=True, slots=True)
class TagSeen:
    """A radio tag within reach."""

    id: Annotated[str, text("ID")]
    location: Annotated[Vector | None, vector("Location", Quantity.PLACE)] = None
    distance: Annotated[float | None, number("Distance", Quantity.PLACE)] = None
    """m."""


@dataclass(frozen=True, slots=True)
class Tags(SensorMessage):
    """Radio tags within reach (UT2004)."""

    type: ClassVar[str] = "RFID"

    name: Annotated[str, text("Name")]
    tags: tuple[TagSeen, ...] = ()

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the tags one after the other."""
        tags = tuple(
            TagSeen(**read_fields(TagSeen, run)) for run in segment_runs(line.segments, "ID")
        )
        return cls(time=read_time(line), tags=tags, **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Write the tags behind the name."""
        segments = [*self.time_and_type(dialect), ("Name", self.name)]
        for tag in self.tags:
            segments += to_segments(tag, dialect)
        return segments


@dataclass(frozen=True, slots=True)
class Gps(SensorMessage):
    """Where satellites believe the robot to be."""

    type: ClassVar[str] = "GPS"

    name: Annotated[str, text("Name")]
    satellites: Annotated[int, whole("Satellites")] = 0
    latitude_deg: float | None = None
    """North positive; None: no fix."""
    longitude_deg: float | None = None
    """East positive; None: no fix."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read degrees and minutes."""
        return cls(
            time=read_time(line),
            latitude_deg=_read_degrees("Latitude", line.by_key.get("latitude")),
            longitude_deg=_read_degrees("Longitude", line.by_key.get("longitude")),
            **read_fields(cls, line.by_key),
        )

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Write degrees and minutes, if there is a fix."""
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
    """Return degrees, minutes with four decimals, and the letter; 60 minutes are never written."""
    parts = round(degrees * 600_000)  # ten thousandths of minutes
    whole_degrees, rest = divmod(abs(parts), 600_000)
    minutes, fraction = divmod(rest, 10_000)
    return f"{whole_degrees},{minutes}.{fraction:04d},{hemispheres[parts < 0]}"


@dataclass(frozen=True, slots=True)
class Grouped(SensorMessage):
    """What several sensors of one type felt."""

    wire: ClassVar[Wire]
    """How one value is written."""

    readings: tuple[tuple[str, Any], ...]
    """Sensor → value."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the sensors one after the other."""
        key = cls.wire.key.lower()
        readings = []
        for run in segment_runs(unpack_names(line.segments), "Name"):
            name = run["name"]
            try:
                readings.append((name, cls.wire.read(run.get(key, ""))))
            except BadValue as refusal:
                raise BadValue(f"{cls.wire.key} of {quoted(name)} {refusal}") from None
        return cls(read_time(line), tuple(readings))

    def lines(self, dialect: Dialect) -> list[str]:
        """Return one line for all, or one for each, as the dialect has it."""
        prefix = self.time_and_type(dialect)
        key = self.wire.key
        texts = [(name, self.wire.write(value, dialect)) for name, value in self.readings]
        if dialect.packed:
            packed = [("Name", f"{name} {key} {value}") for name, value in texts]
            return [write(self.head, [*prefix, *packed])]
        return [write(self.head, [*prefix, ("Name", name), (key, value)]) for name, value in texts]


@dataclass(frozen=True, slots=True)
class Encoders(Grouped):
    """Ticks of motors, since the start."""

    type: ClassVar[str] = "Encoder"
    wire: ClassVar[Wire] = whole("Tick")

    readings: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Sonars(Grouped):
    """Ranges by sound, m."""

    type: ClassVar[str] = "Sonar"
    wire: ClassVar[Wire] = number("Range", Quantity.SCALAR)

    readings: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Infrareds(Grouped):
    """Ranges by infrared light, m."""

    type: ClassVar[str] = "IR"
    wire: ClassVar[Wire] = number("Range", Quantity.SCALAR)

    readings: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Touches(Grouped):
    """Switches: whether something is touched."""

    type: ClassVar[str] = "Touch"
    wire: ClassVar[Wire] = flag("Touch")

    readings: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class TouchArrays(Grouped):
    """Bumpers of several switches."""

    type: ClassVar[str] = "TouchArray"
    wire: ClassVar[Wire] = flag("Touch")

    readings: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Gyroscope(SensorMessage):
    """How fast the sensor turns."""

    type: ClassVar[str] = "Gyroscope"

    name: Annotated[str, text("Name")]
    angular_velocity: Annotated[Vector, vector("AngularVel", Quantity.SCALAR)]
    """About roll, pitch and yaw, rad/s; UDK's IMU has the same key."""


@dataclass(frozen=True, slots=True)
class Forces(Grouped):
    """What presses on force sensors, N."""

    type: ClassVar[str] = "Force"
    wire: ClassVar[Wire] = number("Force", Quantity.SCALAR)

    readings: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class MotionCapture(SensorMessage):
    """Where cameras around the room see a body."""

    type: ClassVar[str] = "MotionCapture"

    name: Annotated[str, text("Name")]
    tracked: Annotated[bool, flag("Tracked")]
    location: Annotated[Vector | None, vector("Location", Quantity.SCALAR)] = None
    """m; None: the body was not seen."""
    orientation: Annotated[Vector | None, vector("Orientation", Quantity.SCALAR)] = None
