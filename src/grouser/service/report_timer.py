"""When a robot's state is to be reported next, in simulated time."""

from __future__ import annotations


class ReportTimer:
    """Says when a report is due, one every ``every`` simulated seconds from ``now`` on.

    If time goes back, because the world started over, a report is due at once.
    """

    def __init__(self, every: float, now: float = 0.0) -> None:
        self._every = every
        self._due = self._then = now

    def due(self, now: float) -> bool:
        """Return whether a report is due now; then none is, for a while."""
        if now < self._then:
            self._due = now
        self._then = now
        if now + 1e-9 < self._due:
            return False
        self._due = max(self._due + self._every, now + self._every / 2)
        return True
