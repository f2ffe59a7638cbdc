"""Ground truth port (3989): true poses of robots and objects.

A request is ``{class X} {name Y}``, both optional. Without a class (``{Actors}``, an empty line) it
is for all pawns: robots and victims. The answer is one line each, then ``{End}``. Lines have no
message type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from grouser.errors import BadValue
from grouser.protocol.lines import ENCODING, END, Fault, LineReader
from grouser.protocol.usarsim.dialects import UDK, Quantity
from grouser.protocol.usarsim.message import Message, number, text, vector
from grouser.protocol.usarsim.segments import parse, quote_text
from grouser.protocol.usarsim.values import Vector

PORT = 3989
LONGEST = 4096
"""Maximum length of a line on this port, bytes."""


@dataclass(frozen=True, slots=True)
class TruthRequest(Message, head=""):
    """Query the poses of robots and objects; None matches any."""

    class_name: Annotated[str | None, text("class")] = None
    """With or without its package; None and ``Pawn``: robots and victims, ``Actor``: everything."""
    name: Annotated[str | None, text("name")] = None
    token: Annotated[str | None, text("token")] = None
    """Access token (Grouser extension) for servers beyond loopback; a line of its own."""


@dataclass(frozen=True, slots=True)
class TruthRow(Message, head=""):
    """Pose of one robot or object."""

    name: Annotated[str, text("Name")]
    class_name: Annotated[str, text("Class")]
    time: Annotated[float, number("Time", Quantity.STAMP)]
    """s."""
    location: Annotated[Vector, vector("Location", Quantity.PLACE)]
    rotation: Annotated[Vector, vector("Rotation", Quantity.PLACE)]


@dataclass(frozen=True, slots=True)
class TruthEnd(Message, head=""):
    """End of an answer."""

    def lines(self, dialect: object = UDK) -> list[str]:
        """Return the line."""
        return ["{End}"]


def read_request(line: str) -> TruthRequest:
    """Parse a request; an empty line, ``{}`` and ``{Actors}`` have neither class nor name."""
    if not line.strip():
        return TruthRequest()
    parsed = parse(line)
    if parsed.head or "{" not in line:
        raise BadValue(f"request is {quote_text(line)}, must be '{{class X}} {{name Y}}'")
    return TruthRequest.read(parsed, UDK)


def read_answer(line: str) -> TruthRow | TruthEnd:
    """Parse one line of an answer."""
    parsed = parse(line)
    if parsed.segments and parsed.segments[0][0].lower() == "end":
        return TruthEnd()
    return TruthRow.read(parsed, UDK)


class TruthServerSide:
    """Server side of a connection to the truth port."""

    def __init__(self) -> None:
        self._reader = LineReader(read_request, LONGEST, empty=True)

    def receive(self, data: bytes) -> list[TruthRequest | Fault]:
        """Decode the next bytes; return the completed requests."""
        return self._reader.feed(data)

    def send(self, message: TruthRow | TruthEnd) -> bytes:
        """Return the bytes of one line of the answer."""
        return _bytes(message)


class TruthClientSide:
    """Client side of a connection to the truth port."""

    def __init__(self) -> None:
        self._reader = LineReader(read_answer, LONGEST)

    def receive(self, data: bytes) -> list[TruthRow | TruthEnd | Fault]:
        """Decode the next bytes; return the completed answer lines."""
        return self._reader.feed(data)

    def send(self, request: TruthRequest) -> bytes:
        """Return the bytes of a request."""
        return _bytes(request) if request != TruthRequest() else f"{{}}{END}".encode(ENCODING)


def _bytes(message: Message) -> bytes:
    return "".join(f"{line}{END}" for line in message.lines(UDK)).encode(ENCODING, "replace")
