"""STRIDE: a search tree that grows where it is thin (Gipson, Moll, Kavraki 2013; roach, sec. 6.3).

OMPL's Python bindings lack it. A node is chosen to grow from the more often the fewer others are
around it, and a place is sampled near it. The paper reads the density out of its nearest-neighbour
structure; here, in the plane, it is the free disc around a node: the square of the distance to its
nearest neighbour.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.planning.validity import ValidityMap

RANGE = 0.2
"""Longest way from a node to a new one, as part of the map's diagonal; OMPL's default."""
GOAL_BIAS = 0.05
"""How often the goal itself is tried; OMPL's default."""
MOST_NODES = 5_000
MOST_TRIES = 60_000


def solve_with_stride(
    validity: ValidityMap,
    start: Array,
    goal: Array,
    *,
    planner: str,
    seed: int,
    stop: Callable[[], bool],
) -> Array | None:
    """Return a path's points (n, 2) from ``start`` to ``goal``, or None."""
    rng = np.random.default_rng([seed, 0x57D1])
    rows, columns = validity.height.shape
    longest = RANGE * validity.step * float(np.hypot(rows, columns))
    nodes, parents = np.empty((MOST_NODES, 2)), np.zeros(MOST_NODES, np.int64)
    free = np.full(MOST_NODES, longest)
    nodes[0], count = start, 1
    for tried in range(MOST_TRIES):
        if count == MOST_NODES or (tried % 64 == 0 and stop()):
            return None
        weight = np.cumsum(free[:count] ** 2)
        chosen = int(np.searchsorted(weight, rng.random() * weight[-1], side="right"))
        aimed = rng.random() < GOAL_BIAS
        place = goal if aimed else _near(rng, nodes[chosen], longest)
        if not validity.one_way(*nodes[chosen].tolist(), *place.tolist()):
            continue
        distance = np.hypot(*(nodes[:count] - place).T)
        free[:count] = np.minimum(free[:count], distance)
        free[count] = min(longest, float(distance.min()))
        nodes[count], parents[count] = place, chosen
        if aimed:
            return _back(nodes, parents, count)
        count += 1
    return None


def _near(rng: np.random.Generator, node: Array, longest: float) -> Array:
    """Return a place, evenly drawn from the disc around a node."""
    radius, turn = longest * np.sqrt(rng.random()), 2 * np.pi * rng.random()
    return np.asarray(node + radius * np.array([np.cos(turn), np.sin(turn)]))


def _back(nodes: Array, parents: npt.NDArray[np.int64], last: int) -> Array:
    """Return the points from the tree's root to node ``last``."""
    way = [last]
    while way[-1]:
        way.append(int(parents[way[-1]]))
    return nodes[way[::-1]]
