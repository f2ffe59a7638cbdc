"""The pace: when the next beat of physics is due on the wall clock. Pure: it is told the time.

Simulated time follows wall time times a factor from one common origin, so that no rounding of any
wait ever adds up. After a halt (a world composed anew) it catches up; only a machine that cannot
keep up at all gives up time, and says how much.
"""

from __future__ import annotations

import math

LATEST = 5.0
"""Wall seconds that simulated time may lag before the lag is given up."""


class Pace:
    """Keeps simulated time at ``factor`` times wall time; infinity: as fast as possible."""

    def __init__(self, factor: float, *, wall: float, simulated: float) -> None:
        """Start at the wall time ``wall`` and the simulated time ``simulated`` (s)."""
        self.factor = factor
        self.lost = 0.0
        """Wall seconds that were given up, because the machine is too slow."""
        self.restart(wall, simulated)

    def restart(self, wall: float, simulated: float) -> None:
        """Let ``simulated`` be due at ``wall``, as after a pause."""
        self._wall, self._simulated = wall, simulated

    def wait(self, wall: float, simulated: float) -> float:
        """Return the wall seconds until what follows ``simulated`` is due; negative: it is late."""
        if math.isinf(self.factor):
            return 0.0
        wait = self._due(simulated) - wall
        if wait < -LATEST:
            self.lost -= wait
            self.restart(wall, simulated)
            return 0.0
        return wait

    def drift(self, wall: float, simulated: float) -> float:
        """Return how many wall seconds simulated time is ahead (+) or behind (-)."""
        return 0.0 if math.isinf(self.factor) else self._due(simulated) - wall

    def _due(self, simulated: float) -> float:
        return self._wall + (simulated - self._simulated) / self.factor
