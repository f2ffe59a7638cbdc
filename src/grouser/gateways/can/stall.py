"""Motors that cannot do what they were told: a belt that stands, an arm that does not get there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grouser.frames import radians
from grouser.physics.drives import Setpoint

PATIENCE = 0.3
"""Seconds for which a motor must not do as it was told, before it counts as stalled; chosen."""
SLOW = 0.2
"""Share of the commanded speed below which a motor counts as standing; chosen."""
STILL = radians(1)  # rad/s   a joint that turns more slowly stands; chosen
NEAR = radians(3)  # rad   how far from its target a joint may stay: more than its servo yields


class StallWatch:
    """Which of some drives are stalled."""

    def __init__(self, drives: Sequence[str], now: float) -> None:
        """Watch ``drives``, of which nobody has been told anything yet, from ``now`` (s) on."""
        self._drives = tuple(drives)
        self._told: dict[str, Setpoint] = {}
        self._well = dict.fromkeys(drives, now)
        """When a drive last did as it was told, s."""
        self.bits = 0
        """A bit for each drive that is stalled, in their order."""

    def note(self, command: Mapping[str, Setpoint]) -> None:
        """Note what drives are told from now on."""
        self._told.update(command)

    def look(self, time: float, positions: Sequence[float], speeds: Sequence[float]) -> None:
        """Look where drives are and how fast, at ``time`` (s)."""
        self.bits = 0
        for number, drive in enumerate(self._drives):
            told = self._told.get(drive)
            if told is None or _does(told, positions[number], speeds[number]):
                self._well[drive] = time
            elif time - self._well[drive] > PATIENCE:
                self.bits |= 1 << number


def _does(told: Setpoint, position: float, speed: float) -> bool:
    """Return whether a drive does as it was told."""
    if told.mode == "angle":
        return abs(told.value - position) < NEAR or abs(speed) > STILL
    return speed * told.value >= SLOW * told.value**2
