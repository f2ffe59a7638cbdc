"""Calibration: parameter values with which the simulation best follows a log, with intervals.

The world is simulated with many sets of the free `grouser.calibration.parameters`, in batches
(`grouser.trials.runner`). Each run is compared with the log at its best clock offset
(`grouser.evaluation.log_fit`), and `grouser.calibration.gauss_newton` minimises the loss. The noise
is estimated from the residuals of the best run: a robust standard deviation of x, z and pitch, and
the number of neighbouring samples that are correlated.

Then the loss is profiled: each parameter is moved through its plausible range while the others
follow the curvature of the loss. The interval contains the values whose loss rises by less than the
noise explains: four (95 %, one parameter) times the correlation, plus the scatter of losses of
neighbouring simulations. It is widened by the bootstrap deviation of the result. `Finding`
interprets the interval. Parameters never leave their plausible ranges.

`synthetic_log` simulates a log with known parameters, to test whether a manoeuvre determines them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.calibration import gauss_newton
from grouser.calibration.parameters import Finding, Parameter, interval, judge, parameters_named
from grouser.errors import BadValue
from grouser.evaluation.log_fit import (
    CHANNELS,
    LogAlignment,
    LogFit,
    correlation,
    fit_log,
    loss,
    residual_scales,
    standard_loss,
)
from grouser.evaluation.trajectory import Trajectory
from grouser.frames import Array, degrees, millimetres, radians, to_rpy
from grouser.simulation.schedule import generator
from grouser.trials.runner import RunnerChoice, find_runner, run_trials
from grouser.trials.trial import Outcome, Trial
from grouser.world.file import World

SAMPLE_EVERY = 0.02
"""Sample period of simulated trajectories, s."""
LATE = 0.5
"""Latest start of the log after the start of the run, s; the earliest is minus half its length."""
SCALES = np.array([0.005, 0.005, radians(0.5)])
"""Weights of x, z (m) and pitch (rad) before the noise is estimated."""
FLOOR = np.array([2e-4, 2e-4, radians(0.02)])
"""Lower limit of the noise: resolution of logs and roughness of the simulator."""
CEILING = 20 * SCALES
"""Upper limit of the noise: a bad fit is not noise."""
ALIKE = 5
"""Window of neighbouring samples over which roughness is averaged; odd."""
SPREAD, NARROW = 8, 6
"""Simulations per parameter: over the whole range at first, and in each narrower round."""
RISE = 4.0
"""Rise of the loss beyond which a value is excluded (95 %, one parameter)."""
PROFILE = 8
"""Values of each parameter, end to end, at which the loss is profiled."""
FEWEST = 12
"""Smallest number of samples of a log."""

Progress = Callable[[str, int, int], None]
"""Called with the current stage, finished simulations and the approximate total."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Calibration:
    """Result of a calibration."""

    findings: tuple[Finding, ...]
    real: Trajectory
    """Cleaned log."""
    before: Trajectory
    """Simulation with the start values."""
    after: Trajectory
    """Simulation with the values of the best fit."""
    at_start: LogFit
    at_end: LogFit
    noise: Mapping[str, float]
    """Standard deviation of the residuals: x and z in m, pitch in rad."""
    correlation: float
    """Number of neighbouring samples whose residuals are correlated."""
    simulations: int
    """Number of simulations."""
    notes: tuple[str, ...]
    """Faults of the log, and other notes."""

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
    runner: RunnerChoice = None,
    progress: Progress | None = None,
) -> Calibration:
    """Estimate the parameters ``free`` with which ``robot`` follows ``log`` best.

    Args:
        log: log of the real robot; any rate, gaps and clock offset are allowed.
        world: world with the same manoeuvre and the same commands.
        robot: name of the robot in the world.
        free: keys of `PARAMETERS`.
        align: the log's x and z have an unknown origin.
        seed: seed of the first samples.
        runner: runner of the simulations, or its name; None: threads, one per core.
        progress: called for each finished simulation.

    Raises:
        BadValue: the log or a start value is unusable.
        UnknownName: there is no such parameter or robot.
    """
    return _Fit(
        log, world, robot, parameters_named(list(free)), align, seed, runner, progress
    ).calibration()


def trajectory(outcome: Outcome) -> Trajectory:
    """Return the trajectory of a trial's robot."""
    x, z, pitch = outcome.positions[:, 0], outcome.positions[:, 2], to_rpy(outcome.wxyz)[:, 1]
    return Trajectory(outcome.times, x, z, pitch)


class _Fit:
    """All simulations for one log."""

    def __init__(
        self,
        log: Trajectory,
        world: World,
        robot: str,
        free: tuple[Parameter, ...],
        align: bool,
        seed: int,
        runner: RunnerChoice,
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
        self._runner, self._progress, self._doing = find_runner(runner), progress, ""
        wide = SPREAD + gauss_newton.ROUNDS * NARROW + PROFILE
        self._about = wide * len(free) + 3 * (2 * len(free) + 1) + 2

    # -- simulation --------------------------------------------------------------------------

    def run(self, points: Array) -> None:
        """Simulate ``points`` (m, p) of the unit box in one batch."""
        done = len(self.runs)

        def report(finished: int, _: int) -> None:
            if self._progress:
                now = done + finished
                self._progress(self._doing, now, max(self._about, now))

        trials = [self._trial(point) for point in points]
        outcomes = run_trials(trials, runner=self._runner, progress=report)
        for point, outcome in zip(points, outcomes, strict=True):
            if not len(outcome.times):
                raise BadValue(f"calibrate: '{self.world.name}' diverges at the start at {point}")
            self.points.append(point)
            self.runs.append(trajectory(outcome))

    def _trial(self, point: Array) -> Trial:
        world = self.world
        for parameter, value in zip(self.free, self.low + point * self.wide, strict=True):
            world = parameter.apply_to(world, self.robot, float(value))
        limit = self.real.duration + LATE
        return Trial(
            world=world,
            robot=self.robot,
            limit=limit,
            tipped_beyond=math.inf,
            sample_period=SAMPLE_EVERY,
        )

    # -- evaluation --------------------------------------------------------------------------

    def log_fit(self, number: int) -> LogFit:
        """Return the fit of run ``number`` to the log."""
        return fit_log(self.real, self.runs[number], self.scales, self.alignment)

    def evaluations(self) -> tuple[Array, Array, Array]:
        """Return all points, their residuals in scales and their losses, with updated scales."""
        self.measure()
        raw = [self.log_fit(i).residuals for i in range(len(self.runs))]
        residuals = np.stack([(r / self.scales).ravel() for r in raw])
        return np.stack(self.points), residuals, np.array([loss(r, self.scales) for r in raw])

    def measure(self) -> None:
        """Update the scales from the residuals of the best run."""
        left = self.log_fit(self.best()).residuals
        self.scales = residual_scales(left, self.rough, FLOOR, CEILING)

    def note_roughness(self, rough: Array) -> None:
        """Store the scatter of simulations, in scales (n,), averaged over neighbouring samples."""
        size = (rough.reshape(self.scales.shape) * self.scales) ** 2
        window = np.ones(ALIKE) / ALIKE
        padded = np.pad(size, ((0, 0), (ALIKE // 2, ALIKE // 2)), mode="edge")
        self.rough = np.sqrt([np.convolve(row, window, mode="valid") for row in padded])

    def losses(self) -> Array:
        """Return the loss of every run, (m,)."""
        return np.array(
            [loss(self.log_fit(i).residuals, self.scales) for i in range(len(self.runs))]
        )

    def best(self) -> int:
        """Return the index of the run with the smallest loss."""
        return int(self.losses().argmin())

    # -- result ------------------------------------------------------------------------------

    def calibration(self) -> Calibration:
        """Search the minimum, profile the loss and return the result."""
        self._doing = "spreading out"
        start = (self.starts - self.low) / self.wide
        rng = generator(self.seed, "calibrate")
        size = len(self.free)
        self.run(np.vstack([start, gauss_newton.latin_hypercube(SPREAD * size, size, rng)]))
        self._doing = "narrowing down"
        for _ in range(gauss_newton.ROUNDS):
            points, _, losses = self.evaluations()
            self.run(gauss_newton.cross_entropy_round(points, losses, NARROW * size, rng))
        begin = self.points[self.best()]
        for _ in range(2):
            self._doing = "closing in"
            lowest, plane = gauss_newton.descend(begin, self)
            self._doing = "profiling"
            chosen, profiles = self._profile(lowest, plane)
            noise = RISE * self._correlation_length(chosen) + self._jitter(chosen)
            losses = self.losses()
            if losses.min() > losses[chosen] - noise:
                break
            begin = self.points[int(losses.argmin())]  # the profile found a lower minimum
        return self._conclude(chosen, profiles, noise)

    def _correlation_length(self, number: int) -> float:
        return correlation(self.log_fit(number).residuals / self.scales)

    def _jitter(self, number: int) -> float:
        """Return the scatter of losses near a run that the plane does not explain."""
        points, residuals, losses = self.evaluations()
        near = np.abs(points - points[number]).max(axis=1) < gauss_newton.WIDEST / 2
        ours = gauss_newton.fit_residuals(
            points, residuals, points[number], gauss_newton.WIDEST / 2
        )
        off = losses[near] - [standard_loss(ours.at_point(point)) for point in points[near]]
        return 1.4826 * float(np.median(np.abs(off - np.median(off))))

    def _profile(
        self, lowest: Array, plane: gauss_newton.ResidualPlane
    ) -> tuple[int, list[list[int]]]:
        """Run ``lowest`` and each parameter's whole range; return the indices of the runs."""
        information = plane.information() + RISE * np.eye(len(lowest))  # prior: the range
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
        # The plane's minimum is preferred unless a run is clearly better, since losses are rough.
        better = int(losses.argmin())
        limit = RISE * self._correlation_length(first)
        return (first if losses[first] - losses[better] < limit else better), profiles

    def _conclude(self, chosen: int, profiles: list[list[int]], noise: float) -> Calibration:
        losses = self.losses()
        points, residuals, _ = self.evaluations()
        rng = generator(self.seed, "roughness")
        unsure = 2 * gauss_newton.bootstrap_deviation(points, residuals, points[chosen], rng)
        findings = tuple(
            self._finding(j, chosen, [chosen, *profile], losses / noise, float(unsure[j]))
            for j, profile in enumerate(profiles)
        )
        left = self.log_fit(chosen)
        if (
            left.offset <= self.alignment.earliest + 0.01
            or left.offset >= self.alignment.latest - 0.01
        ):
            self.notes.append(
                f"the clock's offset is at the end of the searched range ({left.offset:.2f} s): "
                "cut the log so that it begins with the run"
            )
        return Calibration(
            findings=findings,
            real=self.real,
            before=self.runs[0],
            after=self.runs[chosen],
            at_start=self.log_fit(0),
            at_end=left,
            noise=dict(zip(CHANNELS, left.residuals.std(axis=1).tolist(), strict=True)),
            correlation=self._correlation_length(chosen),
            simulations=len(self.runs),
            notes=tuple(self.notes),
        )

    def _finding(
        self, j: int, chosen: int, profile: list[int], losses: Array, unsure: float
    ) -> Finding:
        """Return the finding of parameter ``j``; losses in units of what noise explains."""
        parameter, best = self.free[j], float(self.points[chosen][j])
        profile.sort(key=lambda number: float(self.points[number][j]))
        at = np.array([self.points[number][j] for number in profile])
        rises = np.clip(losses[profile] - losses[chosen], 0.0, None)
        low, high = interval(at, rises, best)
        low = max(0.0, best - math.hypot(best - low, unsure))
        high = min(1.0, best + math.hypot(high - best, unsure))
        verdict = judge(low, high, best)
        value = best
        if verdict == "not identifiable":
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
    """Return the cleaned log, or raise an error if it is too short."""
    clean = log.clean()
    if len(clean) < FEWEST:
        raise BadValue(f"calibrate: the log has {len(clean)} samples, at least {FEWEST} are needed")
    if not clean.duration > 0:
        raise BadValue("calibrate: the log has no duration")
    return clean


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """Measurement errors of a log; all values are estimates."""

    rate_hz: float = 17.0
    late: float = 0.3
    """Delay of the first sample after the start, s."""
    clock: float = 5.0
    """Time of the log's clock at the start, s."""
    place_noise: float = 0.003
    """Standard deviation of x and z, m."""
    pitch_noise: float = radians(0.3)
    """Standard deviation of pitch, rad."""
    lost: float = 0.1
    """Share of lost samples."""


def synthetic_log(
    world: World,
    robot: str,
    truth: Mapping[str, float],
    seconds: float,
    *,
    measured: Measurement = Measurement(),
    seed: int = 1,
) -> Trajectory:
    """Simulate ``robot`` with known parameters and return a noisy log, as a sensor would record it.

    A calibration of this log shows whether the manoeuvre determines the parameters.

    Args:
        world: world with the robot's start and command.
        robot: name of the robot in the world.
        truth: true values of parameters, by key of `PARAMETERS`.
        seconds: duration of the run, s.
        measured: measurement errors.
        seed: seed of noise and lost samples.
    """
    for parameter in parameters_named(list(truth)):
        world = parameter.apply_to(world, robot, truth[parameter.name])
    trial = Trial(
        world=world, robot=robot, limit=seconds, tipped_beyond=math.inf, sample_period=0.01
    )
    [outcome] = run_trials([trial])
    times = np.arange(measured.late, seconds - 0.01, 1 / measured.rate_hz)
    true = trajectory(outcome).at(times)
    rng = np.random.default_rng(seed)
    noisy = Trajectory(
        times + measured.clock,
        true.x + rng.normal(0, measured.place_noise, len(times)),
        true.z + rng.normal(0, measured.place_noise, len(times)),
        true.pitch + rng.normal(0, measured.pitch_noise, len(times)),
    )
    return noisy.select(rng.random(len(times)) > measured.lost)
