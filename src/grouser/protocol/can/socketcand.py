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
with subscriptions ``< subscribe SECONDS MICROSECONDS 123 >``, at most one frame per interval, and
cyclic jobs ``< add SECONDS MICROSECONDS 123 2 11 22 >``, ``< update 123 2 33 44 >``,
``< delete 123 >``. In control mode (``< controlmode >``) ``< statistics MILLISECONDS >`` requests
counts of frames. Content filters and ISO-TP, which the daemon delegates to the kernel, are not
implemented. If the server requires a token, it is appended to the
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
_SUBSCRIBE = re.compile(rf"(?:un)?subscribe(?: (\d{{1,9}}) (\d{{1,9}}))? ({_HEX}{{1,8}})")
_ADD = re.compile(rf"add (\d{{1,9}}) (\d{{1,9}}) ({_HEX}{{1,8}} [0-8](?: {_HEX}{{1,2}})*)")
_DELETE = re.compile(rf"delete ({_HEX}{{1,8}})")
_STATISTICS = re.compile(r"statistics (\d{1,9})")

SHORTEST_INTERVAL = 0.001
"""Shortest interval of cyclic jobs and statistics, s."""


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
    interval: float = 0.0
    """Shortest time between two frames, s; 0: every frame."""


@dataclass(frozen=True, slots=True)
class AddJob:
    """Request to send a frame cyclically."""

    frame: CanFrame
    interval: float
    """s; 0: store it only."""


@dataclass(frozen=True, slots=True)
class UpdateJob:
    """Request to change the data of a cyclic job; its timer goes on."""

    frame: CanFrame


@dataclass(frozen=True, slots=True)
class DeleteJob:
    """Request to end a cyclic job."""

    id: int
    extended: bool


@dataclass(frozen=True, slots=True)
class ControlMode:
    """Request to receive statistics instead of frames."""


@dataclass(frozen=True, slots=True)
class RequestStatistics:
    """Request for counts of frames."""

    interval: float
    """s; 0: no more."""


@dataclass(frozen=True, slots=True)
class SendFrame:
    """Request to send a frame."""

    frame: CanFrame


@dataclass(frozen=True, slots=True)
class EchoRequest:
    """Request for an echo."""


BusRequest = (
    OpenBus
    | RawMode
    | BcmMode
    | ControlMode
    | SubscribeId
    | AddJob
    | UpdateJob
    | DeleteJob
    | RequestStatistics
    | SendFrame
    | EchoRequest
)


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
    return SendFrame(_read_frame(text, text))


def _read_frame(send: str, text: str) -> CanFrame:
    """Return the frame of ``send ID LENGTH BYTES``, a part of ``text``."""
    found = _SEND.fullmatch(send)
    if found is None:
        raise BadValue(f"'{text[:SHOWN]}': must end with 'ID LENGTH BYTES', in hex, up to 8 bytes")
    digits, length, rest = found.groups()
    data = bytes(int(byte, 16) for byte in rest.split())
    if len(data) != int(length):
        raise BadValue(f"'{text[:SHOWN]}': the length is {length}, but {len(data)} bytes follow")
    return _frame(digits, data)


def _frame(digits: str, data: bytes) -> CanFrame:
    """Return a frame; an identifier of eight digits is extended."""
    id, extended = int(digits, 16), len(digits) == 8
    most = LARGEST_EXTENDED_ID if extended else LARGEST_ID
    if id > most:
        raise BadValue(f"identifier is {digits}, must be at most {most:X}")
    return CanFrame(id, data, extended)


def _read_subscribe(text: str) -> SubscribeId:
    found, wanted = _SUBSCRIBE.fullmatch(text), not text.startswith("un")
    if found is None or (found[1] is not None) != wanted:
        raise BadValue(
            f"'{text[:SHOWN]}': must be 'subscribe SECONDS MICROSECONDS ID' or 'unsubscribe ID'"
        )
    interval = _interval(found[1], found[2]) if wanted else 0.0
    frame = _frame(found[3], b"")
    return SubscribeId(frame.id, frame.extended, wanted, interval)


def _interval(seconds: str, microseconds: str) -> float:
    return int(seconds) + int(microseconds) * 1e-6


def _read_add(text: str) -> AddJob:
    found = _ADD.fullmatch(text)
    if found is None:
        raise BadValue(
            f"'{text[:SHOWN]}': must be 'add SECONDS MICROSECONDS ID LENGTH BYTES', in hex"
        )
    interval = _interval(found[1], found[2])
    if 0 < interval < SHORTEST_INTERVAL:
        raise UnknownRequest(
            f"the interval is {interval:g} s, must be 0 or at least {SHORTEST_INTERVAL:g} s"
        )
    return AddJob(_read_frame(f"send {found[3]}", text), interval)


def _read_update(text: str) -> UpdateJob:
    return UpdateJob(_read_frame(f"send{text.removeprefix('update')}", text))


def _read_delete(text: str) -> DeleteJob:
    found = _DELETE.fullmatch(text)
    if found is None:
        raise BadValue(f"'{text[:SHOWN]}': must be 'delete ID'")
    frame = _frame(found[1], b"")
    return DeleteJob(frame.id, frame.extended)


def _read_statistics(text: str) -> RequestStatistics:
    found = _STATISTICS.fullmatch(text)
    if found is None:
        raise BadValue(f"'{text[:SHOWN]}': must be 'statistics MILLISECONDS'")
    return RequestStatistics(int(found[1]) / 1000)


_REQUESTS: dict[str, Callable[[str], BusRequest]] = {
    "open": _read_open,
    "rawmode": lambda text: RawMode(),
    "bcmmode": lambda text: BcmMode(),
    "controlmode": lambda text: ControlMode(),
    "statistics": _read_statistics,
    "add": _read_add,
    "update": _read_update,
    "delete": _read_delete,
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


@dataclass(slots=True)
class FrameCounts:
    """Bytes and frames that a client has received from the bus and sent to it."""

    received_bytes: int = 0
    received_frames: int = 0
    sent_bytes: int = 0
    sent_frames: int = 0


def encode_statistics(counts: FrameCounts) -> bytes:
    """Encode the counts of frames."""
    return (
        f"< stat {counts.received_bytes} {counts.received_frames} "
        f"{counts.sent_bytes} {counts.sent_frames} >"
    ).encode("ascii")


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
