"""A trial: one robot, one world, one command, one verdict.

A trial is a description; a runner (`grouser.trials.threads`) turns many of them into `Outcome`s.
It ends early when its robot has arrived, fallen down or tipped over or is stuck.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from grouser.errors import BadValue
from grouser.frames import Array, radians
from grouser.sensors.sensor import Reading
from grouser.trials.fleet import FleetPolicy
from grouser.trials.starts import TrialStart
from grouser.world.file import World

Verdict = Literal["arrived", "fell", "stuck", "tipped", "out of time", "diverged"]

FALL_TIME = 0.3
"""A robot that falls loses its height within this time, s: 0.44 m of free fall."""


@dataclass(frozen=True, kw_only=True)
class Goal:
    """Where the watched robot's root must get to, in the world frame."""

    x: float
    """At least this far, m."""
    z: float = -math.inf
    """At least this high, m."""
    level: float = math.inf
    """Tilted by at most this much, rad."""

    def reached(self, position: Array, tilt: float) -> bool:
        """Say whether a root at ``position`` (3,) (m) with ``tilt`` (rad) has arrived."""
        return bool(position[0] >= self.x and position[2] >= self.z and tilt <= self.level)


@dataclass(frozen=True, kw_only=True)
class Place:
    """A place that the watched robot's root must get to, in the world frame, from any side."""

    x: float
    """m."""
    y: float
    """m."""
    within: float
    """How close it must come, m, seen from above; above 0."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.x) and math.isfinite(self.y) and 0 < self.within < math.inf):
            raise BadValue(
                f"trial: goal is ({self.x}, {self.y}) within {self.within} m, needs finite numbers "
                "and a distance above 0"
            )

    def reached(self, position: Array, tilt: float) -> bool:
        """Say whether a root at ``position`` (3,) (m) has arrived, whatever its ``tilt``."""
        return math.hypot(position[0] - self.x, position[1] - self.y) < self.within


@dataclass(frozen=True)
class Observation:
    """What a policy gets to see of the watched robot, ten times a second."""

    time: float
    """Simulated, s."""
    position: Array
    """Of the root in the world, m, (3,)."""
    wxyz: Array
    """Of the root in the world, (4,)."""
    readings: Mapping[str, Reading] = field(default_factory=dict)
    """The newest reading of each of `Trial.sensors`."""


Policy = Callable[[Observation], Mapping[str, float] | None]
"""Sees and commands; None: go on as told before."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One run: a world, the robot that is watched in it, and what ends it."""

    world: World
    robot: str
    """Whom to watch."""
    limit: float
    """Longest simulated time, s."""
    goal: Goal | Place | None = None
    """None: just run until the limit."""
    start: TrialStart | None = None
    """Where it starts and what else was drawn for it; None: as the world says."""
    schedule: tuple[tuple[float, Mapping[str, float]], ...] = ()
    """Commands after the world's own: (time in s, command), in order of time."""
    policy: Callable[[], Policy] | None = None
    """Makes the policy that commands the robot from what is seen; made anew for every run."""
    fleet: FleetPolicy | None = None
    """A policy on arrays that commands all trials of a lane in one call, from the start on."""
    errand: object = None
    """What `fleet` must know of this trial, such as its path."""
    sensors: tuple[str, ...] = ()
    """Sensors of the watched robot that its policy reads; any but those that take pictures."""
    stuck_after: float = math.inf
    """Give up when the robot has not got ``stuck_within`` further in this time, s: along its path
    if its `fleet` says how far it has to go, else along x."""
    stuck_within: float = 0.01
    """m."""
    tipped_beyond: float = radians(100)
    """Give up when the root is tilted further than this, rad."""
    fall: float = math.inf
    """Give up when the root loses this much height within `FALL_TIME`, m: it has fallen down."""
    case: Mapping[str, object] = field(default_factory=dict)
    """What distinguishes this trial, for tables."""

    def __post_init__(self) -> None:
        names = [entry.name for entry in self.world.robots]
        if self.robot not in names:
            raise BadValue(f"trial: watches '{self.robot}', the world has {', '.join(names)}")
        if not self.limit > 0:
            raise BadValue(f"trial: limit is {self.limit} s, must be above 0")


@dataclass(frozen=True)
class Outcome:
    """How a trial went."""

    trial: Trial
    verdict: Verdict
    time: float
    """When it ended, s."""
    times: Array
    """Of the samples, s, (k,)."""
    positions: Array
    """Of the robot's root, m, (k, 3)."""
    wxyz: Array
    """Of the robot's root, (k, 4)."""
    spent: Array
    """Effort up to each sample, J, (k,)."""
    work: float
    """Signed work of the robot's drives, J."""
    effort: float
    """Sum of |force x speed| x dt of the robot's drives, J."""
    fingerprint: str
    """A hash of the whole state at the end, as `Simulation.fingerprint` gives it."""

    @property
    def arrived(self) -> bool:
        """Whether it got to its goal."""
        return self.verdict == "arrived"
