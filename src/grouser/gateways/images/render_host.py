"""Remote rendering: a host on another machine draws and serves the pictures of a server.

Asanuma et al. 2004, sec. 3: the server simulates the field, and pictures are made elsewhere. A
`RenderHost` (``grouser render-worker``) connects to the server (`ServerLink`), receives the world
and the state of each shot, draws with its own render pool, serves the pictures at its own image
port, and returns those that are watched at the server.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
import tempfile
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from grouser.errors import BadValue, Disconnected, GrouserError, Refused
from grouser.gateways.images.latest_frames import LatestFrames, ShotRequest
from grouser.gateways.images.mosaic import CameraSlot, Layout
from grouser.gateways.images.port import ImagePort
from grouser.gateways.images.render_pool import RenderPool
from grouser.gateways.listening_port import ListeningPort, PortRules
from grouser.protocol.images import ImageType
from grouser.protocol.rendering import (
    Encode,
    Failed,
    Hello,
    Looks,
    Message,
    MessageReader,
    NewWorld,
    Picture,
    Refusal,
    Shoot,
    Skipped,
    Welcome,
    encode,
)
from grouser.render_workers.render_codec import unpack_meshes
from grouser.render_workers.worker_pool import Answer, RenderJob
from grouser.service.access import AccessControl
from grouser.service.admission import Admission
from grouser.service.rate_limiter import Limits
from grouser.tls import client_context

RECONNECT_DELAY = 1.0
"""Delay before reconnecting to the server, wall s."""

_LOG = logging.getLogger(__name__)


class ServerLink(asyncio.Protocol):
    """Connection to the server whose pictures are drawn here.

    Args:
        frames: pictures to serve; its render pool draws them.
        token: access token for the server; empty: none.
        window: maximum number of outstanding orders.
        report: called with a message about each change of state.
    """

    def __init__(
        self, frames: LatestFrames, token: str, window: int, report: Callable[[str], None]
    ) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Completed with an exception when the connection has ended."""
        self._frames, self._token, self._window, self._report = frames, token, window, report
        self._reader = MessageReader()
        self._accepted = False
        self._transport: asyncio.Transport | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="grouser-render-worker-")
        self._worlds = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the handshake."""
        self._transport = cast(asyncio.Transport, transport)
        self._send(Hello(self._token, self._window, True))

    def data_received(self, data: bytes) -> None:
        """Process messages of the server."""
        try:
            for message in self._reader.receive(data):
                self._handle(message)
        except GrouserError as error:
            self._end(error)

    def connection_lost(self, error: Exception | None) -> None:
        """Complete `ended` with the reason."""
        hint = " before it accepted this worker (if it uses TLS: --trust FILE, its certificate)"
        self._end(
            Disconnected("the server closed the connection" + ("" if self._accepted else hint))
        )
        self._folder.cleanup()

    def _end(self, reason: Exception) -> None:
        if not self.ended.done():
            self.ended.set_exception(reason)
        if self._transport:
            self._transport.close()
            self._transport = None

    def _send(self, message: Message) -> None:
        if self._transport:
            self._transport.write(encode(message))

    def _handle(self, message: Message) -> None:
        match message:
            case Welcome():
                self._accepted = True
                self._report("the server accepted this render worker")
            case Refusal(reason):
                raise Refused(f"the server rejected this render worker: {reason}")
            case NewWorld():
                self._load_world(message)
            case Looks():
                self._frames.pool.update_appearance(message)
            case Shoot():
                self._shoot(message)
            case Encode(number):
                job = RenderJob(object(), message, partial(self._answer, number))
                self._frames.pool.submit(job)
            case _:
                raise BadValue(f"{type(message).__name__} is not a message of a server")

    def _load_world(self, message: NewWorld) -> None:
        """Replace the world that is drawn and served."""
        try:
            slots = [CameraSlot(**slot) for slot in message.seats]
            layout = Layout(*message.layout)
            self._frames.pool.type = ImageType(message.type)
        except (TypeError, ValueError) as error:
            raise BadValue(f"the server describes worlds in another version ({error})") from error
        self._worlds += 1
        folder = Path(self._folder.name) / str(self._worlds)
        folder.mkdir()
        self._frames.pool.load_world(unpack_meshes(message, folder))
        self._frames.set_cameras(slots, layout)
        self._report(f"{len(slots)} cameras in the world now")

    def _shoot(self, order: Shoot) -> None:
        """Draw a shot if it is watched, here or at the server."""
        name = (order.robot, order.camera)
        answer = partial(self._answer, order.number) if order.back else None
        self._frames.offer(name, ShotRequest(lambda wanted: replace(order, back=True), answer))
        if not order.back:
            self._send(Skipped(order.number))  # frees the place in the server's window

    def _answer(self, number: int, answer: Answer) -> None:
        match answer:
            case Picture() | Failed():
                self._send(replace(answer, number=number))
            case None:
                self._send(Skipped(number))


async def draw_for_server(
    frames: LatestFrames,
    host: str,
    port: int,
    *,
    token: str = "",
    window: int = 4,
    trust: Path | None = None,
    report: Callable[[str], None] = _LOG.info,
) -> None:
    """Connect to a server and draw for it until the connection ends.

    Args:
        frames: pictures to serve; its render pool draws them.
        host: host of the server.
        port: port of the server for render workers.
        token: access token; empty: none.
        window: maximum number of outstanding orders.
        trust: certificate of the server (PEM) for TLS; None: no TLS.
        report: called with a message about each change of state.

    Raises:
        Refused: the server rejected this worker.
        Disconnected: the server cannot be reached, or closed the connection.
    """
    context = None if trust is None else client_context(trust)
    loop = asyncio.get_running_loop()
    try:
        transport, link = await loop.create_connection(
            lambda: ServerLink(frames, token, window, report), host, port, ssl=context
        )
    except OSError as error:
        why = error.strerror or str(error)
        raise Disconnected(
            f"no server with a port for render workers at {host}:{port} ({why})"
        ) from error
    try:
        await link.ended
    finally:
        transport.close()
        frames.set_cameras(())


class RenderHost:
    """Render pool, image port and server connection of ``grouser render-worker``.

    Args:
        access: access control of the image port.
        workers: number of processes that draw.
        own_only: serve a robot's own pictures only; a key is required.
        report: called with a message about each change of state.
        tls: TLS context of the image port; None: no TLS.
    """

    def __init__(
        self,
        access: AccessControl,
        *,
        workers: int,
        own_only: bool,
        report: Callable[[str], None],
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._pool = RenderPool(workers=workers)
        self._frames = LatestFrames(self._pool)
        self._images = ImagePort(self._frames, access, own_only=own_only, late_keys=True)
        limits = Limits()
        self._rules = PortRules(Admission(limits), limits, access.log, tls)
        self._window = 2 * workers
        self._report = report

    async def run(
        self, server: str, server_port: int, *, host: str, port: int, token: str, trust: Path | None
    ) -> None:
        """Draw for ``server`` and serve pictures at ``host``; reconnect until cancelled.

        Raises:
            Refused: the server rejected this worker.
            Disconnected: the first connection failed.
            BadValue: the image port is in use.
        """
        images = ListeningPort(self._rules, self._images)
        async with AsyncExitStack() as stack:
            stack.callback(images.close)
            number = await images.open(host, port, "pictures")
            await stack.enter_async_context(self._pool)
            self._report(f"pictures at {host}:{number}")
            connected = False

            def report(text: str) -> None:
                nonlocal connected
                connected = True
                self._report(text)

            while True:
                try:
                    await draw_for_server(
                        self._frames,
                        server,
                        server_port,
                        token=token,
                        window=self._window,
                        trust=trust,
                        report=report,
                    )
                except Disconnected as error:
                    if not connected:
                        raise
                    self._report(f"{error}; reconnecting")
                    await asyncio.sleep(RECONNECT_DELAY)
