"""The mobility suite: what can a robot get over?

Any robot that steers is driven over every apparatus of `grouser.mobility.apparatus`, once per size
(`nominal_runs`); `grouser.mobility.limits` repeats that with chance in it. A robot drives at
`SPEED`, or at half its top speed if that is less, in steps of `TIMESTEP`; a description that has a
field ``timestep`` (s) gets that instead. It starts `RUN_UP` before the apparatus and is driven by
`grouser.mobility.operator.Operator`, straight ahead. A run ends early when the whole robot is
behind the apparatus, when it has tipped over, or when it is stuck.
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
from grouser.frames import Pose, degrees, radians, to_rpy
from grouser.locomotion.flippers import GROUPS, FlipperClimber
from grouser.mobility.apparatus import APPARATUS, FRICTION, Apparatus, Course
from grouser.mobility.operator import Operator
from grouser.robots.kinds import default_name, describe
from grouser.simulation.scene import compose
from grouser.trials import threads
from grouser.trials.trial import Goal, Outcome, Trial
from grouser.world.file import RobotEntry, World
from grouser.world.objects import Box
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.kinds import Terrain

SPEED = 0.25
"""m/s."""
TIMESTEP = 0.001
"""s."""
RUN_UP = 0.2
"""From the robot's foremost point to the apparatus at the start, m."""
BEYOND = 0.05
"""From the end of the apparatus to the robot's hindmost point when it has passed, m."""
STUCK_AFTER, STUCK_WITHIN = 4.0, 0.05
"""A robot that does not get so much further (m) in this time (s) is stuck."""
TIPPED_DEG = 90.0
"""A robot tilted further than this has tipped over."""
PATIENCE = 3.0
"""A run may take so many times longer than the way alone."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A robot that is tested, and what of it matters for that."""

    kind: str
    """A name, or the path of a robot file."""
    options: Mapping[str, Any]
    front: float
    """Its foremost point before its root, m."""
    rear: float
    """Its hindmost point behind its root, m."""
    standing: float
    """Height of its root on level ground, m; flippers turn about axes this high."""
    speed: float
    """At which it is driven, m/s."""
    timestep: float
    """Of its physics, s."""
    flippers: tuple[str, ...]
    """The groups of flippers that it has and uses."""
    friction: float = FRICTION
    """Of ground and obstacles that have no friction of their own kind."""
    cannot: str = ""
    """Why it cannot be tested at all; empty: it can."""

    @property
    def name(self) -> str:
        """What it is called."""
        return default_name(self.kind)


def measure_candidate(
    kind: str,
    options: Mapping[str, Any],
    *,
    flippers: bool = True,
    timestep: float | None = None,
    friction: float | None = None,
) -> Candidate:
    """Return the robot of that kind, measured as it stands.

    Args:
        kind: a name, or the path of a robot file.
        options: of that robot.
        flippers: False: if it has flippers, they stay as its options say.
        timestep: of every run, s; None: the robot's own, or `TIMESTEP`.
        friction: of ground and obstacles; None: the apparatus's own.
    """
    if timestep is None:
        timestep = float(getattr(describe(kind, options, "mobility"), "timestep", TIMESTEP))
    who = RobotEntry(name=default_name(kind), kind=kind, position=(0, 0, 0), options=dict(options))
    scene = compose(_world("measure", (Flat(friction=1.0),), who, timestep))
    robot, model, data = scene.robots[who.name], scene.model, scene.initial()
    mine = [i for i in range(model.ngeom) if model.geom_bodyid[i] > 0]
    middle, half = np.split(model.geom_aabb[mine], 2, axis=1)
    turn = data.geom_xmat[mine].reshape(-1, 3, 3)
    x = data.geom_xpos[mine, 0] + np.einsum("gi,gi->g", turn[:, 0], middle)
    reach = np.einsum("gi,gi->g", np.abs(turn[:, 0]), half)
    steering = robot.steering
    spin = min((robot.drives[d].speed for d in steering.left), default=0) if steering else 0.0
    top = spin * steering.radius if steering else 0.0
    return Candidate(
        kind=who.kind,
        options=dict(options),
        front=float((x + reach).max(initial=0.0)),
        rear=float((reach - x).max(initial=0.0)),
        standing=robot.standing,
        speed=min(SPEED, top / 2),
        timestep=timestep,
        flippers=tuple(group for group in GROUPS if flippers and group in robot.groups),
        friction=FRICTION if friction is None else friction,
        cannot="" if steering and robot.free else "does not steer",
    )


@dataclass(frozen=True, kw_only=True)
class Variation:
    """What differs between repetitions of a run."""

    back: float = 0.0
    """Start further back, m: another grouser meets the edge."""
    heading_deg: float = 0.0
    """At the start, to the left."""
    friction: float = 1.0
    """Times that of the apparatus."""


NOMINAL = Variation()


@dataclass(frozen=True, kw_only=True)
class MobilityRun:
    """One robot on one apparatus of one size."""

    test: str
    """Key of `APPARATUS`."""
    size: float
    """mm or deg."""
    outcome: Outcome

    @property
    def passed(self) -> bool:
        """Whether the robot got over it."""
        return self.outcome.arrived


def apparatus_named(test: str) -> Apparatus:
    """Return the apparatus of that name."""
    if test not in APPARATUS:
        raise unknown("mobility", "test", test, APPARATUS)
    return APPARATUS[test]


def mobility_trial(who: Candidate, test: str, size: float, variation: Variation = NOMINAL) -> Trial:
    """Return the drive of ``who`` over ``test`` at ``size`` (mm or deg)."""
    course = apparatus_named(test).at(size)
    start = -(who.front + RUN_UP + variation.back)
    X_SB = Pose.at(start, yaw=radians(variation.heading_deg))
    X_WB = course.X_WS @ X_SB
    roll, pitch, yaw = degrees(to_rpy(X_WB.wxyz)).tolist()
    x, y, z = X_WB.position.tolist()
    entry = RobotEntry(
        name=who.name,
        kind=who.kind,
        position=(x, y, z),
        roll_deg=roll,
        pitch_deg=pitch,
        yaw_deg=yaw,
        options=dict(who.options),
        command={"forward": who.speed},
    )
    world = _world(f"{test} {size:g}", course.terrain, entry, who.timestep, course.things)
    # Tracks climb low edges without help: up to half the height of their pulleys' axes.
    edge = 0.0 if course.edge > who.standing / 2 else None
    flippers = partial(FlipperClimber, edge, groups=who.flippers) if who.flippers else None
    way = course.end + who.rear + BEYOND - start
    return Trial(
        world=_with_friction(_on_ground_of(world, who.friction), variation.friction),
        robot=who.name,
        limit=round(PATIENCE * math.hypot(way, course.top) / who.speed + STUCK_AFTER, 1),
        goal=_goal(course, who),
        policy=partial(_operator, who.speed, flippers),
        stuck_after=STUCK_AFTER,
        stuck_within=STUCK_WITHIN,
        tipped_beyond=radians(TIPPED_DEG),
        case={"test": test, "size": size},
    )


def nominal_runs(
    who: Candidate,
    tests: Mapping[str, Sequence[float]],
    *,
    progress: Progress | None = None,
) -> list[MobilityRun]:
    """Drive ``who`` once over every size of ``tests`` (name to sizes in mm or deg)."""
    cases = [(test, size) for test, sizes in tests.items() for size in sizes]
    outcomes = threads.run_trials(
        [mobility_trial(who, test, size) for test, size in cases], progress=progress
    )
    return [
        MobilityRun(test=test, size=size, outcome=outcome)
        for (test, size), outcome in zip(cases, outcomes, strict=True)
    ]


def run_alone(trial: Trial) -> Outcome:
    """Run one trial on one core."""
    return threads.run_trials([trial], threads=1)[0]


def _operator(speed: float, flippers: Callable[[], FlipperClimber] | None) -> Operator:
    return Operator(speed, flippers() if flippers else None)


def _goal(course: Course, who: Candidate) -> Goal:
    """Return where the root is when the whole robot is behind the apparatus."""
    way = course.end + who.rear + BEYOND
    if not course.level:
        return Goal(x=float(course.X_WS.apply((way, 0, 0))[0]))
    return Goal(x=way, z=course.top + 0.5 * who.standing)


def _world(
    name: str,
    terrain: tuple[Terrain, ...],
    who: RobotEntry,
    timestep: float,
    things: tuple[Box, ...] = (),
) -> World:
    physics = STANDARD.model_copy(update={"timestep": timestep})
    return World(name=name, physics=physics, terrain=terrain, objects=things, robots=(who,))


def _on_ground_of(world: World, friction: float) -> World:
    """Return ``world`` with ``friction`` wherever it has the suite's usual one.

    A hurdle's pipes that roll and slopes that must not let a robot slide are as they are.
    """
    update = {"friction": friction}
    return world.changed(
        terrain=tuple(
            piece.model_copy(update=update) if piece.friction == FRICTION else piece
            for piece in world.terrain
        )
    )


def _with_friction(world: World, factor: float) -> World:
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
