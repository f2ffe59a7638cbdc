"""The sensors of everybody in a scene: who is due, what was said, what is still on its way.

A sensor reads at its own rate and with its own random numbers; a reading can be read its sensor's
delay after it was measured. Before the first one has arrived the sensor says what it would have
said had it been on before the start, in a world that stood still.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from weakref import WeakKeyDictionary

import mujoco
import numpy as np

from grouser.sensors.sensor import Needs, Reading, SensorContext
from grouser.simulation.active_sensor import ActiveSensor, Key, Rhythm, SensorBinding, bindings
from grouser.simulation.reading_group import QuietSteps, ReadingGroup
from grouser.simulation.scene import Scene
from grouser.simulation.schedule import NEVER, Clock, generator

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
        self._bindings: WeakKeyDictionary[Scene, dict[Key, SensorBinding]] = WeakKeyDictionary()
        """Sensors of scenes that may come; looked up beforehand."""
        self._departures: dict[str, int] = {}
        """How often robots have left: one that comes again must not hear the same errors again."""
        self._robots: set[str] = set()
        self._sensors: dict[Key, ActiveSensor] = {}
        self._groups: dict[Rhythm, ReadingGroup] = {}
        """Sensors of robots that came at different times are read at different times, as those of
        real ones."""
        self._agenda: list[tuple[int, int, ReadingGroup]] = []
        """A heap: when rhythms are due, their numbers, and themselves."""
        self._silent: list[ActiveSensor] = []
        """Those that have said nothing yet."""
        self._kept: list[KeptReading] | None = None
        """What was said since `drain_readings` was last called; None: nobody ever called it."""
        self._count = 0
        """Readings that were kept for `drain_readings` so far."""
        self.due = NEVER
        """The step at which the next reading is due."""

    def is_silent(self, robot: str, sensor: str) -> bool:
        """Whether a sensor has just come and has said nothing yet."""
        return bool(self._silent) and self._sensors[robot, sensor].silent

    def look_ahead(self, scene: Scene) -> None:
        """Make ready what sensors of newcomers need in a scene to come; any thread may call it."""
        for key, (_, bound) in scene.sensors.items():
            if key not in self._rngs:
                name = self._generator_name(key)
                self._ready[name] = generator(self._seed, name)
                if hasattr(bound, "bundle"):
                    assert bound.bundle.cone  # worked out now
        self._bindings[scene] = bindings(scene)

    def rebind(self, scene: Scene, step: int) -> None:
        """Rebind to a recomposed scene.

        Who was there before keeps what it said, what it remembers and its rhythm.
        """
        before, self._sensors = self._sensors, {}
        self._forget(self._robots - scene.robots.keys())
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
                    self._change_rhythm(active, rate_hz, step, scene.timestep)
            self._sensors[key] = active
        for gone in before.values():
            self._leave_group(gone)
        for group in self._groups.values():
            group.renew()
        self._begin_rhythms(new, step, scene.timestep)
        self._agenda = [
            (group.clock.due, number, group) for number, group in enumerate(self._groups.values())
        ]
        heapq.heapify(self._agenda)
        silent = [active for active in self._silent if active.key not in before]
        self._silent = [*silent, *(active for sensors in new.values() for active in sensors)]
        self._ready.clear()
        self.due = step

    def _begin_rhythms(
        self, new: Mapping[tuple[str, type, float], list[ActiveSensor]], step: int, timestep: float
    ) -> None:
        """Let sensors that came at ``step`` be read from then on, or soon.

        Sensors of one kind are read together, those of different kinds and of robots that came at
        different times in turns, as real ones: all at once would hold up whoever paces the
        simulation. At the start everybody begins at once, whoever came first.
        """
        quiet = QuietSteps(self._groups.values(), step, timestep, [rate for _, _, rate in new])
        for (_, _, rate_hz), sensors in new.items():
            since = step + (quiet.find(rate_hz) if step else 0)
            for active in sensors:
                active.since = since
                self._join_group(active, timestep)
            quiet.note(self._groups[rate_hz, since], len(sensors))

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

    def _generator(self, key: Key) -> np.random.Generator:
        """Return a sensor's random numbers, those that were made ready if there are any."""
        if key not in self._rngs:
            name = self._generator_name(key)
            made = self._ready.pop(name, None)
            self._rngs[key] = generator(self._seed, name) if made is None else made
        return self._rngs[key]

    def _join_group(self, active: ActiveSensor, timestep: float) -> None:
        """Let ``active`` be read with those of its rhythm."""
        rhythm = active.rhythm
        if rhythm not in self._groups:
            clock = Clock(active.rate_hz, timestep, active.since)
            self._groups[rhythm] = ReadingGroup(clock)
        self._groups[rhythm].add(active)

    def _leave_group(self, active: ActiveSensor) -> None:
        """Let ``active`` be read no more; a rhythm that nobody keeps is forgotten."""
        group = self._groups[active.rhythm]
        group.remove(active)
        if not group.sensors:
            del self._groups[active.rhythm]

    def _change_rhythm(
        self, active: ActiveSensor, rate_hz: float, step: int, timestep: float
    ) -> None:
        """Let ``active`` be read at another rate from the next step on.

        At this very ``step`` it may have been read.
        """
        self._leave_group(active)
        active.rate_hz, active.since = rate_hz, step + 1
        self._join_group(active, timestep)

    def read_due(self, step: int, context: SensorContext) -> None:
        """Read every sensor that is due at ``step``, and those that have said nothing yet.

        What a newcomer's sensors measure before their rhythm begins can be read, but is not among
        `drain_readings`: from its first reading there on, a sensor keeps its rhythm. Those that
        cast rays, which takes as long as a beat, wait for it, or until somebody asks.
        """
        due, needs = self._begin(step), 0
        silent = [active for active in self._silent if active.binding.rays is None]
        for group in due:
            needs |= group.needs
        for active in silent:
            needs |= active.binding.needs
        _derive(context, needs)
        for group in due:
            if group.volley:
                group.volley.cast(context)
            for active in group.sensors:
                self._measure(active, context)
        for active in silent:
            if active.silent:  # its group was not due: something to read, not yet to be sent
                active.measure(context)
        self._silent = [active for active in self._silent if active.silent]
        self.due = self._agenda[0][0] if self._agenda else NEVER

    def _begin(self, step: int) -> list[ReadingGroup]:
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
        _derive(context, active.binding.needs)
        self._measure(active, context)

    def measure_silent(self, robot: str, sensor: str, context: SensorContext) -> None:
        """Let a sensor that has said nothing yet measure something to read, not to be sent."""
        active = self._sensors[robot, sensor]
        _derive(context, active.binding.needs)
        active.measure(context)

    def drain_readings(self, time: float) -> list[tuple[str, Reading]]:
        """Return whose readings have arrived since the last call, and them, in their order.

        The first call begins to keep them; until then they cost nothing.
        """
        kept, latest = self._kept or [], time + 1e-9
        arrived = sorted(one for one in kept if one[0] <= latest)
        self._kept = [one for one in kept if one[0] > latest]
        return [(robot, reading) for _, _, robot, reading in arrived]

    def _measure(self, active: ActiveSensor, context: SensorContext) -> None:
        reading = active.measure(context)
        if self._kept is not None:
            self._count += 1
            arrives = reading.time + active.binding.delay
            self._kept.append((arrives, self._count, active.robot, reading))


def _derive(context: SensorContext, needs: int) -> None:
    """Bring what ``needs`` names up to date: after a step, it belongs to the state before it."""
    if not needs:
        return
    model, data = context.model, context.data
    mujoco.mj_kinematics(model, data)
    if needs & ~Needs.POSES:
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
    if needs & Needs.ACCELERATIONS:
        mujoco.mj_rnePostConstraint(model, data)
