"""Gait execution: the state of all walking robots of a scene, advanced once per control interval.

Robots with equal gaits are evaluated in one call, for any number of robots and simulations; small
groups are evaluated several intervals in advance. A gait is inactive until its robot is commanded
with one of its inputs, and again after one of its drives is commanded directly.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from grouser.frames import Array
from grouser.physics.drives import Drives, DriveTargets, Number, TrackedDrives, speed
from grouser.physics.state import StateArrays, Which
from grouser.robots.robot import Gait, PhasedGait, Robot

INTERVALS = 8
"""Most control intervals that a gait is evaluated in advance; more save little."""
ROWS = 1024
"""Most states that are evaluated in one call; more save no time."""


class GaitCache:
    """Precomputed next states of robots with equal gaits, valid while their inputs stay equal.

    A gait is a pure function without feedback, and NumPy's overhead per call exceeds the cost of a
    few intervals. States are looked up by their bits, so that code which changes a state (restart,
    undo) needs no invalidation; a robot that stands still costs nothing.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._valid_for: tuple[bytes, float] | None = None
        self._next: dict[bytes, tuple[Array, Array]] = {}

    def advance(self, gait: Gait, state: Array, inputs: Array, every: float) -> tuple[Array, Array]:
        """Return the states (rows, k) after ``every`` seconds and their angles (rows, drives)."""
        now = inputs.tobytes(), every
        if now != self._valid_for:
            self._valid_for, self._next = now, {}
        found = self._next.get(state.tobytes())
        if found is None:
            self._precompute(gait, state, inputs, every)
            found = self._next[state.tobytes()]
        return found

    def _precompute(self, gait: Gait, state: Array, inputs: Array, every: float) -> None:
        """Evaluate intervals from ``state`` on, twice as many each time inputs stay equal.

        All angles come from one call; every row has the same bits as if evaluated alone.
        """
        ahead = max(1, min(2 * max(1, len(self._next)), INTERVALS, ROWS // len(state)))
        states = [state]
        for _ in range(ahead):
            states.append(gait.advance(states[-1], inputs, every))
        angles = gait.angles(np.concatenate(states[1:])).reshape(ahead, len(state), -1)
        self._next = {
            before.tobytes(): (after, targets)
            for before, after, targets in zip(states[:-1], states[1:], angles, strict=True)
        }


@dataclass(frozen=True)
class RunningGait:
    """State of the robots that share one gait; arrays with one row per simulation."""

    state: Array
    """Of the gait, (n, robots, k)."""
    inputs: Array
    """Commanded inputs, (n, robots, inputs)."""
    active: Array
    """True where the gait moves the robot, bool (n, robots)."""
    cache: GaitCache = field(default_factory=GaitCache, repr=False, compare=False)

    def clear(self, start: Array, which: Which | tuple[slice, int] = slice(None)) -> None:
        """Reset to standing still, inactive; ``which``: index of the rows, or of rows and robot."""
        self.state[which] = start
        self.inputs[which] = 0.0
        self.active[which] = False


@dataclass(frozen=True)
class _Group:
    """Robots with equal gaits."""

    gait: Gait
    robots: tuple[str, ...]
    tracked: TrackedDrives
    """Drives, robot by robot."""


class Gaits:
    """All gaits of a scene."""

    def __init__(self, robots: Mapping[str, Robot], drives: Drives) -> None:
        """Group robots with equal gaits and look up their drives."""
        self._drives = drives
        together: dict[Gait, list[str]] = {}
        for name, robot in robots.items():
            if robot.gait:
                together.setdefault(robot.gait, []).append(name)
        self._groups = tuple(
            _Group(
                gait,
                tuple(names),
                drives.tracked([f"{name}/{drive}" for name in names for drive in gait.drives]),
            )
            for gait, names in together.items()
        )
        self._where = {
            name: (number, column)
            for number, group in enumerate(self._groups)
            for column, name in enumerate(group.robots)
        }

    def __bool__(self) -> bool:
        return bool(self._groups)

    def start(self, simulations: int) -> tuple[RunningGait, ...]:
        """Return the state in which all robots stand still, one per kind of gait."""
        made = []
        for group in self._groups:
            start, robots = group.gait.start(), len(group.robots)
            running = RunningGait(
                np.zeros((simulations, robots, len(start))),
                np.zeros((simulations, robots, len(group.gait.inputs))),
                np.zeros((simulations, robots), bool),
            )
            running.clear(start)
            made.append(running)
        return tuple(made)

    def clear(self, running_gaits: Sequence[RunningGait], which: Which) -> None:
        """Reset the gaits of the simulations ``which``."""
        for group, running in zip(self._groups, running_gaits, strict=True):
            running.clear(group.gait.start(), which)

    def command(
        self,
        rows: StateArrays,
        targets: DriveTargets,
        running_gaits: Sequence[RunningGait],
        name: str,
        gait_inputs: Mapping[str, Number],
        which: Which = slice(None),
    ) -> None:
        """Set the inputs of the gait of robot ``name``; an inactive gait starts from standing."""
        number, column = self._where[name]
        group, running = self._groups[number], running_gaits[number]
        if not running.active[which, column].all():
            inactive = np.zeros(len(running.active), bool)
            inactive[which] = running.active[which, column] == 0
            standing = np.flatnonzero(inactive)
            for drive in group.gait.drives:
                # Switch the gains on in any mode of the drive; `apply` sets the targets.
                self._drives.command(rows, targets, f"{name}/{drive}", speed(0.0), standing)
            running.state[standing, column] = group.gait.start()
            running.active[standing, column] = True
        for number, key in enumerate(group.gait.inputs):
            running.inputs[which, column, number] = gait_inputs[key]

    def set_phase(
        self, running_gaits: Sequence[RunningGait], name: str, phase: float, which: Which
    ) -> None:
        """Set the gait of robot ``name`` to ``phase`` (rad), if it is a `PhasedGait`."""
        if name in self._where:
            number, column = self._where[name]
            gait = self._groups[number].gait
            if isinstance(gait, PhasedGait):
                running_gaits[number].state[which, column] = gait.at_phase(phase)

    def deactivate(
        self, running_gaits: Sequence[RunningGait], name: str, which: Which = slice(None)
    ) -> None:
        """Deactivate the gait of robot ``name``: its drives are commanded directly."""
        number, column = self._where[name]
        running_gaits[number].active[which, column] = False

    def reset(self, running_gaits: Sequence[RunningGait], name: str) -> None:
        """Reset the gait of robot ``name``, if it has one: standing still, inactive."""
        if name in self._where:
            number, column = self._where[name]
            start = self._groups[number].gait.start()
            running_gaits[number].clear(start, (slice(None), column))

    def apply(
        self,
        rows: StateArrays,
        targets: DriveTargets,
        running_gaits: Sequence[RunningGait],
        every: float,
    ) -> None:
        """Advance every active gait by ``every`` seconds and set the targets of its drives."""
        for group, running in zip(self._groups, running_gaits, strict=True):
            active = np.count_nonzero(running.active)
            if not active:
                continue
            if active == running.active.size:
                positions = self._advance(group.gait, running, every)
                self._drives.track(rows, targets, group.tracked, positions, every)
                continue
            # A simulation in which no gait is active keeps its states, as it does alone.
            moving = np.asarray(running.active.any(axis=1))
            part = dataclasses.replace(
                running, state=running.state[moving], inputs=running.inputs[moving]
            )
            positions = np.zeros((len(moving), running.active.shape[1] * len(group.gait.drives)))
            positions[moving] = self._advance(group.gait, part, every)
            running.state[moving] = part.state
            these = np.repeat(running.active, len(group.gait.drives), axis=1)
            self._drives.track(rows, targets, group.tracked, positions, every, these)

    def _advance(self, gait: Gait, running: RunningGait, every: float) -> Array:
        """Advance all states of ``running``; return the drives' positions, (n, robots x drives)."""
        n, robots, width = running.state.shape
        state, inputs = (
            running.state.reshape(n * robots, width),
            running.inputs.reshape(n * robots, -1),
        )
        now, angles = running.cache.advance(gait, state, inputs, every)
        running.state[...] = now.reshape(running.state.shape)
        return angles.reshape(n, -1)

    def transfer(
        self, was: Sequence[RunningGait], after: Gaits, now: Sequence[RunningGait]
    ) -> None:
        """Copy the states of the robots that both scenes have to ``now``, those of ``after``."""
        for name, (number, column) in self._where.items():
            if name in after._where:
                there, place = after._where[name]
                for array in ("state", "inputs", "active"):
                    getattr(now[there], array)[:, place] = getattr(was[number], array)[:, column]
