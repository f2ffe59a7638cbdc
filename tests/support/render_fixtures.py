"""Pictures that render workers draw: what tests of the pool and of the image port share."""

import asyncio
import contextlib
import functools
import time

import numpy as np

from grouser.gateways.images.render_pool import RenderPool
from grouser.gateways.images.views import Views
from grouser.protocol.images import ImageType
from grouser.service.access import AccessControl

OPEN = AccessControl((), "127.0.0.1", clock=time.monotonic)
SECRET = "a-token-for-the-tests"


def in_a_loop(test):
    """Run a test that is a coroutine in an event loop of its own."""

    @functools.wraps(test)
    def run(*args, **options):
        asyncio.run(test(*args, **options))

    return run


async def until(true, seconds=60.0):
    """Let the event loop run until something is true."""
    for _ in range(int(seconds / 0.01)):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen in time")


def rgb(frame):
    """Return a raw frame's pixels."""
    width, height, pixels = frame.pixels()
    return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)


@contextlib.asynccontextmanager
async def seen(simulation, type=ImageType.RAW, workers=1):
    """Let a simulation's cameras be drawn, once somebody looks; yields views."""
    async with RenderPool(workers=workers, type=type) as pool:
        views = Views(pool)
        views.rebind(simulation.scene)
        yield views


@contextlib.asynccontextmanager
async def watched(simulation, workers=1):
    """Look at all cameras of a simulation from the start; yields views."""
    async with seen(simulation, workers=workers) as views:
        views.frames.watch(None)
        yield views


@contextlib.asynccontextmanager
async def remote_worker_port(pool, access=OPEN):
    """Open a port for workers on other machines; yields its number."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: pool.accept_remote(access), "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
