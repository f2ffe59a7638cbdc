"""Observers of a running world: readings, events, actions, changes of the scene, passing time.

An observer is any object with some of the methods of `Observer`. `Simulation.subscribe` calls them
in the thread that steps the simulation. An observer that takes long belongs behind a `Mailbox`,
which stores messages for another thread and drops the oldest ones when it is full.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from grouser.errors import BadValue, PolicyFailed
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
    """Steps since the start."""
    time: float
    """Simulated time, s."""
    action: Action
    source: str
    """Cause of the action: a client's address, ``console``, ``python``, the name of an event."""
    internal: bool
    """True if the simulation itself caused it: events, clocks and the referee cause it again when
    the run is repeated."""


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
    """All subscriptions of a simulation."""

    def __init__(self) -> None:
        self._all: list[Subscription] = []
        self._by_method: dict[str, tuple[Subscription, ...]] = dict.fromkeys(METHODS, ())

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

    def reading(self, robot: str, reading: Reading) -> None:
        """Pass on a reading."""
        for one in self._by_method["on_reading"]:
            if one.robot in (None, robot):
                one.call("on_reading", robot, reading)

    def event(self, entry: LogEntry) -> None:
        """Pass on an entry of the event log."""
        for one in self._by_method["on_event"]:
            if one.robot in (None, entry.by):
                one.call("on_event", entry)

    def action(self, record: ActionRecord) -> None:
        """Pass on an action."""
        subject = getattr(record.action, "robot", getattr(record.action, "name", None))
        for one in self._by_method["on_action"]:
            if one.robot in (None, subject):
                one.call("on_action", record)

    def scene(self, scene: Scene) -> None:
        """Pass on the present scene."""
        for one in self._by_method["on_scene"]:
            one.call("on_scene", scene)

    def step(self, step: int, time: float) -> None:
        """Pass on the time, to the observers that are due at ``step``."""
        for one in self._by_method["on_step"]:
            if one.clock and one.clock.due <= step:
                one.clock.tick()
                one.call("on_step", time)

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
        self.dropped = 0
        """Number of messages that were dropped because nothing took them out in time."""
        self._messages: deque[Message] = deque(maxlen=capacity)

    def __len__(self) -> int:
        return len(self._messages)

    def drain(self) -> list[Message]:
        """Remove and return all messages, oldest first; may be called from any thread."""
        taken = []
        while self._messages:
            taken.append(self._messages.popleft())
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
        if len(self._messages) == self._messages.maxlen:
            self.dropped += 1
        self._messages.append(message)


def replay(simulation: Simulation, records: Iterable[ActionRecord], *, until: float) -> Simulation:
    """Repeat a run: apply recorded actions to a new simulation at their steps; return it.

    Args:
        simulation: of the same world and seed, at its start.
        records: of `Observer.on_action`, in their order; those of the simulation itself are left
            out, since it causes them again.
        until: simulated time at the end, s.
    """
    for record in records:
        if not record.internal:
            simulation.step((record.step - simulation.steps) * simulation.scene.timestep)
            simulation.apply(record.action, source=record.source)
    end = round(until / simulation.scene.timestep)
    simulation.step((end - simulation.steps) * simulation.scene.timestep)
    return simulation
