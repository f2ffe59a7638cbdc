"""Timelines: poses of earlier times, of a running session or of a recording."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol
from weakref import WeakValueDictionary

import mujoco

from grouser.gateways.page.quantised import PoseWords, quantise
from grouser.gateways.page.scene_description import SceneDescription, describe_scene
from grouser.gateways.page.session_events import SessionEvent
from grouser.simulation.scene import Scene
from grouser.simulation.simulation import Simulation

RATE_HZ = 25.0
"""Stored states per simulated second of a session."""
MOST_BYTES = 64 * 2**20
"""Largest size of the stored poses of a session; the oldest ones are dropped."""


@dataclass(frozen=True, eq=False)
class NumberedScene:
    """Description of a scene, with its number in frames."""

    number: int
    description: SceneDescription


@dataclass(frozen=True, eq=False)
class PoseState:
    """Poses of all bodies at one time."""

    time: float
    """Simulated time of the session, s; unlike that of the world, a reset does not set it back."""
    scene: NumberedScene
    words: PoseWords


class Timeline(Protocol):
    """States of a session or recording by time."""

    @property
    def begin(self) -> float:
        """Time of the first state, s."""
        ...

    @property
    def end(self) -> float:
        """Time of the last state, s."""
        ...

    def at(self, time: float) -> PoseState | None:
        """Return the last state that is not after ``time``, or the first; None: there is none."""
        ...


class SceneNumbers:
    """Descriptions of the scenes that are shown; equal scenes have one number.

    Those that neither a client nor a timeline uses any longer are forgotten.
    """

    def __init__(self) -> None:
        self._by_digest: WeakValueDictionary[str, NumberedScene] = WeakValueDictionary()
        self._numbers = count(1)
        self._last: tuple[mujoco.MjModel, NumberedScene] | None = None

    def of(self, scene: Scene, data: mujoco.MjData) -> NumberedScene:
        """Return description and number of a scene, whose bodies are as in ``data``."""
        if self._last is not None and self._last[0] is scene.model:
            return self._last[1]
        made = describe_scene(scene, data)
        known = self._by_digest.get(made.digest) or NumberedScene(next(self._numbers), made)
        self._by_digest[made.digest] = known
        self._last = scene.model, known
        return known


def gather(numbers: SceneNumbers, scene: Scene, data: mujoco.MjData, time: float) -> PoseState:
    """Return the poses of all bodies in ``data``."""
    numbered = numbers.of(scene, data)
    words = quantise(data.xpos, data.xquat, numbered.description.quantum)
    return PoseState(time, numbered, words)


class SessionTimeline:
    """The last minutes of a running session, in bounded memory."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._states: deque[PoseState] = deque()
        self._most, self.size = most_bytes, 0
        """Size of the stored poses, bytes."""

    @property
    def begin(self) -> float:
        """Time of the first state, s."""
        return self._states[0].time if self._states else 0.0

    @property
    def end(self) -> float:
        """Time of the last state, s."""
        return self._states[-1].time if self._states else 0.0

    def add(self, state: PoseState) -> None:
        """Store a state, unless the last one is less than a period old."""
        if self._states and state.time < self.end + 1 / RATE_HZ - 1e-9:
            return
        self._states.append(state)
        self.size += state.words.nbytes
        while self.size > self._most and len(self._states) > 1:
            self.size -= self._states.popleft().words.nbytes

    def at(self, time: float) -> PoseState | None:
        """Return the last state that is not after ``time``, or the first; None: there is none."""
        if not self._states:
            return None
        place = bisect_right(self._states, time + 1e-9, key=_time) - 1
        return self._states[max(0, place)]


def _time(state: PoseState) -> float:
    return state.time


@dataclass
class PlayPosition:
    """Time that one client is shown; it moves if it plays."""

    time: float
    """At `since`, s."""
    rate: float
    """Shown seconds per second of ``clock``."""
    clock: Callable[[], float]
    """Wall time, s."""

    def __post_init__(self) -> None:
        self.since = self.clock()

    def now(self, timeline: Timeline) -> float:
        """Return the time to be shown, within ``timeline``."""
        time = self.time + self.rate * (self.clock() - self.since)
        return min(timeline.end, max(timeline.begin, time))


class RecordedStates:
    """States of a recording, computed when they are shown.

    Args:
        begin: time of the first state, s.
        end: time of the last state, s.
        show: returns a simulation in the state at a time (s), for its poses only.
        events: of the recording, oldest first.
        ghost: a second recording, which is shown at the same time since its begin.
    """

    def __init__(
        self,
        begin: float,
        end: float,
        show: Callable[[float], Simulation],
        *,
        events: Sequence[SessionEvent] = (),
        ghost: RecordedStates | None = None,
    ) -> None:
        self._begin, self._end, self._show = begin, end, show
        self.events, self.ghost = events, ghost
        self.numbers = SceneNumbers()
        if ghost is not None:
            ghost.numbers = self.numbers
        self._last: PoseState | None = None

    @property
    def begin(self) -> float:
        """Time of the first state, s."""
        return self._begin

    @property
    def end(self) -> float:
        """Time of the last state, s."""
        return self._end

    def at(self, time: float) -> PoseState | None:
        """Return the last state that is not after ``time``, or the first."""
        simulation = self._show(time)
        simulation.state.update_kinematics()
        data = simulation.state.data
        state = gather(self.numbers, simulation.scene, data, float(data.time))
        last = self._last
        if last is not None and (last.time, last.scene) == (state.time, state.scene):
            return last
        self._last = state
        return state
