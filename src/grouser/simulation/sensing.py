"""The senses of everybody in a scene: who is due, what was said, what is still on its way.

A sensor reads at its own rate and with its own random numbers; a reading can be read its sensor's
delay after it was measured. Before the first one has arrived the sensor says what it would have
said had it been on before the start, in a world that stood still.
"""

from __future__ import annotations

import heapq
from functools import cached_property

import mujoco
import numpy as np

from grouser.sensors.rays import RangingSensor, RayBatch
from grouser.sensors.sensor import (
    BoundSensor,
    Needs,
    Reading,
    Sensor,
    SensorContext,
    StatefulSensor,
)
from grouser.simulation.scene import Scene
from grouser.simulation.schedule import Clock, generator

NEVER = 2**62
"""A step that no run gets to."""

Key = tuple[str, str]
"""Names of a robot and of a sensor on it."""

News = tuple[float, int, str, Reading]
"""When a reading can be read (s), its number among all, its robot, and itself."""


class Senses:
    """All sensors of a run, through everybody's joining and leaving."""

    def __init__(self, seed: int) -> None:
        """Feel nothing yet; ``seed`` decides all errors."""
        self._seed = seed
        self._rngs: dict[Key, np.random.Generator] = {}
        self._senses: dict[Key, _Sense] = {}
        self._rhythms: dict[tuple[float, int], _Rhythm] = {}
        """By rate and by the step at which they are read first: sensors of robots that came at
        different times are read at different times, as those of real ones."""
        self._agenda: list[tuple[int, int, _Rhythm]] = []
        """A heap: when rhythms are due, their numbers, and themselves."""
        self._mute: list[_Sense] = []
        """Those that have said nothing yet."""
        self._news: list[News] | None = None
        """What has been said since `fresh` was last called; None: nobody ever called it."""
        self._count = 0
        """Readings that were kept for `fresh` so far."""
        self.due = NEVER
        """The step at which the next reading is due."""

    def take(self, scene: Scene, step: int) -> None:
        """Go on in ``scene``: who was there before keeps what it said and what it remembers."""
        before, beaten, timestep = self._senses, self._rhythms, float(scene.model.opt.timestep)
        self._senses, self._rhythms = {}, {}
        new: dict[tuple[str, type, float], list[_Sense]] = {}
        for key, (sensor, bound) in scene.sensors.items():
            rng = self._rngs.setdefault(key, generator(self._seed, "/".join(key)))
            self._senses[key] = sense = _Sense(key, sensor, bound, rng, step)
            if key in before:
                sense.carry(before[key])
                self._beat(sense, beaten, timestep)
            else:
                new.setdefault((sense.robot, type(sensor), sensor.rate_hz), []).append(sense)
        for (_, _, rate_hz), senses in new.items():
            # Sensors of one kind are read together, those of different kinds and of robots that
            # came at different times in turns, as real ones: all at once would hold up whoever
            # paces the simulation. At the start everybody begins at once, whoever came first.
            since = step + (self._quietest(step, rate_hz * timestep) if step else 0)
            for sense in senses:
                sense.since = since
                self._beat(sense, beaten, timestep)
        self._agenda = [
            (rhythm.clock.due, number, rhythm)
            for number, rhythm in enumerate(self._rhythms.values())
        ]
        heapq.heapify(self._agenda)
        self._mute = [sense for sense in self._senses.values() if sense.mute]
        self.due = step

    def _beat(
        self, sense: _Sense, beaten: dict[tuple[float, int], _Rhythm], timestep: float
    ) -> None:
        """Let ``sense`` be read in its rhythm; ``beaten``: the rhythms there were before."""
        beat = sense.rate_hz, sense.since
        if beat not in self._rhythms:
            # One that was read at this very step must not be read at it again.
            was = beaten.get(beat)
            clock = was.clock if was else Clock(sense.rate_hz, timestep, sense.since)
            self._rhythms[beat] = _Rhythm(clock)
        self._rhythms[beat].add(sense)

    def _quietest(self, step: int, readings_per_step: float) -> int:
        """Return after how many steps, within a period from ``step``, fewest sensors are read."""
        period = max(1, round(1 / readings_per_step))
        load = [0] * (period + 1)
        for rhythm in self._rhythms.values():
            for due in rhythm.clock.coming(step + period + 1):
                load[max(0, due - step)] += len(rhythm.senses)
        return min(range(1, period + 1), key=load.__getitem__)

    def look(self, step: int, moment: SensorContext) -> None:
        """Read every sensor that is due at ``step``, and every one that has said nothing yet."""
        due, needs = self._begin(step), 0
        for rhythm in due:
            needs |= rhythm.needs
        for sense in self._mute:
            needs |= sense.needs
        if needs:
            _derive(moment.model, moment.data, needs)
        for rhythm in due:
            if rhythm.volley:
                rhythm.volley.cast(moment)
            for sense in rhythm.senses:
                self._look(sense, moment)
        for sense in self._mute:
            if sense.mute:  # its rhythm was not due
                self._look(sense, moment)
        self._mute = []
        self.due = self._agenda[0][0] if self._agenda else NEVER

    def _begin(self, step: int) -> list[_Rhythm]:
        """Return which rhythms are due at ``step``; each goes on to when it is due again."""
        due = []
        while self._agenda and self._agenda[0][0] <= step:
            _, number, rhythm = self._agenda[0]
            rhythm.clock.tick()
            heapq.heapreplace(self._agenda, (rhythm.clock.due, number, rhythm))
            due.append(rhythm)
        return due

    def read(self, robot: str, sensor: str, time: float) -> Reading:
        """Return the newest reading that has arrived by ``time``."""
        return self._senses[robot, sensor].read(time)

    def measure(self, robot: str, sensor: str, moment: SensorContext) -> None:
        """Read one sensor now, out of turn."""
        sense = self._senses[robot, sensor]
        if sense.needs:
            _derive(moment.model, moment.data, sense.needs)
        self._look(sense, moment)

    def fresh(self, time: float) -> list[tuple[str, Reading]]:
        """Return whose readings have arrived since the last call, and them, in their order.

        The first call begins to keep them; until then they cost nothing.
        """
        news, latest = self._news or [], time + 1e-9
        arrived = sorted(new for new in news if new[0] <= latest)
        self._news = [new for new in news if new[0] > latest]
        return [(robot, reading) for _, _, robot, reading in arrived]

    def _look(self, sense: _Sense, moment: SensorContext) -> None:
        reading = sense.look(moment)
        if self._news is not None:
            self._count += 1
            self._news.append((reading.time + sense.delay, self._count, sense.robot, reading))


class _Sense:
    """One sensor that is being read."""

    def __init__(
        self, key: Key, sensor: Sensor, bound: BoundSensor, rng: np.random.Generator, since: int
    ) -> None:
        self.robot, self._name = key
        self.delay, self.rate_hz, self.since = sensor.delay_s, sensor.rate_hz, since
        self.bound, self._rng = bound, rng
        self.needs = int(bound.needs)
        self._said: list[Reading] = []
        """The newest reading that has arrived, then those still on their way."""

    @property
    def mute(self) -> bool:
        """Whether it has said nothing yet."""
        return not self._said

    def look(self, moment: SensorContext) -> Reading:
        time = moment.time
        reading = Reading(self._name, time, self.bound.read(moment, self._rng))
        if not self.delay:
            self._said = [reading]
            return reading
        if not self._said:
            self._said.append(Reading(self._name, time - self.delay, reading.values))
        self._said.append(reading)
        self._arrive(time)
        return reading

    def read(self, time: float) -> Reading:
        self._arrive(time)
        return self._said[0]

    def carry(self, before: _Sense) -> None:
        self._said, self.since = before._said, before.since
        if isinstance(self.bound, StatefulSensor) and isinstance(before.bound, StatefulSensor):
            self.bound.memory = before.bound.memory

    def _arrive(self, time: float) -> None:
        """Let go of readings that a newer one has overtaken by ``time``."""
        said, latest = self._said, time - self.delay + 1e-9
        while len(said) > 1 and said[1].time <= latest:
            del said[0]


class _Rhythm:
    """Sensors that are read at the same steps."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.needs = clock, 0
        self.senses: list[_Sense] = []

    @cached_property
    def volley(self) -> RayBatch | None:
        """All rays that its sensors send out, once everybody has been added."""
        bundles = [
            sense.bound.bundle for sense in self.senses if isinstance(sense.bound, RangingSensor)
        ]
        return RayBatch(bundles) if bundles else None

    def add(self, sense: _Sense) -> None:
        self.senses.append(sense)
        self.needs |= sense.needs


def _derive(model: mujoco.MjModel, data: mujoco.MjData, needs: int) -> None:
    """Bring what ``needs`` names up to date: after a step, it belongs to the state before it."""
    mujoco.mj_kinematics(model, data)
    if needs & ~Needs.PLACES:
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
    if needs & Needs.ACCELERATIONS:
        mujoco.mj_rnePostConstraint(model, data)
