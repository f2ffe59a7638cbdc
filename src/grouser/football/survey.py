"""Pose from landmarks that were seen within a few seconds, without any earlier estimate.

A particle filter with a few hundred particles rarely recovers once it is far from the truth. A
robot that looks around has several bearings and distances from nearly the same place; the pose that
explains them best is searched among random poses and refined.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from grouser.football.own_motion import Step
from grouser.frames import Array, radians
from grouser.perception.landmarks import LandmarkSighting
from grouser.perception.localise import FieldMap, wrap_angle

MEMORY = 4.0
"""Time for which sightings are stored, s."""
CANDIDATES, MODES, DRAWS, ROUNDS = 3000, 8, 40, 9
DIFFERENCE = 0.35, radians(30.0)  # m, rad   between two explanations of the sightings
MARGIN = 5.0
"""Smallest difference of the costs (squared standard deviations) of the best two explanations."""
BEARING_SIGMA, DISTANCE_SIGMA = radians(3.0), 0.15
WORST = 3.0
"""Largest error of a sighting that counts, in standard deviations: posts may be hidden."""
FIT = 1.4
"""Largest root mean square of the errors of an accepted pose, in standard deviations."""
SPREAD = (0.2, 0.2, 0.25)
"""First spread of the refinement, m, m, rad."""


@dataclass(frozen=True)
class _Stored:
    time: float
    sighting: LandmarkSighting
    odometry: Array
    """Pose by odometry at that time, (3,)."""


class FieldSurvey:
    """Sightings of the last seconds, and the pose that explains them."""

    def __init__(self, field_map: FieldMap, rng: np.random.Generator) -> None:
        self._map, self._rng = field_map, rng
        self._odometry = np.zeros(3)
        self._stored: dict[str, _Stored] = {}

    def clear(self) -> None:
        """Forget all sightings: the robot was moved."""
        self._stored.clear()

    def move(self, step: Step) -> None:
        """Register an odometry step."""
        ahead, left, turn = step
        heading = self._odometry[2]
        cos, sin = math.cos(heading), math.sin(heading)
        self._odometry += (cos * ahead - sin * left, sin * ahead + cos * left, turn)

    def see(self, sightings: list[LandmarkSighting], time: float) -> None:
        """Store the sightings of one picture; the newest of each landmark counts."""
        for sighting in sightings:
            if sighting.name in self._map.landmarks:
                self._stored[sighting.name] = _Stored(time, sighting, self._odometry.copy())
        old = [name for name, each in self._stored.items() if time - each.time > MEMORY]
        for name in old:
            del self._stored[name]

    def pose(self) -> Array | None:
        """Return x, y (m) and heading (rad) in the field's frame; None: too little was seen."""
        if not self._is_sufficient():
            return None
        half = np.array([self._map.length / 2, self._map.width / 2, math.pi])
        poses = self._rng.uniform(-half, half, (CANDIDATES, 3))
        modes = [self._refine(seed) for seed in self._seeds(poses)]
        modes.sort(key=lambda mode: mode[1])
        best, cost = modes[0]
        rivals = [other for pose, other in modes[1:] if _differ(pose, best)]
        if rivals and min(rivals) - cost < MARGIN:
            return None
        if math.sqrt(cost / self._count) > FIT or (np.abs(best) > half + 0.15)[:2].any():
            return None
        best[2] = wrap_angle(best[2])
        return best

    def _seeds(self, poses: Array) -> list[Array]:
        """Return the best poses that differ from each other."""
        seeds: list[Array] = []
        for number in np.argsort(self._costs(poses)):
            if all(_differ(poses[number], seed) for seed in seeds):
                seeds.append(poses[number])
                if len(seeds) == MODES:
                    break
        return seeds

    def _refine(self, pose: Array) -> tuple[Array, float]:
        """Return the best pose near a pose, and its cost."""
        spread = np.array(SPREAD)
        for _ in range(ROUNDS):
            poses = pose + self._rng.normal(size=(DRAWS, 3)) * spread
            poses[0] = pose
            costs = self._costs(poses)
            least = int(np.argmin(costs))
            pose, cost = poses[least], float(costs[least])
            spread = 0.65 * spread
        return pose, cost

    @property
    def _count(self) -> int:
        """Number of measured bearings and distances."""
        return sum(1 + (each.sighting.distance is not None) for each in self._stored.values())

    def _is_sufficient(self) -> bool:
        """Return True if the sightings fix a pose: two beacons, or one and two other bearings."""
        seen = [each.sighting for each in self._stored.values()]
        measured = sum(one.distance is not None for one in seen)
        return measured >= 2 or (measured >= 1 and len(seen) >= 3)

    def _costs(self, poses: Array) -> Array:
        """Return the sum of the squared errors of the sightings from each pose, (n,)."""
        total = np.zeros(len(poses))
        for each in self._stored.values():
            # The pose at the time of the sighting, by odometry backwards from the present one.
            back = self._odometry - each.odometry
            cos0, sin0 = math.cos(self._odometry[2]), math.sin(self._odometry[2])
            dx, dy = cos0 * back[0] + sin0 * back[1], -sin0 * back[0] + cos0 * back[1]
            cos, sin = np.cos(poses[:, 2]), np.sin(poses[:, 2])
            x, y = poses[:, 0] - cos * dx + sin * dy, poses[:, 1] - sin * dx - cos * dy
            heading = poses[:, 2] - back[2]
            ahead, left = each.sighting.eye
            cos, sin = np.cos(heading), np.sin(heading)
            there = self._map.landmarks[each.sighting.name]
            ex = there[0] - (x + cos * ahead - sin * left)
            ey = there[1] - (y + sin * ahead + cos * left)
            off = wrap_angle(np.arctan2(ey, ex) - heading - each.sighting.bearing) / BEARING_SIGMA
            total += np.minimum(off * off, WORST**2)
            if each.sighting.distance is not None:
                far = np.maximum(np.hypot(ex, ey), 1e-3)
                log = np.log(far / each.sighting.distance) / DISTANCE_SIGMA
                total += np.minimum(log * log, WORST**2)
        return total


def _differ(one: Array, other: Array) -> bool:
    """Return True if two poses are different explanations."""
    turned = abs(float(wrap_angle(np.array(one[2] - other[2]))))
    return math.dist(one[:2], other[:2]) > DIFFERENCE[0] or turned > DIFFERENCE[1]
