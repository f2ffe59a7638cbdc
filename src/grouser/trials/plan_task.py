"""Planning task: a world, a robot, start and goal, checked before any simulation."""

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
from grouser.simulation.policy import PolicyFactory
from grouser.simulation.scene import compose
from grouser.trials.footprint import footprint_of
from grouser.trials.path_trials import LIMIT, PathCourse, driver_for
from grouser.trials.trial import Place
from grouser.world.file import RobotEntry, World

Point2 = tuple[float, float]
"""x, y in the world, m."""

ROADMAP = "roadmap"
"""Planner name of `Roadmap`, beside the names of OMPL's planners."""

AROUND = 4.0
"""Margin of the default bounds around ground, start and goal, in radii of the robot."""
NARROW = 0.25
"""Scale of the footprint in the test whether the robot is too wide."""


@dataclass(frozen=True, kw_only=True)
class PlanTask:
    """A checked planning task, created by `plan_task`."""

    course: PathCourse
    """Factory of the trials."""
    validity: ValidityMap
    """Valid poses of the robot."""
    ground: Ground
    footprint: RobotFootprint
    start: Point2
    goal: Point2
    bounds: Bounds

    @cached_property
    def roadmap(self) -> Roadmap:
        """Roadmap from start to goal, built on first use."""
        return Roadmap(self.validity, self.start, self.goal)

    def path(self, planner: str, seed: int, *, stop: Stop | None = None) -> Path | None:
        """Return one path by geometry alone; None: none was found, or planning was cancelled."""
        ends = self.start, self.goal
        return plan_path(self.validity, *ends, planner=planner, seed=seed, stop=stop)

    def why_no_path(self) -> str:
        """Return the reason why there is no geometric path."""
        narrow = self.footprint.contacts * [NARROW, NARROW, 1.0]
        body = self.footprint.body * [NARROW, NARROW, 1.0]
        small = dataclasses.replace(self.footprint, contacts=narrow, body=body)
        ends = f"from {_point_text(self.start)} to {_point_text(self.goal)}"
        with suppress(BadValue):  # its map would be too large
            radius = self.footprint.radius
            validity = map_validity(self.ground, small, self.bounds, radius=radius)
            if Roadmap(validity, self.start, self.goal).candidates(1):
                return f"no path {ends}: the robot is too wide for the existing passages"
        west, south, east, north = self.bounds
        return (
            f"no path {ends}: no ground on which the robot can stand connects them within "
            f"x {west:g} to {east:g}, y {south:g} to {north:g} m"
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
    policy: PolicyFactory | None = None,
) -> PlanTask:
    """Check a task and compute its validity map.

    Args:
        world: world; its other robots are removed.
        robot: name of a robot of the world, or a kind of robot.
        start: start position; the height is that of the ground.
        goal: goal position.
        heading: heading at the start, rad; None: that of the world's robot, else 0.
        bounds: bounds of paths; None: all bounded ground of the world, and around start and goal.
        driver: path driver; None: chosen for the robot.
        limit: longest simulated time of a trial, s.
        policy: commands the robot in addition to the path driver.

    Raises:
        UnknownName: there is no such robot.
        BadValue: the robot cannot stand at the start or at the goal; the message has the reason.
    """
    entry = _entry(world, robot, start, heading)
    alone = world.changed(robots=(entry,), view=world.view.model_copy(update={"follow": None}))
    scene = compose(alone)
    ground, footprint = Ground(scene), footprint_of(scene, entry.name)
    for word, place in (("start", start), ("goal", goal)):
        verdict = stands_at(ground, footprint, *place)
        if verdict != STANDS:
            raise BadValue(f"{word} {_point_text(place)}: {VERDICTS[verdict]}, at any heading")
    around = bounds or _around(ground, footprint, start, goal)
    west, south, east, north = around
    for word, (x, y) in (("start", start), ("goal", goal)):
        if not (west <= x <= east and south <= y <= north):
            raise BadValue(
                f"{word} {_point_text((x, y))}: outside the bounds, x {west:g} to {east:g}, "
                f"y {south:g} to {north:g} m"
            )
    chosen = driver or driver_for(scene.robots[entry.name])
    target = Place(x=goal[0], y=goal[1], within=chosen.r_end)
    return PlanTask(
        course=PathCourse(alone, entry.name, target, driver=chosen, limit=limit, policy=policy),
        validity=map_validity(ground, footprint, around),
        ground=ground,
        footprint=footprint,
        start=start,
        goal=goal,
        bounds=around,
    )


def _entry(world: World, robot: str, start: Point2, heading: float | None) -> RobotEntry:
    """Return the entry of the robot at its start."""
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
    """Return the bounds of all bounded ground, start and goal, with a margin."""
    points = [start, goal]
    if (extent := ground.extent()) is not None:
        points += [extent[:2], extent[2:]]
    margin = AROUND * footprint.radius
    low, high = np.min(points, axis=0) - margin, np.max(points, axis=0) + margin
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _point_text(place: Point2) -> str:
    return f"({place[0]:g}, {place[1]:g})"
