"""Sensors that are read at the same steps, and which steps are left to those who come."""

from __future__ import annotations

from collections.abc import Iterable

from grouser.sensors.rays import RayBatch
from grouser.simulation.active_sensor import ActiveSensor
from grouser.simulation.schedule import Clock

BREATH = 0.005
"""Simulated seconds after which sensors of somebody who came are read first, at least, s: his
coming has taken as long as a step or two, and whoever paces the simulation would fall behind."""


class ReadingGroup:
    """Sensors that are read at the same steps."""

    def __init__(self, clock: Clock) -> None:
        """Hold nobody yet; ``clock`` says when they will be read."""
        self.clock = clock
        self.sensors: list[ActiveSensor] = []
        self.renew()

    def add(self, active: ActiveSensor) -> None:
        """Read ``active`` with the others."""
        self.sensors.append(active)
        self.renew()

    def remove(self, active: ActiveSensor) -> None:
        """Read ``active`` no more."""
        self.sensors.remove(active)
        self.renew()

    def renew(self) -> None:
        """Work everything out again when it is needed: its sensors are others, or elsewhere."""
        self._fresh = False

    @property
    def volley(self) -> RayBatch | None:
        """All rays that its sensors send out."""
        self._look_up()
        return self._volley

    @property
    def needs(self) -> int:
        """What must be up to date before its sensors are read."""
        self._look_up()
        return self._needs

    def _look_up(self) -> None:
        if not self._fresh:
            self._fresh, self._needs = True, 0
            for active in self.sensors:
                self._needs |= active.binding.needs
            rays = [one.binding.rays for one in self.sensors if one.binding.rays is not None]
            self._volley = RayBatch(rays) if rays else None


class QuietSteps:
    """At which steps, from now on, how many sensors are read: to find one with few."""

    def __init__(
        self, groups: Iterable[ReadingGroup], step: int, timestep: float, rates: list[float]
    ) -> None:
        """Count whom ``groups`` will read after ``step``, as far as ``rates`` (1/s) matter."""
        self._step, self._timestep = step, timestep
        self._load = [0] * (max(map(self._period, rates), default=0) + 1)
        for group in groups if rates and step else ():
            self.note(group, len(group.sensors))

    def note(self, group: ReadingGroup, sensors: int) -> None:
        """Count so many sensors that are read with a group."""
        step, load = self._step, self._load
        for due in group.clock.coming(step + len(load)):
            load[max(0, due - step)] += sensors

    def find(self, rate_hz: float) -> int:
        """Return after how many steps, within a period, fewest sensors are read; not at once."""
        period = self._period(rate_hz)
        first = min(period, max(1, round(BREATH / self._timestep)))
        return min(range(first, period + 1), key=self._load.__getitem__)

    def _period(self, rate_hz: float) -> int:
        return max(1, round(1 / (rate_hz * self._timestep)))
