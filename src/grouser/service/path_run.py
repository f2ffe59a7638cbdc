"""Path run: drive a robot of the server along a path on behalf of a client.

The run owns the robot until it ends; other clients cannot command it. The robot is driven and
assessed as in a trial (`grouser.trials`), ten times per simulated second, by the same driver and
the same verdicts; its pose is that of the simulation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.service.host import Host, RobotOwner
from grouser.simulation.changes.actions import Command
from grouser.simulation.policy import CONTROL_PERIOD, PolicyCommand
from grouser.trials.path_trials import LIMIT, driver_for, path_trial
from grouser.trials.trial import Place
from grouser.trials.trial_run import RobotSample, TrialRun, TrialSupervisor

NEAR_START = 3.0
"""Largest distance of a robot from the first point of its path, in units of ``r_path``."""


@dataclass(frozen=True)
class PathRunResult:
    """Result of a path run."""

    ended: str
    """Verdict of a trial (``arrived``, ``fell``, ...), or the reason for cancelling."""
    seconds: float
    """Simulated duration, s."""
    work: float
    """Signed work of the drives, J."""
    effort: float
    """Sum of |force x speed| x dt of the drives, J."""

    @property
    def arrived(self) -> bool:
        """True if the robot reached the end of its path."""
        return self.ended == "arrived"


class PathRun(RobotOwner):
    """Run of one robot along a path; owner of the robot until it calls ``on_end``."""

    def __init__(
        self,
        host: Host,
        robot: str,
        path: Array,
        on_end: Callable[[PathRunResult], None],
        *,
        limit: float = LIMIT,
    ) -> None:
        """Assign the robot and start.

        Args:
            host: the host.
            robot: a robot without an owner.
            path: points (n, 2) in the world, m.
            on_end: called once with the result.
            limit: longest simulated time, s.

        Raises:
            UnknownName: there is no such robot.
            BadValue: it has an owner, has no path driver, or is far from the path's start.
        """
        self._host, self._robot, self._on_end = host, robot, on_end
        self.over = False
        host.borrow(robot, self)
        try:
            self._start(path, limit)
        except BaseException:
            host.leave(robot)
            raise

    def _start(self, path: Array, limit: float) -> None:
        simulation, robot = self._host.simulation, self._robot
        described = simulation.scene.robots[robot]
        driver = driver_for(described)
        x, y = (float(value) for value in path[-1])
        goal = Place(x=x, y=y, within=driver.r_end)
        trial = path_trial(simulation.world, robot, path, goal, driver, described.standing, limit)
        self._run, self._supervisor = TrialRun(trial), TrialSupervisor(1)
        self._supervisor.enter(0, self._run)
        self._begin = self._next = self._then = self._host.time
        self._work, self._effort = self._energies()
        pose = self._pose()
        away = math.dist(pose[:2], path[0])
        if away > NEAR_START * driver.r_path:
            raise BadValue(
                f"'{robot}' is {away:.2f} m from the path's start, at most "
                f"{NEAR_START * driver.r_path:.2f} m are allowed; reset_pose puts it there"
            )
        self._command([*self._supervisor.steer({0: pose}).values()])

    @property
    def seconds(self) -> float:
        """Simulated time since the start of the run, s."""
        return self._host.time - self._begin

    @property
    def to_go(self) -> float:
        """Remaining length of the path, m."""
        return self._supervisor.to_go({0: self._pose()})[0]

    def cancel(self, reason: str) -> None:
        """End the run now; the robot stops."""
        self._end(reason)

    def _pose(self) -> Array:
        simulation = self._host.simulation
        return self._run.root_pose(simulation.scene, simulation.data.qpos)

    def _energies(self) -> tuple[float, float]:
        """Return work and effort of the robot's drives since the start of the world, J."""
        live = self._host.simulation.state
        return sum(live.energy(self._robot).values()), sum(live.effort(self._robot).values())

    def _command(self, commands: Sequence[PolicyCommand]) -> None:
        """Apply commands and schedule the next sample."""
        for command in commands:
            self._host.apply(Command(self._robot, command), source=self.address)
        self._next += CONTROL_PERIOD

    def _end(self, ended: str, *, there: bool = True) -> None:
        """Release the robot and report how the run ``ended``; ``there``: it still exists."""
        if self.over:
            return
        self.over = True
        work, effort = self._energies() if there else (math.nan, math.nan)
        if there:
            self._host.leave(self._robot)
        self._on_end(PathRunResult(ended, self.seconds, work - self._work, effort - self._effort))

    # -- callbacks of the host ---------------------------------------------------------------

    def time_passed(self, time: float) -> None:
        """Sample the robot when due; end the run or steer."""
        if time < self._then:
            self._end("the world was reset")
        self._then = time
        if self.over or time < self._next - 1e-9:
            return
        pose = self._pose()
        if not np.isfinite(pose).all():
            self._end("diverged")
            return
        sample = RobotSample(time - self._begin, pose, self._energies()[1] - self._effort)
        verdict, commands = self._supervisor.assess({0: sample})[0]
        if verdict:
            self._end(verdict)
        else:
            self._command(commands)

    def robot_removed(self) -> None:
        """End the run."""
        self._end("it was removed from the world", there=False)

    def disconnect(self) -> None:
        """End the run after an internal error."""
        self._end("internal error; see the server's log", there=False)

    def notice(self, kind: str, text: str) -> None:
        """End the run if the robot's physics diverged and it was reset."""
        if kind == "Reset":
            self._end("diverged")
