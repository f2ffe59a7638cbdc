"""Fuzzing client process without token and robot: SEED LINES PORT PORT...

It sends mutated lines of the transcripts and random packets to all ports, each time over a new
connection, and prints the number of lines. A server need not read all of them: lines over the limit
of an unauthenticated connection wait, and are dropped when it closes or its login times out.
"""

import random
import socket
import struct
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

TRANSCRIPTS = Path(__file__).parents[1] / "transcripts"
BATCH = 4000
"""Lines of one connection."""
OWN = (
    b"LOCKSTEP {Every 0.1}",
    b"STEP",
    b"CONSOLE {Line reset}",
    b"CONSOLE {Line remove A}",
    b"RADIO {Data aGVsbG8=}",
    b"{class P3AT}",
    b"key 00ff",
    b"OK",
    b"U",
)
LONG = 100_000
"""Bytes of a line above the limit of every server."""


def sources() -> list[bytes]:
    """Return the lines that are mutated."""
    texts = (path.read_bytes().splitlines() for path in sorted(TRANSCRIPTS.glob("*.txt")))
    return [*OWN, *(line for text in texts for line in text if line)]


def flip_bits(rng: random.Random, line: bytes) -> bytes:
    data = bytearray(line)
    for _ in range(rng.randint(1, 8)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def cut(rng: random.Random, line: bytes) -> bytes:
    begin, end = sorted(rng.choices(range(len(line) + 1), k=2))
    return line[begin:end]


def repeat(rng: random.Random, line: bytes) -> bytes:
    return line * rng.randint(2, 5)


def nest(rng: random.Random, line: bytes) -> bytes:
    return line.replace(b"{", b"{" * rng.randint(2, 50))


def replace_numbers(rng: random.Random, line: bytes) -> bytes:
    return line.replace(b"1", rng.choice((b"1e308", b"nan", b"-inf", b"9" * 400)))


def random_bytes(rng: random.Random, line: bytes) -> bytes:
    return rng.randbytes(len(line))


def keep(rng: random.Random, line: bytes) -> bytes:
    return line


MUTATIONS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    *(flip_bits, flip_bits),
    *(cut, repeat, nest, replace_numbers, random_bytes, keep),
)


def packet(rng: random.Random, lines: Sequence[bytes]) -> bytes:
    """Return BATCH lines, most of them invalid, with various line ends."""
    ends = (b"\r\n", b"\n", b"\r", b"\n\r\n")
    made: list[bytes] = []
    for _ in range(BATCH):
        line = rng.choice(lines)
        if rng.random() < 0.3:
            line += b" " + rng.choice(lines)
        made.append(rng.choice(MUTATIONS)(rng, line) + rng.choice(ends))
    if rng.random() < 0.5:
        made.insert(rng.randrange(BATCH), rng.randbytes(1) * LONG + b"\n")
    if rng.random() < 0.5:
        made.append(rng.choice(lines)[:-1])  # an incomplete last line
    return b"".join(made)


def send(port: int, data: bytes, rng: random.Random) -> None:
    """Send a packet in pieces, and wait until the server has ended the connection."""
    with socket.create_connection(("127.0.0.1", port), 60) as wire:
        while data:
            size = rng.choice((1, 10, 1000, 100_000))
            wire.sendall(data[:size])
            data = data[size:]
        if rng.random() < 0.1:  # reset the connection
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return
        wire.shutdown(socket.SHUT_WR)
        while wire.recv(65536):
            pass


def main(seed: int, lines: int, *ports: int) -> None:
    """Send at least ``lines`` lines, most of them to the first port."""
    rng, known, sent = random.Random(seed), sources(), 0
    while sent < lines:
        port = ports[0] if rng.random() < 0.9 else rng.choice(ports[1:])
        with suppress(OSError):  # rejected while sending
            send(port, packet(rng, known), rng)
        sent += BATCH
    print(sent)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
