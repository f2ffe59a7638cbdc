"""The server's end of the connection to one render worker: orders out, pictures in, no waiting."""

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
    ParcelReader,
    Picture,
    Shoot,
    Skipped,
    encode,
)

PATIENCE = 60.0
"""Wall time (s) until a worker that does not answer is given up: it may be composing, compiling."""

_LOG = logging.getLogger(__name__)

Answer = Picture | Failed | None
"""What comes of a job; None: it was dropped, or skipped."""


@dataclass(frozen=True)
class RenderJob:
    """An order for a worker, and whom to call with its answer."""

    name: Hashable
    """A newer job of the same name replaces one that still waits."""
    order: Shoot | Encode
    done: Callable[[Answer], None]
    """Called once."""


class WorkerChannel(asyncio.Protocol):
    """The connection to one render worker.

    At most ``window`` orders are on their way; of those that wait, only the newest of each name.
    """

    def __init__(self, window: int) -> None:
        """Start unconnected; ``window`` orders may be on their way at once."""
        self.ready = False
        """Whether it takes orders."""
        self._window = window
        self._parcels = ParcelReader()
        self._transport: asyncio.Transport | None = None
        self._numbers = count()
        self._sent: dict[int, tuple[float, RenderJob]] = {}
        self._waiting: dict[Hashable, RenderJob] = {}

    def submit(self, job: RenderJob) -> None:
        """Have ``job`` done, when its turn comes."""
        old = self._waiting.get(job.name)
        self._waiting[job.name] = job  # in the old one's place: who asks often is not put off
        if old:
            old.done(None)
        self._send_waiting()

    def send(self, message: Message) -> None:
        """Send a message, if it is connected."""
        if self._transport and not self._transport.is_closing():
            self._transport.write(encode(message))

    def close(self) -> None:
        """Close the connection."""
        if self._transport:
            self._transport.close()

    # -- the worker's messages ---------------------------------------------------------------

    def handle(self, message: Message) -> None:
        """Handle a message of the worker: an answer, or whatever a subclass expects."""
        match message:
            case Picture(number) | Skipped(number) | Failed(number):
                if isinstance(message, Failed) and number < 0:
                    _LOG.error("%s: %s", self, message.reason)
                elif number in self._sent:
                    job = self._sent.pop(number)[1]
                    job.done(None if isinstance(message, Skipped) else message)
            case _:
                raise BadValue(f"{type(message).__name__} is nothing that an eye says")

    def on_lost(self) -> None:
        """Called when the worker is gone."""

    # -- asyncio's side ----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.Transport)  # a stream, not datagrams
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Handle the worker's messages; one that sends nonsense is disconnected."""
        try:
            for message in self._parcels.receive(data):
                self.handle(message)
        except BadValue as error:
            _LOG.warning("%s: %s", self, error)
            self._abort()
        self._send_waiting()

    def connection_lost(self, error: Exception | None) -> None:
        """Drop its jobs."""
        self.ready, self._transport = False, None
        jobs = [job for _, job in self._sent.values()] + list(self._waiting.values())
        self._sent, self._waiting, self._parcels = {}, {}, ParcelReader()
        for job in jobs:
            job.done(None)
        self.on_lost()

    def _send_waiting(self) -> None:
        """Send the orders that may be on their way."""
        now = time.monotonic()
        while self.ready and self._waiting and len(self._sent) < self._window:
            name = next(iter(self._waiting))
            job, number = self._waiting.pop(name), next(self._numbers)
            self._sent[number] = now, job
            self.send(replace(job.order, number=number))
        if self._sent and now - next(iter(self._sent.values()))[0] > PATIENCE:
            _LOG.warning("%s has not answered for %g s", self, PATIENCE)
            self._abort()

    def _abort(self) -> None:
        self.ready = False
        if self._transport:
            self._transport.abort()
