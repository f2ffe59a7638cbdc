"""How long the world waits for clients in lockstep. Pure: it is told the time.

Whoever stalls in its turn would stop the world for everybody. So it is named in the log after a
moment, and given up after the longest wait. Whoever comes back and stalls again, under whatever
name, is waited for half as long each time, but never less than a second: others at its address,
who take their turns as they should, must not be given up with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

NAMED_AFTER = 1.0
"""Wall seconds after which the log says for whom the world waits, s; nobody is given up before
unless the longest wait is shorter."""
FORGIVEN_AFTER = 600.0
"""Wall seconds after which it is forgotten that somebody was given up, s."""


@dataclass(frozen=True)
class TurnCheck:
    """Whom to name and whom to give up now, and when to look again."""

    named: list[str]
    """Who has been waited for so long that it is worth a line, each once in a turn."""
    given_up: dict[str, float]
    """Who has been waited for too long, and how long (wall time, s)."""
    look_again: float
    """Wall seconds until somebody else may be one of these; infinity: never."""


class TurnTimeouts:
    """Counts how long everybody's present turn has lasted.

    Args:
        longest: wall seconds that somebody is waited for; 0: for ever.
        address: says where somebody is, by name.
    """

    def __init__(self, longest: float, address: Callable[[str], str]) -> None:
        self._longest = longest or math.inf
        self._address = address
        self._given_up: dict[str, list[float]] = {}
        self._since: dict[tuple[str, int], float] = {}
        self._named: set[tuple[str, int]] = set()

    def look(self, turns: Mapping[str, int], now: float) -> TurnCheck:
        """Say for whom the world waits too long.

        Args:
            turns: whose turn it is, and which of its turns.
            now: wall time, s.
        """
        present = set(turns.items())
        self._since = {turn: self._since.get(turn, now) for turn in sorted(present)}
        self._named &= present
        waits = {turn: now - since for turn, since in self._since.items()}
        limits = {turn: self._limit(turn[0], now) for turn in waits}
        slow = [turn for turn, wait in waits.items() if wait >= NAMED_AFTER]
        fresh = [turn for turn in slow if turn not in self._named]
        self._named.update(fresh)
        over = [turn for turn, wait in waits.items() if wait >= limits[turn]]
        for name, _ in over:
            self._given_up.setdefault(self._address(name), []).append(now)
        left = [limits[turn] - wait for turn, wait in waits.items() if turn not in over]
        left += [NAMED_AFTER - wait for wait in waits.values() if wait < NAMED_AFTER]
        return TurnCheck(
            [name for name, _ in fresh],
            {turn[0]: limits[turn] for turn in over},
            min(left, default=math.inf),
        )

    def _limit(self, name: str, now: float) -> float:
        """Return how long (wall time, s) somebody is waited for."""
        recent = {
            address: kept
            for address, times in self._given_up.items()
            if (kept := [time for time in times if now - time < FORGIVEN_AFTER])
        }
        self._given_up = recent
        halved = self._longest / 2 ** len(recent.get(self._address(name), ()))
        return float(max(halved, min(NAMED_AFTER, self._longest)))
