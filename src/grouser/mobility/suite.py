"""Mobility suite: drive any steered robot over every apparatus, and sweep its options.

Each apparatus of `grouser.mobility.apparatus` is driven once per size (`nominal_runs`);
`grouser.mobility.limits` repeats this with random variation. A robot drives at `SPEED`, or at half
its top speed if that is less, with the time step `TIMESTEP`, or with the ``timestep`` (s) of its
description. It starts `RUN_UP` before the apparatus; `Operator` steers it along the centre line and
moves its flippers. A run ends early when the whole robot is behind the apparatus, when it has
tipped over, or when it is stuck.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from grouser.cores import Progress
from grouser.errors import unknown
from grouser.frames import Pose, degrees, radians, to_rpy, to_rpy_one
from grouser.locomotion.flippers import GROUPS, FlipperClimber
from grouser.mobility.apparatus import APPARATUS, FRICTION, Apparatus, Course
from grouser.robots.kinds import default_name, describe
from grouser.simulation.policy import Observation, PolicyFactory
from grouser.simulation.policy_source import equip
from grouser.simulation.scene import compose
from grouser.trials.runner import RunnerChoice, run_trials
from grouser.trials.trial import Goal, Outcome, Trial
from grouser.world.file import RobotEntry, World
from grouser.world.objects import Box
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.kinds import Terrain

HEADING_GAIN, LINE_GAIN = 1.0, 1.0
"""Turn rate per heading error, 1/s, and per distance from the line, rad/(s m)."""
MOST_TURN = 0.4
"""Largest turn rate, rad/s."""


class Operator:
    """Policy of a human operator: drives along the x axis and uses the flippers, if there are any.

    Args:
        speed: forward speed, m/s.
        flippers: flipper strategy (`grouser.locomotion.flippers`); None: flippers do not move.
    """

    truth = True

    def __init__(self, speed: float, flippers: FlipperClimber | None = None) -> None:
        self._speed, self._flippers = speed, flippers

    def __call__(self, observation: Observation) -> Mapping[str, float]:
        """Return the robot's command; the turn rate is proportional to heading and line error."""
        w, x, y, z = observation.wxyz.tolist()
        yaw = to_rpy_one(w, x, y, z)[2]
        turn = -HEADING_GAIN * yaw - LINE_GAIN * float(observation.position[1])
        drive = {"forward": self._speed, "turn": float(np.clip(turn, -MOST_TURN, MOST_TURN))}
        arms = self._flippers(observation) if self._flippers else None
        return {**drive, **(arms or {})}


SPEED = 0.25
"""Largest forward speed, m/s."""
TIMESTEP = 0.001
"""Default time step, s."""
RUN_UP = 0.2
"""Distance from the robot's foremost point to the apparatus at the start, m."""
BEYOND = 0.05
"""Distance from the end of the apparatus to the robot's hindmost point at the goal, m."""
STUCK_AFTER, STUCK_WITHIN = 4.0, 0.05
"""Time (s) and progress (m) of the verdict "stuck"."""
TIPPED_DEG = 90.0
"""Tilt of the verdict "tipped", deg."""
TIME_FACTOR = 3.0
"""Time limit of a run, as a multiple of the driving time at constant speed."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A robot under test, and its properties that the tests need."""

    kind: str
    """Name of the kind, or path of a robot file."""
    options: Mapping[str, Any]
    front: float
    """Distance from its root to its foremost point, m."""
    rear: float
    """Distance from its root to its hindmost point, m."""
    standing: float
    """Height of its root on level ground, m; flippers turn about axes at this height."""
    speed: float
    """Driving speed, m/s."""
    timestep: float
    """Time step of the physics, s."""
    flippers: tuple[str, ...]
    """Groups of flippers that it has and uses."""
    friction: float = FRICTION
    """Friction of ground and obstacles that have the suite's default friction."""
    policy: PolicyFactory | None = None
    """Policy that drives it; None: `Operator`."""
    cannot: str = ""
    """Reason why it cannot be tested; empty: it can."""

    @property
    def name(self) -> str:
        """Name of the robot in the world."""
        return default_name(self.kind)


def measure_candidate(
    kind: str,
    options: Mapping[str, Any],
    *,
    flippers: bool = True,
    timestep: float | None = None,
    friction: float | None = None,
    policy: PolicyFactory | None = None,
) -> Candidate:
    """Build a robot and measure it in its initial posture.

    Args:
        kind: name of the kind, or path of a robot file.
        options: options of the robot.
        flippers: False: flippers stay at the angles of the options.
        timestep: time step of every run, s; None: that of the robot, or `TIMESTEP`.
        friction: friction of ground and obstacles; None: that of the apparatus.
        policy: drives the robot; None: `Operator`. Sensors that it declares are added.
    """
    if timestep is None:
        timestep = float(getattr(describe(kind, options, "mobility"), "timestep", TIMESTEP))
    entry = RobotEntry(
        name=default_name(kind), kind=kind, position=(0, 0, 0), options=dict(options)
    )
    scene = compose(_world("measure", (Flat(friction=1.0),), entry, timestep))
    robot, model, data = scene.robots[entry.name], scene.model, scene.initial()
    mine = [i for i in range(model.ngeom) if model.geom_bodyid[i] > 0]
    middle, half = np.split(model.geom_aabb[mine], 2, axis=1)
    turn = data.geom_xmat[mine].reshape(-1, 3, 3)
    x = data.geom_xpos[mine, 0] + np.einsum("gi,gi->g", turn[:, 0], middle)
    reach = np.einsum("gi,gi->g", np.abs(turn[:, 0]), half)
    steering = robot.steering
    spin = min((robot.drives[d].speed for d in steering.left), default=0) if steering else 0.0
    top = spin * steering.radius if steering else 0.0
    return Candidate(
        kind=entry.kind,
        options=dict(options),
        front=float((x + reach).max(initial=0.0)),
        rear=float((reach - x).max(initial=0.0)),
        standing=robot.standing,
        speed=min(SPEED, top / 2),
        timestep=timestep,
        flippers=tuple(group for group in GROUPS if flippers and group in robot.groups),
        friction=FRICTION if friction is None else friction,
        policy=policy,
        cannot="" if steering and robot.free else "does not steer",
    )


@dataclass(frozen=True, kw_only=True)
class Variation:
    """Variation of one repetition of a run."""

    back: float = 0.0
    """Backward offset of the start, m: another grouser meets the edge."""
    heading_deg: float = 0.0
    """Heading at the start, left positive, deg."""
    friction: float = 1.0
    """Factor on friction."""
    seed: int = 0
    """Seed of random numbers, such as sensor noise."""


NOMINAL = Variation()


@dataclass(frozen=True, kw_only=True)
class MobilityRun:
    """Result of one robot on one apparatus of one size."""

    test: str
    """Key of `APPARATUS`."""
    size: float
    """Size, mm or deg."""
    outcome: Outcome

    @property
    def passed(self) -> bool:
        """True if the robot passed the apparatus."""
        return self.outcome.arrived


def apparatus_named(test: str) -> Apparatus:
    """Return the apparatus of that name."""
    if test not in APPARATUS:
        raise unknown("mobility", "test", test, APPARATUS)
    return APPARATUS[test]


def mobility_trial(
    candidate: Candidate, test: str, size: float, variation: Variation = NOMINAL
) -> Trial:
    """Return the trial of ``candidate`` on ``test`` at ``size`` (mm or deg)."""
    course = apparatus_named(test).at(size)
    start = -(candidate.front + RUN_UP + variation.back)
    X_SB = Pose.at(start, yaw=radians(variation.heading_deg))
    X_WB = course.X_WS @ X_SB
    roll, pitch, yaw = degrees(to_rpy(X_WB.wxyz)).tolist()
    x, y, z = X_WB.position.tolist()
    entry = RobotEntry(
        name=candidate.name,
        kind=candidate.kind,
        position=(x, y, z),
        roll_deg=roll,
        pitch_deg=pitch,
        yaw_deg=yaw,
        options=dict(candidate.options),
        command={} if candidate.policy else {"forward": candidate.speed},
    )
    world = _world(f"{test} {size:g}", course.terrain, entry, candidate.timestep, course.things)
    if candidate.policy is not None:
        world = equip(world, candidate.name, candidate.policy)
    # Tracks climb edges up to half the height of their pulleys' axes without flippers.
    edge = 0.0 if course.edge > candidate.standing / 2 else None
    flippers = (
        partial(FlipperClimber, edge, groups=candidate.flippers) if candidate.flippers else None
    )
    distance = course.end + candidate.rear + BEYOND - start
    return Trial(
        world=with_friction(_on_ground_of(world, candidate.friction), variation.friction),
        robot=candidate.name,
        limit=round(
            TIME_FACTOR * math.hypot(distance, course.top) / candidate.speed + STUCK_AFTER, 1
        ),
        goal=_goal(course, candidate),
        policy=candidate.policy or partial(_operator, candidate.speed, flippers),
        seed=variation.seed,
        stuck_after=STUCK_AFTER,
        stuck_within=STUCK_WITHIN,
        tipped_beyond=radians(TIPPED_DEG),
        case={"test": test, "size": size},
    )


def nominal_runs(
    candidate: Candidate,
    tests: Mapping[str, Sequence[float]],
    *,
    seed: int = 0,
    runner: RunnerChoice = None,
    progress: Progress | None = None,
) -> list[MobilityRun]:
    """Drive ``candidate`` once over every size of ``tests`` (name to sizes in mm or deg)."""
    cases = [(test, size) for test, sizes in tests.items() for size in sizes]
    nominal = Variation(seed=seed)
    trials = [mobility_trial(candidate, test, size, nominal) for test, size in cases]
    outcomes = run_trials(trials, runner=runner, progress=progress)
    return [
        MobilityRun(test=test, size=size, outcome=outcome)
        for (test, size), outcome in zip(cases, outcomes, strict=True)
    ]


def run_single(trial: Trial) -> Outcome:
    """Run one trial in this process."""
    return run_trials([trial])[0]


def _operator(speed: float, flippers: Callable[[], FlipperClimber] | None) -> Operator:
    return Operator(speed, flippers() if flippers else None)


def _goal(course: Course, candidate: Candidate) -> Goal:
    """Return the goal at which the whole robot is behind the apparatus."""
    distance = course.end + candidate.rear + BEYOND
    if not course.level:
        return Goal(x=float(course.X_WS.apply((distance, 0, 0))[0]))
    return Goal(x=distance, z=course.top + 0.5 * candidate.standing)


def _world(
    name: str,
    terrain: tuple[Terrain, ...],
    entry: RobotEntry,
    timestep: float,
    things: tuple[Box, ...] = (),
) -> World:
    physics = STANDARD.model_copy(update={"timestep": timestep})
    return World(name=name, physics=physics, terrain=terrain, objects=things, robots=(entry,))


def _on_ground_of(world: World, friction: float) -> World:
    """Return ``world`` with ``friction`` on terrain that has the suite's default friction."""
    # Pipes of hurdles and slopes of tipping tests keep theirs.
    update = {"friction": friction}
    return world.changed(
        terrain=tuple(
            piece.model_copy(update=update) if piece.friction == FRICTION else piece
            for piece in world.terrain
        )
    )


def with_friction(world: World, factor: float) -> World:
    """Return ``world`` with all friction times ``factor``."""
    if factor == 1.0:
        return world

    def with_factor(surface: Any) -> Any:
        names = ("friction", "pipe_friction")
        now = {name: getattr(surface, name, None) for name in names}
        return surface.model_copy(update={k: v * factor for k, v in now.items() if v is not None})

    return world.changed(
        terrain=tuple(with_factor(piece) for piece in world.terrain),
        objects=tuple(with_factor(thing) for thing in world.objects),
    )


@dataclass(frozen=True, kw_only=True)
class SweptRun(MobilityRun):
    """Result of one robot of a sweep on one size."""

    value: Any
    """Value of the swept option."""


def sweep(
    kind: str,
    options: Mapping[str, Any],
    path: str,
    values: Sequence[Any],
    test: str,
    sizes: Sequence[float],
    *,
    policy: PolicyFactory | None = None,
    seed: int = 0,
    runner: RunnerChoice = None,
    progress: Progress | None = None,
) -> list[SweptRun]:
    """Sweep one option of a robot: run every value at every size of one test.

    Each trial equals that of `nominal_runs` for the same robot.

    Args:
        kind: name of the kind, or path of a robot file.
        options: options of all robots.
        path: option to sweep, such as ``tracks.0.oval.radius``.
        values: values of this option.
        test: key of `grouser.mobility.apparatus.APPARATUS`.
        sizes: sizes, mm or deg.
        policy: drives the robots; None: `Operator`.
        seed: seed of random numbers, such as sensor noise.
        runner: runner of the trials, or its name; None: threads, one per core.
        progress: called for each finished trial.
    """
    robots = [measure_candidate(kind, {**options, path: value}, policy=policy) for value in values]
    nominal = Variation(seed=seed)
    cases = [
        (value, size, mobility_trial(candidate, test, size, nominal))
        for value, candidate in zip(values, robots, strict=True)
        for size in sizes
    ]
    trials = [trial for _, _, trial in cases]
    outcomes = run_trials(trials, runner=runner, progress=progress)
    return [
        SweptRun(value=value, test=test, size=size, outcome=outcome)
        for (value, size, _), outcome in zip(cases, outcomes, strict=True)
    ]
