"""Monte Carlo localisation (cmos, sec. 5.2) from landmarks and odometry.

A particle is a pose (x, y, heading in the field's frame: m, rad). Particles are weighted by the
likelihood of each sighting and resampled. If the particles do not explain a landmark, a part of
them is replaced by poses that do (a variant of Lenser and Veloso's sensor resetting). The filter
therefore recovers from an unknown start, from wrong estimates and from a displaced robot.

The paper has no parameters of its filter; the values here are our own. The errors of sightings of
one landmark in images 40 ms apart are correlated, because lens, colour table and posture are the
same. A sighting therefore has the weight of a part of an independent one (`SensorModel.trust`).
Otherwise the filter would become overconfident.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, radians
from grouser.perception.landmarks import LandmarkSighting

_BEST_SHARE = 0.02  # share of particles that must explain a sighting
_FORGETTING_RATE = 0.2  # weight of the newest sighting in a landmark's mean likelihood
_LEAST_EXPLAINED = 0.3  # mean likelihood of the best particles below which particles are reset
_RESET_SHARE = 0.25  # share of particles that a reset replaces


@dataclass(frozen=True, kw_only=True)
class FieldMap:
    """Size of the field and positions of its landmarks."""

    landmarks: Mapping[str, tuple[float, float]]
    """Position x and y (m) of every landmark, by its name in sightings."""
    length: float
    """Size along x, m; the origin is in the middle."""
    width: float
    """Size along y, m."""


@dataclass(frozen=True, kw_only=True)
class SensorModel:
    """Error model of a sighting."""

    bearing_sigma: float = radians(2.0)
    """Standard deviation of a bearing, rad."""
    distance_sigma: float = 0.1
    """Standard deviation of the logarithm of a distance."""
    place_sigma: float = 0.05
    """Standard deviation of the lens position, m; it limits the weight of very near landmarks."""
    false_detection: float = 0.02
    """Probability of a false detection."""
    trust: float = 0.05
    """Weight of a sighting relative to an independent one, 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class MotionModel:
    """Error model of odometry, and process noise of resampling."""

    slip: float = 0.2
    """Relative standard deviation of a step and of a turn."""
    position_noise: float = 0.005
    """Position noise at each resampling, standard deviation, m."""
    heading_noise: float = radians(0.3)
    """Heading noise at each resampling, standard deviation, rad."""
    roughening: float = 0.2
    """Additional noise at each resampling, relative to the spread of the particles along their
    principal axes; it separates copies."""


@dataclass(frozen=True)
class PoseEstimate:
    """Mean pose and the credible interval of each coordinate."""

    pose: Array
    """Mean x, y (m) and heading (rad), (3,)."""
    low: Array
    """Lower ends of the intervals, (3,)."""
    high: Array
    """Upper ends of the intervals, (3,); the heading is unwrapped around its mean."""

    def holds(self, pose: Array) -> npt.NDArray[np.bool_]:
        """Return True for the coordinates of ``pose`` (3,) inside their intervals, (3,)."""
        near = np.array(pose, float)
        near[2] = self.pose[2] + wrap_angle(near[2] - self.pose[2])
        return (self.low <= near) & (near <= self.high)


class Localiser:
    """Particle filter for the pose of a robot on a known field.

    Args:
        field_map: positions of the landmarks.
        rng: source of all random numbers.
        count: number of particles.
        sensor: error model of sightings; None: defaults.
        motion: error model of odometry; None: defaults.
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
        """Particles (count, 3): x, y, heading; initially uniform on the field."""
        self._weights = np.zeros(count)  # logarithms
        self._share = np.full(count, 1 / count)
        self._explained: dict[str, float] = {}
        """Moving average of each landmark's likelihood among the best particles, 0 to 1."""

    def place(self, pose: Array, sigma: tuple[float, float, float]) -> None:
        """Draw the particles anew around a known pose, with standard deviations ``sigma``."""
        self.poses = pose + self._rng.normal(size=self.poses.shape) * sigma
        self._weights[:] = 0.0
        self._normalise_weights()
        self._explained = dict.fromkeys(self._map.landmarks, 1.0)

    def move(self, ahead: float, left: float, turn: float) -> None:
        """Move the particles by an odometry step: m in the axes before the step, and rad."""
        step = np.array([ahead, left, turn])
        noise = self._rng.normal(size=self.poses.shape) * self._motion.slip * np.abs(step)
        steps = step + noise
        cos, sin = np.cos(self.poses[:, 2]), np.sin(self.poses[:, 2])
        self.poses[:, 0] += cos * steps[:, 0] - sin * steps[:, 1]
        self.poses[:, 1] += sin * steps[:, 0] + cos * steps[:, 1]
        self.poses[:, 2] += steps[:, 2]

    def see(self, sightings: Sequence[LandmarkSighting]) -> None:
        """Weight the particles by the sightings of one image.

        The particles are resampled when the effective sample size is below half of their number.
        When they have not explained a landmark for several sightings, a part of them is reset to
        poses that explain it.
        """
        known = [s for s in sightings if s.name in self._map.landmarks]
        for sighting in known:
            likelihood = self._likelihood(sighting)
            self._weights += self._sensor.trust * np.log(likelihood)
            self._normalise_weights()
            if not self._explained:  # first sighting: the particles have no information yet
                self._reset_from(sighting, 1.0)
            elif self._is_unexplained(sighting, float(np.quantile(likelihood, 1 - _BEST_SHARE))):
                self._reset_from(sighting, _RESET_SHARE)
        if 1 / float(self._share @ self._share) < len(self.poses) / 2:
            self._resample()

    def estimate(self, share: float = 0.95) -> PoseEstimate:
        """Return the mean pose and per coordinate the central interval with ``share`` of weight."""
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
        """Return the likelihood of a sighting for each particle, (count,), at most 1."""
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
        return np.asarray(
            sensor.false_detection + (1 - sensor.false_detection) * np.exp(-0.5 * square)
        )

    def _resample(self) -> None:
        """Replace the particles by equally weighted ones: systematic resampling and noise."""
        count, motion = len(self.poses), self._motion
        steps = (np.arange(count) + self._rng.random()) / count
        chosen = np.searchsorted(np.cumsum(self._share), steps)
        self.poses = self.poses[np.minimum(chosen, count - 1)]
        self._weights[:] = 0.0
        self._normalise_weights()
        off = self.poses - self._mean()
        off[:, 2] = wrap_angle(off[:, 2])
        floor = np.diag([motion.position_noise, motion.position_noise, motion.heading_noise]) ** 2
        spread = motion.roughening**2 * (off.T @ off) / count + floor
        noise = self._rng.normal(size=self.poses.shape)
        self.poses = self.poses + noise @ np.linalg.cholesky(spread).T

    def _is_unexplained(self, sighting: LandmarkSighting, likelihood: float) -> bool:
        """Update a landmark's mean likelihood and return True if it is below the threshold."""
        before = self._explained.get(sighting.name, 1.0)
        self._explained[sighting.name] = before + _FORGETTING_RATE * (likelihood - before)
        return self._explained[sighting.name] < _LEAST_EXPLAINED

    def _reset_from(self, sighting: LandmarkSighting, part: float) -> None:
        """Replace a share of the particles by poses that explain a sighting."""
        self._resample()
        count = round(part * len(self.poses))
        where = self._rng.choice(len(self.poses), count, replace=False)
        self.poses[where] = self._poses_explaining(sighting, count)
        self._explained[sighting.name] = 1.0  # no further reset before new evidence

    def _poses_explaining(self, sighting: LandmarkSighting, count: int) -> Array:
        """Return poses on the field that are consistent with a sighting, (count, 3)."""
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
        # These are poses of the lens; the robot's origin is behind the lens.
        cos, sin = np.cos(poses[:, 2]), np.sin(poses[:, 2])
        ahead, left = sighting.eye
        poses[:, 0] -= cos * ahead - sin * left
        poses[:, 1] -= sin * ahead + cos * left
        return poses

    def _random_poses(self, count: int) -> Array:
        half = np.array([self._map.length / 2, self._map.width / 2, math.pi])
        return self._rng.uniform(-half, half, (count, 3))

    def _mean(self) -> Array:
        """Return the weighted mean pose, (3,), with the circular mean of the heading."""
        x, y, turn = self.poses.T
        share = self._share
        heading = math.atan2(share @ np.sin(turn), share @ np.cos(turn))
        return np.array([share @ x, share @ y, heading])

    def _normalise_weights(self) -> None:
        """Compute the normalised weights from the logarithms."""
        share = np.exp(self._weights - self._weights.max())
        self._share = share / share.sum()


def wrap_angle(angle: Array) -> Array:
    """Return angles (rad) wrapped to the interval from -pi to pi."""
    return np.asarray((angle + math.pi) % (2 * math.pi) - math.pi)


def _quantiles(values: Array, weights: Array, share: float) -> tuple[float, float]:
    """Return the ends of the central interval with ``share`` of the weight."""
    order = np.argsort(values)
    ladder = np.cumsum(weights[order])
    beside = (1 - share) / 2
    low, high = np.searchsorted(ladder, [beside, 1 - beside])
    return float(values[order[low]]), float(values[order[min(high, len(order) - 1)]])
