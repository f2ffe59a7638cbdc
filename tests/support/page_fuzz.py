"""Fuzzing of the browser page's websocket with random frames, on sockets of one process."""

import asyncio
import json
import random
import struct
from collections import Counter
from dataclasses import dataclass, field

from grouser.gateways import Server, ServerOptions
from grouser.gateways.page.gateway import PageGateway
from grouser.protocol.page.messages import OPERATIONS, ROLES, CloseCode
from grouser.service.rate_limiter import Limits
from grouser.simulation.simulation import Simulation
from grouser.world.file import World
from support.server_fixtures import TIMEOUT

HANDSHAKE = (
    "GET /socket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
AFTER_HELLO = [op for op in OPERATIONS if op != "hello"]
BURST = 20
"""Frames that are sent together."""
TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9
NORMAL = 1000
NO_CLOSE_FRAME = -1
"""The server closed without a close frame: the client had reset the connection."""
VALUES: tuple[object, ...] = (
    *("", "one", "two", "x" * 300, "play", "reset", "step", "speed", "pause", "trainer", "\ud800"),
    *(0, 1, -1, 0.5, 1e308, 2**60, True, None, [], {}, {"forward": 1}, {"left": 1e9}, [1] * 9),
)
LINES = (
    *("help", "list", "where one", "light lamp off", "move two 0 3", "say hi", "open gate", "?"),
    *("link one delay 0.3 loss 0.2", "link two jitter 0.1", "link one clear", "motor two off"),
)


@dataclass
class FuzzResult:
    """Frames that were sent, and the codes with which the server closed websockets."""

    frames: int = 0
    codes: Counter[int] = field(default_factory=Counter)

    @property
    def undocumented(self) -> set[int]:
        """Codes that the protocol does not document; a client's own code is echoed."""
        return set(self.codes) - set(CloseCode) - {NORMAL}


def frame(opcode: int, payload: bytes, *, fin: bool = True, masked: bool = True) -> bytes:
    """Return a websocket frame of a client."""
    size = len(payload)
    bit = 0x80 if masked else 0
    head = struct.pack("!BB", (0x80 if fin else 0) | opcode, bit | min(size, 126))
    if size >= 126:
        head = head[:1] + struct.pack("!BH", bit | 126, size)
    return head + (b"\0\0\0\0" if masked else b"") + payload


def random_request(rng: random.Random) -> bytes:
    """Return a request, mostly with valid fields."""
    op = rng.choice(AFTER_HELLO) if rng.random() < 0.999 else "hello"
    content: dict[str, object] = {"op": op}
    if op == "console":
        return json.dumps({**content, "id": 1, "line": rng.choice(LINES)}).encode()
    for name in OPERATIONS[op].__dataclass_fields__:
        wild = rng.random() < 0.0007
        content[name] = rng.choice(VALUES) if wild else _plausible(rng, name)
    text = json.dumps(content).encode()
    if rng.random() < 0.001:
        at = rng.randrange(len(text))
        text = text[:at] + rng.randbytes(2) + text[at:]
    return text


def _plausible(rng: random.Random, name: str) -> object:
    """Return a value of the right type for a field."""
    numbers = ("throttle", "rudder", "value", "time", "rate")
    known: dict[str, object] = {
        "version": 1,
        "role": rng.choice(ROLES),
        "token": "",
        "robot": rng.choice(["one", "two", "gone"]),
        "camera": "camera",
        "digest": "0" * 64,
        "content": {"name": "draft"},
        "command": {rng.choice(["forward", "left", "nothing"]): rng.uniform(-9, 9)},
        "order": rng.choice(["play", "pause", "speed", "step"]),
        "text": rng.choice(["op", "open ", "where o"]),
    }
    if name in numbers:
        return rng.choice([0.0, 0.01, 1.0, -1.0, rng.uniform(-2, 2)])
    if name in ("contacts", "rays", "points", "from_start", "on", "by_force"):
        return rng.random() < 0.5
    return known.get(name, rng.randrange(1000))


def random_frame(rng: random.Random) -> bytes:
    """Return a frame, rarely one that breaks the websocket protocol."""
    dice = rng.random()
    if dice < 0.985:
        return frame(TEXT, random_request(rng))
    if dice < 0.9955:
        return frame(PING, rng.randbytes(rng.randrange(125)))
    if dice < 0.996:
        return frame(BINARY, rng.randbytes(rng.randrange(200)))
    if dice < 0.9965:
        return frame(TEXT, random_request(rng), fin=rng.random() < 0.5)
    if dice < 0.998:
        return frame(rng.randrange(16), rng.randbytes(rng.randrange(9)), masked=rng.random() < 0.9)
    if dice < 0.9985:
        return frame(CLOSE, struct.pack("!H", NORMAL))
    return rng.randbytes(rng.randrange(1, 40))


async def fuzz(world: World, frames: int, seed: int, *, connections: int = 4) -> FuzzResult:
    """Serve ``world`` and send ``frames`` random frames; raise if the server stops answering."""
    result, options = (
        FuzzResult(),
        ServerOptions(
            gateways=(PageGateway(port=0),),
            pictures=None,
            limits=Limits(lines_per_second=1e9, bytes_per_second=1e9, server_share=1e3),
        ),
    )
    async with Server(Simulation(world, crash_folder=None), options) as server:
        running = asyncio.ensure_future(server.run())
        port = server.ports["page"]
        clients = (
            _send(port, frames // connections, random.Random(f"{seed} {number}"), result)
            for number in range(connections)
        )
        await asyncio.gather(*clients)
        code, _ = await _converse(port, [frame(TEXT, b'{"op":"x"}')], close=False)
        assert code == CloseCode.BAD_MESSAGE, f"the server answers with {code}"
        async with asyncio.timeout(TIMEOUT):
            while server.registry.connections:
                await asyncio.sleep(0.01)
        assert not server.host.owners, "robots of clients that have left are still owned"
        server.stop()
        await running
    return result


async def _send(port: int, frames: int, rng: random.Random, result: FuzzResult) -> None:
    """Send random frames over one connection after the other."""
    sent = 0
    while sent < frames:
        role = rng.choice([*ROLES, "trainer"])
        hello = json.dumps({"op": "hello", "version": 1, "role": role}).encode()
        batch = [frame(TEXT, hello)] if rng.random() < 0.95 else []
        batch += [random_frame(rng) for _ in range(min(rng.randrange(1, 500), frames - sent))]
        code, number = await _converse(port, batch)
        result.codes[code] += 1
        result.frames += number
        sent += number


async def _converse(port: int, frames: list[bytes], *, close: bool = True) -> tuple[int, int]:
    """Send frames until the server closes; return the code of its close frame, and their number."""
    sent = 0
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(HANDSHAKE.encode())
    await reader.readuntil(b"\r\n\r\n")
    codes = asyncio.ensure_future(_close_code(reader))
    try:
        for begin in range(0, len(frames), BURST):
            writer.write(b"".join(frames[begin : begin + BURST]))
            await writer.drain()
            sent += len(frames[begin : begin + BURST])
            await asyncio.sleep(0)
            if codes.done():
                break
        if close:
            writer.write(frame(CLOSE, struct.pack("!H", NORMAL)))
        await writer.drain()
    except ConnectionError:
        pass
    code = await asyncio.wait_for(codes, TIMEOUT)
    writer.close()
    return code, sent


async def _close_code(reader: asyncio.StreamReader) -> int:
    """Return the code of the server's close frame, or `NO_CLOSE_FRAME`."""
    try:
        while True:
            first, size = await reader.readexactly(2)
            if size == 126:
                (size,) = struct.unpack("!H", await reader.readexactly(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", await reader.readexactly(8))
            payload = await reader.readexactly(size)
            if first & 15 == CLOSE:
                return int(struct.unpack("!H", payload[:2])[0]) if payload else NORMAL
    except (asyncio.IncompleteReadError, ConnectionError):
        return NO_CLOSE_FRAME
