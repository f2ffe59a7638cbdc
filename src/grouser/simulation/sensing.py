"""The sensors of everybody in a scene: who is due, what was said, what is still on its way.

A sensor reads at its own rate and with its own random numbers; a reading can be read its sensor's
delay after it was measured. Before the first one has arrived the sensor says what it would have
said had it been on before the start, in a world that stood still.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from functools import cached_property

import mujoco
import numpy as np

from grouser.sensors.rays import RayBatch, RayBundle
from grouser.sensors.sensor import (
    BoundSensor,
    Needs,
    Reading,
    Sensor,
    SensorContext,
)
from grouser.simulation.scene import Scene
from grouser.simulation.schedule import NEVER, Clock, generator

Key = tuple[str, str]
"""Names of a robot and of a sensor on it."""

KeptReading = tuple[float, int, str, Reading]
"""When a reading can be read (s), its number among all, its robot, and itself."""


class ActiveSensors:
    """All sensors of a run, through everybody's joining and leaving."""

    def __init__(self, seed: int, rates: Mapping[Key, float] | None = None) -> None:
        """Hold no sensors yet.

        Args:
            seed: decides all errors.
            rates: readings per second of sensors that measure at another rate than their own;
                whoever changes it calls `rebind`.
        """
        self._seed, self._rates = seed, {} if rates is None else rates
        self._rngs: dict[Key, np.random.Generator] = {}
        self._ready: dict[str, np.random.Generator] = {}
        """Random numbers of sensors that may come, by their names; made beforehand."""
        self._departures: dict[str, int] = {}
        """How often robots have left: one that comes again must not hear the same errors again."""
        self._sensors: dict[Key, _ActiveSensor] = {}
        self._groups: dict[tuple[float, int], _ReadingGroup] = {}
        """By rate and by the step at which they are read first: sensors of robots that came at
        different times are read at different times, as those of real ones."""
        self._agenda: list[tuple[int, int, _ReadingGroup]] = []
        """A heap: when rhythms are due, their numbers, and themselves."""
        self._silent: list[_ActiveSensor] = []
        """Those that have said nothing yet."""
        self._kept: list[KeptReading] | None = None
        """What was said since `drain_readings` was last called; None: nobody ever called it."""
        self._count = 0
        """Readings that were kept for `drain_readings` so far."""
        self.due = NEVER
        """The step at which the next reading is due."""

    @property
    def has_silent(self) -> bool:
        """Whether somebody has come whose sensors have said nothing yet."""
        return bool(self._silent)

    def look_ahead(self, scene: Scene) -> None:
        """Make ready what sensors of newcomers need in a scene to come; any thread may call it."""
        for key, (_, bound) in scene.sensors.items():
            if key not in self._rngs:
                name = self._generator_name(key)
                self._ready[name] = generator(self._seed, name)
                if hasattr(bound, "bundle"):
                    assert bound.bundle.cone  # worked out now

    def rebind(self, scene: Scene, step: int) -> None:
        """Rebind to a recomposed scene.

        Who was there before keeps what it said and what it remembers.
        """
        before, old_groups, timestep = self._sensors, self._groups, scene.timestep
        self._forget({robot for robot, _ in before} - set(scene.robots))
        self._sensors, self._groups = {}, {}
        new: dict[tuple[str, type, float], list[_ActiveSensor]] = {}
        for key, (sensor, bound) in scene.sensors.items():
            rate_hz = self._rates.get(key, sensor.rate_hz)
            if key in before:
                self._sensors[key] = active = before[key]
                active.rebind(sensor, bound, rate_hz, step)
                self._join_group(active, old_groups, timestep)
                continue
            if key not in self._rngs:
                name = self._generator_name(key)
                made = self._ready.pop(name, None)
                self._rngs[key] = generator(self._seed, name) if made is None else made
            rng = self._rngs[key]
            self._sensors[key] = active = _ActiveSensor(key, sensor, bound, rng, step, rate_hz)
            new.setdefault((active.robot, type(sensor), rate_hz), []).append(active)
        quiet = _QuietSteps(self._groups.values(), step, timestep, [rate for _, _, rate in new])
        for (_, _, rate_hz), sensors in new.items():
            # Sensors of one kind are read together, those of different kinds and of robots that
            # came at different times in turns, as real ones: all at once would hold up whoever
            # paces the simulation. At the start everybody begins at once, whoever came first.
            since = step + (quiet.find(rate_hz) if step else 0)
            for active in sensors:
                active.since = since
                group = self._join_group(active, old_groups, timestep)
            quiet.note(group, len(sensors))
        self._agenda = [
            (group.clock.due, number, group) for number, group in enumerate(self._groups.values())
        ]
        heapq.heapify(self._agenda)
        self._silent = [active for active in self._sensors.values() if active.silent]
        self._ready.clear()
        self.due = step

    def _forget(self, robots: set[str]) -> None:
        """Let go of the random numbers of robots that left."""
        if robots:
            self._rngs = {key: rng for key, rng in self._rngs.items() if key[0] not in robots}
            for robot in robots:
                self._departures[robot] = self._departures.get(robot, 0) + 1

    def _generator_name(self, key: Key) -> str:
        """Return what a sensor's random numbers go by; another one each time its robot comes."""
        name, before = "/".join(key), self._departures.get(key[0], 0)
        return f"{name}#{before}" if before else name

    def _join_group(
        self,
        active: _ActiveSensor,
        old_groups: dict[tuple[float, int], _ReadingGroup],
        timestep: float,
    ) -> _ReadingGroup:
        """Let ``active`` be read in its group, and return it; ``old_groups``: those before."""
        key = active.rate_hz, active.since
        if key not in self._groups:
            # One that was read at this very step must not be read at it again.
            was = old_groups.get(key)
            clock = was.clock if was else Clock(active.rate_hz, timestep, active.since)
            self._groups[key] = _ReadingGroup(clock)
        group = self._groups[key]
        group.add(active)
        return group

    def read_due(self, step: int, context: SensorContext) -> None:
        """Read every sensor that is due at ``step``, and every one that has said nothing yet.

        What a newcomer's sensors measure before their rhythm begins can be read, but is not among
        `drain_readings`: from its first reading there on, a sensor keeps its rhythm.
        """
        due, needs = self._begin(step), 0
        for group in due:
            needs |= group.needs
        for active in self._silent:
            needs |= active.needs
        if needs:
            _derive(context.model, context.data, needs)
        for group in due:
            if group.volley:
                group.volley.cast(context)
            for active in group.sensors:
                self._measure(active, context)
        # Those whose group was not due: something to read, not yet to be sent.
        silent = [active for active in self._silent if active.silent]
        if bundles := _bundles(silent):
            RayBatch(bundles).cast(context)
        for active in silent:
            active.measure(context)
        self._silent = []
        self.due = self._agenda[0][0] if self._agenda else NEVER

    def _begin(self, step: int) -> list[_ReadingGroup]:
        """Return which groups are due at ``step``; each goes on to when it is due again."""
        due = []
        while self._agenda and self._agenda[0][0] <= step:
            _, number, group = self._agenda[0]
            group.clock.tick()
            heapq.heapreplace(self._agenda, (group.clock.due, number, group))
            due.append(group)
        return due

    def read(self, robot: str, sensor: str, time: float) -> Reading:
        """Return the newest reading that has arrived by ``time``."""
        return self._sensors[robot, sensor].read(time)

    def measure(self, robot: str, sensor: str, context: SensorContext) -> None:
        """Read one sensor now, out of turn."""
        active = self._sensors[robot, sensor]
        if active.needs:
            _derive(context.model, context.data, active.needs)
        self._measure(active, context)

    def drain_readings(self, time: float) -> list[tuple[str, Reading]]:
        """Return whose readings have arrived since the last call, and them, in their order.

        The first call begins to keep them; until then they cost nothing.
        """
        kept, latest = self._kept or [], time + 1e-9
        arrived = sorted(one for one in kept if one[0] <= latest)
        self._kept = [one for one in kept if one[0] > latest]
        return [(robot, reading) for _, _, robot, reading in arrived]

    def _measure(self, active: _ActiveSensor, context: SensorContext) -> None:
        reading = active.measure(context)
        if self._kept is not None:
            self._count += 1
            self._kept.append((reading.time + active.delay, self._count, active.robot, reading))


class _ActiveSensor:
    """One sensor that is being read."""

    def __init__(
        self,
        key: Key,
        sensor: Sensor,
        bound: BoundSensor,
        rng: np.random.Generator,
        since: int,
        rate_hz: float,
    ) -> None:
        self.robot, self._name = key
        self._rng, self.rate_hz, self.since = rng, rate_hz, since
        self._describe(sensor, bound)
        self._readings: list[Reading] = []
        """The newest reading that has arrived, then those still on their way."""

    def _describe(self, sensor: Sensor, bound: BoundSensor) -> None:
        self.delay, self.bound, self.needs = sensor.delay_s, bound, int(bound.needs)

    @property
    def silent(self) -> bool:
        """Whether it has said nothing yet."""
        return not self._readings

    def measure(self, context: SensorContext) -> Reading:
        time = context.time
        reading = Reading(self._name, time, self.bound.read(context, self._rng))
        if not self.delay:
            self._readings = [reading]
            return reading
        if not self._readings:
            self._readings.append(Reading(self._name, time - self.delay, reading.values))
        self._readings.append(reading)
        self._arrive(time)
        return reading

    def read(self, time: float) -> Reading:
        self._arrive(time)
        return self._readings[0]

    def rebind(self, sensor: Sensor, bound: BoundSensor, rate_hz: float, step: int) -> None:
        """Go on in another scene, with all that was said and is remembered."""
        before = self.bound
        self._describe(sensor, bound)
        if rate_hz != self.rate_hz:  # its new rhythm; at this very step it may have been read
            self.rate_hz, self.since = rate_hz, step + 1
        if hasattr(bound, "memory") and hasattr(before, "memory"):
            # A `StatefulSensor`; to ask that by its type takes thirty times as long.
            bound.memory = before.memory

    def _arrive(self, time: float) -> None:
        """Let go of readings that a newer one has overtaken by ``time``."""
        readings, latest = self._readings, time - self.delay + 1e-9
        while len(readings) > 1 and readings[1].time <= latest:
            del readings[0]


class _ReadingGroup:
    """Sensors that are read at the same steps."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.needs = clock, 0
        self.sensors: list[_ActiveSensor] = []

    @cached_property
    def volley(self) -> RayBatch | None:
        """All rays that its sensors send out, once everybody has been added."""
        bundles = _bundles(self.sensors)
        return RayBatch(bundles) if bundles else None

    def add(self, active: _ActiveSensor) -> None:
        self.sensors.append(active)
        self.needs |= active.needs


class _QuietSteps:
    """At which steps, from now on, how many sensors are read: to find one with few."""

    def __init__(
        self, groups: Iterable[_ReadingGroup], step: int, timestep: float, rates: list[float]
    ) -> None:
        self._step, self._timestep = step, timestep
        self._load = [0] * (max(map(self._period, rates), default=0) + 1)
        for group in groups if rates and step else ():
            self.note(group, len(group.sensors))

    def note(self, group: _ReadingGroup, sensors: int) -> None:
        """Count so many sensors that are read with a group."""
        for due in group.clock.coming(self._step + len(self._load)):
            self._load[max(0, due - self._step)] += sensors

    def find(self, rate_hz: float) -> int:
        """Return after how many steps, within a period, fewest sensors are read."""
        return min(range(1, self._period(rate_hz) + 1), key=self._load.__getitem__)

    def _period(self, rate_hz: float) -> int:
        return max(1, round(1 / (rate_hz * self._timestep)))


def _bundles(sensors: Iterable[_ActiveSensor]) -> list[RayBundle]:
    """Return the rays of all that are `RangingSensor`s; to ask by their type takes long."""
    bounds = (active.bound for active in sensors)
    return [bound.bundle for bound in bounds if hasattr(bound, "bundle")]


def _derive(model: mujoco.MjModel, data: mujoco.MjData, needs: int) -> None:
    """Bring what ``needs`` names up to date: after a step, it belongs to the state before it."""
    mujoco.mj_kinematics(model, data)
    if needs & ~Needs.POSES:
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
    if needs & Needs.ACCELERATIONS:
        mujoco.mj_rnePostConstraint(model, data)
