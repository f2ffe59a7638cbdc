"""Render pool of a server: local worker processes, and workers on other machines.

Pictures cost more than physics. The server therefore only sends states and receives finished
pictures, in its event loop, without waiting. Workers on other machines connect to a port
(``grouser render-worker``, `RemoteWorker`).
"""

from __future__ import annotations

import logging

from grouser.errors import BadValue, Refused
from grouser.gateways.listening_port import Connection
from grouser.protocol.images import JPEG_QUALITY, ImageType
from grouser.protocol.rendering import (
    LARGEST,
    LARGEST_UNAUTHENTICATED,
    Hello,
    Looks,
    Message,
    MessageReader,
    NewWorld,
    Refusal,
    Welcome,
    encode,
)
from grouser.render_workers.render_codec import pack_meshes
from grouser.render_workers.worker_pool import WorkerChannel, WorkerPool
from grouser.service.access import AccessControl, Role
from grouser.service.rate_limiter import Limits

MOST_WINDOW = 64
"""Maximum number of outstanding orders of a worker on another machine."""

_LOG = logging.getLogger(__name__)


class RenderPool(WorkerPool):
    """Workers that draw the pictures of a server; use it in an ``async with`` block.

    Args:
        workers: processes on this machine. One is best if physics needs the other core.
        type: encoding of served pictures.
    """

    def __init__(self, *, workers: int = 1, type: ImageType = ImageType.RAW) -> None:
        super().__init__(workers)
        self.type = type

    @property
    def quality(self) -> int:
        """Quality of the JPEG of every picture, 1..100; 0: no JPEG."""
        return JPEG_QUALITY.get(self.type, 0)


class RemoteWorker(Connection, WorkerChannel):
    """Server side of the connection of a worker on another machine.

    The worker needs a token with role DRAW or CONTROL: it receives the whole world and all keys.

    Args:
        pool: pool that the worker joins.
        access: checks the token.
    """

    def __init__(self, pool: RenderPool, access: AccessControl) -> None:
        Connection.__init__(self, access.log, Limits.login_seconds)
        WorkerChannel.__init__(self, window=1)
        self._pool, self._access = pool, access
        self._reader = MessageReader(LARGEST_UNAUTHENTICATED)

    def __str__(self) -> str:
        return f"render worker at {self.address}"

    def logged_in(self) -> bool:
        """Return True if the worker is accepted."""
        return self.ready

    def refusal(self, reason: str) -> bytes:
        """Return the message for a rejected worker."""
        return encode(Refusal(reason))

    def closed(self) -> None:
        """Drop its jobs and leave the pool."""
        self.drop_jobs()
        self._pool.detach(self)

    def send_world(self, world: NewWorld, appearance: Looks | None) -> None:
        """Send the world with its mesh files, and its appearance if that has changed since."""
        try:
            super().send_world(pack_meshes(world), appearance)
        except OSError as error:
            _LOG.error("%s: the world cannot be sent: %s", self, error)
            self.close()

    def handle(self, message: Message) -> None:
        """Accept the worker, or handle its answer."""
        if self.ready:
            super().handle(message)
        elif isinstance(message, Hello):
            self._accept(message)
        else:
            raise BadValue(f"{type(message).__name__} came before Hello")

    def _accept(self, hello: Hello) -> None:
        try:
            if not self._access.check(self.address, hello.token) & {Role.DRAW, Role.CONTROL}:
                raise Refused("this token does not permit drawing; it needs the role 'draw'")
            if self._pool.quality and not hello.jpeg:
                raise Refused("this server serves JPEG, which the render worker cannot encode")
        except Refused as refused:
            self.reject(str(refused))
            return
        self._window = max(1, min(hello.window, MOST_WINDOW))
        self._reader.largest = LARGEST
        self.ready = True
        _LOG.info("%s connected", self)
        self.send(Welcome())
        self._pool.attach(self)
