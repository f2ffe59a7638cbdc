"""Offline render pool: worker processes that draw every frame of a video, in order.

Frames are drawn while the simulation continues. The processes are those of the live server
(`WorkerPool`) and draw the same bytes as this process would. No frame is dropped: a new frame waits
while the window of every process is full.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Self

import mujoco

from grouser.errors import BadValue, GrouserError
from grouser.protocol.images import ImageType
from grouser.protocol.rendering import Failed, Looks, NewWorld
from grouser.render_workers.render_codec import encode_appearance, encode_frame, encode_world
from grouser.render_workers.worker_pool import Answer, RenderJob, WorkerPool
from grouser.rendering.render_state import RenderState
from grouser.rendering.viewpoint import Viewpoint
from grouser.simulation.simulation import Simulation

WINDOW = 3
"""Outstanding frames per process: one is drawn, one is in its socket, one is on its way back."""


class OfflineRenderPool:
    """Worker processes for the frames of a video; use it in a ``with`` block.

    A background thread runs the event loop of the pool, so that workers never wait for the caller
    to read their results.

    Args:
        width: width of a frame, pixels.
        height: height of a frame, pixels.
        quality: rendering quality by name (`QUALITIES`).
        coded: return VP8 key frames; else pixels: red, green, blue, top row first.
        workers: number of processes, at least 1.
    """

    def __init__(self, width: int, height: int, *, quality: str, coded: bool, workers: int) -> None:
        if workers < 1:
            raise BadValue(f"offline render pool: workers is {workers}, must be at least 1")
        self._size, self._quality, self._coded = (width, height), quality, coded
        self._pool = WorkerPool(workers, window=WINDOW, timeout=math.inf, restart=False)
        self._window = WINDOW * workers
        self._pending: deque[Future[Answer]] = deque()
        self._submitted = 0
        self._model: mujoco.MjModel | None = None
        self._appearance: Looks | None = None

    @staticmethod
    def is_supported() -> bool:
        """Return True if this system can pass an open socket to a process."""
        return os.name == "posix"

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        try:
            self._run(self._pool.open())
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._run(self._pool.close(timeout=0.0))
        finally:
            self._stop()

    def submit(self, simulation: Simulation, view: Viewpoint) -> list[bytes]:
        """Submit a frame of the present state; return finished frames, in order.

        Waits for the oldest frame if the window of all processes is full.
        """
        self._update_world(simulation)
        state = RenderState.of(simulation.model, simulation.data)
        order = encode_frame(
            state, view, self._submitted, size=self._size, quality=self._quality, coded=self._coded
        )
        result: Future[Answer] = Future()
        self._call(self._pool.submit, RenderJob(result, order, result.set_result), self._submitted)
        self._pending.append(result)
        self._submitted += 1
        finished = [self._next()] if len(self._pending) >= self._window else []
        while self._pending and self._pending[0].done():
            finished.append(self._next())
        return finished

    def finish(self) -> list[bytes]:
        """Wait for all pending frames and return them, in order."""
        return [self._next() for _ in range(len(self._pending))]

    def _next(self) -> bytes:
        """Wait for the oldest pending frame and return it."""
        answer = self._pending.popleft().result()
        if answer is None:
            raise GrouserError("a render worker exited before the video was complete")
        if isinstance(answer, Failed):
            raise GrouserError(f"a video frame could not be drawn: {answer.reason}")
        return answer.body

    def _update_world(self, simulation: Simulation) -> None:
        """Send the world if robots or objects have joined or left, and a changed appearance.

        Orders follow on the same sockets and are never queued behind them, since the window of the
        pool is not exceeded: each frame is drawn with the world of its time.
        """
        model = simulation.model
        appearance = encode_appearance(model)
        if self._model is not model:
            world = NewWorld([], [], int(ImageType.RAW), [], encode_world(simulation.world))
            self._call(self._pool.load_world, world)
            self._appearance = None
        if self._appearance != appearance:
            self._call(self._pool.update_appearance, appearance)
        self._model, self._appearance = model, appearance

    # -- event loop --------------------------------------------------------------------------

    def _call(self, function: Callable[..., None], *args: Any) -> None:
        """Call a function in the thread of the event loop; calls keep their order."""
        self._loop.call_soon_threadsafe(function, *args)

    def _run(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the event loop and wait for it."""
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
