"""Friction by slip speed: Stribeck's law for contacts of robots and objects with the ground.

A surface may give, beside its friction at rest mu_s, a kinetic friction mu_k, a speed v_s and an
exponent n:

    mu(v) = mu_k + (mu_s - mu_k) exp(-(v / v_s)^n)

MuJoCo's friction is constant during a step. In a world with such a surface every collision geom of
a robot or object has a contact sensor that measures the slip speed v of its most loaded contact;
between steps the geom's friction is set to mu(v). It takes priority over that of the ground, whose
geoms hold the law in their user data. Belts of the method ``surface`` move without their geoms:
their slip is not measured, and their friction stays mu_s.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.physics.compliance import MARKS

if TYPE_CHECKING:
    from grouser.physics.state import StateArrays

UPDATE_TIME = 0.002
"""Longest time between two updates of friction, s."""

MOST_SENSORS = 5_000
"""Largest number of contact sensors in a scene."""

_DATA = sum(
    1 << int(field)
    for field in (mujoco.mjtConDataField.mjCONDATA_FOUND, mujoco.mjtConDataField.mjCONDATA_LINVEL)
)
"""Numbers of a sensor: found, and the velocity in the frame of the contact, normal first."""
_MAXFORCE = 2
"""MuJoCo's number of the reduction ``maxforce``."""


@dataclass(frozen=True)
class SlipLaw:
    """Friction by slip speed."""

    static: float
    kinetic: float
    speed: float
    """Stribeck speed, m/s."""
    exponent: float
    """2: a smooth transition; 20: almost a step at ``speed``."""

    def at(self, slip: float) -> float:
        """Return the friction at a speed of ``slip`` (m/s)."""
        falling = math.exp(-((slip / self.speed) ** self.exponent))
        return self.kinetic + (self.static - self.kinetic) * falling


def law_marks(kinetic: float, speed: float, exponent: float) -> list[float]:
    """Return the user data of a ground geom, behind that of `grouser.physics.compliance`."""
    return [*[0.0] * MARKS, kinetic, speed, exponent]


def add_sensors(spec: mujoco.MjSpec) -> bool:
    """Prepare a scene that has a surface with a slip law; return whether it has one."""
    ground = [geom for geom in spec.worldbody.geoms if geom.contype]
    if not any(_law(geom) for geom in ground):
        return False
    laws = [_law(geom) or float(geom.friction[0]) for geom in ground]
    static = set(map(id, ground))
    moving = [
        geom
        for body in spec.bodies[1:]
        for geom in body.geoms
        if id(geom) not in static and geom.contype and geom.condim > 1
    ]
    uniform = len(set(laws)) == 1
    partners = ground[:1] if uniform else ground
    if len(moving) * len(partners) > MOST_SENSORS:
        raise BadValue(
            f"world: friction by slip speed needs {len(moving) * len(partners)} sensors for "
            f"{len(moving)} moving geoms on {len(ground)} ground geoms of different friction, at "
            f"most {MOST_SENSORS} are possible; give all surfaces the same friction, or use fewer"
        )
    for number, geom in enumerate((*ground, *moving)):
        geom.name = geom.name or f"unnamed/{number}"
    start = float(np.mean([geom.friction[0] for geom in ground]))
    for geom in moving:
        geom.priority = 1
        geom.friction[0] = start
        for partner in partners:
            sensor = spec.add_sensor(
                name=f"slip/{geom.name}/{partner.name}",
                type=mujoco.mjtSensor.mjSENS_CONTACT,
                objtype=mujoco.mjtObj.mjOBJ_GEOM,
                objname=geom.name,
            )
            sensor.intprm[:3] = [_DATA, _MAXFORCE, 1]
            if uniform:
                continue
            sensor.reftype = mujoco.mjtObj.mjOBJ_GEOM
            sensor.refname = partner.name
    return True


def _law(geom: mujoco.MjsGeom) -> SlipLaw | None:
    """Return the law of a ground geom; None: its friction is constant."""
    marks = list(geom.userdata)
    if len(marks) <= MARKS:
        return None
    return SlipLaw(float(geom.friction[0]), *marks[MARKS:])


class SlipFriction:
    """Friction of all moving geoms of a compiled scene, for one simulation or many."""

    def __init__(self, model: mujoco.MjModel) -> None:
        """Look up the sensors of `add_sensors`."""
        geoms, grounds, addresses = [], [], []
        for number in range(model.nsensor):
            if model.sensor_type[number] != mujoco.mjtSensor.mjSENS_CONTACT:
                continue
            if not model.sensor(number).name.startswith("slip/"):
                continue
            geoms.append(int(model.sensor_objid[number]))
            partner = int(model.sensor_refid[number])
            grounds.append(partner if partner >= 0 else _first_ground(model))
            addresses.append(int(model.sensor_adr[number]))
        self._geoms = np.array(sorted(set(geoms)), int)
        column = {geom: number for number, geom in enumerate(self._geoms.tolist())}
        self._columns = np.array([column[geom] for geom in geoms], int)
        self._grounds = np.array(grounds, int)
        self._addresses = np.array(addresses, int)
        laws = self._laws(model, self._grounds.tolist())
        self._kinetic_share, self._speeds, self._exponents = laws
        self._first = np.searchsorted(self._columns, np.arange(len(self._geoms)))

    @staticmethod
    def _laws(model: mujoco.MjModel, grounds: Sequence[int]) -> tuple[Array, Array, Array]:
        """Return kinetic over static friction, Stribeck speeds and exponents of ground geoms."""
        shares, speeds, exponents = (np.ones(len(grounds)) for _ in range(3))
        for number, ground in enumerate(grounds):
            kinetic, speed, exponent = model.geom_user[ground, MARKS:].tolist()
            static = float(model.geom_friction[ground, 0])
            if speed and static:
                shares[number], speeds[number] = kinetic / static, speed
                exponents[number] = exponent
        return shares, speeds, exponents

    def __bool__(self) -> bool:
        return bool(len(self._geoms))

    @property
    def shared_numbers(self) -> list[Array]:
        """Numbers in which all simulations agree, though their model fields might differ."""
        return [self._kinetic_share, self._speeds, self._exponents]

    def apply(self, rows: StateArrays) -> None:
        """Set the friction of all moving geoms from the slip speeds of the last step."""
        static = rows.geom_friction[:, self._grounds, 0]
        found = rows.sensordata[:, self._addresses] > 0
        across = rows.sensordata[:, self._addresses + 2], rows.sensordata[:, self._addresses + 3]
        slip = np.hypot(*across) / self._speeds
        falling = np.exp(-(slip**self._exponents))
        friction = static * (self._kinetic_share + (1 - self._kinetic_share) * falling)
        # The mean of the touched grounds. A geom in the air keeps its value: a hopping contact that
        # began every landing at rest would have too much friction.
        touched = np.add.reduceat(found, self._first, axis=1, dtype=float)
        total = np.add.reduceat(np.where(found, friction, 0.0), self._first, axis=1)
        present = rows.geom_friction[:, self._geoms, 0]
        mean = np.where(touched > 0, total / np.maximum(touched, 1.0), present)
        rows.geom_friction[:, self._geoms, 0] = mean


def _first_ground(model: mujoco.MjModel) -> int:
    """Return the first collision geom of the world body."""
    ground: npt.NDArray[np.intp] = np.flatnonzero(
        (model.geom_bodyid == 0) & (model.geom_contype > 0)
    )
    return int(ground[0])
