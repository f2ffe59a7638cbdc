"""Trial: description of one simulated run of a robot in a world, and its outcome.

A runner (`grouser.trials.runner`) simulates many trials and returns their `Outcome`s. An outcome
depends on its trial alone, not on the runner. A trial ends early when its robot has arrived, has
fallen, has tipped over or is stuck.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from grouser.errors import BadValue
from grouser.frames import Array, radians
from grouser.planning.driver import PathDriver
from grouser.simulation.policy import CONTROL_PERIOD, PolicyFactory, declaration, declared_sensors
from grouser.simulation.schedule import check_seed
from grouser.trials.starts import TrialStart
from grouser.world.file import World

Verdict = Literal["arrived", "fell", "stuck", "tipped", "out of time", "diverged"]

FALL_TIME = 0.3
"""Time window in which a loss of height counts as a fall, s: 0.44 m of free fall."""


@dataclass(frozen=True, kw_only=True)
class Goal:
    """Goal region of the watched robot's root, in the world frame."""

    x: float
    """Smallest x, m."""
    z: float = -math.inf
    """Smallest height, m."""
    level: float = math.inf
    """Largest tilt, rad."""

    def reached(self, position: Array, tilt: float) -> bool:
        """Return whether a root at ``position`` (3,) (m) with ``tilt`` (rad) has arrived."""
        return bool(position[0] >= self.x and position[2] >= self.z and tilt <= self.level)


@dataclass(frozen=True, kw_only=True)
class Place:
    """Goal position of the watched robot's root, in the world frame."""

    x: float
    """m."""
    y: float
    """m."""
    within: float
    """Tolerance, m, seen from above; above 0."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.x) and math.isfinite(self.y) and 0 < self.within < math.inf):
            raise BadValue(
                f"trial: goal is ({self.x}, {self.y}) within {self.within} m, needs finite numbers "
                "and a distance above 0"
            )

    def reached(self, position: Array, tilt: float) -> bool:
        """Return whether a root at ``position`` (3,) (m) has arrived; ``tilt`` is ignored."""
        return math.hypot(position[0] - self.x, position[1] - self.y) < self.within


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Description of one run: a world, the watched robot, its commands and end conditions."""

    world: World
    robot: str
    """Name of the watched robot."""
    limit: float
    """Longest simulated time, s."""
    goal: Goal | Place | None = None
    """Goal; None: run until the limit."""
    start: TrialStart | None = None
    """Initial conditions; None: those of the world."""
    schedule: tuple[tuple[float, Mapping[str, float]], ...] = ()
    """Commands after the world's own: (time in s, command), in order of time."""
    policy: PolicyFactory | None = None
    """Class, or another factory, of the policy that commands the robot; called once per run."""
    seed: int | None = None
    """Seed of all random numbers of the run; None: that of the world."""
    fleet: PathDriver | None = None
    """Path driver, which commands all trials of a lane in one call, from the start on."""
    fleet_task: Array | None = None
    """Path that `fleet` follows in this trial, (points, 2), m."""
    sensors: tuple[str, ...] = ()
    """Sensors of the watched robot that its policy reads, in addition to those that it declares;
    cameras are not allowed."""
    stuck_after: float = math.inf
    """Verdict "stuck" if the robot advances less than ``stuck_within`` in this time, s; progress is
    measured along the path of `fleet`, else along x."""
    stuck_within: float = 0.01
    """m."""
    tipped_beyond: float = radians(100)
    """Verdict "tipped" if the tilt of the root is larger than this, rad."""
    fall: float = math.inf
    """Verdict "fell" if the root loses this much height within `FALL_TIME`, m."""
    sample_period: float = CONTROL_PERIOD
    """Approximate simulated time between two samples, s; above 0. Policies and path drivers are
    called at each sample."""
    case: Mapping[str, object] = field(default_factory=dict)
    """Parameters of this trial, for tables."""

    def __post_init__(self) -> None:
        if not isinstance(self.world, World):
            raise BadValue(
                f"trial: world is {self.world!r}, a World is needed, such as grouser.load(name)"
            )
        names = [entry.name for entry in self.world.robots]
        if self.robot not in names:
            raise BadValue(f"trial: watches '{self.robot}', the world has {', '.join(names)}")
        if not self.limit > 0:
            raise BadValue(f"trial: limit is {self.limit} s, must be above 0")
        if not 0 < self.sample_period < math.inf:
            raise BadValue(f"trial: sample_period is {self.sample_period} s, must be above 0")
        if self.fleet is not None and self.fleet_task is None:
            raise BadValue("trial: has a path driver but no path, set fleet_task")
        if self.policy is not None and not callable(self.policy):
            raise BadValue(
                f"trial: policy is {self.policy!r}, must be the class of a policy or a function "
                "that returns one"
            )
        if self.seed is not None:
            check_seed(self.seed)

    @property
    def run_seed(self) -> int:
        """Seed of the run."""
        return self.world.seed if self.seed is None else self.seed

    @property
    def read_sensors(self) -> tuple[str, ...]:
        """Names of all sensors that the policy reads."""
        own = declared_sensors(self.policy) if self.policy else ()
        return tuple(dict.fromkeys((*self.sensors, *own)))

    @property
    def rate_hz(self) -> float | None:
        """Rate of the policy, Hz; None: it is called at every sample."""
        rate: float | None = declaration(self.policy, "rate_hz") if self.policy else None
        return rate


@dataclass(frozen=True)
class Outcome:
    """Result of a trial."""

    trial: Trial
    verdict: Verdict
    time: float
    """Simulated time at the end, s."""
    times: Array
    """Times of the samples, s, (k,)."""
    positions: Array
    """Positions of the robot's root, m, (k, 3)."""
    wxyz: Array
    """Orientations of the robot's root, (k, 4)."""
    spent: Array
    """Effort up to each sample, J, (k,)."""
    work: float
    """Signed mechanical work of the robot's drives, J."""
    effort: float
    """Sum of |force x speed| x dt of the robot's drives, J."""
    fingerprint: str
    """Hash of the state at the end, equal to `Simulation.fingerprint`."""
    electric: float | None = None
    """Electric energy of the robot's motors, J; None: it has none."""

    @property
    def arrived(self) -> bool:
        """True if the robot reached its goal."""
        return self.verdict == "arrived"
