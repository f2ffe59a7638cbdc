"""Who drives a robot over an apparatus: keeps it on the middle line and uses its flippers.

An operator would do as much. How flippers are used is written down in
`grouser.locomotion.flippers`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grouser.frames import to_rpy_one
from grouser.locomotion.flippers import FlipperClimber
from grouser.trials.trial import Observation

HEADING_GAIN, LINE_GAIN = 1.0, 1.0
"""Turn per heading error, 1/s, and per distance from the line, rad/(s m)."""
MOST_TURN = 0.4
"""rad/s."""


class LineKeeper:
    """Drives along the x axis: turns back towards it, gently.

    Args:
        speed: forward, m/s.
    """

    def __init__(self, speed: float) -> None:
        self._speed = speed

    def __call__(self, observation: Observation) -> Mapping[str, float]:
        """Return speed and turn."""
        w, x, y, z = observation.wxyz.tolist()
        yaw = to_rpy_one(w, x, y, z)[2]
        turn = -HEADING_GAIN * yaw - LINE_GAIN * float(observation.position[1])
        return {"forward": self._speed, "turn": float(np.clip(turn, -MOST_TURN, MOST_TURN))}


class Operator:
    """Drives, and uses flippers if there are any.

    Args:
        speed: forward, m/s.
        flippers: None: the robot has none, or they stay as they are.
    """

    def __init__(self, speed: float, flippers: FlipperClimber | None = None) -> None:
        self._drive, self._flippers = LineKeeper(speed), flippers

    def __call__(self, observation: Observation) -> Mapping[str, float]:
        """Return the robot's command now."""
        arms = self._flippers(observation) if self._flippers else None
        return {**self._drive(observation), **(arms or {})}
