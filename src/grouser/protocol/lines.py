"""A stream of bytes, cut into lines.

Packets split and join lines as they like, and a line may end with any run of CR and LF. What is
kept between two packets never grows beyond the limit: a longer line is reported once and skipped
up to its end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from grouser.errors import BadValue

ENCODING = "latin-1"
"""Every byte is a character, so nothing that arrives can fail to decode (Unreal was 8-bit)."""

END = "\r\n"
"""How a line is ended when it is sent."""

SHOWN = 80
"""Bytes of a bad line that its fault keeps, for the log."""

Meaning = TypeVar("Meaning")


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that could not be understood; the stream goes on behind it."""

    reason: str
    """One sentence: what was given and what is allowed."""
    line: bytes
    """The beginning of what was given."""


class LineSplitter:
    """Collects bytes until a line is complete.

    Args:
        longest: bytes that a line may have, without its end.
        empty: whether an empty line is one; then CR, LF and CR LF each end a line.
    """

    def __init__(self, longest: int, *, empty: bool = False) -> None:
        self._longest, self._empty = longest, empty
        self._after_cr = False
        self._pending = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes | Fault]:
        """Take the next bytes; return the lines they complete, without their ends."""
        if self._empty and data:
            first = data[1:] if self._after_cr and data.startswith(b"\n") else data
            self._after_cr = data.endswith(b"\r")
            data = first.replace(b"\r\n", b"\n")
        *ended, rest = data.replace(b"\r", b"\n").split(b"\n")
        lines: list[bytes | Fault] = []
        if ended:
            if self._skipping:  # this is the end of a line that was reported
                del ended[0]
                self._skipping = False
            elif self._pending:
                ended[0] = bytes(self._pending) + ended[0]
                self._pending.clear()
            lines = [self._checked(line) for line in ended if line or self._empty]
        if rest and not self._skipping:
            self._pending += rest
            if len(self._pending) > self._longest:
                lines.append(self._too_long(bytes(self._pending[:SHOWN])))
                self._pending.clear()
                self._skipping = True
        return lines

    def _checked(self, line: bytes) -> bytes | Fault:
        return line if len(line) <= self._longest else self._too_long(line[:SHOWN])

    def _too_long(self, beginning: bytes) -> Fault:
        return Fault(f"the line is longer than {self._longest} bytes", beginning)


class LineReader(Generic[Meaning]):
    """Turns bytes into what lines mean.

    Args:
        read: the meaning of one line of text; raises `BadValue` for what it cannot understand.
        longest: bytes that a line may have, without its end.
        empty: whether an empty line means something, too.
    """

    def __init__(
        self, read: Callable[[str], Meaning], longest: int, *, empty: bool = False
    ) -> None:
        self._read = read
        self._splitter = LineSplitter(longest, empty=empty)

    def feed(self, data: bytes) -> list[Meaning | Fault]:
        """Take the next bytes; return what the lines they complete mean, and never raise."""
        read: list[Meaning | Fault] = []
        for line in self._splitter.feed(data):
            if isinstance(line, Fault):
                read.append(line)
                continue
            try:
                read.append(self._read(line.decode(ENCODING)))
            except BadValue as refusal:
                if not line.isspace():
                    read.append(Fault(str(refusal), line[:SHOWN]))
        return read
