"""One sensor that is being read: its newest readings, through everybody's joining and leaving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from grouser.sensors.rays import RayBundle
from grouser.sensors.sensor import BoundSensor, Reading, Sensor, SensorContext, StatefulSensor
from grouser.simulation.scene import Scene

Key = tuple[str, str]
"""Names of a robot and of a sensor on it."""

Rhythm = tuple[float, int]
"""Readings per second, and the step at which the first one is due."""


@dataclass(frozen=True, slots=True)
class SensorBinding:
    """A sensor in a scene, and what is asked of it again and again."""

    kind: type[Sensor]
    rate_hz: float
    delay: float
    """From measuring to being read, s."""
    bound: BoundSensor
    needs: int
    """What must be up to date before it reads."""
    stateful: StatefulSensor | None
    """``bound``, if it remembers anything."""
    rays: RayBundle | None
    """What a `RangingSensor` sends out."""

    @staticmethod
    def of(sensor: Sensor, bound: BoundSensor) -> SensorBinding:
        """Look it up; to ask for protocols by their types takes thirty times as long."""
        stateful = cast(StatefulSensor, bound) if hasattr(bound, "memory") else None
        return SensorBinding(
            type(sensor),
            sensor.rate_hz,
            sensor.delay_s,
            bound,
            int(bound.needs),
            stateful,
            getattr(bound, "bundle", None),
        )


def bindings(scene: Scene) -> dict[Key, SensorBinding]:
    """Return all sensors of a scene."""
    return {key: SensorBinding.of(*described) for key, described in scene.sensors.items()}


class ActiveSensor:
    """One sensor that is being read."""

    def __init__(
        self, key: Key, binding: SensorBinding, rng: np.random.Generator, since: int, rate_hz: float
    ) -> None:
        """Begin with nothing said.

        Args:
            key: whose it is, and its name.
            binding: what it is now.
            rng: decides its errors.
            since: the step at which it is due first.
            rate_hz: readings per second from then on.
        """
        self.key, self.binding = key, binding
        self.robot, self._name = key
        self._rng, self.rate_hz, self.since = rng, rate_hz, since
        self._readings: list[Reading] = []
        """The newest reading that has arrived, then those still on their way."""

    @property
    def rhythm(self) -> Rhythm:
        """What it shares with those that are read when it is."""
        return self.rate_hz, self.since

    @property
    def silent(self) -> bool:
        """Whether it has said nothing yet."""
        return not self._readings

    def measure(self, context: SensorContext) -> Reading:
        """Measure now; return what can be read after the sensor's delay."""
        time, delay = context.time, self.binding.delay
        reading = Reading(self._name, time, self.binding.bound.read(context, self._rng))
        if not delay:
            self._readings = [reading]
            return reading
        if not self._readings:
            self._readings.append(Reading(self._name, time - delay, reading.values))
        self._readings.append(reading)
        self._arrive(time)
        return reading

    def read(self, time: float) -> Reading:
        """Return the newest reading that has arrived by ``time`` (s); it must not be silent."""
        self._arrive(time)
        return self._readings[0]

    def rebind(self, binding: SensorBinding) -> None:
        """Go on in another scene, with all that was said and is remembered."""
        before, self.binding = self.binding, binding
        if binding.stateful and before.stateful:
            binding.stateful.memory = before.stateful.memory

    def _arrive(self, time: float) -> None:
        """Let go of readings that a newer one has overtaken by ``time``."""
        readings, latest = self._readings, time - self.binding.delay + 1e-9
        while len(readings) > 1 and readings[1].time <= latest:
            del readings[0]
