"""Gaits: the state of all walking robots of a scene, advanced once a stride.

Robots of one kind share one call, whatever the number of robots and simulations; a few of them
share it with their own next strides. A gait sleeps until its robot is told one of its inputs, and
again when somebody moves one of its drives directly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from grouser.frames import Array
from grouser.physics.drives import Drives, speed
from grouser.physics.led_drives import LedDrives
from grouser.physics.state import StateArrays, Which
from grouser.robots.robot import Gait, PhasedGait, Robot

STRIDES = 8
"""How far gaits are worked out in advance at most: beyond it their joint angles cost little."""
ROWS = 1024
"""States that are worked out in one call at most: beyond it no time is saved."""


class GaitPlan:
    """The next strides of robots that walk alike, as long as they are told nothing else.

    A gait is pure and feels nothing, and a call takes as long for a few strides as for one: it is
    NumPy's calls that cost. States are looked up by their bits, so whoever changes one, be it to
    start over or to undo a stride, need not know of the plan; and who stands costs nothing.
    """

    def __init__(self) -> None:
        """Nothing is planned."""
        self._planned_for: tuple[bytes, float] | None = None
        self._strides: dict[bytes, tuple[Array, Array]] = {}

    def stride(self, gait: Gait, state: Array, inputs: Array, every: float) -> tuple[Array, Array]:
        """Return the states (rows, k) after ``every`` seconds and their angles (rows, drives)."""
        now = inputs.tobytes(), every
        if now != self._planned_for:
            self._planned_for, self._strides = now, {}
        planned = self._strides.get(state.tobytes())
        if planned is None:
            self._look_ahead(gait, state, inputs, every)
            planned = self._strides[state.tobytes()]
        return planned

    def _look_ahead(self, gait: Gait, state: Array, inputs: Array, every: float) -> None:
        """Plan on from ``state``, each time twice as far: who is told something soon loses little.

        All angles come from one call; it gives every row the bits that it would have alone.
        """
        ahead = max(1, min(2 * max(1, len(self._strides)), STRIDES, ROWS // len(state)))
        states = [state]
        for _ in range(ahead):
            states.append(gait.advance(states[-1], inputs, every))
        angles = gait.angles(np.concatenate(states[1:])).reshape(ahead, len(state), -1)
        self._strides = {
            before.tobytes(): (after, targets)
            for before, after, targets in zip(states[:-1], states[1:], angles, strict=True)
        }


@dataclass(frozen=True)
class RunningGait:
    """State of the robots that share one gait; arrays with one row per simulation."""

    state: Array
    """Of the gait, (n, robots, k)."""
    inputs: Array
    """Their commanded inputs, (n, robots, inputs)."""
    awake: Array
    """Whether the gait moves the robot, bool (n, robots)."""
    plan: GaitPlan = field(default_factory=GaitPlan, repr=False, compare=False)
    """What comes next, to be thrown away at any time."""

    def clear(self, start: Array, which: Which = slice(None)) -> None:
        """Let them stand still again, asleep."""
        self.state[which] = start
        self.inputs[which] = 0.0
        self.awake[which] = False


@dataclass(frozen=True)
class _Group:
    """Robots that walk alike."""

    gait: Gait
    robots: tuple[str, ...]
    led: LedDrives
    """Their drives, robot by robot."""


class Gaits:
    """All gaits of a scene."""

    def __init__(self, robots: Mapping[str, Robot], drives: Drives) -> None:
        """Put robots with equal gaits together and look their drives up."""
        self._drives = drives
        together: dict[Gait, list[str]] = {}
        for name, robot in robots.items():
            if robot.gait:
                together.setdefault(robot.gait, []).append(name)
        self._groups = tuple(
            _Group(
                gait,
                tuple(names),
                drives.led([f"{name}/{drive}" for name in names for drive in gait.drives]),
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
        """Return the state in which all stand still, one per kind of gait."""
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
        """Forget what the robots of the simulations ``which`` were doing."""
        for group, running in zip(self._groups, running_gaits, strict=True):
            running.clear(group.gait.start(), which)

    def command(
        self,
        rows: StateArrays,
        running_gaits: Sequence[RunningGait],
        name: str,
        gait_inputs: Mapping[str, float],
        which: Which = slice(None),
    ) -> None:
        """Give the gait of robot ``name`` its inputs; one that slept wakes up standing still."""
        number, column = self._where[name]
        group, running = self._groups[number], running_gaits[number]
        if not running.awake[which, column].all():
            for drive in group.gait.drives:
                # Gains back on, whatever mode the drive was in; `apply` leads it from there.
                self._drives.command(rows, f"{name}/{drive}", speed(0.0), which)
            running.state[which, column] = group.gait.start()
            running.awake[which, column] = True
        running.inputs[which, column] = [gait_inputs[name] for name in group.gait.inputs]

    def set_phase(
        self, running_gaits: Sequence[RunningGait], name: str, phase: float, which: Which
    ) -> None:
        """Let the legs of robot ``name`` stand still at ``phase`` (rad), if its gait can."""
        if name in self._where:
            number, column = self._where[name]
            gait = self._groups[number].gait
            if isinstance(gait, PhasedGait):
                running_gaits[number].state[which, column] = gait.at_phase(phase)

    def sleep(
        self, running_gaits: Sequence[RunningGait], name: str, which: Which = slice(None)
    ) -> None:
        """Leave the drives of robot ``name`` to others."""
        number, column = self._where[name]
        running_gaits[number].awake[which, column] = False

    def stand(self, running_gaits: Sequence[RunningGait], name: str) -> None:
        """Let robot ``name``, if it has a gait, stand still as at the start, asleep."""
        if name in self._where:
            number, column = self._where[name]
            running = running_gaits[number]
            running.state[:, column] = self._groups[number].gait.start()
            running.inputs[:, column] = 0.0
            running.awake[:, column] = False

    def apply(self, rows: StateArrays, running_gaits: Sequence[RunningGait], every: float) -> None:
        """Advance every gait that is awake by ``every`` seconds and lead its drives there."""
        for group, running in zip(self._groups, running_gaits, strict=True):
            awake = np.count_nonzero(running.awake)
            if not awake:
                continue
            n, robots, width = running.state.shape
            state, inputs = (
                running.state.reshape(n * robots, width),
                running.inputs.reshape(n * robots, -1),
            )
            now, angles = running.plan.stride(group.gait, state, inputs, every)
            running.state[...] = now.reshape(running.state.shape)
            these = None
            if awake < n * robots:
                these = np.repeat(running.awake, len(group.gait.drives), axis=1)
            self._drives.lead(rows, group.led, angles.reshape(n, -1), every, these)

    def transfer(
        self, was: Sequence[RunningGait], after: Gaits, now: Sequence[RunningGait]
    ) -> None:
        """Copy what robots that are in both scenes did to ``now``, those of ``after``."""
        for name, (number, column) in self._where.items():
            if name in after._where:
                there, place = after._where[name]
                for array in ("state", "inputs", "awake"):
                    getattr(now[there], array)[:, place] = getattr(was[number], array)[:, column]
