"""Probabilistic roadmap with candidate paths in different homotopy classes.

Nodes are spread evenly over the valid positions and connected to their nearest neighbours. The
costs of all edges are computed at once from a cost per metre on the validity map, so that one
roadmap is searched again (Dijkstra, SciPy) whenever the costs change.

Two paths belong to different homotopy classes if an obstacle lies between them. Each obstacle of
the map (island) is represented by a point; the class is the signed number of crossings of the
upward ray from each point, as in H-signatures (Bhattacharya, Likhachev, Kumar 2012).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.planning.paths import Path, path_from_waypoints, resample, shortcut, smooth_path
from grouser.planning.validity import FINENESS, STEP, ValidityMap, scipy_part

PLACES = 3_000
"""Approximate number of nodes of a roadmap."""
NEIGHBOURS = 14
"""Nearest neighbours to which a node is connected."""
SAMPLES = 4
"""Positions of the map at which the cost of an edge is sampled."""
LONGEST = 1.6
"""Cost limit of a homotopy class, as a multiple of the cheapest path; dearer ones are dropped."""
VARIETY = 0.5
"""Default of ``variety``: standard deviation of the logarithm of the random cost factors."""
SMOOTH = 0.04
"""Correlation length of the random fields, as a part of the map's longer side."""
TURNS = 3
"""Random fields tried per candidate; equal paths are counted once."""
SAME = FINENESS / STEP / 2
"""Distance below which paths count as equal, in steps of the map: half a robot's radius."""
ISLAND = 16
"""Smallest island that separates homotopy classes, in positions: the square of the radius."""

Signature = tuple[int, ...]
"""Per island: crossings of its upward ray from left to right, minus those from right to left."""


class Roadmap:
    """Graph of valid positions and the valid straight segments between them."""

    def __init__(
        self,
        validity: ValidityMap,
        start: npt.ArrayLike,
        goal: npt.ArrayLike,
        *,
        seed: int = 0,
        places: int = PLACES,
    ) -> None:
        """Build the graph; the first two nodes are ``start`` and ``goal`` (x, y; m)."""
        self._validity = validity
        ends = np.array([start, goal], np.float64)
        self.places: Array = np.concatenate([ends, _spread(validity, places, seed)])
        """Nodes in the world (n, 2), m."""
        self.edges: npt.NDArray[np.int64] = _edges(validity, self.places)
        """Directed edges (m, 2), as indices of nodes."""
        edge = self.places[self.edges[:, 1]] - self.places[self.edges[:, 0]]
        self.lengths: Array = np.hypot(edge[:, 0], edge[:, 1])
        """Lengths of the edges (m,), m."""
        share = (np.arange(SAMPLES) + 0.5)[:, None, None] / SAMPLES
        between = self.places[self.edges[:, 0]] + share * edge
        self._samples = validity.cells(between)

    def costs(self, per_metre: Array | None = None) -> Array:
        """Return the costs of the edges (m,): ``per_metre`` (default 1) integrated along them."""
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
        """Return up to ``count`` different paths from start to goal, cheapest first.

        The first ones are the cheapest of their homotopy classes (at most ``most_classes``,
        and ``longest`` times the cheapest). For the others all costs are multiplied by
        smooth random fields (standard deviation ``variety`` of the logarithm); each is the
        cheapest path of its class under one such perturbation. The list is empty if no path
        exists.
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
        return sorted(paths, key=lambda path: self.path_cost(path.waypoints, per_metre))

    def path_cost(self, waypoints: Array, per_metre: Array | None = None) -> float:
        """Return the cost of a path (n, 2): ``per_metre`` integrated along it; None: its length."""
        points = resample(waypoints, self._validity.step)
        length = float(np.hypot(*np.diff(points, axis=0).T).sum())
        if per_metre is None:
            return length
        return length * float(per_metre[self._validity.cells(points)].mean())

    def _differ(self, one: Path, other: Path) -> bool:
        """Return whether two paths are anywhere further apart than half of the robot's radius."""
        points, others = (resample(path.waypoints, self._validity.step) for path in (one, other))
        near, _ = scipy_part("spatial").cKDTree(others).query(points)
        return bool(near.max() > SAME * self._validity.step)

    def _field(self, rng: np.random.Generator, variety: float) -> Array:
        """Return a random factor for every edge (m,), about 1, with correlation `SMOOTH`."""
        rows, columns = self._validity.height.shape
        noise = rng.standard_normal((rows, columns))
        width = SMOOTH * max(rows, columns)
        smooth = scipy_part("ndimage").gaussian_filter(noise, width, mode="nearest")
        field = np.exp(variety * smooth / smooth.std())
        return np.asarray(field[self._samples].mean(axis=0))

    def _path(self, nodes: npt.NDArray[np.int64], per_metre: Array | None) -> Path:
        points = self.places[nodes]
        if per_metre is not None:
            points = shortcut(self._validity, points, per_metre)
        return path_from_waypoints(self._validity, smooth_path(self._validity, points))

    def signature(self, waypoints: npt.ArrayLike) -> Signature:
        """Return the homotopy class of a path (n, 2)."""
        points = np.asarray(waypoints, np.float64)
        return tuple(self.crossings(points[:-1], points[1:]).sum(axis=0).tolist())

    def crossings(self, start: Array, end: Array) -> npt.NDArray[np.int64]:
        """Return crossings (n, k) of the islands' rays by segments (n, 2) → (n, 2): 1, -1 or 0."""
        x, y = self.islands.T
        left, right = start[:, :1] < x, end[:, :1] < x
        run = end[:, :1] - start[:, :1]
        at = (x - start[:, :1]) / np.where(run == 0, 1.0, run)
        height = start[:, 1:] + at * (end[:, 1:] - start[:, 1:])
        return np.asarray((left.astype(np.int64) - right) * (height > y))

    @cached_property
    def islands(self) -> Array:
        """One point (k, 2) of every island of invalid positions, m."""
        validity = self._validity
        labels, _ = scipy_part("ndimage").label(~validity.anywhere, np.ones((3, 3)))
        sizes = np.bincount(labels.ravel())
        large = [label for label in range(1, len(sizes)) if sizes[label] >= ISLAND]
        cells = [np.argwhere(labels == label)[0] for label in large]
        places = np.array(cells, np.float64).reshape(-1, 2)[:, ::-1]
        return np.asarray(validity.corner + validity.step * places)


class _Trees:
    """Shortest-path trees from the start to every node and from every node to the goal."""

    def __init__(self, roadmap: Roadmap, costs: Array) -> None:
        self._roadmap, count = roadmap, len(roadmap.places)
        graph = scipy_part("sparse").csr_matrix(
            (costs, (roadmap.edges[:, 0], roadmap.edges[:, 1])), shape=(count, count)
        )
        dijkstra = scipy_part("sparse.csgraph").dijkstra
        there, self._before = dijkstra(graph, indices=0, return_predecessors=True)
        back, self._after = dijkstra(graph.T.tocsr(), indices=1, return_predecessors=True)
        self.total: Array = there + back
        """Cost of the cheapest path through each node (n,)."""
        self._passed = self._signatures(there, self._before, 1)
        self._passed += self._signatures(back, self._after, -1)

    def _signatures(
        self, distance: Array, tree: npt.NDArray[np.int32], sign: int
    ) -> npt.NDArray[np.int64]:
        """Return the crossings (n, k) from a tree's root to each node; ``sign`` -1: reversed."""
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
        """Return the cheapest path of each homotopy class, up to ``longest`` times the cheapest."""
        near = np.flatnonzero(self.total <= longest * self.total[0])
        near = near[np.argsort(self.total[near], kind="stable")]
        paths: dict[bytes, npt.NDArray[np.int64]] = {}
        for place in near.tolist() if np.isfinite(self.total[0]) else ():
            key = self._passed[place].tobytes()
            if key not in paths:
                nodes = self._through(place)
                if len(set(nodes.tolist())) == len(nodes):  # without loops
                    paths[key] = nodes
        return paths

    def _through(self, via: int) -> npt.NDArray[np.int64]:
        """Return the nodes of the cheapest path from start to goal through node ``via``."""
        nodes = [via]
        while self._before[nodes[0]] >= 0:
            nodes.insert(0, int(self._before[nodes[0]]))
        while self._after[nodes[-1]] >= 0:
            nodes.append(int(self._after[nodes[-1]]))
        return np.array(nodes)


def _spread(validity: ValidityMap, count: int, seed: int) -> Array:
    """Return about ``count`` valid positions, evenly spread (n, 2), m."""
    share = float(validity.anywhere.mean())
    if share == 0:
        raise BadValue("roadmap: the robot cannot stand anywhere within these bounds")
    # Roberts' R2 low-discrepancy sequence.
    ratio = 1.324717957244746
    numbers = np.arange(round(count / share))[:, None]
    shift = np.random.default_rng([seed, 0x4D4150]).random(2)
    unit = (shift + numbers * np.array([1 / ratio, 1 / ratio**2])) % 1.0
    rows, columns = validity.height.shape
    places = validity.corner + unit * validity.step * np.array([columns - 1, rows - 1])
    row, column = validity.cells(places)
    return np.asarray(places[validity.anywhere[row, column]])


def _edges(validity: ValidityMap, places: Array) -> npt.NDArray[np.int64]:
    """Return the valid directed edges (m, 2) between nearest neighbours, as indices."""
    most = min(NEIGHBOURS + 1, len(places))
    _, near = scipy_part("spatial").cKDTree(places).query(places, k=most)
    one = np.repeat(np.arange(len(places)), most - 1)
    pairs = np.column_stack([one, near[:, 1:].ravel()])
    pairs = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
    return np.asarray(pairs[validity.are_segments_valid(places[pairs[:, 0]], places[pairs[:, 1]])])
