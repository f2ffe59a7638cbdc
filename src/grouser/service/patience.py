"""How long the world waits for clients in lockstep. Pure: it is told the time.

Whoever stalls in its turn would stop the world for everybody. So it is named in the log after a
moment, and given up after the longest wait.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

NAMED_AFTER = 1.0
"""Wall seconds after which the log says for whom the world waits, s."""


@dataclass(frozen=True)
class PatienceState:
    """Whom to name and whom to give up now, and when to look again."""

    named: list[str]
    """Who has been waited for so long that it is worth a line, each once in a turn."""
    given_up: list[str]
    """Who has been waited for too long."""
    look_again: float
    """Wall seconds until somebody else may be one of these; infinity: never."""


class Patience:
    """Counts how long everybody's present turn has lasted.

    Args:
        longest: wall seconds that somebody is waited for; 0: for ever.
    """

    def __init__(self, longest: float) -> None:
        self.longest = longest or math.inf
        self._since: dict[tuple[str, int], float] = {}
        self._named: set[tuple[str, int]] = set()

    def look(self, turns: Mapping[str, int], now: float) -> PatienceState:
        """Say for whom the world waits too long.

        Args:
            turns: whose turn it is, and which of its turns.
            now: wall time, s.
        """
        present = set(turns.items())
        self._since = {turn: self._since.get(turn, now) for turn in sorted(present)}
        self._named &= present
        waits = {turn: now - since for turn, since in self._since.items()}
        slow = [turn for turn, wait in waits.items() if wait >= NAMED_AFTER]
        fresh = [turn for turn in slow if turn not in self._named]
        self._named.update(fresh)
        given_up = [name for (name, _), wait in waits.items() if wait >= self.longest]
        left = [self.longest - wait for wait in waits.values() if wait < self.longest]
        left += [NAMED_AFTER - wait for wait in waits.values() if wait < NAMED_AFTER]
        return PatienceState([name for name, _ in fresh], given_up, min(left, default=math.inf))
