"""Render worker pool: processes that draw pictures of a world, with crash recovery.

`WorkerPool` starts the processes, sends them the world, passes orders and results on, and restarts
a process that exits. Live pictures (`grouser.gateways.images.render_pool`) and videos
(`grouser.render_workers.offline_render_pool`) use the same pool and differ in scheduling only.

Of the jobs of one name that wait for a worker only the newest is drawn. Workers are kept when
robots join or leave: they receive the new world. While workers on other machines are attached, the
local processes are idle.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from itertools import count
from types import TracebackType
from typing import Self, cast

from grouser.errors import BadValue
from grouser.protocol.rendering import (
    Encode,
    Failed,
    Film,
    Looks,
    Message,
    MessageReader,
    NewWorld,
    Picture,
    Shoot,
    Skipped,
    encode,
)
from grouser.rendering.gl import ONE_THREAD

WINDOW = 2
"""Outstanding orders of a local worker: one is drawn, the next is in its socket."""
ANSWER_TIMEOUT = 60.0
"""Time-out of an answer, wall s; a worker may be building a scene or compiling meanwhile."""
RESTART_DELAYS = (0.1, 0.5, 2.0, 10.0)
"""Delays before successive restarts of a process that did not answer any order, wall s."""
CLOSE_TIMEOUT = 5.0
"""Time for a process to exit after its socket is closed, wall s; then it is killed."""

WORKER_MODULE = "grouser.render_workers.worker"

_LOG = logging.getLogger(__name__)

Answer = Picture | Failed | None
"""Result of a job; None: the order was dropped or skipped."""


@dataclass(frozen=True)
class RenderJob:
    """Order for a worker with a completion callback."""

    name: Hashable
    """A newer job of the same name replaces one that is still queued."""
    order: Shoot | Film | Encode
    done: Callable[[Answer], None]
    """Called once with the result."""


class WorkerChannel(asyncio.Protocol):
    """Pool side of the connection to one worker: a job queue with a limited window.

    Args:
        window: maximum number of outstanding orders; further jobs are queued.
        timeout: time until a worker that does not answer is disconnected, wall s.
    """

    def __init__(self, window: int, timeout: float = ANSWER_TIMEOUT) -> None:
        self.ready = False
        """True if the worker accepts orders."""
        self._window, self._timeout = window, timeout
        self._reader = MessageReader()
        self._transport: asyncio.Transport | None = None
        self._numbers = count()
        self._outstanding: dict[int, tuple[float, RenderJob]] = {}
        self._queue: dict[Hashable, RenderJob] = {}

    def submit(self, job: RenderJob) -> None:
        """Queue ``job``; one of the same name that is still queued is dropped."""
        old = self._queue.get(job.name)
        self._queue[job.name] = job  # keeps the old place, so that frequent jobs are not starved
        if old:
            old.done(None)
        self._send_queued()

    def send(self, message: Message) -> None:
        """Send a message, if connected."""
        if self._transport and not self._transport.is_closing():
            self._transport.write(encode(message))

    def send_world(self, world: NewWorld, appearance: Looks | None) -> None:
        """Send the world, and its appearance if that has changed since."""
        self.send(world)
        if appearance:
            self.send(appearance)

    def close(self) -> None:
        """Close the connection."""
        if self._transport:
            self._transport.close()

    def handle(self, message: Message) -> None:
        """Handle a message of the worker.

        Raises:
            BadValue: it is not an answer.
        """
        match message:
            case Picture(number) | Skipped(number) | Failed(number):
                if isinstance(message, Failed) and number < 0:
                    _LOG.error("%s: %s", self, message.reason)
                elif number in self._outstanding:
                    job = self._outstanding.pop(number)[1]
                    job.done(None if isinstance(message, Skipped) else message)
            case _:
                raise BadValue(f"{type(message).__name__} is not a message of a render worker")

    def drop_jobs(self) -> None:
        """Drop queued and outstanding jobs after the connection is lost."""
        self.ready, self._transport = False, None
        jobs = [job for _, job in self._outstanding.values()] + list(self._queue.values())
        self._outstanding, self._queue, self._reader = {}, {}, MessageReader()
        for job in jobs:
            job.done(None)

    # -- asyncio's callbacks -----------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Handle messages of the worker; disconnect it after a malformed one."""
        try:
            for message in self._reader.receive(data):
                self.handle(message)
        except BadValue as error:
            _LOG.warning("%s: %s", self, error)
            self._abort()
        self._send_queued()

    def connection_lost(self, error: Exception | None) -> None:
        """Drop all jobs."""
        self.drop_jobs()

    def _send_queued(self) -> None:
        """Send queued orders that fit into the window; check the time-out."""
        now = time.monotonic()
        while self.ready and self._queue and len(self._outstanding) < self._window:
            name = next(iter(self._queue))
            job, number = self._queue.pop(name), next(self._numbers)
            self._outstanding[number] = now, job
            self.send(replace(job.order, number=number))
        if self._outstanding and now - next(iter(self._outstanding.values()))[0] > self._timeout:
            _LOG.warning("%s has not answered for %g s", self, self._timeout)
            self._abort()

    def _abort(self) -> None:
        self.ready = False
        if self._transport:
            self._transport.abort()


class WorkerPool:
    """Worker processes that draw the same world; use it in an ``async with`` block.

    All methods must be called from the thread of the event loop. Jobs may be submitted before the
    processes are ready.

    Args:
        workers: number of processes on this machine.
        window: maximum number of outstanding orders per process.
        timeout: time until a process that does not answer is replaced, wall s.
        restart: restart a process that exits. Otherwise its jobs, and later ones, are dropped, and
            a process that cannot be started is an `OSError`.
    """

    def __init__(
        self,
        workers: int,
        *,
        window: int = WINDOW,
        timeout: float = ANSWER_TIMEOUT,
        restart: bool = True,
    ) -> None:
        if workers < 0:
            raise BadValue(f"render pool: workers is {workers}, must be at least 0")
        self.restarts = 0
        """Number of restarts of processes."""
        self.restart = restart
        self._local = [WorkerProcess(self, n, window, timeout) for n in range(workers)]
        self._attached: list[WorkerChannel] = []
        self._world: NewWorld | None = None
        self._appearance: Looks | None = None

    @property
    def process_ids(self) -> list[int]:
        """Process ids of the running local workers."""
        return [each.process.pid for each in self._local if each.process]

    async def open(self) -> None:
        """Start the local workers."""
        try:
            for worker in self._local:
                await worker.start()
        except BaseException:
            await self.close()
            raise

    async def close(self, timeout: float = CLOSE_TIMEOUT) -> None:
        """Close all workers; pending jobs are dropped.

        Args:
            timeout: time until a process that does not exit is killed, wall s.
        """
        for each in (*self._local, *self._attached):
            each.close()
        await asyncio.sleep(0)  # lets the sockets close, upon which the processes exit
        await asyncio.gather(*(each.wait_closed(timeout) for each in self._local))

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def load_world(self, world: NewWorld) -> None:
        """Replace the world of all workers."""
        self._world, self._appearance = world, None
        for worker in self._ready():
            worker.send_world(world, None)

    def update_appearance(self, appearance: Looks) -> None:
        """Replace the appearance of the current world."""
        self._appearance = appearance
        for worker in self._ready():
            worker.send(appearance)

    def submit(self, job: RenderJob, turn: int = 0) -> None:
        """Submit a job to one worker; it is dropped if there is none.

        Args:
            job: order with its callback.
            turn: jobs of the same turn go to the same worker, while the set of workers is the same.
        """
        workers = self._attached or self._local
        if workers:
            workers[turn % len(workers)].submit(job)
        else:
            job.done(None)

    def attach(self, worker: WorkerChannel) -> None:
        """Add a connected worker; while any is attached, the local processes get no jobs."""
        self._attached.append(worker)
        self.send_world(worker)

    def detach(self, worker: WorkerChannel) -> None:
        """Remove an attached worker, if it is one."""
        if worker in self._attached:
            self._attached.remove(worker)
            _LOG.warning("%s disconnected", worker)

    @property
    def attached_count(self) -> int:
        """Number of attached workers."""
        return len(self._attached)

    def send_world(self, worker: WorkerChannel) -> None:
        """Send the current world, if any, to a new worker."""
        if self._world:
            worker.send_world(self._world, self._appearance)

    def _ready(self) -> list[WorkerChannel]:
        return [worker for worker in (*self._local, *self._attached) if worker.ready]


class WorkerProcess(WorkerChannel):
    """Local worker: a process that is connected by a socket pair."""

    def __init__(self, pool: WorkerPool, number: int, window: int, timeout: float) -> None:
        super().__init__(window, timeout)
        self.process: subprocess.Popen[bytes] | None = None
        self._pool, self._number = pool, number
        self._failures = 0
        self._closed = False
        self._restart_task: asyncio.Task[None] | None = None

    def __str__(self) -> str:
        return f"render worker {self._number}"

    async def start(self) -> None:
        """Start the process; if that fails, try again later or raise `OSError`."""
        try:
            await self._start()
        except OSError as error:  # out of memory or descriptors, which may be temporary
            if not self._pool.restart:
                raise
            _LOG.warning("%s could not be started (%s), trying again", self, error.strerror)
            self._restart_later()

    def submit(self, job: RenderJob) -> None:
        """Queue ``job``; drop it if the process has exited permanently."""
        if self._closed:
            job.done(None)
        else:
            super().submit(job)

    def handle(self, message: Message) -> None:
        """Handle an answer, and reset the restart delay."""
        self._failures = 0
        super().handle(message)

    def connection_lost(self, error: Exception | None) -> None:
        """Drop all jobs; restart the process unless the pool is closed."""
        restart = self._pool.restart and not self._closed
        self._closed = not restart
        self.drop_jobs()
        if restart:
            code = self._kill()
            _LOG.warning("%s exited with code %s, restarting it", self, code)
            self._restart_later()

    def close(self) -> None:
        """Close the connection, upon which the process exits."""
        self._closed = True
        if self._restart_task:
            self._restart_task.cancel()
        super().close()

    async def wait_closed(self, timeout: float) -> None:
        """Wait until the process has exited; kill it after ``timeout`` (wall s)."""
        end = time.monotonic() + timeout
        while self.process and self.process.poll() is None and time.monotonic() < end:
            await asyncio.sleep(0.05)
        self._kill()
        if self._transport:  # it could not send its buffer
            self._transport.abort()
            await asyncio.sleep(0)

    def _kill(self) -> int | None:
        """Kill the process, if it runs; return its exit code."""
        process, self.process = self.process, None
        if process is None:
            return None
        process.kill()
        return process.wait()

    def _restart_later(self) -> None:
        """Restart after a delay, which grows while the process does not answer any order."""
        delay = RESTART_DELAYS[min(self._failures, len(RESTART_DELAYS) - 1)]
        self._failures += 1
        self._pool.restarts += 1
        self._restart_task = asyncio.get_running_loop().create_task(self._restart(delay))

    async def _restart(self, delay: float) -> None:
        await asyncio.sleep(delay)
        await self.start()

    async def _start(self) -> None:
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self.process = subprocess.Popen(
                    [sys.executable, "-m", WORKER_MODULE, str(theirs.fileno())],
                    pass_fds=(theirs.fileno(),),
                    env=os.environ | ONE_THREAD,
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C is handled by this process
                )
            await asyncio.get_running_loop().create_connection(lambda: self, sock=ours)
        except BaseException:
            ours.close()  # the process exits
            raise
        self.ready = True
        self._pool.send_world(self)
        self._send_queued()
