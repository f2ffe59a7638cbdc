"""Our roadmap: candidates in different homotopy classes, and new ones whenever costs change.

Places are spread evenly over where the robot stands and joined to their neighbours. What an edge
costs is computed for all edges at once, from a cost per metre on the map's places, so that a
roadmap is built once and asked again with every new cost map: SciPy's Dijkstra does the rest.

Two ways are different where something in which the robot cannot stand lies between them. Every such
island of the map is a point; on which side of it a way passes is counted by the ray that leaves the
point straight up, as in H-signatures (Bhattacharya, Likhachev, Kumar 2012).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.planning.paths import Path, even, measured, smoothed, taut
from grouser.planning.scipy_parts import scipy_part
from grouser.planning.validity import FINENESS, STEP, ValidityMap

PLACES = 3_000
"""Places of a roadmap, about."""
NEIGHBOURS = 14
"""Places to which one is joined."""
SAMPLES = 4
"""Places of the map at which an edge's cost is looked up."""
LONGEST = 1.6
"""A class is worth a candidate if its cheapest way costs at most this many times the cheapest."""
VARIETY = 0.5
"""How much candidates differ, if nobody says otherwise."""
SMOOTH = 0.04
"""Over which part of the map's longer side the random fields are smooth."""
TURNS = 3
"""Random fields tried per candidate: equal ways are counted once."""
SAME = FINENESS / STEP / 2
"""Ways that are nowhere further apart are the same, in steps of the map: half a robot's radius."""
ISLAND = 16
"""Places of the map that an island needs to tell ways apart: the square of the robot's radius."""

Signature = tuple[int, ...]
"""How often a way passes above every island, left to right, less right to left."""


class Roadmap:
    """Places where a robot stands, and the straight ways between them."""

    def __init__(
        self,
        validity: ValidityMap,
        start: npt.ArrayLike,
        goal: npt.ArrayLike,
        *,
        seed: int = 0,
        places: int = PLACES,
    ) -> None:
        """Build it; the first two places are ``start`` and ``goal`` (x, y; m)."""
        self._validity = validity
        ends = np.array([start, goal], np.float64)
        self.places: Array = np.concatenate([ends, _spread(validity, places, seed)])
        """In the world (n, 2), m."""
        self.edges: npt.NDArray[np.int64] = _edges(validity, self.places)
        """Directed ways (m, 2) between places that the robot can go, by number."""
        way = self.places[self.edges[:, 1]] - self.places[self.edges[:, 0]]
        self.lengths: Array = np.hypot(way[:, 0], way[:, 1])
        """Of the edges (m,), m."""
        # Where along an edge its cost is looked up; SAMPLES of them suffice, since edges are short.
        share = (np.arange(SAMPLES) + 0.5)[:, None, None] / SAMPLES
        between = self.places[self.edges[:, 0]] + share * way
        self._samples = validity.cells(between)

    def costs(self, per_metre: Array | None = None) -> Array:
        """Return what the edges cost (m,): ``per_metre`` of the map, added up along them.

        Args:
            per_metre: of the map's places (rows, columns), at least 0; None: 1 everywhere.
        """
        if per_metre is None:
            return self.lengths
        return np.asarray(self.lengths * per_metre[self._samples].mean(axis=0))

    def candidates(
        self,
        count: int,
        per_metre: Array | None = None,
        *,
        seed: int = 0,
        variety: float = VARIETY,
        most_classes: int = 4,
        longest: float = LONGEST,
    ) -> list[Path]:
        """Return ``count`` ways from start to goal that differ, cheapest first; none: no way.

        The first are the cheapest of their classes. For the others all costs are multiplied by
        random fields, smooth over a few robots, so that each is the cheapest in a world that is a
        little different; classes take turns.

        Args:
            count: how many.
            per_metre: cost of driving, of the map's places (rows, columns); None: 1 everywhere.
            seed: same seed, same ways.
            variety: how much the random fields vary: standard deviation of the factor's logarithm.
            most_classes: how many classes, of those that cost at most ``longest`` times the
                cheapest.
            longest: a class is worth a candidate if its cheapest way costs at most this.
        """
        true = self.costs(per_metre)
        rng = np.random.default_rng([seed, 0xCA4D])
        found: dict[bytes, Path] = {}
        paths: list[Path] = []
        known: list[bytes] = []
        for turn in range(count * TURNS):
            trees = _Trees(self, true if turn == 0 else true * self._field(rng, variety))
            best = trees.cheapest_by_class(longest)
            if turn == 0:
                known = list(best)[:most_classes]
            for key in known:
                if key not in best or best[key].tobytes() in found or len(paths) == count:
                    continue
                path = found[best[key].tobytes()] = self._path(best[key], per_metre)
                if all(self._differ(path, other) for other in paths):
                    paths.append(path)
            if len(paths) == count or not known:
                break
        return sorted(paths, key=lambda path: self.price(path.waypoints, per_metre))

    def price(self, waypoints: Array, per_metre: Array | None = None) -> float:
        """Return what a way (n, 2) costs: ``per_metre`` of the map, added up; None: its length."""
        points = even(waypoints, self._validity.step)
        length = float(np.hypot(*np.diff(points, axis=0).T).sum())
        if per_metre is None:
            return length
        return length * float(per_metre[self._validity.cells(points)].mean())

    def _differ(self, one: Path, other: Path) -> bool:
        """Say whether two paths are further apart anywhere than half of the robot's radius."""
        points = even(one.waypoints, self._validity.step)
        near, _ = (
            scipy_part("spatial").cKDTree(even(other.waypoints, self._validity.step)).query(points)
        )
        return bool(near.max() > SAME * self._validity.step)

    def _field(self, rng: np.random.Generator, variety: float) -> Array:
        """Return a factor for every edge (m,), around 1, smooth over `SMOOTH` of the map."""
        rows, columns = self._validity.height.shape
        noise = rng.standard_normal((rows, columns))
        width = SMOOTH * max(rows, columns)
        smooth = scipy_part("ndimage").gaussian_filter(noise, width, mode="nearest")
        field = np.exp(variety * smooth / smooth.std())
        return np.asarray(field[self._samples].mean(axis=0))

    def _path(self, nodes: npt.NDArray[np.int64], per_metre: Array | None) -> Path:
        points = self.places[nodes]
        if per_metre is not None:
            points = taut(self._validity, points, per_metre)
        return measured(self._validity, smoothed(self._validity, points))

    def signature(self, waypoints: npt.ArrayLike) -> Signature:
        """Return on which sides of the islands a way (n, 2) passes: its class."""
        points = np.asarray(waypoints, np.float64)
        return tuple(self.crossings(points[:-1], points[1:]).sum(axis=0).tolist())

    def crossings(self, start: Array, end: Array) -> npt.NDArray[np.int64]:
        """Return which ways (n, 2) → (n, 2) pass above which islands: 1, -1 back or 0 (n, k)."""
        x, y = self.islands.T
        left, right = start[:, :1] < x, end[:, :1] < x
        run = end[:, :1] - start[:, :1]
        at = (x - start[:, :1]) / np.where(run == 0, 1.0, run)
        height = start[:, 1:] + at * (end[:, 1:] - start[:, 1:])
        return np.asarray((left.astype(np.int64) - right) * (height > y))

    @cached_property
    def islands(self) -> Array:
        """A point (k, 2) of every island in which the robot cannot stand, m."""
        validity = self._validity
        labels, _ = scipy_part("ndimage").label(~validity.anywhere, np.ones((3, 3)))
        sizes = np.bincount(labels.ravel())
        large = [label for label in range(1, len(sizes)) if sizes[label] >= ISLAND]
        cells = [np.argwhere(labels == label)[0] for label in large]
        places = np.array(cells, np.float64).reshape(-1, 2)[:, ::-1]
        return np.asarray(validity.corner + validity.step * places)


class _Trees:
    """The cheapest ways from the start to every place, and from every place to the goal."""

    def __init__(self, roadmap: Roadmap, costs: Array) -> None:
        self._roadmap, count = roadmap, len(roadmap.places)
        graph = scipy_part("sparse").csr_matrix(
            (costs, (roadmap.edges[:, 0], roadmap.edges[:, 1])), shape=(count, count)
        )
        dijkstra = scipy_part("sparse.csgraph").dijkstra
        there, self._before = dijkstra(graph, indices=0, return_predecessors=True)
        back, self._after = dijkstra(graph.T.tocsr(), indices=1, return_predecessors=True)
        self.total: Array = there + back
        """What the cheapest way through every place costs (n,)."""
        self._passed = self._signatures(there, self._before, 1)
        self._passed += self._signatures(back, self._after, -1)

    def _signatures(
        self, distance: Array, tree: npt.NDArray[np.int32], sign: int
    ) -> npt.NDArray[np.int64]:
        """Return the crossings (n, k) from a tree's root to every place (``sign`` -1: and back)."""
        places = self._roadmap.places
        child = np.flatnonzero(tree >= 0)
        one, other = places[tree[child]], places[child]
        step = self._roadmap.crossings(*((one, other) if sign > 0 else (other, one)))
        passed = np.zeros((len(places), step.shape[1]), np.int64)
        row = np.full(len(places), -1)
        row[child] = np.arange(len(child))
        for place in child[np.argsort(distance[child], kind="stable")].tolist():
            passed[place] = passed[tree[place]] + step[row[place]]
        return passed

    def cheapest_by_class(self, longest: float) -> dict[bytes, npt.NDArray[np.int64]]:
        """Return the places of the cheapest way of every class, the cheapest class first.

        Args:
            longest: classes that cost more than this times the cheapest are left out.
        """
        near = np.flatnonzero(self.total <= longest * self.total[0])
        near = near[np.argsort(self.total[near], kind="stable")]
        ways: dict[bytes, npt.NDArray[np.int64]] = {}
        for place in near.tolist() if np.isfinite(self.total[0]) else ():
            key = self._passed[place].tobytes()
            if key not in ways:
                way = self._through(place)
                if len(set(way.tolist())) == len(way):  # else it goes there and back again
                    ways[key] = way
        return ways

    def _through(self, via: int) -> npt.NDArray[np.int64]:
        """Return the places of the cheapest way from start to goal through ``via``."""
        way = [via]
        while self._before[way[0]] >= 0:
            way.insert(0, int(self._before[way[0]]))
        while self._after[way[-1]] >= 0:
            way.append(int(self._after[way[-1]]))
        return np.array(way)


def _spread(validity: ValidityMap, count: int, seed: int) -> Array:
    """Return about ``count`` places, evenly spread over where the robot stands (n, 2)."""
    share = float(validity.anywhere.mean())
    if share == 0:
        raise BadValue("roadmap: there is no place in these bounds where the robot stands")
    # Multiples of these two numbers, less whole ones, fill a square evenly (Roberts' R2 sequence).
    ratio = 1.324717957244746
    numbers = np.arange(round(count / share))[:, None]
    shift = np.random.default_rng([seed, 0x4D4150]).random(2)
    unit = (shift + numbers * np.array([1 / ratio, 1 / ratio**2])) % 1.0
    rows, columns = validity.height.shape
    places = validity.corner + unit * validity.step * np.array([columns - 1, rows - 1])
    row, column = validity.cells(places)
    return np.asarray(places[validity.anywhere[row, column]])


def _edges(validity: ValidityMap, places: Array) -> npt.NDArray[np.int64]:
    """Return the ways (m, 2) between neighbours that the robot can go."""
    most = min(NEIGHBOURS + 1, len(places))
    _, near = scipy_part("spatial").cKDTree(places).query(places, k=most)
    one = np.repeat(np.arange(len(places)), most - 1)
    pairs = np.column_stack([one, near[:, 1:].ravel()])
    pairs = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
    return np.asarray(pairs[validity.way(places[pairs[:, 0]], places[pairs[:, 1]])])
