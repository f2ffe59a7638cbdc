"""Declarative messages: base class and field codecs that map dataclass fields to segments.

A message is a frozen dataclass. A field that is one segment has its `FieldCodec` in its type::

    left: Annotated[float | None, number("Left")] = None

and is read and written without further code; None is an absent segment. Messages that contain
lists override `Message.read` and `Message.segments`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, fields
from typing import Annotated, Any, ClassVar, Self, TypeVar, get_args, get_origin, get_type_hints
from urllib.parse import quote, unquote

from grouser.errors import BadValue
from grouser.protocol.usarsim import values
from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.segments import ParsedLine, Segment, segment_runs, write

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class FieldCodec:
    """Codec of one field: key of its segment, reader and writer."""

    key: str
    """Key of the segment; matched case-insensitively."""
    read: Callable[[str], Any]
    """Text of the segment → value; raises `BadValue` with a predicate ("is 'x', must be …")."""
    write: Callable[[Any, Dialect], str]
    """Value → text of the segment."""


class Message:
    """Base class of messages, which are read from a line and written as lines."""

    __slots__ = ()

    head: ClassVar[str]
    """Message type: the first word of the line; classes set it as a keyword (``head="DRIVE"``)."""

    def __init_subclass__(cls, head: str | None = None) -> None:
        if head is not None:  # the copy that `dataclass` makes of a class has no keywords
            cls.head = head

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Return the message in ``line``; raise `BadValue` if a field is missing or invalid."""
        return cls(**read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the segments of a message of one line."""
        return to_segments(self, dialect)

    def lines(self, dialect: Dialect) -> list[str]:
        """Return the lines without line ends; empty if the dialect has no such message."""
        return [write(self.head, self.segments(dialect))]


@dataclass(frozen=True, slots=True)
class UnknownMessage(Message):
    """Line with an unknown message or sensor type, kept unchanged.

    Examples: commands without effect (PAUSE, TEST…), sensor types of other servers.
    """

    word: str
    """Message type in upper case."""
    pairs: tuple[Segment, ...] = ()
    """Keys and values, in the order of the line."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Return ``line`` unchanged."""
        return cls(line.message_type(), tuple(line.segments))

    def lines(self, dialect: Dialect) -> list[str]:
        """Return the line."""
        return [write(self.word, self.pairs)]


def text(key: str) -> FieldCodec:
    """Return the codec of a word or text."""
    return FieldCodec(key, str, lambda value, _: str(value))


def encoded_text(key: str) -> FieldCodec:
    """Return the codec of arbitrary text, percent-encoded where it would break a line."""
    return FieldCodec(key, unquote, lambda value, _: percent_encode(value))


def percent_encode(value: str) -> str:
    """Return ``value`` with braces, percent signs, line ends and non-ASCII text encoded."""
    return quote(value, safe=_PLAIN)


_PLAIN = " !\"#$&'()*+,-./:;<=>?@[\\]^_`|~"
"""ASCII characters beside letters and digits that are not percent-encoded: all but ``{}%``."""


def number(key: str, quantity: Quantity = Quantity.EXACT) -> FieldCodec:
    """Return the codec of a number."""
    return FieldCodec(
        key, values.read_number, lambda value, dialect: dialect.styles[quantity].text(value)
    )


def integer(key: str) -> FieldCodec:
    """Return the codec of an integer."""
    return FieldCodec(key, values.read_integer, lambda value, _: str(int(value)))


def vector(key: str, quantity: Quantity = Quantity.EXACT) -> FieldCodec:
    """Return the codec of three numbers."""
    return FieldCodec(
        key, values.read_vector, lambda value, dialect: dialect.styles[quantity].join(value)
    )


def angles(key: str, quantity: Quantity, reading: str) -> FieldCodec:
    """Return the codec of roll, pitch, yaw in the dialect's angle range for a sensor type."""

    def write_angles(rpy: values.Vector, dialect: Dialect) -> str:
        turned = map(values.unsigned_angle, rpy) if reading in dialect.unsigned else rpy
        return dialect.styles[quantity].join(turned)

    return FieldCodec(key, values.read_vector, write_angles)


def numbers(key: str, quantity: Quantity = Quantity.EXACT) -> FieldCodec:
    """Return the codec of a list of numbers."""
    return FieldCodec(
        key, values.read_numbers, lambda value, dialect: dialect.styles[quantity].join(value)
    )


def switch(key: str) -> FieldCodec:
    """Return the codec of a boolean as written by clients: ``true``, ``false``."""
    return FieldCodec(key, values.read_switch, lambda value, _: str(bool(value)).lower())


def flag(key: str) -> FieldCodec:
    """Return the codec of a boolean as written by servers: ``True``, ``False``."""
    return FieldCodec(key, values.read_switch, lambda value, _: str(bool(value)))


@dataclass(frozen=True, slots=True)
class ClassCodecs:
    """Field codecs of a message class."""

    codecs: tuple[tuple[str, FieldCodec], ...]
    """Field name and its codec, in the order of the class."""
    by_key: dict[str, tuple[str, FieldCodec]]
    """The same by segment key in lower case."""
    required: dict[str, str]
    """Field name → segment key, for fields without a default."""


@functools.cache
def class_codecs(cls: type) -> ClassCodecs:
    """Return the field codecs of ``cls``, cached."""
    hints = get_type_hints(cls, include_extras=True)
    found = [(field, codec) for field in fields(cls) if (codec := _codec(hints[field.name]))]
    return ClassCodecs(
        tuple((field.name, codec) for field, codec in found),
        {codec.key.lower(): (field.name, codec) for field, codec in found},
        {field.name: codec.key for field, codec in found if field.default is MISSING},
    )


def _codec(hint: Any) -> FieldCodec | None:
    if get_origin(hint) is Annotated:
        return next((extra for extra in get_args(hint) if isinstance(extra, FieldCodec)), None)
    return None


def read_fields(cls: type, by_key: dict[str, str]) -> dict[str, Any]:
    """Return the fields of ``cls`` present in ``by_key`` (keys in lower case).

    Raises `BadValue` if a field is invalid or a required field is missing.
    """
    known = class_codecs(cls)
    given: dict[str, Any] = {}
    for key, value in by_key.items():
        if entry := known.by_key.get(key):
            name, codec = entry
            try:
                given[name] = codec.read(value)
            except BadValue as error:
                raise BadValue(f"{codec.key} {error}") from None
    for name, key in known.required.items():
        if name not in given:
            raise BadValue(f"{key} is missing")
    return given


def read_runs(cls: type[Part], segments: Iterable[Segment], first: str) -> tuple[Part, ...]:
    """Return one ``cls`` for each run of segments that begins with the key ``first``."""
    return tuple(cls(**read_fields(cls, run)) for run in segment_runs(segments, first))


def list_segments(parts: Iterable[Any], dialect: Dialect) -> list[Segment]:
    """Return the segments of all ``parts`` in order."""
    return [segment for part in parts for segment in to_segments(part, dialect)]


def to_segments(message: Any, dialect: Dialect) -> list[Segment]:
    """Return the segments of the fields that have a codec, in order; None fields are omitted."""
    cls: type = type(message)
    return [
        (codec.key, codec.write(value, dialect))
        for name, codec in class_codecs(cls).codecs
        if (value := getattr(message, name)) is not None
    ]
