"""The loop: plan on geometry, drive every candidate in physics, learn, plan again (roach, ch. 5-7).

Round 1 plans as the report does, on geometry alone. Every candidate is driven several times; what
the trials cost becomes a map (`grouser.planning.cost_map`), by which later rounds weigh the roadmap
anew. A part of each later round's trials are kept for the leaders: once the new candidates are
driven, the best of all are driven again with fresh draws, so that luck does not win.

All candidates get the same draws, trial by trial. Results are learned in the order of candidates
and draws, whichever finished first: same seed, same answer, at any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from grouser.errors import BadValue, unknown
from grouser.frames import Array
from grouser.planning.cost_map import CostMap, DrivenTrial
from grouser.planning.paths import PLANNERS, Path, Stop
from grouser.trials.draws import Spread
from grouser.trials.path_record import PathRecord
from grouser.trials.plan_task import ROADMAP, PlanTask
from grouser.trials.threads import run_each
from grouser.trials.trial import Outcome, Trial

AGAIN = 0.4
"""Part of a later round's trials that are for the leaders."""
LEADERS = 3
"""Candidates among which these are shared out: who fails once in ten trials is told from who never
does by ten trials, not by two."""
EXPLORATION_BONUS = 0.1
"""Part by which unknown ground is taken for cheaper in rounds that are not the last."""
SLOTS = 128
"""Simulations in flight: the more, the less of a step is Python."""
SEEDS = 10_000
"""Paths of one seed have seeds of their own, by number, below this."""
DOUBT = 0.2
"""By how much what was learned may be wrong: classes that cost more than that are left alone."""
PRIOR = 4.0
"""Trials by which a candidate's own results are drawn to what the cost map expects of it."""


@dataclass(frozen=True, kw_only=True)
class PlanSettings:
    """How much is planned and driven."""

    candidates: int = 20
    """Paths in a round; at least 1."""
    trials: int = 5
    """Trials of each path in a round; at least 1."""
    rounds: int = 3
    """At least 1."""
    planner: str = "PRM"
    """Who plans round 1: one of `PLANNERS`, or ``roadmap``."""
    seed: int = 0
    """Of paths and draws; at least 0."""
    spread: Spread = field(default_factory=Spread)
    """What trials of one path differ in."""
    threads: int = 0
    """Cores to use; 0: all."""

    def __post_init__(self) -> None:
        for name, least in (("candidates", 1), ("trials", 1), ("rounds", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise BadValue(f"plan: {name} is {getattr(self, name)}, must be at least {least}")
        if self.planner not in (*PLANNERS, ROADMAP):
            raise unknown("plan", "planner", self.planner, (*PLANNERS, ROADMAP))


@dataclass(frozen=True, eq=False)
class PlanRound:
    """What was known after a round."""

    number: int
    """Counted from 1."""
    energy_per_metre: Array
    """By place of the validity map (rows, columns), J/m."""
    failures_per_metre: Array
    """1/m."""
    known: Array
    """How much of this was felt there, 0 to 1."""
    best: int
    """The best candidate so far, by number."""


@dataclass(eq=False)
class PlanResult:
    """All candidates, what physics said of them, and which is best."""

    task: PlanTask
    settings: PlanSettings
    records: list[PathRecord] = field(default_factory=list)
    rounds: list[PlanRound] = field(default_factory=list)
    no_path: str = ""
    """Why geometry has no path, in a sentence; empty: it has."""
    ended: str = ""
    """Why it ended before all rounds were driven; empty: it did not."""

    @property
    def best(self) -> PathRecord | None:
        """The candidate with the least expected energy per success; None: none was driven."""
        driven = [record for record in self.records if record.driven]
        return min(driven, key=lambda record: (record.score, record.number), default=None)

    @property
    def worst(self) -> PathRecord | None:
        """The candidate with the most."""
        driven = [record for record in self.records if record.driven]
        return max(driven, key=lambda record: (record.score, record.number), default=None)

    @property
    def driven(self) -> int:
        """How many trials there were."""
        return sum(record.driven for record in self.records)


@dataclass(frozen=True)
class PlanProgress:
    """How far a plan is."""

    round: int
    """Counted from 1."""
    finished: int
    """Trials of this round."""
    of: int
    result: PlanResult


Watch = Callable[[PlanProgress], None]


def plan(
    task: PlanTask,
    settings: PlanSettings | None = None,
    *,
    stop: Stop | None = None,
    watch: Watch | None = None,
) -> PlanResult:
    """Plan, drive, learn; return what was found, also if it was cut short.

    Args:
        task: from where to where.
        settings: how much; None: as the report, five times.
        stop: asked all the time; once it says so, the best so far is the answer.
        watch: told whenever a trial is over.

    A ``KeyboardInterrupt`` ends it as ``stop`` does.
    """
    loop = _Loop(task, settings or PlanSettings(), stop or _never, watch)
    try:
        loop.run()
    except KeyboardInterrupt:
        loop.result.ended = "interrupted"
        loop.learn()
    return loop.result


class _Loop:
    """A plan under way."""

    def __init__(
        self, task: PlanTask, settings: PlanSettings, stop: Stop, watch: Watch | None
    ) -> None:
        self.result = PlanResult(task, settings)
        self._task, self._settings, self._stop, self._watch = task, settings, stop, watch
        self._fresh: dict[tuple[int, int], Outcome] = {}
        self._finished = 0  # trials of the round under way

    def run(self) -> None:
        """Plan, drive and learn, round after round."""
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
        """Drive a round's new candidates and, in later rounds, the leaders once more."""
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
        """Yield paths by geometry alone, each with who found it."""
        settings, found = self._settings, 0
        for number in range(0 if settings.planner == ROADMAP else count):
            seed = settings.seed * SEEDS + number
            path = self._task.path(settings.planner, seed, stop=self._stop)
            if self._stop() or (path is None and not found):
                break
            if path is not None:
                found += 1
                yield settings.planner, path
        # A planner that finds nothing proves nothing, and one that finds the same again and again
        # leaves room for others: the roadmap has the last word.
        if not self._stop():
            for path in self._task.roadmap.candidates(count, seed=settings.seed):
                yield ROADMAP, path

    def _learned_paths(self, number: int, count: int) -> Iterator[tuple[str, Path]]:
        """Yield paths by what was learned; the last round is not curious."""
        last = number == self._settings.rounds
        per_metre = self._cost_map().per_metre(exploration_bonus=0.0 if last else EXPLORATION_BONUS)
        roadmap = self._task.roadmap
        seed = self._settings.seed * SEEDS + number
        doubted = 1 + DOUBT
        for path in roadmap.candidates(count, per_metre, seed=seed, longest=doubted):
            yield ROADMAP, path

    def _drive(self, number: int, chosen: list[tuple[PathRecord, int]]) -> None:
        """Drive candidates, each with its next so many draws."""
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

        def finished(which: int, outcome: Outcome) -> None:
            self._fresh[keys[which]] = outcome
            self._finished += 1
            if self._watch:
                self._watch(PlanProgress(number, self._finished, of, self.result))

        run_each(trials, finished, stop=self._stop, threads=settings.threads, slots=SLOTS)

    def learn(self) -> None:
        """Take in what was driven since, in order, and judge all candidates anew."""
        for (number, _), outcome in sorted(self._fresh.items(), key=lambda item: item[0]):
            self.result.records[number].outcomes.append(outcome)
        self._fresh = {}
        if not self.result.driven:
            return
        cost_map = self._cost_map()
        for record in self.result.records:
            record.score = expected_score(cost_map, record)

    def _cost_map(self) -> CostMap:
        """Return what all trials so far say about the ground."""
        cost_map = CostMap(self._task.validity)
        for record in self.result.records:
            for outcome in record.outcomes:
                driven = DrivenTrial(
                    record.path, outcome.positions[:, :2], outcome.spent, outcome.arrived
                )
                cost_map.learn(driven)
        return cost_map

    def _keep(self, number: int) -> None:
        """Keep what is known after a round."""
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
    """Return the energy spent per success (J) to expect: own trials, and what the map says.

    The map's word counts as `PRIOR` trials, so that two lucky ones do not beat twenty good ones.
    """
    energy, success = cost_map.predict(record.path)
    share = (PRIOR * success + record.successes) / (PRIOR + record.driven)
    # Who fails has spent, on average, a part of the way's energy; the map knows the whole way's.
    attempt = energy * (success + (1 - success) / 2)
    spent = sum(outcome.effort for outcome in record.outcomes)
    return float((PRIOR * attempt + spent) / (PRIOR + record.driven) / max(share, 1e-3))


def _never() -> bool:
    return False
