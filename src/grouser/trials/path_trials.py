"""Trials that drive paths: the report's experiment as arrays (roach, sections 3.5, 6 and 7).

A path is driven by the `PathDriver` from a drawn start until the robot is at the goal, has fallen
down, tipped over or made no progress, or the time is over. Different paths, draws, grounds and
robots go together in one call; which of them share a batch is `threads`' business.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence

import mujoco
import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, Pose
from grouser.planning.driver import LegLaw, PathDriver, SkidLaw, checked_path
from grouser.robots.robot import Robot
from grouser.simulation.ground import Ground
from grouser.simulation.scene import Scene, compose
from grouser.trials.draws import Draw
from grouser.trials.starts import TrialStart
from grouser.trials.trial import Place, Trial
from grouser.world.file import World

LIMIT = 60.0  # s   chapter 7: "within 60 seconds of simulation time"
STUCK_AFTER = 10.0  # s   estimate: a quarter of a usual crossing
STUCK_WITHIN = 0.03  # m   estimate: a stride of the roach is 54 mm
FALL_HEIGHTS = 2.0
"""A robot has fallen once it lost so many times the height of its root at a stroke."""
LEAST_FALL = 0.05
"""m   However low a robot is, losing less is no fall."""
CRAWL = 0.5
"""Part of a robot's top speed at which it is driven, if nobody says otherwise."""
STEADY_GAIN = 5.0
"""Turn per error, 1/s, above which a robot that does not skid would swing: it is told and has
answered within two looks of 0.1 s, and a gain of one over that is half of what swings for ever."""
BOX = 5
"""The ground under a robot's start is looked up on a grid of so many points a side."""


def driver_for(robot: Robot) -> PathDriver:
    """Return a driver for ``robot``: the report's law for cranked legs, else forward and turn.

    Raises:
        BadValue: the robot takes neither two crank speeds nor forward and turn.
    """
    inputs = robot.gait.inputs if robot.gait else ()
    if set(LegLaw().words) <= set(inputs):
        return PathDriver()
    if robot.steering:
        sides = (*robot.steering.left, *robot.steering.right)
        top = min(robot.drives[name].speed for name in sides) * robot.steering.radius
        speed, turn = CRAWL * top, 2 * CRAWL * top / robot.steering.gauge
        r_path = max(0.1, robot.steering.gauge / 2)
        # An error is to be gone before the next point; who skids turns by a part of what is told.
        gain = min(speed / r_path, STEADY_GAIN)
        return PathDriver(law=SkidLaw(speed=speed, gain=gain, top_turn=turn), r_path=r_path)
    if {"forward", "turn"} <= set(inputs):
        return PathDriver(law=SkidLaw(speed=0.1, top_turn=0.5))
    raise BadValue(
        "driver: this robot takes neither left_speed and right_speed nor forward and turn; "
        "give a PathDriver with a law of its own"
    )


def path_trial(
    world: World,
    robot: str,
    path: Array,
    goal: Place,
    driver: PathDriver,
    standing: float,
    limit: float = LIMIT,
) -> Trial:
    """Return what judges a robot that is driven along ``path`` (points, 2) (m) from where it is.

    Args:
        world: in which the robot is.
        robot: whom to drive.
        path: where along.
        goal: where to.
        driver: how.
        standing: height of its root as it stands, m.
        limit: longest simulated time, s.
    """
    return Trial(
        world=world,
        robot=robot,
        limit=limit,
        goal=goal,
        fleet=driver,
        errand=checked_path(path),
        stuck_after=STUCK_AFTER,
        stuck_within=STUCK_WITHIN,
        fall=max(LEAST_FALL, FALL_HEIGHTS * standing),
    )


class PathCourse:
    """A world, the robot in it that drives, and its goal: makes the trials of paths through it."""

    def __init__(
        self,
        world: World,
        robot: str,
        goal: Place,
        *,
        driver: PathDriver | None = None,
        limit: float = LIMIT,
    ) -> None:
        """Look the ground under the start up.

        Args:
            world: in which the robot stands at its start.
            robot: whom to drive.
            goal: where to.
            driver: how; None: `driver_for` the robot.
            limit: longest simulated time, s.

        Raises:
            BadValue: there is no ground under the start, or no such robot.
        """
        names = [entry.name for entry in world.robots]
        if robot not in names:
            raise BadValue(f"drive: '{robot}' is not there, the world has {', '.join(names)}")
        # It stands until the driver commands it, whatever the world lets it do at first.
        entries = [
            entry.model_copy(update={"command": {}}) if entry.name == robot else entry
            for entry in world.robots
        ]
        self.world = world.changed(robots=tuple(entries))
        self.robot, self.goal, self.limit = robot, goal, limit
        scene = compose(self.world)
        self._standing = scene.robots[robot].standing
        self.driver = driver or driver_for(scene.robots[robot])
        self._entry = entries[names.index(robot)]
        self._ground, self._corners = Ground(scene), _box(scene, robot)
        self.start(Draw())

    def start(self, draw: Draw) -> TrialStart:
        """Return how a trial with ``draw`` starts: upright on the highest ground below its body.

        Raises:
            BadValue: there is no ground.
        """
        told = self._entry.ground
        x, y = told.position[0] + draw.along, told.position[1] + draw.aside
        wxyz = (Pose.at(yaw=draw.turn) @ Pose(wxyz=told.wxyz)).wxyz
        under = Pose(np.array([x, y, 0.0]), wxyz).apply(self._corners)[:, :2]
        heights = self._ground.below(under).height
        if not np.isfinite(heights).all():
            raise BadValue(f"drive: there is no ground under the start ({x:.3g}, {y:.3g})")
        position = (float(x), float(y), float(heights.max()) + self._standing)
        w, a, b, c = wxyz.tolist()
        return TrialStart(
            position=position,
            wxyz=(w, a, b, c),
            phase=draw.phase,
            friction=draw.friction,
            mass=draw.mass,
        )

    def trial(self, path: Array, draw: Draw, case: Mapping[str, object] | None = None) -> Trial:
        """Return the trial that drives ``path`` (points, 2) (m) with ``draw``.

        Its `Trial.case` is ``case`` and what was drawn.
        """
        trial = path_trial(
            self.world, self.robot, path, self.goal, self.driver, self._standing, self.limit
        )
        told = {**(case or {}), **draw.case()}
        return dataclasses.replace(trial, start=self.start(draw), case=told)

    def trials(self, paths: Iterable[Array], draws: Sequence[Draw]) -> list[Trial]:
        """Return every path with every draw, path by path; their cases name both by number."""
        return [
            self.trial(path, draw, {"path": number, "draw": count})
            for number, path in enumerate(paths)
            for count, draw in enumerate(draws)
        ]


def _box(scene: Scene, robot: str) -> Array:
    """Return points (n, 3) of a grid under the robot as it stands, in its root's frame, m."""
    model, data = scene.model, scene.initial()
    prefix, root = f"{robot}/", scene.robots[robot].root
    body = model.body(f"{prefix}{root}").id
    X_RW = Pose(data.xpos[body].copy(), data.xquat[body].copy()).inverse()
    mine = [
        geom
        for geom in range(model.ngeom)
        if model.body(model.geom_bodyid[geom]).name.startswith(prefix)
        and (model.geom_contype[geom] or model.geom_conaffinity[geom])
    ]
    corners = np.concatenate([X_RW.apply(_corners(model, data, geom)) for geom in mine])
    (west, south, _), (east, north, _) = corners.min(axis=0), corners.max(axis=0)
    x, y = np.meshgrid(np.linspace(west, east, BOX), np.linspace(south, north, BOX))
    return np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=-1)


def _corners(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> Array:
    """Return the corners (8, 3) of a geom's box in the world, m."""
    centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    turned = (centre + signs * half) @ data.geom_xmat[geom].reshape(3, 3).T
    return np.asarray(data.geom_xpos[geom] + turned)
