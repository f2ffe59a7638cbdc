"""One dimension of a robot swept against the sizes of an apparatus, on all cores.

Every trial is the one that `grouser mobility` would run alone: the same robot, the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grouser.cores import Progress
from grouser.mobility.suite import Candidate, measure_candidate, mobility_trial
from grouser.trials import threads
from grouser.trials.trial import Outcome


@dataclass(frozen=True, kw_only=True)
class SweptRun:
    """One robot of the sweep on one size."""

    value: Any
    """Of the option that is swept."""
    size: float
    """mm or deg."""
    outcome: Outcome

    @property
    def passed(self) -> bool:
        """Whether the robot got over it."""
        return self.outcome.arrived


def sweep(
    kind: str,
    options: Mapping[str, Any],
    path: str,
    values: Sequence[Any],
    test: str,
    sizes: Sequence[float],
    *,
    progress: Progress | None = None,
) -> list[SweptRun]:
    """Drive a robot with every value of one option over every size of one test.

    Args:
        kind: a name, or the path of a robot file.
        options: that all of them have.
        path: the option that is swept, such as ``tracks.0.oval.radius``.
        values: of it.
        test: key of `grouser.mobility.apparatus.APPARATUS`.
        sizes: mm or deg, as the test has them.
        progress: told how many trials have ended, of how many.
    """
    robots = [swept_candidate(kind, options, path, value) for value in values]
    cases = [
        (value, size, mobility_trial(who, test, size))
        for value, who in zip(values, robots, strict=True)
        for size in sizes
    ]
    outcomes = threads.run_trials([trial for _, _, trial in cases], progress=progress)
    return [
        SweptRun(value=value, size=size, outcome=outcome)
        for (value, size, _), outcome in zip(cases, outcomes, strict=True)
    ]


def swept_candidate(kind: str, options: Mapping[str, Any], path: str, value: Any) -> Candidate:
    """Return the robot of one value."""
    return measure_candidate(kind, {**options, path: value})
