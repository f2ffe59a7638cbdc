"""Battery: what is left after electronics and drives have taken their share.

Electronics take a constant power; drives take their effort (|force x speed|, so that braking costs
as well) over an efficiency. What a motor takes to hold still is not counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.errors import BadValue
from grouser.sensors.sensor import Needs, SensorContext, Values, check_numbers


@dataclass(frozen=True, kw_only=True)
class Battery:
    """A battery that was full at the start."""

    capacity: float
    """What a full one holds, J; above 0."""
    idle: float
    """What the robot takes while it stands still, W; above 0."""
    efficiency: float = 0.7
    """Part of the electric power that arrives at the drives, 0 to 1; estimate."""
    name: str = "battery"
    rate_hz: float = 1.0
    """Readings per second."""
    delay_s: float = 0.0
    """How long after it was measured a reading can be read, s."""

    def __post_init__(self) -> None:
        check_numbers(self)
        if not (self.capacity > 0 and self.idle > 0 and 0 < self.efficiency <= 1):
            raise BadValue(
                f"sensor '{self.name}': capacity {self.capacity} J and idle {self.idle} W must be "
                f"above 0, efficiency {self.efficiency} in 0 to 1"
            )

    def add(self, spec: mujoco.MjSpec) -> None:
        """Nothing to add: what drives do is counted anyway."""

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundBattery:
        """Return the battery of the robot whose names begin with ``prefix``."""
        return BoundBattery(self, prefix)


class BoundBattery:
    """The battery of a known robot."""

    needs = Needs.STATE

    def __init__(self, description: Battery, prefix: str) -> None:
        self._description, self._prefix = description, prefix
        self._drives: list[int] | None = None
        self.memory: float | None = None
        """When it was full, s; None before the first reading."""

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return energy (J) and charge (0 to 1) left, and the seconds that will last.

        ``seconds`` supposes that the robot goes on taking what it has taken on average.
        """
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
