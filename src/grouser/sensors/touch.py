"""Touch: whether a part of the robot presses against something that is not the robot."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.errors import BadValue, unknown
from grouser.sensors.sensor import Needs, SensorContext, Values, check_numbers
from grouser.sensors.skin import Skin


@dataclass(frozen=True, kw_only=True)
class Touch:
    """A switch or a force sensor under the skin of one body, or of one geom of it."""

    mount: str
    """Name of the body (all of its geoms) or of the one geom of the robot that feels."""
    name: str = "touch"
    rate_hz: float = 25.0
    """Readings per second."""
    delay_s: float = 0.0
    """How long after it was measured a reading can be read, s."""
    threshold: float = 0.1
    """Force at which the switch closes, N."""
    noise: float = 0.0
    """Standard deviation of the force, N."""
    limit: float = math.inf
    """Largest force it can show, N; above 0."""

    def __post_init__(self) -> None:
        check_numbers(self, threshold=self.threshold, noise=self.noise)
        if not self.limit > 0:
            raise BadValue(f"sensor '{self.name}': limit is {self.limit}, must be above 0")

    def add(self, spec: mujoco.MjSpec) -> None:
        """Add nothing, but refuse a mount that is not there."""
        if spec.body(self.mount) is None and spec.geom(self.mount) is None:
            names = [part.name for part in (*spec.bodies, *spec.geoms)]
            raise unknown(f"sensor '{self.name}'", "body or geom", self.mount, names)

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundTouch:
        """Return the sensor of the robot whose names begin with ``prefix``."""
        name = prefix + self.mount
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
        geom = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name)
        feels = model.geom_bodyid == body if body >= 0 else np.arange(model.ngeom) == geom
        return BoundTouch(self, Skin(feels))


@dataclass(frozen=True)
class BoundTouch:
    """A touch sensor that knows its skin."""

    description: Touch
    skin: Skin
    needs: Needs = Needs.STATE

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return force (N, the sum of all contacts' normal forces) and touch (1 or 0)."""
        description = self.description
        force = sum((force for _, force in self.skin.contact_forces(context)), start=0.0)
        if description.noise:
            force = max(0.0, force + rng.normal(0.0, description.noise))
        touch = float(force > 0 and force >= description.threshold)
        return {"touch": touch, "force": min(force, description.limit)}
