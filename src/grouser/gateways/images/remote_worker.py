"""The far end of a server's eyes: drawing, filtering and serving pictures on another machine.

Asanuma et al. 2004, sec. 3: the server keeps the field, and pictures are made elsewhere. A lookout
connects to a server, is told the world and then the state at the moment of each shot, lets its own
eyes draw, serves the pictures on its own image port and sends back those that somebody at the
server looks at.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from grouser.errors import BadValue, Disconnected, GrouserError, Refused
from grouser.gateways.images.gallery import Gallery, Offer
from grouser.gateways.images.tiles import Layout, Seat
from grouser.gateways.images.worker import can_encode
from grouser.gateways.images.worker_channel import Answer, Job
from grouser.gateways.images.world_transfer import unpack
from grouser.protocol.images import ImageType
from grouser.protocol.rendering import (
    Encode,
    Failed,
    Hello,
    Looks,
    Message,
    NewWorld,
    Parcels,
    Picture,
    Refusal,
    Shoot,
    Skipped,
    Welcome,
    encode,
)
from grouser.tls import client_context

_LOG = logging.getLogger("grouser.gateways.images.remote_worker")


class Lookout(asyncio.Protocol):
    """A connection from here to a server that has its pictures drawn here.

    Args:
        gallery: where the pictures are shown, and whose eyes draw them.
        token: to be shown to the server; empty: none.
        window: orders to take before the first is answered.
        here: called with a sentence when the server has taken it.
    """

    def __init__(
        self, gallery: Gallery, token: str, window: int, here: Callable[[str], None]
    ) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done, with the reason as its exception, when the connection has ended."""
        self._gallery, self._token, self._window, self._here = gallery, token, window, here
        self._parcels = Parcels()
        self._taken = False
        self._transport: asyncio.Transport | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="grouser-eyes-")
        self._worlds = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say hello."""
        assert isinstance(transport, asyncio.Transport)  # a stream, not datagrams
        self._transport = transport
        self._say(Hello(self._token, self._window, can_encode()))

    def data_received(self, data: bytes) -> None:
        """Do what the server says."""
        try:
            for message in self._parcels.receive(data):
                self._hear(message)
        except GrouserError as error:
            self._end(error)

    def connection_lost(self, error: Exception | None) -> None:
        """Tell whoever waits for it."""
        early = " before it took these eyes (does it speak TLS? --trust FILE, its certificate)"
        self._end(Disconnected("the server has hung up" + ("" if self._taken else early)))
        self._folder.cleanup()

    def _end(self, reason: Exception) -> None:
        if not self.ended.done():
            self.ended.set_exception(reason)
        if self._transport:
            self._transport.close()
            self._transport = None

    def _say(self, message: Message) -> None:
        if self._transport:
            self._transport.write(encode(message))

    def _hear(self, message: Message) -> None:
        match message:
            case Welcome():
                self._taken = True
                self._here("the server takes these eyes")
            case Refusal(reason):
                raise Refused(f"the server refuses these eyes: {reason}")
            case NewWorld():
                self._settle(message)
            case Looks():
                self._gallery.eyes.look(message)
            case Shoot():
                self._shoot(message)
            case Encode(number):
                order = Job(object(), message, partial(self._answer, number))
                self._gallery.eyes.ask(order)
            case _:
                raise BadValue(f"{type(message).__name__} is nothing that a server says")

    def _settle(self, message: NewWorld) -> None:
        """Go on in another world."""
        try:
            seats = [Seat(**seat) for seat in message.seats]
            layout = Layout(*message.layout)
            self._gallery.eyes.type = ImageType(message.type)
        except (TypeError, ValueError) as error:
            raise BadValue(f"the server tells a world in another way ({error})") from error
        self._worlds += 1
        folder = Path(self._folder.name) / str(self._worlds)
        folder.mkdir()
        self._gallery.eyes.take(unpack(message, folder))
        self._gallery.seat(seats, layout)
        self._here(f"{len(seats)} cameras in the world now")

    def _shoot(self, order: Shoot) -> None:
        """Draw a moment for those who look: here, or at the server."""
        name = (order.robot, order.camera)
        answer = partial(self._answer, order.number) if order.back else None
        self._gallery.show(name, Offer(lambda wanted: replace(order, back=True), answer))
        if not order.back:
            self._say(Skipped(order.number))  # it need not wait for what it does not get

    def _answer(self, number: int, answer: Answer) -> None:
        match answer:
            case Picture() | Failed():
                self._say(replace(answer, number=number))
            case None:
                self._say(Skipped(number))


async def look_out(
    gallery: Gallery,
    host: str,
    port: int,
    *,
    token: str = "",
    window: int = 4,
    trust: Path | None = None,
    here: Callable[[str], None] = _LOG.info,
) -> None:
    """Draw for a server until it hangs up.

    Args:
        gallery: where pictures are shown, and whose eyes draw them.
        host: of the server.
        port: of the server's, for eyes.
        token: to be shown; empty: none.
        window: orders to take before the first is answered.
        trust: the server's certificate (PEM): speak TLS. None: plain.
        here: told what happens.

    Raises:
        Refused: the server does not want these eyes.
        Disconnected: it is not there, or not any more.
    """
    context = None if trust is None else client_context(trust)
    loop = asyncio.get_running_loop()
    try:
        transport, lookout = await loop.create_connection(
            lambda: Lookout(gallery, token, window, here), host, port, ssl=context
        )
    except OSError as error:
        why = error.strerror or str(error)
        raise Disconnected(f"no server for eyes answers at {host}:{port} ({why})") from error
    try:
        await lookout.ended
    finally:
        transport.close()
        gallery.seat(())
