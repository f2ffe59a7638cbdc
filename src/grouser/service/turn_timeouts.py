"""Time-out of a turn: log clients whose turn is slow, expire turns that take too long.

A client that stalls in its turn would stop the simulation for all others. Each time an address has
let a turn expire, its time-out is halved, down to one second: other clients at the same address
that end their turns in time must not expire with it. The caller passes the wall time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

SLOW_AFTER = 1.0
"""Wall seconds after which a turn is logged as slow; also the shortest time-out, s."""
FORGIVEN_AFTER = 600.0
"""Wall seconds after which an expired turn no longer shortens the time-out, s."""


@dataclass(frozen=True)
class TurnCheck:
    """Result of `TurnTimeouts.check`."""

    slow: list[str]
    """Clients whose turn has just become slow, each once per turn."""
    expired: dict[str, float]
    """Client whose turn has expired -> its time-out (wall time, s)."""
    next_check: float
    """Wall seconds until another turn may become slow or expire; infinity: never."""


class TurnTimeouts:
    """Durations of the present turns.

    Args:
        longest: time-out of a turn, wall s; 0: none.
        address: returns the address of a client by its name.
    """

    def __init__(self, longest: float, address: Callable[[str], str]) -> None:
        self._longest = longest or math.inf
        self._address = address
        self._expired: dict[str, list[float]] = {}
        self._since: dict[tuple[str, int], float] = {}
        self._slow: set[tuple[str, int]] = set()

    def check(self, turns: Mapping[str, int], now: float) -> TurnCheck:
        """Return the turns that are slow or have expired.

        Args:
            turns: client in its turn -> step at which the turn began.
            now: wall time, s.
        """
        present = set(turns.items())
        self._since = {turn: self._since.get(turn, now) for turn in sorted(present)}
        self._slow &= present
        waits = {turn: now - since for turn, since in self._since.items()}
        limits = {turn: self._limit(turn[0], now) for turn in waits}
        slow = [turn for turn, wait in waits.items() if wait >= SLOW_AFTER]
        fresh = [turn for turn in slow if turn not in self._slow]
        self._slow.update(fresh)
        expired = [turn for turn, wait in waits.items() if wait >= limits[turn]]
        for name, _ in expired:
            self._expired.setdefault(self._address(name), []).append(now)
        left = [limits[turn] - wait for turn, wait in waits.items() if turn not in expired]
        left += [SLOW_AFTER - wait for wait in waits.values() if wait < SLOW_AFTER]
        return TurnCheck(
            [name for name, _ in fresh],
            {turn[0]: limits[turn] for turn in expired},
            min(left, default=math.inf),
        )

    def _limit(self, name: str, now: float) -> float:
        """Return the time-out (wall time, s) of a client's turn."""
        recent = {
            address: kept
            for address, times in self._expired.items()
            if (kept := [time for time in times if now - time < FORGIVEN_AFTER])
        }
        self._expired = recent
        halved = self._longest / 2 ** len(recent.get(self._address(name), ()))
        return float(max(halved, min(SLOW_AFTER, self._longest)))
