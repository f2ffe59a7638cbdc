"""Mission packages and effectors: arms, pan-tilt heads, grippers.

Link indices start at 0 here; on the wire at 1, except in UDK's ACT, where they start at 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Self

from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.drive import Order, order
from grouser.protocol.usarsim.message import (
    FieldCodec,
    Message,
    integer,
    list_segments,
    number,
    read_fields,
    read_runs,
    text,
    to_segments,
)
from grouser.protocol.usarsim.segments import ParsedLine, Segment, write
from grouser.protocol.usarsim.values import read_integer


def link(key: str = "Link") -> FieldCodec:
    """Return the codec of a link index: from 1 on the wire, from 0 here."""
    return FieldCodec(key, lambda value: read_integer(value) - 1, lambda value, _: str(value + 1))


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """Set point of one link."""

    link: Annotated[int, link()]
    value: Annotated[float, number("Value")]
    """rad or m for `Order.ANGLE`; otherwise the unit of the order."""
    order: Annotated[Order, order()] = Order.ANGLE


@dataclass(frozen=True, slots=True)
class MovePackage(Message, head="MISPKG"):
    """Move the links of a package: MISPKG, or ACT in UDK."""

    name: Annotated[str, text("Name")]
    links: tuple[LinkTarget, ...] = ()
    gripper: Annotated[int | None, integer("Gripper")] = None
    sequence: int | None = None
    """Number of a stored motion."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the links in order; an Order segment applies to the preceding link only."""
        first = 0 if line.message_type() == "ACT" else 1
        links = tuple(
            replace(target, link=target.link + 1 - first)
            for target in read_runs(LinkTarget, line.segments, "Link")
        )
        number = line.by_key.get("sequence", line.by_key.get("seq"))
        sequence = None if number is None else read_integer(number)
        return cls(links=links, sequence=sequence, **read_fields(cls, line.by_key))

    def lines(self, dialect: Dialect) -> list[str]:
        """Return the line with the dialect's message type and link numbering."""
        act = dialect.package_command == "ACT"
        segments = [("Name", self.name)]
        counted = (LinkTarget(each.link - act, each.value, each.order) for each in self.links)
        segments += list_segments(counted, dialect)
        if self.gripper is not None:
            segments.append(("Gripper", str(self.gripper)))
        if self.sequence is not None:
            segments.append(("Sequence" if act else "Seq", str(self.sequence)))
        return [write(dialect.package_command, segments)]


@dataclass(frozen=True, slots=True)
class LinkState:
    """Position of one link."""

    link: Annotated[int, link()]
    value: Annotated[float, number("Value", Quantity.SCALAR)]
    """rad or m."""
    torque: Annotated[float | None, number("Torque", Quantity.COARSE)] = None
    """N m or N; not sent by UDK."""


@dataclass(frozen=True, slots=True)
class PackageState(Message):
    """Positions of the links of a package: MISSTA, or ASTA in UDK."""

    time: Annotated[float, number("Time", Quantity.STATE_STAMP)]
    name: Annotated[str, text("Name")]
    links: tuple[LinkState, ...] = ()

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the links in order."""
        links = read_runs(LinkState, line.segments, "Link")
        return cls(links=links, **read_fields(cls, line.by_key))

    def lines(self, dialect: Dialect) -> list[str]:
        """Return the line with the dialect's message type."""
        segments = [*to_segments(self, dialect), *list_segments(self.links, dialect)]
        if dialect.package_state != "MISSTA":
            segments = [segment for segment in segments if segment[0] != "Torque"]
        return [write(dialect.package_state, segments)]


@dataclass(frozen=True, slots=True)
class EffectorState(Message, head="EFF"):
    """State of a gripper."""

    time: Annotated[float, number("Time", Quantity.STATE_STAMP)]
    type: Annotated[str, text("Type")]
    name: Annotated[str, text("Name")]
    status: str
    """OPEN, CLOSED…; older servers write ``{Open}``."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the status from its segment or from the segment without a value."""
        bare = next((key for key, value in line.segments if not value), "")
        status = line.by_key.get("status", bare).upper()
        return cls(status=status, **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the segments, the status in the dialect's form."""
        status = (
            ("Status", self.status) if dialect.effector_status else (self.status.capitalize(), "")
        )
        return [*to_segments(self, dialect), status]
