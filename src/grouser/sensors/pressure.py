"""Pressure sensor: several force sensors on one body, as under the soles of a humanoid.

Every contact's normal force is assigned to the nearest sensor. Contacts and their forces are those
of the last physics step.
"""

from __future__ import annotations

from typing import Annotated, Literal

import mujoco
import numpy as np
from pydantic import Field, Strict

from grouser.description import Items, NotNegative
from grouser.errors import unknown
from grouser.frames import Array
from grouser.sensors.sensor import Needs, SensorContext, SensorDescription, Values

SensorPlace = Annotated[
    tuple[str, Annotated[tuple[float, float, float], Strict(False)]], Strict(False)
]
"""Name of a force sensor and its position in the body frame, m."""


class Pressure(SensorDescription):
    """Force sensors at given positions of one body."""

    kind: Literal["pressure"] = "pressure"
    mount: str
    """Name of the body; all of its geoms are sensitive."""
    places: Annotated[Items[SensorPlace], Field(min_length=1)]
    """Name of each sensor and its position in the body frame, m."""
    name: str = "pressure"
    noise: NotNegative = 0.0
    """Standard deviation of each force, N."""

    def add(self, spec: mujoco.MjSpec) -> None:
        """Check that the mount exists; nothing is added."""
        if spec.body(self.mount) is None:
            names = [body.name for body in spec.bodies]
            raise unknown(f"sensor '{self.name}'", "body", self.mount, names)

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundPressure:
        """Return the sensors of the robot whose names begin with ``prefix``."""
        return BoundPressure(self, model, int(model.body(prefix + self.mount).id))


class BoundPressure:
    """Force sensors bound to the geoms of their body."""

    needs = Needs.POSES

    def __init__(self, description: Pressure, model: mujoco.MjModel, body: int) -> None:
        self._description, self._body = description, body
        self._geoms = np.flatnonzero(model.geom_bodyid == body).tolist()
        self._places = np.array([place for _, place in description.places])

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return the force on each sensor, N, by its name."""
        forces = self._forces(context)
        if noise := self._description.noise:
            forces = np.maximum(0.0, forces + rng.normal(0.0, noise, forces.shape))
        names = (name for name, _ in self._description.places)
        return dict(zip(names, forces.tolist(), strict=True))

    def _forces(self, context: SensorContext) -> Array:
        """Return the true forces, N, (sensors,)."""
        data, forces = context.data, np.zeros(len(self._places))
        R_WB = data.xmat[self._body].reshape(3, 3)
        for contact, force in context.contact_forces_on(self._geoms):
            point = (data.contact.pos[contact] - data.xpos[self._body]) @ R_WB
            nearest = np.square(self._places - point).sum(axis=1).argmin()
            forces[nearest] += force
        return forces
