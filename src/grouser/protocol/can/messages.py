"""Kenaf's CAN messages: frame layout, CRC, encoding, decoding and the check of commands.

The classes below are the single definition of the frame layout; kenaf.dbc is generated from them
(``tools/generate_dbc.py``). Message fields are in SI units and radians, x forward, y left, z up:
belts forwards positive, all four flippers up positive, pitch nose down positive, yaw and pan to the
left positive. On the bus a signal is an integer multiple of its `Unit`, little-endian.

Every command ends with an alive counter, which the sender increments for each frame of the same
identifier, and a checksum (`frame_crc`). `CommandGate` accepts only commands that pass both.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Self, get_args, get_origin, get_type_hints

from grouser.errors import BadValue

# -- frames ----------------------------------------------------------------------------------------

LARGEST_ID, LARGEST_EXTENDED_ID = 0x7FF, 0x1FFFFFFF
"""Largest standard (11 bits) and extended (29 bits) identifier; Kenaf uses standard ones only."""

LONGEST = 8
"""Maximum length of the data of a classic CAN frame, bytes."""

POLYNOMIAL = 0x1D
"""Polynomial of CRC-8/SAE-J1850; initial value 0xFF, final XOR 0xFF."""


@dataclass(frozen=True, slots=True)
class CanFrame:
    """Classic CAN frame."""

    id: int
    """Identifier, 0 to 0x7FF, or 29 bits if extended; a lower one has priority."""
    data: bytes
    """0 to 8 bytes."""
    extended: bool = False
    """True if the identifier has 29 bits; such a frame is never one of Kenaf's."""


class FrameFault(BadValue):
    """Frame or datagram that must be rejected."""

    def __init__(self, kind: str, reason: str) -> None:
        """Create the error; ``kind`` is one of `FAULTS`."""
        super().__init__(reason)
        self.kind = kind


FAULTS: Final = ("id", "length", "crc", "counter", "range", "sender", "datagram")
"""Kinds of `FrameFault`."""


def _crc_table() -> bytes:
    table = bytearray()
    for byte in range(256):
        for _ in range(8):
            byte = (byte << 1) ^ POLYNOMIAL if byte & 0x80 else byte << 1
            byte &= 0xFF
        table.append(byte)
    return bytes(table)


_TABLE = _crc_table()


def crc8(data: bytes) -> int:
    """Return the CRC-8/SAE-J1850 of ``data``; that of ``b"123456789"`` is 0x4B."""
    crc = 0xFF
    for byte in data:
        crc = _TABLE[crc ^ byte]
    return crc ^ 0xFF


def frame_crc(id: int, content: bytes) -> int:
    """Return the checksum at the end of a command frame.

    It covers the identifier (two bytes, little-endian) and all bytes before the checksum, so that a
    frame with the identifier of another message is rejected.
    """
    return crc8(id.to_bytes(2, "little") + content)


# -- signals ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unit:
    """Value of one count of a signal."""

    si: float
    """In SI units or radians."""
    factor: str
    """In the unit ``symbol``, as a decimal number."""
    symbol: str
    """Unit in the DBC file."""


HUNDREDTH_DEG = Unit(math.radians(0.01), "0.01", "deg")
TENTH_MM_S = Unit(1e-4, "0.1", "mm/s")
HUNDREDTH_MM = Unit(1e-5, "0.01", "mm")
TENTH_MS = Unit(1e-4, "0.1", "ms")
SECOND = Unit(1.0, "1", "s")
ONE = Unit(1, "1", "")

MAX_BELT_SPEED = 5000
"""Largest commanded belt speed, 0.1 mm/s (Kenaf's top speed, 0.5 m/s)."""
WIDEST_VIEW = 17000
"""Largest commanded field of view, 0.01 deg."""
MAX_FLIPPER_ANGLE = 17990
"""Largest commanded flipper angle in both directions, 0.01 deg (Kenaf's arms: 3.14 rad)."""

UNKNOWN_BATTERY = 0xFFFF
"""Value of `BatteryLeft` while the remaining time is unknown."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One number in a frame."""

    name: str
    """Name in the DBC file."""
    code: str
    """Integer type, as a format character of `struct`."""
    unit: Unit
    low: int
    """Smallest allowed count."""
    high: int
    """Largest allowed count."""

    def count(self, value: float, *, clip: bool) -> int:
        """Convert ``value`` to counts; clip it to the range, or raise `BadValue` outside of it."""
        if not math.isfinite(value):
            raise BadValue(f"{self.name} is {value}, must be a finite number")
        count = round(value / self.unit.si)
        if clip:
            return min(max(count, self.low), self.high)
        if not self.low <= count <= self.high:
            low, high = self.low * self.unit.si, self.high * self.unit.si
            raise BadValue(f"{self.name} is {value:g}, must be from {low:g} to {high:g}")
        return count


def _speed(name: str, limit: int = MAX_BELT_SPEED) -> Signal:
    return Signal(name, "h", TENTH_MM_S, -limit, limit)


def _angle(name: str, limit: int) -> Signal:
    return Signal(name, "h", HUNDREDTH_DEG, -limit, limit)


def _byte(name: str, high: int = 255) -> Signal:
    return Signal(name, "B", ONE, 0, high)


# -- messages --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CanMessage:
    """Base of all messages; every field is the value of the `Signal` in its annotation.

    The first line of a message's docstring is its comment in the DBC file.
    """

    ID: ClassVar[int]
    SIGNALS: ClassVar[tuple[Signal, ...]] = ()
    """Signals of the fields, in the same order."""
    CYCLE: ClassVar[float]
    """Transmission period, s."""
    COMMAND: ClassVar[bool] = False
    """True for a command to the motors, which ends with a counter and a checksum."""
    LAYOUT: ClassVar[struct.Struct]
    """Binary layout of the signals, without counter and checksum."""

    def __init_subclass__(cls) -> None:
        hints = get_type_hints(cls, include_extras=True).values()
        cls.SIGNALS = tuple(get_args(hint)[1] for hint in hints if get_origin(hint) is Annotated)
        cls.LAYOUT = struct.Struct("<" + "".join(signal.code for signal in cls.SIGNALS))

    def _content(self) -> bytes:
        names: tuple[str, ...] = self.__slots__
        counts = [
            signal.count(getattr(self, name), clip=not self.COMMAND)
            for signal, name in zip(self.SIGNALS, names, strict=True)
        ]
        return self.LAYOUT.pack(*counts)

    @classmethod
    def _values(cls, content: bytes) -> Self:
        counts = cls.LAYOUT.unpack(content)
        for signal, count in zip(cls.SIGNALS, counts, strict=True):
            if not signal.low <= count <= signal.high:
                raise FrameFault(
                    "range", f"{signal.name} is {count}, must be from {signal.low} to {signal.high}"
                )
        values = [s.unit.si * count for s, count in zip(cls.SIGNALS, counts, strict=True)]
        return cls(*values)

    def values(self) -> tuple[float, ...]:
        """Return the values of the signals, in their order."""
        names: tuple[str, ...] = self.__slots__
        return tuple(getattr(self, name) for name in names)

    @classmethod
    def length(cls) -> int:
        """Return the length of the frame, bytes."""
        return cls.LAYOUT.size + 2 if cls.COMMAND else cls.LAYOUT.size

    @classmethod
    def _check_length(cls, data: bytes) -> None:
        if len(data) != cls.length():
            raise FrameFault(
                "length", f"{cls.__name__} has {len(data)} bytes, must have {cls.length()}"
            )


class CanCommand(CanMessage):
    """Message to the motors."""

    __slots__ = ()
    COMMAND = True

    def frame(self, counter: int) -> CanFrame:
        """Encode the message; ``counter`` is the number of such commands sent before."""
        content = self._content() + bytes([counter & 0xFF])
        return CanFrame(self.ID, content + bytes([frame_crc(self.ID, content)]))

    @classmethod
    def parse(cls, data: bytes) -> tuple[Self, int]:
        """Decode the data of a frame; return message and counter, or raise `FrameFault`."""
        cls._check_length(data)
        if frame_crc(cls.ID, data[:-1]) != data[-1]:
            raise FrameFault("crc", f"{cls.__name__} has a wrong checksum")
        return cls._values(data[:-2]), data[-2]


class CanStatus(CanMessage):
    """Message from the motors and sensors."""

    __slots__ = ()

    def frame(self) -> CanFrame:
        """Encode the message; values out of range are clipped."""
        return CanFrame(self.ID, self._content())

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Decode the data of a frame, or raise `FrameFault`."""
        cls._check_length(data)
        return cls._values(data)


@dataclass(frozen=True, slots=True)
class Stop(CanCommand):
    """Stop all six motors immediately, whatever the counter is; the next command resumes."""

    ID, CYCLE = 0x080, 0.1


@dataclass(frozen=True, slots=True)
class BeltSpeeds(CanCommand):
    """Belt speeds, forwards positive; belts stop 0.3 s after the last valid command.

    Fields in m/s.
    """

    ID, CYCLE = 0x100, 0.02

    left: Annotated[float, _speed("LeftSpeed")]
    right: Annotated[float, _speed("RightSpeed")]


@dataclass(frozen=True, slots=True)
class FrontFlippers(CanCommand):
    """Target angles of the front flippers: up positive, 0 is level, pointing forwards.

    Fields in rad.
    """

    ID, CYCLE = 0x110, 0.05

    left: Annotated[float, _angle("FrontLeftAngle", MAX_FLIPPER_ANGLE)]
    right: Annotated[float, _angle("FrontRightAngle", MAX_FLIPPER_ANGLE)]


@dataclass(frozen=True, slots=True)
class RearFlippers(CanCommand):
    """Target angles of the rear flippers: up positive, 0 is level, pointing backwards.

    Fields in rad.
    """

    ID, CYCLE = 0x111, 0.05

    left: Annotated[float, _angle("RearLeftAngle", MAX_FLIPPER_ANGLE)]
    right: Annotated[float, _angle("RearRightAngle", MAX_FLIPPER_ANGLE)]


@dataclass(frozen=True, slots=True)
class CameraAim(CanCommand):
    """Direction of the front camera: pan to the left positive, tilt up positive.

    Fields in rad.
    """

    ID, CYCLE = 0x120, 0.1

    pan: Annotated[float, _angle("Pan", 18000)]
    tilt: Annotated[float, _angle("Tilt", 9000)]


@dataclass(frozen=True, slots=True)
class CameraZoom(CanCommand):
    """Horizontal field of view of the front camera; 0: that of its lens.

    Field in rad.
    """

    ID, CYCLE = 0x121, 0.1

    view: Annotated[float, Signal("FieldOfView", "h", HUNDREDTH_DEG, 0, WIDEST_VIEW)]


@dataclass(frozen=True, slots=True)
class BeltEncoders(CanStatus):
    """Belt travel since the motors were switched on, forwards positive.

    Fields in m.
    """

    ID, CYCLE = 0x200, 0.005

    left: Annotated[float, Signal("LeftTravel", "i", HUNDREDTH_MM, -(2**31), 2**31 - 1)]
    right: Annotated[float, Signal("RightTravel", "i", HUNDREDTH_MM, -(2**31), 2**31 - 1)]


@dataclass(frozen=True, slots=True)
class BeltMotion(CanStatus):
    """Measured belt speeds, and the motors' clock at which the encoders were read.

    Fields in m/s and s.
    """

    ID, CYCLE = 0x201, 0.005

    left: Annotated[float, _speed("LeftBeltSpeed", 2**15 - 1)]
    right: Annotated[float, _speed("RightBeltSpeed", 2**15 - 1)]
    time: Annotated[float, Signal("MotorClock", "I", TENTH_MS, 0, 2**32 - 1)]


@dataclass(frozen=True, slots=True)
class FlipperAngles(CanStatus):
    """Measured flipper angles, up positive.

    Fields in rad.
    """

    ID, CYCLE = 0x210, 0.01

    front_left: Annotated[float, _angle("FrontLeftFlipper", 2**15 - 1)]
    front_right: Annotated[float, _angle("FrontRightFlipper", 2**15 - 1)]
    rear_left: Annotated[float, _angle("RearLeftFlipper", 2**15 - 1)]
    rear_right: Annotated[float, _angle("RearRightFlipper", 2**15 - 1)]


@dataclass(frozen=True, slots=True)
class Posture(CanStatus):
    """Attitude of the body: pitch nose down positive, yaw to the left positive.

    Fields in rad, about x forward, y left, z up.
    """

    ID, CYCLE = 0x220, 0.01

    roll: Annotated[float, _angle("Roll", 18000)]
    pitch: Annotated[float, _angle("Pitch", 9000)]
    yaw: Annotated[float, _angle("Yaw", 18000)]


@dataclass(frozen=True, slots=True)
class BatteryLeft(CanStatus):
    """Remaining battery time; 65535: unknown."""

    ID, CYCLE = 0x230, 1.0

    seconds: Annotated[float, Signal("BatteryLeft", "H", SECOND, 0, 2**16 - 1)]

    @classmethod
    def of(cls, seconds: float | None) -> BatteryLeft:
        """Return the message for a remaining time in s; None: unknown."""
        return cls(UNKNOWN_BATTERY if seconds is None else min(seconds, UNKNOWN_BATTERY - 1))


@dataclass(frozen=True, slots=True)
class Health(CanStatus):
    """Fault flags, stalled motors, and counters of rejected command frames, modulo 256.

    `flags` is a sum of `FLAGS`; `stalled` has a bit for each motor that does not reach its
    setpoint, in the order of `MOTORS`.
    """

    ID, CYCLE = 0x240, 0.1

    flags: Annotated[int, _byte("Flags")]
    stalled: Annotated[int, _byte("Stalled", 63)] = 0
    wrong_crc: Annotated[int, _byte("WrongCrc")] = 0
    wrong_counter: Annotated[int, _byte("WrongCounter")] = 0
    wrong_length: Annotated[int, _byte("WrongLength")] = 0
    wrong_range: Annotated[int, _byte("WrongRange")] = 0


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
"""Bit of `Health.flags` → description."""

COMMANDS: Final[dict[int, type[CanCommand]]] = {
    kind.ID: kind for kind in (Stop, BeltSpeeds, FrontFlippers, RearFlippers, CameraAim, CameraZoom)
}
"""Identifier → command."""

STATUSES: Final[dict[int, type[CanStatus]]] = {
    kind.ID: kind
    for kind in (BeltEncoders, BeltMotion, FlipperAngles, Posture, BatteryLeft, Health)
}
"""Identifier → status."""


def parse_status(frame: CanFrame) -> CanStatus:
    """Decode a status frame, or raise `FrameFault`."""
    kind = STATUSES.get(frame.id)
    if kind is None or frame.extended:
        raise FrameFault("id", f"identifier {frame.id:#05x} is not a status message of Kenaf")
    return kind.parse(frame.data)


# -- check of commands -----------------------------------------------------------------------------

SILENCE = 0.3
"""Watchdog time-out: belts stop and counters restart this long after the last valid command, s."""

MAX_COUNTER_STEP = 127
"""Largest counter increment that counts as newer; a larger one is a frame of the past."""


class CommandGate:
    """Acceptance check of command frames: identifier, length, checksum, counter and range.

    A frame whose counter did not advance is a duplicate or late and is rejected. After `SILENCE`
    without a valid frame any counter starts a new sequence: the first frame is stored but not
    executed, the second is. A `Stop` is executed whatever its counter is.

    Rejected frames are counted by kind of fault. The caller passes a monotonic time, s.
    """

    def __init__(
        self,
        commands: Mapping[int, type[CanCommand]] = COMMANDS,
        moving: Collection[int] = (BeltSpeeds.ID,),
    ) -> None:
        """Accept ``commands`` (identifier → command); those in ``moving`` feed the watchdog."""
        self.commands, self._moving = commands, moving
        self.refused: Counter[str] = Counter()
        """Kind of fault (one of `FAULTS`) → number of rejected frames."""
        self.accepted = 0
        """Number of valid frames, including those that only start a sequence."""
        self.executed: dict[int, float] = {}
        """Identifier of a moving command → time at which the last one was executed, s."""
        self._last: dict[int, tuple[int, float]] = {}  # counter, and time of the last valid frame

    def check(self, frame: CanFrame, now: float) -> CanCommand | None:
        """Return the command of a frame; None if it must not be executed."""
        try:
            return self._check(frame, now)
        except FrameFault as fault:
            self.refused[fault.kind] += 1
            return None

    def is_silent(self, now: float) -> bool:
        """Return True if no moving command was executed within `SILENCE`; others do not count."""
        return now - max(self.executed.values(), default=-math.inf) >= SILENCE

    def _check(self, frame: CanFrame, now: float) -> CanCommand | None:
        kind = self.commands.get(frame.id)
        if kind is None or frame.extended:
            raise FrameFault("id", f"identifier {frame.id:#05x} is not a command")
        command, counter = kind.parse(frame.data)
        last, received = self._last.get(frame.id, (0, -math.inf))
        begins = now - received >= SILENCE
        if not begins:
            step = (counter - last) % 256
            if not 1 <= step <= MAX_COUNTER_STEP:
                if kind is Stop:
                    return command
                raise FrameFault(
                    "counter", f"{kind.__name__} has counter {counter}, not a newer one"
                )
        self._last[frame.id] = (counter, now)
        self.accepted += 1
        if begins and kind is not Stop:
            return None
        if frame.id in self._moving:
            self.executed[frame.id] = now
        return command
