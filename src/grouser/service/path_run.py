"""A robot that the server itself drives along a path for somebody, until that is over.

Who asked for it owns the robot meanwhile: nobody else commands it. It is driven and judged as in
a trial (`grouser.trials`), ten times a simulated second, by the same driver and the same verdicts;
where it is comes from the simulation itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.service.host import Host
from grouser.service.radio import RadioSignal
from grouser.service.reading_queues import SensorReading
from grouser.trials.fleet import Fleet
from grouser.trials.path_trials import LIMIT, driver_for, path_trial
from grouser.trials.trial import Place
from grouser.trials.trial_run import LOOK_EVERY, TrialRun

NEAR_START = 3.0
"""How far from its path's first point a robot may begin, in the driver's ``r_path``."""


@dataclass(frozen=True)
class Drive:
    """How a robot got along its path."""

    ended: str
    """A trial's verdict (``arrived``, ``fell`` …), or why it was given up."""
    seconds: float
    """Simulated time it took."""
    work: float
    """Signed work of its drives, as the report adds it up, J."""
    effort: float
    """Sum of |force x speed| x dt of its drives, J."""

    @property
    def arrived(self) -> bool:
        """Whether it got to its path's end."""
        return self.ended == "arrived"


class PathRun:
    """One robot on its way; it owns the robot (`RobotOwner`) until it calls ``over``."""

    address: str = ""

    def __init__(
        self,
        host: Host,
        robot: str,
        path: Array,
        over: Callable[[Drive], None],
        *,
        limit: float = LIMIT,
    ) -> None:
        """Take the robot and set off.

        Args:
            host: the world.
            robot: a robot that nobody has.
            path: points (n, 2) in the world, m.
            over: told how it went, once.
            limit: longest simulated time, s.

        Raises:
            UnknownName: there is no such robot.
            BadValue: somebody has it, it cannot be driven, or it is far from the path's start.
        """
        self._host, self._robot, self._tell = host, robot, over
        self.over = False
        host.borrow(robot, self)
        try:
            self._set_off(path, limit)
        except BaseException:
            host.leave(robot)
            raise

    def _set_off(self, path: Array, limit: float) -> None:
        simulation, robot = self._host.simulation, self._robot
        described = simulation.scene.robots[robot]
        driver = driver_for(described)
        x, y = (float(value) for value in path[-1])
        goal = Place(x=x, y=y, within=driver.r_end)
        trial = path_trial(simulation.world, robot, path, goal, driver, described.standing, limit)
        self._run, self._fleet = TrialRun(trial), Fleet(1)
        self._fleet.enter(0, driver, trial.errand)
        self._begin = self._next = self._then = self._host.time
        self._work, self._effort = self._spent()
        pose = self._pose()
        away = math.dist(pose[:2], path[0])
        if away > NEAR_START * driver.r_path:
            raise BadValue(
                f"'{robot}' is {away:.2f} m from the path's start, at most "
                f"{NEAR_START * driver.r_path:.2f} m are allowed; reset_pose puts it there"
            )
        self._steer(pose)

    @property
    def seconds(self) -> float:
        """Simulated time it has taken so far."""
        return self._host.time - self._begin

    @property
    def to_go(self) -> float:
        """How far it has to go along its path, m."""
        return self._fleet.to_go({0: self._pose()})[0]

    def give_up(self, why: str) -> None:
        """End it now; the robot stops where it is."""
        self._end(why)

    def _pose(self) -> Array:
        simulation = self._host.simulation
        return self._run.root_pose(simulation.scene, simulation.data.qpos)

    def _spent(self) -> tuple[float, float]:
        """Return work and effort of the robot's drives since the world began, J."""
        live = self._host.simulation.state
        return sum(live.energy(self._robot).values()), sum(live.effort(self._robot).values())

    def _steer(self, pose: Array) -> None:
        for command in self._fleet.commands({0: pose}).values():
            self._host.command(self._robot, command)
        self._next += LOOK_EVERY

    def _end(self, ended: str, *, there: bool = True) -> None:
        """Give the robot back and say how it went.

        Args:
            ended: why.
            there: whether the robot is still in the world.
        """
        if self.over:
            return
        self.over = True
        work, effort = self._spent() if there else (math.nan, math.nan)
        if there:
            self._host.leave(self._robot)
        self._tell(Drive(ended, self.seconds, work - self._work, effort - self._effort))

    # -- what the host says ------------------------------------------------------------------

    def time_passed(self, time: float) -> None:
        """Look where the robot is when that is due, judge, and steer on."""
        if time < self._then:
            self._end("the world started over")
        self._then = time
        if self.over or time < self._next - 1e-9:
            return
        pose = self._pose()
        if not np.isfinite(pose).all():
            self._end("diverged")
            return
        verdict = self._run.look(
            time - self._begin,
            pose,
            spent=self._spent()[1] - self._effort,
            to_go=self._fleet.to_go({0: pose})[0],
        )
        if verdict:
            self._end(verdict)
        else:
            self._steer(pose)

    def robot_removed(self) -> None:
        """Note that somebody took the robot out of the world."""
        self._end("it was taken out of the world", there=False)

    def notice(self, kind: str, text: str) -> None:
        """Note that the robot's physics blew up and it was put back; nothing else concerns it."""
        if kind == "Reset":
            self._end("diverged")

    def receive_readings(self, readings: list[SensorReading]) -> None:
        """Nobody reads the robot's sensors meanwhile."""

    def carry_out_deferred(self) -> None:
        """Nothing is put off."""

    def begin_turn(self, time: float) -> None:
        """It has no turns."""

    def turn_missed(self, seconds: float) -> None:
        """Nobody waits for a robot that the server drives."""

    def receive_radio(self, message: RadioSignal) -> None:
        """Nobody listens to the robot's radio meanwhile."""
