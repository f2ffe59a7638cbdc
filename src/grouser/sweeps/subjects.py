"""Subjects of sweeps: what is run at a point, and the results of a run.

==========  =======================================================================================
mobility    one size of an apparatus of the mobility suite, or the largest size that is passed
world       a world with its robots, until the goal or the time limit
plan        the plan loop in a world
script      a function of the user, which returns a `Trial` or results
==========  =======================================================================================
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol

from grouser.errors import BadValue, GrouserError, UnknownName, WorldFileError, unknown
from grouser.frames import radians
from grouser.mobility.limits import draw_variation, search_brackets
from grouser.mobility.suite import (
    NOMINAL,
    Candidate,
    Variation,
    apparatus_named,
    measure_candidate,
    mobility_trial,
    with_friction,
)
from grouser.planning.driver import PathDriver
from grouser.simulation.policy_source import PolicySource, equip
from grouser.simulation.world_content import content_hash, sha256
from grouser.sweeps.points import SweepRun
from grouser.sweeps.sweep_file import SweepFile, Value
from grouser.trials.plan import PlanSettings, plan
from grouser.trials.plan_task import plan_task
from grouser.trials.runner import Runner
from grouser.trials.trial import Goal, Outcome, Place, Trial
from grouser.world.file import World, load, parse, world_text

Row = dict[str, Value | None]
"""Results of a run by column."""

WORLD_PARTS = tuple(World.model_fields)
"""First parts of keys that change a world."""
SUITE_KEYS = ("size", "friction", "timestep", "flippers", "speed")
"""Settings of the mobility suite; other keys are options of the robot."""
PLAN_KEYS = tuple(entry.name for entry in fields(PlanSettings) if entry.name != "spread")


class Subject(Protocol):
    """Runs the runs of a sweep."""

    def measure(
        self, runs: Sequence[SweepRun], runner: Runner
    ) -> Generator[tuple[int, Row], None, None]:
        """Yield number and results of each run as soon as it has finished, each once."""
        ...

    def digests(self, run: SweepRun) -> dict[str, str]:
        """Return SHA-256 hashes of everything that a run reads from files."""
        ...


@dataclass(frozen=True)
class TrialSubject:
    """Runs one trial per run."""

    trial: Callable[[SweepRun], Trial]
    sources: tuple[PolicySource, ...] = ()
    """Policies and scripts from files."""

    def measure(
        self, runs: Sequence[SweepRun], runner: Runner
    ) -> Generator[tuple[int, Row], None, None]:
        """Yield number and results of each run as soon as it has finished."""
        trials = [_at(run, self.trial) for run in runs]
        with closing(runner.run(trials)) as outcomes:
            for index, outcome in outcomes:
                yield runs[index].number, outcome_row(outcome)

    def digests(self, run: SweepRun) -> dict[str, str]:
        """Return the hash of the world of ``run`` and of all files with code."""
        return {"world": content_hash(_at(run, self.trial).world)} | _source_digests(self.sources)


@dataclass(frozen=True)
class LimitSubject:
    """Finds the largest size of an apparatus that is passed, by bisection."""

    test: str
    suite: TrialSubject

    def measure(
        self, runs: Sequence[SweepRun], runner: Runner
    ) -> Generator[tuple[int, Row], None, None]:
        """Yield number and limit of each run; all runs search at the same time."""
        apparatus = apparatus_named(self.test)

        def run_cases(cases: Sequence[tuple[SweepRun, float]]) -> list[bool]:
            at_size = [replace(run, settings={**run.settings, "size": size}) for run, size in cases]
            rows = dict(self.suite.measure(_with_numbers(at_size), runner))
            return [bool(rows[number]["success"]) for number in range(len(cases))]

        for run, (low, high) in zip(runs, search_brackets(run_cases, runs, apparatus), strict=True):
            yield (
                run.number,
                {
                    "success": low > -math.inf,
                    "limit": low if low > -math.inf else 0.0,
                    "failed": None if high == math.inf else high,
                },
            )

    def digests(self, run: SweepRun) -> dict[str, str]:
        """Return the hashes of the suite at the apparatus's first size."""
        size = apparatus_named(self.test).sizes[0]
        return self.suite.digests(replace(run, settings={**run.settings, "size": size}))


def _with_numbers(runs: Sequence[SweepRun]) -> list[SweepRun]:
    return [replace(run, number=number) for number, run in enumerate(runs)]


@dataclass(frozen=True)
class PlanSubject:
    """Runs the plan loop once per run."""

    sweep: SweepFile

    def measure(
        self, runs: Sequence[SweepRun], runner: Runner
    ) -> Generator[tuple[int, Row], None, None]:
        """Yield number and results of each run; the trials of a plan share the runner."""
        for run in runs:
            yield run.number, _at(run, partial(self._plan, runner=runner))

    def digests(self, run: SweepRun) -> dict[str, str]:
        """Return the hash of the world of ``run`` and of the policy's file."""
        sources = [source for source in [_policy(self.sweep, run.settings)] if source]
        world, _ = self._world(run)
        return {"world": content_hash(world)} | _source_digests(sources)

    def _world(self, run: SweepRun) -> tuple[World, str]:
        world = _load(self.sweep.plan or "", run.settings, ("plan", "driver", "policy"))
        return world, _watched_robot(self.sweep, world)

    def _plan(self, run: SweepRun, *, runner: Runner) -> Row:
        sweep, (world, robot) = self.sweep, self._world(run)
        if sweep.start is None or sweep.goal is None or sweep.goal.y is None:
            raise BadValue("sweep: a plan needs start and goal")
        chosen = _part("plan", run.settings)
        for name in chosen:
            if name not in PLAN_KEYS:
                raise unknown("sweep", "plan setting", name, PLAN_KEYS)
        driven = _part("driver", run.settings)
        make = partial(
            plan_task,
            world,
            robot,
            sweep.start,
            (sweep.goal.x, sweep.goal.y),
            limit=sweep.time_limit,
            policy=_policy(sweep, run.settings),
        )
        task = make()
        if driven:
            task = make(driver=_changed_driver(task.course.driver, driven))
        result = plan(task, PlanSettings(**{"seed": run.seed, **chosen}), runner=runner)
        best = result.best
        if best is None:
            return {"success": False, "probability": 0.0, "trials": result.driven}
        low, high = best.success_interval
        energy = best.energy
        return {
            "success": best.successes > 0,
            "probability": best.success,
            "probability_low": low,
            "probability_high": high,
            "energy": energy,
            "length": float(best.path.length),
            "trials": result.driven,
        }


@dataclass(frozen=True)
class ScriptSubject:
    """Calls a function of the user once per run."""

    source: PolicySource

    def measure(
        self, runs: Sequence[SweepRun], runner: Runner
    ) -> Generator[tuple[int, Row], None, None]:
        """Yield results that the function returns, then those of the trials that it returns."""
        trials: list[Trial] = []
        numbers: list[int] = []
        for run in runs:
            made = _at(run, self._call)
            if isinstance(made, Trial):
                trials.append(made)
                numbers.append(run.number)
            else:
                yield run.number, _at(run, partial(_user_row, made))
        with closing(runner.run(trials)) as outcomes:
            for index, outcome in outcomes:
                yield numbers[index], outcome_row(outcome)

    def digests(self, run: SweepRun) -> dict[str, str]:
        """Return the hash of the script's file."""
        return _source_digests([self.source])

    def _call(self, run: SweepRun) -> Any:
        function = self.source.target
        taken = inspect.signature(function).parameters
        settings = dict(run.settings)
        if "seed" in taken and "seed" not in settings:
            settings["seed"] = run.seed
        try:
            inspect.signature(function).bind(**settings)
        except TypeError as error:
            raise BadValue(f"{self.source.text}: cannot be called ({error})") from error
        try:
            return function(**settings)
        except GrouserError:
            raise
        except Exception as error:  # user code may raise anything
            raise BadValue(f"{self.source.text}: raised {type(error).__name__}: {error}") from error


def _user_row(made: Any, run: SweepRun) -> Row:
    """Return results that a script returned; raise unless they are numbers or texts by name."""
    if not isinstance(made, Mapping):
        raise BadValue(f"the script returned {type(made).__name__}, must be a Trial or a mapping")
    row: Row = {}
    for name, value in made.items():
        plain = value.item() if hasattr(value, "item") else value
        if not isinstance(name, str) or not isinstance(plain, bool | int | float | str | None):
            raise BadValue(f"the script returned {name!r}: {value!r}, must be a number or text")
        row[name] = plain
    return row


def find_subject(sweep: SweepFile, folder: Path) -> Subject:
    """Return the subject of a sweep file; scripts and policies are relative to ``folder``."""
    sweep = _resolve_paths(sweep, folder)
    policy = _policy(sweep, sweep.set)
    sources = (policy,) if policy else ()
    if sweep.mobility is not None:
        apparatus_named(sweep.mobility)
        suite = TrialSubject(partial(_mobility_trial, sweep), sources)
        return LimitSubject(sweep.mobility, suite) if sweep.find_limit else suite
    if sweep.world is not None:
        return TrialSubject(partial(_world_trial, sweep), sources)
    if sweep.plan is not None:
        return PlanSubject(sweep)
    source = PolicySource(sweep.script or "", folder, "script", what="function")
    source.target  # noqa: B018 - checked before the first run
    return ScriptSubject(source)


def _resolve_paths(sweep: SweepFile, folder: Path) -> SweepFile:
    """Return the file with the paths of worlds, robots and policies relative to ``folder``."""
    update: dict[str, Any] = {}
    for key in ("world", "plan", "robot"):
        name = getattr(sweep, key)
        if name and (folder / name).is_file():
            update[key] = str(folder / name)
    if sweep.policy and ".py:" in sweep.policy:
        update["policy"] = str(folder / sweep.policy)
    return sweep.model_copy(update=update)


def outcome_row(outcome: Outcome) -> Row:
    """Return the results of a trial."""
    x, y, z = outcome.positions[-1].tolist()
    return {
        "success": outcome.arrived,
        "verdict": outcome.verdict,
        "time": float(outcome.time),
        "x": x,
        "y": y,
        "z": z,
        "work": float(outcome.work),
        "effort": float(outcome.effort),
        "fingerprint": outcome.fingerprint,
    }


def _at(run: SweepRun, make: Callable[[SweepRun], Any]) -> Any:
    """Return ``make(run)``; errors name the run."""
    try:
        return make(run)
    except (BadValue, UnknownName, WorldFileError) as error:
        raise type(error)(f"sweep, {run}: {error}") from error


def _part(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings whose keys begin with ``name.``, without it."""
    head = f"{name}."
    return {
        key.removeprefix(head): value for key, value in settings.items() if key.startswith(head)
    }


def _policy(sweep: SweepFile, settings: Mapping[str, Any]) -> PolicySource | None:
    """Return the policy of a sweep with the arguments in ``settings``."""
    arguments = tuple(sorted(_part("policy", settings).items()))
    if sweep.policy is None:
        if arguments:
            raise BadValue("sweep: keys that begin with policy. need the key policy")
        return None
    return PolicySource(sweep.policy, Path.cwd(), "sweep: policy", arguments=arguments)


def _source_digests(sources: Sequence[PolicySource]) -> dict[str, str]:
    """Return the hashes of the files of policies and scripts."""
    found = {}
    for source in sources:
        path = source.folder / source.text.rpartition(":")[0]
        if path.is_file():
            found[path.name] = sha256(path.read_bytes())
    return found


def _override(key: str, value: Any) -> str:
    return f"{key}={json.dumps(value)}"


def _load(name: str, settings: Mapping[str, Any], others: Sequence[str]) -> World:
    """Return a world with all settings except those that begin with one of ``others``."""
    changes = [
        _override(key, value)
        for key, value in settings.items()
        if key.partition(".")[0] not in others
    ]
    return load(name, changes)


def _watched_robot(sweep: SweepFile, world: World) -> str:
    """Return the name of the watched robot."""
    names = [entry.name for entry in world.robots]
    if sweep.robot is not None:
        return sweep.robot
    if len(names) != 1:
        raise BadValue(f"robot is needed: robots in world '{world.name}': {', '.join(names)}")
    return names[0]


def _world_trial(sweep: SweepFile, run: SweepRun) -> Trial:
    """Return the trial of a run in a world."""
    world = _load(sweep.world or "", run.settings, ("policy",))
    robot = _watched_robot(sweep, world)
    variation = _variation(run)
    if run.varied:
        world = with_friction(_move_start(world, robot, variation), variation.friction)
    policy = _policy(sweep, run.settings)
    if policy is not None:
        world = equip(world, robot, policy)
    return Trial(
        world=world,
        robot=robot,
        limit=sweep.time_limit,
        goal=_goal(sweep),
        policy=policy,
        seed=run.seed,
        stuck_after=sweep.stuck_after,
        case=run.point,
    )


def _goal(sweep: SweepFile) -> Goal | Place | None:
    target = sweep.goal
    if target is None:
        return None
    if target.y is not None:
        return Place(x=target.x, y=target.y, within=target.within)
    return Goal(x=target.x, z=-math.inf if target.z is None else target.z)


def _variation(run: SweepRun) -> Variation:
    """Return the random variation of a run."""
    if not run.varied:
        return replace(NOMINAL, seed=run.seed)
    return draw_variation(run.seed, "sweep")


def _move_start(world: World, robot: str, variation: Variation) -> World:
    """Return ``world`` with the start of a robot moved backwards and turned."""

    def move(entry: Any) -> Any:
        if entry.name != robot:
            return entry
        yaw = radians(entry.yaw_deg)
        x, y, z = entry.position
        back = variation.back
        place = (x - back * math.cos(yaw), y - back * math.sin(yaw), z)
        turned = entry.yaw_deg + variation.heading_deg
        return entry.model_copy(update={"position": place, "yaw_deg": turned})

    return world.changed(robots=tuple(move(entry) for entry in world.robots))


@cache
def _candidate(kind: str, options_json: str, timestep: float | None, flippers: bool) -> Candidate:
    """Return a measured robot; many runs have the same."""
    return measure_candidate(kind, json.loads(options_json), flippers=flippers, timestep=timestep)


def _mobility_trial(sweep: SweepFile, run: SweepRun) -> Trial:
    """Return the trial of a run on an apparatus."""
    settings = dict(run.settings)
    suite = {key: settings.pop(key) for key in SUITE_KEYS if key in settings}
    policy = _policy(sweep, settings)
    changes, options = [], {}
    for key, value in settings.items():
        first, dot, rest = key.partition(".")
        if first == "robot":
            options[rest] = value
        elif dot and first in WORLD_PARTS:
            changes.append(_override(key, value))
        elif first != "policy":
            options[key] = value
    if "size" not in suite:
        raise BadValue(f"size of {sweep.mobility} is needed, in set or vary")
    flippers, timestep = suite.get("flippers", True), suite.get("timestep")
    written = json.dumps(options, sort_keys=True)
    candidate = _candidate(sweep.robot or "", written, timestep, flippers)
    if candidate.cannot:
        raise BadValue(f"{candidate.name} {candidate.cannot}")
    update: dict[str, Any] = {
        key: float(suite[key]) for key in ("friction", "speed") if key in suite
    }
    candidate = replace(candidate, policy=policy, **update)
    variation = _variation(run)
    trial = mobility_trial(candidate, sweep.mobility or "", float(suite["size"]), variation)
    if changes:
        text = world_text(trial.world)
        trial = replace(trial, world=parse(text, where=trial.world.name, overrides=changes))
    return replace(trial, case=run.point)


def _changed_driver(driver: PathDriver, changes: Mapping[str, Any]) -> PathDriver:
    """Return a path driver with other parameters of itself or of its steering law."""
    own = {entry.name for entry in fields(driver)} - {"law"}
    law: Any = driver.law
    of_law = {entry.name for entry in fields(law)}
    for name in changes:
        if name not in own | of_law:
            raise unknown("sweep", "driver setting", name, own | of_law)
    inner = {name: value for name, value in changes.items() if name in of_law}
    outer = {name: value for name, value in changes.items() if name in own}
    return replace(driver, law=replace(law, **inner), **outer)
