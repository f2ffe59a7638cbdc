"""Plans that are started from the page or read from a file, and runs along their paths."""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from grouser.errors import BadValue, GrouserError
from grouser.gateways.ros_graph.plan_process import FoundPath, Planner, PlanOrder
from grouser.service.host import Host
from grouser.service.path_run import PathRun, PathRunResult
from grouser.simulation.changes.actions import Move
from grouser.trials.plan import PlanSettings

SETTINGS = PlanSettings(candidates=8, trials=3, rounds=1)
"""Size of a plan from the page; the command `grouser plan` makes larger ones."""

_LOG = logging.getLogger(__name__)


@dataclass
class RobotPlan:
    """Plan of one robot, as the page shows it."""

    goal: tuple[float, float]
    """m."""
    busy: bool = True
    paths: list[FoundPath] = field(default_factory=list)
    """Candidates; the best one is first."""
    why_not: str = ""
    """Reason why there is no path."""
    run: PathRun | None = None
    """Run in progress."""
    result: str = ""
    """Result of the last run."""
    source: str = ""
    """File from which it was read; empty: made from the page."""

    def message(self) -> dict[str, Any]:
        """Return the content of the message about it."""
        return {
            "goal": list(self.goal),
            "busy": self.busy,
            "driving": self.run is not None,
            "why_not": self.why_not,
            "result": self.result,
            "source": self.source,
            "paths": [
                {
                    "points": np.round(path.points, 4).tolist(),
                    "length": round(path.length, 3),
                    "trials": path.trials,
                    "successes": path.successes,
                    "energy": None if path.effort is None else round(path.effort, 2),
                    "score": round(path.score, 2),
                }
                for path in self.paths
            ],
        }


class RobotPlans:
    """Plans of all robots.

    Args:
        host: the host.
        changed: called with the name of the robot after each change.
    """

    def __init__(self, host: Host, changed: Callable[[str], None]) -> None:
        self._host, self._changed = host, changed
        self._planner = Planner()
        self._tasks: set[asyncio.Task[None]] = set()
        self.plans: dict[str, RobotPlan] = {}
        """By robot."""

    def start(self, robot: str, goal: tuple[float, float]) -> None:
        """Plan from where a robot is to ``goal`` (m), in a process of lower priority."""
        present = self.plans.get(robot)
        if present is not None and (present.busy or present.run is not None):
            raise BadValue(f"plan: '{robot}' is being planned for or driven already")
        simulation = self._host.simulation
        x, y, _ = simulation.pose(robot).position.tolist()
        order = PlanOrder(
            world=simulation.world, robot=robot, start=(x, y), goal=goal, settings=SETTINGS
        )
        plan = self.plans[robot] = RobotPlan(goal)
        task = asyncio.get_running_loop().create_task(self._plan(robot, plan, order))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._changed(robot)

    async def _plan(self, robot: str, plan: RobotPlan, order: PlanOrder) -> None:
        try:
            answer = await self._planner.plan(order)
            plan.paths, plan.why_not = sorted(answer.paths, key=attrgetter("score")), answer.why_not
        except GrouserError as error:
            plan.why_not = str(error)
        finally:
            plan.busy = False
            self._changed(robot)

    def load(self, file: Path) -> None:
        """Show the results of ``grouser plan … --json FILE``.

        Raises:
            BadValue: it has no such results, or they are of a robot that is not in this world.
        """
        found = read_plan(file)
        robot, world = str(found["robot"]), self._host.simulation.world.name
        robots = self._host.simulation.scene.robots
        if robot not in robots:
            raise BadValue(
                f"{file}: is a plan for '{robot}' in '{found['world']}', the world '{world}' has "
                f"{', '.join(robots) or 'no robots'}"
            )
        x, y = found["to"]
        paths = sorted(
            (_read_path(row) for row in found["paths"] if row["trials"]), key=attrgetter("score")
        )
        self.plans[robot] = RobotPlan(
            (float(x), float(y)),
            busy=False,
            paths=paths,
            why_not=str(found["no_path"] or ""),
            source=file.name,
        )

    def follow(self, robot: str, number: int, *, from_start: bool = False) -> None:
        """Drive a robot along a path of its plan; ``from_start``: put it there before."""
        plan = self.plans.get(robot)
        if plan is None or not 0 <= number < len(plan.paths):
            raise BadValue(f"follow: '{robot}' has no path {number}")
        if plan.run is not None:
            raise BadValue(f"follow: '{robot}' is being driven already")

        def ended(result: PathRunResult) -> None:
            plan.run = None
            plan.result = f"{result.ended} after {result.seconds:.1f} s, {result.effort:.1f} J"
            self._changed(robot)

        if from_start:
            x, y = plan.paths[number].points[0]
            self._host.apply(Move(robot, x, y), source="page")
        plan.result = ""
        plan.run = PathRun(self._host, robot, np.array(plan.paths[number].points), ended)
        self._changed(robot)

    def close(self) -> None:
        """Kill plans in progress."""
        for task in self._tasks:
            task.cancel()


def read_plan(file: Path) -> dict[str, Any]:
    """Return the results that ``grouser plan`` has written to a JSON file.

    Raises:
        BadValue: the file cannot be read, or has no such results.
    """
    try:
        content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        rows = [_read_path(row) for row in content["paths"]]
        _ = content["world"], content["robot"], content["no_path"], len(rows)
        x, y = content["to"]
        _ = float(x), float(y)
    except OSError as error:
        raise BadValue(f"{file}: cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise BadValue(
            f"{file}: is no result of 'grouser plan … --json FILE' ({error!r})"
        ) from error
    return content


def _read_path(row: Mapping[str, Any]) -> FoundPath:
    low, high = row["success_95"]
    score = row["expected_energy_per_success"]
    return FoundPath(
        points=[[float(x), float(y)] for x, y in row["waypoints"]],
        length=float(row["length"]),
        score=math.inf if score is None else float(score),
        trials=int(row["trials"]),
        successes=int(row["successes"]),
        success=float(row["success"] or 0.0),
        success_interval=[float(low), float(high)],
        effort=row["energy"],
    )
