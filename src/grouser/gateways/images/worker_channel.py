"""The server's end of the connection to one eye: orders out, pictures in, never waiting."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from itertools import count

from grouser.errors import BadValue
from grouser.protocol.rendering import (
    Encode,
    Failed,
    Message,
    Parcels,
    Picture,
    Shoot,
    Skipped,
    encode,
)

PATIENCE = 60.0
"""Wall time (s) until an eye that does not answer is given up: it may be composing, compiling."""

_LOG = logging.getLogger("grouser.gateways.images.render_pool")

Answer = Picture | Failed | None
"""None: it was dropped, or skipped."""


@dataclass(frozen=True)
class Job:
    """An order and whoever waits for it."""

    name: Hashable
    """A newer job of the same name replaces one that still waits."""
    order: Shoot | Encode
    done: Callable[[Answer], None]
    """Called once."""


class Channel(asyncio.Protocol):
    """One eye, as the server sees it.

    At most ``window`` orders are on their way; of those that wait, only the newest of each name.
    """

    def __init__(self, window: int) -> None:
        """Let ``window`` orders be on their way."""
        self.ready = False
        """It takes orders."""
        self._window = window
        self._parcels = Parcels()
        self._transport: asyncio.Transport | None = None
        self._numbers = count()
        self._sent: dict[int, tuple[float, Job]] = {}
        self._waiting: dict[Hashable, Job] = {}

    def ask(self, job: Job) -> None:
        """Let ``job`` be done, when its turn comes."""
        old = self._waiting.get(job.name)
        self._waiting[job.name] = job  # in the old one's place: who asks often is not put off
        if old:
            old.done(None)
        self._pump()

    def tell(self, message: Message) -> None:
        """Say something that has no answer."""
        if self._transport and not self._transport.is_closing():
            self._transport.write(encode(message))

    def close(self) -> None:
        """Hang up."""
        if self._transport:
            self._transport.close()

    # -- what the eye says -------------------------------------------------------------------

    def heard(self, message: Message) -> None:
        """Take what the eye says: answers, or whatever a subclass expects."""
        match message:
            case Picture(number) | Skipped(number) | Failed(number):
                if isinstance(message, Failed) and number < 0:
                    _LOG.error("%s: %s", self, message.reason)
                elif number in self._sent:
                    job = self._sent.pop(number)[1]
                    job.done(None if isinstance(message, Skipped) else message)
            case _:
                raise BadValue(f"{type(message).__name__} is nothing that an eye says")

    def lost(self) -> None:
        """Hear that the eye is gone."""

    # -- asyncio's side ----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to talk."""
        assert isinstance(transport, asyncio.Transport)  # a stream, not datagrams
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Take what the eye says; one that talks nonsense is hung up on."""
        try:
            for message in self._parcels.receive(data):
                self.heard(message)
        except BadValue as error:
            _LOG.warning("%s: %s", self, error)
            self._abort()
        self._pump()

    def connection_lost(self, error: Exception | None) -> None:
        """Give up on what it was to do."""
        self.ready, self._transport = False, None
        jobs = [job for _, job in self._sent.values()] + list(self._waiting.values())
        self._sent, self._waiting, self._parcels = {}, {}, Parcels()
        for job in jobs:
            job.done(None)
        self.lost()

    def _pump(self) -> None:
        """Send what may be sent."""
        now = time.monotonic()
        while self.ready and self._waiting and len(self._sent) < self._window:
            name = next(iter(self._waiting))
            job, number = self._waiting.pop(name), next(self._numbers)
            self._sent[number] = now, job
            self.tell(replace(job.order, number=number))
        if self._sent and now - next(iter(self._sent.values()))[0] > PATIENCE:
            _LOG.warning("%s has not answered for %g s", self, PATIENCE)
            self._abort()

    def _abort(self) -> None:
        self.ready = False
        if self._transport:
            self._transport.abort()
