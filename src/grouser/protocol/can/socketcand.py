"""The socketcand protocol: CAN over TCP as text, as the socketcand daemon uses it.

Messages are enclosed in ``<`` and ``>``. In raw mode a client receives every frame that other nodes
send::

    server  < hi >
    client  < open can0 >                       server  < ok >
    client  < rawmode >                         server  < ok >
    client  < send 123 4 11 22 33 44 >
    server  < frame 123 23.424242 11223344 >
    client  < echo >                            server  < echo >

An identifier of eight digits is an extended one. Before ``rawmode`` a connection is in BCM mode,
with subscriptions ``< subscribe 0 0 123 >``; cyclic jobs and content filters, which the daemon
delegates to the kernel, are not implemented. If the server requires a token, it is appended to the
bus name, ``< open can0:SECRET >``, since every client lets its user choose that name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from grouser.errors import BadValue
from grouser.protocol.can.messages import LARGEST_EXTENDED_ID, LARGEST_ID, CanFrame
from grouser.protocol.lines import ENCODING, SHOWN, Fault

PORT = 29536
"""Default TCP port of the daemon."""
LONGEST = 256
"""Maximum length of a message, bytes; the longest ``send`` has 50."""
LONGEST_BUS = 16
"""Maximum length of a bus name without token, characters."""

HI, OK, ECHO = b"< hi >", b"< ok >", b"< echo >"

_HEX = "[0-9A-Fa-f]"
_BUS = re.compile(rf"([^\s:<>]{{1,{LONGEST_BUS}}})(?::([^\s<>]+))?")
_SEND = re.compile(rf"send ({_HEX}{{1,8}}) ([0-8])((?: {_HEX}{{1,2}})*)")
_FRAME = re.compile(rf"frame ({_HEX}{{3}}|{_HEX}{{8}}) (\d+\.\d+)((?: ?{_HEX}{{2}}){{0,8}})")
_INTERVAL = re.compile(r"(?:un)?subscribe(?: (\d+) (\d+))? ([0-9A-Fa-f]{1,8})")


class MessageSplitter:
    """Splitter of a byte stream into messages between ``<`` and ``>``."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, data: bytes) -> list[str | Fault]:
        """Append received bytes; return the completed messages with single blanks."""
        self._pending += data
        *ended, rest = bytes(self._pending).split(b">")
        found = [self._read(piece) for piece in ended]
        begin = rest.find(b"<")
        self._pending = bytearray(rest[begin:] if begin >= 0 else b"")
        if len(self._pending) > LONGEST:
            found.append(_too_long(bytes(self._pending)))
            self._pending.clear()
        return found

    def _read(self, piece: bytes) -> str | Fault:
        _, bracket, inside = piece.rpartition(b"<")
        if not bracket:
            return Fault("'>' without '<'", piece[:SHOWN])
        if len(inside) > LONGEST:
            return _too_long(piece)
        return " ".join(inside.decode(ENCODING).split())


def _too_long(piece: bytes) -> Fault:
    return Fault(f"message is longer than {LONGEST} bytes", piece[:SHOWN])


# -- requests of a client --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenBus:
    """Request to open a bus; the token is empty if none was given."""

    bus: str
    token: str = ""


@dataclass(frozen=True, slots=True)
class RawMode:
    """Request to receive every frame."""


@dataclass(frozen=True, slots=True)
class BcmMode:
    """Request to receive subscribed frames only."""


@dataclass(frozen=True, slots=True)
class SubscribeId:
    """Request to subscribe to, or unsubscribe from, the frames of one identifier."""

    id: int
    extended: bool
    wanted: bool


@dataclass(frozen=True, slots=True)
class SendFrame:
    """Request to send a frame."""

    frame: CanFrame


@dataclass(frozen=True, slots=True)
class EchoRequest:
    """Request for an echo."""


BusRequest = OpenBus | RawMode | BcmMode | SubscribeId | SendFrame | EchoRequest


class UnknownRequest(BadValue):
    """Unsupported command; reported to the client."""


def read_request(text: str) -> BusRequest:
    """Parse a message of a client.

    Raises:
        UnknownRequest: the command is not supported.
        BadValue: its arguments are malformed.
    """
    name = text.partition(" ")[0]
    try:
        read = _REQUESTS[name]
    except KeyError:
        known = ", ".join(_REQUESTS)
        raise UnknownRequest(f"unknown command '{name[:SHOWN]}', known: {known}") from None
    return read(text)


def _read_open(text: str) -> OpenBus:
    bus = _BUS.fullmatch(text.removeprefix("open").strip())
    if bus is None:
        raise BadValue(
            f"'{text[:SHOWN]}': must be 'open BUS', BUS of up to {LONGEST_BUS} characters"
        )
    return OpenBus(bus[1], bus[2] or "")


def _read_send(text: str) -> SendFrame:
    found = _SEND.fullmatch(text)
    if found is None:
        raise BadValue(f"'{text[:SHOWN]}': must be 'send ID LENGTH BYTES', in hex, up to 8 bytes")
    digits, length, rest = found.groups()
    data = bytes(int(byte, 16) for byte in rest.split())
    if len(data) != int(length):
        raise BadValue(f"'{text[:SHOWN]}': the length is {length}, but {len(data)} bytes follow")
    return SendFrame(_frame(digits, data))


def _frame(digits: str, data: bytes) -> CanFrame:
    """Return a frame; an identifier of eight digits is extended."""
    id, extended = int(digits, 16), len(digits) == 8
    most = LARGEST_EXTENDED_ID if extended else LARGEST_ID
    if id > most:
        raise BadValue(f"identifier is {digits}, must be at most {most:X}")
    return CanFrame(id, data, extended)


def _read_subscribe(text: str) -> SubscribeId:
    found, wanted = _INTERVAL.fullmatch(text), not text.startswith("un")
    if found is None or (found[1] is not None) != wanted:
        raise BadValue(f"'{text[:SHOWN]}': must be 'subscribe 0 0 ID' or 'unsubscribe ID'")
    if wanted and (int(found[1]), int(found[2])) != (0, 0):
        raise BadValue(f"'{text[:SHOWN]}': the interval must be 0 0, throttling is not supported")
    frame = _frame(found[3], b"")
    return SubscribeId(frame.id, frame.extended, wanted)


_REQUESTS: dict[str, Callable[[str], BusRequest]] = {
    "open": _read_open,
    "rawmode": lambda text: RawMode(),
    "bcmmode": lambda text: BcmMode(),
    "send": _read_send,
    "echo": lambda text: EchoRequest(),
    "subscribe": _read_subscribe,
    "unsubscribe": _read_subscribe,
}


def encode_open(bus: str, token: str = "") -> bytes:
    """Encode the request to open a bus."""
    return f"< open {bus}{':' if token else ''}{token} >".encode(ENCODING)


def encode_send(frame: CanFrame) -> bytes:
    """Encode the request to send a frame."""
    data = "".join(f"{byte:02X} " for byte in frame.data)
    return f"< send {_digits(frame)} {len(frame.data)} {data}>".encode("ascii")


RAW_MODE = b"< rawmode >"


# -- messages of a server --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReceivedFrame:
    """Frame sent by another node, with its time stamp (s)."""

    frame: CanFrame
    time: float


@dataclass(frozen=True, slots=True)
class BusAnswer:
    """Answer ``hi``, ``ok``, ``echo``, or ``error`` with a reason."""

    word: str
    reason: str = ""


def encode_frame(frame: CanFrame, time: float) -> bytes:
    """Encode a frame of another node with time stamp ``time`` (s)."""
    return f"< frame {_digits(frame)} {time:.6f} {frame.data.hex().upper()} >".encode("ascii")


def encode_error(reason: str) -> bytes:
    """Encode an error message; brackets are removed and the text is truncated."""
    plain = re.sub(r"[<>\s]+", " ", reason)[: LONGEST - len("< error  >")]
    return f"< error {plain} >".encode("ascii", "replace")


def read_answer(text: str) -> ReceivedFrame | BusAnswer:
    """Parse a message of a server."""
    if found := _FRAME.fullmatch(text):
        data = bytes.fromhex(found[3].replace(" ", ""))
        return ReceivedFrame(_frame(found[1], data), float(found[2]))
    word, _, reason = text.partition(" ")
    if word in ("hi", "ok", "echo") and not reason:
        return BusAnswer(word)
    if word == "error":
        return BusAnswer(word, reason)
    raise BadValue(f"'{text[:SHOWN]}': not a message of a socketcand server")


def _digits(frame: CanFrame) -> str:
    return f"{frame.id:0{8 if frame.extended else 3}X}"
