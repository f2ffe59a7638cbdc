"""OMPL's planners, by name and with a seed: same seed, same path.

Planners stop after a count of their own steps, never by the clock. PRM, which looks for a solution
in a second thread while the first goes on sampling, is held still while it looks. What is known of
OMPL 2.0.1's bindings: objectives written in Python hang PRM, `stateCost` is never called; neither
is used here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from grouser.errors import missing_extra
from grouser.frames import Array
from grouser.planning.validity import ValidityMap

OMPL_PLANNERS = (
    "AORRTC",
    "BFMT",
    "BITstar",
    "BKPIECE1",
    "FMT",
    "InformedRRTstar",
    "KPIECE1",
    "LBKPIECE1",
    "PRM",
    "PRMstar",
    "RRT",
    "RRTConnect",
    "RRTstar",
    "SORRTstar",
)
"""Those that OMPL 2.0.1's Python bindings have."""

STEPS = 1500
"""Steps of a planner before it is asked for a path; most stop earlier, at their first path."""
SET_STEPS = 8_000
"""Steps of a planner that works on one set of samples."""
MOST_STEPS = 60_000
"""Steps after which a planner that has found nothing gives up."""
MILESTONES = 100
"""Milestones by which a roadmap grows before it is asked for a path again."""
MOST_MILESTONES = 2_000
"""Milestones after which a roadmap that has no path gives up."""
LOOK, MOST_LOOKS = 0.05, 100
"""Seconds that OMPL's second thread gets to find a path that is there, and how often at most."""


def solve_with_ompl(
    validity: ValidityMap,
    start: Array,
    goal: Array,
    *,
    planner: str,
    seed: int,
    stop: Callable[[], bool],
) -> Array | None:
    """Return a path's points (n, 2) from ``start`` to ``goal``, or None."""
    base, geometric, util = _ompl()
    util.setLogLevel(util.LogLevel.LOG_NONE)  # it complains about every seed but the first
    util.RNG.setSeed(seed % (2**31 - 1) + 1)  # 0 would be: none
    task = _Task(base, validity, start, goal)
    engine = getattr(geometric, planner)(task.space_information)
    engine.setProblemDefinition(task.problem)
    engine.setup()
    if planner in ("PRM", "PRMstar"):
        _grow(base, task, engine, stop)
    else:
        _search(base, task, engine, stop)
    if not task.problem.hasExactSolution():
        return None
    path = task.problem.getSolutionPath()
    states = [path.getState(i) for i in range(path.getStateCount())]
    return np.array([(state[0], state[1]) for state in states])


def _search(base: Any, task: _Task, engine: Any, stop: Callable[[], bool]) -> None:
    """Let a planner take `STEPS` after `STEPS`: some say only in the end that they have a path.

    Those that work on one set of samples (FMT, BFMT) have to be let come to their end.
    """
    at_once = hasattr(engine, "setNumSamples")
    steps = SET_STEPS if at_once else STEPS
    for _ in range(1 if at_once else MOST_STEPS // steps):
        if task.problem.hasExactSolution() or stop():
            return
        engine.solve(base.PlannerTerminationCondition(_Count(steps, stop)))


def _grow(base: Any, task: _Task, engine: Any, stop: Callable[[], bool]) -> None:
    """Grow a roadmap until it has a path; it stands still whenever it is asked."""
    task.places.frozen = True
    engine.solve(1e-6)  # start and goal become milestones, and nothing else does
    task.places.built = True
    while engine.milestoneCount() < MOST_MILESTONES and not stop():
        task.places.frozen = False
        most = engine.milestoneCount() + MILESTONES
        # A place where nothing is valid gives no milestones: its samples are counted, too.
        counted = _Count(100 * MILESTONES, stop)
        grown = base.PlannerTerminationCondition(
            lambda most=most, counted=counted: engine.milestoneCount() >= most or counted()
        )
        engine.growRoadmapPtc(grown)
        task.places.frozen = True
        if _connected(base, task, engine):
            for _ in range(MOST_LOOKS):
                engine.solve(LOOK)
                if task.problem.hasExactSolution():
                    return


def _connected(base: Any, task: _Task, engine: Any) -> bool:
    """Return whether the roadmap leads from the start to the goal."""
    data = base.PlannerData(task.space_information)
    engine.getPlannerData(data)
    if not data.numStartVertices() or not data.numGoalVertices():
        return False
    reached, waiting = {data.getStartIndex(0)}, [data.getStartIndex(0)]
    goal = data.getGoalIndex(0)
    while waiting:
        here = waiting.pop()
        if here == goal:
            return True
        fresh = set(data.getEdges(here)) - reached
        reached |= fresh
        waiting += fresh
    return False


class _Places:
    """Where the robot stands, as OMPL asks."""

    def __init__(self, validity: ValidityMap, start: Array, goal: Array) -> None:
        self.frozen = False
        """While it is, only start and goal are valid: a roadmap that is asked stands still."""
        self.built = False
        """Once it is, the roadmap has start and goal, and frozen ways are invalid as well."""
        self._anywhere: list[list[bool]] = validity.anywhere.tolist()
        self._ends = {(float(end[0]), float(end[1])) for end in (start, goal)}
        self._x, self._y = validity.corner.tolist()
        self._step = validity.step

    def __call__(self, state: Any) -> bool:
        """Return whether the robot stands at a place with some heading."""
        if self.frozen:
            return bool((state[0], state[1]) in self._ends)
        column = round((state[0] - self._x) / self._step)
        row = round((state[1] - self._y) / self._step)
        return bool(self._anywhere[row][column])


class _Task:
    """Start, goal and where the robot stands, as OMPL has it: a plane of places."""

    def __init__(self, base: Any, validity: ValidityMap, start: Array, goal: Array) -> None:
        rows, columns = validity.height.shape
        self.places = _Places(validity, start, goal)
        space, bounds = base.RealVectorStateSpace(2), base.RealVectorBounds(2)
        for axis, count in ((0, columns), (1, rows)):
            low = float(validity.corner[axis])
            bounds.setLow(axis, low)
            bounds.setHigh(axis, low + (count - 1) * validity.step)
        space.setBounds(bounds)
        self.space_information = base.SpaceInformation(space)
        self.space_information.setStateValidityChecker(self.places)
        self._ways = _ways(base, self.space_information, validity, self.places)
        self.space_information.setMotionValidator(self._ways)
        self.space_information.setup()
        self.problem = base.ProblemDefinition(self.space_information)
        ends = []
        for x, y in ((float(end[0]), float(end[1])) for end in (start, goal)):
            state = self.space_information.allocState()
            state[0], state[1] = x, y
            ends.append(state)
        self.problem.setStartAndGoalStates(*ends)


def _ways(base: Any, space_information: Any, validity: ValidityMap, places: _Places) -> Any:
    """Return OMPL's judge of straight ways: the robot drives ahead along them."""

    class Ways(base.MotionValidator):  # type: ignore[misc]
        def checkMotion(self, one: Any, other: Any) -> bool:
            if places.frozen and places.built:
                return False
            return validity.one_way(one[0], one[1], other[0], other[1])

    return Ways(space_information)


class _Count:
    """Ends a planner's work after a count of steps."""

    def __init__(self, steps: int, stop: Callable[[], bool]) -> None:
        self._steps, self._stop, self._taken = steps, stop, 0

    def __call__(self) -> bool:
        self._taken += 1
        return self._taken > self._steps or (self._taken % 64 == 0 and self._stop())


def _ompl() -> tuple[Any, Any, Any]:
    """Return OMPL's modules ``base``, ``geometric`` and ``util``."""
    try:
        from ompl import base, geometric, util
    except ImportError as error:
        raise missing_extra("OMPL's planners need OMPL", "plan") from error
    return base, geometric, util
