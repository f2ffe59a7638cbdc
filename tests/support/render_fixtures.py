"""Fixtures for tests of the render pool and of the image port."""

import asyncio
import contextlib
import functools
import time

import numpy as np

from grouser.gateways.images.render_pool import RemoteWorker, RenderPool
from grouser.gateways.images.views import Views
from grouser.protocol.images import ImageType
from grouser.service.access import AccessControl

OPEN = AccessControl((), "127.0.0.1", clock=time.monotonic)
SECRET = "a-token-for-the-tests"


def in_a_loop(test):
    """Run a coroutine test in its own event loop."""

    @functools.wraps(test)
    def run(*args, **options) -> None:
        asyncio.run(test(*args, **options))

    return run


async def until(true, seconds=60.0) -> None:
    """Run the event loop until ``true()`` returns True."""
    for _ in range(int(seconds / 0.01)):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("the condition did not become true in time")


def rgb(frame):
    """Return the pixels of a raw frame."""
    width, height, pixels = frame.pixels()
    return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)


@contextlib.asynccontextmanager
async def open_views(simulation, type=ImageType.RAW, workers=1):
    """Yield views of a simulation's cameras without watchers."""
    async with RenderPool(workers=workers, type=type) as pool:
        views = Views(pool)
        views.rebind(simulation.scene)
        yield views


@contextlib.asynccontextmanager
async def watched_views(simulation, workers=1):
    """Yield views of a simulation's cameras with one watcher of the mosaic."""
    async with open_views(simulation, workers=workers) as views:
        views.frames.watch(None)
        yield views


@contextlib.asynccontextmanager
async def remote_worker_port(pool, access=OPEN):
    """Open a port for workers on other machines; yield its number."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: RemoteWorker(pool, access), "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
