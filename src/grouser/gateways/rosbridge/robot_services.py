"""The services of every robot, as the report's performance evaluator has them (roach, section 3.4).

They are the world's, not a client's: what one client plans, another can drive. All of them are
``std_srvs/Trigger``: nothing is asked, ``success`` and ``message`` are answered. Where ``success``
is true the message is a JSON object, else a sentence.
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
from grouser.gateways.rosbridge.plan_process import FoundPath, Planner, PlanOrder
from grouser.service.access import Role
from grouser.service.host import Host
from grouser.service.path_run import Drive, PathRun
from grouser.simulation.changes.actions import Restart
from grouser.trials.plan import PlanSettings
from grouser.trials.plan_task import Point2
from grouser.world.file import RobotEntry

TRIGGER = "std_srvs/Trigger"
"""Type of all services of robots."""

DIGITS = 6
"""Decimals of numbers in messages: micrometres, microjoules."""


@dataclass
class RobotMemory:
    """What is known of one robot's paths and drives."""

    plans: int = 0
    """How many plans were begun; each has a seed of its own."""
    planning: bool = False
    """Whether one is being made."""
    loaded: FoundPath | None = None
    """The path that ``drive`` drives."""
    best: FoundPath | None = None
    """The best of all plans."""
    why_not: str = "nothing was planned; call path_plan"
    """Why there is no path."""
    errand: PathRun | None = None
    """The drive that is under way."""
    driven: Drive | None = None
    """The last drive that is over."""


@dataclass
class RobotServices:
    """All robots' services; one for all clients of a gateway."""

    host: Host
    goals: Mapping[str, Point2]
    """Robot → where it is to get; "" for all others."""
    settings: PlanSettings
    wake: Callable[[], None]
    """Called when a robot sets off: a world without anybody may have been waiting for it."""
    planner: Planner = field(default_factory=Planner)
    _memories: dict[str, RobotMemory] = field(default_factory=dict)

    def names(self) -> list[str]:
        """Return what can be called now."""
        robots = self.host.simulation.scene.robots
        return [f"{robot}/{service}" for robot in robots for service in SERVICES]

    def find(self, name: str) -> Call:
        """Return the service ``name``, ready to be called.

        Raises:
            UnknownName: there is none.
        """
        robot, _, service = name.rpartition("/")
        if robot not in self.host.simulation.scene.robots or service not in SERVICES:
            raise unknown("call_service", "service", name, self.names())
        row = SERVICES[service]
        return Call(robot, row.role, lambda: row.run(self, robot))

    def memory(self, robot: str) -> RobotMemory:
        """Return what is known of ``robot``."""
        return self._memories.setdefault(robot, RobotMemory())

    # -- paths -------------------------------------------------------------------------------

    async def path_plan(self, robot: str) -> Message:
        """Plan from the robot's start to its goal, drive every candidate aside, load the best."""
        memory = self.memory(robot)
        if memory.planning:
            raise BadValue(f"a path for '{robot}' is being planned already; wait for that one")
        order = self._order(robot, memory.plans)
        memory.planning, memory.plans = True, memory.plans + 1
        try:
            answer = await self.planner.plan(order)
        finally:
            memory.planning = False
        memory.loaded, memory.why_not = answer.best, answer.why_not
        if answer.best is None:
            raise BadValue(answer.why_not)
        if memory.best is None or answer.best.score < memory.best.score:
            memory.best = answer.best
        return {
            "candidates": answer.candidates,
            "trials": answer.trials,
            **_told(answer.best),
        }

    def _order(self, robot: str, number: int) -> PlanOrder:
        """Return the next plan's order; the same robot is given another seed each time."""
        goal = self.goals.get(robot, self.goals.get(""))
        if goal is None:
            raise BadValue(
                f"'{robot}' has no goal; the server needs one: grouser serve --goal {robot}:X,Y"
            )
        x, y, *_ = self._entry(robot).position
        settings = dataclasses.replace(self.settings, seed=self.settings.seed + number)
        world = self.host.simulation.world
        return PlanOrder(world=world, robot=robot, start=(x, y), goal=goal, settings=settings)

    def _entry(self, robot: str) -> RobotEntry:
        world = self.host.simulation.world
        return next(entry for entry in world.robots if entry.name == robot)

    async def path_found(self, robot: str) -> Message:
        """Return the path that is loaded."""
        memory = self.memory(robot)
        if memory.planning:
            raise BadValue(f"a path for '{robot}' is being planned")
        if memory.loaded is None:
            raise BadValue(f"no path for '{robot}': {memory.why_not}")
        return _told(memory.loaded)

    async def best_path(self, robot: str) -> Message:
        """Load the best path of all plans."""
        memory = self.memory(robot)
        if memory.best is None:
            raise BadValue(f"no path for '{robot}': {memory.why_not}")
        memory.loaded = memory.best
        return _told(memory.best)

    # -- driving -----------------------------------------------------------------------------

    async def reset_pose(self, robot: str) -> Message:
        """Put the robot back to its start, where it stands; a drive that is under way ends."""
        memory = self.memory(robot)
        if memory.errand is not None:
            memory.errand.give_up("reset_pose was called")
        if robot in self.host.owners:
            raise BadValue(f"'{robot}' belongs to another client, who drives it")
        self.host.do(Restart(robot))
        self.host.halt(robot)
        x, y, z = self.host.simulation.pose(robot).position.tolist()
        return {"position": _rounded([x, y, z])}

    async def drive(self, robot: str) -> Message:
        """Drive the loaded path; the answer comes when that is over."""
        memory = self.memory(robot)
        if memory.errand is not None:
            raise BadValue(f"'{robot}' is being driven already; wait, or call reset_pose")
        if memory.loaded is None:
            raise BadValue(f"no path for '{robot}': {memory.why_not}")
        over: asyncio.Future[Drive] = asyncio.get_running_loop().create_future()

        def ended(drive: Drive) -> None:
            memory.errand, memory.driven = None, drive
            if not over.done():
                over.set_result(drive)

        errand = PathRun(self.host, robot, np.array(memory.loaded.points), ended)
        memory.errand = errand
        self.wake()
        try:
            drive = await over
        finally:
            errand.give_up("the client that asked for it has gone")
        if not drive.arrived:
            raise BadValue(_failure(robot, drive))
        return {**_seconds(drive), **_energy(drive)}

    async def drive_time(self, robot: str) -> Message:
        """Return how long the last drive took, if it arrived."""
        return _seconds(self._arrived(robot))

    async def energy_used(self, robot: str) -> Message:
        """Return what the last drive cost, if it arrived."""
        return _energy(self._arrived(robot))

    def _arrived(self, robot: str) -> Drive:
        memory = self.memory(robot)
        if (errand := memory.errand) is not None:
            raise BadValue(
                f"'{robot}' is still driving: {errand.seconds:.1f} s so far, "
                f"{errand.to_go:.2f} m to go"
            )
        if memory.driven is None:
            raise BadValue(f"'{robot}' was not driven yet; call drive")
        if not memory.driven.arrived:
            raise BadValue(_failure(robot, memory.driven))
        return memory.driven


Message = dict[str, Any]
"""What a service answers when it succeeds."""


@dataclass(frozen=True)
class Call:
    """A service of one robot."""

    robot: str
    role: Role | None
    """What the caller must be allowed; None: anything at all."""
    run: Callable[[], Awaitable[Message]]

    async def values(self) -> dict[str, Any]:
        """Call it and return a Trigger's fields; raise `Refused` alone."""
        try:
            return {"success": True, "message": json.dumps(await self.run())}
        except Refused:
            raise
        except GrouserError as error:
            return {"success": False, "message": str(error)}


@dataclass(frozen=True)
class ServiceRow:
    """What the table says of a service."""

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


def _told(path: FoundPath) -> Message:
    """Return a path as a message."""
    return {
        "path": [_rounded(point) for point in path.points],
        "length": round(path.length, DIGITS),
        "trials_of_path": path.trials,
        "successes": path.successes,
        "success_interval": _rounded(path.success_interval),
        "effort": None if path.effort is None else round(path.effort, DIGITS),
        "energy_per_success": round(path.score, DIGITS),
    }


def _seconds(drive: Drive) -> Message:
    return {"seconds": round(drive.seconds, DIGITS)}


def _energy(drive: Drive) -> Message:
    return {"work": round(drive.work, DIGITS), "effort": round(drive.effort, DIGITS)}


def _failure(robot: str, drive: Drive) -> str:
    return f"'{robot}' did not arrive, after {drive.seconds:.1f} s: {drive.ended}"


def _rounded(values: list[float]) -> list[float]:
    return [round(value, DIGITS) for value in values]
