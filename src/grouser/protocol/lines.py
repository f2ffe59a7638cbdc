"""Line framing: split a byte stream into lines with bounded memory.

A line may be split over packets and may end with any run of CR and LF. The buffer never grows
beyond the limit: a longer line is reported once and skipped up to its end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from grouser.errors import BadValue

ENCODING = "latin-1"
"""8-bit, as Unreal was: every byte is a character, so decoding cannot fail."""

END = "\r\n"
"""Line end on sending."""

SHOWN = 80
"""Bytes of a malformed line that its `Fault` keeps, for the log."""

Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True)
class Fault:
    """Malformed input; parsing continues after it."""

    reason: str
    """One sentence: given value and allowed values."""
    line: bytes
    """First bytes of the malformed input."""


class LineSplitter:
    """Buffer that returns complete lines.

    Args:
        longest: maximum length of a line without its end, bytes.
        empty: return empty lines as well; then CR, LF and CR LF each end a line.
    """

    def __init__(self, longest: int, *, empty: bool = False) -> None:
        self._longest, self._empty = longest, empty
        self._after_cr = False
        self._pending = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes | Fault]:
        """Append received bytes; return the completed lines without their ends."""
        if self._empty and data:
            first = data[1:] if self._after_cr and data.startswith(b"\n") else data
            self._after_cr = data.endswith(b"\r")
            data = first.replace(b"\r\n", b"\n")
        *ended, rest = data.replace(b"\r", b"\n").split(b"\n")
        lines: list[bytes | Fault] = []
        if ended:
            if self._skipping:  # end of a line that was reported as too long
                del ended[0]
                self._skipping = False
            elif self._pending:
                ended[0] = bytes(self._pending) + ended[0]
                self._pending.clear()
            lines = [self._check(line) for line in ended if line or self._empty]
        if rest and not self._skipping:
            self._pending += rest
            if len(self._pending) > self._longest:
                lines.append(self._too_long(bytes(self._pending[:SHOWN])))
                self._pending.clear()
                self._skipping = True
        return lines

    def _check(self, line: bytes) -> bytes | Fault:
        return line if len(line) <= self._longest else self._too_long(line[:SHOWN])

    def _too_long(self, beginning: bytes) -> Fault:
        return Fault(f"the line is longer than {self._longest} bytes", beginning)


class LineReader(Generic[Parsed]):
    """Parser of a byte stream, line by line.

    Args:
        read: parses one line of text; raises `BadValue` for a malformed one.
        longest: maximum length of a line without its end, bytes.
        empty: parse empty lines as well.
    """

    def __init__(self, read: Callable[[str], Parsed], longest: int, *, empty: bool = False) -> None:
        self._read = read
        self._splitter = LineSplitter(longest, empty=empty)

    def feed(self, data: bytes) -> list[Parsed | Fault]:
        """Append received bytes; return the parsed lines, with a `Fault` for each malformed one."""
        read: list[Parsed | Fault] = []
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
