"""Straight routes through a world: can a robot drive from one position to another?

For worlds without a varied size, such as scanned ground. The robot starts upright on the ground at
one position and drives straight to another (`grouser.trials.path_trials`).
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
from grouser.trials.draws import Draw
from grouser.trials.path_trials import PathCourse
from grouser.trials.runner import RunnerChoice, run_trials
from grouser.trials.trial import Outcome, Place, Trial
from grouser.world.file import RobotEntry, World

WITHIN = 0.1
"""Goal tolerance, m."""
SHORTEST = 0.15
"""Shortest allowed route, m."""


@dataclass(frozen=True)
class Route:
    """Straight line between two positions."""

    start: tuple[float, float]
    """Start, x and y, m."""
    end: tuple[float, float]
    """End, x and y, m."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.length) or self.length < SHORTEST:
            raise BadValue(f"way {self}: is {self.length:g} m long, must be at least {SHORTEST} m")

    @property
    def length(self) -> float:
        """Distance from start to end, m."""
        return math.dist(self.start, self.end)

    def __str__(self) -> str:
        return " to ".join(f"{x:g},{y:g}" for x, y in (self.start, self.end))


@dataclass(frozen=True)
class DrivenRoute:
    """Result of a robot on one route."""

    route: Route
    outcome: Outcome

    @property
    def passed(self) -> bool:
        """True if the robot reached the end."""
        return self.outcome.arrived

    @property
    def rest(self) -> float:
        """Distance of the robot from the end of the route, m."""
        x, y = self.outcome.positions[-1, :2].tolist()
        return math.dist((x, y), self.route.end)


def routes_between_starts(world: World) -> tuple[Route, ...]:
    """Return the routes from each of a world's start places to the next, and back to the first."""
    places = [start.position[:2] for start in world.starts]
    if len(places) < 2:
        raise BadValue(
            f"{world.where()}: has {len(places)} start places, at least 2 are needed; or give a "
            "route, such as --way 0,0,1,0"
        )
    pairs = zip(places, [*places[1:], places[0]], strict=True)
    routes = [Route((a[0], a[1]), (b[0], b[1])) for a, b in pairs]
    return tuple(routes[:1] if len(places) == 2 else routes)


def route_trial(kind: str, options: Mapping[str, Any], world: World, route: Route) -> Trial:
    """Return the trial of a robot along ``route``; other robots of the world are removed."""
    heading = math.atan2(route.end[1] - route.start[1], route.end[0] - route.start[0])
    entry = RobotEntry(
        name=default_name(kind),
        kind=kind,
        position=(*route.start, 0.0),
        yaw_deg=degrees(heading),
        options=dict(options),
    )
    goal = Place(x=route.end[0], y=route.end[1], within=WITHIN)
    course = PathCourse(world.changed(robots=(entry,)), entry.name, goal)
    return course.trial(np.array([route.start, route.end]), Draw(), {"way": str(route)})


def drive_routes(
    kind: str,
    options: Mapping[str, Any],
    world: World,
    routes: Sequence[Route],
    *,
    runner: RunnerChoice = None,
    progress: Progress | None = None,
) -> list[DrivenRoute]:
    """Drive a robot along every route, once."""
    trials = [route_trial(kind, options, world, route) for route in routes]
    outcomes = run_trials(trials, runner=runner, progress=progress)
    return [DrivenRoute(route, outcome) for route, outcome in zip(routes, outcomes, strict=True)]
