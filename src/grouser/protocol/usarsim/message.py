"""What every message has, and how its fields become segments.

A message is a frozen dataclass. A field that is one segment carries its `Wire` in its type::

    left: Annotated[float | None, number("Left")] = None

and is read and written without further code; None is a segment that is not there. Messages with
lists in them override `Message.read` and `Message.segments`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from typing import Annotated, Any, ClassVar, Self, get_args, get_origin, get_type_hints

from grouser.errors import BadValue
from grouser.protocol.usarsim import values
from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.segments import ParsedLine, Segment, write


@dataclass(frozen=True, slots=True)
class Wire:
    """How one field is read from and written to a segment."""

    key: str
    """The segment's key; it is searched for in any case."""
    read: Callable[[str], Any]
    """Text of the segment → value; raises `BadValue` with the end of a sentence."""
    write: Callable[[Any, Dialect], str]
    """Value → text of the segment."""


class Message:
    """A message: read from a line, written as lines."""

    __slots__ = ()

    head: ClassVar[str]
    """The word that the line begins with."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Return the message that ``line`` says; raise `BadValue` if it does not."""
        return cls(**read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the segments of the message's only line."""
        return to_segments(self, dialect)

    def lines(self, dialect: Dialect) -> list[str]:
        """Return the lines that say it, without ends; none if the dialect cannot say it."""
        return [write(self.head, self.segments(dialect))]


@dataclass(frozen=True, slots=True)
class UnknownMessage(Message):
    """A line whose head or type has no meaning of its own here, kept as it is.

    Commands that exist in a dispatch table but do nothing (PAUSE, TEST…), sensors of others.
    """

    word: str
    """The head, in upper case."""
    pairs: tuple[Segment, ...] = ()
    """Keys and values, in the order of the line."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Keep ``line``."""
        return cls(line.named(), tuple(line.segments))

    def lines(self, dialect: Dialect) -> list[str]:
        """Return the line."""
        return [write(self.word, self.pairs)]


def text(key: str) -> Wire:
    """Return the wire of a word or a text."""
    return Wire(key, str, lambda value, _: str(value))


def number(key: str, quantity: Quantity = Quantity.EXACT) -> Wire:
    """Return the wire of a number."""
    return Wire(
        key,
        values.read_number,
        lambda value, dialect: dialect.styles[quantity].text(value),
    )


def whole(key: str) -> Wire:
    """Return the wire of an integer."""
    return Wire(key, values.read_whole, lambda value, _: str(int(value)))


def vector(key: str, quantity: Quantity = Quantity.EXACT) -> Wire:
    """Return the wire of three numbers."""
    return Wire(
        key,
        values.read_vector,
        lambda value, dialect: dialect.styles[quantity].join(value),
    )


def angles(key: str, quantity: Quantity, reading: str) -> Wire:
    """Return the wire of roll, pitch, yaw in the range that a dialect has for a type of reading."""

    def write_angles(rpy: values.Vector, dialect: Dialect) -> str:
        turned = map(values.unsigned_angle, rpy) if reading in dialect.unsigned else rpy
        return dialect.styles[quantity].join(turned)

    return Wire(key, values.read_vector, write_angles)


def numbers(key: str, quantity: Quantity = Quantity.EXACT) -> Wire:
    """Return the wire of any number of numbers."""
    return Wire(
        key,
        values.read_numbers,
        lambda value, dialect: dialect.styles[quantity].join(value),
    )


def switch(key: str) -> Wire:
    """Return the wire of yes and no as clients write it: ``true``, ``false``."""
    return Wire(key, values.read_switch, lambda value, _: str(bool(value)).lower())


def flag(key: str) -> Wire:
    """Return the wire of yes and no as servers write it: ``True``, ``False``."""
    return Wire(key, values.read_switch, lambda value, _: str(bool(value)))


@dataclass(frozen=True, slots=True)
class WireFields:
    """The fields of a class that have a wire."""

    wires: tuple[tuple[str, Wire], ...]
    """Name of the field and its wire, in the order of the class."""
    by_key: dict[str, tuple[str, Wire]]
    """The same by the wire's key in lower case."""
    needed: dict[str, str]
    """Name of the field → key of its wire, for those that have no default."""


@functools.cache
def wire_fields(cls: type) -> WireFields:
    """Return the shape of ``cls``."""
    hints = get_type_hints(cls, include_extras=True)
    wired = [(field, wire) for field in fields(cls) if (wire := _wire(hints[field.name]))]
    return WireFields(
        tuple((field.name, wire) for field, wire in wired),
        {wire.key.lower(): (field.name, wire) for field, wire in wired},
        {field.name: wire.key for field, wire in wired if field.default is MISSING},
    )


def _wire(hint: Any) -> Wire | None:
    if get_origin(hint) is Annotated:
        return next((extra for extra in get_args(hint) if isinstance(extra, Wire)), None)
    return None


def read_fields(cls: type, by_key: dict[str, str]) -> dict[str, Any]:
    """Return the fields of ``cls`` that ``by_key`` (keys in lower case) gives.

    Raises `BadValue` if one cannot be read, or one without a default is missing.
    """
    known = wire_fields(cls)
    given: dict[str, Any] = {}
    for key, value in by_key.items():
        if entry := known.by_key.get(key):
            name, wire = entry
            try:
                given[name] = wire.read(value)
            except BadValue as refusal:
                raise BadValue(f"{wire.key} {refusal}") from None
    for name, key in known.needed.items():
        if name not in given:
            raise BadValue(f"{key} is missing")
    return given


def to_segments(message: Any, dialect: Dialect) -> list[Segment]:
    """Return the fields of ``message`` that have a wire, in their order, without those of None."""
    cls: type = type(message)
    return [
        (wire.key, wire.write(value, dialect))
        for name, wire in wire_fields(cls).wires
        if (value := getattr(message, name)) is not None
    ]
