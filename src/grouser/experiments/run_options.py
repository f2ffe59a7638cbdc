"""Options of an experiment run, and the folder from which an interrupted run is resumed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grouser.errors import BadValue
from grouser.files import write_text
from grouser.trials.runner import RunnerChoice, run_trials
from grouser.trials.trial import Outcome, Trial

Progress = Callable[[str, int, int], None]
"""Called with (current activity, finished items, all items)."""


def no_progress(what: str, finished: int, of: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Options of one run of an experiment."""

    quick: bool = False
    """Short version as a smoke test; the table is marked as such."""
    pictures: bool = False
    """Draw pictures for the report; requires OpenGL."""
    seed: int = 0
    """Seed of all random numbers."""
    resume: Path | None = None
    """Folder of finished parts; only for experiments with ``KEEPS_PARTS``."""
    progress: Progress = no_progress
    """Receives the progress."""
    runner: RunnerChoice = None
    """Runner of trials; only for experiments with ``RUNS_TRIALS``."""

    def run_trials(self, what: str, trials: Sequence[Trial]) -> list[Outcome]:
        """Run ``trials`` and return their outcomes in order; ``what`` describes the activity."""
        return run_trials(
            trials, runner=self.runner, progress=lambda done, of: self.progress(what, done, of)
        )


class FinishedParts:
    """Finished parts of a long experiment in a folder, from which an interrupted run is resumed.

    A part is a JSON value in a file of its own, which is written atomically together with the
    settings of the run. A part with other settings is rejected. Without a folder no part is stored.
    """

    def __init__(
        self, folder: Path | None, experiment: str, settings: Mapping[str, float | int | str]
    ) -> None:
        """Store parts of ``experiment`` that were computed with ``settings`` in ``folder``."""
        self._folder, self._experiment, self._settings = folder, experiment, dict(settings)

    def part(self, name: str, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the part ``name`` from its file, or compute and store it."""
        if self._folder is None:
            return compute()
        file = self._folder / f"{self._experiment}-{name}.json"
        if file.exists():
            return self._read(file)
        computed = compute()
        write_text(file, json.dumps({"settings": self._settings, "part": computed}, indent=1))
        return computed

    def _read(self, file: Path) -> dict[str, Any]:
        """Return the part in a file if it has these settings."""
        try:
            stored = json.loads(file.read_text(encoding="utf-8"))
            settings, part = dict(stored["settings"]), dict(stored["part"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BadValue(f"{file}: not a finished part of an experiment ({error})") from error
        for key in sorted({*settings, *self._settings}):
            before, now = settings.get(key), self._settings.get(key)
            if before != now:
                raise BadValue(
                    f"{file}: computed with {key} {before}, this run has {now}; "
                    "use another folder or remove the file"
                )
        return part
