"""The render pool: processes of their own that draw what cameras see, while physics goes on.

Pictures cost more than physics, and a renderer keeps its process busy. So the server only sends
states and takes finished pictures, in an event loop, and never waits. Workers live as long as the
server: when somebody joins or leaves they are sent the new world. One that dies is started again.

Workers on other machines connect by themselves (``grouser eyes``, `RenderPool.accept_remote`).
While there are some, they do the drawing.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Self

from grouser.errors import BadValue, Refused
from grouser.gateways.images.render_codec import pack_meshes
from grouser.gateways.images.worker_pool import RenderJob, WorkerChannel
from grouser.protocol.images import JPEG_QUALITY, ImageType
from grouser.protocol.rendering import (
    LARGEST,
    LARGEST_STRANGER,
    Hello,
    Looks,
    Message,
    NewWorld,
    ParcelReader,
    Refusal,
    Welcome,
    encode,
)
from grouser.service.access import AccessControl, Role
from grouser.service.rate_limiter import Limits

WINDOW = 2
"""Orders on their way to a local worker: one is drawn, the next is there already."""
MOST_WINDOW = 64
"""Orders on their way to a worker on another machine, at most."""
PAUSES = (0.1, 0.5, 2.0, 10.0)
"""Wall time (s) before a dead worker is started again, the first time, the second, …"""

ONE_THREAD = {"LP_NUM_THREADS": "1"}
"""Environment that keeps Mesa's software renderer from taking every core for one picture."""

_LOG = logging.getLogger(__name__)


class RenderPool:
    """All workers that draw; use it in an ``async with`` block.

    Args:
        workers: processes on this machine. One is best where physics needs the other core.
        type: what pictures are served as.
    """

    def __init__(self, *, workers: int = 1, type: ImageType = ImageType.RAW) -> None:
        if workers < 0:
            raise BadValue(f"eyes: {workers} workers, must be at least 0")
        self.type = type
        self.restarts = 0
        """How often a worker had to be started again."""
        self._local = [_LocalWorker(self, number) for number in range(workers)]
        self._remote: list[_RemoteWorker] = []
        self._world: NewWorld | None = None
        self._appearance: Looks | None = None

    @property
    def quality(self) -> int:
        """Of the JPEG that is made of every picture, 1..100; 0: none is."""
        return JPEG_QUALITY.get(self.type, 0)

    @property
    def remote_count(self) -> int:
        """How many workers on other machines there are."""
        return len(self._remote)

    @property
    def process_ids(self) -> list[int]:
        """Process numbers of the local workers that live."""
        return [each.process.pid for each in self._local if each.process]

    async def open(self) -> Self:
        """Start the local workers."""
        for each in self._local:
            each.start()
        return self

    async def close(self) -> None:
        """End all workers; orders that are not done are dropped."""
        for each in (*self._local, *self._remote):
            each.close()
        await asyncio.sleep(0)  # let the sockets close, by which the processes end
        await asyncio.gather(*(each.ended() for each in self._local))

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def load_world(self, world: NewWorld) -> None:
        """Have all workers draw another world from now on."""
        self._world, self._appearance = world, None
        for worker in self._ready():
            worker.send_world(world, None)

    def update_appearance(self, appearance: Looks) -> None:
        """Have things look so from now on, until the next world."""
        self._appearance = appearance
        for worker in self._ready():
            worker.send(appearance)

    def submit(self, job: RenderJob, turn: int = 0) -> None:
        """Have a worker do ``job``.

        Args:
            job: the order; it is dropped where there is no worker.
            turn: orders of the same turn go to the same worker, as long as none comes or goes.
        """
        workers = self._remote or self._local
        if workers:
            workers[turn % len(workers)].submit(job)
        else:
            job.done(None)

    def accept_remote(self, access: AccessControl) -> _RemoteWorker:
        """Return the protocol for one connection of a worker on another machine.

        It needs a token for DRAW, or for CONTROL: a worker knows the whole world and all keys.
        """
        return _RemoteWorker(self, access)

    def send_world(self, worker: _LocalWorker | _RemoteWorker) -> None:
        """Send a new worker the world as it is now, if there is one."""
        if self._world:
            worker.send_world(self._world, self._appearance)

    def add_remote(self, worker: _RemoteWorker) -> None:
        """Give orders to a worker on another machine from now on."""
        self._remote.append(worker)
        self.send_world(worker)

    def remove_remote(self, worker: _RemoteWorker) -> None:
        """Give it no more orders."""
        if worker in self._remote:
            self._remote.remove(worker)
            _LOG.warning("%s has gone", worker)

    def _ready(self) -> list[_LocalWorker | _RemoteWorker]:
        workers: list[_LocalWorker | _RemoteWorker] = [*self._local, *self._remote]
        return [worker for worker in workers if worker.ready]


class _LocalWorker(WorkerChannel):
    """A worker on this machine: a process, and a socket that only it has."""

    def __init__(self, pool: RenderPool, number: int) -> None:
        super().__init__(WINDOW)
        self.process: subprocess.Popen[bytes] | None = None
        self._pool, self._number = pool, number
        self._deaths = 0
        self._closing = False
        self._tasks: set[asyncio.Task[None]] = set()

    def __str__(self) -> str:
        return f"eye {self._number}"

    def start(self) -> None:
        """Start the process; jobs may be submitted at once, and are done when it is there."""
        if not self._closing:
            task = asyncio.get_running_loop().create_task(self._start_or_try_again())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def send_world(self, world: NewWorld, appearance: Looks | None) -> None:
        """Send the world, and how things look if not as at first."""
        self.send(world)
        if appearance:
            self.send(appearance)

    def handle(self, message: Message) -> None:
        """Handle an answer; one that answers is well."""
        self._deaths = 0
        super().handle(message)

    def on_lost(self) -> None:
        """Start it again, unless it was to end."""
        if self._closing:
            return
        if self.process:
            self.process.kill()  # it may only have closed its socket
            code = self.process.wait()
            self.process = None
            _LOG.warning("%s has died (exit code %s) and is started again", self, code)
        self._start_again()

    def _start_again(self) -> None:
        """Start it again after a while, longer each time it did not live to answer."""
        pause = PAUSES[min(self._deaths, len(PAUSES) - 1)]
        self._deaths += 1
        self._pool.restarts += 1
        asyncio.get_running_loop().call_later(pause, self.start)

    def close(self) -> None:
        """Close the connection, by which the process ends."""
        self._closing = True
        super().close()

    async def ended(self) -> None:
        """Wait until the process has ended; one that does not in time is made to."""
        for task in self._tasks:
            task.cancel()
        if self.process is None:
            return
        for _ in range(100):
            if self.process.poll() is not None:
                return
            await asyncio.sleep(0.05)
        self.process.kill()
        self.process.wait()

    async def _start_or_try_again(self) -> None:
        try:
            await self._start()
        except OSError as error:  # no memory, no descriptors: others may give some back
            _LOG.warning("%s could not be started (%s) and is tried again", self, error.strerror)
            self._start_again()

    async def _start(self) -> None:
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "grouser.gateways.images.worker", str(theirs.fileno())],
                    pass_fds=(theirs.fileno(),),
                    env=os.environ | ONE_THREAD,
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C is the server's business
                )
            await asyncio.get_running_loop().create_connection(lambda: self, sock=ours)
        except BaseException:
            ours.close()  # by which the process ends
            raise
        self.ready = True
        self._pool.send_world(self)
        self._send_waiting()


class _RemoteWorker(WorkerChannel):
    """A worker on another machine."""

    def __init__(self, pool: RenderPool, access: AccessControl) -> None:
        super().__init__(1)
        self._pool, self._access = pool, access
        self.gone: Callable[[], None] = lambda: None
        self._address = ""
        self._parcels = ParcelReader(LARGEST_STRANGER)

    def __str__(self) -> str:
        return f"eye at {self._address or 'nowhere'}"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for a Hello, but not for ever."""
        super().connection_made(transport)
        self._address = str((transport.get_extra_info("peername") or ("nowhere",))[0])
        asyncio.get_running_loop().call_later(Limits.login_seconds, self._check_login)

    def send_world(self, world: NewWorld, appearance: Looks | None) -> None:
        """Send the world with its mesh files, and how things look if not as at first."""
        try:
            self.send(pack_meshes(world))
        except OSError as error:
            _LOG.error("%s cannot be told the world: %s", self, error)
            self.close()
        if appearance:
            self.send(appearance)

    def handle(self, message: Message) -> None:
        """Admit the worker, or handle its answer."""
        if self.ready:
            super().handle(message)
        elif isinstance(message, Hello):
            self._admit(message)
        else:
            raise BadValue(f"{type(message).__name__} came before Hello")

    def on_lost(self) -> None:
        """Let others do its work."""
        self._pool.remove_remote(self)
        self.gone()

    # -- the port's side ---------------------------------------------------------------------

    def logged_in(self) -> bool:
        """Return whether it may draw."""
        return self.ready

    def reject(self, reason: str) -> None:
        """Close the connection, and say why."""
        self._access.log.warning(_LOG, self._address, f"eye sent away: {reason}")
        self.send(Refusal(reason))
        self.close()

    def refusal(self, reason: str) -> bytes:
        """Return what is sent to a worker for whom there is no room."""
        return encode(Refusal(reason))

    def _check_login(self) -> None:
        if not self.ready:
            self.reject(f"no token came within {Limits.login_seconds:g} s")

    def _admit(self, hello: Hello) -> None:
        try:
            if not self._access.check(self._address, hello.token) & {Role.DRAW, Role.CONTROL}:
                raise Refused("this token does not let anybody draw; one for 'draw' does")
            if self._pool.quality and not hello.jpeg:
                raise Refused("this server serves JPEG, which the eye cannot make")
        except Refused as refused:
            self.reject(str(refused))
            return
        self._window = max(1, min(hello.window, MOST_WINDOW))
        self._parcels.largest = LARGEST
        self.ready = True
        _LOG.info("%s is here", self)
        self.send(Welcome())
        self._pool.add_remote(self)
