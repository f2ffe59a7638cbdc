"""The one written-down way to use flippers at an edge: approach, raise, press, level.

It is the same for every robot with flippers, every apparatus and every size. The operator knows
where the first edge is and otherwise sees how the robot moves and how it is tilted:

1. **approach** an edge with the front flippers **raised** and the rear ones level, so that the
   front ones climb the riser or lie down on its edge; where there is none, with all of them level;
2. **press** once the nose has risen, or the robot has come to a halt: the front flippers go down
   onto the step, the rear ones down onto the ground, which lifts the rear;
3. **level** all of them once the robot's middle is above the edge, and leave them so: on top they
   soften the fall, and on stairs the robot is as long as it can be.

Any robot with the groups of arms ``front`` or ``rear``, up positive, can do it; one that has only
some of them uses those. One **without rear flippers** cannot lift its rear: an edge under its belly
would turn it over backwards before its middle is across. So its front flippers

- press by an angle against the ground that it came from, not against the body: the higher the nose,
  the further down they go, so that they stay on the step and carry the nose beyond the edge;
- go level, too, when it comes to a halt again while they press: there is another riser ahead.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from grouser.frames import Array, radians, to_rpy_one

GROUPS = ("front", "rear")
"""The groups of arms that the strategy moves; a robot has one of them at least."""

FINEST = radians(2)
"""Arms are not told angles that differ by less."""

Stage = Literal["raise", "press", "level"]


class FlipperObservation(Protocol):
    """The motion of a robot that the strategy decides by."""

    @property
    def time(self) -> float:
        """Simulated, s."""
        ...

    @property
    def position(self) -> Array:
        """Of the root in the world, m, (3,)."""
        ...

    @property
    def wxyz(self) -> Array:
        """Of the root in the world, (4,)."""
        ...


@dataclass(frozen=True, kw_only=True)
class FlipperStrategy:
    """The strategy's numbers; angles in rad, up positive."""

    raised: float
    """Front flippers while approaching."""
    press_beyond: float
    """Press once the nose is up by this much more than at the start."""
    front_press: float
    """Front flippers while pressing; against the ground if there are no rear ones."""
    rear_press: float
    """Rear flippers while pressing."""
    halted_after: float
    """Press, too, when the robot does not get ``halted_within`` further in this time, s."""
    halted_within: float
    """m."""


CLIMB = (
    FlipperStrategy(  # no source gives one: estimates, the same for all robots, apparatus and sizes
        raised=radians(45),
        press_beyond=radians(20),
        front_press=radians(-20),
        rear_press=radians(-60),
        halted_after=1.0,
        halted_within=0.02,
    )
)


class FlipperClimber:
    """Carries out the strategy for one robot, stage by stage.

    Args:
        edge: where the first edge is along the world's x, m; None: there is none to be climbed.
        strategy: its numbers.
        groups: those of `GROUPS` that the robot has.
    """

    def __init__(
        self,
        edge: float | None,
        strategy: FlipperStrategy = CLIMB,
        groups: Collection[str] = GROUPS,
    ) -> None:
        self._groups = tuple(group for group in GROUPS if group in groups)
        self.stage: Stage = "level" if edge is None else "raise"
        self._edge, self._strategy = edge, strategy
        self._alone = "rear" not in self._groups
        self._commanded: Mapping[str, float] = {}
        self._stood: float | None = None  # nose up at the first look
        self._best, self._best_time = -math.inf, 0.0

    def __call__(self, observed: FlipperObservation) -> Mapping[str, float] | None:
        """Return the flippers' new angles when they change, None while they stay."""
        risen = self._risen(observed)
        self.stage = self._next(observed, risen)
        told = self._commanded
        wanted = self._angles(risen)
        if told and all(abs(wanted[group] - told[group]) < FINEST for group in wanted):
            return None
        self._commanded = wanted
        return wanted

    def _angles(self, risen: float) -> dict[str, float]:
        """Return the angles of this stage; the nose is up by ``risen`` (rad)."""
        angles = self._strategy
        front, rear = {
            "raise": (angles.raised, 0.0),
            "press": (angles.front_press - (risen if self._alone else 0.0), angles.rear_press),
            "level": (0.0, 0.0),
        }[self.stage]
        return {group: {"front": front, "rear": rear}[group] for group in self._groups}

    def _next(self, observed: FlipperObservation, risen: float) -> Stage:
        if self._edge is None or observed.position[0] >= self._edge or self.stage == "level":
            return "level"
        halted = self._halted(observed)
        if self.stage == "raise" and (halted or risen > self._strategy.press_beyond):
            self._best, self._best_time = -math.inf, observed.time
            return "press"
        return "level" if self.stage == "press" and halted and self._alone else self.stage

    def _halted(self, observed: FlipperObservation) -> bool:
        """Return whether the robot does not get further."""
        x = float(observed.position[0])
        if x > self._best + self._strategy.halted_within:
            self._best, self._best_time = x, observed.time
        return observed.time - self._best_time > self._strategy.halted_after

    def _risen(self, observed: FlipperObservation) -> float:
        """Return how far the nose has risen since the start, rad; on a slope it was up then."""
        nose_up = -to_rpy_one(*observed.wxyz.tolist())[1]
        if self._stood is None:
            self._stood = nose_up
        return nose_up - self._stood
