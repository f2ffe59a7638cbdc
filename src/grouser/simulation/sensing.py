"""Sensor sampling: rates, phases, delays and random generators of all sensors of a scene.

A sensor is read at its own rate and with its own random generator; a reading is available after the
sensor's delay. Before the first reading is available, a sensor returns the reading it would have
had before the start in a world at rest.
"""

from __future__ import annotations

import copy
import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast
from weakref import WeakKeyDictionary

import mujoco
import numpy as np

from grouser.sensors.rays import RayBatch, RayBundle
from grouser.sensors.sensor import (
    BoundSensor,
    Needs,
    Reading,
    Sensor,
    SensorContext,
    StatefulSensor,
)
from grouser.simulation.scene import Scene
from grouser.simulation.schedule import NEVER, Clock, generator

Key = tuple[str, str]
"""Names of a robot and of a sensor on it."""

Phase = tuple[float, int]
"""Readings per second, and the step of the first one."""

PendingReading = tuple[float, int, str, Reading]
"""Time of arrival (s), running number, robot, reading."""

JOIN_SENSOR_DELAY = 0.005
"""Shortest simulated time between the joining of a robot and the first readings of its sensors, s:
joining takes as long as one or two steps, and a paced simulation would fall behind."""


@dataclass(frozen=True, slots=True)
class SensorBinding:
    """A sensor bound to a scene, with the attributes that sampling needs."""

    kind: type[Sensor]
    rate_hz: float
    delay: float
    """Between measurement and availability, s."""
    bound: BoundSensor
    needs: int
    """Flags of `Needs`: derived quantities that must be updated before a reading."""
    stateful: StatefulSensor | None
    """``bound``, if it has a memory."""
    rays: RayBundle | None
    """Rays of a `RangingSensor`."""

    @staticmethod
    def of(sensor: Sensor, bound: BoundSensor) -> SensorBinding:
        """Return the binding; `isinstance` on protocols would take thirty times as long."""
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
    """One sensor at run time: its newest readings; kept when the scene is recompiled."""

    def __init__(
        self, key: Key, binding: SensorBinding, rng: np.random.Generator, since: int, rate_hz: float
    ) -> None:
        """Start without a reading.

        Args:
            key: names of robot and sensor.
            binding: the sensor in the present scene.
            rng: random generator of its errors.
            since: step of its first reading.
            rate_hz: readings per second from then on.
        """
        self.key, self.binding = key, binding
        self.robot, self._name = key
        self._rng, self.rate_hz, self.since = rng, rate_hz, since
        self._readings: list[Reading] = []
        """The newest available reading, then the delayed ones."""

    @property
    def phase(self) -> Phase:
        """Key of its `ReadingGroup`."""
        return self.rate_hz, self.since

    @property
    def has_no_reading(self) -> bool:
        """True until the first measurement."""
        return not self._readings

    def measure(self, context: SensorContext) -> Reading:
        """Measure now; return the reading, which is available after the sensor's delay."""
        time, delay = context.time, self.binding.delay
        reading = Reading(self._name, time, self.binding.bound.read(context, self._rng))
        if not delay:
            self._readings = [reading]
            return reading
        if not self._readings:
            self._readings.append(Reading(self._name, time - delay, reading.values))
        self._readings.append(reading)
        self._drop_outdated(time)
        return reading

    def read(self, time: float) -> Reading:
        """Return the newest reading available at ``time`` (s); there must be one."""
        self._drop_outdated(time)
        return self._readings[0]

    def copy(self) -> ActiveSensor:
        """Return a copy with the same random generator."""
        copied = copy.copy(self)
        copied._readings = [*self._readings]
        return copied

    def rebind(self, binding: SensorBinding) -> None:
        """Continue in another scene, with all readings and the sensor's memory."""
        before, self.binding = self.binding, binding
        if binding.stateful and before.stateful:
            binding.stateful.memory = before.stateful.memory

    def _drop_outdated(self, time: float) -> None:
        """Remove readings that are older than the newest available one."""
        readings, latest = self._readings, time - self.binding.delay + 1e-9
        while len(readings) > 1 and readings[1].time <= latest:
            del readings[0]


class ReadingGroup:
    """Sensors that are read at the same steps."""

    def __init__(self, clock: Clock, sensors: Iterable[ActiveSensor] = ()) -> None:
        """Start with ``sensors``; ``clock`` has the steps of their readings."""
        self.clock = clock
        self.sensors = list(sensors)
        self.invalidate()

    def add(self, active: ActiveSensor) -> None:
        """Add ``active`` to the group."""
        self.sensors.append(active)
        self.invalidate()

    def remove(self, active: ActiveSensor) -> None:
        """Remove ``active`` from the group."""
        self.sensors.remove(active)
        self.invalidate()

    def invalidate(self) -> None:
        """Recompute the derived attributes on next use: sensors or their bindings changed."""
        self._valid = False

    def __getstate__(self) -> dict[str, object]:
        return {"clock": self.clock, "sensors": self.sensors, "_valid": False}

    @property
    def ray_batch(self) -> RayBatch | None:
        """All rays of the sensors in the group."""
        self._update()
        return self._ray_batch

    @property
    def needs(self) -> int:
        """Union of the needs of its sensors."""
        self._update()
        return self._needs

    def _update(self) -> None:
        if not self._valid:
            self._valid, self._needs = True, 0
            for active in self.sensors:
                self._needs |= active.binding.needs
            rays = [one.binding.rays for one in self.sensors if one.binding.rays is not None]
            self._ray_batch = RayBatch(rays) if rays else None


class SensorPhaseAllocator:
    """Number of readings per coming step; assigns new sensors to the least loaded phase."""

    def __init__(
        self, groups: Iterable[ReadingGroup], step: int, timestep: float, rates: list[float]
    ) -> None:
        """Count the readings of ``groups`` after ``step``, for the longest period of ``rates``."""
        self._step, self._timestep = step, timestep
        self._load = [0] * (max(map(self._period, rates), default=0) + 1)
        for group in groups if rates and step else ():
            self.add(group, len(group.sensors))

    def add(self, group: ReadingGroup, sensors: int) -> None:
        """Count ``sensors`` more readings at the steps of a group."""
        step, load = self._step, self._load
        for due in group.clock.coming(step + len(load)):
            load[max(0, due - step)] += sensors

    def allocate(self, rate_hz: float) -> int:
        """Return the delay in steps, within one period, with the fewest readings; at least 1."""
        period = self._period(rate_hz)
        first = min(period, max(1, round(JOIN_SENSOR_DELAY / self._timestep)))
        return min(range(first, period + 1), key=self._load.__getitem__)

    def _period(self, rate_hz: float) -> int:
        return max(1, round(1 / (rate_hz * self._timestep)))


class ActiveSensors:
    """All sensors of a run; kept when the scene is recompiled."""

    def __init__(self, seed: int, rates: Mapping[Key, float] | None = None) -> None:
        """Start without sensors.

        Args:
            seed: of all random errors.
            rates: readings per second that override the sensors' own.
        """
        self._seed, self._rates = seed, {} if rates is None else rates
        self._rngs: dict[Key, np.random.Generator] = {}
        self._prepared_rngs: dict[str, np.random.Generator] = {}
        """Random generators of sensors of a prepared scene, by name."""
        self._bindings: WeakKeyDictionary[Scene, dict[Key, SensorBinding]] = WeakKeyDictionary()
        """Sensors of prepared scenes."""
        self._departures: dict[str, int] = {}
        """Number of removals per robot name: a robot that joins again gets other random errors."""
        self._robots: set[str] = set()
        self._sensors: dict[Key, ActiveSensor] = {}
        self._groups: dict[Phase, ReadingGroup] = {}
        """Sensors of robots that joined at different times have different phases, as real ones."""
        self._agenda: list[tuple[int, int, ReadingGroup]] = []
        """Heap of groups: next step, running number, group."""
        self._unread: list[ActiveSensor] = []
        """Sensors without a reading."""
        self._pending: list[PendingReading] | None = None
        """Readings since the last call of `drain_readings`; None: nothing collects them."""
        self._count = 0
        """Readings that were stored for `drain_readings` so far."""
        self.due = NEVER
        """The step at which the next reading is due."""

    def __getstate__(self) -> dict[str, object]:
        kept = vars(self) | {"_prepared_rngs": {}}
        del kept["_bindings"]
        return kept

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state, _bindings=WeakKeyDictionary())

    @property
    def bindings(self) -> dict[Key, SensorBinding]:
        """Every sensor of the present scene."""
        return {key: active.binding for key, active in self._sensors.items()}

    def has_no_reading(self, robot: str, sensor: str) -> bool:
        """Return True if a sensor was added and not yet read."""
        return bool(self._unread) and self._sensors[robot, sensor].has_no_reading

    def prepare(self, scene: Scene) -> None:
        """Compute in advance what the new sensors of a prepared scene need; thread-safe."""
        for key, (_, bound) in scene.sensors.items():
            if key not in self._rngs:
                name = self._generator_name(key)
                self._prepared_rngs[name] = generator(self._seed, name)
                if hasattr(bound, "bundle"):
                    _ = bound.bundle.cone  # cached property
        self._bindings[scene] = bindings(scene)

    def rebound(
        self, scene: Scene, step: int, rates: Mapping[Key, float] | None = None
    ) -> ActiveSensors:
        """Return these sensors bound to ``scene``; this object does not change.

        Sensors that were present before keep readings, memory and phase.

        Args:
            scene: the scene that runs next.
            step: the present step.
            rates: readings per second that override the sensors' own; None: as before.
        """
        after = self._copy()
        if rates is not None:
            after._rates = rates
        after._rebind(scene, step)
        return after

    def _copy(self) -> ActiveSensors:
        """Return a copy that shares clocks, random generators and everything that is prepared."""
        after = ActiveSensors.__new__(ActiveSensors)
        vars(after).update(vars(self))
        after._rngs, after._departures = dict(self._rngs), dict(self._departures)
        after._sensors = {key: active.copy() for key, active in self._sensors.items()}
        after._groups = {
            phase: ReadingGroup(group.clock, [after._sensors[one.key] for one in group.sensors])
            for phase, group in self._groups.items()
        }
        after._unread = [after._sensors[active.key] for active in self._unread]
        return after

    def _rebind(self, scene: Scene, step: int) -> None:
        before, self._sensors = self._sensors, {}
        self._remove_generators(self._robots - scene.robots.keys())
        self._robots = set(scene.robots)
        new: dict[tuple[str, type, float], list[ActiveSensor]] = {}
        for key, binding in (self._bindings.pop(scene, None) or bindings(scene)).items():
            rate_hz = self._rates.get(key, binding.rate_hz)
            active = before.pop(key, None)
            if active is None:
                active = ActiveSensor(key, binding, self._generator(key), step, rate_hz)
                new.setdefault((active.robot, binding.kind, rate_hz), []).append(active)
            else:
                active.rebind(binding)
                if rate_hz != active.rate_hz:
                    self._change_rate(active, rate_hz, step, scene.timestep)
            self._sensors[key] = active
        for gone in before.values():
            self._leave_group(gone)
        self._allocate_phases(new, step, scene.timestep)
        self._agenda = [
            (group.clock.due, number, group) for number, group in enumerate(self._groups.values())
        ]
        heapq.heapify(self._agenda)
        unread = [active for active in self._unread if active.key not in before]
        self._unread = [*unread, *(active for sensors in new.values() for active in sensors)]
        self._prepared_rngs.clear()
        self.due = step

    def _allocate_phases(
        self, new: Mapping[tuple[str, type, float], list[ActiveSensor]], step: int, timestep: float
    ) -> None:
        """Assign sensors that were added at ``step`` to phases.

        Sensors of one kind are read together; those of other kinds, and of robots that joined at
        other times, at other steps, as real ones: reading all in one step would delay a paced
        simulation. At step 0 all sensors begin at once, in any order of joining.
        """
        allocator = SensorPhaseAllocator(
            self._groups.values(), step, timestep, [rate for _, _, rate in new]
        )
        for (_, _, rate_hz), sensors in new.items():
            since = step + (allocator.allocate(rate_hz) if step else 0)
            for active in sensors:
                active.since = since
                self._join_group(active, timestep)
            allocator.add(self._groups[rate_hz, since], len(sensors))

    def _remove_generators(self, robots: set[str]) -> None:
        """Remove the random generators of robots that left."""
        if robots:
            self._rngs = {key: rng for key, rng in self._rngs.items() if key[0] not in robots}
            for robot in robots:
                self._departures[robot] = self._departures.get(robot, 0) + 1

    def _generator_name(self, key: Key) -> str:
        """Return the name of a sensor's random generator; another one each time a robot joins."""
        name, before = "/".join(key), self._departures.get(key[0], 0)
        return f"{name}#{before}" if before else name

    def _generator(self, key: Key) -> np.random.Generator:
        """Return a sensor's random generator, the prepared one if there is one."""
        if key not in self._rngs:
            name = self._generator_name(key)
            made = self._prepared_rngs.pop(name, None)
            self._rngs[key] = generator(self._seed, name) if made is None else made
        return self._rngs[key]

    def _join_group(self, active: ActiveSensor, timestep: float) -> None:
        """Add ``active`` to the group of its phase."""
        phase = active.phase
        if phase not in self._groups:
            clock = Clock(active.rate_hz, timestep, active.since)
            self._groups[phase] = ReadingGroup(clock)
        self._groups[phase].add(active)

    def _leave_group(self, active: ActiveSensor) -> None:
        """Remove ``active`` from its group, and the group if it is empty then."""
        group = self._groups[active.phase]
        group.remove(active)
        if not group.sensors:
            del self._groups[active.phase]

    def _change_rate(
        self, active: ActiveSensor, rate_hz: float, step: int, timestep: float
    ) -> None:
        """Read ``active`` at another rate from the next step on.

        It may have been read at this ``step`` already.
        """
        self._leave_group(active)
        active.rate_hz, active.since = rate_hz, step + 1
        self._join_group(active, timestep)

    def read_due(self, step: int, context: SensorContext) -> None:
        """Read every sensor that is due at ``step``, and new sensors without a reading.

        What a new sensor measures before its phase begins is available to `read`, but not to
        `drain_readings`. Ray-casting sensors, which take as long as a step, wait for their phase or
        for the first call of `measure_first`.
        """
        due, needs = self._pop_due(step), 0
        unread = [active for active in self._unread if active.binding.rays is None]
        for group in due:
            needs |= group.needs
        for active in unread:
            needs |= active.binding.needs
        _derive(context, needs)
        for group in due:
            if group.ray_batch:
                group.ray_batch.cast(context)
            for active in group.sensors:
                self._measure(active, context)
        for active in unread:
            if active.has_no_reading:  # its group was not due
                active.measure(context)
        self._unread = [active for active in self._unread if active.has_no_reading]
        self.due = self._agenda[0][0] if self._agenda else NEVER

    def _pop_due(self, step: int) -> list[ReadingGroup]:
        """Return the groups that are due at ``step`` and schedule their next readings."""
        due = []
        while self._agenda and self._agenda[0][0] <= step:
            _, number, group = self._agenda[0]
            group.clock.tick()
            heapq.heapreplace(self._agenda, (group.clock.due, number, group))
            due.append(group)
        return due

    def read(self, robot: str, sensor: str, time: float) -> Reading:
        """Return the newest reading available at ``time``."""
        return self._sensors[robot, sensor].read(time)

    def measure(self, robot: str, sensor: str, context: SensorContext) -> None:
        """Read one sensor now, in addition to its schedule."""
        active = self._sensors[robot, sensor]
        _derive(context, active.binding.needs)
        self._measure(active, context)

    def measure_first(self, robot: str, sensor: str, context: SensorContext) -> None:
        """Read a sensor without a reading, for `read` but not for `drain_readings`."""
        active = self._sensors[robot, sensor]
        _derive(context, active.binding.needs)
        active.measure(context)

    def collect(self, wanted: bool) -> None:
        """Store readings for `drain_readings` from now on, or no more: then there is no cost."""
        self._pending = (self._pending or []) if wanted else None

    def drain_readings(self, time: float) -> list[tuple[str, Reading]]:
        """Return robot and reading of all readings that became available since the last call."""
        pending, latest = self._pending or [], time + 1e-9
        arrived = sorted(one for one in pending if one[0] <= latest)
        self._pending = [one for one in pending if one[0] > latest]
        return [(robot, reading) for _, _, robot, reading in arrived]

    def _measure(self, active: ActiveSensor, context: SensorContext) -> None:
        reading = active.measure(context)
        if self._pending is not None:
            self._count += 1
            arrives = reading.time + active.binding.delay
            self._pending.append((arrives, self._count, active.robot, reading))


def _derive(context: SensorContext, needs: int) -> None:
    """Update the derived quantities in ``needs``: after a step they are those before it."""
    if not needs:
        return
    model, data = context.model, context.data
    mujoco.mj_kinematics(model, data)
    if needs & ~Needs.POSES:
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
    if needs & Needs.ACCELERATIONS:
        mujoco.mj_rnePostConstraint(model, data)
