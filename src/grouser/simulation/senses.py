"""The senses of everybody in a scene: who is due, what was said, what is still on its way.

A sensor reads at its own rate and with its own random numbers; a reading can be read its sensor's
delay after it was measured. Before the first one has arrived the sensor says what it would have
said had it been on before the start, in a world that stood still.
"""

from __future__ import annotations

from collections import deque

import mujoco
import numpy as np

from grouser.sensors.sensor import BoundSensor, Moment, Needs, Reading, Remembering
from grouser.simulation.scene import Scene
from grouser.simulation.schedule import Clock, generator

NEVER = 2**62
"""A step that no run gets to."""

Key = tuple[str, str]
"""Names of a robot and of a sensor on it."""


class Senses:
    """All sensors of a run, through everybody's joining and leaving."""

    def __init__(self, seed: int) -> None:
        """Feel nothing yet; ``seed`` decides all errors."""
        self._seed = seed
        self._rngs: dict[Key, np.random.Generator] = {}
        self._senses: dict[Key, _Sense] = {}
        self.due = NEVER
        """The step at which the next reading is due."""

    def take(self, scene: Scene, step: int) -> None:
        """Go on in ``scene``: who was there before keeps what it said and what it remembers."""
        before, timestep = self._senses, float(scene.model.opt.timestep)
        self._senses = {}
        for key, (sensor, bound) in scene.sensors.items():
            rng = self._rngs.setdefault(key, generator(self._seed, "/".join(key)))
            clock = Clock(sensor.rate_hz, timestep)
            clock.start(step)
            sense = _Sense(sensor.name, sensor.delay_s, bound, clock, rng)
            if key in before:
                sense.carry(before[key])
            self._senses[key] = sense
        self.due = step

    def look(self, step: int, moment: Moment) -> None:
        """Read every sensor that is due at ``step``, and every one that has said nothing yet."""
        due = [sense for sense in self._senses.values() if sense.clock.due <= step or sense.mute]
        needs = 0
        for sense in due:
            needs |= sense.needs
        if needs:
            _derive(moment.model, moment.data, needs)
        for sense in due:
            sense.look(moment)
            if sense.clock.due <= step:
                sense.clock.tick()
        self.due = min((sense.clock.due for sense in self._senses.values()), default=NEVER)

    def read(self, robot: str, sensor: str, time: float) -> Reading:
        """Return the newest reading that has arrived by ``time``."""
        return self._senses[robot, sensor].read(time)


class _Sense:
    """One sensor that is being read."""

    def __init__(
        self, name: str, delay: float, bound: BoundSensor, clock: Clock, rng: np.random.Generator
    ) -> None:
        self._name, self._delay, self._bound, self._rng = name, delay, bound, rng
        self.clock, self.needs = clock, int(bound.needs)
        self._said: deque[Reading] = deque()
        """The newest reading that has arrived, then those still on their way."""

    @property
    def mute(self) -> bool:
        """Whether it has said nothing yet."""
        return not self._said

    def look(self, moment: Moment) -> None:
        time = float(moment.data.time)
        reading = Reading(self._name, time, self._bound.read(moment, self._rng))
        if not self._delay:
            self._said.clear()
        elif not self._said:
            self._said.append(Reading(self._name, time - self._delay, reading.values))
        self._said.append(reading)
        self._arrive(time)

    def read(self, time: float) -> Reading:
        self._arrive(time)
        return self._said[0]

    def carry(self, before: _Sense) -> None:
        self._said, self.clock = before._said, before.clock
        if isinstance(self._bound, Remembering) and isinstance(before._bound, Remembering):
            self._bound.memory = before._bound.memory

    def _arrive(self, time: float) -> None:
        """Let go of readings that a newer one has overtaken by ``time``."""
        said, latest = self._said, time - self._delay + 1e-9
        while len(said) > 1 and said[1].time <= latest:
            said.popleft()


def _derive(model: mujoco.MjModel, data: mujoco.MjData, needs: int) -> None:
    """Bring what ``needs`` names up to date: after a step, it belongs to the state before it."""
    mujoco.mj_kinematics(model, data)
    if needs & ~Needs.PLACES:
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
    if needs & Needs.ACCELERATIONS:
        mujoco.mj_rnePostConstraint(model, data)
