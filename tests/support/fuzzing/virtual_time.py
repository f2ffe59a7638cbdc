"""Event loop with virtual time: deterministic, and as fast as the processor."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

from grouser.gateways import server

ITERATION = 50e-6
"""Virtual time that one iteration of the loop takes, s: time passes even if nothing waits."""
REQUEST_TIME = 20e-6
"""Virtual processor time between two readings of the processor clock, s."""
COMPILE_TIME = 0.03
"""Virtual time that a job in the background takes, s."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """Event loop whose clock advances only when the loop waits."""

    def __init__(self) -> None:
        super().__init__()
        self._virtual_now = 0.0
        self._processor_time = 0.0
        poll = self._selector.select  # type: ignore[attr-defined]

        def select(timeout: float | None) -> list[Any]:
            if timeout is None:
                raise RuntimeError("the loop would wait for ever")
            self._virtual_now += max(timeout, ITERATION)
            ready: list[Any] = poll(0)
            return ready

        self._selector.select = select  # type: ignore[attr-defined]

    def time(self) -> float:
        """Return the virtual time, s."""
        return self._virtual_now

    def sleep(self, seconds: float) -> None:
        """Advance the virtual time, as a blocking sleep."""
        self._virtual_now += seconds

    def thread_time(self) -> float:
        """Return the virtual processor time, s."""
        self._processor_time += REQUEST_TIME
        return self._processor_time


class VirtualClocks:
    """Functions of the module `time` that a server uses, in virtual time."""

    def __init__(self, loop: VirtualLoop) -> None:
        self.monotonic = loop.time
        self.thread_time = loop.thread_time
        self.sleep = loop.sleep


class DelayedExecutor(Executor):
    """Executor that runs a job in the loop's thread after `COMPILE_TIME` of virtual time."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._free_at = 0.0
        self._over = False

    def submit(self, job: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Schedule ``job`` after those before it."""
        if self._over:
            raise RuntimeError("the executor was shut down")
        future: Future[Any] = Future()

        def run() -> None:
            if not self._over:
                future.set_result(job(*args, **kwargs))

        self._free_at = max(self._free_at, self._loop.time()) + COMPILE_TIME
        self._loop.call_at(self._free_at, run)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Drop all jobs."""
        self._over = True


@contextmanager
def virtual_time() -> Iterator[VirtualLoop]:
    """Return an event loop with virtual time, by which servers that are created in it run."""
    loop, clocks = VirtualLoop(), server.time  # type: ignore[attr-defined]
    server.time = VirtualClocks(loop)  # type: ignore[attr-defined, assignment]
    try:
        yield loop
    finally:
        server.time = clocks  # type: ignore[attr-defined]
        loop.close()
