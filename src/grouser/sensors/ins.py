"""Inertial navigation: the pose that an INS adds up from its own motion, and how it drifts.

From reading to reading the true change of pose is taken in the sensor's own frame, given errors
and added to where the INS believes itself to be. Errors are a part of the change (Gaussian, as in
USARSim), and a drift of constant speed that is drawn once per run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np

from grouser.frames import Array, Pose, axis_angle, to_rpy_one
from grouser.sensors.mounted import Mounted, site_pose
from grouser.sensors.sensor import Moment, Needs, Values, check


@dataclass(frozen=True, kw_only=True)
class Ins(Mounted):
    """An inertial navigation system; it starts knowing where it is."""

    name: str = "ins"
    rate_hz: float = 5.0
    """Readings per second (USARSim: every 0.2 s)."""
    noise_part: float = 0.0
    """Standard deviation of each step's travel and turn, as a part of them."""
    drift: float = 0.0
    """Standard deviation of the speed at which the position drifts along each axis, m/s."""
    turn_drift: float = 0.0
    """Standard deviation of the speed at which it believes to turn about each axis, rad/s."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check(self, noise_part=self.noise_part, drift=self.drift, turn_drift=self.turn_drift)

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundIns:
        """Return the INS of the robot whose names begin with ``prefix``."""
        return BoundIns(self, self.site(model, prefix))


@dataclass(frozen=True)
class Believed:
    """What an INS remembers."""

    time: float
    """Of its last reading, s."""
    X_WS: Pose
    """Where it truly was."""
    X_WI: Pose
    """Where it believed to be."""
    drift: Array
    """Its own drift along and about each axis, (6,), m/s and rad/s."""


class BoundIns:
    """An INS that knows its site."""

    needs = Needs.PLACES

    def __init__(self, description: Ins, site: int) -> None:
        self._told, self._site = description, site
        self.memory: Believed | None = None

    def believe(self, X_WI: Pose) -> None:
        """Take over ``X_WI`` as its pose; what it adds up goes on from there."""
        if self.memory is not None:
            self.memory = replace(self.memory, X_WI=X_WI)

    def read(self, moment: Moment, rng: np.random.Generator) -> Values:
        """Return x, y, z (m), roll, pitch, yaw (rad) in the world frame, as believed."""
        time, X_WS = float(moment.data.time), site_pose(moment.data, self._site)
        self.memory = self._believe(time, X_WS, rng)
        x, y, z = self.memory.X_WI.position.tolist()
        roll, pitch, yaw = to_rpy_one(*self.memory.X_WI.wxyz.tolist())
        return {"x": x, "y": y, "z": z, "roll": roll, "pitch": pitch, "yaw": yaw}

    def _believe(self, time: float, X_WS: Pose, rng: np.random.Generator) -> Believed:
        told, was = self._told, self.memory
        if was is None:
            spread = np.repeat([told.drift, told.turn_drift], 3)
            return Believed(time, X_WS, X_WS, rng.normal(0.0, 1.0, 6) * spread)
        change = was.X_WS.inverse() @ X_WS
        way, turn = change.position, _turn_vector(change.wxyz)
        errors = was.drift * (time - was.time)
        if told.noise_part:
            sizes = np.repeat([np.linalg.norm(way), np.linalg.norm(turn)], 3)
            errors = errors + told.noise_part * sizes * rng.standard_normal(6)
        step = Pose(way + errors[:3], _from_turn_vector(turn + errors[3:]))
        return Believed(time, X_WS, was.X_WI @ step, was.drift)


def _turn_vector(wxyz: Array) -> Array:
    """Return axis x angle (3,) of a turn of less than half a circle."""
    vector = np.empty(3)
    mujoco.mju_quat2Vel(vector, wxyz, 1.0)
    return vector


def _from_turn_vector(vector: Array) -> Array:
    """Return the unit quaternion (4,) of axis x angle (3,)."""
    angle = float(np.linalg.norm(vector))
    return axis_angle(vector.tolist(), angle) if angle else np.array([1.0, 0.0, 0.0, 0.0])
