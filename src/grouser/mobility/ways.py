"""Ways through a world: can a robot get from here to there on ground that somebody scanned?

An apparatus has one size that is varied; a world has none, but it has places. A robot is put down
at one of them, upright on the ground that is there, and driven straight to another
(`grouser.trials.path_trials`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.cores import Progress
from grouser.errors import BadValue
from grouser.frames import degrees
from grouser.robots.kinds import default_name
from grouser.trials import threads
from grouser.trials.draws import Draw
from grouser.trials.path_trials import PathCourse
from grouser.trials.trial import Outcome, Place, Trial
from grouser.world.file import RobotEntry, World

WITHIN = 0.1
"""How close to its end a way has been driven, m."""
SHORTEST = 0.15
"""m; a shorter way is none."""


@dataclass(frozen=True)
class Way:
    """From a place to another, straight."""

    start: tuple[float, float]
    """x and y, m."""
    end: tuple[float, float]
    """x and y, m."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.length) or self.length < SHORTEST:
            raise BadValue(f"way {self}: is {self.length:g} m long, at least {SHORTEST} are needed")

    @property
    def length(self) -> float:
        """From start to end, m."""
        return math.dist(self.start, self.end)

    def __str__(self) -> str:
        return " to ".join(f"{x:g},{y:g}" for x, y in (self.start, self.end))


@dataclass(frozen=True)
class DrivenWay:
    """A robot on one way."""

    way: Way
    outcome: Outcome

    @property
    def passed(self) -> bool:
        """Whether the robot got to its end."""
        return self.outcome.arrived

    @property
    def rest(self) -> float:
        """How far from the way's end the robot ended, m."""
        x, y = self.outcome.positions[-1, :2].tolist()
        return math.dist((x, y), self.way.end)


def ways_between_starts(world: World) -> tuple[Way, ...]:
    """Return the ways from each of a world's start places to the next, and back to the first.

    Raises:
        BadValue: the world has fewer than two.
    """
    places = [start.position[:2] for start in world.starts]
    if len(places) < 2:
        raise BadValue(
            f"{world.where()}: has {len(places)} start places, two are needed to drive from one to "
            "the other; or say where, such as --way 0,0,1,0"
        )
    pairs = zip(places, [*places[1:], places[0]], strict=True)
    ways = [Way((a[0], a[1]), (b[0], b[1])) for a, b in pairs]
    return tuple(ways[:1] if len(places) == 2 else ways)


def way_trial(kind: str, options: Mapping[str, Any], world: World, way: Way) -> Trial:
    """Return the drive of a robot along ``way``; whoever else is in the world is left out.

    Raises:
        BadValue: there is no ground at the start, or nobody knows how the robot is driven.
    """
    heading = math.atan2(way.end[1] - way.start[1], way.end[0] - way.start[0])
    entry = RobotEntry(
        name=default_name(kind),
        kind=kind,
        position=(*way.start, 0.0),
        yaw_deg=degrees(heading),
        options=dict(options),
    )
    goal = Place(x=way.end[0], y=way.end[1], within=WITHIN)
    course = PathCourse(world.changed(robots=(entry,)), entry.name, goal)
    return course.trial(np.array([way.start, way.end]), Draw(), {"way": str(way)})


def drive_ways(
    kind: str,
    options: Mapping[str, Any],
    world: World,
    ways: Sequence[Way],
    *,
    progress: Progress | None = None,
) -> list[DrivenWay]:
    """Drive a robot along every way, once."""
    trials = [way_trial(kind, options, world, way) for way in ways]
    outcomes = threads.run_trials(trials, progress=progress)
    return [DrivenWay(way, outcome) for way, outcome in zip(ways, outcomes, strict=True)]
