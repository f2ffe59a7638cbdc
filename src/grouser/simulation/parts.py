"""What happens between physics steps: belts roll, surfaces move, drives settle, work is counted.

Written on `Rows`, so that one simulation and a batch of thousands share it to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.drives import Drives
from grouser.frames import Array
from grouser.rows import Rows
from grouser.simulation.scene import Scene
from grouser.tracks.segments import RollBack
from grouser.tracks.surface import MovingSurface

SETTLE_TIME = 0.02
"""Simulated seconds between two looks at drives: setpoints are reined in and work is counted."""


@dataclass(frozen=True)
class Counts:
    """What parts remember beside MuJoCo's state; arrays with one row per simulation."""

    turns: Array
    """Pitches each segment belt was rolled back by, (n, belts)."""
    work: Array
    """Signed work of each drive, J, (n, drives): what it took back counts against it."""
    effort: Array
    """Sum of |force x speed| x dt of each drive, J, (n, drives): braking costs as well."""

    def clear(self, which: slice | list[int] = slice(None)) -> None:
        """Start counting from zero."""
        for array in (self.turns, self.work, self.effort):
            array[which] = 0.0


def settle_strides(every: float) -> int:
    """Return after how many strides of ``every`` seconds drives settle."""
    return max(1, round(SETTLE_TIME / every))


class Parts:
    """All belts and drives of a scene."""

    def __init__(self, scene: Scene) -> None:
        """Look everything up once."""
        self.drives = Drives(scene.model, scene.drives, {belt.name for belt in scene.belts})
        every = scene.stride * float(scene.model.opt.timestep)
        self._settle_strides = settle_strides(every)
        self._settle_time = self._settle_strides * every
        self._roll_back = RollBack(scene.model, scene.belts)
        self._surface = MovingSurface(scene.model, scene.belts, every)
        self._has_roll_back, self._has_surface = bool(self._roll_back), bool(self._surface)
        pitches = {belt.name: belt.pitch for belt in scene.belts}
        self._per_turn = np.zeros((len(self.belts), len(self.drives.names)))
        for row, name in enumerate(self.belts):
            self._per_turn[row, self.drives.names.index(name)] = pitches[name]

    @property
    def belts(self) -> tuple[str, ...]:
        """Names of the belts that are rolled back, in the order of `Counts.turns`."""
        return self._roll_back.names

    def counts(self, simulations: int) -> Counts:
        """Return fresh counts."""
        belts, drives = len(self._roll_back.names), len(self.drives.names)
        return Counts(*(np.zeros((simulations, size)) for size in (belts, drives, drives)))

    def before(self, rows: Rows) -> None:
        """Do what must happen before a stride of physics."""
        if self._has_surface:
            self._surface.apply(rows)

    def after(self, rows: Rows, counts: Counts, stride: int) -> None:
        """Do what must happen after the ``stride``-th stride of physics."""
        if self._has_roll_back:
            self._roll_back.apply(rows, counts.turns)
        if stride % self._settle_strides == 0 and self.drives.names:
            self.drives.settle(rows, self._settle_time)
            joules = self.drives.power(rows)
            joules *= self._settle_time
            np.add(counts.work, joules, out=counts.work)
            np.add(counts.effort, np.abs(joules, out=joules), out=counts.effort)

    def travel(self, rows: Rows, counts: Counts) -> Array:
        """Return every drive's position (m or rad), counted through roll-backs, (n, drives)."""
        return self.drives.positions(rows) + counts.turns @ self._per_turn
