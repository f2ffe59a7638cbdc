"""Worlds made ready aside: a thread composes and compiles them while physics goes on.

A world with one robot more takes 20 to 100 ms to compose, ten to fifty ticks. Python lets one
thread run at a time, and one that composes would hold up physics whenever that has let MuJoCo
compute; so it works while physics naps (`IdleGap`). Whoever needs a world that is not ready yet is
told so (`SceneNotReady`), has changed nothing, and tries again when called.

One world is made at a time, and no more of them in a second than their share of the server's time
allows; addresses take turns. Whoever comes and goes in a loop, over however many connections, makes
others wait for one world of theirs, and for nothing else.
Where a client is waited for (lockstep), worlds are composed on the spot, so that the same seed
gives the same bits.
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
"""Seconds per second that composing may take."""
SWITCH = 0.0001
"""Wall seconds after which Python lets physics go on while a world is composed, s."""
MOST_TRIES = 4
"""Worlds composed in vain, because something changed meanwhile, before one is made on the spot."""
LET_GO = 0.1
"""Wall seconds after which a world that ran before is freed, s: by then nobody else holds it."""


LONGEST_WAIT = 0.004
"""Wall seconds after which the thread works on though physics does not nap, s: where that takes all
the time there is, somebody who joins still comes."""
SHORTEST_NAP = 0.0002
"""Wall seconds of a nap that are worth waking the thread, s."""


_LOG = logging.getLogger(__name__)


Retry = Callable[[float], None]
"""Tries again; called with the processor time (s) that was spent for it."""


class IdleGap:
    """Says to one thread when another one naps."""

    def __init__(self) -> None:
        self._quiet = threading.Event()

    def begin(self, seconds: float) -> None:
        """Nothing is done from now on, for so long (s)."""
        if seconds >= SHORTEST_NAP:
            self._quiet.set()

    def end(self) -> None:
        """Something is done again."""
        self._quiet.clear()

    def wait(self) -> None:
        """Wait for it, as the other thread; not for ever."""
        self._quiet.wait(LONGEST_WAIT)


class _Turns:
    """Who waits, by address: the addresses take turns, each one's calls keep their order."""

    def __init__(self) -> None:
        self._queues: dict[str, deque[Retry]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def add(self, address: str, *calls: Retry) -> None:
        """Put calls last of their address; one that had none waiting comes last of all."""
        self._queues.setdefault(address, deque()).extend(calls)

    def pop(self) -> Retry:
        """Return and forget the next call."""
        address = next(iter(self._queues))
        queue = self._queues.pop(address)
        call = queue.popleft()
        if queue:
            self._queues[address] = queue
        return call

    def put_behind(self, others: _Turns) -> None:
        """Put all of ``others`` last."""
        for address, queue in others._queues.items():
            self.add(address, *queue)


class SceneNotReady(Exception):
    """A world is not ready yet, and nothing was changed: try again when called."""


@dataclass(frozen=True)
class ComposerContext:
    """What an `BackgroundComposer` needs of whoever has an event loop and clocks."""

    now: Callable[[], float]
    """Wall time, s."""
    call_later: Callable[[float, Callable[[], None]], object]
    """Calls something after so many wall seconds."""
    call_from_thread: Callable[[Callable[[], None]], object]
    """The same at once, and from any thread."""
    thread_time: Callable[[], float]
    """Processor time of the thread that asks, s."""
    may_wait: Callable[[], bool]
    """Says whether a world may be made aside now: time passes, and waits for nobody."""
    yield_control: Callable[[], None] = no_yield
    """Called by the thread at every step of its work: waits until that disturbs nobody."""


@dataclass(frozen=True)
class _Failure:
    """A world that cannot be composed."""

    before: Scene
    world: World
    error: GrouserError


class BackgroundComposer(SceneBuilder):
    """Makes worlds ready in a thread of its own, one after the other."""

    def __init__(self, surroundings: ComposerContext) -> None:
        """Start with nothing to do."""
        super().__init__()
        self._around = surroundings
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="compose")
        self._shelf = RobotSpecCache()
        self._limiter = RateLimiter(SHARE, surroundings.now())
        self._waiting = _Turns()
        self._first: Retry | None = None
        """Called with the world that is being made; all others wait until that one has it."""
        self._asked = self._busy = self._resting = self._patient = False
        self._failure: _Failure | None = None
        self._known: dict[Hashable, Any] = {}
        self._passing: dict[Hashable, Any] = {}
        self._tries = 0

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Within, a world that is not ready may raise `SceneNotReady`."""
        before, self._patient = self._patient, self._around.may_wait()
        try:
            yield
        finally:
            self._patient = before

    def prepare(
        self, before: Scene, world: World, prepare_sensors: Callable[[Scene], None]
    ) -> PreparedScene:
        """Return ``world`` ready to take over from ``before``.

        Raises:
            SceneNotReady: it is not ready; `call_when_ready` says when to try again.
            GrouserError: it cannot be composed.
        """
        failed = self._failure
        if failed and failed.before is before and failed.world == world:
            self._failure = None
            raise failed.error
        if (found := self._find(before, world)) is not None:
            return found
        if not self._patient or self._tries >= MOST_TRIES:
            return super().prepare(before, world, prepare_sensors)
        self._ask(lambda: self._compose(before, world, prepare_sensors))
        raise SceneNotReady

    def compute(self, key: Hashable, make: Callable[[], Any], *, lasting: bool = True) -> Any:
        """Return what ``make`` returns, which takes long; under the same ``key``, what it did.

        Args:
            key: what it is about.
            make: works it out.
            lasting: whether it is still true when another world runs.

        Raises:
            SceneNotReady: it is not known yet; `call_when_ready` says when to try again.
            GrouserError: ``make`` has raised it.
        """
        known = self._known if lasting else self._passing
        if key not in known:
            if self._patient and self._tries < MOST_TRIES:
                self._ask(lambda: known.__setitem__(key, _outcome(make)))
                raise SceneNotReady
            known[key] = _outcome(make)
        if isinstance(known[key], GrouserError):
            raise known.pop(key)
        return known[key]

    def forget(self, before: SceneState | None) -> None:
        """Let go of what is ready, and of what ran before: another world runs now.

        To free a world takes as long as a tick: the thread does, when nobody else holds it.
        """
        attic: list[object] = [before, *self._ready]
        super().forget(before)
        self._failure, self._tries = None, 0
        self._passing.clear()
        self._around.call_later(LET_GO, lambda: self._free(attic))

    def _free(self, attic: list[object]) -> None:
        with suppress(RuntimeError):  # it makes no more worlds: then it is done here
            self._thread.submit(attic.clear)

    def call_when_ready(self, again: Retry, address: str = "") -> None:
        """Call ``again`` when what raised `SceneNotReady` just now may be tried again.

        Args:
            again: tries again.
            address: of whoever asks; empty: the server itself does.
        """
        if self._asked:
            self._first, self._asked = again, False
        else:
            self._waiting.add(address, again)

    def close(self) -> None:
        """Wait for the world that is being made, and make no more."""
        self._waiting = _Turns()
        self._first = None
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _compose(
        self, before: Scene, world: World, prepare_sensors: Callable[[Scene], None]
    ) -> None:
        """Make a world ready, in the thread."""
        yield_control = self._around.yield_control
        try:
            self._keep(
                PreparedScene.prepare(before, world, self._shelf, yield_control, prepare_sensors)
            )
            self._tries += 1
        except GrouserError as error:  # whoever asked is told, as if it had been done at once
            self._failure = _Failure(before, world, error)

    def _ask(self, work: Callable[[], None]) -> None:
        """Let the thread work if it has nothing else to do; whoever asked is called first then."""
        self._asked = not (self._busy or self._resting)
        if self._asked:
            self._start(work)

    def _start(self, work: Callable[[], None]) -> None:
        """Let the thread work; until it has finished, nobody else touches what it makes."""
        self._busy, around, usual = True, self._around, sys.getswitchinterval()
        sys.setswitchinterval(SWITCH)

        def job() -> None:
            begun = around.thread_time()
            try:
                work()
            except Exception:  # then whoever asked for it tries again on the spot, and is told
                _LOG.exception("a world could not be composed aside")
                self._tries = MOST_TRIES
            cost = around.thread_time() - begun
            around.call_from_thread(lambda: self._finish(cost, usual))

        self._thread.submit(job)

    def _finish(self, cost: float, usual: float) -> None:
        """Call whoever asked for what was made, then let the next one ask."""
        sys.setswitchinterval(usual)
        self._busy = False
        first, self._first = self._first, None
        wait = self._limiter.charge(self._around.now(), cost)
        if wait > 0:
            self._resting = True
            self._around.call_later(wait, self._rested)
        if first:
            others, self._waiting = self._waiting, _Turns()
            first(cost)  # if it needs another world still, it comes before the others
            self._waiting.put_behind(others)
        self._call_next()

    def _rested(self) -> None:
        self._resting = False
        self._call_next()

    def _call_next(self) -> None:
        """Let those who wait try again, one after the other, until one needs another world."""
        for _ in range(len(self._waiting)):
            if self._busy or self._resting or not self._waiting:
                return
            self._waiting.pop()(0.0)


def _outcome(make: Callable[[], Any]) -> Any:
    """Return what ``make`` returns, or the error that says why it does not."""
    try:
        return make()
    except GrouserError as error:
        return error
