"""Battery sensor: remaining energy after the consumption of electronics and drives.

Electronics draw constant power; drives draw |force x speed| (braking costs energy, too) divided by
an efficiency. The power of a motor that holds a load at rest is not modelled.
"""

from __future__ import annotations

from typing import Annotated, Literal

import mujoco
import numpy as np
from pydantic import Field

from grouser.description import Positive
from grouser.sensors.sensor import Needs, Rate, SensorContext, SensorDescription, Values


class Battery(SensorDescription):
    """Battery that is full at the start."""

    kind: Literal["battery"] = "battery"
    capacity: Positive
    """Energy of the full battery, J; above 0."""
    idle: Positive
    """Power consumption at rest, W; above 0."""
    efficiency: Annotated[float, Field(gt=0, le=1)] = 0.7
    """Mechanical power of the drives over electric power, 0 to 1; estimate."""
    name: str = "battery"
    rate_hz: Rate = 1.0
    """Readings per second."""

    def add(self, spec: mujoco.MjSpec) -> None:
        """Add nothing: the energy of drives is always integrated."""

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundBattery:
        """Return the battery of the robot whose names begin with ``prefix``."""
        return BoundBattery(self, prefix)


class BoundBattery:
    """Battery bound to a robot."""

    needs = Needs.STATE

    def __init__(self, description: Battery, prefix: str) -> None:
        self._description, self._prefix = description, prefix
        self._drives: list[int] | None = None
        self.memory: float | None = None
        """Time of the first reading, s; None before it."""

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return remaining energy (J), charge (0 to 1) and ``seconds`` at the mean power so far."""
        description, time = self._description, float(context.data.time)
        if self._drives is None:
            own = (drive for drive in context.drives if drive.startswith(self._prefix))
            self._drives = context.drive_indices(tuple(own))
        if self.memory is None:
            self.memory = time
        on = time - self.memory
        driven = float(context.effort[self._drives].sum())
        spent = description.idle * on + driven / description.efficiency
        left = max(0.0, description.capacity - spent)
        power = spent / on if on else description.idle
        return {"energy": left, "charge": left / description.capacity, "seconds": left / power}
