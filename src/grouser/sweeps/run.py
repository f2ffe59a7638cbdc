"""Run a sweep: windows of runs on a runner, chunks of finished runs on disk, the final table.

A window is given to the runner at once. Finished runs are written in chunks, so that an
interruption loses at most the finished runs of one chunk, and those that are running. Rows depend
on their run alone: the table has the same bytes with every runner, chunk size and interruption.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grouser.cores import cores
from grouser.errors import unknown
from grouser.sweeps.points import Point, Points, SweepRun, make_run
from grouser.sweeps.result_store import RUN, ResultStore
from grouser.sweeps.subjects import Row, Subject, find_subject
from grouser.sweeps.sweep_file import SweepFile
from grouser.trials.runner import Runner, RunnerChoice, find_runner

CHUNK = 32
"""Default number of finished runs in a chunk."""
CHUNK_TIME = 2.0
"""Least wall time between two chunks, s: fast runs make larger chunks."""
WINDOW = 64
"""Runs per core of the runner in a window: enough that its cores end at about the same time."""

Progress = Callable[[int, int], None]
"""Called with the numbers of finished runs and of all runs."""

REPORT_KEYS = ("name", "measure", "maps", "marks", "optimise")
"""Keys of a file that change the report only; `optimise` is described where it is used."""


@dataclass(frozen=True)
class SweepResult:
    """Finished sweep."""

    sweep: SweepFile
    rows: Sequence[Row]
    """Parameters, seed and results of all runs, in order."""
    table: Path
    """Parquet file of the rows."""


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """Options of running a sweep that do not change its results."""

    runner: RunnerChoice = None
    """Runner of the trials, or its name; None: threads, one per core."""
    resume: bool = False
    """Go on with the finished runs of the folder."""
    chunk: int = CHUNK
    """Least number of finished runs in a chunk."""
    chunk_time: float = CHUNK_TIME
    """Least wall time between two chunks, s."""
    progress: Progress | None = None


def run_sweep(
    sweep: SweepFile, folder: Path, options: SweepOptions | None = None, *, base: Path | None = None
) -> SweepResult:
    """Run all points of a sweep that are not finished, and write the table.

    Args:
        sweep: the sweep.
        folder: folder of its results.
        options: runner, chunks, resuming.
        base: folder of scripts, policies and worlds; None: the working folder.

    Raises:
        BadValue: the folder cannot be used, or a point is invalid; the message names it.
    """
    execution = Execution(sweep, folder, options or SweepOptions(), base or Path.cwd())
    points = Points(sweep)
    total = len(points) * sweep.repeats
    runs = (make_run(sweep, number, points[number // sweep.repeats]) for number in range(total))
    execution.open(points[0], {"sample": sweep.sample})
    execution.measure(runs, total)
    return execution.complete()


class Execution:
    """A sweep that is being run."""

    def __init__(self, sweep: SweepFile, folder: Path, options: SweepOptions, base: Path) -> None:
        self.sweep, self._folder, self._options = sweep, folder, options
        self._subject: Subject = find_subject(sweep, base)
        self._runner: Runner = find_runner(options.runner)
        self._pending: list[Row] = []
        self._fresh = False  # True after the first run that was not finished before
        self._written = time.monotonic()

    def open(self, first: Point, more: Mapping[str, Any]) -> None:
        """Open the folder; ``first`` is the first point, ``more`` a part of the description."""
        settings = self.sweep.model_dump(mode="json", exclude=set(REPORT_KEYS))
        digests = self._subject.digests(make_run(self.sweep, 0, first))
        description = {"sweep": settings, "files": digests, **more}
        options = self._options
        self._store = ResultStore(self._folder, description, resume=options.resume)
        self.rows = self._store.read_finished()

    def measure(self, runs: Iterable[SweepRun], total: int) -> None:
        """Run all of ``runs`` that are not finished; ``total`` is for the progress."""
        options = self._options
        if options.progress:
            options.progress(len(self.rows), total)
        waiting = (run for run in runs if run.number not in self.rows)
        width = max(options.chunk, WINDOW * int(getattr(self._runner, "workers", 0) or cores()))
        for window in _windows(waiting, width):
            self._measure_window(window, total)
        self._flush()

    def complete(self) -> SweepResult:
        """Write the table and return the result."""
        if self._fresh or not self._store.table.exists():
            self._store.complete(self.rows.values())
        rows = [self.rows[number] for number in sorted(self.rows)]
        for name in (self.sweep.measure, *(name for pair in self.sweep.maps for name in pair)):
            if rows and not any(name in row for row in rows):
                raise unknown("sweep", "column", name, rows[0])
        return SweepResult(self.sweep, rows, self._store.table)

    def _measure_window(self, window: Sequence[SweepRun], total: int) -> None:
        runs = {run.number: run for run in window}
        try:
            with closing(self._subject.measure(window, self._runner)) as results:
                for number, results_row in results:
                    self._keep(runs[number], results_row)
                    if self._options.progress:
                        self._options.progress(len(self.rows), total)
        except BaseException:  # Ctrl-C too: what has finished is kept
            self._flush()
            raise

    def _keep(self, run: SweepRun, results: Row) -> None:
        """Add a finished run; write a chunk if it is time."""
        head: Row = {RUN: run.number, **run.point, "repeat": run.repeat, "seed": run.seed}
        row = head | {name: value for name, value in results.items() if name not in head}
        self.rows[run.number] = row
        self._fresh = True
        self._pending.append(row)
        old = time.monotonic() - self._written >= self._options.chunk_time
        if len(self._pending) >= self._options.chunk and old:
            self._flush()

    def _flush(self) -> None:
        """Write all finished runs that are not on disk."""
        if self._pending:
            self._store.add(self._pending)
        self._pending, self._written = [], time.monotonic()


def _windows(runs: Iterator[SweepRun], width: int) -> Iterator[list[SweepRun]]:
    while window := list(itertools.islice(runs, width)):
        yield window
