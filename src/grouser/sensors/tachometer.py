"""Tachometer sensor: speeds and positions of drives (USARSim's ``Vel`` and ``Pos``)."""

from __future__ import annotations

from typing import Literal

import mujoco
import numpy as np

from grouser.description import Items, NotNegative
from grouser.sensors.sensor import (
    Needs,
    Rate,
    SensorContext,
    SensorDescription,
    Values,
    check_drives,
)


class Tachometer(SensorDescription):
    """One tachometer per drive."""

    kind: Literal["tachometer"] = "tachometer"
    drives: Items[str]
    """Names of the drives on this robot."""
    name: str = "tachometer"
    rate_hz: Rate = 5.0
    """Readings per second (USARSim: every 0.2 s)."""
    noise: NotNegative = 0.0
    """Standard deviation of the speed, m/s or rad/s."""

    def add(self, spec: mujoco.MjSpec) -> None:
        """Check that the drives exist; nothing is added."""
        check_drives(self, spec, self.drives)

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundTachometer:
        """Return the tachometer of the robot whose names begin with ``prefix``."""
        names = tuple(prefix + drive for drive in self.drives)
        actuators = [int(model.actuator(name).id) for name in names]
        joints = model.actuator_trnid[actuators, 0]
        return BoundTachometer(
            self, names, model.jnt_dofadr[joints], model.actuator_gear[actuators, 0].copy()
        )


class BoundTachometer:
    """Tachometer bound to the joints of its drives."""

    needs = Needs.STATE

    def __init__(
        self, description: Tachometer, names: tuple[str, ...], dofs: np.ndarray, gears: np.ndarray
    ) -> None:
        self._description, self._names, self._dofs, self._gears = description, names, dofs, gears
        self._indices: list[int] = []
        self.memory: np.ndarray | None = None
        """Positions (drives,) at the last reset, m or rad; None: never reset."""
        self._reset_pending = False

    def reset(self) -> None:
        """Reset the positions to 0 at the next reading."""
        self._reset_pending = True

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return speeds (drives,), m/s or rad/s, and positions (drives,), m or rad."""
        if not self._indices:
            self._indices = context.drive_indices(self._names)
        speeds = context.data.qvel[self._dofs] * self._gears
        if self._description.noise:
            speeds += rng.normal(0.0, self._description.noise, len(speeds))
        positions = context.travel()[self._indices]
        if self._reset_pending:
            self.memory, self._reset_pending = positions, False
        if self.memory is not None:
            positions = positions - self.memory
        return {"speeds": speeds, "positions": positions}
