"""Command delay: commands of drives take effect a fixed time after they were given.

A delay is a whole number of time steps. Commands on their way are numbers in `PendingCommands`,
a slot per step that is left: they belong to the state, so that a snapshot, a batch and a run from a
recording have the same bits. Drives without a delay have no slots and are commanded at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from grouser.frames import Array

if TYPE_CHECKING:
    from grouser.physics.drives import Drive, Number
    from grouser.physics.state import Which

LONGEST = 0.5
"""Longest delay, s: every step of it takes a slot."""

Delay = Annotated[float, Field(ge=0, le=LONGEST)]
"""Time from a command to its effect, s."""

Kind = Literal["angle", "speed", "torque", "track"]
"""Mode of a delayed command; ``track``: next target of a gait."""

_CODES: dict[Kind, float] = {"angle": 1.0, "speed": 2.0, "torque": 3.0, "track": 4.0}
"""Numbers of the modes; 0: no command."""

NEVER = 1 << 62
"""Number of steps until the next command if there is none."""


@dataclass(frozen=True)
class PendingCommands:
    """Commands on their way, (n, delayed drives, slots); slot k is due in k steps."""

    kinds: Array
    """Number of the mode; 0: no command."""
    values: Array
    """As `Setpoint.value`."""

    def arrays(self) -> list[Array]:
        """Return both arrays; none if no drive has a delay."""
        return [self.kinds, self.values] if self.kinds.size else []

    def take(self, which: npt.NDArray[np.integer]) -> PendingCommands:
        """Return a copy of the rows ``which``."""
        return PendingCommands(self.kinds[which], self.values[which])


@dataclass(frozen=True)
class DueCommand:
    """Commands of one drive and mode that take effect now."""

    name: str
    kind: Kind
    rows: npt.NDArray[np.intp]
    """Simulations, (k,)."""
    values: Array
    """(k,)."""


class CommandDelay:
    """Delay line of all drives of a scene, for one simulation or many."""

    def __init__(self, drives: Mapping[str, Drive], timestep: float, every: float) -> None:
        """Round all delays to steps.

        Args:
            drives: by full name.
            timestep: s.
            every: longest time between two targets of a gait, s.
        """
        self._timestep = timestep
        self._steps = {
            name: max(1, round(drive.command_delay / timestep))
            for name, drive in drives.items()
            if drive.command_delay > 0
        }
        self.names = tuple(self._steps)
        """Drives with a delay, in the order of the columns of `PendingCommands`."""
        self._column = {name: column for column, name in enumerate(self.names)}
        self._slots = max(self._steps.values(), default=0) + round(every / timestep) + 1

    def __bool__(self) -> bool:
        return bool(self.names)

    def __contains__(self, name: str) -> bool:
        return name in self._column

    def pending(self, simulations: int) -> PendingCommands:
        """Return no commands for a number of ``simulations``."""
        shape = simulations, len(self.names), self._slots if self.names else 0
        return PendingCommands(np.zeros(shape), np.zeros(shape))

    def clear(self, pending: PendingCommands, which: Which, name: str | None = None) -> None:
        """Drop the commands of the simulations ``which``; ``name``: only of this drive."""
        columns: Any = slice(None) if name is None else self._column[name]
        pending.kinds[which, columns] = 0.0
        pending.values[which, columns] = 0.0

    def put(
        self, pending: PendingCommands, name: str, kind: Kind, value: Number, which: Which
    ) -> None:
        """Delay a command of drive ``name``; a later command of the same step replaces it."""
        column, steps = self._column[name], self._steps[name]
        pending.kinds[which, column, steps] = _CODES[kind]
        pending.values[which, column, steps] = value

    def put_targets(
        self,
        pending: PendingCommands,
        names: Sequence[str],
        positions: Array,
        these: npt.NDArray[np.bool_],
        every: float,
    ) -> None:
        """Delay the targets of a gait; (n, names) each.

        A gait gives them every ``every`` seconds, and setpoints move straight from one to the next:
        the delay is rounded to this interval, once at least.
        """
        interval = round(every / self._timestep)
        for place, name in enumerate(names):
            column, rows = self._column[name], np.flatnonzero(these[:, place])
            slot = max(1, round(self._steps[name] / interval)) * interval
            pending.kinds[rows, column, slot] = _CODES["track"]
            pending.values[rows, column, slot] = positions[rows, place]

    def wait(self, pending: PendingCommands) -> int:
        """Return the number of steps until the next command is due, or `NEVER`."""
        slots = np.flatnonzero(pending.kinds.any(axis=(0, 1)))
        return int(slots[0]) if len(slots) else NEVER

    def elapse(self, pending: PendingCommands, steps: int) -> None:
        """Let ``steps`` pass, at most `wait`."""
        for array in (pending.kinds, pending.values):
            left = max(0, array.shape[2] - steps)
            array[:, :, :left] = array[:, :, steps:]
            array[:, :, left:] = 0.0

    def due(self, pending: PendingCommands) -> Iterator[DueCommand]:
        """Yield and drop the commands that are due."""
        if not np.count_nonzero(pending.kinds[:, :, 0]):
            return
        now, values = pending.kinds[:, :, 0].copy(), pending.values[:, :, 0].copy()
        pending.kinds[:, :, 0] = pending.values[:, :, 0] = 0.0
        for name, column in self._column.items():
            for kind, code in _CODES.items():
                rows = np.flatnonzero(now[:, column] == code)
                if len(rows):
                    yield DueCommand(name, kind, rows, values[rows, column])

    def shift(
        self, pending: PendingCommands, name: str, distance: Array, which: npt.NDArray[np.intp]
    ) -> None:
        """Move the positions that drive ``name`` is commanded to, as `Drives.shift` does."""
        column = self._column[name]
        held = np.isin(pending.kinds[which, column], (_CODES["angle"], _CODES["track"]))
        pending.values[which, column] += np.where(held, distance[:, None], 0.0)

    def transfer(self, was: PendingCommands, after: CommandDelay, now: PendingCommands) -> None:
        """Copy the commands of drives that both scenes have to ``now``, those of ``after``."""
        for name, column in self._column.items():
            if name in after:
                slots = min(was.kinds.shape[2], now.kinds.shape[2])
                for old, new in zip(was.arrays(), now.arrays(), strict=True):
                    new[:, after._column[name], :slots] = old[:, column, :slots]
