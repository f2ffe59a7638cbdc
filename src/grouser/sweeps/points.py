"""Points of a parameter space: grid, uniform random, Latin hypercube; and the runs of a sweep.

A point depends on the file and on its index alone. Run ``n`` is repetition ``n % repeats`` of point
``n // repeats``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.frames import Array
from grouser.simulation.schedule import generator
from grouser.sweeps.sweep_file import SweepFile, SweptParameter, Value

Point = dict[str, Value]
"""Value of each parameter."""


@dataclass(frozen=True)
class SweepRun:
    """One run of a sweep."""

    number: int
    repeat: int
    """Number of the repetition of its point."""
    point: Point
    settings: Mapping[str, Any]
    """Fixed settings and the values of the point, by key."""
    seed: int
    """Seed of random numbers of the run."""
    varied: bool
    """True if start pose and friction vary at random."""

    def __str__(self) -> str:
        """Return number and parameters, for messages."""
        values = ", ".join(f"{name} {_text(value)}" for name, value in self.point.items())
        return f"run {self.number} ({values})"


def _text(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


class Points(Sequence[Point]):
    """All points of a sweep file."""

    def __init__(self, sweep: SweepFile) -> None:
        """Draw the points of a random sample or Latin hypercube; those of a grid are computed."""
        self._vary = dict(sweep.vary)
        self._grid: list[list[Value]] = []
        self._shares: Array | None = None
        if sweep.sample == "grid":
            self._grid = [grid_values(parameter) for parameter in sweep.vary.values()]
            self._count = math.prod(len(values) for values in self._grid)
            return
        self._count = sweep.points or 0
        rng = generator(sweep.seed, f"sweep/{sweep.sample}")
        shape = (self._count, len(self._vary))
        shares = rng.uniform(0.0, 1.0, shape)
        if sweep.sample == "latin-hypercube":
            order = np.stack([rng.permutation(self._count) for _ in self._vary], axis=1)
            shares = (order + shares) / self._count
        self._shares = shares

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        if self._shares is not None:
            row = self._shares[index].tolist()
            chosen = zip(self._vary.items(), row, strict=True)
            return {name: value_at(parameter, share) for (name, parameter), share in chosen}
        point: Point = {}
        for name, values in reversed(list(zip(self._vary, self._grid, strict=True))):
            index, at = divmod(index, len(values))
            point[name] = values[at]
        return {name: point[name] for name in self._vary}


def grid_values(parameter: SweptParameter) -> list[Value]:
    """Return the values of a parameter in a grid."""
    if parameter.range is None:
        return list(parameter.values or ())
    count = parameter.size
    return [value_at(parameter, i / (count - 1)) for i in range(count)]


def value_at(parameter: SweptParameter, share: float) -> Value:
    """Return the value at ``share`` (0 to 1) of a range or list."""
    if parameter.range is None:
        values = parameter.values or ()
        return values[min(int(share * len(values)), len(values) - 1)]
    low, high = parameter.range
    if parameter.log:
        return float(low * math.exp(share * math.log(high / low)))
    value: float = float(f"{low + (high - low) * share:.12g}")  # 0.3, not 0.30000000000000004
    return value


def make_run(sweep: SweepFile, number: int, point: Point) -> SweepRun:
    """Return run ``number``, one of ``point``."""
    settings = dict(sweep.set)
    for name, value in point.items():
        settings |= dict.fromkeys(sweep.vary[name].keys or (name,), value)
    varied = sweep.repeats > 1
    seed = sweep.seed
    if varied:
        seed = int(generator(sweep.seed, f"sweep/run/{number}").integers(2**31))
    return SweepRun(number, number % sweep.repeats, point, settings, seed, varied)
