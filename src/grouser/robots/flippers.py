"""A written-down way to use flippers on a step: approach, raise, press, level.

One rule for every height; it sees no step, only how the robot is tilted:

- **raise**: approach with the front flippers up and the rear ones level, so that the front ones
  climb the riser or lie down on its edge;
- **press**: once the nose has risen, push the front flippers down onto the step and the rear ones
  down onto the ground, which lifts the rear;
- **level**: once the nose has come down again, all four level, and drive on.

Any robot whose front and rear flippers are the groups ``front`` and ``rear``, up positive, can do
it (Kenaf, Quince).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from grouser.frames import Array, to_rpy_one

Stage = Literal["raise", "press", "level"]


class Seen(Protocol):
    """What the strategy looks at."""

    @property
    def wxyz(self) -> Array:
        """Of the root in the world, (4,)."""
        ...


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """The strategy's angles, rad; up positive."""

    raised: float
    """Front flippers while approaching."""
    press_beyond: float
    """Press once the nose is up by this much."""
    front_press: float
    """Front flippers while pressing."""
    rear_press: float
    """Rear flippers while pressing."""
    level_below: float
    """Level once the nose, having been up, is up by no more than this."""

    def __call__(self) -> Climb:
        """Return the policy of one run."""
        return Climb(self)


class Climb:
    """The strategy in flight: which stage it is in."""

    def __init__(self, strategy: Strategy) -> None:
        """Begin with the approach."""
        self.strategy = strategy
        self.stage: Stage = "raise"

    def __call__(self, seen: Seen) -> Mapping[str, float] | None:
        """Return the flippers' new angles when a stage begins, None while it lasts."""
        told, nose_up = self.strategy, -to_rpy_one(*seen.wxyz.tolist())[1]
        if self.stage == "raise" and nose_up > told.press_beyond:
            self.stage = "press"
            return {"front": told.front_press, "rear": told.rear_press}
        if self.stage == "press" and nose_up < told.level_below:
            self.stage = "level"
            return {"front": 0.0, "rear": 0.0}
        return None
