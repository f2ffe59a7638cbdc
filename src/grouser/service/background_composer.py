"""Background compile of scenes: a thread composes and compiles them while physics continues.

A scene with one robot more takes 20 to 100 ms to compile, ten to fifty ticks. Because of Python's
global interpreter lock, the thread would delay physics whenever MuJoCo has returned; so it works
while the physics thread sleeps (`IdleGap`). A request that needs a scene that is not compiled yet
raises `SceneNotReady`, has changed nothing, and is retried when the scene is ready.

One scene is compiled at a time, within a share of the server's time; addresses are served in turn.
A client that joins and leaves in a loop, over any number of connections, delays others by one of
its scenes at most.
For clients in lockstep, scenes are compiled synchronously, so that the same seed gives the same
bits.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from grouser.errors import GrouserError
from grouser.service.rate_limiter import RateLimiter
from grouser.simulation.changes.scene_builder import PreparedScene, SceneBuilder
from grouser.simulation.scene import RobotSpecCache, Scene, no_yield
from grouser.simulation.scene_state import SceneState
from grouser.world.file import World

SHARE = 0.25
"""Processor seconds per second for compiling."""
SWITCH_INTERVAL = 0.0001
"""Python's thread switch interval while a scene is compiled, s."""
MOST_TRIES = 4
"""Scenes compiled without use, because the world changed meanwhile, before one is compiled
synchronously."""
FREE_DELAY = 0.1
"""Wall seconds after which a replaced scene is freed, s: by then there is no other reference."""
LONGEST_WAIT = 0.004
"""Longest wait of the thread for an idle gap, wall s; on a machine without idle time, joins still
complete."""
SHORTEST_GAP = 0.0002
"""Shortest idle gap for which the thread is woken, wall s."""


_LOG = logging.getLogger(__name__)


Retry = Callable[[float], None]
"""Retries a request; called with the processor time (s) that was spent for it."""


class IdleGap:
    """Signal from the physics thread to the background thread while the former sleeps."""

    def __init__(self) -> None:
        self._idle = threading.Event()

    def begin(self, seconds: float) -> None:
        """Signal that the physics thread sleeps for ``seconds`` from now on."""
        if seconds >= SHORTEST_GAP:
            self._idle.set()

    def end(self) -> None:
        """Signal that the physics thread has woken."""
        self._idle.clear()

    def wait(self) -> None:
        """Wait for the next gap, at most `LONGEST_WAIT`; called by the background thread."""
        self._idle.wait(LONGEST_WAIT)


class _RetryQueue:
    """Waiting calls by address: round robin over the addresses, in order within each."""

    def __init__(self) -> None:
        self._queues: dict[str, deque[Retry]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def add(self, address: str, *calls: Retry) -> None:
        """Append calls of an address; an address without waiting calls comes last."""
        self._queues.setdefault(address, deque()).extend(calls)

    def pop(self) -> Retry:
        """Remove and return the next call."""
        address = next(iter(self._queues))
        queue = self._queues.pop(address)
        call = queue.popleft()
        if queue:
            self._queues[address] = queue
        return call

    def extend(self, others: _RetryQueue) -> None:
        """Append all calls of ``others``."""
        for address, queue in others._queues.items():
            self.add(address, *queue)


class SceneNotReady(Exception):
    """A scene is not compiled yet, and nothing was changed; to be retried."""


@dataclass(frozen=True)
class ComposerContext:
    """Event loop, clocks and conditions of a `BackgroundComposer`."""

    now: Callable[[], float]
    """Wall time, s."""
    call_later: Callable[[float, Callable[[], None]], object]
    """Schedules a call after a number of wall seconds."""
    call_from_thread: Callable[[Callable[[], None]], object]
    """Schedules a call in the event loop; thread-safe."""
    thread_time: Callable[[], float]
    """Processor time of the calling thread, s."""
    may_defer: Callable[[], bool]
    """Returns True if a scene may be compiled in the background: simulated time passes."""
    yield_control: Callable[[], None] = no_yield
    """Called by the thread between parts of its work; waits for an idle gap."""


@dataclass(frozen=True)
class _Failure:
    """Error of a world that cannot be composed."""

    before: Scene
    world: World
    error: GrouserError


class BackgroundComposer(SceneBuilder):
    """Scene builder with one background thread."""

    def __init__(self, context: ComposerContext) -> None:
        super().__init__()
        self._context = context
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="compose")
        # Starts the thread: without memory, Python would wait for ever for one that cannot start.
        self._thread.submit(no_yield)
        self._robot_cache = RobotSpecCache()
        self._limiter = RateLimiter(SHARE, context.now())
        self._waiting = _RetryQueue()
        self._first: Retry | None = None
        """Call for the request whose scene is being compiled; the others wait for it."""
        self._started = self._busy = self._paused = self._deferring = False
        self._failure: _Failure | None = None
        self._results: dict[Hashable, Any] = {}
        self._scene_results: dict[Hashable, Any] = {}
        self._tries = 0

    @contextmanager
    def deferring(self) -> Iterator[None]:
        """Return a context in which a scene that is not compiled may raise `SceneNotReady`."""
        before, self._deferring = self._deferring, self._context.may_defer()
        try:
            yield
        finally:
            self._deferring = before

    def prepare(
        self, before: Scene, world: World, prepare_sensors: Callable[[Scene], None]
    ) -> PreparedScene:
        """Return ``world`` ready to replace ``before``.

        Raises:
            SceneNotReady: it is not compiled yet; `call_when_ready` registers a retry.
            GrouserError: it cannot be composed.
        """
        failed = self._failure
        if failed and failed.before is before and failed.world == world:
            self._failure = None
            raise failed.error
        if (found := self._find(before, world)) is not None:
            return found
        if not self._deferring or self._tries >= MOST_TRIES:
            return super().prepare(before, world, prepare_sensors)
        self._submit(lambda: self._compose(before, world, prepare_sensors))
        raise SceneNotReady

    def compute(self, key: Hashable, make: Callable[[], Any], *, lasting: bool = True) -> Any:
        """Return the result of ``make``, a slow function; cached by ``key``.

        Args:
            key: cache key.
            make: function without arguments.
            lasting: keep the result when the scene is replaced.

        Raises:
            SceneNotReady: it is being computed; `call_when_ready` registers a retry.
            GrouserError: raised by ``make``.
        """
        known = self._results if lasting else self._scene_results
        if key not in known:
            if self._deferring and self._tries < MOST_TRIES:
                self._submit(lambda: known.__setitem__(key, _outcome(make)))
                raise SceneNotReady
            known[key] = _outcome(make)
        if isinstance(known[key], GrouserError):
            raise known.pop(key)
        return known[key]

    def forget(self, before: SceneState | None) -> None:
        """Drop prepared scenes and the replaced state ``before``: another scene runs now."""
        # Freeing a scene takes as long as a tick; the thread does it.
        garbage: list[object] = [before, *self._ready]
        super().forget(before)
        self._failure, self._tries = None, 0
        self._scene_results.clear()
        self._context.call_later(FREE_DELAY, lambda: self._free(garbage))

    def _free(self, garbage: list[object]) -> None:
        with suppress(RuntimeError):  # the thread has ended: freed here on return
            self._thread.submit(garbage.clear)

    def call_when_ready(self, retry: Retry, address: str = "") -> None:
        """Register a retry of the request that has just raised `SceneNotReady`.

        Args:
            retry: the call.
            address: of the client; empty: the server itself.
        """
        if self._started:
            self._first, self._started = retry, False
        else:
            self._waiting.add(address, retry)

    def close(self) -> None:
        """Wait for the scene that is being compiled; drop all retries."""
        self._waiting = _RetryQueue()
        self._first = None
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _compose(
        self, before: Scene, world: World, prepare_sensors: Callable[[Scene], None]
    ) -> None:
        """Prepare a scene, in the thread."""
        yield_control = self._context.yield_control
        try:
            self._keep(
                PreparedScene.prepare(
                    before, world, self._robot_cache, yield_control, prepare_sensors
                )
            )
            self._tries += 1
        except GrouserError as error:  # raised by the retry
            self._failure = _Failure(before, world, error)

    def _submit(self, work: Callable[[], None]) -> None:
        """Start ``work`` if the thread is free; the next `call_when_ready` is called first then."""
        self._started = not (self._busy or self._paused)
        if self._started:
            self._start(work)

    def _start(self, work: Callable[[], None]) -> None:
        """Start ``work`` in the thread; its results are not read before it has finished."""
        self._busy, context, usual = True, self._context, sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_INTERVAL)

        def job() -> None:
            begun = context.thread_time()
            try:
                work()
            except Exception:  # the retry works synchronously and raises it again
                self._tries = MOST_TRIES
                _LOG.exception("a scene could not be compiled in the background")
            finally:  # even if there is no memory for the log
                cost = context.thread_time() - begun
                context.call_from_thread(lambda: self._finish(cost, usual))

        self._thread.submit(job)

    def _finish(self, cost: float, usual: float) -> None:
        """Retry the request whose work has finished, then those that wait."""
        sys.setswitchinterval(usual)
        self._busy = False
        first, self._first = self._first, None
        wait = self._limiter.charge(self._context.now(), cost)
        if wait > 0:
            self._paused = True
            self._context.call_later(wait, self._resume)
        if first:
            others, self._waiting = self._waiting, _RetryQueue()
            first(cost)  # if it needs another scene, it stays before the others
            self._waiting.extend(others)
        self._call_next()

    def _resume(self) -> None:
        self._paused = False
        self._call_next()

    def _call_next(self) -> None:
        """Retry waiting requests, one after the other, until one needs another scene."""
        for _ in range(len(self._waiting)):
            if self._busy or self._paused or not self._waiting:
                return
            self._waiting.pop()(0.0)


def _outcome(make: Callable[[], Any]) -> Any:
    """Return the result of ``make``, or the `GrouserError` that it raises."""
    try:
        return make()
    except GrouserError as error:
        return error
