"""Flipper strategy for edges: raise, press, level.

The strategy is the same for all robots with flippers, all apparatus and all sizes. Its inputs are
the position of the first edge and the motion and tilt of the robot. Its stages:

1. **raise**: approach the edge with the front flippers raised and the rear flippers level, so that
   the front ones climb the riser or come to lie on its edge. Without an edge all are level.
2. **press**: once the nose has risen or the robot has halted, the front flippers press onto the
   step and the rear flippers onto the ground, which lifts the rear.
3. **level**: once the middle of the robot is above the edge, all flippers are level and stay level.
   On top they soften the fall. On stairs they give the robot its greatest length.

The strategy applies to robots with the groups of arms ``front`` or ``rear``, up positive. A robot
**without rear flippers** cannot lift its rear: an edge under its belly would turn it over backwards
before its middle is across. Its front flippers therefore

- press by an angle relative to the ground of the approach instead of relative to the body. The
  higher the nose, the further down they press, so that they stay on the step and carry the nose
  beyond the edge;
- also become level when the robot halts again while they press, because there is another riser.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from grouser.frames import Array, radians, to_rpy_one

GROUPS = ("front", "rear")
"""Groups of arms that the strategy moves; a robot has at least one of them."""

MIN_CHANGE = radians(2)
"""Smallest change of an angle that is commanded."""

Stage = Literal["raise", "press", "level"]


class FlipperObservation(Protocol):
    """Motion of a robot, the input of the strategy."""

    @property
    def time(self) -> float:
        """Simulated time, s."""
        ...

    @property
    def position(self) -> Array:
        """Position of the root in the world, m, (3,)."""
        ...

    @property
    def wxyz(self) -> Array:
        """Orientation of the root in the world, (4,)."""
        ...


@dataclass(frozen=True, kw_only=True)
class FlipperStrategy:
    """Parameters of the strategy; angles in rad, up positive."""

    raised: float
    """Angle of the front flippers in stage ``raise``."""
    press_beyond: float
    """Rise of the nose since the start beyond which stage ``press`` begins."""
    front_press: float
    """Angle of the front flippers in stage ``press``; relative to the ground without rear ones."""
    rear_press: float
    """Angle of the rear flippers in stage ``press``."""
    halted_after: float
    """Time (s) within which a robot must advance by ``halted_within``; otherwise it has halted."""
    halted_within: float
    """Distance (m) for ``halted_after``."""


CLIMB = (
    FlipperStrategy(  # no source has values: estimates, the same for all robots, apparatus, sizes
        raised=radians(45),
        press_beyond=radians(20),
        front_press=radians(-20),
        rear_press=radians(-60),
        halted_after=1.0,
        halted_within=0.02,
    )
)


class FlipperClimber:
    """State machine of the strategy for one robot; ``edge`` is the first edge's x, m."""

    truth = True
    """As a policy, it needs the true pose."""

    def __init__(
        self,
        edge: float | None,
        strategy: FlipperStrategy = CLIMB,
        groups: Collection[str] = GROUPS,
    ) -> None:
        self._groups = tuple(group for group in GROUPS if group in groups)
        self.stage: Stage = "level" if edge is None else "raise"
        self._edge, self._strategy = edge, strategy
        self._front_only = "rear" not in self._groups
        self._commanded: Mapping[str, float] = {}
        self._initial_nose_up: float | None = None  # rad, at the first call
        self._best, self._best_time = -math.inf, 0.0

    def __call__(self, observed: FlipperObservation) -> Mapping[str, float] | None:
        """Return new angles of the flippers by group, None if they do not change."""
        risen = self._nose_rise(observed)
        self.stage = self._next_stage(observed, risen)
        last = self._commanded
        wanted = self._angles(risen)
        if last and all(abs(wanted[group] - last[group]) < MIN_CHANGE for group in wanted):
            return None
        self._commanded = wanted
        return wanted

    def _angles(self, risen: float) -> dict[str, float]:
        """Return the angles of this stage for a nose risen by ``risen`` (rad)."""
        angles = self._strategy
        front, rear = {
            "raise": (angles.raised, 0.0),
            "press": (angles.front_press - (risen if self._front_only else 0.0), angles.rear_press),
            "level": (0.0, 0.0),
        }[self.stage]
        return {group: {"front": front, "rear": rear}[group] for group in self._groups}

    def _next_stage(self, observed: FlipperObservation, risen: float) -> Stage:
        if self._edge is None or observed.position[0] >= self._edge or self.stage == "level":
            return "level"
        halted = self._is_halted(observed)
        if self.stage == "raise" and (halted or risen > self._strategy.press_beyond):
            self._best, self._best_time = -math.inf, observed.time
            return "press"
        return "level" if self.stage == "press" and halted and self._front_only else self.stage

    def _is_halted(self, observed: FlipperObservation) -> bool:
        """Return True if the robot has not advanced within the time of the strategy."""
        x = float(observed.position[0])
        if x > self._best + self._strategy.halted_within:
            self._best, self._best_time = x, observed.time
        return observed.time - self._best_time > self._strategy.halted_after

    def _nose_rise(self, observed: FlipperObservation) -> float:
        """Return the rise of the nose since the first call, rad, so that a slope does not count."""
        nose_up = -to_rpy_one(*observed.wxyz.tolist())[1]
        if self._initial_nose_up is None:
            self._initial_nose_up = nose_up
        return nose_up - self._initial_nose_up
