"""Battery sensor: remaining energy after the consumption of electronics and drives.

Without a ``capacity`` it reads the robot's own battery, which its motors discharge
(`grouser.physics.losses`). With one it is a battery of its own: electronics draw constant power;
drives draw |force x speed| (braking costs energy, too) divided by an efficiency, and nothing while
they hold a load at rest.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

import mujoco
import numpy as np
from pydantic import Field, model_validator

from grouser.description import Positive, mistake
from grouser.sensors.sensor import Needs, Rate, SensorContext, SensorDescription, Values


class Battery(SensorDescription):
    """Battery that is full at the start."""

    kind: Literal["battery"] = "battery"
    capacity: Positive | None = None
    """Energy of the full battery, J; above 0; None: the robot's own battery."""
    idle: Positive | None = None
    """Power consumption at rest, W; above 0; only with ``capacity``."""
    efficiency: Annotated[float, Field(gt=0, le=1)] = 0.7
    """Mechanical power of the drives over electric power, 0 to 1; estimate."""
    name: str = "battery"
    rate_hz: Rate = 1.0
    """Readings per second."""

    @model_validator(mode="after")
    def _check_idle(self) -> Battery:
        if (self.capacity is None) != (self.idle is None):
            raise mistake("must be given together with capacity", "idle")
        return self

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
        if description.capacity is None or description.idle is None:
            return self._own(context, time)
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

    def _own(self, context: SensorContext, time: float) -> Values:
        """Return the reading of the robot's battery; without losses it stays full."""
        battery = context.power().charges.get(self._prefix.removesuffix("/"))
        if battery is None:
            return {"energy": math.inf, "charge": 1.0, "seconds": math.inf}
        power = (battery.capacity - battery.left) / time if time else battery.idle
        return {
            "energy": battery.left,
            "charge": battery.left / battery.capacity,
            "seconds": battery.left / power if power else math.inf,
        }
