"""Touch sensor: contact force on a body or geom from outside the robot."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import mujoco
import numpy as np

from grouser.description import MaybeInfinite, NotNegative
from grouser.errors import unknown
from grouser.sensors.sensor import Needs, SensorContext, SensorDescription, Values


class Touch(SensorDescription):
    """Touch switch and force sensor of one body or geom."""

    kind: Literal["touch"] = "touch"
    mount: str
    """Name of a body (all of its geoms) or of one geom of the robot."""
    name: str = "touch"
    threshold: NotNegative = 0.1
    """Force that closes the switch, N."""
    noise: NotNegative = 0.0
    """Standard deviation of the force, N."""
    limit: MaybeInfinite = math.inf
    """Saturation limit of the force, N; above 0."""

    def add(self, spec: mujoco.MjSpec) -> None:
        """Check that the mount exists; nothing is added."""
        if spec.body(self.mount) is None and spec.geom(self.mount) is None:
            names = [part.name for part in (*spec.bodies, *spec.geoms)]
            raise unknown(f"sensor '{self.name}'", "body or geom", self.mount, names)

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundTouch:
        """Return the sensor of the robot whose names begin with ``prefix``."""
        name = prefix + self.mount
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
        geom = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name)
        geoms = np.flatnonzero(model.geom_bodyid == body).tolist() if body >= 0 else [geom]
        return BoundTouch(self, tuple(geoms))


@dataclass(frozen=True)
class BoundTouch:
    """Touch sensor bound to its geoms."""

    description: Touch
    geoms: tuple[int, ...]
    needs: Needs = Needs.STATE

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return force (N, sum of the normal forces of all contacts) and touch (1 or 0)."""
        description = self.description
        force = sum((force for _, force in context.contact_forces_on(self.geoms)), start=0.0)
        if description.noise:
            force = max(0.0, force + rng.normal(0.0, description.noise))
        touch = float(force > 0 and force >= description.threshold)
        return {"touch": touch, "force": min(force, description.limit)}
