"""Watchdog: stop a robot whose battery is empty or whose client is silent.

Both count simulated time, and start anew when it goes back because the world was reset.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BatteryState:
    """Charge of a robot's battery."""

    seconds_left: int | None
    """Whole seconds; None: unlimited."""
    empty: bool


class Watchdog:
    """Battery and command time-out of one robot.

    Args:
        timeout: simulated seconds after which a client counts as silent; 0: never.
        now: simulated time, s.
        battery: seconds for which the robot has power; None: unlimited.
    """

    def __init__(self, timeout: float, now: float = 0.0, battery: float | None = None) -> None:
        self.timeout, self._battery = timeout, battery
        self._start(now)

    def _start(self, now: float) -> None:
        self._begin = self._then = self._last_message = now
        self._silent = self._drained = False

    def note_message(self, now: float) -> None:
        """Register a message of the client."""
        self._last_message = now

    def note_motion(self) -> None:
        """Register a motion command: the next time-out stops the robot again."""
        self._silent = False

    def advance(self, now: float) -> None:
        """Register that time has passed; start anew if it went back."""
        if now < self._then:
            self._start(now)
        self._then = now

    def timed_out(self, now: float) -> bool:
        """Return True once when the client has become silent since the last motion command."""
        if not self.timeout or self._silent or now - self._last_message <= self.timeout:
            return False
        self._silent = True
        return True

    def battery_ran_out(self, now: float) -> bool:
        """Return True once when the battery has become empty."""
        if self._drained or not self.empty(now):
            return False
        self._drained = True
        return True

    def empty(self, now: float) -> bool:
        """Return True if the battery is empty."""
        return self._battery is not None and now >= self._begin + self._battery

    def battery(self, now: float) -> BatteryState:
        """Return the charge of the battery."""
        if self._battery is None:
            return BatteryState(None, empty=False)
        return BatteryState(max(0, int(self._begin + self._battery - now)), self.empty(now))
