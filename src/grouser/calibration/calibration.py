"""Calibration: which parameters let the simulation follow a given log best, and how surely.

The world is run with many sets of the free `grouser.calibration.parameters`, in batches
(`grouser.trials.threads`); each run is compared with the log at its best clock offset
(`grouser.evaluation.log_fit`), and `grouser.calibration.gauss_newton` goes down to the least
loss. Noise is what is left over at the end: a robust standard deviation of x, z and pitch, and how
many neighbouring samples say the same.

Then each parameter is led through its whole plausible range while the others give way as the
curvature tells them. Values whose loss rises by less than noise explains are the interval: by four
(95 % of one parameter) times that correlation, and by what losses of neighbours differ because the
simulator is rough. It is widened by how much the result scatters when simulations count at random.
What an interval says is in `grouser.calibration.finding`. Nothing ever leaves the plausible range.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.calibration import gauss_newton
from grouser.calibration.finding import Finding, interval, judge
from grouser.calibration.parameters import Parameter, parameters_named
from grouser.errors import BadValue
from grouser.evaluation.log_fit import (
    CHANNELS,
    LogAlignment,
    LogFit,
    correlation,
    fit_log,
    loss,
    scales_of,
    standard_loss,
)
from grouser.evaluation.trajectory import Trajectory
from grouser.frames import Array, degrees, millimetres, radians, to_rpy
from grouser.simulation.schedule import generator
from grouser.trials import threads
from grouser.trials.trial import Outcome, Trial
from grouser.world.file import World

SAMPLE_EVERY = 0.02
"""Simulated seconds between two samples of a simulated trajectory."""
LATE = 0.5
"""The log may begin so long after its robot was let go, s; before that, up to half its length."""
SCALES = np.array([0.005, 0.005, radians(0.5)])
"""How x, z (m) and pitch (rad) count against each other before the noise is known."""
FLOOR = np.array([2e-4, 2e-4, radians(0.02)])
"""Noise is never taken to be less: logs have digits, and simulators are rough."""
CEILING = 20 * SCALES
"""… nor more: a bad fit is not noise."""
ALIKE = 5
"""Neighbouring samples that share an estimate of how rough the simulator is there; odd."""
SPREAD, NARROW = 8, 6
"""Simulations per parameter: all over the range at first, and in each narrower round."""
RISE = 4.0
"""Of the loss, beyond which a value is excluded (95 %, one parameter)."""
PROFILE = 8
"""Values of each parameter, end to end, at which the loss is profiled."""
FEWEST = 12
"""Samples that a log must have."""

Progress = Callable[[str, int, int], None]
"""Called with what is being done, simulations finished and, about, all."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Calibration:
    """What a log tells."""

    findings: tuple[Finding, ...]
    real: Trajectory
    """The log, cleaned."""
    before: Trajectory
    """Simulated with the start values."""
    after: Trajectory
    """Simulated with the values of the best fit."""
    at_start: LogFit
    at_end: LogFit
    noise: Mapping[str, float]
    """Standard deviation of what is left over: x and z in m, pitch in rad."""
    correlation: float
    """How many neighbouring samples of that say the same."""
    simulations: int
    """That were run."""
    notes: tuple[str, ...]
    """What was wrong with the log, and whatever else a user should know."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain values, without the trajectories."""
        return {
            "parameters": {f.parameter.name: f.to_json() for f in self.findings},
            "offset_s": self.at_end.offset,
            "shift_m": list(self.at_end.shift),
            "left_over": {
                "x_mm": millimetres(self.noise["x"]),
                "z_mm": millimetres(self.noise["z"]),
                "pitch_deg": degrees(self.noise["pitch"]),
                "correlation": self.correlation,
            },
            "samples": len(self.real),
            "simulations": self.simulations,
            "notes": list(self.notes),
        }


def calibrate(
    log: Trajectory,
    world: World,
    robot: str,
    free: Sequence[str],
    *,
    align: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> Calibration:
    """Find the values of the parameters ``free`` with which ``robot`` follows ``log`` best.

    Args:
        log: as recorded; other rates, gaps and a clock of its own are allowed.
        world: in which the same was done, with the same commands.
        robot: its name there.
        free: keys of `PARAMETERS`.
        align: the log's x and z are measured from an unknown place.
        seed: of the first spread of values.
        progress: told about finished simulations.

    Raises:
        BadValue: the log or a start value is unusable.
        UnknownName: there is no such parameter or robot.
    """
    return _Fit(
        log, world, robot, parameters_named(list(free)), align, seed, progress
    ).calibration()


def trajectory(outcome: Outcome) -> Trajectory:
    """Return the way of the robot that a trial watched."""
    x, z, pitch = outcome.positions[:, 0], outcome.positions[:, 2], to_rpy(outcome.wxyz)[:, 1]
    return Trajectory(outcome.times, x, z, pitch)


class _Fit:
    """Everything that was run for one log."""

    def __init__(
        self,
        log: Trajectory,
        world: World,
        robot: str,
        free: tuple[Parameter, ...],
        align: bool,
        seed: int,
        progress: Progress | None,
    ) -> None:
        self.real = _usable(log)
        self.notes = list(log.faults())
        self.world, self.robot, self.free, self.seed = world, robot, free, seed
        self.low = np.array([parameter.low for parameter in free])
        self.wide = np.array([parameter.high for parameter in free]) - self.low
        self.starts = np.array([parameter.start(world, robot) for parameter in free])
        self.alignment = LogAlignment(earliest=-self.real.duration / 2, latest=LATE, align=align)
        self.scales = np.repeat(10 * SCALES[:, None], len(self.real), axis=1)
        self.rough = np.zeros_like(self.scales)
        self.points: list[Array] = []
        self.runs: list[Trajectory] = []
        self._progress, self._doing = progress, ""
        wide = SPREAD + gauss_newton.ROUNDS * NARROW + PROFILE
        self._about = wide * len(free) + 3 * (2 * len(free) + 1) + 2

    # -- running -----------------------------------------------------------------------------

    def run(self, points: Array) -> None:
        """Simulate ``points`` (m, p) of the unit box at once."""
        done = len(self.runs)

        def tell(finished: int, _: int) -> None:
            if self._progress:
                now = done + finished
                self._progress(self._doing, now, max(self._about, now))

        trials = [self._trial(point) for point in points]
        outcomes = threads.run_trials(trials, sample_period=SAMPLE_EVERY, progress=tell)
        for point, outcome in zip(points, outcomes, strict=True):
            if not len(outcome.times):
                raise BadValue(f"calibrate: '{self.world.name}' diverges at once at {point}")
            self.points.append(point)
            self.runs.append(trajectory(outcome))

    def _trial(self, point: Array) -> Trial:
        world = self.world
        for parameter, value in zip(self.free, self.low + point * self.wide, strict=True):
            world = parameter.applied(world, self.robot, float(value))
        limit = self.real.duration + LATE
        return Trial(world=world, robot=self.robot, limit=limit, tipped_beyond=math.inf)

    # -- looking -----------------------------------------------------------------------------

    def following(self, number: int) -> LogFit:
        """Return how run ``number`` follows the log."""
        return fit_log(self.real, self.runs[number], self.scales, self.alignment)

    def evaluated(self) -> tuple[Array, Array, Array]:
        """Return all points, their residuals in scales and their losses.

        Scales are first taken anew from the best of them.
        """
        self.measure()
        raw = [self.following(i).residuals for i in range(len(self.runs))]
        residuals = np.stack([(r / self.scales).ravel() for r in raw])
        return np.stack(self.points), residuals, np.array([loss(r, self.scales) for r in raw])

    def measure(self) -> None:
        """Take the scales from what the best run leaves over."""
        left = self.following(self.best()).residuals
        self.scales = scales_of(left, self.rough, FLOOR, CEILING)

    def note_roughness(self, rough: Array) -> None:
        """Take note how far simulations scatter, in scales (n,); neighbours in time share it."""
        size = (rough.reshape(self.scales.shape) * self.scales) ** 2
        window = np.ones(ALIKE) / ALIKE
        padded = np.pad(size, ((0, 0), (ALIKE // 2, ALIKE // 2)), mode="edge")
        self.rough = np.sqrt([np.convolve(row, window, mode="valid") for row in padded])

    def losses(self) -> Array:
        """Return the loss of every run, (m,)."""
        return np.array(
            [loss(self.following(i).residuals, self.scales) for i in range(len(self.runs))]
        )

    def best(self) -> int:
        """Return the run of least loss."""
        return int(self.losses().argmin())

    # -- concluding --------------------------------------------------------------------------

    def calibration(self) -> Calibration:
        """Search, profile and conclude."""
        self._doing = "spreading out"
        start = (self.starts - self.low) / self.wide
        rng = generator(self.seed, "calibrate")
        size = len(self.free)
        self.run(np.vstack([start, gauss_newton.latin_hypercube(SPREAD * size, size, rng)]))
        self._doing = "narrowing down"
        for _ in range(gauss_newton.ROUNDS):
            points, _, losses = self.evaluated()
            self.run(gauss_newton.cross_entropy_round(points, losses, NARROW * size, rng))
        begin = self.points[self.best()]
        for _ in range(2):
            self._doing = "closing in"
            lowest, plane = gauss_newton.descend(begin, self)
            self._doing = "profiling"
            chosen, profiles = self._profile(lowest, plane)
            noise = RISE * self._alike(chosen) + self._jitter(chosen)
            losses = self.losses()
            if losses.min() > losses[chosen] - noise:
                break
            begin = self.points[int(losses.argmin())]  # the profile found a deeper place
        return self._conclude(chosen, profiles, noise)

    def _alike(self, number: int) -> float:
        return correlation(self.following(number).residuals / self.scales)

    def _jitter(self, number: int) -> float:
        """Return by how much losses near a run differ because the simulator is rough."""
        points, residuals, losses = self.evaluated()
        near = np.abs(points - points[number]).max(axis=1) < gauss_newton.WIDEST / 2
        ours = gauss_newton.fit_residuals(
            points, residuals, points[number], gauss_newton.WIDEST / 2
        )
        off = losses[near] - [standard_loss(ours.at_point(point)) for point in points[near]]
        return 1.4826 * float(np.median(np.abs(off - np.median(off))))

    def _profile(
        self, lowest: Array, plane: gauss_newton.ResidualPlane
    ) -> tuple[int, list[list[int]]]:
        """Run ``lowest`` and each parameter's whole range; return the runs' numbers."""
        information = plane.information() + RISE * np.eye(len(lowest))  # nobody leaves the range
        covariance = np.linalg.inv(information)
        first = len(self.runs)
        batch, profiles = [lowest], []
        for j in range(len(lowest)):
            values = np.linspace(0.0, 1.0, PROFILE)
            values = values[np.abs(values - lowest[j]) > 0.02]
            along = lowest + np.outer(values - lowest[j], covariance[:, j] / covariance[j, j])
            along[:, j] = values
            profiles.append(list(range(first + len(batch), first + len(batch) + len(along))))
            batch.extend(np.clip(along, 0.0, 1.0))
        self.run(np.stack(batch))
        self.measure()
        losses = self.losses()
        # The plane's lowest point is trusted unless a run was clearly better: both are rough.
        better = int(losses.argmin())
        limit = RISE * self._alike(first)
        return (first if losses[first] - losses[better] < limit else better), profiles

    def _conclude(self, chosen: int, profiles: list[list[int]], noise: float) -> Calibration:
        losses = self.losses()
        points, residuals, _ = self.evaluated()
        rng = generator(self.seed, "roughness")
        unsure = 2 * gauss_newton.bootstrap_deviation(points, residuals, points[chosen], rng)
        findings = tuple(
            self._finding(j, chosen, [chosen, *profile], losses / noise, float(unsure[j]))
            for j, profile in enumerate(profiles)
        )
        left = self.following(chosen)
        if (
            left.offset <= self.alignment.earliest + 0.01
            or left.offset >= self.alignment.latest - 0.01
        ):
            self.notes.append(
                f"the clock's offset is at the end of what is tried ({left.offset:.2f} s): "
                "cut the log so that it begins with the run"
            )
        return Calibration(
            findings=findings,
            real=self.real,
            before=self.runs[0],
            after=self.runs[chosen],
            at_start=self.following(0),
            at_end=left,
            noise=dict(zip(CHANNELS, left.residuals.std(axis=1).tolist(), strict=True)),
            correlation=self._alike(chosen),
            simulations=len(self.runs),
            notes=tuple(self.notes),
        )

    def _finding(
        self, j: int, chosen: int, profile: list[int], losses: Array, unsure: float
    ) -> Finding:
        """Conclude on parameter ``j``; losses are in rises that noise explains."""
        parameter, best = self.free[j], float(self.points[chosen][j])
        profile.sort(key=lambda number: float(self.points[number][j]))
        at = np.array([self.points[number][j] for number in profile])
        rises = np.clip(losses[profile] - losses[chosen], 0.0, None)
        low, high = interval(at, rises, best)
        low = max(0.0, best - math.hypot(best - low, unsure))
        high = min(1.0, best + math.hypot(high - best, unsure))
        verdict = judge(low, high, best)
        value = best
        if verdict == "cannot be told":
            value = float(np.clip((self.starts[j] - self.low[j]) / self.wide[j], low, high))
        real = [float(self.low[j] + u * self.wide[j]) for u in (value, low, high)]
        return Finding(
            parameter=parameter,
            start=float(self.starts[j]),
            value=real[0],
            low=real[1],
            high=real[2],
            verdict=verdict,
            values=self.low[j] + at * self.wide[j],
            rises=rises,
        )


def _usable(log: Trajectory) -> Trajectory:
    """Return the log cleaned, if there is enough of it and the robot moves."""
    clean = log.clean()
    if len(clean) < FEWEST:
        raise BadValue(f"calibrate: the log has {len(clean)} samples, at least {FEWEST} are needed")
    if not clean.duration > 0:
        raise BadValue("calibrate: the log has no duration")
    return clean
