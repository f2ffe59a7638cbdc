"""Events: console lines and Python calls, fired by triggers, time, chance or other events.

"Events can be chained, scheduled, dispatched to many objects or randomly generated"; they "can
activate users own script routines" (Zaratti et al. 2006, section 4). Here an event is a name and
console lines. It is fired by a trigger, another event, the clock, chance, the console or Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import Field, Strict, model_validator

from grouser.description import Description, mistake
from grouser.errors import nearest
from grouser.world.field_types import Name
from grouser.world.triggers import Lines, Names, Trigger

Time = Annotated[float, Field(ge=0, le=1_000_000)]
"""A time, s; at least 0."""
Period = Annotated[float, Field(ge=0.001, le=1_000_000)]
"""A period, s; at least 0.001."""
Chance = Annotated[float, Field(gt=0, le=1)]
"""A probability; above 0, at most 1."""


EACH = "{each}"
"""Placeholder in an event's lines, replaced by each name in `Event.each`."""

_ROUTINE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class Choice(Description):
    """One alternative of a random choice of events."""

    fire: str
    """Name of the event to fire."""
    chance: Chance
    """Probability of this alternative; the rest to 1 is the probability that none is fired."""


class Event(Description):
    """Console lines, a Python call and further events, processed when the event is fired."""

    name: Name
    """Unique among events."""
    do: Lines = ()
    """Console lines, executed in this order; ``{who}`` is replaced by the name of the robot or
    object that fired the event, ``{each}`` by each name in `each`."""
    each: Names = ()
    """Robots and objects for which lines with ``{each}`` are repeated: names, patterns (``red*``),
    or robots, objects or any for all that exist at that time."""
    call: str | None = None
    """User-defined Python function, ``module:function``, called with the simulation and the
    event."""
    after: Time = 0.0
    """Delay between firing and execution, s; at least 0."""
    at: Period | None = None
    """Simulated time at which the event is fired, s; above 0."""
    every: Period | None = None
    """Period of repeated firing, s; first at `at`, or after one period."""
    between: Annotated[tuple[Period, Period], Strict(False)] | None = None
    """Shortest and longest interval between firings at random times, s."""
    chance: Chance = 1.0
    """Probability that the event is executed when it is fired."""
    one_of: Annotated[tuple[Choice, ...], Strict(False)] = ()
    """Alternatives of which one is fired at random."""
    then: Names = ()
    """Events fired after this one was executed, in this order."""
    times: Annotated[int, Field(ge=1)] | None = None
    """Largest number of executions in a run; None: unlimited."""

    @model_validator(mode="after")
    def _agrees(self) -> Event:
        if self.every is not None and self.between is not None:
            raise mistake("must not be given beside 'every'", "between")
        if self.between is not None and self.between[0] > self.between[1]:
            raise mistake("must be the shorter time and then the longer one", "between")
        if sum(choice.chance for choice in self.one_of) > 1 + 1e-9:
            raise mistake("must have chances that add up to no more than 1", "one_of")
        if not (self.do or self.call or self.one_of or self.then):
            raise mistake("must not be empty unless call, one_of or then is given", "do")
        if self.call is not None and not _ROUTINE.fullmatch(self.call):
            raise mistake("must be MODULE:FUNCTION, such as my_game:goal", "call")
        for i, line in enumerate(self.do):
            if EACH in line and not self.each:
                raise mistake(f"must not contain {EACH} without a key 'each'", "do", i)
        return self

    def fired_events(self) -> Iterator[tuple[str, tuple[str | int, ...]]]:
        """Yield the name of every event that this one fires, and the path of that key."""
        yield from ((name, ("then", i)) for i, name in enumerate(self.then))
        yield from ((choice.fire, ("one_of", i, "fire")) for i, choice in enumerate(self.one_of))


def check_events(triggers: Sequence[Trigger], events: Sequence[Event]) -> None:
    """Reject duplicate names, undefined events, and chains that never end."""
    for group, names in (
        ("triggers", [trigger.name for trigger in triggers]),
        ("events", [event.name for event in events]),
    ):
        for i, name in enumerate(names):
            if name in names[:i]:
                raise mistake(f"must be unique among {group}", group, i, "name")
    known = {event.name: event for event in events}
    for i, trigger in enumerate(triggers):
        for j, name in enumerate(trigger.fires):
            _must_exist(name, known, "triggers", i, "fires", j)
    for i, event in enumerate(events):
        for name, path in event.fired_events():
            _must_exist(name, known, "events", i, *path)
    for i, event in enumerate(events):
        if event.after == 0 and _is_instant_loop(event, known):
            raise mistake(
                "which fires itself again without a delay; give one event of the chain an 'after'",
                *("events", i, "name"),
            )


def _must_exist(name: str, known: Mapping[str, Event], *path: str | int) -> None:
    if name not in known:
        listing = ", ".join(sorted(known)) or "none, there are no events"
        raise mistake(f"allowed: {listing}{nearest(name, known)}", *path)


def _is_instant_loop(first: Event, known: Mapping[str, Event]) -> bool:
    """Return whether ``first`` fires itself without a delay."""
    waiting, seen = [first], set[str]()
    while waiting:
        for name in _fired_at_once(waiting.pop()):
            if name == first.name:
                return True
            if name in known and name not in seen and known[name].after == 0:
                seen.add(name)
                waiting.append(known[name])
    return False


def _fired_at_once(event: Event) -> Iterator[str]:
    """Yield every event that this one fires when executed, by its keys or in a console line."""
    yield from (name for name, _ in event.fired_events())
    for line in event.do:
        verb, _, name = line.strip().partition(" ")
        if verb == "fire":
            yield name.strip()
