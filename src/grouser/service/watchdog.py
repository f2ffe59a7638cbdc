"""What stops a robot without its client: an empty battery, a client that is silent.

Both count simulated time. If that goes back, because the world started over, they begin anew.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BatteryState:
    """How much power a robot has left."""

    seconds_left: int | None
    """Whole seconds; None: there is power for ever."""
    empty: bool


class Watchdog:
    """Whether a robot's battery is empty and whether its client is silent.

    Args:
        timeout: simulated seconds after which a client counts as silent; 0: never.
        now: simulated, s.
        battery: seconds for which the robot has power; None: for ever.
    """

    def __init__(self, timeout: float, now: float = 0.0, battery: float | None = None) -> None:
        self.timeout, self._battery = timeout, battery
        self._start(now)

    def _start(self, now: float) -> None:
        self._begin = self._then = self._heard = now
        self._silent = self._drained = False

    def note_message(self, now: float) -> None:
        """Note that the client has sent something."""
        self._heard = now

    def note_motion(self) -> None:
        """Note that the robot was commanded to move: it may be stopped again."""
        self._silent = False

    def advance(self, now: float) -> None:
        """Note that time has passed; if it went back, everything begins anew."""
        if now < self._then:
            self._start(now)
        self._then = now

    def timed_out(self, now: float) -> bool:
        """Return whether the client has been silent for too long since the robot last moved."""
        if not self.timeout or self._silent or now - self._heard <= self.timeout:
            return False
        self._silent = True
        return True

    def battery_ran_out(self, now: float) -> bool:
        """Return whether the battery has just run empty."""
        if self._drained or not self.empty(now):
            return False
        self._drained = True
        return True

    def empty(self, now: float) -> bool:
        """Return whether there is no power any more."""
        return self._battery is not None and now >= self._begin + self._battery

    def battery(self, now: float) -> BatteryState:
        """Return how much power is left."""
        if self._battery is None:
            return BatteryState(None, empty=False)
        return BatteryState(max(0, int(self._begin + self._battery - now)), self.empty(now))
