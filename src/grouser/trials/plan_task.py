"""What is to be planned: a world, a robot, from where to where; checked before it is driven."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grouser.errors import BadValue, unknown
from grouser.frames import degrees
from grouser.planning.driver import PathDriver
from grouser.planning.ground import STANDS, VERDICTS, RobotFootprint
from grouser.planning.paths import Path, Stop, plan_path
from grouser.planning.roadmap import Roadmap
from grouser.planning.validity import Bounds, ValidityMap, map_validity, stands_at
from grouser.robots.kinds import default_name, is_file, robot_kinds
from grouser.simulation.ground import Ground
from grouser.simulation.scene import compose
from grouser.trials.footprint import footprint_of
from grouser.trials.path_trials import LIMIT, PathCourse, driver_for
from grouser.trials.trial import Place
from grouser.world.file import RobotEntry, World

Point2 = tuple[float, float]
"""x, y in the world, m."""

ROADMAP = "roadmap"
"""The planner's name that stands for our own roadmap instead of one of OMPL's."""

AROUND = 4.0
"""How far beyond the ground's ends, the start and the goal ways are looked for, in radii."""
NARROW = 0.25
"""If a robot of this part of the width would get there, the robot is called too wide."""


@dataclass(frozen=True, kw_only=True)
class PlanTask:
    """A robot that stands at its start and is to get to a goal; `plan_task` makes it."""

    course: PathCourse
    """Makes the trials."""
    validity: ValidityMap
    """Where the robot stands."""
    ground: Ground
    footprint: RobotFootprint
    start: Point2
    goal: Point2
    bounds: Bounds

    @cached_property
    def roadmap(self) -> Roadmap:
        """Our roadmap from start to goal, built when it is first needed."""
        return Roadmap(self.validity, self.start, self.goal)

    def path(self, planner: str, seed: int, *, stop: Stop | None = None) -> Path | None:
        """Return one path by geometry alone; None: the planner found none, or was stopped."""
        ends = self.start, self.goal
        return plan_path(self.validity, *ends, planner=planner, seed=seed, stop=stop)

    def why_no_path(self) -> str:
        """Return a sentence about why geometry has no path."""
        narrow = self.footprint.contacts * [NARROW, NARROW, 1.0]
        body = self.footprint.body * [NARROW, NARROW, 1.0]
        small = dataclasses.replace(self.footprint, contacts=narrow, body=body)
        ways = f"from {_said(self.start)} to {_said(self.goal)}"
        with suppress(BadValue):  # its map would be too large
            radius = self.footprint.radius
            validity = map_validity(self.ground, small, self.bounds, radius=radius)
            if Roadmap(validity, self.start, self.goal).candidates(1):
                return f"no path {ways}: the robot is too wide for the ways that there are"
        west, south, east, north = self.bounds
        return (
            f"no path {ways}: nowhere within x {west:g} to {east:g}, y {south:g} to {north:g} m "
            "does ground that the robot can stand on join them"
        )


def plan_task(
    world: World,
    robot: str,
    start: Point2,
    goal: Point2,
    *,
    heading: float | None = None,
    bounds: Bounds | None = None,
    driver: PathDriver | None = None,
    limit: float = LIMIT,
) -> PlanTask:
    """Check a task and look its ground over once.

    Args:
        world: what is there; of its robots only the one that plans stays.
        robot: who plans: the name of a robot of the world, or a kind of robot.
        start: where it starts, on whatever ground is there.
        goal: where it is to get.
        heading: at the start, rad; None: as the world's robot has it, else 0.
        bounds: where ways are looked for; None: wherever the world has ground that ends, and around
            start and goal.
        driver: how it is driven; None: as fits the robot.
        limit: longest simulated time of a trial, s.

    Raises:
        UnknownName: there is no such robot.
        BadValue: the robot does not stand at the start or at the goal; the sentence says why.
    """
    entry = _entry(world, robot, start, heading)
    alone = world.changed(robots=(entry,), view=world.view.model_copy(update={"follow": None}))
    scene = compose(alone)
    ground, footprint = Ground(scene), footprint_of(scene, entry.name)
    for word, place in (("start", start), ("goal", goal)):
        verdict = stands_at(ground, footprint, *place)
        if verdict != STANDS:
            raise BadValue(f"{word} {_said(place)}: {VERDICTS[verdict]}, whichever way it faces")
    around = bounds or _around(ground, footprint, start, goal)
    west, south, east, north = around
    for word, (x, y) in (("start", start), ("goal", goal)):
        if not (west <= x <= east and south <= y <= north):
            raise BadValue(
                f"{word} {_said((x, y))}: outside the bounds that ways are looked for in"
            )
    chosen = driver or driver_for(scene.robots[entry.name])
    target = Place(x=goal[0], y=goal[1], within=chosen.r_end)
    return PlanTask(
        course=PathCourse(alone, entry.name, target, driver=chosen, limit=limit),
        validity=map_validity(ground, footprint, around),
        ground=ground,
        footprint=footprint,
        start=start,
        goal=goal,
        bounds=around,
    )


def _entry(world: World, robot: str, start: Point2, heading: float | None) -> RobotEntry:
    """Return the robot that plans, at its start."""
    names = {entry.name: entry for entry in world.robots}
    if robot in names:
        entry = names[robot].model_copy(update={"pitch_deg": 0.0, "roll_deg": 0.0})
    elif robot in robot_kinds() or is_file(robot):
        entry = RobotEntry(name=default_name(robot), kind=robot, position=(0.0, 0.0, 0.0))
    else:
        raise unknown("plan", "robot", robot, [*names, *robot_kinds()])
    turn = {} if heading is None else {"yaw_deg": degrees(heading)}
    return entry.model_copy(update={"position": (*start, 0.0), **turn})


def _around(ground: Ground, footprint: RobotFootprint, start: Point2, goal: Point2) -> Bounds:
    """Return the bounds of all ground that ends, of start and goal, and some room around."""
    points = [start, goal]
    if (extent := ground.extent()) is not None:
        points += [extent[:2], extent[2:]]
    room = AROUND * footprint.radius
    low, high = np.min(points, axis=0) - room, np.max(points, axis=0) + room
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _said(place: Point2) -> str:
    return f"({place[0]:g}, {place[1]:g})"
