"""Decoders of all bytes from outside, as functions of bytes, with valid inputs.

A decoder may raise the errors of `grouser.errors` only. The first byte of some inputs selects a
dialect or a message; checksums and lengths are completed, so that random inputs reach the code
behind them.
"""

from __future__ import annotations

import json
import os
import struct
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grouser.errors import GrouserError
from grouser.protocol import foxglove, operation, rosbridge
from grouser.protocol.can import datagram, socketcand
from grouser.protocol.can.messages import COMMANDS, STATUSES, CanFrame, frame_crc, parse_status
from grouser.protocol.images import Frame, ImageClientSide, ImageServerSide, Preamble
from grouser.protocol.lines import Fault
from grouser.protocol.rendering import Encode, MessageReader, Picture, encode
from grouser.protocol.usarsim.codec import ClientSide, ServerSide
from grouser.protocol.usarsim.dialects import DIALECTS
from grouser.protocol.usarsim.truth import TruthClientSide, TruthServerSide
from grouser.simulation.script.grammar import PHRASES
from grouser.simulation.script.grammar import parse as parse_phrase
from grouser.simulation.script.tokens import Names
from support.damaged_files import BESIDE, FILES, FileKind
from support.damaged_recordings import RECORDINGS

TRANSCRIPTS = Path(__file__).parents[2] / "transcripts"
MEMORY = Path("/dev/shm")
"""Folder in memory, on Linux."""


@dataclass(frozen=True)
class Target:
    """Decoder with valid inputs."""

    decode: Callable[[bytes], object]
    seeds: tuple[bytes, ...]
    share: float
    """Number of inputs relative to other targets: more for fast decoders."""
    longest: int = 320
    """Largest length of an input, bytes."""


def usarsim(side: type[ServerSide] | type[ClientSide], data: bytes) -> None:
    """Read lines of a client or server in the dialect of the first byte; write what was read."""
    dialect = _DIALECTS[data[0] % len(_DIALECTS)] if data else _DIALECTS[0]
    for message in side(dialect).receive(data[1:] + b"\r\n"):
        if not isinstance(message, Fault):
            message.lines(dialect)


_DIALECTS = tuple(DIALECTS.values())


def truth(data: bytes) -> None:
    """Read lines of the ground truth port, of both sides."""
    TruthServerSide().receive(data + b"\r\n")
    TruthClientSide().receive(data + b"\r\n")


def images(data: bytes) -> None:
    """Read requests and frames of the image port."""
    with suppress(GrouserError):
        Preamble().receive(data)
    for legacy in (False, True):
        ImageServerSide(legacy).receive(data)
    for frame in ImageClientSide().receive(data):
        if isinstance(frame, Frame):
            with suppress(GrouserError):
                frame.pixels()


def rosbridge_message(data: bytes) -> None:
    """Read a message of a rosbridge client, as bytes and as text."""
    rosbridge.read_request(data)
    rosbridge.read_request(data.decode("latin-1"))


def bus(data: bytes) -> None:
    """Read messages of socketcand, of both sides."""
    for text in socketcand.MessageSplitter().feed(b"<" + data + b">"):
        if isinstance(text, str):
            for read in (socketcand.read_request, socketcand.read_answer):
                with suppress(GrouserError):
                    read(text)


def can_frame(data: bytes) -> None:
    """Read a command with its checksum, and a status; the first byte selects them.

    Data is cut to the length of the message if the first byte is less than 128.
    """
    number, content = (data[0], data[1:9]) if data else (0, b"")
    command = _COMMANDS[number % len(_COMMANDS)]
    status = _STATUSES[number % len(_STATUSES)]
    most = (command.length() - 1, status.length()) if number < 128 else (7, 8)
    counted = content[: most[0]]
    with suppress(GrouserError):
        command.parse(counted + bytes([frame_crc(command.ID, counted)]))
    parse_status(CanFrame(status.ID, content[: most[1]]))


_COMMANDS, _STATUSES = tuple(COMMANDS.values()), tuple(STATUSES.values())


def hrt(data: bytes) -> None:
    """Read a datagram of the robot library, as it is and behind a header with its length."""
    with suppress(GrouserError):
        datagram.unpack(data)
    frames = data[6 : 6 + (len(data) - 6) // 12 * 12] if len(data) > 6 else b""
    kind, flags, counter = struct.unpack_from("<BBI", data.ljust(6, b"\0"))
    count = len(frames) // 12
    head = struct.pack("<4sBBBBI", datagram.MAGIC, 1, 1 + kind % 2, count, flags % 2, counter)
    datagram.unpack(head + frames)


def operator(data: bytes) -> None:
    """Read messages between operator and robot."""
    for read in (operation.read_command, operation.read_report):
        with suppress(GrouserError):
            read(data.decode("latin-1"))


def rendering(data: bytes) -> None:
    """Read a message between server and render worker, as it is and behind its length."""
    with suppress(GrouserError):
        MessageReader().receive(data)
    header, _, body = data.partition(b"}\n")
    header += b"}"
    MessageReader().receive(struct.pack(">II", len(header), len(body)) + header + body)


def console(data: bytes) -> None:
    """Read a line of the console."""
    parse_phrase(data.decode("utf-8", "replace"), _NAMES)


_NAMES = Names(
    *(("rex", "line"), ("crate", "ball"), ("gate",), ("lamp",), ("everywhere", "terrain/0")),
    *(("alarm",), ("spot",), ("red", "blue")),
)


def file(kind: FileKind, data: bytes) -> None:
    """Read a file."""
    folder = folder_of(os.getpid())
    if not folder.is_dir():
        folder.mkdir()
        for name, content in BESIDE.items():
            (folder / name).write_bytes(content)
    path = folder / kind.name
    path.write_bytes(data)
    kind.read(path)


def folder_of(process: int) -> Path:
    """Return the folder of a process for files, in memory if possible."""
    return (MEMORY if MEMORY.is_dir() else Path(tempfile.gettempdir())) / f"fuzzed-{process}"


def _transcript_lines() -> tuple[bytes, ...]:
    """Return lines of recorded sessions, each in every dialect."""
    paths = sorted(TRANSCRIPTS.glob("*.txt"))
    lines = {line.strip()[-300:] for path in paths for line in path.read_bytes().splitlines()}
    return tuple(bytes([number]) + line for line in sorted(lines) if line for number in range(3))


def _objects(*values: object) -> tuple[bytes, ...]:
    return tuple(json.dumps(value).encode() for value in values)


_LINES = _transcript_lines()
_EXAMPLES = tuple(phrase.example.encode() for word, phrase in PHRASES.items() if word != "call")
"""Lines of the console; ``call`` is allowed in world files only."""
_PACKED = tuple(encode(message)[8:] for message in (Encode(1, 50, b"xx"), Picture(1, 0, b"")))
FILE_SHARES = {
    **{"stl": 3, "pcd binary": 3, "npz cloud stored": 0.5, "npz cloud": 0.5, "intrinsics": 3},
    **dict.fromkeys(RECORDINGS, 0.1),
    **{"tokens": 3, "world": 0.1, "bml": 0.3, "robot": 0.1, "urdf": 0.1, "mjcf": 0.1},
}
"""Kind of file -> share of inputs, if it is not 1."""

TARGETS: dict[str, Target] = {
    "usarsim_client": Target(partial(usarsim, ServerSide), _LINES, 12),
    "usarsim_server": Target(partial(usarsim, ClientSide), _LINES, 12),
    "truth": Target(truth, (b"{Actors}", b"{class P2DX} {name rex}"), 10, 160),
    "images": Target(
        images, (b"OK", b"U 0 0 8 8", b"key 00ff\r\nOK", b"\0\0\0\0\4\0\0\0\0"), 20, 96
    ),
    "rosbridge": Target(
        rosbridge_message,
        _objects(
            {"op": "call_service", "service": "/a/drive", "id": "x", "args": {}},
            {"op": "set_level", "level": "error"},
        ),
        20,
    ),
    "foxglove": Target(
        foxglove.read_request,
        (
            *_objects(
                {"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 7}]},
                {
                    "op": "advertise",
                    "channels": [{"id": 1, "topic": "/a", "schemaName": "b/C", "encoding": "cdr"}],
                },
                {"op": "unadvertise", "channelIds": [1]},
            ),
            b"\1\1\0\0\0{}",
            b"\2\1\0\0\0\1\0\0\0\3\0\0\0cdr",
        ),
        20,
    ),
    "socketcand": Target(
        bus,
        (
            *(b" open can0 ", b" rawmode ", b" send 100 2 01 02 ", b" frame 101 1.5 0102 "),
            *(b" subscribe 0 1 100 ", b" add 0 1000 100 1 01 ", b" statistics 10 ", b" error x "),
        ),
        20,
    ),
    "can": Target(can_frame, tuple(bytes([n, *range(n, n + 8)]) for n in range(6)), 30, 16),
    "hrt": Target(hrt, (bytes(6), bytes(6) + b"\0\1\2\0\1\2" + bytes(6)), 30, 128),
    "operator": Target(
        operator,
        _objects({"drive": [150, 0], "flippers": [45, 0]}, {"time": 3.2, "encoders_mm": [1, 1]}),
        20,
    ),
    "rendering": Target(
        rendering, tuple(packed.replace(b"}", b"}\n", 1) for packed in _PACKED), 15
    ),
    "console": Target(console, _EXAMPLES, 8),
    **{
        name.replace(" ", "_"): Target(
            *(partial(file, kind), (kind.content,), FILE_SHARES.get(name, 1)),
            max(4096, 2 * len(kind.content)),
        )
        for name, kind in (FILES | RECORDINGS).items()
    },
}
"""Name of a decoder -> decoder."""
