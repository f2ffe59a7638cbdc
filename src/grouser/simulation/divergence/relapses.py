"""Who diverges again right after it was put back: its start itself is the trouble."""

from __future__ import annotations

SOON = 1.0
"""Simulated seconds within which a second fault follows from the first, s."""


class Relapses:
    """Counts faults in a row, for everybody apart."""

    def __init__(self) -> None:
        """Know of no fault yet."""
        self._last: dict[str, tuple[float, int]] = {}

    def count(self, name: str, time: float) -> int:
        """Note that ``name`` was put back at ``time`` (s); return how often it was just before."""
        then, before = self._last.get(name, (-SOON, -1))
        again = before + 1 if 0 <= time - then <= SOON else 0
        self._last[name] = time, again
        return again
