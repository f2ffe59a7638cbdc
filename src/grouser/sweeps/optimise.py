"""Search for the best parameters of a sweep with Optuna (extra `sweep`).

Optuna's sampler is seeded and learns batch by batch, in the order of points. A resumed search
suggests the same points again and takes the results of those that have finished from the folder.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grouser.errors import BadValue, missing_extra, unknown
from grouser.sweeps.points import Point, make_run
from grouser.sweeps.run import Execution, SweepOptions, SweepResult
from grouser.sweeps.subjects import Row
from grouser.sweeps.sweep_file import Search, SweepFile


@dataclass(frozen=True)
class Optimum:
    """Result of a search."""

    result: SweepResult
    column: str
    """Optimised column."""
    value: float
    """Its best value; the mean of the repetitions of a point."""
    point: Point
    """Point with this value."""


def optimise(
    sweep: SweepFile, folder: Path, options: SweepOptions | None = None, *, base: Path | None = None
) -> Optimum:
    """Search for the point with the best value of a column; all runs are in the table.

    Args:
        sweep: a sweep with `optimise`.
        folder: folder of its results.
        options: runner, chunks, resuming.
        base: folder of scripts, policies and worlds; None: the working folder.

    Raises:
        BadValue: no point has a value; or as for `run_sweep`.
    """
    search = sweep.optimise
    if search is None:
        raise BadValue("sweep: --optimise needs the key optimise, such as {maximise: limit}")
    optuna = _optuna()
    execution = Execution(sweep, folder, options or SweepOptions(), base or Path.cwd())
    study = optuna.create_study(
        direction="maximize" if search.maximise else "minimize",
        sampler=optuna.samplers.TPESampler(seed=sweep.seed),
    )
    first = _suggest(optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0)), sweep)[1]
    described = {"column": search.column, "batch": search.batch, "optuna": optuna.__version__}
    execution.open(first, {"sample": described})
    total = search.points * sweep.repeats
    for begin in range(0, search.points, search.batch):
        asked = [_suggest(study, sweep) for _ in range(min(search.batch, search.points - begin))]
        runs = [
            make_run(sweep, (begin + i) * sweep.repeats + repeat, point)
            for i, (_, point) in enumerate(asked)
            for repeat in range(sweep.repeats)
        ]
        execution.measure(runs, total)
        for i, (trial, _) in enumerate(asked):
            start = (begin + i) * sweep.repeats
            rows = [execution.rows[number] for number in range(start, start + sweep.repeats)]
            value = _value(rows, search)
            state = optuna.trial.TrialState.FAIL if value is None else None
            study.tell(trial, value, state=state)
    result = execution.complete()
    if not any(trial.value is not None for trial in study.trials):
        raise BadValue(f"sweep: no run has a value of '{search.column}'")
    best = study.best_trial
    return Optimum(result, search.column, float(best.value), dict(best.params))


def _optuna() -> Any:
    try:
        import optuna
    except ImportError as error:
        raise missing_extra("--optimise needs Optuna", "sweep") from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def _suggest(study: Any, sweep: SweepFile) -> tuple[Any, Point]:
    """Return the study's next trial and its point."""
    trial = study.ask()
    point: Point = {}
    for name, parameter in sweep.vary.items():
        if parameter.range is None:
            point[name] = trial.suggest_categorical(name, list(parameter.values or ()))
        else:
            point[name] = trial.suggest_float(name, *parameter.range, log=parameter.log)
    return trial, point


def _value(rows: list[Row], search: Search) -> float | None:
    """Return the mean of the optimised column; None: a run has no value."""
    values = []
    for row in rows:
        _check_column(row, search.column)
        value = row.get(search.column)
        if not isinstance(value, bool | int | float):
            return None
        values.append(float(value))
    return statistics.fmean(values)


def _check_column(row: Mapping[str, Any], column: str) -> None:
    if column not in row:
        raise unknown("sweep: optimise", "column", column, row)
    if isinstance(row[column], str):
        raise BadValue(f"sweep: optimise: the column '{column}' has texts")
