"""Real-time pacing: keep simulated time at a factor of wall time, with a catch-up limit.

Both times are counted from one common origin, so that rounding of a single wait never accumulates.
A lag is caught up; only a lag above ``max_lag`` is dropped, and added to `RealTimePacer.lost`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

MAX_LAG = 5.0
"""Default catch-up limit: wall seconds that simulated time may lag before the lag is dropped."""


class RealTimePacer:
    """Pacing of one simulation.

    Args:
        factor: simulated time over wall time; infinity: as fast as possible.
        simulated: simulated time at the start, s.
        max_lag: catch-up limit, wall s. Infinity: catch up always; 0: never.
        clock: wall time, s.
        sleep: blocks for a number of wall seconds.
    """

    def __init__(
        self,
        factor: float,
        simulated: float = 0.0,
        *,
        max_lag: float = MAX_LAG,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._factor, self._max_lag = factor, max_lag
        self._clock, self._sleep = clock, sleep
        self.lost = 0.0
        """Wall seconds of lag that were dropped, because the machine is too slow."""
        self.restart(simulated)

    @property
    def factor(self) -> float:
        """Simulated time over wall time."""
        return self._factor

    def restart(self, simulated: float, factor: float | None = None) -> None:
        """Let ``simulated`` be due now, as after a pause or a change of ``factor``."""
        if factor is not None:
            self._factor = factor
        self._wall, self._simulated = self._clock(), simulated

    def wait(self, simulated: float) -> float:
        """Return the wall seconds until the step after ``simulated`` is due; negative: it is late.

        A lag above ``max_lag`` is dropped: the step is due now.
        """
        wait = self.drift(simulated)
        if wait < -self._max_lag:
            self.lost -= wait
            self.restart(simulated)
            return 0.0
        return wait

    def sleep(self, simulated: float) -> None:
        """Block until the step after ``simulated`` is due; return at once if it is late."""
        if (wait := self.wait(simulated)) > 0:
            self._sleep(wait)

    def due(self, simulated: float) -> float:
        """Return the simulated seconds that are due now, at most those of ``max_lag``; 0: none.

        A lag above ``max_lag`` is dropped except for ``max_lag`` itself. Without pacing, infinity.
        """
        if math.isinf(self._factor):
            return math.inf
        lag = -self.drift(simulated)
        if lag > self._max_lag:
            self.lost += lag - self._max_lag
            self._wall += lag - self._max_lag
            lag = self._max_lag
        return max(0.0, lag) * self._factor

    def drift(self, simulated: float) -> float:
        """Return how many wall seconds simulated time is ahead (+) or behind (-)."""
        if math.isinf(self._factor):
            return 0.0
        return self._wall + (simulated - self._simulated) / self._factor - self._clock()
