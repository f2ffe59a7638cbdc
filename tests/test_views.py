"""MultiView and the image port with real worker processes and sockets."""

import asyncio
import contextlib
import socket
import struct
import time
from asyncio.streams import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Callable
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from support.client_helpers import instance_of
from support.narrowing import not_none
from support.render_fixtures import OPEN, SECRET, open_views, rgb, run_in_event_loop, wait_until

from grouser.experiments.ers7_pack import ers7_entry, pack_world
from grouser.gateways.images.port import ImagePort
from grouser.gateways.images.views import Views
from grouser.protocol.images import (
    Credential,
    Frame,
    ImageClientSide,
    ImageType,
    Region,
    WholeFrame,
)
from grouser.service.access import AccessControl, Role, Token
from grouser.simulation.changes.actions import Leave
from grouser.simulation.simulation import Simulation

WIDTH, HEIGHT = 208, 160


class ImageClient:
    """Client of the image port."""

    def __init__(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.side = ImageClientSide()
        self.frames: list[Any] = []

    async def request(self, *requests: WholeFrame | Region) -> list[Frame]:
        """Send requests; return as many frames."""
        self.writer.write(b"".join(request.encode() for request in requests))
        return [await self.frame() for _ in requests]

    async def frame(self) -> Frame:
        while not self.frames:
            data = await asyncio.wait_for(self.reader.read(2**16), 60)
            if not data:
                raise ConnectionError
            self.frames += self.side.receive(data)
        return instance_of(Frame, self.frames.pop(0))


@contextlib.asynccontextmanager
async def image_port(
    views: Views, access: AccessControl = OPEN, **options: Any
) -> AsyncIterator[Any]:
    """Serve pictures; yield the port and a function that connects."""
    port = ImagePort(views.frames, access, **options)
    server = await asyncio.get_running_loop().create_server(port, "127.0.0.1", 0)
    writers = []

    async def connect(*shown: Credential) -> ImageClient:
        address = server.sockets[0].getsockname()
        reader, writer = await asyncio.open_connection(*address)
        writers.append(writer)
        for each in shown:
            writer.write(each.encode())
        return ImageClient(reader, writer)

    async with server:
        yield port, connect
        for writer in writers:
            writer.close()
        await wait_until(lambda: not port.connections)


@contextlib.asynccontextmanager
async def image_server(
    simulation: Simulation, type: ImageType = ImageType.RAW, **options: Any
) -> AsyncIterator[Any]:
    """Draw and serve pictures; yield views, port and a function that connects."""
    async with (
        open_views(simulation, type) as views,
        image_port(views, **options) as (port, connect),
    ):
        yield views, port, connect


def three_robots() -> Simulation:
    simulation = Simulation(
        pack_world(
            ers7_entry("rex", 0.0, 0.0, 0.0),
            ers7_entry("max", 0.8, 0.1, 3.0),
            ers7_entry("bo", 0.4, -0.6, 1.5),
        )
    )
    simulation.step(0.3)
    return simulation


def offer(views: Views, simulation: Simulation, *robots: str) -> None:
    for robot in robots or simulation.scene.robots:
        views.offer(robot, simulation.read(robot, "camera"))


def render_directly(simulation: Simulation, robot: str) -> npt.NDArray[np.uint8]:
    return simulation.read(robot, "camera").array("image")


@run_in_event_loop
async def test_mosaic_shows_all_cameras_and_key_selects_one() -> None:
    simulation = three_robots()
    async with image_server(simulation) as (views, _port, connect):
        everything = await connect()
        offer(views, simulation)
        await everything.request(WholeFrame())
        await wait_until(lambda: len(views.frames.pictures) == 3)
        (mosaic,) = await everything.request(WholeFrame())
        assert rgb(mosaic).shape == (480, 640, 3)
        for robot in ("rex", "max", "bo"):
            tile = views.tiles(robot)["camera"]
            assert tile.number == views.tile(robot)
            x, y, w, h = tile.x, tile.y, tile.width, tile.height
            assert np.array_equal(
                rgb(mosaic)[y : y + h, x : x + w], render_directly(simulation, robot)
            )
            (region,) = await everything.request(Region(x, y, w, h))
            assert np.array_equal(rgb(region), render_directly(simulation, robot))
            own = await connect(Credential("key", views.key(robot)))
            whole, part = await own.request(WholeFrame(), Region(10, 20, 31, 7))
            assert np.array_equal(rgb(whole), render_directly(simulation, robot))
            assert np.array_equal(rgb(part), render_directly(simulation, robot)[20:27, 10:41])
        black = rgb(mosaic).copy()
        for robot in ("rex", "max", "bo"):
            tile = views.tiles(robot)["camera"]
            black[tile.y : tile.y + HEIGHT, tile.x : tile.x + WIDTH] = 0
        assert not black.any()
        key = views.key("bo")
        own = await connect(Credential("key", key))
        simulation.apply(Leave("bo"))
        views.rebind(simulation.scene)
        with pytest.raises(ConnectionError):
            await own.request(WholeFrame())
        (mosaic,) = await everything.request(WholeFrame())
        assert not rgb(mosaic)[240:].any(), "its tile is empty"
        removed = await connect(Credential("key", key))
        with pytest.raises(ConnectionError):
            await removed.request(WholeFrame())


@run_in_event_loop
async def test_workers_encode_jpeg() -> None:
    simulation = three_robots()
    async with image_server(simulation, type=ImageType.GOOD) as (views, _port, connect):
        own, everything = await connect(Credential("key", views.key("rex"))), await connect()
        offer(views, simulation)
        whole, part = await own.request(WholeFrame(), Region(50, 60, 64, 48))
        await everything.request(WholeFrame())
        await wait_until(lambda: len(views.frames.pictures) == 3)
        mosaic, again, nothing = await everything.request(
            WholeFrame(), WholeFrame(), Region(9999, 0, 5, 5)
        )
        assert whole.type is part.type is mosaic.type is ImageType.GOOD
        truth = render_directly(simulation, "rex")
        shown = not_none(cv2.imdecode(np.frombuffer(whole.payload, np.uint8), 1))[..., ::-1]
        assert np.abs(shown.astype(int) - truth).mean() < 6
        shown = cv2.imdecode(np.frombuffer(part.payload, np.uint8), 1)
        assert shown is not None
        assert shown.shape == (48, 64, 3)
        shown = not_none(cv2.imdecode(np.frombuffer(mosaic.payload, np.uint8), 1))[..., ::-1]
        assert shown.shape == (480, 640, 3)
        assert np.abs(shown[:HEIGHT, :WIDTH].astype(int) - truth).mean() < 6
        assert again == mosaic
        assert nothing.pixels() == (0, 5, b"")


@run_in_event_loop
async def test_later_client_gets_the_newest_picture() -> None:
    simulation = three_robots()
    async with image_server(simulation) as (views, port, connect):
        first = await connect(Credential("key", views.key("rex")))
        offer(views, simulation)
        await first.request(WholeFrame())
        first.writer.close()
        await wait_until(lambda: not port.connections)
        simulation.command("rex", turn=1.0)
        simulation.step(1.0)
        offer(views, simulation)
        for shown in (Credential("key", views.key("rex")),), ():
            later = await connect(*shown)
            (frame,) = await later.request(WholeFrame())
            assert np.array_equal(rgb(frame)[:HEIGHT, :WIDTH], render_directly(simulation, "rex"))
        assert len(views.frames.pictures) == 3, "the first mosaic is complete"


@run_in_event_loop
async def test_legacy_mode_sends_one_frame_on_connect() -> None:
    simulation = three_robots()
    async with open_views(simulation) as views:
        offer(views, simulation)
        async with image_port(views, legacy=True) as (port, connect):
            old = await connect()
            assert rgb(await old.frame()).shape == (480, 640, 3)
            await asyncio.sleep(0.2)
            assert port.frames_sent == 1
            await old.request(WholeFrame())
            assert port.frames_sent == 2
        access = AccessControl((Token(SECRET),), "127.0.0.1", clock=time.monotonic)
        for needed in (access, OPEN):
            async with image_port(views, needed, legacy=True) as (port, connect):
                own = await connect(Credential("key", views.key("max")))
                assert np.array_equal(rgb(await own.frame()), render_directly(simulation, "max"))
                assert port.frames_sent == 1, "no mosaic before it"


def test_unauthenticated_clients_get_no_picture(caplog: pytest.LogCaptureFixture) -> None:
    async def refused(connect: Callable[..., Any], *shown: Credential) -> None:
        client = await connect(*shown)
        with pytest.raises(ConnectionError):
            await client.request(WholeFrame())

    async def run_program() -> None:
        simulation = three_robots()
        watch = Token("one-that-may-watch", frozenset({Role.WATCH}))
        drive = Token("one-that-may-drive", frozenset({Role.DRIVE}))
        access = AccessControl((watch, drive), "0.0.0.0", clock=time.monotonic)
        async with open_views(simulation) as views:
            offer(views, simulation)
            async with image_port(views, access) as (port, connect):
                await refused(connect)
                await refused(connect, Credential("token", "wrong-as-can-be"))
                await refused(connect, Credential("token", drive.secret))
                await refused(connect, Credential("key", "0" * 32))
                await refused(connect, Credential("key", views.key("rex"), "rear"))
                await refused(
                    connect, Credential("key", views.key("rex")), Credential("token", watch.secret)
                )
                assert port.refused == 6
                assert port.frames_sent == 0
                for shown in (
                    Credential("token", watch.secret),
                    Credential("key", views.key("rex"), "camera"),
                ):
                    client = await connect(shown)
                    assert await client.request(WholeFrame())
            async with image_port(views, own_only=True) as (port, connect):
                await refused(connect)
                await refused(connect, Credential("token", "any-other-token"))
                client = await connect(Credential("key", views.key("rex")))
                assert await client.request(WholeFrame())
            async with image_port(views, most=1) as (port, connect):
                client = await connect()
                await client.request(WholeFrame())
                await refused(connect)
        assert "127.0.0.1: rejected" in caplog.text
        assert watch.secret not in caplog.text

    asyncio.run(run_program())


@run_in_event_loop
async def test_client_that_does_not_read_uses_bounded_memory() -> None:
    simulation = three_robots()
    async with image_server(simulation, most_fps=1e6) as (views, port, connect):
        own = await connect(Credential("key", views.key("rex")))
        offer(views, simulation)
        await own.request(WholeFrame())
        slow = socket.create_connection(own.writer.get_extra_info("peername"))
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.setblocking(False)
        sent = 0
        for _ in range(200):
            with contextlib.suppress(BlockingIOError):
                sent += slow.send(b"OK" * 2000)
            await asyncio.sleep(0.005)
        viewer = max(port.connections, key=lambda each: len(each._unread))
        assert viewer._transport.get_write_buffer_size() < 2 * 3 * 640 * 480
        assert len(viewer._requests) <= 64
        assert len(viewer._unread) <= 2**18
        assert sent > 2 * port.frames_sent, "most requests are not answered"
        assert port.frames_sent < 60
        for _ in range(5):
            simulation.step(0.1)
            offer(views, simulation, "rex")
            before = views.frames.drawn["rex", "camera"]
            await wait_until(lambda: views.frames.drawn["rex", "camera"] > before)  # noqa: B023
            (frame,) = await own.request(WholeFrame())
            assert np.array_equal(rgb(frame), render_directly(simulation, "rex"))
        slow.close()


@run_in_event_loop
async def test_frame_rate_of_a_connection_is_limited() -> None:
    simulation = three_robots()
    async with image_server(simulation, most_fps=20.0) as (views, _port, connect):
        own = await connect(Credential("key", views.key("rex")))
        offer(views, simulation)
        await own.request(WholeFrame())
        loop = asyncio.get_running_loop()
        begun = loop.time()
        await own.request(*[WholeFrame()] * 10)
        assert loop.time() - begun > 0.4, "ten frames at 20 per second"


@run_in_event_loop
async def test_noise_is_skipped_and_split_requests_are_answered() -> None:
    simulation = three_robots()
    async with image_server(simulation) as (views, _port, connect):
        client = await connect()
        (black,) = await client.request(WholeFrame())
        assert rgb(black).shape == (480, 640, 3)
        assert not rgb(black).any(), "nothing was offered yet"
        offer(views, simulation)
        request = b"U" + struct.pack(">IIII", 0, 0, 4, 3)
        stream = b"\r\nhello" + request + b"O" + b"xOK"
        for byte in stream:
            client.writer.write(bytes([byte]))
            await asyncio.sleep(0.002)
        assert (await client.frame()).pixels()[:2] == (4, 3)
        assert (await client.frame()).pixels()[:2] == (640, 480)


@run_in_event_loop
async def test_port_with_late_keys_admits_a_client_whose_robot_becomes_known_later() -> None:
    simulation = three_robots()
    async with image_server(simulation, late_keys=True) as (views, port, connect):
        slots = list(views.frames.slots)
        key = Credential("key", views.key("rex"))
        views.frames.set_cameras(())
        early = await connect(key)
        answer = asyncio.create_task(early.request(WholeFrame()))
        await wait_until(lambda: port.connections)
        await asyncio.sleep(0.1)
        assert not answer.done()
        views.frames.set_cameras(slots)
        await wait_until(lambda: views.frames.is_watched(("rex", "camera")))
        offer(views, simulation, "rex")
        (frame,) = await answer
        assert np.array_equal(rgb(frame), render_directly(simulation, "rex"))


@run_in_event_loop
async def test_port_with_late_keys_closes_a_client_whose_key_stays_unknown() -> None:
    simulation = three_robots()
    async with image_server(simulation, late_keys=True, login_seconds=0.3) as (_, port, connect):
        client = await connect(Credential("key", "0123456789abcdef"))
        assert await asyncio.wait_for(client.reader.read(), 60) == b""
        assert port.refused == 1
