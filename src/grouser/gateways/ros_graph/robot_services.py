"""Planning and driving services of robots: the report's performance evaluator (roach, sec. 3.4).

The services belong to the world: a path that one client plans, another can drive. They have the
type ``std_srvs/Trigger``: no arguments, a response with ``success`` and ``message``. The message is
a JSON object if ``success`` is true, else a sentence. Services of the world have the type
``std_srvs/Empty``.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grouser.errors import BadValue, GrouserError, Refused, unknown
from grouser.gateways.ros_graph.plan_process import FoundPath, Planner, PlanOrder
from grouser.service.access import Role
from grouser.service.host import Host
from grouser.service.path_run import PathRun, PathRunResult
from grouser.simulation.changes.actions import Action, Pause, Reset, Restart
from grouser.trials.plan import PlanSettings
from grouser.trials.plan_task import Point2
from grouser.world.file import RobotEntry

TRIGGER, EMPTY = "std_srvs/Trigger", "std_srvs/Empty"
"""Types of services."""

DIGITS = 6
"""Decimals of numbers in messages: micrometres, microjoules."""


@dataclass
class RobotPathState:
    """Paths and runs of one robot."""

    plans: int = 0
    """Number of started plans; each has its own seed."""
    planning: bool = False
    """True while a plan is computed."""
    loaded: FoundPath | None = None
    """Path that ``drive`` follows."""
    best: FoundPath | None = None
    """Best path of all plans."""
    why_not: str = "no plan yet; call path_plan"
    """Reason why there is no path."""
    run: PathRun | None = None
    """Run in progress."""
    last_run: PathRunResult | None = None
    """Result of the last completed run."""


@dataclass
class RobotServices:
    """Services of all robots, shared by all clients of a gateway."""

    host: Host
    goals: Mapping[str, Point2]
    """Robot → goal, m; "" for all others."""
    settings: PlanSettings
    wake: Callable[[], None]
    """Called when a run starts: the server may be idle."""
    planner: Planner = field(default_factory=Planner)
    on_path: Callable[[str, list[list[float]]], None] = lambda robot, points: None
    """Called with robot and points when another path was loaded."""
    _states: dict[str, RobotPathState] = field(default_factory=dict)

    def names(self) -> list[str]:
        """Return the names of all services."""
        robots = self.host.simulation.scene.robots
        own = [f"{robot}/{service}" for robot in robots for service in SERVICES]
        return [*own, *WORLD_SERVICES]

    def type_of(self, name: str) -> str:
        """Return the type of a service.

        Raises:
            UnknownName: there is no such service.
        """
        return self.find(name).type

    def find(self, name: str) -> Call:
        """Return the service ``name``, ready to be called.

        Raises:
            UnknownName: there is no such service.
        """
        if name in WORLD_SERVICES:
            action = WORLD_SERVICES[name]
            return Call("", Role.CONTROL, lambda: self._apply(action), EMPTY)
        robot, _, service = name.rpartition("/")
        if robot not in self.host.simulation.scene.robots or service not in SERVICES:
            raise unknown("call_service", "service", name, self.names())
        row = SERVICES[service]
        return Call(robot, row.role, lambda: row.run(self, robot))

    def state_of(self, robot: str) -> RobotPathState:
        """Return the paths and runs of ``robot``."""
        return self._states.setdefault(robot, RobotPathState())

    async def _apply(self, action: Action) -> Message:
        """Change the world."""
        self.host.apply(action, source="ros")
        self.wake()
        return {}

    # -- paths -------------------------------------------------------------------------------

    async def path_plan(self, robot: str) -> Message:
        """Plan from the robot's start to its goal in a subprocess and load the best path."""
        state = self.state_of(robot)
        if state.planning:
            raise BadValue(f"a path for '{robot}' is being planned already; wait for its result")
        order = self._next_order(robot, state.plans)
        state.planning, state.plans = True, state.plans + 1
        try:
            answer = await self.planner.plan(order)
        finally:
            state.planning = False
        state.loaded, state.why_not = answer.best, answer.why_not
        if answer.best is None:
            raise BadValue(answer.why_not)
        self.on_path(robot, answer.best.points)
        if state.best is None or answer.best.score < state.best.score:
            state.best = answer.best
        return {
            "candidates": answer.candidates,
            "trials": answer.trials,
            **_path_message(answer.best),
        }

    def _next_order(self, robot: str, number: int) -> PlanOrder:
        """Return the order of plan ``number`` of a robot; each has another seed."""
        goal = self.goals.get(robot, self.goals.get(""))
        if goal is None:
            raise BadValue(f"'{robot}' has no goal; set one: grouser serve --goal {robot}:X,Y")
        x, y, *_ = self._entry(robot).position
        settings = dataclasses.replace(self.settings, seed=self.settings.seed + number)
        world = self.host.simulation.world
        return PlanOrder(world=world, robot=robot, start=(x, y), goal=goal, settings=settings)

    def _entry(self, robot: str) -> RobotEntry:
        world = self.host.simulation.world
        return next(entry for entry in world.robots if entry.name == robot)

    async def path_found(self, robot: str) -> Message:
        """Return the loaded path."""
        state = self.state_of(robot)
        if state.planning:
            raise BadValue(f"a path for '{robot}' is being planned")
        if state.loaded is None:
            raise BadValue(f"no path for '{robot}': {state.why_not}")
        return _path_message(state.loaded)

    async def best_path(self, robot: str) -> Message:
        """Load the best path of all plans."""
        state = self.state_of(robot)
        if state.best is None:
            raise BadValue(f"no path for '{robot}': {state.why_not}")
        state.loaded = state.best
        self.on_path(robot, state.best.points)
        return _path_message(state.best)

    # -- runs --------------------------------------------------------------------------------

    async def reset_pose(self, robot: str) -> Message:
        """Relocate the robot to its start, at rest; a run in progress is cancelled."""
        state = self.state_of(robot)
        if state.run is not None:
            state.run.cancel("reset_pose was called")
        if robot in self.host.owners:
            raise BadValue(f"'{robot}' belongs to another client")
        self.host.apply(Restart(robot), source="rosbridge")
        self.host.halt(robot, source="rosbridge")
        x, y, z = self.host.simulation.pose(robot).position.tolist()
        return {"position": _round_all([x, y, z])}

    async def drive(self, robot: str) -> Message:
        """Drive the loaded path; return when the run has ended."""
        state = self.state_of(robot)
        if state.run is not None:
            raise BadValue(f"'{robot}' is being driven already; wait, or call reset_pose")
        if state.loaded is None:
            raise BadValue(f"no path for '{robot}': {state.why_not}")
        over: asyncio.Future[PathRunResult] = asyncio.get_running_loop().create_future()

        def ended(drive: PathRunResult) -> None:
            if not over.done():
                over.set_result(drive)

        run = self._start_run(robot, state.loaded.points, ended)
        try:
            drive = await over
        finally:
            run.cancel("the calling client disconnected")
        if not drive.arrived:
            raise BadValue(_failure(robot, drive))
        return {**_seconds(drive), **_energy(drive)}

    def follow(self, robot: str, points: list[list[float]], on_end: Callable[[], None]) -> None:
        """Start to drive a path; a run in progress must have been cancelled.

        Raises:
            GrouserError: the robot cannot follow it.
        """
        if self.state_of(robot).run is not None:
            raise BadValue(f"'{robot}' is being driven already")
        self._start_run(robot, points, lambda result: on_end())

    def cancel(self, robot: str, reason: str) -> None:
        """End the run of a robot, if there is one; it stops."""
        if (run := self.state_of(robot).run) is not None:
            run.cancel(reason)

    def _start_run(
        self, robot: str, points: list[list[float]], on_end: Callable[[PathRunResult], None]
    ) -> PathRun:
        state = self.state_of(robot)

        def ended(drive: PathRunResult) -> None:
            state.run, state.last_run = None, drive
            on_end(drive)

        run = PathRun(self.host, robot, np.array(points), ended)
        if not run.over:
            state.run = run
        self.wake()
        return run

    async def drive_time(self, robot: str) -> Message:
        """Return the duration of the last run, if it arrived."""
        return _seconds(self._arrived(robot))

    async def energy_used(self, robot: str) -> Message:
        """Return the energy of the last run, if it arrived."""
        return _energy(self._arrived(robot))

    def _arrived(self, robot: str) -> PathRunResult:
        state = self.state_of(robot)
        if (run := state.run) is not None:
            raise BadValue(
                f"'{robot}' is still driving: {run.seconds:.1f} s so far, {run.to_go:.2f} m to go"
            )
        if state.last_run is None:
            raise BadValue(f"'{robot}' has no run yet; call drive")
        if not state.last_run.arrived:
            raise BadValue(_failure(robot, state.last_run))
        return state.last_run


Message = dict[str, Any]
"""Content of a successful response."""


@dataclass(frozen=True)
class Call:
    """Service of one robot or of the world, ready to be called."""

    robot: str
    """Empty: of the world."""
    role: Role | None
    """Required role; None: any."""
    run: Callable[[], Awaitable[Message]]
    type: str = TRIGGER

    async def values(self) -> dict[str, Any]:
        """Call the service; return the fields of the response.

        Raises:
            Refused: the call is not allowed.
            GrouserError: a service without a field for it has failed.
        """
        if self.type == EMPTY:
            await self.run()
            return {}
        try:
            return {"success": True, "message": json.dumps(await self.run())}
        except Refused:
            raise
        except GrouserError as error:
            return {"success": False, "message": str(error)}


@dataclass(frozen=True)
class ServiceRow:
    """Row of the table of services."""

    run: Callable[[RobotServices, str], Awaitable[Message]]
    role: Role | None = Role.DRIVE


SERVICES: dict[str, ServiceRow] = {
    "path_plan": ServiceRow(RobotServices.path_plan),
    "reset_pose": ServiceRow(RobotServices.reset_pose),
    "drive": ServiceRow(RobotServices.drive),
    "best_path": ServiceRow(RobotServices.best_path),
    "drive_time": ServiceRow(RobotServices.drive_time, None),
    "energy_used": ServiceRow(RobotServices.energy_used, None),
    "path_found": ServiceRow(RobotServices.path_found, None),
}
"""Every service of a robot, in the order of the report."""


WORLD_SERVICES: dict[str, Action] = {
    "reset": Reset(),
    "pause": Pause(on=True),
    "resume": Pause(on=False),
}
"""Service of the world → its action."""


def _path_message(path: FoundPath) -> Message:
    """Return the message for a path."""
    return {
        "path": [_round_all(point) for point in path.points],
        "length": round(path.length, DIGITS),
        "trials_of_path": path.trials,
        "successes": path.successes,
        "success_interval": _round_all(path.success_interval),
        "effort": None if path.effort is None else round(path.effort, DIGITS),
        "energy_per_success": round(path.score, DIGITS),
    }


def _seconds(drive: PathRunResult) -> Message:
    return {"seconds": round(drive.seconds, DIGITS)}


def _energy(drive: PathRunResult) -> Message:
    return {"work": round(drive.work, DIGITS), "effort": round(drive.effort, DIGITS)}


def _failure(robot: str, drive: PathRunResult) -> str:
    return f"'{robot}' did not arrive, after {drive.seconds:.1f} s: {drive.ended}"


def _round_all(values: list[float]) -> list[float]:
    return [round(value, DIGITS) for value in values]
