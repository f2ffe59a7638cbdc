"""Events of a session for the page: event log, injected faults and other actions, by time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from grouser.simulation.changes import actions
from grouser.simulation.changes.actions import Action
from grouser.simulation.observers import ActionRecord, Observer
from grouser.simulation.script.events import LogEntry
from grouser.simulation.simulation import Simulation

MOST_EVENTS = 500
"""Events that a client receives when it connects; older ones are dropped."""


@dataclass(frozen=True)
class SessionEvent:
    """Entry of the log, fault or other action."""

    at: float
    """Time of the session, s; unlike that of the world, a reset does not set it back."""
    time: float
    """Time of the world, s."""
    kind: str
    """``fault``, ``action``, or the kind of a `LogEntry`."""
    text: str

    def row(self) -> list[float | str]:
        """Return the event as it is sent."""
        return [round(self.at, 3), round(self.time, 3), self.kind, self.text]


def event_of(record: ActionRecord, at: float) -> SessionEvent | None:
    """Return the event of an action at a time of the session (s); None: the page does not list it.

    What the events of the world itself do is no fault.
    """
    described = _describe(record.action)
    if described is None:
        return None
    kind, text = described
    return SessionEvent(at, record.time, "action" if record.internal else kind, text)


def _describe(action: Action) -> tuple[str, str] | None:
    """Return kind and text of an action that the page lists."""
    match action:
        case actions.SetLinkFaults(robot, delay, jitter, loss):
            parts = [f"delay {delay:g} s"] if delay else []
            parts += [f"jitter {jitter:g} s"] if jitter else []
            parts += [f"loss {loss:.0%}"] if loss else []
            return "fault", f"link of {robot}: {', '.join(parts) or 'clear'}"
        case actions.SwitchMotors(robot, on, drives):
            which = f" ({', '.join(drives)})" if drives else ""
            return "fault", f"motors of {robot} {_switch(on)}{which}"
        case actions.SwitchLamp(lamp, on):
            return "fault", f"{lamp} {_switch(on)}"
        case actions.SetDaylight(value):
            return "fault", f"daylight {value:.0%}"
        case actions.SetDoor(door, share):
            return "action", f"{door} {share:.0%} open"
        case actions.Restart(name):
            return "action", f"{name} is restarted"
        case actions.Pause(on):
            return "action", "paused" if on else "resumed"
        case _:
            return None


def _switch(on: bool) -> str:
    return "on" if on else "off"


class EventHistory(Observer):
    """Events of a session since its start, passed on as they happen.

    Args:
        simulation: the running world.
        publish: called with every new event.
    """

    def __init__(self, simulation: Simulation, publish: Callable[[SessionEvent], None]) -> None:
        self._simulation, self._publish = simulation, publish
        self.events: deque[SessionEvent] = deque(maxlen=MOST_EVENTS)
        simulation.subscribe(self)

    def on_event(self, entry: LogEntry) -> None:
        """Add an entry of the event log."""
        text = str(entry).partition("  ")[2]
        self._add(SessionEvent(self._simulation.elapsed, entry.time, entry.kind, text))

    def on_action(self, record: ActionRecord) -> None:
        """Add a fault or another action that the page lists."""
        if (event := event_of(record, self._simulation.elapsed)) is not None:
            self._add(event)

    def _add(self, event: SessionEvent) -> None:
        self.events.append(event)
        self._publish(event)
