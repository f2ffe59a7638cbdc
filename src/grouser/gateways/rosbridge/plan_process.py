"""A process that plans, and nothing else: a `PlanOrder` comes in as JSON, a `PlanAnswer` goes out.

Planning takes minutes of all cores; the server's own process paces physics meanwhile. So planning
has a process of its own, behind everybody else in the queue for the cores, which whoever asked can
end at any time: ``python -m grouser.gateways.rosbridge.plan_process``.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass, field
from typing import Any

from grouser.errors import GrouserError
from grouser.trials.plan import PlanResult, PlanSettings, plan
from grouser.trials.plan_task import Point2, plan_task
from grouser.world.file import World

POLITENESS = 5
"""Steps by which planning stands back behind physics and sockets (`os.nice`)."""


@dataclass(frozen=True, kw_only=True)
class PlanOrder:
    """What is to be planned."""

    world: World
    robot: str
    start: Point2
    goal: Point2
    settings: PlanSettings = field(default_factory=PlanSettings)

    def encode(self) -> bytes:
        """Return it as JSON."""
        # How much trials differ is the settings' own default: nobody can say otherwise here.
        told = ("candidates", "trials", "rounds", "planner", "seed", "threads")
        content = {
            "robot": self.robot,
            "start": self.start,
            "goal": self.goal,
            "settings": {name: getattr(self.settings, name) for name in told},
            "world": json.loads(self.world.model_dump_json()),
        }
        return json.dumps(content).encode()

    @classmethod
    def decode(cls, text: bytes) -> PlanOrder:
        """Return what `encode` was called on."""
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
    """A path that physics said is the best of a plan."""

    points: list[list[float]]
    """(n, 2), in the world, m."""
    length: float
    """m."""
    score: float
    """Energy spent per success that is expected of it, J: the less, the better."""
    trials: int
    successes: int
    success: float
    """Share of its trials that arrived."""
    success_interval: list[float]
    """Of the probability that it succeeds, 95 %."""
    effort: float | None
    """Mean energy of its successes, J; None: it had none."""


@dataclass(frozen=True, kw_only=True)
class PlanAnswer:
    """What came of planning."""

    best: FoundPath | None = None
    why_not: str = ""
    """A sentence about why there is no path; empty: there is."""
    candidates: int = 0
    """Paths that were driven."""
    trials: int = 0
    """Of all of them."""

    def encode(self) -> bytes:
        """Return it as JSON."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, text: bytes) -> PlanAnswer:
        """Return what `encode` was called on."""
        content: dict[str, Any] = json.loads(text)
        best = content.pop("best")
        return cls(best=FoundPath(**best) if best else None, **content)


def answer(order: PlanOrder) -> PlanAnswer:
    """Plan, drive and learn; return what was found, or why nothing was."""
    try:
        task = plan_task(order.world, order.robot, order.start, order.goal)
        return _told(plan(task, order.settings))
    except GrouserError as error:
        return PlanAnswer(why_not=str(error))


def _told(result: PlanResult) -> PlanAnswer:
    """Return what others need to know of a plan."""
    best = result.best
    if best is None:
        return PlanAnswer(why_not=result.no_path or "no trial was over")
    low, high = best.success_interval
    found = FoundPath(
        points=best.path.waypoints.tolist(),
        length=float(best.path.length),
        score=float(best.score),
        trials=best.driven,
        successes=best.successes,
        success=best.success,
        success_interval=[low, high],
        effort=best.energy,
    )
    driven = sum(bool(record.driven) for record in result.records)
    return PlanAnswer(best=found, candidates=driven, trials=result.driven)


def main() -> None:
    """Answer the order that stands on the standard input."""
    if hasattr(os, "nice"):
        os.nice(POLITENESS)
    # The answer has the standard output to itself: planners print whatever they like.
    out = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    order = PlanOrder.decode(sys.stdin.buffer.read())
    with os.fdopen(out, "wb") as pipe:
        pipe.write(answer(order).encode())
    sys.stderr.flush()
    os._exit(0)  # nothing is left to be done, and OMPL's bindings complain on their way out


if __name__ == "__main__":
    main()
