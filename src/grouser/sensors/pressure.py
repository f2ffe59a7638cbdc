"""Pressure sensor: several force sensors on one body, as under the soles of a humanoid.

Every contact's normal force is assigned to the nearest sensor. Contacts and their forces are those
of the last physics step.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.errors import BadValue, unknown
from grouser.frames import Array
from grouser.sensors.sensor import Needs, SensorContext, Values, check_numbers


@dataclass(frozen=True, kw_only=True)
class Pressure:
    """Force sensors at given positions of one body."""

    mount: str
    """Name of the body; all of its geoms are sensitive."""
    places: tuple[tuple[str, tuple[float, float, float]], ...]
    """Name of each sensor and its position in the body frame, m."""
    name: str = "pressure"
    rate_hz: float = 25.0
    """Readings per second."""
    delay_s: float = 0.0
    """Delay from measurement to availability of a reading, s."""
    noise: float = 0.0
    """Standard deviation of each force, N."""

    def __post_init__(self) -> None:
        check_numbers(self, noise=self.noise)
        if not self.places:
            raise BadValue(f"sensor '{self.name}': places is empty, at least one is needed")

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
