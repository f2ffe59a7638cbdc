"""The far end of a server's render pool: drawing and serving its pictures on another machine.

Asanuma et al. 2004, sec. 3: the server keeps the field, and pictures are made elsewhere. A remote
worker connects to a server, is sent the world and then the state at the moment of each shot, has
its own render pool draw, serves the pictures on its own image port and sends back those that
somebody at the server watches.
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

from grouser.errors import BadValue, Disconnected, GrouserError, Refused
from grouser.gateways.images.latest_frames import LatestFrames, ShotRequest
from grouser.gateways.images.mosaic import CameraSlot, Layout
from grouser.gateways.images.port import ImagePort
from grouser.gateways.images.render_codec import unpack_meshes
from grouser.gateways.images.render_pool import RenderPool
from grouser.gateways.images.worker_pool import Answer, RenderJob
from grouser.gateways.listening_port import PortRules, ListeningPort
from grouser.protocol.images import ImageType
from grouser.protocol.rendering import (
    Encode,
    Failed,
    Hello,
    Looks,
    Message,
    NewWorld,
    ParcelReader,
    Picture,
    Refusal,
    Shoot,
    Skipped,
    Welcome,
    encode,
)
from grouser.service.access import AccessControl
from grouser.service.admission import Admission
from grouser.service.rate_limiter import Limits
from grouser.tls import client_context

_LOG = logging.getLogger(__name__)


class RemoteWorker(asyncio.Protocol):
    """The connection to a server that has its pictures drawn here.

    Args:
        frames: where the pictures are served from, and whose render pool draws them.
        token: to be shown to the server; empty: none.
        window: orders to take before the first is answered.
        report: called with a sentence when something happens.
    """

    def __init__(
        self, frames: LatestFrames, token: str, window: int, report: Callable[[str], None]
    ) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done, with the reason as its exception, when the connection has ended."""
        self._frames, self._token, self._window, self._report = frames, token, window, report
        self._parcels = ParcelReader()
        self._accepted = False
        self._transport: asyncio.Transport | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="grouser-eyes-")
        self._worlds = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say hello."""
        assert isinstance(transport, asyncio.Transport)  # a stream, not datagrams
        self._transport = transport
        self._send(Hello(self._token, self._window, True))

    def data_received(self, data: bytes) -> None:
        """Carry out the server's messages."""
        try:
            for message in self._parcels.receive(data):
                self._handle(message)
        except GrouserError as error:
            self._end(error)

    def connection_lost(self, error: Exception | None) -> None:
        """End with the reason, which `ended` carries."""
        early = " before it took these eyes (does it speak TLS? --trust FILE, its certificate)"
        self._end(Disconnected("the server has hung up" + ("" if self._accepted else early)))
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
                self._report("the server takes these eyes")
            case Refusal(reason):
                raise Refused(f"the server refuses these eyes: {reason}")
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
                raise BadValue(f"{type(message).__name__} is nothing that a server says")

    def _load_world(self, message: NewWorld) -> None:
        """Draw and serve another world from now on."""
        try:
            slots = [CameraSlot(**slot) for slot in message.seats]
            layout = Layout(*message.layout)
            self._frames.pool.type = ImageType(message.type)
        except (TypeError, ValueError) as error:
            raise BadValue(f"the server tells a world in another way ({error})") from error
        self._worlds += 1
        folder = Path(self._folder.name) / str(self._worlds)
        folder.mkdir()
        self._frames.pool.load_world(unpack_meshes(message, folder))
        self._frames.set_cameras(slots, layout)
        self._report(f"{len(slots)} cameras in the world now")

    def _shoot(self, order: Shoot) -> None:
        """Draw a shot for those who watch: here, or at the server."""
        name = (order.robot, order.camera)
        answer = partial(self._answer, order.number) if order.back else None
        self._frames.offer(name, ShotRequest(lambda wanted: replace(order, back=True), answer))
        if not order.back:
            self._send(Skipped(order.number))  # it need not wait for what it does not get

    def _answer(self, number: int, answer: Answer) -> None:
        match answer:
            case Picture() | Failed():
                self._send(replace(answer, number=number))
            case None:
                self._send(Skipped(number))


async def run_remote_worker(
    frames: LatestFrames,
    host: str,
    port: int,
    *,
    token: str = "",
    window: int = 4,
    trust: Path | None = None,
    report: Callable[[str], None] = _LOG.info,
) -> None:
    """Draw for a server until it hangs up.

    Args:
        frames: where pictures are served from, and whose render pool draws them.
        host: of the server.
        port: of the server's, for remote workers.
        token: to be shown; empty: none.
        window: orders to take before the first is answered.
        trust: the server's certificate (PEM): speak TLS. None: plain.
        report: called with a sentence when something happens.

    Raises:
        Refused: the server does not want this worker.
        Disconnected: it is not there, or not any more.
    """
    context = None if trust is None else client_context(trust)
    loop = asyncio.get_running_loop()
    try:
        transport, worker = await loop.create_connection(
            lambda: RemoteWorker(frames, token, window, report), host, port, ssl=context
        )
    except OSError as error:
        why = error.strerror or str(error)
        raise Disconnected(f"no server for eyes answers at {host}:{port} ({why})") from error
    try:
        await worker.ended
    finally:
        transport.close()
        frames.set_cameras(())


AGAIN = 1.0
"""Wall time (s) before a server that has gone is looked for again."""


class RenderNode:
    """Draws and serves the pictures of a server that runs elsewhere.

    Args:
        access: of the image port here.
        workers: processes that draw.
        own_only: serve nobody without a key.
        report: called with a sentence when something happens.
        tls: what the image port here speaks TLS with; None: it does not.
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
        self._images = ImagePort(self._frames, access, own_only=own_only)
        limits = Limits()
        self._port_rules = PortRules(Admission(limits), limits, access.log, tls)
        self._window = 2 * workers
        self._report = report

    async def run(
        self, server: str, server_port: int, *, host: str, port: int, token: str, trust: Path | None
    ) -> None:
        """Draw for ``server`` and serve at ``host``; ends only by being refused or cancelled.

        Raises:
            Refused: the server does not want this worker.
            Disconnected: it has never been there.
            BadValue: the image port is taken.
        """
        images = ListeningPort(self._port_rules, self._images)
        async with AsyncExitStack() as stack:
            stack.callback(images.close)
            number = await images.open(host, port, "pictures")
            await stack.enter_async_context(self._pool)
            self._report(f"pictures at {host}:{number}")
            met = False

            def report(sentence: str) -> None:
                nonlocal met
                met = True
                self._report(sentence)

            while True:
                try:
                    await run_remote_worker(
                        self._frames,
                        server,
                        server_port,
                        token=token,
                        window=self._window,
                        trust=trust,
                        report=report,
                    )
                except Disconnected as gone:
                    if not met:
                        raise
                    self._report(f"{gone}; looking for it again")
                    await asyncio.sleep(AGAIN)
