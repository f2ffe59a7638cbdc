"""Helpers for tests of the render pool and of the image port."""

import asyncio
import contextlib
import functools
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, ParamSpec

import numpy as np
import numpy.typing as npt

from grouser.gateways.images.render_pool import RemoteWorker, RenderPool
from grouser.gateways.images.views import Views
from grouser.protocol.images import Frame, ImageType
from grouser.service.access import AccessControl
from grouser.simulation.simulation import Simulation

OPEN = AccessControl((), "127.0.0.1", clock=time.monotonic)
SECRET = "a-token-for-the-tests"

Parameters = ParamSpec("Parameters")


def run_in_event_loop(
    test: Callable[Parameters, Coroutine[Any, Any, None]],
) -> Callable[Parameters, None]:
    """Run a coroutine test in its own event loop."""

    @functools.wraps(test)
    def run(*args: Parameters.args, **options: Parameters.kwargs) -> None:
        asyncio.run(test(*args, **options))

    return run


async def wait_until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Run the event loop until ``condition()`` is true."""
    for _ in range(int(seconds / 0.01)):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("the condition did not become true in time")


def rgb(frame: Frame) -> npt.NDArray[np.uint8]:
    """Return the pixels of a raw frame."""
    width, height, pixels = frame.pixels()
    return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)


@contextlib.asynccontextmanager
async def open_views(
    simulation: Simulation, type: ImageType = ImageType.RAW, workers: int = 1
) -> AsyncIterator[Views]:
    """Yield views of a simulation's cameras without watchers."""
    async with RenderPool(workers=workers, type=type) as pool:
        views = Views(pool)
        views.rebind(simulation.scene)
        yield views


@contextlib.asynccontextmanager
async def watched_views(simulation: Simulation, workers: int = 1) -> AsyncIterator[Views]:
    """Yield views of a simulation's cameras with one watcher of the mosaic."""
    async with open_views(simulation, workers=workers) as views:
        views.frames.watch(None)
        yield views


@contextlib.asynccontextmanager
async def remote_worker_port(pool: RenderPool, access: AccessControl = OPEN) -> AsyncIterator[int]:
    """Open a port for workers on other machines; yield its number."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: RemoteWorker(pool, access), "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
