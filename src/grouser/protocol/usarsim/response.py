"""RES: what became of a SET (UT2004; the others say nothing)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.message import Message, number, read_fields, text, to_segments
from grouser.protocol.usarsim.segments import ParsedLine, Segment, write
from grouser.protocol.usarsim.values import read_named_number

OK = "OK"
FAILED = "Failed"


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one thing that was set."""

    key: str
    """Name, Config, Viewport1…"""
    value: str
    """The sensor's or camera's name, the configuration…"""
    status: str = OK
    """OK or Failed."""
    fov: float | None = None
    """The camera's field of view after zooming, rad."""


@dataclass(frozen=True, slots=True)
class Response(Message):
    """What became of a SET."""

    head: ClassVar[str] = "RES"

    time: Annotated[float, number("Time", Quantity.STATE_STAMP)]
    type: Annotated[str, text("Type")]
    results: tuple[Result, ...] = ()

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Let every Status end one result."""
        results: list[Result] = []
        key, value, fov = "", "", None
        for word, content in line.segments:
            lower = word.lower()
            if lower == "status":
                results.append(Result(key, value, content, fov))
                key, value, fov = "", "", None
            elif lower == "fov":
                fov = read_named_number("FOV", content)
            elif lower not in ("time", "type"):
                key, value = word, content
        return cls(results=tuple(results), **read_fields(cls, line.by_key))

    def lines(self, dialect: Dialect) -> list[str]:
        """Return the line, if the dialect answers at all."""
        if not dialect.responses:
            return []
        segments: list[Segment] = to_segments(self, dialect)
        for result in self.results:
            if result.key:
                segments.append((result.key, result.value))
            if result.fov is not None:
                segments.append(("FOV", dialect.write(Quantity.SCALAR, result.fov)))
            segments.append(("Status", result.status))
        return [write(self.head, segments)]
