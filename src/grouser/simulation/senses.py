"""The senses of everybody in a scene: who is due, what was said, what is still on its way.

A sensor reads at its own rate and with its own random numbers; a reading can be read its sensor's
delay after it was measured. Before the first one has arrived the sensor says what it would have
said had it been on before the start, in a world that stood still.
"""

from __future__ import annotations

import mujoco
import numpy as np

from grouser.sensors.sensor import BoundSensor, Moment, Needs, Reading, Remembering
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
        phases = _phases(scene) if step else {}
        for key, (sensor, bound) in scene.sensors.items():
            rng = self._rngs.setdefault(key, generator(self._seed, "/".join(key)))
            since = step + round(phases.get(key, 0.0) / (sensor.rate_hz * timestep))
            sense = _Sense(key, sensor.delay_s, bound, rng, since)
            if key in before:
                sense.carry(before[key])
            self._senses[key] = sense
            beat = sensor.rate_hz, sense.since
            if beat not in self._rhythms:
                # One that was read at this very step must not be read at it again.
                was = beaten.get(beat)
                clock = was.clock if was else Clock(sensor.rate_hz, timestep, sense.since)
                self._rhythms[beat] = _Rhythm(clock)
            self._rhythms[beat].add(sense)
        self._mute = [sense for sense in self._senses.values() if sense.mute]
        self.due = step

    def look(self, step: int, moment: Moment) -> None:
        """Read every sensor that is due at ``step``, and every one that has said nothing yet."""
        due = [rhythm for rhythm in self._rhythms.values() if rhythm.clock.due <= step]
        needs = 0
        for rhythm in due:
            needs |= rhythm.needs
        for sense in self._mute:
            needs |= sense.needs
        if needs:
            _derive(moment.model, moment.data, needs)
        for rhythm in due:
            for sense in rhythm.senses:
                self._look(sense, moment)
            rhythm.clock.tick()
        for sense in self._mute:
            if sense.mute:  # its rhythm was not due
                self._look(sense, moment)
        self._mute = []
        self.due = min([rhythm.clock.due for rhythm in self._rhythms.values()], default=NEVER)

    def read(self, robot: str, sensor: str, time: float) -> Reading:
        """Return the newest reading that has arrived by ``time``."""
        return self._senses[robot, sensor].read(time)

    def measure(self, robot: str, sensor: str, moment: Moment) -> None:
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

    def _look(self, sense: _Sense, moment: Moment) -> None:
        reading = sense.look(moment)
        if self._news is not None:
            self._count += 1
            self._news.append((reading.time + sense.delay, self._count, sense.robot, reading))


class _Sense:
    """One sensor that is being read."""

    def __init__(
        self, key: Key, delay: float, bound: BoundSensor, rng: np.random.Generator, since: int
    ) -> None:
        self.robot, self._name = key
        self.delay, self.since = delay, since
        self._bound, self._rng = bound, rng
        self.needs = int(bound.needs)
        self._said: list[Reading] = []
        """The newest reading that has arrived, then those still on their way."""

    @property
    def mute(self) -> bool:
        """Whether it has said nothing yet."""
        return not self._said

    def look(self, moment: Moment) -> Reading:
        time = moment.time
        reading = Reading(self._name, time, self._bound.read(moment, self._rng))
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
        if isinstance(self._bound, Remembering) and isinstance(before._bound, Remembering):
            self._bound.memory = before._bound.memory

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

    def add(self, sense: _Sense) -> None:
        self.senses.append(sense)
        self.needs |= sense.needs


def _phases(scene: Scene) -> dict[Key, float]:
    """Return by which part of its period each sensor is read later than its robot's first.

    Sensors of one kind are read together, those of different kinds in turns, as on a real robot:
    all at once would hold up whoever paces the simulation.
    """
    kinds: dict[str, list[type]] = {}
    for (robot, _), (sensor, _) in scene.sensors.items():
        if type(sensor) not in kinds.setdefault(robot, []):
            kinds[robot].append(type(sensor))
    return {
        key: kinds[key[0]].index(type(sensor)) / len(kinds[key[0]])
        for key, (sensor, _) in scene.sensors.items()
    }


def _derive(model: mujoco.MjModel, data: mujoco.MjData, needs: int) -> None:
    """Bring what ``needs`` names up to date: after a step, it belongs to the state before it."""
    mujoco.mj_kinematics(model, data)
    if needs & ~Needs.PLACES:
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
    if needs & Needs.ACCELERATIONS:
        mujoco.mj_rnePostConstraint(model, data)
