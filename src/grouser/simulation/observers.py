"""Observers of a running world: readings, events, actions, changes of the scene, passing time.

An observer is any object with some of the methods of `Observer`. `Simulation.subscribe` calls them
in the thread that steps the simulation, between two actions: they may apply actions themselves. An
observer that takes long belongs behind a `Mailbox`, which stores messages for another thread and
drops the oldest ones when it is full.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

from grouser.errors import BadValue, GrouserError, PolicyFailed, SimulationDiverged
from grouser.sensors.sensor import Reading
from grouser.simulation.changes.actions import Action
from grouser.simulation.scene import Scene
from grouser.simulation.schedule import NEVER, Clock
from grouser.simulation.script.events import LogEntry

if TYPE_CHECKING:
    from grouser.simulation.simulation import Simulation

STEP_RATE_HZ = 50.0
"""Default rate of `Observer.on_step`, calls per simulated second."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class ActionRecord:
    """An action that was applied, with the information that a repetition of the run needs."""

    step: int
    """Steps since the start, before the action."""
    time: float
    """Simulated time, before the action, s."""
    action: Action
    source: str
    """Cause of the action: ``python``, ``console``, ``schedule``, the address of a client."""
    internal: bool
    """True if another action or the world itself caused it: schedule, triggers, events and the
    referee cause it again when the run is repeated."""
    passed: int
    """Steps since the simulation was created; unlike ``step`` it never goes back."""
    scheduled: int
    """Scheduled actions that were carried out before, since the simulation was created."""


class Observer:
    """Base class of observers; subclasses override the methods that they need."""

    def on_reading(self, robot: str, reading: Reading) -> None:
        """Receive a reading of a robot's sensor when it becomes available."""

    def on_event(self, entry: LogEntry) -> None:
        """Receive an entry of the event log."""

    def on_action(self, record: ActionRecord) -> None:
        """Receive an action after it was applied."""

    def on_scene(self, scene: Scene) -> None:
        """Receive the scene after it was replaced, reset or restored."""

    def on_step(self, time: float) -> None:
        """Receive the simulated time (s), at the rate given to `Simulation.subscribe`."""


class ClosableObserver(Observer):
    """Observer with an end; a context manager that closes it."""

    def close(self) -> None:
        """End the observation; later calls do nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


METHODS = ("on_reading", "on_event", "on_action", "on_scene", "on_step")
"""Names of the methods of observers."""


class Subscription:
    """One observer of a simulation; a context manager that ends the subscription.

    An exception in the observer ends the subscription and is stored in ``error``; the simulation
    continues, except after `PolicyFailed`, which `Simulation.step` raises.
    """

    def __init__(
        self,
        observer: object,
        robot: str | None,
        rate_hz: float,
        end: Callable[[Subscription], None],
    ) -> None:
        methods = {
            name: getattr(observer, name)
            for name in METHODS
            if callable(getattr(observer, name, None))
            and getattr(type(observer), name, None) is not getattr(Observer, name)
        }
        if not methods:
            raise BadValue(
                f"subscribe: {type(observer).__name__} has no method of an observer "
                f"({', '.join(METHODS)})"
            )
        if not rate_hz > 0:
            raise BadValue(f"subscribe: rate_hz is {rate_hz}, must be above 0")
        self.observer, self.robot, self.rate_hz = observer, robot, rate_hz
        self.error: Exception | None = None
        """Exception that ended the subscription."""
        self._methods, self._end = methods, end
        self.clock: Clock | None = None
        """Clock of `Observer.on_step`; None: the observer has no such method."""

    def takes(self, method: str) -> bool:
        """Return True if the observer has this method."""
        return method in self._methods

    def start_clock(self, timestep: float, step: int) -> None:
        """Start the clock of `Observer.on_step` after ``step``."""
        if self.takes("on_step"):
            self.clock = Clock(self.rate_hz, timestep)
            self.clock.start(step + 1)

    def call(self, method: str, *arguments: object) -> None:
        """Call a method of the observer; an exception ends the subscription."""
        try:
            self._methods[method](*arguments)
        except PolicyFailed as error:  # a robot without its controller must not go unnoticed
            self.error = error
            self.close()
            raise
        except Exception as error:  # an observer must not stop the simulation
            self.error = error
            _LOG.exception("observer %s failed and is removed", type(self.observer).__name__)
            self.close()

    def close(self) -> None:
        """End the subscription."""
        self._end(self)

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Observers:
    """All subscriptions of a simulation, and the messages that they have not received yet."""

    def __init__(self) -> None:
        self._all: list[Subscription] = []
        self._by_method: dict[str, tuple[Subscription, ...]] = dict.fromkeys(METHODS, ())
        self._queue: deque[tuple[str, str | None, tuple[object, ...]]] = deque()
        """Method, name of the robot or object, arguments."""
        self._depth = 0
        self._delivering = False
        self.actions = 0
        """Number of actions that were begun, whether or not anything observes them."""

    def add(self, observer: object, robot: str | None, rate_hz: float) -> Subscription:
        """Add an observer."""
        subscription = Subscription(observer, robot, rate_hz, self._remove)
        self._all.append(subscription)
        self._sort()
        return subscription

    def start_clocks(self, timestep: float, step: int) -> None:
        """Start all clocks after ``step``, at the beginning and after a reset."""
        for subscription in self._all:
            subscription.start_clock(timestep, step)

    @property
    def due(self) -> int:
        """The step of the next call of `Observer.on_step`."""
        clocks = (one.clock for one in self._by_method["on_step"])
        return min((clock.due for clock in clocks if clock), default=NEVER)

    def want(self, method: str) -> bool:
        """Return True if any observer has this method."""
        return bool(self._by_method[method])

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Return a context in which messages wait for its end."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            self._deliver()

    @contextmanager
    def record(self, simulation: Simulation, source: str, *actions: Action) -> Iterator[None]:
        """Return a context for carrying out ``actions``; pass them on unless it raises."""
        self.actions += len(actions)
        records: list[ActionRecord] = []
        if self.want("on_action"):
            records = [
                ActionRecord(
                    step=simulation.steps,
                    time=simulation.time,
                    action=action,
                    source=source,
                    internal=self._depth > 0,
                    passed=simulation.passed,
                    scheduled=simulation.scheduled,
                )
                for action in actions
            ]
        with self.hold():
            yield
        for record in records:
            subject = getattr(record.action, "robot", getattr(record.action, "name", ""))
            self._put("on_action", subject, record)

    def reading(self, robot: str, reading: Reading) -> None:
        """Pass on a reading."""
        self._put("on_reading", robot, robot, reading)

    def event(self, entry: LogEntry) -> None:
        """Pass on an entry of the event log."""
        self._put("on_event", entry.by, entry)

    def scene(self, scene: Scene) -> None:
        """Pass on the present scene."""
        self._put("on_scene", None, scene)

    def step(self, step: int, time: float) -> None:
        """Pass on the time, to the observers that are due at ``step``."""
        for one in self._by_method["on_step"]:
            if one.clock and one.clock.due <= step:
                one.clock.tick()
                one.call("on_step", time)

    def _put(self, method: str, subject: str | None, *arguments: object) -> None:
        """Queue a message about ``subject``; None: about the whole world, for all observers."""
        if self._by_method[method]:
            self._queue.append((method, subject, arguments))
            self._deliver()

    def _deliver(self) -> None:
        """Call the observers; within an action or another call, messages wait for its end."""
        if self._depth or self._delivering:
            return
        self._delivering = True
        try:
            while self._queue:
                method, subject, arguments = self._queue.popleft()
                for one in self._by_method[method]:
                    if subject is None or one.robot in (None, subject):
                        one.call(method, *arguments)
        finally:
            self._delivering = False

    def _remove(self, subscription: Subscription) -> None:
        if subscription in self._all:
            self._all.remove(subscription)
            self._sort()

    def _sort(self) -> None:
        self._by_method = {
            method: tuple(one for one in self._all if one.takes(method)) for method in METHODS
        }


MessageKind = Literal["reading", "event", "action", "scene", "step"]


@dataclass(frozen=True)
class Message:
    """Message in a `Mailbox`."""

    kind: MessageKind
    content: Any
    """Reading, `LogEntry`, `ActionRecord`, scene, or time (s)."""
    robot: str = ""
    """Robot of a reading."""


class Mailbox(Observer):
    """Observer that stores messages for another thread; drops the oldest when it is full.

    Args:
        capacity: most stored messages.
    """

    def __init__(self, capacity: int = 10_000) -> None:
        self._messages: deque[Message] = deque(maxlen=capacity)
        self._put_in = self._taken_out = 0
        """Each is written by one thread only."""

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def dropped(self) -> int:
        """Number of messages that were dropped because nothing took them out in time."""
        return self._put_in - self._taken_out - len(self)

    def drain(self) -> list[Message]:
        """Remove and return all messages, oldest first; may be called from any thread."""
        taken = []
        while self._messages:
            taken.append(self._messages.popleft())
        self._taken_out += len(taken)
        return taken

    def on_reading(self, robot: str, reading: Reading) -> None:
        """Store a reading."""
        self._put(Message("reading", reading, robot))

    def on_event(self, entry: LogEntry) -> None:
        """Store an entry of the event log."""
        self._put(Message("event", entry))

    def on_action(self, record: ActionRecord) -> None:
        """Store an action."""
        self._put(Message("action", record))

    def on_scene(self, scene: Scene) -> None:
        """Store a change of the scene."""
        self._put(Message("scene", scene))

    def on_step(self, time: float) -> None:
        """Store the time."""
        self._put(Message("step", time))

    def _put(self, message: Message) -> None:
        self._messages.append(message)
        self._put_in += 1


def replay(simulation: Simulation, records: Iterable[ActionRecord], *, until: float) -> Simulation:
    """Repeat a run: apply recorded actions to a new simulation at their steps; return it.

    Args:
        simulation: of the same world and seed, at its start; or one that was forked there.
        records: of `Observer.on_action`, in their order, from there on; the simulation causes the
            internal ones again.
        until: `Simulation.elapsed` at the end, s.
    """
    for record in records:
        if not record.internal:
            _step_to(simulation, record.passed)
            simulation.carry_out_due(record.scheduled)
            simulation.apply(record.action, source=record.source)
    _step_to(simulation, round(until / simulation.scene.timestep))
    return simulation


def _step_to(simulation: Simulation, passed: int) -> None:
    """Step until ``passed`` steps have passed; a scheduled action that failed, fails again."""
    while (missing := passed - simulation.passed) > 0:
        try:
            simulation.step(missing * simulation.scene.timestep)
        except SimulationDiverged:
            raise
        except GrouserError as error:
            _LOG.warning("replay: %s", error)
