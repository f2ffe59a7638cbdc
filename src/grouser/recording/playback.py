"""Playback: the recorded states of a run, shown without simulating them again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.recording.items import OWN
from grouser.recording.recording import Recording
from grouser.simulation.simulation import Simulation
from grouser.world.file import World


@dataclass(frozen=True)
class RecordedState:
    """Joint positions at one instant."""

    time: float
    """Simulated time since the simulation was created, s."""
    scene: int
    """Number of the scene."""
    qpos: Array
    mocap: Array
    """Positions (n, 3) and then orientations (n, 4) of moved bodies, flat."""


class Playback:
    """Recorded states in the order of time; `show` sets one of them.

    Args:
        recording: an open recording.

    Raises:
        BadValue: the recording has no states.
    """

    def __init__(self, recording: Recording) -> None:
        self._folder = recording.folder
        self._worlds = {number: world for number, _, world in recording.scenes()}
        self._states = [
            RecordedState(one.time / 10**9, one.content.scene, one.content.qpos, one.content.mocap)
            for one in recording.messages(f"{OWN}state")
        ]
        if not self._states:
            raise BadValue(f"{recording.folder}: has no states to play")
        self._times = [state.time for state in self._states]
        self._shown: tuple[int, Simulation] | None = None
        self._follow: str | None = None

    @property
    def begin(self) -> float:
        """Time of the first state, s."""
        return self._times[0]

    @property
    def end(self) -> float:
        """Time of the last state, s."""
        return self._times[-1]

    def states(self) -> Iterator[RecordedState]:
        """Yield all states."""
        yield from self._states

    def follow_next(self) -> None:
        """Follow the next robot of the present scene with the camera."""
        if self._shown is not None:
            robots = list(self._shown[1].scene.robots)
            at = robots.index(self._follow) + 1 if self._follow in robots else 0
            self._follow = robots[at % len(robots)] if robots else None
            self._shown = None

    def _world(self, state: RecordedState) -> World:
        """Return the world of a state."""
        if state.scene not in self._worlds:
            raise BadValue(f"{self._folder}: has no world for the state at {state.time:.3f} s")
        return self._worlds[state.scene]

    def show(self, time: float) -> Simulation:
        """Return a simulation in the last state that is not after ``time`` (s).

        It is for pictures only: velocities and everything else are those of its start.
        """
        state = self._states[max(0, bisect_right(self._times, time + 1e-9) - 1)]
        if self._shown is None or self._shown[0] != state.scene:
            world = self._world(state)
            if self._follow in [entry.name for entry in world.robots]:
                view = world.view.model_copy(update={"follow": self._follow, "lookat": None})
                world = world.changed(view=view)
            self._shown = state.scene, Simulation(world, crash_folder=None)
        simulation = self._shown[1]
        data = simulation.state.data
        moved = len(data.mocap_pos)
        if len(state.qpos) != len(data.qpos) or len(state.mocap) != 7 * moved:
            raise BadValue(f"{self._folder}: the state at {state.time:.3f} s has another size")
        data.qpos[:] = state.qpos
        data.mocap_pos[:] = state.mocap[: 3 * moved].reshape(-1, 3)
        data.mocap_quat[:] = state.mocap[3 * moved :].reshape(-1, 4)
        data.time = state.time
        return simulation


def sample_times(begin: float, end: float, rate_hz: float) -> Array:
    """Return times from ``begin`` to ``end`` (s)."""
    return begin + np.arange(int((end - begin) * rate_hz + 1e-9) + 1) / rate_hz
