"""Outbox: a client that does not read loses old sensor lines, then its connection."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from grouser.errors import BadValue
from grouser.gateways.usarsim.client_writer import ClientWriter
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.protocol.usarsim.codec import ClientSide, ServerSide
from grouser.protocol.usarsim.dialects import UT2004
from grouser.protocol.usarsim.extensions import Tick
from grouser.service.outbox import HIGH, Outbox
from grouser.service.radio import RadioSignal
from grouser.service.rate_limiter import Limits, RateLimiter

MOST = 64 * 1024
FILL = b"x" * 4095 + b"\n"


class Speaker(asyncio.Protocol):
    """Server side of a connection."""

    def __init__(self) -> None:
        self.lost = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.outbox = Outbox(transport, MOST)

    def resume_writing(self) -> None:
        self.outbox.flush()

    def connection_lost(self, error: Exception | None) -> None:
        self.lost.set_result(error)


@asynccontextmanager
async def pair() -> AsyncIterator[Any]:
    """Yield the server side of a connection and the socket at the other end."""
    near, far = socket.socketpair()
    near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 * 1024)
    far.setblocking(False)
    _, speaker = await asyncio.get_running_loop().connect_accepted_socket(Speaker, near)
    with far:
        yield speaker, far
    speaker.transport.abort()
    await speaker.lost


def clog(outbox: Outbox) -> None:
    """Fill the buffers so that further lines must wait."""
    while not outbox.waiting:
        outbox.line(FILL)


async def read_lines(far: socket.socket) -> list[bytes]:
    """Return all lines, until no more arrive."""
    loop, received = asyncio.get_running_loop(), b""
    while True:
        try:
            part = await asyncio.wait_for(loop.sock_recv(far, 1 << 20), 0.2)
        except TimeoutError:
            break
        if not part:
            break
        received += part
    return [line for line in received.split(b"\n") if line and line != FILL.strip()]


def test_lines_are_sent_at_once_to_a_reader() -> None:
    async def run() -> list[bytes]:
        async with pair() as (speaker, far):
            speaker.outbox.line(b"STA\n")
            speaker.outbox.line(b"SEN\n", stale="laser")
            assert speaker.outbox.waiting == 0
            return await read_lines(far)

    assert asyncio.run(run()) == [b"STA", b"SEN"]


def test_all_lines_arrive_in_order_when_a_slow_reader_reads_again() -> None:
    async def run() -> list[bytes]:
        async with pair() as (speaker, far):
            clog(speaker.outbox)
            for number in range(100):
                speaker.outbox.line(b"%d\n" % number, stale="laser" if number % 3 else None)
            received = await read_lines(far)
            assert speaker.outbox.waiting == 0, "lines wait although the peer reads"
            assert speaker.outbox.dropped == 0
            return received

    assert asyncio.run(run()) == [b"%d" % number for number in range(100)]


def test_client_that_does_not_read_loses_old_sensor_lines_only() -> None:
    async def run() -> list[bytes]:
        async with pair() as (speaker, far):
            outbox = speaker.outbox
            clog(outbox)
            outbox.line(b"RES\n")
            outbox.line(b"once\n", stale="gps")
            sent = 50_000
            for number in range(sent):
                outbox.line(b"laser %d\n" % number, stale="laser")
                assert outbox.waiting <= MOST
                assert speaker.transport.get_write_buffer_size() <= HIGH + len(FILL)
            assert not outbox.cut
            received = await read_lines(far)
            lasers = [int(line.split()[1]) for line in received if line.startswith(b"laser")]
            assert lasers == list(range(sent - len(lasers), sent)), "the newest are kept, in order"
            assert outbox.dropped == sent - len(lasers) > 0
            return received

    received = asyncio.run(run())
    assert received[:2] == [b"RES", b"once"], (
        "the only line of a sensor is kept longer than obsolete lines of another"
    )


def test_old_radio_messages_are_dropped_and_answers_are_not() -> None:
    context: Any = None  # unused by these calls

    async def run() -> tuple[list[bytes], int, int]:
        async with pair() as (speaker, far):
            clog(speaker.outbox)
            writer = ClientWriter(
                context,
                PortProfile(),
                ServerSide(UT2004),
                speaker.outbox,
                process=lambda requests: None,
                disconnect=lambda: None,
            )
            writer.send_radio(RadioSignal("R", b"unknown to old clients", -40.0))
            writer.extended = True
            writer.write(Tick(1.0))
            sent = 20_000
            for number in range(sent):
                writer.send_radio(RadioSignal("Talker", b"%d" % number, -40.0))
            writer.send_radio(RadioSignal("Quiet", b"only once", -40.0))
            assert not speaker.outbox.cut
            return await read_lines(far), speaker.outbox.dropped, sent

    received, dropped, sent = asyncio.run(run())
    client = ClientSide(UT2004)
    messages: list[Any] = [
        message for line in received for message in client.receive(line + b"\r\n")
    ]
    tick, *radio = messages
    assert tick == Tick(1.0)
    numbers = [int(one.data) for one in radio if one.sender == "Talker"]
    assert numbers == list(range(sent - len(numbers), sent)), "the newest are kept, in order"
    assert dropped == sent - len(numbers) > 0
    assert radio[-1].sender == "Quiet"


def test_client_that_leaves_answers_unread_is_disconnected() -> None:
    async def run() -> None:
        async with pair() as (speaker, _far):
            outbox = speaker.outbox
            clog(outbox)
            outbox.line(b"laser\n", stale="laser")
            for _ in range(MOST // len(FILL) + 1):
                outbox.line(FILL)
            assert outbox.cut
            assert outbox.waiting == 0
            dropped = outbox.dropped
            outbox.line(b"more\n")
            assert outbox.dropped == dropped + 1
            await asyncio.wait_for(speaker.lost, 5)

    asyncio.run(run())


def test_client_that_does_not_read_does_not_delay_others() -> None:
    async def run() -> list[bytes]:
        async with pair() as (blocked, _silent), pair() as (speaker, far):
            for number in range(2000):
                blocked.outbox.line(FILL, stale="camera")
                speaker.outbox.line(b"%d\n" % number)
            assert blocked.outbox.dropped > 0
            return await read_lines(far)

    assert asyncio.run(run()) == [b"%d" % number for number in range(2000)]


def test_rate_limiter_accumulates_at_most_its_burst() -> None:
    limiter = RateLimiter(10, now=0.0)
    assert sum(limiter.spend(0.0) for _ in range(50)) == 10
    assert not limiter.spend(0.05)
    assert limiter.spend(0.1)
    assert sum(limiter.spend(100.0) for _ in range(50)) == 10
    assert not limiter.spend(99.0), "a clock that goes back adds nothing"


def test_charge_returns_the_time_until_the_debt_is_paid() -> None:
    limiter = RateLimiter(100, now=0.0)
    assert limiter.charge(0.0, 100) == 0.0
    assert limiter.charge(0.0, 50) == pytest.approx(0.5)
    assert limiter.charge(0.5, 0) == pytest.approx(0.0)


def test_limits_must_be_above_zero() -> None:
    with pytest.raises(BadValue, match="connections is 0, must be above 0"):
        Limits(connections=0)
