"""Odometry sensor: dead reckoning from belts or wheels.

The travel of both sides between readings gives an arc; arcs are summed from the start, so slip,
quantisation and noise accumulate. Skid steering slips: turns are overestimated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import mujoco
import numpy as np
from pydantic import Field

from grouser.description import Items, NotNegative, Positive
from grouser.sensors.sensor import (
    Needs,
    Rate,
    SensorContext,
    SensorDescription,
    Values,
    check_drives,
)


class Odometry(SensorDescription):
    """Dead reckoning from the drives of the left and the right side."""

    kind: Literal["odometry"] = "odometry"
    left: Annotated[Items[str], Field(min_length=1)]
    """Names of the drives on the left; their mean is used."""
    right: Annotated[Items[str], Field(min_length=1)]
    """Names of the drives on the right."""
    gauge: Positive
    """Distance between the centre lines of the sides, m; above 0."""
    radius: Positive = 1.0
    """Travel (m) per unit of the drives: 1 for belts, the radius for wheels; above 0."""
    name: str = "odometry"
    rate_hz: Rate = 25.0
    """Readings per second; motion between two readings is taken as an arc."""
    resolution: NotNegative = 0.0
    """One tick of a side's counter, m; 0: exact."""
    noise_part: NotNegative = 0.0
    """Relative standard deviation of each side's travel between readings."""

    def add(self, spec: mujoco.MjSpec) -> None:
        """Check that the drives exist; nothing is added."""
        check_drives(self, spec, (*self.left, *self.right))

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundOdometry:
        """Return the odometry of the robot whose names begin with ``prefix``."""
        return BoundOdometry(self, prefix)


@dataclass(frozen=True)
class OdometryState:
    """Pose estimate of dead reckoning and the counters it belongs to."""

    x: float = 0.0
    """m, in the frame of the start."""
    y: float = 0.0
    yaw: float = 0.0
    """rad, not wrapped."""
    left: float = 0.0
    """Last value of the left counter, m."""
    right: float = 0.0

    def advance(
        self, left: float, right: float, gauge: float, errors: Sequence[float] = (0.0, 0.0)
    ) -> OdometryState:
        """Return the state when the counters show ``left`` and ``right`` (m).

        ``errors`` are relative errors of the left and the right side's travel.
        """
        went_left = (left - self.left) * (1 + errors[0])
        went_right = (right - self.right) * (1 + errors[1])
        way, turn = (went_left + went_right) / 2, (went_right - went_left) / gauge
        chord = way * math.sin(turn / 2) / (turn / 2) if turn else way
        middle = self.yaw + turn / 2
        return OdometryState(
            self.x + chord * math.cos(middle),
            self.y + chord * math.sin(middle),
            self.yaw + turn,
            left,
            right,
        )


class BoundOdometry:
    """Odometry bound to a robot."""

    needs = Needs.STATE

    def __init__(self, description: Odometry, prefix: str) -> None:
        self._description = description
        self._names = [
            tuple(prefix + d for d in side) for side in (description.left, description.right)
        ]
        self._sides: list[list[int]] = []
        self.memory: OdometryState | None = None
        """Present estimate; None before the first reading."""

    def reset(self) -> None:
        """Restart at the next reading with the pose then as origin."""
        self.memory = None

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return x, y (m) and yaw (rad) relative to the pose at the start."""
        description = self._description
        if not self._sides:
            self._sides = [context.drive_indices(names) for names in self._names]
        travel = context.travel()
        left, right = (self._quantise(float(travel[side].mean())) for side in self._sides)
        if self.memory is None:
            self.memory = OdometryState(left=left, right=right)
        spread = description.noise_part
        errors = rng.normal(0.0, spread, 2).tolist() if spread else (0.0, 0.0)
        self.memory = self.memory.advance(left, right, description.gauge, errors)
        return {"x": self.memory.x, "y": self.memory.y, "yaw": self.memory.yaw}

    def _quantise(self, travel: float) -> float:
        """Return a side's travel (m) quantised to ticks."""
        way, tick = travel * self._description.radius, self._description.resolution
        return math.floor(way / tick) * tick if tick else way
