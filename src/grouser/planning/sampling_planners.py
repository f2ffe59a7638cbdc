"""Sampling-based planners: those of OMPL, and STRIDE; the same seed gives the same path.

Planners stop after a number of steps, not after a time. OMPL's PRM searches for a solution in a
second thread while the first one samples; sampling is frozen during the search, so that the result
does not depend on timing. Limits of OMPL 2.0.1's Python bindings: objectives written in Python hang
PRM, and `stateCost` is never called; neither is used here.

OMPL's bindings lack STRIDE (Gipson, Moll, Kavraki 2013; roach, sec. 6.3), a tree that grows in
sparsely sampled regions. A node is selected with a probability that falls with the density around
it, and a position is sampled near it. The paper estimates the density by its nearest-neighbour
structure; here it is the square of the distance to the nearest neighbour.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

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
"""Planners of OMPL 2.0.1's Python bindings."""

STEPS = 1500
"""Steps of a planner between two tests for a solution; most stop earlier, at their first path."""
SET_STEPS = 8_000
"""Steps of a planner that works on one set of samples."""
MOST_STEPS = 60_000
"""Upper limit of steps without a solution."""
MILESTONES = 100
"""Milestones added to a roadmap between two tests for a solution."""
MOST_MILESTONES = 2_000
"""Upper limit of milestones without a solution."""
SEARCH_TIME, MOST_SEARCHES = 0.05, 100
"""Time for OMPL's second thread to find an existing path, s, and the largest number of attempts."""
STRIDE_RANGE = 0.2
"""STRIDE: longest edge, as a part of the map's diagonal; OMPL's default."""
STRIDE_GOAL_BIAS = 0.05
"""STRIDE: probability of sampling the goal; OMPL's default."""
STRIDE_MOST_NODES = 5_000
STRIDE_MOST_TRIES = 60_000


def solve_with_ompl(
    validity: ValidityMap,
    start: Array,
    goal: Array,
    *,
    planner: str,
    seed: int,
    stop: Callable[[], bool],
) -> Array | None:
    """Return the points (n, 2) of a path from ``start`` to ``goal`` by OMPL, or None."""
    base, geometric, util = _ompl()
    util.setLogLevel(util.LogLevel.LOG_NONE)  # OMPL warns about every seed but the first
    util.RNG.setSeed(seed % (2**31 - 1) + 1)  # 0 means: no seed
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
    """Run a planner in chunks of `STEPS`, since some report a path only when they stop."""
    # Planners that work on one set of samples (FMT, BFMT) run to their end.
    one_set = hasattr(engine, "setNumSamples")
    steps = SET_STEPS if one_set else STEPS
    for _ in range(1 if one_set else MOST_STEPS // steps):
        if task.problem.hasExactSolution() or stop():
            return
        engine.solve(base.PlannerTerminationCondition(_Count(steps, stop)))


def _grow(base: Any, task: _Task, engine: Any, stop: Callable[[], bool]) -> None:
    """Grow a PRM until it has a path; sampling is frozen during each search."""
    task.places.frozen = True
    engine.solve(1e-6)  # adds start and goal as milestones, and nothing else
    task.places.built = True
    while engine.milestoneCount() < MOST_MILESTONES and not stop():
        task.places.frozen = False
        most = engine.milestoneCount() + MILESTONES
        # Invalid samples add no milestone, so samples are limited as well.
        counted = _Count(100 * MILESTONES, stop)
        grown = base.PlannerTerminationCondition(
            lambda most=most, counted=counted: engine.milestoneCount() >= most or counted()
        )
        engine.growRoadmapPtc(grown)
        task.places.frozen = True
        if _connects(base, task, engine):
            for _ in range(MOST_SEARCHES):
                engine.solve(SEARCH_TIME)
                if task.problem.hasExactSolution():
                    return


def _connects(base: Any, task: _Task, engine: Any) -> bool:
    """Return whether the PRM connects start and goal."""
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
    """State validity checker for OMPL."""

    def __init__(self, validity: ValidityMap, start: Array, goal: Array) -> None:
        self.frozen = False
        """True: only start and goal are valid, so that a PRM does not grow while it is searched."""
        self.built = False
        """True: the PRM has start and goal, and while frozen all motions are invalid."""
        self._anywhere: list[list[bool]] = validity.anywhere.tolist()
        self._ends = {(float(end[0]), float(end[1])) for end in (start, goal)}
        self._x, self._y = validity.corner.tolist()
        self._step = validity.step

    def __call__(self, state: Any) -> bool:
        """Return whether the robot can stand at a position with at least one heading."""
        if self.frozen:
            return bool((state[0], state[1]) in self._ends)
        column = round((state[0] - self._x) / self._step)
        row = round((state[1] - self._y) / self._step)
        return bool(self._anywhere[row][column])


class _Task:
    """OMPL problem definition in the plane: start, goal, validity checkers."""

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
        self._motions = _motion_validator(base, self.space_information, validity, self.places)
        self.space_information.setMotionValidator(self._motions)
        self.space_information.setup()
        self.problem = base.ProblemDefinition(self.space_information)
        ends = []
        for x, y in ((float(end[0]), float(end[1])) for end in (start, goal)):
            state = self.space_information.allocState()
            state[0], state[1] = x, y
            ends.append(state)
        self.problem.setStartAndGoalStates(*ends)


def _motion_validator(
    base: Any, space_information: Any, validity: ValidityMap, places: _Places
) -> Any:
    """Return OMPL's validator of straight segments, which the robot drives forward."""

    class SegmentValidator(base.MotionValidator):  # type: ignore[misc]
        def checkMotion(self, one: Any, other: Any) -> bool:
            if places.frozen and places.built:
                return False
            return validity.is_segment_valid(one[0], one[1], other[0], other[1])

    return SegmentValidator(space_information)


class _Count:
    """Termination condition: a number of steps, or cancellation by ``stop``."""

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


def solve_with_stride(
    validity: ValidityMap,
    start: Array,
    goal: Array,
    *,
    planner: str,
    seed: int,
    stop: Callable[[], bool],
) -> Array | None:
    """Return the points (n, 2) of a path from ``start`` to ``goal`` by STRIDE, or None."""
    rng = np.random.default_rng([seed, 0x57D1])
    rows, columns = validity.height.shape
    longest = STRIDE_RANGE * validity.step * float(np.hypot(rows, columns))
    nodes, parents = np.empty((STRIDE_MOST_NODES, 2)), np.zeros(STRIDE_MOST_NODES, np.int64)
    free = np.full(STRIDE_MOST_NODES, longest)
    nodes[0], count = start, 1
    for tried in range(STRIDE_MOST_TRIES):
        if count == STRIDE_MOST_NODES or (tried % 64 == 0 and stop()):
            return None
        weight = np.cumsum(free[:count] ** 2)
        chosen = int(np.searchsorted(weight, rng.random() * weight[-1], side="right"))
        aimed = rng.random() < STRIDE_GOAL_BIAS
        place = goal if aimed else _near(rng, nodes[chosen], longest)
        if not validity.is_segment_valid(*nodes[chosen].tolist(), *place.tolist()):
            continue
        distance = np.hypot(*(nodes[:count] - place).T)
        free[:count] = np.minimum(free[:count], distance)
        free[count] = min(longest, float(distance.min()))
        nodes[count], parents[count] = place, chosen
        if aimed:
            return _path_to(nodes, parents, count)
        count += 1
    return None


def _near(rng: np.random.Generator, node: Array, longest: float) -> Array:
    """Return a position drawn uniformly from the disc around a node."""
    radius, turn = longest * np.sqrt(rng.random()), 2 * np.pi * rng.random()
    return np.asarray(node + radius * np.array([np.cos(turn), np.sin(turn)]))


def _path_to(nodes: Array, parents: npt.NDArray[np.int64], last: int) -> Array:
    """Return the points from the tree's root to node ``last``."""
    chain = [last]
    while chain[-1]:
        chain.append(int(parents[chain[-1]]))
    return nodes[chain[::-1]]
