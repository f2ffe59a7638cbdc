"""A path and how its trials went: how often it succeeds, what it costs, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from grouser.planning.paths import Path
from grouser.trials.intervals import mean_interval, wilson
from grouser.trials.trial import Outcome

Interval = tuple[float, float]
"""From, to; 95 %."""


@dataclass(eq=False)
class PathRecord:
    """A candidate, and what physics said of it so far."""

    number: int
    """Counted from 0 in the order in which candidates were found."""
    path: Path
    found_in: int
    """Round in which it was found, counted from 1."""
    source: str
    """Who found it: a planner's name."""
    outcomes: list[Outcome] = field(default_factory=list)
    """Of its trials, in the order of their draws."""
    score: float = np.inf
    """Energy spent per success (J) that is expected of it; see `grouser.trials.plan`."""

    @property
    def driven(self) -> int:
        """How many trials it had."""
        return len(self.outcomes)

    @property
    def successes(self) -> int:
        """How many of them arrived."""
        return sum(outcome.arrived for outcome in self.outcomes)

    @property
    def success(self) -> float:
        """Share of its trials that arrived; 0 without any."""
        return self.successes / self.driven if self.driven else 0.0

    @property
    def success_interval(self) -> Interval:
        """Of the probability that it succeeds."""
        return wilson(self.successes, self.driven)

    @property
    def efforts(self) -> list[float]:
        """Energy of its successes: sum of |force x speed| x dt, J."""
        return [outcome.effort for outcome in self.outcomes if outcome.arrived]

    @property
    def works(self) -> list[float]:
        """Signed work of its successes, as the report adds it up, J."""
        return [outcome.work for outcome in self.outcomes if outcome.arrived]

    @property
    def energy(self) -> float | None:
        """Mean energy of its successes, J; None: it had none."""
        return float(np.mean(self.efforts)) if self.efforts else None

    @property
    def energy_interval(self) -> Interval | None:
        """Of that mean; None: fewer than two successes."""
        return mean_interval(self.efforts)

    @property
    def energy_per_success(self) -> float:
        """Energy of all its trials, failures included, over its successes, J; inf: no success."""
        return spent_per_success(self.outcomes)

    def verdicts(self) -> dict[str, int]:
        """Return how its trials ended, each with how often."""
        ends = [outcome.verdict for outcome in self.outcomes]
        return {str(end): ends.count(end) for end in dict.fromkeys(ends)}


def spent_per_success(outcomes: Sequence[Outcome]) -> float:
    """Return the energy (J) that trials spent, failures included, over their successes."""
    successes = sum(outcome.arrived for outcome in outcomes)
    spent = sum(outcome.effort for outcome in outcomes)
    return spent / successes if successes else np.inf
