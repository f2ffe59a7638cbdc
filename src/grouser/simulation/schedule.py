"""Schedules: rates in whole steps, a queue of timed items, and one random generator per name.

Rates need not divide the time step: the k-th reading is due at the first step at or after k/rate,
so there is no drift.
"""

from __future__ import annotations

import hashlib
import heapq
import math
from collections.abc import Iterable
from itertools import count, takewhile
from typing import Generic, TypeVar

import numpy as np

from grouser.errors import BadValue

Item = TypeVar("Item")

NEVER = 2**62
"""A step that no run reaches."""
STEP_TOLERANCE = 1e-6
"""Relative rounding error of a duration up to which it is a whole number of steps."""


def whole_steps(seconds: object, timestep: float) -> int:
    """Return a duration in steps of ``timestep`` (s).

    Raises:
        BadValue: ``seconds`` is no number, is negative, or is not a whole number of steps.
    """
    duration = as_number(seconds, "step: seconds")
    if not (math.isfinite(duration) and duration >= 0):
        raise BadValue(f"step: {duration} s, a time of at least 0 is needed")
    steps = round(duration / timestep)
    if abs(duration / timestep - steps) > STEP_TOLERANCE * max(1.0, duration / timestep):
        raise BadValue(
            f"step: {duration:g} s is not a whole number of time steps of {timestep:g} s; "
            f"the nearest is {steps * timestep:g} s"
        )
    return steps


def as_number(value: object, what: str) -> float:
    """Return ``value`` if it is a number; raise `BadValue` with its name ``what`` otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise BadValue(f"{what} is {value!r}, a number is needed")
    return float(value)


def whole_number(value: object, what: str) -> int:
    """Return ``value`` if it is a whole number of at least 0; raise `BadValue` otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise BadValue(f"{what} is {value!r}, must be a whole number of at least 0")
    return int(value)


def check_seed(value: object) -> int:
    """Return ``value`` if it is a seed; raise `BadValue` otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 <= value < 2**63:
        raise BadValue(f"seed is {value!r}, must be a whole number from 0 to 2^63 - 1")
    return int(value)


class Clock:
    """Steps at which a periodic task is due."""

    def __init__(self, rate_hz: float, timestep: float, since: int = 0) -> None:
        """Tick at step ``since``, then ``rate_hz`` times per simulated second or every step."""
        self._steps = max(1.0, 1.0 / (rate_hz * timestep))
        # Most periods are whole numbers of steps up to rounding errors.
        self._whole = round(self._steps) if abs(self._steps - round(self._steps)) < 1e-9 else 0
        self._since = since
        self.start(since)

    def tick(self) -> None:
        """Advance to the next tick."""
        self._count += 1
        self.due = self._step(self._count)

    def coming(self, end: int) -> Iterable[int]:
        """Return the steps before ``end`` at which ticks are due, from the next one on."""
        if self._whole:
            return range(self.due, end, self._whole)
        return takewhile(lambda due: due < end, map(self._step, count(self._count)))

    def start(self, step: int) -> None:
        """Make the first tick at or after ``step`` the next one."""
        self._count = math.ceil(round((step - self._since) / self._steps, 6)) - 1
        self.due = 0
        """The step at which the next tick is due."""
        self.tick()

    def _step(self, number: int) -> int:
        """Return the step of the tick ``number``."""
        if self._whole:
            return self._since + number * self._whole
        # Rounded before the ceiling: a rounding error must not delay a reading by a step.
        return self._since + math.ceil(round(number * self._steps, 6))


class Agenda(Generic[Item]):
    """Priority queue of timed items; items of equal time keep their order of insertion."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Item]] = []
        self._count = 0

    def add(self, time: float, item: Item) -> None:
        """Add ``item`` at ``time`` (s)."""
        heapq.heappush(self._heap, (time, self._count, item))
        self._count += 1

    def pop_due(self, time: float) -> Item | None:
        """Remove and return the first item due by ``time`` (s); None: none is due."""
        if self._heap and self._heap[0][0] <= time + 1e-9:
            return heapq.heappop(self._heap)[2]
        return None

    def due(self, timestep: float) -> int:
        """Return the step at which the next item is due."""
        return round(self._heap[0][0] / timestep) if self._heap else NEVER


def generator(seed: int, name: str) -> np.random.Generator:
    """Return the random generator of ``name``: independent of all other names."""
    digest = hashlib.sha256(name.encode()).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest, np.uint32).tolist()])
