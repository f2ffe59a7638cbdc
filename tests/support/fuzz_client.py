"""A stranger who makes noise, in a process of its own: SEED LINES PORT PORT…

It has no token and no robot. It sends mutated lines of the transcripts and random packets to all
ports in turn, each time with a fresh connection, and says how many lines that were. Servers need
not read them all: what is over a stranger's share waits, and is dropped when the stranger leaves
or has shown no token in time.
"""

import random
import socket
import struct
import sys
from contextlib import suppress
from pathlib import Path

TRANSCRIPTS = Path(__file__).with_name("transcripts")
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
"""Bytes of a line that is too long for any server."""


def sources():
    texts = (path.read_bytes().splitlines() for path in sorted(TRANSCRIPTS.glob("*.txt")))
    return [*OWN, *(line for text in texts for line in text if line)]


def flip(choose, line):
    data = bytearray(line)
    for _ in range(choose.randint(1, 8)):
        data[choose.randrange(len(data))] ^= 1 << choose.randrange(8)
    return bytes(data)


def cut(choose, line):
    begin, end = sorted(choose.choices(range(len(line) + 1), k=2))
    return line[begin:end]


def doubled(choose, line):
    return line * choose.randint(2, 5)


def nested(choose, line):
    return line.replace(b"{", b"{" * choose.randint(2, 50))


def large(choose, line):
    return line.replace(b"1", choose.choice((b"1e308", b"nan", b"-inf", b"9" * 400)))


def random_bytes(choose, line):
    return choose.randbytes(len(line))


MUTATIONS = (flip, flip, cut, doubled, nested, large, random_bytes, lambda choose, line: line)


def packet(choose, lines):
    """Return BATCH lines, most of them wrong, and what they were sent with."""
    ends = (b"\r\n", b"\n", b"\r", b"\n\r\n")
    made = []
    for _ in range(BATCH):
        line = choose.choice(lines)
        if choose.random() < 0.3:
            line += b" " + choose.choice(lines)
        made.append(choose.choice(MUTATIONS)(choose, line) + choose.choice(ends))
    if choose.random() < 0.5:
        made.insert(choose.randrange(BATCH), choose.randbytes(1) * LONG + b"\n")
    if choose.random() < 0.5:
        made.append(choose.choice(lines)[:-1])  # and then nothing
    return b"".join(made)


def send(port, data, choose):
    """Send a packet in pieces, and wait until the server has ended the connection."""
    with socket.create_connection(("127.0.0.1", port), 60) as wire:
        while data:
            size = choose.choice((1, 10, 1000, 100_000))
            wire.sendall(data[:size])
            data = data[size:]
        if choose.random() < 0.1:  # gone, without a word
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return
        wire.shutdown(socket.SHUT_WR)
        while wire.recv(65536):
            pass


def main(seed, lines, *ports):
    choose, known, sent = random.Random(seed), sources(), 0
    while sent < lines:
        port = ports[0] if choose.random() < 0.9 else choose.choice(ports[1:])
        with suppress(OSError):  # sent away in the midst of it
            send(port, packet(choose, known), choose)
        sent += BATCH
    print(sent)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
