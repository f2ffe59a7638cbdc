"""The vitals of a client's robot: what of it runs with simulated time, and restarts with it."""

from __future__ import annotations

from grouser.protocol.usarsim.state import NO_BATTERY

STATE_EVERY = {"ut2004": 0.2, "ut3": 0.1, "udk": 0.1}
"""Dialect → simulated seconds between two STA (reference: rates of the old servers)."""


class Watchdog:
    """When a robot's state is to be said next, whether its client is silent, what its battery has.

    Args:
        every: simulated seconds between two states.
        timeout: simulated seconds after which a client counts as silent; 0: never.
        now: simulated, s.
        battery: seconds for which the robot has power; None: for ever.
    """

    def __init__(
        self, every: float, timeout: float, now: float = 0.0, battery: float | None = None
    ) -> None:
        self._every, self._timeout, self._battery = every, timeout, battery
        self.endless = battery is None
        """Whether there is power for ever."""
        self._start(now)

    def _start(self, now: float) -> None:
        self._begin = self._then = self._heard = self._due = now
        self._silent = self._drained = False

    def heard(self, now: float) -> None:
        """Note that the client has said something."""
        self._heard = now

    def moved(self) -> None:
        """Note that the robot was told to move: it may be stopped again."""
        self._silent = False

    def beat(self, now: float) -> None:
        """Note that time has passed; if it went back, everything begins anew."""
        if now < self._then:
            self._start(now)
        self._then = now

    def state_due(self, now: float) -> bool:
        """Return whether the state is to be said now; then it is not, for a while."""
        if now + 1e-9 < self._due:
            return False
        self._due = max(self._due + self._every, now + self._every / 2)
        return True

    def falls_silent(self, now: float) -> bool:
        """Return whether the client has been silent for too long since the robot last moved."""
        if not self._timeout or self._silent or now - self._heard <= self._timeout:
            return False
        self._silent = True
        return True

    def runs_down(self, now: float) -> bool:
        """Return whether the battery has just run empty."""
        if self._drained or not self.empty(now):
            return False
        self._drained = True
        return True

    def empty(self, now: float) -> bool:
        """Return whether there is no power any more."""
        return self._battery is not None and now >= self._begin + self._battery

    def seconds_left(self, now: float) -> int:
        """Return for how many whole seconds there is power, as STA says it."""
        if self._battery is None:
            return NO_BATTERY
        return max(0, int(self._begin + self._battery - now))
