"""The ground truth port (3989): who is where.

A client asks with ``{class X} {name Y}``, where either may be missing, or with an empty line for
everything; the server answers with one line per robot or object and then ``{End}``. Lines have no
head.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from grouser.errors import BadValue
from grouser.protocol.lines import ENCODING, END, Fault, LineReader
from grouser.protocol.usarsim.dialects import UDK, Quantity
from grouser.protocol.usarsim.message import Message, number, text, vector
from grouser.protocol.usarsim.segments import parse, quoted
from grouser.protocol.usarsim.values import Vector

PORT = 3989
LONGEST = 4096
"""Bytes of a line on this port."""


@dataclass(frozen=True, slots=True)
class TruthRequest(Message):
    """Ask where objects are; a field of None asks for any."""

    head: ClassVar[str] = ""

    class_name: Annotated[str | None, text("class")] = None
    """With or without its package; None: all robots."""
    name: Annotated[str | None, text("name")] = None
    token: Annotated[str | None, text("token")] = None
    """Grouser's own: what a server beyond loopback demands; asks nothing else."""
    everything: bool = False
    """Objects as well, whatever they are: what an empty line asks for."""


@dataclass(frozen=True, slots=True)
class TruthRow(Message):
    """Where one object is."""

    head: ClassVar[str] = ""

    name: Annotated[str, text("Name")]
    class_name: Annotated[str, text("Class")]
    time: Annotated[float, number("Time", Quantity.STAMP)]
    """s."""
    location: Annotated[Vector, vector("Location", Quantity.PLACE)]
    rotation: Annotated[Vector, vector("Rotation", Quantity.PLACE)]


@dataclass(frozen=True, slots=True)
class TruthEnd(Message):
    """No further object."""

    head: ClassVar[str] = ""

    def lines(self, dialect: object = UDK) -> list[str]:
        """Return the line."""
        return ["{End}"]


def read_request(line: str) -> TruthRequest:
    """Return what one line asks for.

    An empty line asks for everything, an empty pair of braces for all robots.
    """
    if not line.strip():
        return TruthRequest(everything=True)
    parsed = parse(line)
    if parsed.head or "{" not in line:
        raise BadValue(f"a question is '{{class X}} {{name Y}}', not {quoted(line)}")
    return TruthRequest.read(parsed, UDK)


def read_answer(line: str) -> TruthRow | TruthEnd:
    """Return what one line answers."""
    parsed = parse(line)
    if parsed.segments and parsed.segments[0][0].lower() == "end":
        return TruthEnd()
    return TruthRow.read(parsed, UDK)


class TruthServerSide:
    """The server's end of a connection to the truth port."""

    def __init__(self) -> None:
        self._reader = LineReader(read_request, LONGEST, empty=True)

    def receive(self, data: bytes) -> list[TruthRequest | Fault]:
        """Take the next bytes; return the questions they complete."""
        return self._reader.feed(data)

    def send(self, message: TruthRow | TruthEnd) -> bytes:
        """Return the bytes of one line of the answer."""
        return _bytes(message)


class TruthClientSide:
    """The client's end of a connection to the truth port."""

    def __init__(self) -> None:
        self._reader = LineReader(read_answer, LONGEST)

    def receive(self, data: bytes) -> list[TruthRow | TruthEnd | Fault]:
        """Take the next bytes; return the answers they complete."""
        return self._reader.feed(data)

    def send(self, request: TruthRequest) -> bytes:
        """Return the bytes of a question."""
        if request.everything:
            return END.encode(ENCODING)
        return _bytes(request) if request != TruthRequest() else f"{{}}{END}".encode(ENCODING)


def _bytes(message: Message) -> bytes:
    return "".join(f"{line}{END}" for line in message.lines(UDK)).encode(ENCODING, "replace")
