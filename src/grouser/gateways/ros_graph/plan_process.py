"""Planning subprocess: started by `Planner`, input `PlanOrder`, output `PlanAnswer`.

Planning takes minutes on all cores while the server process paces physics. It therefore runs in a
process of lower priority, which can be killed at any time:
``python -m grouser.gateways.ros_graph.plan_process``. Both messages are JSON.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from dataclasses import asdict, dataclass, field
from subprocess import PIPE, Popen
from typing import Any

from grouser.errors import GrouserError
from grouser.trials.plan import PathRecord, PlanResult, PlanSettings, plan
from grouser.trials.plan_task import Point2, plan_task
from grouser.world.file import World

NICENESS = 5
"""Increment of the process's niceness (`os.nice`): physics and sockets have priority."""


@dataclass(frozen=True, kw_only=True)
class PlanOrder:
    """Input of the planning process."""

    world: World
    robot: str
    start: Point2
    goal: Point2
    settings: PlanSettings = field(default_factory=PlanSettings)

    def encode(self) -> bytes:
        """Return the order as JSON."""
        # Variations of the trials are left at their defaults: the server has no option for them.
        names = ("candidates", "trials", "rounds", "planner", "seed")
        content = {
            "robot": self.robot,
            "start": self.start,
            "goal": self.goal,
            "settings": {name: getattr(self.settings, name) for name in names},
            "world": json.loads(self.world.model_dump_json()),
        }
        return json.dumps(content).encode()

    @classmethod
    def decode(cls, text: bytes) -> PlanOrder:
        """Return the order from the JSON of `encode`."""
        content = json.loads(text)
        return cls(
            world=World.model_validate(content["world"]),
            robot=content["robot"],
            start=tuple(content["start"]),
            goal=tuple(content["goal"]),
            settings=PlanSettings(**content["settings"]),
        )


@dataclass(frozen=True, kw_only=True)
class FoundPath:
    """Best path of a plan, as ranked by simulated trials."""

    points: list[list[float]]
    """Waypoints (n, 2) in the world frame, m."""
    length: float
    """Length, m."""
    score: float
    """Expected energy per success, J; lower is better."""
    trials: int
    successes: int
    success: float
    """Fraction of successful trials."""
    success_interval: list[float]
    """95 % confidence interval of the probability of success."""
    effort: float | None
    """Mean energy of successful trials, J; None: no success."""


@dataclass(frozen=True, kw_only=True)
class PlanAnswer:
    """Output of the planning process."""

    best: FoundPath | None = None
    why_not: str = ""
    """Reason why there is no path; empty if there is one."""
    candidates: int = 0
    """Number of simulated paths."""
    trials: int = 0
    """Number of trials of all paths."""
    paths: list[FoundPath] = field(default_factory=list)
    """All simulated paths."""

    def encode(self) -> bytes:
        """Return the answer as JSON."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, text: bytes) -> PlanAnswer:
        """Return the answer from the JSON of `encode`."""
        content: dict[str, Any] = json.loads(text)
        best = content.pop("best")
        paths = [FoundPath(**path) for path in content.pop("paths")]
        return cls(best=FoundPath(**best) if best else None, paths=paths, **content)


def answer(order: PlanOrder) -> PlanAnswer:
    """Run the planning loop; return the best path, or the reason why there is none."""
    try:
        task = plan_task(order.world, order.robot, order.start, order.goal)
        return _summarize(plan(task, order.settings))
    except GrouserError as error:
        return PlanAnswer(why_not=str(error))


def _summarize(result: PlanResult) -> PlanAnswer:
    """Return the part of a plan that clients receive."""
    best = result.best
    if best is None:
        return PlanAnswer(why_not=result.no_path or "no trial was completed")
    paths = [_found_path(record) for record in result.records if record.driven]
    return PlanAnswer(
        best=_found_path(best), candidates=len(paths), trials=result.driven, paths=paths
    )


def _found_path(record: PathRecord) -> FoundPath:
    """Return a simulated path."""
    low, high = record.success_interval
    return FoundPath(
        points=record.path.waypoints.tolist(),
        length=float(record.path.length),
        score=float(record.score),
        trials=record.driven,
        successes=record.successes,
        success=record.success,
        success_interval=[low, high],
        effort=record.energy,
    )


def main() -> None:
    """Read an order from standard input; write the answer to standard output."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    # Planners print to standard output: redirect that to standard error.
    out = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    order = PlanOrder.decode(sys.stdin.buffer.read())
    with os.fdopen(out, "wb") as pipe:
        pipe.write(answer(order).encode())
    sys.stderr.flush()
    os._exit(0)  # skip the finalizers: those of OMPL's bindings print errors


if __name__ == "__main__":
    main()


_LOG = logging.getLogger(__name__)


class Planner:
    """Runs one planning subprocess at a time; further calls queue."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    async def plan(self, order: PlanOrder) -> PlanAnswer:
        """Plan in a subprocess; cancelling the call kills the process.

        Raises:
            GrouserError: the process cannot be started, or exited without an answer.
        """
        async with self._lock:
            # Not asyncio's own: a task that is cancelled while it starts one never ends.
            command = [sys.executable, "-m", "grouser.gateways.ros_graph.plan_process"]
            try:
                process = Popen(command, stdin=PIPE, stdout=PIPE)
            except OSError as error:  # no memory, no file descriptors
                raise GrouserError(
                    f"no planning process can be started ({error.strerror})"
                ) from error
            loop = asyncio.get_running_loop()
            try:
                output, _ = await loop.run_in_executor(None, process.communicate, order.encode())
            finally:
                if process.poll() is None:
                    process.kill()
        if process.returncode or not output:
            _LOG.error(
                "'%s': the planning process exited with code %s", order.robot, process.returncode
            )
            raise GrouserError(
                f"the planning process exited with code {process.returncode}; see the log"
            )
        return PlanAnswer.decode(output)
