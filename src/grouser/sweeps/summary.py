"""Summary of a sweep: main effects of its parameters, and maps over two of them.

The measured column is a probability if it has true and false (95 % intervals of Wilson), else a
mean. Parameters with many values are divided into bins of equal width.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.sweeps.run import SweepResult
from grouser.sweeps.subjects import Row
from grouser.sweeps.sweep_file import Value
from grouser.trials.intervals import mean_interval, wilson

MOST_VALUES = 40
"""Largest number of values of a parameter that are shown one by one."""
BINS = 12
"""Number of bins of a parameter with more values."""
MOST_PANES = 4
"""Largest number of values of a further parameter for which a map has a pane each."""


@dataclass(frozen=True)
class Estimate:
    """Probability or mean of a group of runs."""

    value: float
    low: float
    """Lower end of the 95 % interval."""
    high: float
    """Upper end."""
    runs: int


@dataclass(frozen=True)
class Effect:
    """Main effect of one parameter: estimates by its value, over all other parameters."""

    parameter: str
    values: tuple[Value, ...]
    """Values, or middles of bins."""
    estimates: tuple[Estimate, ...]

    @property
    def size(self) -> float:
        """Largest difference between two estimates."""
        found = [estimate.value for estimate in self.estimates]
        return max(found) - min(found)


@dataclass(frozen=True, eq=False)
class ParameterMap:
    """Estimates over two parameters, at fixed values of others."""

    x: str
    y: str
    fixed: dict[str, Value]
    """Values of the parameters that are not on the axes."""
    xs: tuple[Value, ...]
    ys: tuple[Value, ...]
    value: Array
    """Estimates (len(ys), len(xs)); nan: no run."""
    low: Array
    """Lower ends of their 95 % intervals."""
    high: Array
    """Upper ends."""
    runs: npt.NDArray[np.int64]
    """Number of runs in each cell."""


def estimate(values: Sequence[float], *, share: bool) -> Estimate:
    """Return the estimate of a group: a probability if ``share``, else a mean."""
    if share:
        passed = round(sum(values))
        low, high = wilson(passed, len(values))
        return Estimate(passed / len(values), low, high, len(values))
    mean = float(np.mean(values))
    low, high = mean_interval(values) or (mean, mean)
    return Estimate(mean, low, high, len(values))


class Summary:
    """Groups of the runs of a sweep."""

    def __init__(self, result: SweepResult) -> None:
        """Read the measured column.

        Raises:
            BadValue: it has no numbers.
        """
        self.column = result.sweep.measure
        self.parameters = list(result.sweep.vary)
        self._pairs = result.sweep.maps
        rows = [row for row in result.rows if row.get(self.column) is not None]
        if not rows or any(isinstance(row[self.column], str) for row in rows):
            raise BadValue(f"sweep: column '{self.column}' has no numbers, set measure")
        self.is_share = all(isinstance(row[self.column], bool) for row in rows)
        self._rows: Sequence[Row] = rows
        self._groups = {name: _grouping([row[name] for row in rows]) for name in self.parameters}

    @property
    def total(self) -> Estimate:
        """Estimate over all runs."""
        return self._estimate(self._rows)

    def main_effects(self) -> list[Effect]:
        """Return the main effect of each parameter, the largest first."""
        effects = []
        for name in self.parameters:
            values, group = self._groups[name]
            parts = [
                [row for row in self._rows if group(row[name]) == i] for i in range(len(values))
            ]
            filled = [i for i, part in enumerate(parts) if part]
            estimates = tuple(self._estimate(parts[i]) for i in filled)
            effects.append(Effect(name, tuple(values[i] for i in filled), estimates))
        return sorted(effects, key=lambda effect: -effect.size)

    def pairs(self) -> list[tuple[str, str]]:
        """Return the pairs of parameters with a map."""
        numeric = [
            name for name in self.parameters if not isinstance(self._rows[0][name], str | bool)
        ]
        if self._pairs:
            return [pair for pair in self._pairs if set(pair) <= set(numeric)]
        order = [e.parameter for e in self.main_effects() if len(e.values) > 2]
        chosen = [name for name in order if name in numeric][:2]
        return [(chosen[1], chosen[0])] if len(chosen) == 2 else []

    def maps(self) -> list[ParameterMap]:
        """Return the maps of all pairs; a further parameter with few values has a map for each."""
        found = []
        for x, y in self.pairs():
            others = [
                name
                for name in self.parameters
                if name not in (x, y) and len(self._groups[name][0]) <= MOST_PANES
            ]
            for values in itertools.product(*(self._groups[name][0] for name in others)):
                fixed = dict(zip(others, values, strict=True))
                rows = [row for row in self._rows if all(row[k] == v for k, v in fixed.items())]
                if rows:
                    found.append(self._map(x, y, fixed, rows))
        return found

    def cell(self, over: ParameterMap, x: float, y: float) -> Estimate | None:
        """Return the estimate of the cell that contains a point; None: it has no run."""
        i = int(np.argmin(np.abs(np.array(over.xs, float) - x)))
        j = int(np.argmin(np.abs(np.array(over.ys, float) - y)))
        if not over.runs[j, i]:
            return None
        ends = (float(over.value[j, i]), float(over.low[j, i]), float(over.high[j, i]))
        return Estimate(*ends, int(over.runs[j, i]))

    def _map(self, x: str, y: str, fixed: dict[str, Value], rows: Sequence[Row]) -> ParameterMap:
        (xs, group_x), (ys, group_y) = self._groups[x], self._groups[y]
        cells: dict[tuple[int, int], list[Row]] = {}
        for row in rows:
            cells.setdefault((group_y(row[y]), group_x(row[x])), []).append(row)
        value, low, high = (np.full((len(ys), len(xs)), np.nan) for _ in range(3))
        runs = np.zeros((len(ys), len(xs)), np.int64)
        for at, part in cells.items():
            found = self._estimate(part)
            value[at], low[at], high[at], runs[at] = found.value, found.low, found.high, found.runs
        return ParameterMap(x, y, fixed, tuple(xs), tuple(ys), value, low, high, runs)

    def _estimate(self, rows: Sequence[Row]) -> Estimate:
        values = [float(row[self.column] or 0.0) for row in rows]
        return estimate(values, share=self.is_share)


def _grouping(given: Sequence[Value | None]) -> tuple[list[Value], Callable[[object], int]]:
    """Return the shown values of a parameter, and the function from a value to its index."""
    distinct = {value for value in given if value is not None}
    if len(distinct) <= MOST_VALUES or any(isinstance(value, str) for value in distinct):
        values = sorted(distinct, key=lambda value: (isinstance(value, str), value))
        index = {value: i for i, value in enumerate(values)}
        return values, lambda value: index[value]
    numbers = np.array(sorted(float(value) for value in distinct))
    edges = np.linspace(numbers[0], numbers[-1], BINS + 1)
    middles: list[Value] = [float(middle) for middle in (edges[:-1] + edges[1:]) / 2]
    return middles, lambda value: int(
        np.clip(np.searchsorted(edges, float(value), side="right") - 1, 0, BINS - 1)
    )
