"""socketcand: CAN over TCP as text, the open protocol of the daemon of that name.

Everything stands between ``<`` and ``>``; the client begins with what it wants, in raw mode it then
hears every frame that others send::

    server  < hi >
    client  < open can0 >                       server  < ok >
    client  < rawmode >                         server  < ok >
    client  < send 123 4 11 22 33 44 >
    server  < frame 123 23.424242 11223344 >
    client  < echo >                            server  < echo >

An identifier of eight digits is an extended one. Before ``rawmode`` a bus is in the mode of
subscriptions, ``< subscribe 0 0 123 >``; cyclic jobs and content filters, which the daemon leaves
to its kernel, are not here. Where a server demands a token it is said behind the bus, ``< open
can0:SECRET >``: the one thing that every client lets its user choose.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from grouser.errors import BadValue
from grouser.protocol.can.frame import LARGEST_EXTENDED_ID, LARGEST_ID, CanFrame
from grouser.protocol.lines import ENCODING, SHOWN, Fault

PORT = 29536
"""Where the daemon listens."""
LONGEST = 256
"""Bytes between ``<`` and ``>``, at most; the longest ``send`` has 50."""
LONGEST_BUS = 16
"""Characters of a bus's name, at most; a token may stand behind it."""

HI, OK, ECHO = b"< hi >", b"< ok >", b"< echo >"

_HEX = "[0-9A-Fa-f]"
_BUS = re.compile(rf"([^\s:<>]{{1,{LONGEST_BUS}}})(?::([^\s<>]+))?")
_SEND = re.compile(rf"send ({_HEX}{{1,8}}) ([0-8])((?: {_HEX}{{1,2}})*)")
_FRAME = re.compile(rf"frame ({_HEX}{{3}}|{_HEX}{{8}}) (\d+\.\d+)((?: ?{_HEX}{{2}}){{0,8}})")
_INTERVAL = re.compile(r"(?:un)?subscribe(?: (\d+) (\d+))? ([0-9A-Fa-f]{1,8})")


class MessageSplitter:
    """A stream of bytes, cut into what stands between ``<`` and ``>``."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, data: bytes) -> list[str | Fault]:
        """Take the next bytes; return the messages they complete, blanks made single."""
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
            return Fault("a '>' without its '<'", piece[:SHOWN])
        if len(inside) > LONGEST:
            return _too_long(piece)
        return " ".join(inside.decode(ENCODING).split())


def _too_long(piece: bytes) -> Fault:
    return Fault(f"a message is longer than {LONGEST} bytes", piece[:SHOWN])


# -- what a client says ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenBus:
    """Asks for a bus; the token is empty where none was said."""

    bus: str
    token: str = ""


@dataclass(frozen=True, slots=True)
class RawMode:
    """Asks to hear every frame."""


@dataclass(frozen=True, slots=True)
class BcmMode:
    """Asks to hear only what was subscribed."""


@dataclass(frozen=True, slots=True)
class SubscribeId:
    """Asks to hear frames of one identifier, each of them; or not any more."""

    id: int
    extended: bool
    wanted: bool


@dataclass(frozen=True, slots=True)
class SendFrame:
    """Sends a frame."""

    frame: CanFrame


@dataclass(frozen=True, slots=True)
class EchoRequest:
    """Asks whether anybody is there."""


BusRequest = OpenBus | RawMode | BcmMode | SubscribeId | SendFrame | EchoRequest


class UnknownRequest(BadValue):
    """A request that this server does not have; a client is told so."""


def read_request(text: str) -> BusRequest:
    """Return what a client's message asks for.

    Raises:
        UnknownRequest: there is no such request.
        BadValue: its words make no sense.
    """
    name = text.partition(" ")[0]
    try:
        read = _REQUESTS[name]
    except KeyError:
        known = ", ".join(_REQUESTS)
        raise UnknownRequest(f"unknown command '{name[:SHOWN]}', known: {known}") from None
    return read(text)


def _read_open(text: str) -> OpenBus:
    named = _BUS.fullmatch(text.removeprefix("open").strip())
    if named is None:
        raise BadValue(f"open: the name of a bus is needed, {LONGEST_BUS} characters at most")
    return OpenBus(named[1], named[2] or "")


def _read_send(text: str) -> SendFrame:
    found = _SEND.fullmatch(text)
    if found is None:
        raise BadValue(f"'{text[:SHOWN]}': 'send ID LENGTH BYTES' is needed, all in hex, 8 bytes")
    digits, length, rest = found.groups()
    data = bytes(int(byte, 16) for byte in rest.split())
    if len(data) != int(length):
        raise BadValue(f"'{text[:SHOWN]}': the length is {length}, but {len(data)} bytes follow")
    return SendFrame(_frame(digits, data))


def _frame(digits: str, data: bytes) -> CanFrame:
    """Return a frame; an identifier of eight digits is an extended one."""
    id, extended = int(digits, 16), len(digits) == 8
    most = LARGEST_EXTENDED_ID if extended else LARGEST_ID
    if id > most:
        raise BadValue(f"the identifier is {digits}, must be {most:X} at most")
    return CanFrame(id, data, extended)


def _read_subscribe(text: str) -> SubscribeId:
    found, wanted = _INTERVAL.fullmatch(text), not text.startswith("un")
    if found is None or (found[1] is not None) != wanted:
        raise BadValue(f"'{text[:SHOWN]}': 'subscribe 0 0 ID' or 'unsubscribe ID' is needed")
    if wanted and (int(found[1]), int(found[2])) != (0, 0):
        raise BadValue(f"'{text[:SHOWN]}': frames come as they are sent, the interval must be 0 0")
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
    """Return the request for a bus."""
    return f"< open {bus}{':' if token else ''}{token} >".encode(ENCODING)


def encode_send(frame: CanFrame) -> bytes:
    """Return the request that sends a frame."""
    data = "".join(f"{byte:02X} " for byte in frame.data)
    return f"< send {_digits(frame)} {len(frame.data)} {data}>".encode("ascii")


RAW_MODE = b"< rawmode >"


# -- what a server says ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FrameHeard:
    """A frame that somebody sent, and when (s)."""

    frame: CanFrame
    time: float


@dataclass(frozen=True, slots=True)
class BusAnswer:
    """``hi``, ``ok``, ``echo``, or ``error`` with its reason."""

    word: str
    reason: str = ""


def encode_frame(frame: CanFrame, time: float) -> bytes:
    """Return what a client hears of a frame that was sent at ``time`` (s)."""
    return f"< frame {_digits(frame)} {time:.6f} {frame.data.hex().upper()} >".encode("ascii")


def encode_error(reason: str) -> bytes:
    """Return what a client is told that asked for something impossible."""
    plain = re.sub(r"[<>\s]+", " ", reason)[: LONGEST - len("< error  >")]
    return f"< error {plain} >".encode("ascii", "replace")


def read_answer(text: str) -> FrameHeard | BusAnswer:
    """Return what a server's message says.

    Raises:
        BadValue: it says nothing that can be understood.
    """
    if found := _FRAME.fullmatch(text):
        data = bytes.fromhex(found[3].replace(" ", ""))
        return FrameHeard(_frame(found[1], data), float(found[2]))
    word, _, reason = text.partition(" ")
    if word in ("hi", "ok", "echo") and not reason:
        return BusAnswer(word)
    if word == "error":
        return BusAnswer(word, reason)
    raise BadValue(f"'{text[:SHOWN]}': no answer of a socketcand server")


def _digits(frame: CanFrame) -> str:
    return f"{frame.id:0{8 if frame.extended else 3}X}"
