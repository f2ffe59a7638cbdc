"""Path-following trials: the roach report's experiment (sections 3.5, 6 and 7) for any robot.

A `PathDriver` drives a path from a varied start until the robot is at the goal, has fallen, has
tipped over, makes no progress, or the time is over. `grouser.trials.threads` runs trials of
different paths, variations, worlds and robots in one call.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, Pose
from grouser.planning.driver import LegLaw, PathDriver, SkidLaw, checked_path
from grouser.robots.robot import Robot
from grouser.simulation.ground import Ground
from grouser.simulation.policy import PolicyFactory
from grouser.simulation.policy_source import equip
from grouser.simulation.scene import Scene, compose
from grouser.simulation.scene_state import geom_corners
from grouser.trials.draws import Draw
from grouser.trials.starts import TrialStart
from grouser.trials.trial import Place, Trial
from grouser.world.file import World

LIMIT = 60.0  # s   chapter 7: "within 60 seconds of simulation time"
STUCK_AFTER = 10.0  # s   estimate: a quarter of a usual crossing
STUCK_WITHIN = 0.03  # m   estimate: a stride of the roach is 54 mm
FALL_HEIGHTS = 2.0
"""Loss of height that counts as a fall, as a multiple of the height of the root."""
LEAST_FALL = 0.05
"""Smallest loss of height that counts as a fall, m."""
CRAWL = 0.5
"""Default driving speed, as a part of the robot's top speed."""
STEADY_GAIN = 5.0
"""Upper limit of the steering gain, 1/s. The delay from sample to response is two sample periods of
0.1 s; the inverse of it is half of the gain at which a robot that does not skid oscillates."""
BOX = 5
"""Points per side of the grid on which the ground under the start is queried."""


def driver_for(robot: Robot) -> PathDriver:
    """Return a path driver: the report's law for cranked legs, else forward speed and turn rate.

    Raises:
        BadValue: the robot has neither two crank speeds nor forward and turn as commands.
    """
    inputs = robot.gait.inputs if robot.gait else ()
    if set(LegLaw().words) <= set(inputs):
        return PathDriver()
    if robot.steering:
        sides = (*robot.steering.left, *robot.steering.right)
        top = min(robot.drives[name].speed for name in sides) * robot.steering.radius
        speed, turn = CRAWL * top, 2 * CRAWL * top / robot.steering.gauge
        r_path = max(0.1, robot.steering.gauge / 2)
        # The error should vanish before the next point; skidding reduces the actual turn rate.
        gain = min(speed / r_path, STEADY_GAIN)
        return PathDriver(law=SkidLaw(speed=speed, gain=gain, top_turn=turn), r_path=r_path)
    if {"forward", "turn"} <= set(inputs):
        return PathDriver(law=SkidLaw(speed=0.1, top_turn=0.5))
    raise BadValue(
        "driver: this robot has neither the commands left_speed and right_speed nor forward and "
        "turn; pass a PathDriver with another law"
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
    """Return the trial of a robot that follows ``path`` (points, 2) (m) from its present pose.

    Args:
        world: world of the robot.
        robot: name of the robot.
        path: path to follow.
        goal: goal position.
        driver: path driver.
        standing: height of the robot's root when it stands, m.
        limit: longest simulated time, s.
    """
    return Trial(
        world=world,
        robot=robot,
        limit=limit,
        goal=goal,
        fleet=driver,
        fleet_task=checked_path(path),
        stuck_after=STUCK_AFTER,
        stuck_within=STUCK_WITHIN,
        fall=max(LEAST_FALL, FALL_HEIGHTS * standing),
    )


class PathCourse:
    """Factory of the trials of paths in one world, for one robot and goal."""

    def __init__(
        self,
        world: World,
        robot: str,
        goal: Place,
        *,
        driver: PathDriver | None = None,
        limit: float = LIMIT,
        policy: PolicyFactory | None = None,
    ) -> None:
        """Compile the world and check the ground under the start.

        Args:
            world: world with the robot at its start.
            robot: name of the robot.
            goal: goal position.
            driver: path driver; None: `driver_for` the robot.
            limit: longest simulated time, s.
            policy: commands the robot in addition to the driver, whose commands it may replace.

        Raises:
            BadValue: there is no ground under the start, or no such robot.
        """
        names = [entry.name for entry in world.robots]
        if robot not in names:
            raise BadValue(f"drive: no robot '{robot}', the world has {', '.join(names)}")
        # The initial command of the world file is dropped: only the driver commands the robot.
        entries = [
            entry.model_copy(update={"command": {}}) if entry.name == robot else entry
            for entry in world.robots
        ]
        self.world = world.changed(robots=tuple(entries))
        if policy is not None:
            self.world = equip(self.world, robot, policy)
        self.robot, self.goal, self.limit, self.policy = robot, goal, limit, policy
        scene = compose(self.world)
        self._standing = scene.robots[robot].standing
        self.driver = driver or driver_for(scene.robots[robot])
        self._entry = entries[names.index(robot)]
        self._ground, self._corners = Ground(scene), _box(scene, robot)
        self.start(Draw())

    def start(self, draw: Draw) -> TrialStart:
        """Return the initial conditions for ``draw``: on the highest ground below the body.

        Raises:
            BadValue: there is no ground.
        """
        nominal = self._entry.ground
        x, y = nominal.position[0] + draw.along, nominal.position[1] + draw.across
        wxyz = (Pose.at(yaw=draw.turn) @ Pose(wxyz=nominal.wxyz)).wxyz
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
        """Return the trial that follows ``path`` (points, 2) (m) with the variation ``draw``.

        Its `Trial.case` contains ``case`` and the values of ``draw``.
        """
        trial = path_trial(
            self.world, self.robot, path, self.goal, self.driver, self._standing, self.limit
        )
        full_case = {**(case or {}), **draw.case()}
        trial = dataclasses.replace(trial, start=self.start(draw), case=full_case)
        if self.policy is None:
            return trial
        return dataclasses.replace(trial, policy=self.policy, seed=draw.seed)

    def trials(self, paths: Iterable[Array], draws: Sequence[Draw]) -> list[Trial]:
        """Return the trials of every path with every draw; their cases have the two indices."""
        return [
            self.trial(path, draw, {"path": number, "draw": count})
            for number, path in enumerate(paths)
            for count, draw in enumerate(draws)
        ]


def _box(scene: Scene, robot: str) -> Array:
    """Return the points (n, 3) of a grid over the standing robot's bounding box, root frame, m."""
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
    corners = np.concatenate([X_RW.apply(geom_corners(model, data, geom)) for geom in mine])
    (west, south, _), (east, north, _) = corners.min(axis=0), corners.max(axis=0)
    x, y = np.meshgrid(np.linspace(west, east, BOX), np.linspace(south, north, BOX))
    return np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=-1)
