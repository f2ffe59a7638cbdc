"""SEN of sensors that come in numbers: UT2004 puts all of a type into one line.

There name and value share a segment, ``{Name F1 Range 4.5523}``; UT3 and UDK send a line for each.
Both are read in the same way, and one message may become several lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from grouser.errors import BadValue
from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.message import Wire, flag, number, whole
from grouser.protocol.usarsim.segments import ParsedLine, quoted, segment_runs, unpack_names, write
from grouser.protocol.usarsim.sensor_messages import SensorMessage, read_time


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
