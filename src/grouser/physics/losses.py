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
from typing import TYPE_CHECKING, Annotated

import mujoco
import numpy as np
import numpy.typing as npt
from pydantic import Field

from grouser.description import Description, NotNegative, Positive
from grouser.frames import Array
from grouser.physics.scalar_losses import DERATING, DriveAddresses, ScalarLosses

if TYPE_CHECKING:
    from grouser.physics.drives import Drive
    from grouser.physics.state import StateArrays, Which

LOAD_RADIUS = 1e3
"""Radius of the touch sensors' zones, m: all contacts of their body are inside."""

FRICTION_TIME = 0.01
"""Time constant with which dry friction stops a joint, s; at least two steps (MuJoCo's limit)."""
FRICTION_IMPEDANCE = 0.95
"""Impedance of dry friction. MuJoCo's friction yields slowly below its limit, by 1 to 2 mm/s of a
belt at the limit, until the servo holds the load: with 0.99 and 4 ms that takes seconds, in which a
parked robot creeps by a few mm/min."""

AMBIENT = 20.0
"""Temperature of the surroundings, degrees Celsius."""


class Losses(Description):
    """Friction that a drive works against, in its own units (N and m/s, or N m and rad/s)."""

    coulomb: NotNegative = 0.0
    """Constant dry friction, N or N m; also of a belt in the air."""
    viscous: NotNegative = 0.0
    """Friction per speed, N s/m or N m s/rad."""
    transmission: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Dry friction over the drive's force, 0 to below 1: gears and belts under tension."""
    rolling: NotNegative = 0.0
    """Rolling resistance over the normal load of wheel or belt, -."""
    rolling_growth: NotNegative = 0.0
    """Relative growth of the rolling resistance with the speed of the rim, s/m."""


class MotorHeat(Description):
    """Thermal model of a motor: one heat capacity, cooled through one resistance."""

    capacity: Positive
    """Heat capacity of windings and housing, J/K."""
    resistance: Positive
    """Thermal resistance to the surroundings, K/W."""
    limit: float | None = None
    """Winding temperature at which the driver stops the motor, degrees Celsius; the current limit
    falls over the last 10 K. None: no limit."""


class Motor(Description):
    """DC motor with a gear; SI units."""

    torque_constant: Positive
    """Torque per current, N m/A, and voltage per speed, V s/rad."""
    resistance: Positive
    """Resistance of windings and driver, ohm."""
    voltage: Positive
    """Largest voltage, V."""
    current_limit: Positive
    """Largest current of the driver, A."""
    ratio: Positive
    """Motor radians per unit of the drive: the gear ratio; for belts over the sprocket's radius,
    rad/m."""
    efficiency: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Efficiency of the gear, above 0 to 1."""
    regenerates: bool = False
    """True: braking power returns to the battery; False: it becomes heat."""
    heat: MotorHeat | None = None
    """None: its temperature is that of the surroundings."""

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

    @classmethod
    def sized(
        cls,
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
        return cls(
            torque_constant=motor_constant,
            resistance=voltage / (stall_over_limit * limit),
            voltage=voltage,
            current_limit=limit,
            ratio=constant / motor_constant,
            efficiency=efficiency,
        )


class BatteryPack(Description):
    """Battery of a robot: full at the start."""

    energy: Positive
    """Energy of the full battery, J."""
    voltage: Positive
    """Voltage without load, V."""
    resistance: NotNegative = 0.0
    """Internal resistance, ohm: the voltage falls under load, and part of the energy is heat."""
    idle: NotNegative = 0.0
    """Power of electronics, W."""

    def endurance(self, power: float) -> float:
        """Return the time (s) in which a constant ``power`` (W, idle included) empties it."""
        left = max(self.voltage**2 - 4 * self.resistance * power, 0.0)
        terminal = (self.voltage + math.sqrt(left)) / 2
        seconds = self.energy * terminal / self.voltage / power if power > 0 else math.inf
        return float(seconds)


def has_losses(drives: Mapping[str, Drive]) -> bool:
    """Return True if any drive has losses or a motor."""
    return any(drive.losses or drive.motor for drive in drives.values())


def without_losses(model: mujoco.MjModel, drives: Mapping[str, Drive]) -> dict[str, Drive]:
    """Return the drives without losses and motors; ``model`` stays as it is."""
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
        losses = losses.model_copy(update={"coulomb": losses.coulomb + own})
        changed[name] = dataclasses.replace(drive, losses=losses)
        model.dof_damping[dof] += losses.viscous * gear**2
        model.dof_frictionloss[dof] = losses.coulomb * gear
        if drive.losses:
            model.dof_solref[dof] = [time, 1.0]
            model.dof_solimp[dof, :2] = FRICTION_IMPEDANCE
    return changed


class DriveLosses:
    """Losses, motors and batteries of a compiled scene, for one simulation or many."""

    def __init__(
        self,
        model: mujoco.MjModel,
        drives: Mapping[str, Drive],
        batteries: Mapping[str, BatteryPack],
    ) -> None:
        """Look up all drives that have losses or a motor, and the ``batteries`` by robot."""
        chosen = {name: drive for name, drive in drives.items() if drive.losses or drive.motor}
        self.names = tuple(chosen)
        """Names of the drives, in the order of the columns of `LossMemory`."""
        self.batteries = dict(batteries)
        """Batteries by robot, in the order of the columns of `LossMemory.drained`."""
        self._actuators = np.array([model.actuator(name).id for name in self.names], int)
        self._dofs = model.jnt_dofadr[model.actuator_trnid[self._actuators, 0]]
        self._gears = model.actuator_gear[self._actuators, 0]
        self._outputs = model.actuator_outadr[self._actuators]
        self._friction = FrictionNumbers.of(model, chosen, self._dofs, self._gears)
        self._motors = MotorNumbers.of(chosen)
        self.motors = tuple(drive.motor is not None for drive in chosen.values())
        """True for each drive with a motor."""
        self._has_motors = any(self.motors)
        self._cells = BatteryNumbers.of(self.batteries, self.names)
        self._scalar: ScalarLosses | None = None
        if ScalarLosses.suits(self._friction):
            at = DriveAddresses(self._actuators, self._dofs, self._outputs, self._gears)
            self._scalar = ScalarLosses(at, self._friction, self._motors, self._cells)

    def __bool__(self) -> bool:
        return bool(self.names or self.batteries)

    @property
    def shared_numbers(self) -> list[Array]:
        """Numbers in which all simulations agree, though their model fields might differ."""
        return [self._friction.viscous]

    def start(self, rows: StateArrays) -> LossMemory:
        """Return the memory of simulations before their first step."""
        count = len(rows.qpos)
        lost, electric, warming, inertia = (np.zeros((count, len(self.names))) for _ in range(4))
        drained = np.zeros((count, len(self.batteries)))
        memory = LossMemory(lost, electric, warming, drained, inertia)
        self.read_inertia(rows, memory, slice(None))
        return memory

    def clear(self, rows: StateArrays, memory: LossMemory, which: Which) -> None:
        """Clear the memory of the simulations ``which``, which are at their start."""
        for array in memory.arrays():
            array[which] = 0.0
        self.read_inertia(rows, memory, which)

    def read_inertia(self, rows: StateArrays, memory: LossMemory, which: Which) -> None:
        """Compute the inertia of drives from model fields, which may differ by simulation."""
        inverse = rows.dof_invweight0[which][..., self._dofs]
        memory.inertia[which] = 1 / np.maximum(inverse, 1e-9) / self._gears**2

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
        numbers = self._friction
        return _row_products(rows.sensordata[:, numbers.sensors], numbers.load)

    def apply(self, rows: StateArrays, memory: LossMemory, seconds: float) -> None:
        """Set friction and force limits for the next interval; add the last interval's energies.

        Args:
            rows: the simulations.
            memory: added to in place.
            seconds: length of the interval.
        """
        if self._scalar and len(rows.qpos) == 1 and self._scalar.apply(rows, memory, seconds):
            return
        speeds = rows.qvel[:, self._dofs] * self._gears
        forces = rows.actuator_force[:, self._outputs]
        fast, numbers = np.abs(speeds), self._friction
        friction = numbers.rolling * (1.0 + numbers.growth * fast) * self.loads(rows)
        friction += numbers.coulomb + numbers.transmission * np.abs(forces)
        rows.dof_frictionloss[:, self._dofs] = friction * np.abs(self._gears)
        memory.lost[...] += (friction + numbers.viscous * fast) * fast * seconds
        amperes = self._amperes(speeds, forces)
        copper = amperes**2 * self._motors.resistance
        induced = self._motors.constant * amperes * speeds
        power = np.maximum(copper + induced, self._motors.lowest)
        memory.electric[...] += power * seconds
        cooling = memory.warming * self._motors.cooling
        memory.warming[...] += (copper - cooling) * self._motors.heating * seconds
        volts = self._drain(power, memory, seconds)
        if self._has_motors:
            self._limit(rows, speeds, memory, volts, seconds)

    def _amperes(self, speeds: Array, forces: Array) -> Array:
        """Return the motors' currents, A, from speeds and forces of the drives, (n, k)."""
        efficiency = self._motors.efficiency
        losing = np.where(forces * speeds >= 0, 1 / efficiency, efficiency)
        return np.asarray(forces * losing * self._motors.per_force)

    def _drain(self, power: Array, memory: LossMemory, seconds: float) -> Array:
        """Discharge batteries by ``power`` (n, k), W; return the motors' voltages, V, (n, k)."""
        cells = self._cells
        watts = _row_products(power, cells.feeds) + cells.idle
        # Terminal voltage u with u (e - u)/r = watts, at most half of it lost inside.
        root = np.sqrt(np.maximum(cells.volts**2 - 4 * cells.resistance * watts, 0.0))
        terminal = (cells.volts + root) / 2
        memory.drained[...] += watts * cells.volts / terminal * seconds
        terminal = np.where(memory.drained < cells.energy, terminal, 0.0)
        sagging = np.concatenate([terminal, np.full((len(terminal), 1), np.inf)], axis=1)
        return np.asarray(np.minimum(self._motors.voltage, sagging[:, cells.of_drive]))

    def _limit(
        self, rows: StateArrays, speeds: Array, memory: LossMemory, volts: Array, seconds: float
    ) -> None:
        """Set the force limits that current, voltage and temperature allow at these speeds."""
        motors = self._motors
        which = motors.which
        constant, resistance = motors.constant[which], motors.resistance[which]
        gain = constant * motors.efficiency[which]
        # The speed that a limit causes lowers the next limit: that would oscillate if the joint is
        # light and the interval long. This is the implicit Euler rule.
        slope = constant * gain / resistance
        weight = 1 / (1 + seconds * slope / memory.inertia[:, which])
        left = (motors.hottest[which] - memory.warming[:, which]) / DERATING
        most = motors.current[which] * np.minimum(np.maximum(left, 0.0), 1.0) * gain
        most = np.minimum(most, motors.strongest[which])
        actuators = self._actuators[which]
        for side, sign in ((0, -1.0), (1, 1.0)):
            amperes = (volts[:, which] - sign * constant * speeds[:, which]) / resistance
            wanted = np.minimum(np.maximum(amperes * gain, 0.0), most)
            present = np.abs(rows.actuator_forcerange[:, actuators, side])
            limits = np.minimum(present + weight * (wanted - present), most)
            limits = np.where(volts[:, which] > 0, limits, 0.0)
            rows.actuator_forcerange[:, actuators, side] = sign * limits

    def temperatures(self, memory: LossMemory, row: int = 0) -> dict[str, float]:
        """Return the temperature of each drive's motor, degrees Celsius, by full name."""
        values = (AMBIENT + memory.warming[row]).tolist()
        return dict(zip(self.names, values, strict=True))

    def charges(self, memory: LossMemory, row: int = 0) -> dict[str, float]:
        """Return the remaining energy of each robot's battery, J, by robot."""
        left = np.maximum(0.0, self._cells.energy - memory.drained[row]).tolist()
        return dict(zip(self.batteries, left, strict=True))


@dataclass(frozen=True)
class LossMemory:
    """Energies and temperatures of drives with losses or a motor, a row per simulation."""

    lost: Array
    """Work against friction and damping of joints, belts and wheels, J, (n, k)."""
    electric: Array
    """Electric energy of motors, J, (n, k); 0 without a motor."""
    warming: Array
    """Temperature of motors above that of the surroundings, K, (n, k)."""
    drained: Array
    """Energy taken from batteries, their own losses included, J, (n, batteries)."""
    inertia: Array
    """Inertia of the drives, kg m2 or kg, (n, k); constant during a run."""

    def arrays(self) -> list[Array]:
        """Return all arrays that change during a run."""
        return [self.lost, self.electric, self.warming, self.drained]

    def take(self, which: npt.NDArray[np.integer]) -> LossMemory:
        """Return a copy of the rows ``which``."""
        return LossMemory(*(array[which] for array in (*self.arrays(), self.inertia)))


@dataclass(frozen=True)
class FrictionNumbers:
    """Numbers of the losses of k drives, (k,)."""

    coulomb: Array
    viscous: Array
    transmission: Array
    rolling: Array
    growth: Array
    sensors: npt.NDArray[np.intp]
    """Addresses of the load sensors, (s,)."""
    load: Array
    """1 where a sensor belongs to a drive, (s, k)."""

    @staticmethod
    def of(
        model: mujoco.MjModel, drives: Mapping[str, Drive], dofs: Array, gears: Array
    ) -> FrictionNumbers:
        """Collect the numbers of ``drives``; joints' damping counts as viscous friction."""
        losses = [drive.losses or Losses() for drive in drives.values()]
        rims = np.array([drive.rim for drive in drives.values()])
        owners = {
            address: number
            for number, name in enumerate(drives)
            for address in _load_addresses(model, name)
        }
        load = np.zeros((len(owners), len(drives)))
        load[np.arange(len(owners)), list(owners.values())] = 1.0
        return FrictionNumbers(
            coulomb=np.array([one.coulomb for one in losses]),
            viscous=model.dof_damping[dofs] / gears**2,
            transmission=np.array([one.transmission for one in losses]),
            rolling=np.array([one.rolling for one in losses]) * rims,
            growth=np.array([one.rolling_growth for one in losses]) * rims,
            sensors=np.array(list(owners), np.intp),
            load=load,
        )


@dataclass(frozen=True)
class MotorNumbers:
    """Numbers of the motors of k drives, (k,); without a motor there is no current."""

    which: npt.NDArray[np.intp]
    """Columns of the drives with a motor."""
    constant: Array
    per_force: Array
    """Current per force without gear losses, A/N."""
    resistance: Array
    voltage: Array
    current: Array
    efficiency: Array
    lowest: Array
    """Least electric power, W."""
    strongest: Array
    """Force limits of the drives."""
    heating: Array
    """K/J."""
    cooling: Array
    """W/K."""
    hottest: Array
    """Temperature limit above the surroundings, K."""

    @staticmethod
    def of(drives: Mapping[str, Drive]) -> MotorNumbers:
        """Collect the numbers of ``drives``."""
        motors = [drive.motor for drive in drives.values()]
        heats = [motor.heat if motor else None for motor in motors]

        def column(name: str, missing: float) -> Array:
            return np.array([getattr(one, name) if one else missing for one in motors], float)

        limits = [heat.limit if heat and heat.limit is not None else np.inf for heat in heats]
        return MotorNumbers(
            which=np.flatnonzero([motor is not None for motor in motors]),
            constant=column("force_constant", 0.0),
            per_force=np.array([1 / one.force_constant if one else 0.0 for one in motors]),
            resistance=column("resistance", 0.0),
            voltage=column("voltage", np.inf),
            current=column("current_limit", np.inf),
            efficiency=column("efficiency", 1.0),
            lowest=np.where(column("regenerates", 0.0) > 0, -np.inf, 0.0),
            strongest=np.array([drive.force for drive in drives.values()]),
            heating=np.array([1 / heat.capacity if heat else 0.0 for heat in heats]),
            cooling=np.array([1 / heat.resistance if heat else 0.0 for heat in heats]),
            hottest=np.array(limits) - AMBIENT,
        )


@dataclass(frozen=True)
class BatteryNumbers:
    """Numbers of the batteries of b robots, (b,)."""

    energy: Array
    volts: Array
    resistance: Array
    idle: Array
    feeds: Array
    """1 where a battery feeds a drive, (k, b)."""
    of_drive: npt.NDArray[np.intp]
    """Column of each drive's battery, (k,); b: it has none."""

    @staticmethod
    def of(batteries: Mapping[str, BatteryPack], drives: Sequence[str]) -> BatteryNumbers:
        """Collect the numbers of ``batteries``, by robot, which feed its ``drives``."""
        packs, robots = list(batteries.values()), list(batteries)
        owners = [name.partition("/")[0] for name in drives]
        of_drive = [robots.index(one) if one in batteries else len(packs) for one in owners]
        feeds = np.zeros((len(drives), len(packs)))
        for number, column in enumerate(of_drive):
            if column < len(packs):
                feeds[number, column] = 1.0
        return BatteryNumbers(
            energy=np.array([pack.energy for pack in packs]),
            volts=np.array([pack.voltage for pack in packs]),
            resistance=np.array([pack.resistance for pack in packs]),
            idle=np.array([pack.idle for pack in packs]),
            feeds=feeds,
            of_drive=np.array(of_drive, np.intp),
        )


def _row_products(values: Array, weights: Array) -> Array:
    """Return values (n, m) times weights (m, k), (n, k)."""
    # The summation order of a matrix product depends on the number of rows; that of a sum does not.
    return np.asarray((values[:, :, None] * weights).sum(axis=1))


def _load_addresses(model: mujoco.MjModel, drive: str) -> list[int]:
    """Return the addresses of the load sensors of ``drive`` (full name) in ``sensordata``."""
    robot, _, own = drive.partition("/")
    start = f"{robot}/{_sensor_name(own, '')}"
    return [
        int(model.sensor_adr[number])
        for number in range(model.nsensor)
        if model.sensor(number).name.startswith(start)
    ]
