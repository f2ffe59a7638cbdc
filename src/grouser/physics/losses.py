"""Losses and motors of drives: friction between motor and ground, electric power, force limits.

A drive pushes with its servo force F at a speed v (its own units: N and m/s for a belt, N m and
rad/s for a wheel or a joint). `Losses` holds it back by dry friction of

    coulomb + transmission |F| + rolling (1 + rolling_growth |v|) x (normal load on the ground)

and by a viscous friction. Dry friction is MuJoCo's ``frictionloss`` of the joint, a constraint that
also holds at rest; its limit is updated between steps from force, speed and load. Loads are
MuJoCo's touch sensors on the wheel or on the links of all belts that the drive moves.

`Motor` is a DC motor with a gear: the servo needs the current I = F/(K e), K volts per unit of
speed and e the gear's efficiency (K e is replaced by K/e when the load drives the motor). It takes
the power I² R + K I v, and its force is limited by the current and by the voltage that is left at
its speed. A drive without losses or motor, and every drive with ``losses: false`` in the physics
settings, keeps its bits.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array

if TYPE_CHECKING:
    from grouser.physics.drives import Drive
    from grouser.physics.state import StateArrays, Which

LOAD_RADIUS = 1e3
"""Radius of the touch sensors' zones, m: all contacts of their body are inside."""

FRICTION_TIME = 0.004
"""Time constant with which dry friction stops a joint, s; at least two steps (MuJoCo's limit)."""
FRICTION_IMPEDANCE = 0.99
"""Impedance of dry friction: below its limit a loaded joint creeps by less than 1 mm/s."""


@dataclass(frozen=True, kw_only=True)
class Losses:
    """Friction that a drive works against, in its own units (N and m/s, or N m and rad/s)."""

    coulomb: float = 0.0
    """Constant dry friction, N or N m; also of a belt in the air."""
    viscous: float = 0.0
    """Friction per speed, N s/m or N m s/rad."""
    transmission: float = 0.0
    """Dry friction over the drive's force, 0 to below 1: gears and belts under tension."""
    rolling: float = 0.0
    """Rolling resistance over the normal load of wheel or belt, -."""
    rolling_growth: float = 0.0
    """Relative growth of the rolling resistance with the speed of the rim, s/m."""
    radius: float = 1.0
    """Travel of the rim (m) per unit of the drive: 1 for belts, the radius for wheels."""

    def __post_init__(self) -> None:
        for name, value in dataclasses.asdict(self).items():
            if not (math.isfinite(value) and value >= 0):
                raise BadValue(f"losses: {name} is {value}, must be at least 0")
        if not self.transmission < 1:
            raise BadValue(f"losses: transmission is {self.transmission}, must be below 1")


@dataclass(frozen=True, kw_only=True)
class Motor:
    """DC motor with a gear; SI units."""

    torque_constant: float
    """Torque per current, N m/A, and voltage per speed, V s/rad."""
    resistance: float
    """Resistance of windings and driver, ohm."""
    voltage: float
    """Largest voltage, V."""
    current_limit: float
    """Largest current of the driver, A."""
    ratio: float
    """Motor radians per unit of the drive: the gear ratio; for belts over the sprocket's radius,
    rad/m."""
    efficiency: float = 1.0
    """Efficiency of the gear, above 0 to 1."""
    regenerates: bool = False
    """True: braking power returns to the battery; False: it becomes heat."""

    def __post_init__(self) -> None:
        for name in ("torque_constant", "resistance", "voltage", "current_limit", "ratio"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise BadValue(f"motor: {name} is {value}, must be above 0")
        if not 0 < self.efficiency <= 1:
            raise BadValue(f"motor: efficiency is {self.efficiency}, must be above 0, at most 1")

    @property
    def force_constant(self) -> float:
        """Force of the drive per ampere without gear losses, N/A; volts per unit of its speed."""
        return self.torque_constant * self.ratio

    @property
    def no_load_speed(self) -> float:
        """Speed at which the whole voltage is induced, in the drive's units."""
        return self.voltage / self.force_constant

    def largest_force(self, speed: float) -> float:
        """Return the largest force in the direction of ``speed`` (units of the drive)."""
        left = (self.voltage - self.force_constant * speed) / self.resistance
        amperes = max(0.0, min(self.current_limit, left))
        return amperes * self.force_constant * self.efficiency

    @staticmethod
    def sized(
        *,
        force: float,
        speed: float,
        voltage: float,
        efficiency: float = 0.7,
        spare_speed: float = 1.25,
        stall_over_limit: float = 4.0,
        motor_constant: float = 0.05,
    ) -> Motor:
        """Return a motor for a drive whose maker published none; all numbers are estimates.

        Args:
            force: the current limit gives this force, N or N m.
            speed: top speed of the drive, m/s or rad/s.
            voltage: of the battery, V.
            efficiency: of the gear.
            spare_speed: no-load speed over top speed.
            stall_over_limit: current of the stalled motor at full voltage over the limit.
            motor_constant: torque constant, N m/A; determines the gear ratio only.
        """
        constant = voltage / (spare_speed * speed)
        limit = force / (constant * efficiency)
        return Motor(
            torque_constant=motor_constant,
            resistance=voltage / (stall_over_limit * limit),
            voltage=voltage,
            current_limit=limit,
            ratio=constant / motor_constant,
            efficiency=efficiency,
        )


def has_losses(drives: Mapping[str, Drive]) -> bool:
    """Return True if any drive has losses or a motor."""
    return any(drive.losses or drive.motor for drive in drives.values())


def ideal(drives: Mapping[str, Drive]) -> dict[str, Drive]:
    """Return the drives without losses and motors."""
    return {
        name: dataclasses.replace(drive, losses=None, motor=None) for name, drive in drives.items()
    }


def add_load_sensor(spec: mujoco.MjSpec, body: mujoco.MjsBody, drive: str) -> None:
    """Add a sensor of the normal load on ``body``, which ``drive`` moves."""
    name = _sensor_name(drive, body.name)
    body.add_site(name=name, size=[LOAD_RADIUS, 0, 0], rgba=[0, 0, 0, 0], group=5)
    spec.add_sensor(
        name=name,
        type=mujoco.mjtSensor.mjSENS_TOUCH,
        objtype=mujoco.mjtObj.mjOBJ_SITE,
        objname=name,
    )


def _sensor_name(drive: str, body: str) -> str:
    return f"load/{drive}/{body}"


def apply_constants(model: mujoco.MjModel, drives: Mapping[str, Drive]) -> dict[str, Drive]:
    """Write the constant losses of ``drives`` into the just compiled ``model``.

    Returns:
        The drives; friction that a model file gives a joint is included in their losses, since
        the joint's value changes with load and force from now on.
    """
    time = max(FRICTION_TIME, 2 * float(model.opt.timestep))
    changed = dict(drives)
    for name, drive in drives.items():
        if not (drive.losses or drive.motor):
            continue
        actuator = model.actuator(name)
        dof, gear = int(model.jnt_dofadr[actuator.trnid[0]]), abs(float(actuator.gear[0]))
        own = float(model.dof_frictionloss[dof]) / gear
        losses = drive.losses or Losses()
        losses = dataclasses.replace(losses, coulomb=losses.coulomb + own)
        changed[name] = dataclasses.replace(drive, losses=losses)
        model.dof_damping[dof] += losses.viscous * gear**2
        model.dof_frictionloss[dof] = losses.coulomb * gear
        if drive.losses:
            model.dof_solref[dof] = [time, 1.0]
            model.dof_solimp[dof, :2] = FRICTION_IMPEDANCE
    return changed


class DriveLosses:
    """Losses and motors of a compiled scene's drives, for one simulation or many."""

    def __init__(self, model: mujoco.MjModel, drives: Mapping[str, Drive]) -> None:
        """Look up all drives that have losses or a motor."""
        chosen = [
            (place, name, drive)
            for place, (name, drive) in enumerate(drives.items())
            if drive.losses or drive.motor
        ]
        self.names = tuple(name for _, name, _ in chosen)
        """Names of the drives, in the order of the columns of `LossMemory`."""
        ids = np.array([model.actuator(name).id for name in self.names], int)
        self._actuators = ids
        self._dofs = model.jnt_dofadr[model.actuator_trnid[ids, 0]] if len(ids) else ids
        self._gears = model.actuator_gear[ids, 0]
        self._outputs = model.actuator_outadr[ids]
        losses = [drive.losses or Losses() for _, _, drive in chosen]
        self._coulomb = np.array([one.coulomb for one in losses])
        self._viscous = model.dof_damping[self._dofs] / self._gears**2
        self._transmission = np.array([one.transmission for one in losses])
        self._rolling = np.array([one.rolling * one.radius for one in losses])
        self._growth = np.array([one.rolling_growth * one.radius for one in losses])
        self._load = np.zeros((model.nsensordata, len(chosen)))
        for number, name in enumerate(self.names):
            for address in _load_addresses(model, name):
                self._load[address, number] = 1.0
        self._set_motors(model, [drive for _, _, drive in chosen])

    def _set_motors(self, model: mujoco.MjModel, drives: Sequence[Drive]) -> None:
        """Collect the numbers of motors; a drive without a motor has no electric power."""
        motors = [drive.motor for drive in drives]
        self.motors = tuple(motor is not None for motor in motors)
        """True for each drive with a motor."""
        self._has_motors = any(self.motors)

        def column(name: str, missing: float) -> Array:
            return np.array([getattr(one, name) if one else missing for one in motors])

        self._constant = column("force_constant", math.inf)
        self._resistance = column("resistance", 0.0)
        self._voltage = column("voltage", math.inf)
        self._current = column("current_limit", math.inf)
        self._efficiency = column("efficiency", 1.0)
        self._lowest = np.where(column("regenerates", 0.0) > 0, -np.inf, 0.0)
        self._motor_columns = np.flatnonzero(self.motors)
        self._forces = np.array([drive.force for drive in drives])
        # Weight of a new force limit: the speed that it causes lowers the next one, which would
        # oscillate if the joint is light and the interval long.
        self._inertia = 1 / np.maximum(model.dof_invweight0[self._dofs], 1e-9)
        self._inertia = self._inertia / self._gears**2

    def __bool__(self) -> bool:
        return bool(self.names)

    def start(self, simulations: int) -> LossMemory:
        """Return the memory of simulations before their first step."""
        shape = simulations, len(self.names)
        return LossMemory(np.zeros(shape), np.zeros(shape))

    def clear(self, memory: LossMemory, which: Which) -> None:
        """Clear the memory of the simulations ``which``, which are at their start."""
        for array in memory.arrays():
            array[which] = 0.0

    def electric_sum(self, memory: LossMemory, robot: str, row: int) -> float | None:
        """Return the electric energy of all motors of ``robot``, J; None: it has none."""
        mine = [
            number
            for number, (name, motor) in enumerate(zip(self.names, self.motors, strict=True))
            if motor and name.startswith(f"{robot}/")
        ]
        return float(memory.electric[row, mine].sum()) if mine else None

    def loads(self, rows: StateArrays) -> Array:
        """Return the normal load of each drive's wheel or belts, N, (n, drives)."""
        # Row by row: the summation order of a matrix product depends on the number of rows.
        return np.asarray(np.matmul(rows.sensordata[:, None], self._load)[:, 0])

    def apply(self, rows: StateArrays, memory: LossMemory, seconds: float) -> None:
        """Set friction and force limits for the next interval; add the last interval's energies.

        Args:
            rows: the simulations.
            memory: added to in place.
            seconds: length of the interval.
        """
        speeds = rows.qvel[:, self._dofs] * self._gears
        forces = rows.actuator_force[:, self._outputs]
        fast = np.abs(speeds)
        friction = self._rolling * (1.0 + self._growth * fast) * self.loads(rows)
        friction += self._coulomb + self._transmission * np.abs(forces)
        rows.dof_frictionloss[:, self._dofs] = friction * np.abs(self._gears)
        memory.lost[...] += (friction + self._viscous * fast) * fast * seconds
        if self._has_motors:
            power = self.electric_power(speeds, forces)
            memory.electric[...] += power * seconds
            self._limit(rows, speeds, seconds)

    def electric_power(self, speeds: Array, forces: Array) -> Array:
        """Return the motors' electric power, W, from speeds and forces of the drives, (n, k)."""
        driving = forces * speeds >= 0
        amperes = np.where(driving, forces / self._efficiency, forces * self._efficiency)
        amperes = amperes / self._constant
        with np.errstate(invalid="ignore"):
            induced = np.where(np.isinf(self._constant), 0.0, self._constant * amperes * speeds)
        return np.asarray(np.maximum(amperes**2 * self._resistance + induced, self._lowest))

    def _limit(self, rows: StateArrays, speeds: Array, seconds: float) -> None:
        """Set the force limits that current and voltage allow at the present speeds."""
        which = self._motor_columns
        constant, resistance = self._constant[which], self._resistance[which]
        gain = constant * self._efficiency[which]
        slope = constant * gain / resistance  # N per m/s
        weight = 1 / (1 + seconds * slope / self._inertia[which])
        most = np.minimum(self._current[which] * gain, self._forces[which])
        actuators = self._actuators[which]
        for side, sign in ((0, -1.0), (1, 1.0)):
            volts = self._voltage[which] - sign * constant * speeds[:, which]
            wanted = np.minimum(np.maximum(volts / resistance * gain, 0.0), most)
            present = np.abs(rows.actuator_forcerange[:, actuators, side])
            rows.actuator_forcerange[:, actuators, side] = sign * (
                present + weight * (wanted - present)
            )


@dataclass(frozen=True)
class LossMemory:
    """Energies of drives with losses or a motor, a row per simulation."""

    lost: Array
    """Work against friction and damping of joints, belts and wheels, J, (n, k)."""
    electric: Array
    """Electric energy of motors, J, (n, k); 0 without a motor."""

    def arrays(self) -> list[Array]:
        """Return all arrays."""
        return [self.lost, self.electric]

    def take(self, which: npt.NDArray[np.integer]) -> LossMemory:
        """Return a copy of the rows ``which``."""
        return LossMemory(*(array[which] for array in self.arrays()))


def _load_addresses(model: mujoco.MjModel, drive: str) -> list[int]:
    """Return the addresses of the load sensors of ``drive`` (full name) in ``sensordata``."""
    robot, _, own = drive.partition("/")
    start = f"{robot}/{_sensor_name(own, '')}"
    return [
        int(model.sensor_adr[number])
        for number in range(model.nsensor)
        if model.sensor(number).name.startswith(start)
    ]
