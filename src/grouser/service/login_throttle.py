"""Wrong tokens, counted per address: whoever guesses is not listened to for a while."""

from __future__ import annotations

from collections import OrderedDict

FREE = 3
"""Wrong tokens that cost no time: people mistype."""
FIRST = 1.0
"""Seconds that the next one costs; each further one costs twice as much …"""
LONGEST = 900.0
"""… up to this, s."""
FORGOTTEN = 3600.0
"""Seconds without a wrong token after which earlier ones are forgotten; a right one forgives none,
or whoever has one could guess at others' between two uses of it."""
REMEMBERED = 4096
"""Addresses that are remembered; beyond that, the one that has been quiet longest is forgotten."""


class LoginThrottle:
    """Who showed wrong tokens, how many, and until when nobody listens to them."""

    def __init__(self) -> None:
        """Start with nobody."""
        self._failures: OrderedDict[str, tuple[int, float]] = OrderedDict()
        """How many, and until when nobody listens."""

    def wait(self, who: str, now: float) -> float:
        """Return how many seconds ``who`` is not listened to any more; 0: may speak."""
        _, until = self._failures.get(who, (0, now))
        return max(0.0, until - now)

    def failed(self, who: str, now: float) -> int:
        """Count a wrong token of ``who``; return how many there were."""
        before, until = self._failures.pop(who, (0, now))
        count = 1 if now - until > FORGOTTEN else before + 1
        self._failures[who] = (count, now + _pause(count))
        if len(self._failures) > REMEMBERED:
            self._failures.popitem(last=False)
        return count


def _pause(count: int) -> float:
    """Return how long (s) nobody listens after ``count`` wrong tokens."""
    if count <= FREE:
        return 0.0
    doublings = min(count - FREE - 1, 60)  # beyond, the number would not fit
    return min(LONGEST, FIRST * 2.0**doublings)
