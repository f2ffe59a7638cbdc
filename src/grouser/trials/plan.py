"""Plan loop: plan on geometry, simulate every candidate path, learn costs, plan again.

Implements chapters 5 to 7 of the roach report. Round 1 plans on geometry alone. Every candidate is
simulated several times; the trials update a cost map (`grouser.planning.cost_map`), which weighs
the roadmap in later rounds. A part of the trials of each later round is reserved for the best
candidates, which are simulated again with fresh draws, so that a lucky candidate is not chosen.

All candidates get the same draws. Results are learned in the order of candidates and draws, not in
the order in which they finish: the same seed gives the same answer with every runner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from grouser.errors import BadValue, unknown
from grouser.frames import Array
from grouser.planning.cost_map import CostMap, DrivenTrial
from grouser.planning.paths import Path, Stop, planners
from grouser.trials.draws import Spread
from grouser.trials.intervals import mean_interval, wilson
from grouser.trials.plan_task import ROADMAP, PlanTask
from grouser.trials.runner import Runner, RunnerChoice, find_runner
from grouser.trials.threads import ThreadRunner
from grouser.trials.trial import Outcome, Trial

Interval = tuple[float, float]
"""Lower and upper end of a 95 % interval."""


@dataclass(eq=False)
class PathRecord:
    """A candidate path and the outcomes of its trials."""

    number: int
    """Index from 0, in the order in which candidates were found."""
    path: Path
    found_in: int
    """Round in which it was found, from 1."""
    source: str
    """Name of the planner that found it."""
    outcomes: list[Outcome] = field(default_factory=list)
    """Outcomes of its trials, in the order of their draws."""
    score: float = np.inf
    """Expected energy spent per success, J (`expected_score`)."""

    @property
    def driven(self) -> int:
        """Number of its trials."""
        return len(self.outcomes)

    @property
    def successes(self) -> int:
        """Number of trials that arrived."""
        return sum(outcome.arrived for outcome in self.outcomes)

    @property
    def success(self) -> float:
        """Share of its trials that arrived; 0 without any."""
        return self.successes / self.driven if self.driven else 0.0

    @property
    def success_interval(self) -> Interval:
        """Confidence interval of the probability of success."""
        return wilson(self.successes, self.driven)

    @property
    def efforts(self) -> list[float]:
        """Energies of successful trials: sum of |force x speed| x dt, J."""
        return [outcome.effort for outcome in self.outcomes if outcome.arrived]

    @property
    def works(self) -> list[float]:
        """Signed work of successful trials, as in the report, J."""
        return [outcome.work for outcome in self.outcomes if outcome.arrived]

    @property
    def energy(self) -> float | None:
        """Mean mechanical energy (effort) of successful trials, J; None: there are none."""
        return float(np.mean(self.efforts)) if self.efforts else None

    @property
    def electric(self) -> float | None:
        """Mean electric energy of successful trials, J; None: no success, or no motors."""
        each = [outcome.electric for outcome in self.outcomes if outcome.arrived]
        known = [joules for joules in each if joules is not None]
        return float(np.mean(known)) if known else None

    @property
    def energy_interval(self) -> Interval | None:
        """Confidence interval of `energy`; None: fewer than two successes."""
        return mean_interval(self.efforts)

    @property
    def energy_per_success(self) -> float:
        """Energy of all its trials, failures included, over its successes, J; inf: no success."""
        return spent_per_success(self.outcomes)

    def verdicts(self) -> dict[str, int]:
        """Return the number of trials by verdict."""
        ends = [outcome.verdict for outcome in self.outcomes]
        return {str(end): ends.count(end) for end in dict.fromkeys(ends)}


def spent_per_success(outcomes: Sequence[Outcome]) -> float:
    """Return the energy (J) that trials spent, failures included, over their successes."""
    successes = sum(outcome.arrived for outcome in outcomes)
    spent = sum(outcome.effort for outcome in outcomes)
    return spent / successes if successes else np.inf


AGAIN = 0.4
"""Part of the trials of a later round that is reserved for the best candidates."""
LEADERS = 3
"""Number of best candidates that share these trials. Few candidates with many trials each: a
failure rate of one in ten needs about ten trials to be seen."""
EXPLORATION_BONUS = 0.1
"""Part by which the cost of unknown ground is reduced, except in the last round."""
SLOTS = 128
"""Concurrent simulations; more of them reduce Python's share of a step."""
SEEDS = 10_000
"""Number of path seeds per seed of a plan."""
DOUBT = 0.2
"""Relative error of learned costs; homotopy classes that cost more than this are dropped."""
PRIOR = 4.0
"""Weight of the cost map's prediction in a candidate's score, in trials."""


@dataclass(frozen=True, kw_only=True)
class PlanSettings:
    """Settings of a plan."""

    candidates: int = 20
    """Paths per round; at least 1."""
    trials: int = 5
    """Trials per path and round; at least 1."""
    rounds: int = 3
    """Number of rounds; at least 1."""
    planner: str = "PRM"
    """Planner of round 1: one of `planners`, or ``roadmap``."""
    seed: int = 0
    """Seed of paths and draws; at least 0."""
    spread: Spread = field(default_factory=Spread)
    """Distribution of the variation of trials."""

    def __post_init__(self) -> None:
        for name, least in (("candidates", 1), ("trials", 1), ("rounds", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise BadValue(f"plan: {name} is {getattr(self, name)}, must be at least {least}")
        if self.planner not in (known := [*planners(), ROADMAP]):
            raise unknown("plan", "planner", self.planner, known)


@dataclass(frozen=True, eq=False)
class PlanRound:
    """Cost map and best candidate after a round."""

    number: int
    """Number of the round, from 1."""
    energy_per_metre: Array
    """Energy by cell of the validity map (rows, columns), J/m."""
    failures_per_metre: Array
    """Failure rate by cell, 1/m."""
    known: Array
    """Weight of measurements in these estimates, 0 to 1."""
    best: int
    """Index of the best candidate so far."""


@dataclass(eq=False)
class PlanResult:
    """Candidates with their outcomes, and the best of them."""

    task: PlanTask
    settings: PlanSettings
    records: list[PathRecord] = field(default_factory=list)
    rounds: list[PlanRound] = field(default_factory=list)
    no_path: str = ""
    """Reason why there is no geometric path; empty: there is one."""
    ended: str = ""
    """Reason why the plan ended before the last round; empty: it did not."""

    @property
    def best(self) -> PathRecord | None:
        """Candidate with the least expected energy per success; None: none was simulated."""
        driven = [record for record in self.records if record.driven]
        return min(driven, key=lambda record: (record.score, record.number), default=None)

    @property
    def worst(self) -> PathRecord | None:
        """Candidate with the largest expected energy per success; None: none was simulated."""
        driven = [record for record in self.records if record.driven]
        return max(driven, key=lambda record: (record.score, record.number), default=None)

    @property
    def driven(self) -> int:
        """Total number of trials."""
        return sum(record.driven for record in self.records)


@dataclass(frozen=True)
class PlanProgress:
    """Progress of a plan."""

    round: int
    """Number of the round, from 1."""
    finished: int
    """Finished trials of this round."""
    of: int
    """All trials of this round."""
    result: PlanResult


Watch = Callable[[PlanProgress], None]


def plan(
    task: PlanTask,
    settings: PlanSettings | None = None,
    *,
    runner: RunnerChoice = None,
    stop: Stop | None = None,
    watch: Watch | None = None,
) -> PlanResult:
    """Run the plan loop; return its result, which may be partial.

    Args:
        task: world, robot, start and goal.
        settings: settings; None: the defaults.
        runner: runner of the trials, or its name; None: threads, one per core.
        stop: called regularly; True ends the plan with the best candidate so far.
        watch: called whenever a trial is finished.

    A ``KeyboardInterrupt`` ends the plan as ``stop`` does.
    """
    trial_runner = ThreadRunner(slots=SLOTS) if runner is None else find_runner(runner)
    loop = _Loop(task, settings or PlanSettings(), trial_runner, stop or (lambda: False), watch)
    try:
        loop.run()
    except KeyboardInterrupt:
        loop.result.ended = "interrupted"
        loop.learn()
    return loop.result


class _Loop:
    """State of a running plan."""

    def __init__(
        self,
        task: PlanTask,
        settings: PlanSettings,
        runner: Runner,
        stop: Stop,
        watch: Watch | None,
    ) -> None:
        self.result = PlanResult(task, settings)
        self._task, self._settings, self._runner = task, settings, runner
        self._stop, self._watch = stop, watch
        self._fresh: dict[tuple[int, int], Outcome] = {}
        self._finished = 0  # trials of the current round

    def run(self) -> None:
        """Run all rounds."""
        if not self._task.validity.is_connected(self._task.start, self._task.goal):
            self.result.no_path = self._task.why_no_path()
            return
        for number in range(1, self._settings.rounds + 1):
            self._drive_round(number)
            self._keep(number)
            if self._stop():
                self.result.ended = "out of time"
            if not self.result.records and not self.result.ended:
                self.result.no_path = self._task.why_no_path()
            if self.result.ended or self.result.no_path:
                return

    def _drive_round(self, number: int) -> None:
        """Simulate the new candidates of a round and, in later rounds, the best ones again."""
        count, trials = self._settings.candidates, self._settings.trials
        self._finished = 0
        again = round(AGAIN * count) if number > 1 else 0
        fresh = self._found(number, count - again)
        self._drive(number, [(record, trials) for record in fresh])
        self.learn()
        if number == 1 or self._stop():
            return
        leaders = sorted(
            (record for record in self.result.records if record.driven),
            key=lambda record: (record.score, record.number),
        )[:LEADERS]
        left = (count - len(fresh)) * trials
        shares = [left // len(leaders) + (place < left % len(leaders)) for place in range(LEADERS)]
        self._drive(number, list(zip(leaders, shares, strict=False)))
        self.learn()

    def _found(self, number: int, count: int) -> list[PathRecord]:
        """Return new candidates of a round."""
        known = {record.path.waypoints.tobytes() for record in self.result.records}
        fresh: list[PathRecord] = []
        paths = self._first_paths(count) if number == 1 else self._learned_paths(number, count)
        for source, path in paths:
            if path.waypoints.tobytes() not in known:
                known.add(path.waypoints.tobytes())
                fresh.append(PathRecord(len(self.result.records), path, number, source))
                self.result.records.append(fresh[-1])
            if len(fresh) == count:
                break
        return fresh

    def _first_paths(self, count: int) -> Iterator[tuple[str, Path]]:
        """Yield paths by geometry alone, each with the name of its planner."""
        settings, found = self._settings, 0
        for number in range(0 if settings.planner == ROADMAP else count):
            seed = settings.seed * SEEDS + number
            path = self._task.path(settings.planner, seed, stop=self._stop)
            if self._stop() or (path is None and not found):
                break
            if path is not None:
                found += 1
                yield settings.planner, path
        # The roadmap supplies the missing candidates if the planner finds no path or too few
        # different ones.
        if not self._stop():
            for path in self._task.roadmap.candidates(count, seed=settings.seed):
                yield ROADMAP, path

    def _learned_paths(self, number: int, count: int) -> Iterator[tuple[str, Path]]:
        """Yield paths by learned costs; the last round has no exploration bonus."""
        last = number == self._settings.rounds
        per_metre = self._cost_map().per_metre(exploration_bonus=0.0 if last else EXPLORATION_BONUS)
        roadmap = self._task.roadmap
        seed = self._settings.seed * SEEDS + number
        for path in roadmap.candidates(count, per_metre, seed=seed, longest=1 + DOUBT):
            yield ROADMAP, path

    def _drive(self, number: int, chosen: list[tuple[PathRecord, int]]) -> None:
        """Simulate candidates, each with the given number of further draws."""
        if self._stop():
            return
        settings, course = self._settings, self._task.course
        trials: list[Trial] = []
        keys: list[tuple[int, int]] = []
        for record, more in chosen:
            for count in range(record.driven, record.driven + more):
                draw = settings.spread.draw(settings.seed, count)
                case = {"path": record.number, "draw": count}
                trials.append(course.trial(record.path.waypoints, draw, case))
                keys.append((record.number, count))
        of = settings.candidates * settings.trials if number > 1 else len(trials)
        with closing(self._runner.run(trials, stop=self._stop)) as outcomes:
            for which, outcome in outcomes:
                self._fresh[keys[which]] = outcome
                self._finished += 1
                if self._watch:
                    self._watch(PlanProgress(number, self._finished, of, self.result))

    def learn(self) -> None:
        """Add new outcomes in order and update the scores of all candidates."""
        for (number, _), outcome in sorted(self._fresh.items(), key=lambda item: item[0]):
            self.result.records[number].outcomes.append(outcome)
        self._fresh = {}
        if not self.result.driven:
            return
        cost_map = self._cost_map()
        for record in self.result.records:
            record.score = expected_score(cost_map, record)

    def _cost_map(self) -> CostMap:
        """Return the cost map of all trials so far."""
        cost_map = CostMap(self._task.validity)
        for record in self.result.records:
            for outcome in record.outcomes:
                driven = DrivenTrial(
                    record.path, outcome.positions[:, :2], outcome.spent, outcome.arrived
                )
                cost_map.learn(driven)
        return cost_map

    def _keep(self, number: int) -> None:
        """Store the cost map after a round."""
        best = self.result.best
        if best is None:
            return
        cost_map = self._cost_map()
        self.result.rounds.append(
            PlanRound(
                number,
                cost_map.energy_per_metre(),
                cost_map.failures_per_metre(),
                cost_map.known,
                best.number,
            )
        )


def expected_score(cost_map: CostMap, record: PathRecord) -> float:
    """Return the expected energy spent per success (J), from own trials and the cost map.

    The map's prediction counts as `PRIOR` trials, so that two lucky trials do not outweigh twenty
    good ones.
    """
    energy, success = cost_map.predict(record.path)
    share = (PRIOR * success + record.successes) / (PRIOR + record.driven)
    # A failed trial is assumed to spend half of the energy of the whole path.
    attempt = energy * (success + (1 - success) / 2)
    spent = sum(outcome.effort for outcome in record.outcomes)
    return float((PRIOR * attempt + spent) / (PRIOR + record.driven) / max(share, 1e-3))
