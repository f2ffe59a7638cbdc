"""What Kenaf's CAN frames say, packed by hand; kenaf.dbc says the same to CAN tools.

Values are in SI units and radians, x forward, y left, z up: belts forwards positive, flippers up
positive for all four, pitch nose down positive, yaw and pan to the left positive. On the bus they
are whole numbers of the unit that stands beside each signal, lowest byte first.

Every command ends with a counter, which its sender raises by one from frame to frame of the same
identifier, and a checksum (`frame.frame_crc`).
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Final, Self

from grouser.errors import BadValue
from grouser.protocol.can.frame import CanFrame, frame_crc

HUNDREDTH_DEG = math.radians(0.01)
TENTH_MM = 1e-4
HUNDREDTH_MM = 1e-5

FASTEST = 5000
"""Belt speed that may be asked for, 0.1 mm/s (Kenaf's top speed, 0.5 m/s)."""
FARTHEST = 17990
"""How far a flipper may be turned either way, 0.01 deg (Kenaf's arms: 3.14 rad)."""

UNKNOWN_BATTERY = 0xFFFF
"""What is on the bus while nobody knows how long the battery lasts."""


class FrameFault(ValueError):
    """A frame that must not be acted on."""

    def __init__(self, kind: str, sentence: str) -> None:
        """Say why: ``kind`` is one of `FAULTS`."""
        super().__init__(sentence)
        self.kind = kind


FAULTS: Final = ("id", "length", "crc", "counter", "range", "sender", "datagram")
"""What can be wrong with a frame, or with the datagram around it."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One number in a frame."""

    name: str
    """As kenaf.dbc calls it."""
    code: str
    """Its bytes, as `struct` calls them."""
    unit: float
    """What one count is, in SI units or radians."""
    low: int
    """Smallest count allowed."""
    high: int
    """Largest count allowed."""

    def count(self, value: float, *, clip: bool) -> int:
        """Return ``value`` as a count, or raise `BadValue`; a sensor's is clipped instead."""
        if not math.isfinite(value):
            raise BadValue(f"{self.name} is {value}, must be a number")
        count = round(value / self.unit)
        if clip:
            return min(max(count, self.low), self.high)
        if not self.low <= count <= self.high:
            low, high = self.low * self.unit, self.high * self.unit
            raise BadValue(f"{self.name} is {value:g}, must be from {low:g} to {high:g}")
        return count


def _speed(name: str, limit: int = FASTEST) -> Signal:
    return Signal(name, "h", TENTH_MM, -limit, limit)


def _angle(name: str, limit: int) -> Signal:
    return Signal(name, "h", HUNDREDTH_DEG, -limit, limit)


@dataclass(frozen=True, slots=True)
class CanMessage:
    """What every message has: its fields are the values of its signals, in their order."""

    ID: ClassVar[int]
    SIGNALS: ClassVar[tuple[Signal, ...]]
    CYCLE: ClassVar[float]
    """How often it is sent while it matters, s."""
    COMMAND: ClassVar[bool] = False
    """Whether it is for the motors, with a counter and a checksum."""

    def _content(self) -> bytes:
        names: tuple[str, ...] = self.__slots__
        counts = [
            signal.count(getattr(self, name), clip=not self.COMMAND)
            for signal, name in zip(self.SIGNALS, names, strict=True)
        ]
        return _packing(self.SIGNALS).pack(*counts)

    @classmethod
    def _values(cls, content: bytes) -> Self:
        counts = _packing(cls.SIGNALS).unpack(content)
        for signal, count in zip(cls.SIGNALS, counts, strict=True):
            if not signal.low <= count <= signal.high:
                raise FrameFault("range", f"{signal.name} is {count}, outside its range")
        values = [s.unit * count for s, count in zip(cls.SIGNALS, counts, strict=True)]
        return cls(*values)

    @classmethod
    def length(cls) -> int:
        """Return how many bytes its frame has."""
        size = _packing(cls.SIGNALS).size
        return size + 2 if cls.COMMAND else size


@cache
def _layout(codes: str) -> struct.Struct:
    """Return how values are laid out one behind the other, lowest byte first."""
    return struct.Struct("<" + codes)


def _packing(signals: tuple[Signal, ...]) -> struct.Struct:
    """Return how the values of a message are laid out, without counter and checksum."""
    return _layout("".join([signal.code for signal in signals]))


class CanCommand(CanMessage):
    """A message to the motors."""

    __slots__ = ()
    COMMAND = True

    def frame(self, counter: int) -> CanFrame:
        """Return it as a frame, or raise `BadValue`.

        Args:
            counter: how many commands of this kind were sent before; only its lowest byte counts.
        """
        content = self._content() + bytes([counter & 0xFF])
        return CanFrame(self.ID, content + bytes([frame_crc(self.ID, content)]))

    @classmethod
    def parse(cls, data: bytes) -> tuple[Self, int]:
        """Return what a frame's bytes command and its counter, or raise `FrameFault`."""
        if len(data) != cls.length():
            raise FrameFault("length", f"{cls.__name__} has {len(data)} bytes")
        if frame_crc(cls.ID, data[:-1]) != data[-1]:
            raise FrameFault("crc", f"{cls.__name__} has a wrong checksum")
        return cls._values(data[:-2]), data[-2]


class CanStatus(CanMessage):
    """A message from the motors and sensors."""

    __slots__ = ()

    def frame(self) -> CanFrame:
        """Return it as a frame; what is beyond a signal's range is sent as its limit."""
        return CanFrame(self.ID, self._content())

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Return what a frame's bytes say, or raise `FrameFault`."""
        if len(data) != cls.length():
            raise FrameFault("length", f"{cls.__name__} has {len(data)} bytes")
        return cls._values(data)


@dataclass(frozen=True, slots=True)
class Stop(CanCommand):
    """All six motors stand still, at once and whatever else was said; the next command goes on."""

    ID, CYCLE = 0x080, 0.1
    SIGNALS = ()


@dataclass(frozen=True, slots=True)
class BeltSpeeds(CanCommand):
    """How fast the belts run, m/s, forwards positive."""

    ID, CYCLE = 0x100, 0.02
    SIGNALS = (_speed("LeftSpeed"), _speed("RightSpeed"))

    left: float
    right: float


@dataclass(frozen=True, slots=True)
class FrontFlippers(CanCommand):
    """Where the front flippers go, rad, up positive; 0: level, pointing forwards."""

    ID, CYCLE = 0x110, 0.05
    SIGNALS = (_angle("FrontLeftAngle", FARTHEST), _angle("FrontRightAngle", FARTHEST))

    left: float
    right: float


@dataclass(frozen=True, slots=True)
class RearFlippers(CanCommand):
    """Where the rear flippers go, rad, up positive; 0: level, pointing backwards."""

    ID, CYCLE = 0x111, 0.05
    SIGNALS = (_angle("RearLeftAngle", FARTHEST), _angle("RearRightAngle", FARTHEST))

    left: float
    right: float


@dataclass(frozen=True, slots=True)
class CameraAim(CanCommand):
    """Where the front camera looks, rad: pan to the left positive, tilt up positive."""

    ID, CYCLE = 0x120, 0.1
    SIGNALS = (_angle("Pan", 18000), _angle("Tilt", 9000))

    pan: float
    tilt: float


@dataclass(frozen=True, slots=True)
class BeltEncoders(CanStatus):
    """How far the belts have run since the motors were switched on, m, forwards positive."""

    ID, CYCLE = 0x200, 0.005
    SIGNALS = (
        Signal("LeftTravel", "i", HUNDREDTH_MM, -(2**31), 2**31 - 1),
        Signal("RightTravel", "i", HUNDREDTH_MM, -(2**31), 2**31 - 1),
    )

    left: float
    right: float


@dataclass(frozen=True, slots=True)
class BeltMotion(CanStatus):
    """How fast the belts run, m/s, and the motors' clock, s, at which the encoders were read."""

    ID, CYCLE = 0x201, 0.005
    SIGNALS = (
        _speed("LeftBeltSpeed", 2**15 - 1),
        _speed("RightBeltSpeed", 2**15 - 1),
        Signal("MotorClock", "I", 1e-4, 0, 2**32 - 1),
    )

    left: float
    right: float
    time: float


@dataclass(frozen=True, slots=True)
class FlipperAngles(CanStatus):
    """Where the flippers are, rad, up positive."""

    ID, CYCLE = 0x210, 0.01
    SIGNALS = (
        _angle("FrontLeftFlipper", 2**15 - 1),
        _angle("FrontRightFlipper", 2**15 - 1),
        _angle("RearLeftFlipper", 2**15 - 1),
        _angle("RearRightFlipper", 2**15 - 1),
    )

    front_left: float
    front_right: float
    rear_left: float
    rear_right: float


@dataclass(frozen=True, slots=True)
class Posture(CanStatus):
    """How the body lies, rad: about x forward, y left, z up; pitch nose down positive."""

    ID, CYCLE = 0x220, 0.01
    SIGNALS = (_angle("Roll", 18000), _angle("Pitch", 9000), _angle("Yaw", 18000))

    roll: float
    pitch: float
    yaw: float


@dataclass(frozen=True, slots=True)
class BatteryLeft(CanStatus):
    """How long the battery will last, s; `UNKNOWN_BATTERY`: nobody knows."""

    ID, CYCLE = 0x230, 1.0
    SIGNALS = (Signal("BatteryLeft", "H", 1.0, 0, 2**16 - 1),)

    seconds: float

    @classmethod
    def of(cls, seconds: float | None) -> BatteryLeft:
        """Return the message for a battery that lasts ``seconds``; None: nobody knows."""
        return cls(UNKNOWN_BATTERY if seconds is None else min(seconds, UNKNOWN_BATTERY - 1))


@dataclass(frozen=True, slots=True)
class Health(CanStatus):
    """What is wrong, and how many command frames were refused, each count from 0 again after 255.

    `flags` is a sum of `FLAGS`; `stalled` has a bit for each motor that cannot do what it was told,
    in the order of `MOTORS`.
    """

    ID, CYCLE = 0x240, 0.1
    SIGNALS = (
        Signal("Flags", "B", 1, 0, 255),
        Signal("Stalled", "B", 1, 0, 63),
        Signal("WrongCrc", "B", 1, 0, 255),
        Signal("WrongCounter", "B", 1, 0, 255),
        Signal("WrongLength", "B", 1, 0, 255),
        Signal("WrongRange", "B", 1, 0, 255),
    )

    flags: int
    stalled: int = 0
    wrong_crc: int = 0
    wrong_counter: int = 0
    wrong_length: int = 0
    wrong_range: int = 0


MOTORS: Final = ("left", "right", "front_left", "front_right", "rear_left", "rear_right")
"""Kenaf's six motor drivers: two main tracks, four flippers."""

SILENT, STOPPED, NO_ROBOT, NO_POSTURE, EMPTY = 1, 2, 4, 8, 16
FLAGS: Final = {
    SILENT: "no valid command for 0.3 s: the belts were stopped",
    STOPPED: "stopped by a Stop command",
    NO_ROBOT: "the motors do not answer",
    NO_POSTURE: "posture is not known",
    EMPTY: "the battery is empty",
}
"""What the bits of `Health.flags` mean."""

COMMANDS: Final[dict[int, type[CanCommand]]] = {
    kind.ID: kind for kind in (Stop, BeltSpeeds, FrontFlippers, RearFlippers, CameraAim)
}
"""Identifier → command."""

STATUSES: Final[dict[int, type[CanStatus]]] = {
    kind.ID: kind
    for kind in (BeltEncoders, BeltMotion, FlipperAngles, Posture, BatteryLeft, Health)
}
"""Identifier → status."""


def parse_status(frame: CanFrame) -> CanStatus:
    """Return what a status frame says, or raise `FrameFault`."""
    kind = STATUSES.get(frame.id)
    if kind is None or frame.extended:
        raise FrameFault("id", f"identifier {frame.id:#05x} is no status of Kenaf's")
    return kind.parse(frame.data)
