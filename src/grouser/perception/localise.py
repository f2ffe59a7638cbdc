"""Where the robot is: Monte Carlo localisation (cmos, sec. 5.2) from landmarks and odometry.

A cloud of poses (x, y, heading in the field's frame: m, rad) stands for what the robot believes.
Each pose is weighed by how well it explains a sighting; heavy ones multiply, light ones vanish. A
cloud that does not explain some landmark starts over, in part, from where that one is seen (a kind
of Lenser and Veloso's sensor resetting), so that a robot which knows nothing, is mistaken or is
carried away finds itself again.

The paper gives no numbers of its filter; these are ours. Sightings of one landmark in pictures
40 ms apart err alike: lens, colour table and posture are the same. So a sighting counts only for a
part of an independent one (`SensorModel.trust`); else the cloud would be sure of what is merely
repeated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, radians
from grouser.perception.landmarks import LandmarkSighting

_BEST_SHARE = 0.02  # part of a cloud that must explain what is seen; the rest may be unsure
_FORGETTING_RATE = 0.2  # weight of the newest sighting of a landmark in how well it is explained
_LEAST_EXPLAINED = (
    0.3  # a landmark that the best explain less well than this, on average, is not explained
)
_RESET_SHARE = 0.25  # part of a cloud that then starts over from it


@dataclass(frozen=True, kw_only=True)
class FieldMap:
    """The size of the field and where its landmarks are."""

    landmarks: Mapping[str, tuple[float, float]]
    """x and y (m) of every landmark, by the name its sightings have."""
    length: float
    """Size along x, m; the origin is the middle."""
    width: float
    """Size along y, m."""


@dataclass(frozen=True, kw_only=True)
class SensorModel:
    """How wrong a sighting may be."""

    bearing_sigma: float = radians(2.0)
    """rad."""
    distance_sigma: float = 0.1
    """Of the logarithm of a distance."""
    place_sigma: float = 0.05
    """Of where the lens is, m: a landmark so near that this shows must not decide all alone."""
    mistaken: float = 0.02
    """How likely it is something else altogether."""
    trust: float = 0.05
    """Which part of an independent sighting one counts for, 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class MotionModel:
    """How wrong odometry may be; and a little unrest even of a robot that stands."""

    slip: float = 0.2
    """Error of a step and a turn, of their size."""
    unrest: float = 0.005
    """m, each time the cloud is drawn anew."""
    unrest_turn: float = radians(0.3)
    """rad, each time the cloud is drawn anew."""
    roughening: float = 0.2
    """More unrest then, of the cloud's own spread along its own axes: copies must part."""


@dataclass(frozen=True)
class PoseEstimate:
    """A cloud's mean pose, and per coordinate the division that holds most of it."""

    pose: Array
    """Mean x, y (m) and heading (rad), (3,)."""
    low: Array
    """Lower ends of the three divisions, (3,)."""
    high: Array
    """Upper ends, (3,); of the heading, unwrapped around its mean."""

    def holds(self, pose: Array) -> npt.NDArray[np.bool_]:
        """Return which coordinates of ``pose`` (3,) are inside their division, (3,)."""
        near = np.array(pose, float)
        near[2] = self.pose[2] + wrap_angle(near[2] - self.pose[2])
        return (self.low <= near) & (near <= self.high)


class Localiser:
    """A particle filter: a weighed cloud of poses on a known field.

    Args:
        field_map: where landmarks are.
        rng: decides everything random.
        count: poses in the cloud.
        sensor: how wrong sightings may be; None: the standard.
        motion: how wrong odometry may be; None: the standard.
    """

    def __init__(
        self,
        field_map: FieldMap,
        rng: np.random.Generator,
        *,
        count: int = 1000,
        sensor: SensorModel | None = None,
        motion: MotionModel | None = None,
    ) -> None:
        self._map, self._rng = field_map, rng
        self._sensor, self._motion = sensor or SensorModel(), motion or MotionModel()
        self.poses = self._random_poses(count)
        """(count, 3): x, y, heading; at first anywhere on the field."""
        self._weights = np.zeros(count)  # logarithms
        self._share = np.full(count, 1 / count)
        self._explained: dict[str, float] = {}
        """How likely the best poses have found each landmark lately, 0 to 1."""

    def move(self, ahead: float, left: float, turn: float) -> None:
        """Take a step of the robot into account: m in its own axes before it, and rad."""
        step = np.array([ahead, left, turn])
        noise = self._rng.normal(size=self.poses.shape) * self._motion.slip * np.abs(step)
        steps = step + noise
        cos, sin = np.cos(self.poses[:, 2]), np.sin(self.poses[:, 2])
        self.poses[:, 0] += cos * steps[:, 0] - sin * steps[:, 1]
        self.poses[:, 1] += sin * steps[:, 0] + cos * steps[:, 1]
        self.poses[:, 2] += steps[:, 2]

    def see(self, sightings: Sequence[LandmarkSighting]) -> None:
        """Weigh the cloud by what was seen in one picture.

        It is drawn anew when few poses bear all the weight. When it has not explained a landmark
        for some sightings, however well it explains others, a part of it starts over from that.
        """
        known = [s for s in sightings if s.name in self._map.landmarks]
        for sighting in known:
            likelihood = self._likelihood(sighting)
            self._weights += self._sensor.trust * np.log(likelihood)
            self._normalise_weights()
            if not self._explained:  # the first of all: the cloud knows nothing yet
                self._reset_from(sighting, 1.0)
            elif self._is_unexplained(sighting, float(np.quantile(likelihood, 1 - _BEST_SHARE))):
                self._reset_from(sighting, _RESET_SHARE)
        if 1 / float(self._share @ self._share) < len(self.poses) / 2:
            self._resample()

    def estimate(self, share: float = 0.95) -> PoseEstimate:
        """Return the cloud's mean, and per coordinate the division that holds ``share`` of it."""
        weights, mean = self._share, self._mean()
        off = self.poses - mean
        off[:, 2] = wrap_angle(off[:, 2])
        ends = [_quantiles(off[:, i], weights, share) for i in range(3)]
        return PoseEstimate(
            mean,
            mean + np.array([low for low, _ in ends]),
            mean + np.array([high for _, high in ends]),
        )

    def _likelihood(self, sighting: LandmarkSighting) -> Array:
        """Return how well each pose explains a sighting, (count,), at most 1."""
        x, y, turn = self.poses.T
        cos, sin = np.cos(turn), np.sin(turn)
        ahead, left = sighting.eye
        there = self._map.landmarks[sighting.name]
        dx = there[0] - (x + cos * ahead - sin * left)
        dy = there[1] - (y + sin * ahead + cos * left)
        far = np.maximum(np.hypot(dx, dy), 1e-3)
        sensor, blur = self._sensor, (self._sensor.place_sigma / far) ** 2
        off = wrap_angle(np.arctan2(dy, dx) - turn - sighting.bearing)
        square = off**2 / (sensor.bearing_sigma**2 + blur)
        if sighting.distance is not None:
            square += np.log(far / sighting.distance) ** 2 / (sensor.distance_sigma**2 + blur)
        return np.asarray(sensor.mistaken + (1 - sensor.mistaken) * np.exp(-0.5 * square))

    def _resample(self) -> None:
        """Draw a cloud of equal weights: systematic resampling, and a little unrest."""
        count, motion = len(self.poses), self._motion
        steps = (np.arange(count) + self._rng.random()) / count
        chosen = np.searchsorted(np.cumsum(self._share), steps)
        self.poses = self.poses[np.minimum(chosen, count - 1)]
        self._weights[:] = 0.0
        self._normalise_weights()
        off = self.poses - self._mean()
        off[:, 2] = wrap_angle(off[:, 2])
        floor = np.diag([motion.unrest, motion.unrest, motion.unrest_turn]) ** 2
        spread = motion.roughening**2 * (off.T @ off) / count + floor
        noise = self._rng.normal(size=self.poses.shape)
        self.poses = self.poses + noise @ np.linalg.cholesky(spread).T

    def _is_unexplained(self, sighting: LandmarkSighting, likelihood: float) -> bool:
        """Return whether a landmark has not been where the best poses would have it for a while."""
        before = self._explained.get(sighting.name, 1.0)
        self._explained[sighting.name] = before + _FORGETTING_RATE * (likelihood - before)
        return self._explained[sighting.name] < _LEAST_EXPLAINED

    def _reset_from(self, sighting: LandmarkSighting, part: float) -> None:
        """Replace a part of the cloud by poses that explain a sighting."""
        self._resample()
        count = round(part * len(self.poses))
        where = self._rng.choice(len(self.poses), count, replace=False)
        self.poses[where] = self._poses_explaining(sighting, count)
        self._explained[sighting.name] = 1.0  # give the new ones a chance

    def _poses_explaining(self, sighting: LandmarkSighting, count: int) -> Array:
        """Return poses on the field from which a landmark is seen as it was, (count, 3)."""
        sensor, rng = self._sensor, self._rng
        poses = self._random_poses(count)
        there = np.array(self._map.landmarks[sighting.name])
        if sighting.distance is not None:
            way = rng.uniform(-math.pi, math.pi, count)
            far = sighting.distance * np.exp(sensor.distance_sigma * rng.normal(size=count))
            ring = there + far[:, None] * np.stack([np.cos(way), np.sin(way)], axis=1)
            inside = (np.abs(ring) < [self._map.length / 2, self._map.width / 2]).all(axis=1)
            poses[inside, :2] = ring[inside]
        to = there - poses[:, :2]
        noise = sensor.bearing_sigma * rng.normal(size=count)
        poses[:, 2] = wrap_angle(np.arctan2(to[:, 1], to[:, 0]) - sighting.bearing + noise)
        # So far it is the lens that is there: the robot is behind it.
        cos, sin = np.cos(poses[:, 2]), np.sin(poses[:, 2])
        ahead, left = sighting.eye
        poses[:, 0] -= cos * ahead - sin * left
        poses[:, 1] -= sin * ahead + cos * left
        return poses

    def _random_poses(self, count: int) -> Array:
        half = np.array([self._map.length / 2, self._map.width / 2, math.pi])
        return self._rng.uniform(-half, half, (count, 3))

    def _mean(self) -> Array:
        """Return the mean pose, (3,); of the heading, the mean direction."""
        x, y, turn = self.poses.T
        share = self._share
        heading = math.atan2(share @ np.sin(turn), share @ np.cos(turn))
        return np.array([share @ x, share @ y, heading])

    def _normalise_weights(self) -> None:
        """Bring the poses' shares of the whole weight up to date."""
        share = np.exp(self._weights - self._weights.max())
        self._share = share / share.sum()


def wrap_angle(angle: Array) -> Array:
    """Return angles (rad) between -pi and pi."""
    return np.asarray((angle + math.pi) % (2 * math.pi) - math.pi)


def _quantiles(values: Array, weights: Array, share: float) -> tuple[float, float]:
    """Return where the middle ``share`` of weighed values begins and ends."""
    order = np.argsort(values)
    ladder = np.cumsum(weights[order])
    beside = (1 - share) / 2
    low, high = np.searchsorted(ladder, [beside, 1 - beside])
    return float(values[order[low]]), float(values[order[min(high, len(order) - 1)]])
