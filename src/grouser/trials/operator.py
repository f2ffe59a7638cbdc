"""Who drives a robot over an apparatus: keeps it on the middle line and uses its flippers.

An operator would do as much. The strategy for flippers is written down once and is the same for
every robot that has groups of arms called ``front`` and ``rear``, and for every size:

1. approach with the front flippers raised by 45° if there is an edge to be got over that is
   higher than half the height of their axis, else with all of them level;
2. level them when the robot comes to a halt, which presses them down on the edge, or when its
   middle is above the first edge; and leave them so: on top they soften the fall, and on stairs
   the robot is as long as it can be.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grouser.frames import to_rpy_one
from grouser.trials.trial import Seen

RAISED_DEG = 45.0
"""Of the front flippers on approach."""
FLIPPERS = ("front", "rear")
"""The groups of arms a robot needs for the strategy."""
HEADING_GAIN, LINE_GAIN = 1.0, 1.0
"""Turn per heading error, 1/s, and per distance from the line, rad/(s m)."""
MOST_TURN = 0.4
"""rad/s."""
PROGRESS, HALTED_AFTER = 0.02, 1.0
"""A robot that does not get so much further (m) in this time (s) has come to a halt."""


class KeepTo:
    """Drives along the x axis: turns back towards it, gently.

    Args:
        speed: forward, m/s.
    """

    def __init__(self, speed: float) -> None:
        self._speed = speed

    def __call__(self, seen: Seen) -> Mapping[str, float]:
        """Return speed and turn."""
        w, x, y, z = seen.wxyz.tolist()
        yaw = to_rpy_one(w, x, y, z)[2]
        turn = -HEADING_GAIN * yaw - LINE_GAIN * float(seen.position[1])
        return {"forward": self._speed, "turn": float(np.clip(turn, -MOST_TURN, MOST_TURN))}


class RaiseAndLevel:
    """Raises front flippers before an edge at x = 0; levels them on it or above it.

    Args:
        raised: whether there is an edge that needs it.
    """

    def __init__(self, raised: bool) -> None:
        self._raised = raised
        self._best, self._best_time = -np.inf, 0.0
        self._told: float | None = None  # None: nothing yet

    def __call__(self, seen: Seen) -> Mapping[str, float] | None:
        """Return the flippers' angles when they change."""
        x = float(seen.position[0])
        if x > self._best + PROGRESS:
            self._best, self._best_time = x, seen.time
        if x >= 0 or seen.time - self._best_time > HALTED_AFTER:
            self._raised = False
        wanted = RAISED_DEG if self._raised else 0.0
        if wanted == self._told:
            return None
        self._told = wanted
        return {"front_deg": wanted, "rear_deg": 0.0}


class Operator:
    """Drives, and uses flippers if there are any.

    Args:
        speed: forward, m/s.
        flippers: None: the robot has none, or they stay as they are.
    """

    def __init__(self, speed: float, flippers: RaiseAndLevel | None = None) -> None:
        self._drive, self._flippers = KeepTo(speed), flippers

    def __call__(self, seen: Seen) -> Mapping[str, float]:
        """Return what the robot is told now."""
        arms = self._flippers(seen) if self._flippers else None
        return {**self._drive(seen), **(arms or {})}
