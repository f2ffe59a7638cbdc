"""Losses and motors of one simulation with few drives, in scalars: the same bits in less time.

Arrays of one row take 60 to 90 us (`DriveLosses.apply`), most of it in NumPy calls; scalars take
a tenth. Every product and sum here has the order of the array code.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from grouser.frames import Array
    from grouser.physics.losses import BatteryNumbers, FrictionNumbers, LossMemory, MotorNumbers
    from grouser.physics.state import StateArrays

FEW = 7
"""Most drives: NumPy adds up to 7 numbers in order, more of them pairwise."""
DERATING = 10.0
"""Temperature range below its limit over which a motor's current limit falls to 0, K."""


@dataclass(frozen=True)
class DriveAddresses:
    """Addresses of k drives in MuJoCo's arrays, and their gears, (k,)."""

    actuators: Array
    dofs: Array
    outputs: Array
    gears: Array


@dataclass(frozen=True, slots=True)
class _Scalars:
    """Numbers of one drive; names as in `FrictionNumbers` and `MotorNumbers`."""

    number: int
    """Column in `LossMemory`."""
    actuator: int
    dof: int
    output: int
    gear: float
    joint_gear: float
    """Absolute value of the gear."""
    sensors: tuple[int, ...]
    coulomb: float
    viscous: float
    transmission: float
    rolling: float
    growth: float
    has_motor: bool
    constant: float
    per_force: float
    resistance: float
    voltage: float
    current: float
    efficiency: float
    driving: float
    """Inverse of the efficiency."""
    lowest: float
    strongest: float
    heating: float
    cooling: float
    hottest: float
    battery: int
    """Column of its battery; -1: none."""
    gain: float
    slope: float
    """Change of the force per change of speed, N s/m or N m s/rad."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """Numbers of one battery; names as in `BatteryNumbers`."""

    energy: float
    volts: float
    resistance: float
    idle: float


class ScalarLosses:
    """Losses of up to `FEW` drives of a single simulation."""

    def __init__(
        self,
        at: DriveAddresses,
        friction: FrictionNumbers,
        motors: MotorNumbers,
        cells: BatteryNumbers,
    ) -> None:
        """Read the numbers of all drives and batteries."""
        count = len(cells.energy)
        self._drives = tuple(
            _drive(number, at, friction, motors, battery if battery < count else -1)
            for number, battery in enumerate(cells.of_drive.tolist())
        )
        columns = cells.energy, cells.volts, cells.resistance, cells.idle
        numbers = zip(*map(np.ndarray.tolist, columns), strict=True)
        self._cells = tuple(_Cell(*row) for row in numbers)

    @staticmethod
    def suits(friction: FrictionNumbers) -> bool:
        """Return True if the order of all sums is known."""
        drives, sensors = len(friction.coulomb), len(friction.sensors)
        return 0 < drives <= FEW and (drives > 1 or sensors <= FEW)

    def apply(self, rows: StateArrays, memory: LossMemory, seconds: float) -> bool:
        """Do what `DriveLosses.apply` does; return False, and do nothing, for bad numbers."""
        speed_at, force_at = rows.qvel.item, rows.actuator_force.item
        motions = [(speed_at(d.dof) * d.gear, force_at(d.output)) for d in self._drives]
        if not math.isfinite(sum([speed + force for speed, force in motions])):
            return False  # NumPy's minima and maxima treat them differently
        watts = self._work(rows, memory, seconds, motions)
        volts = self._drain(memory, seconds, watts)
        for drive, (speed, _) in zip(self._drives, motions, strict=True):
            if drive.has_motor:
                present = volts[drive.battery] if drive.battery >= 0 else math.inf
                self._limit(rows, memory, drive, speed, min(drive.voltage, present), seconds)
        return True

    def _work(
        self,
        rows: StateArrays,
        memory: LossMemory,
        seconds: float,
        motions: list[tuple[float, float]],
    ) -> list[float]:
        """Set the friction of all drives, add their energies; return their batteries' powers, W."""
        load_at, lost, electric = rows.sensordata.item, memory.lost, memory.electric
        watts = [0.0] * len(self._cells)
        for drive, (speed, force) in zip(self._drives, motions, strict=True):
            number, fast, load = drive.number, abs(speed), 0.0
            for sensor in drive.sensors:
                load += load_at(sensor)
            friction = drive.rolling * (1.0 + drive.growth * fast) * load
            friction += drive.coulomb + drive.transmission * abs(force)
            rows.dof_frictionloss[0, drive.dof] = friction * drive.joint_gear
            loss = (friction + drive.viscous * fast) * fast * seconds
            lost[0, number] = lost.item(number) + loss
            if not drive.has_motor:
                continue
            losing = drive.driving if force * speed >= 0 else drive.efficiency
            amperes = force * losing * drive.per_force
            copper = amperes * amperes * drive.resistance
            power = max(copper + drive.constant * amperes * speed, drive.lowest)
            electric[0, number] = electric.item(number) + power * seconds
            if drive.heating:
                warming = memory.warming.item(number)
                change = (copper - warming * drive.cooling) * drive.heating * seconds
                memory.warming[0, number] = warming + change
            if drive.battery >= 0:
                watts[drive.battery] += power
        return watts

    def _drain(self, memory: LossMemory, seconds: float, watts: list[float]) -> list[float]:
        """Discharge the batteries; return their voltages under load, V."""
        volts = []
        for number, cell in enumerate(self._cells):
            power = watts[number] + cell.idle
            left = max(cell.volts * cell.volts - 4 * cell.resistance * power, 0.0)
            terminal = (cell.volts + math.sqrt(left)) / 2
            drained = memory.drained.item(number) + power * cell.volts / terminal * seconds
            memory.drained[0, number] = drained
            volts.append(terminal if drained < cell.energy else 0.0)
        return volts

    def _limit(
        self,
        rows: StateArrays,
        memory: LossMemory,
        drive: _Scalars,
        speed: float,
        volts: float,
        seconds: float,
    ) -> None:
        """Set the force limits of a motor, as `DriveLosses` does."""
        gain, ranges = drive.gain, rows.actuator_forcerange
        weight = 1 / (1 + seconds * drive.slope / memory.inertia.item(drive.number))
        warming = memory.warming.item(drive.number) if drive.heating else 0.0
        left = (drive.hottest - warming) / DERATING
        most = min(drive.current * min(max(left, 0.0), 1.0) * gain, drive.strongest)
        for side, sign in ((0, -1.0), (1, 1.0)):
            amperes = (volts - sign * drive.constant * speed) / drive.resistance
            wanted = min(max(amperes * gain, 0.0), most)
            present = abs(ranges.item(2 * drive.actuator + side))
            limit = min(present + weight * (wanted - present), most) if volts > 0 else 0.0
            if limit != present:
                ranges[0, drive.actuator, side] = sign * limit


def _drive(
    number: int, at: DriveAddresses, friction: FrictionNumbers, motors: MotorNumbers, battery: int
) -> _Scalars:
    """Return the numbers of drive ``number``."""
    mine = np.flatnonzero(friction.load[:, number])
    constant, efficiency = motors.constant.item(number), motors.efficiency.item(number)
    gain, resistance = constant * efficiency, motors.resistance.item(number)
    has_motor = number in motors.which
    return _Scalars(
        number=number,
        actuator=int(at.actuators[number]),
        dof=int(at.dofs[number]),
        output=int(at.outputs[number]),
        gear=at.gears.item(number),
        joint_gear=abs(at.gears.item(number)),
        sensors=tuple(friction.sensors[mine].tolist()),
        coulomb=friction.coulomb.item(number),
        viscous=friction.viscous.item(number),
        transmission=friction.transmission.item(number),
        rolling=friction.rolling.item(number),
        growth=friction.growth.item(number),
        has_motor=has_motor,
        constant=constant,
        per_force=motors.per_force.item(number),
        resistance=resistance,
        voltage=motors.voltage.item(number),
        current=motors.current.item(number),
        efficiency=efficiency,
        driving=1 / efficiency,
        lowest=motors.lowest.item(number),
        strongest=motors.strongest.item(number),
        heating=motors.heating.item(number),
        cooling=motors.cooling.item(number),
        hottest=motors.hottest.item(number),
        battery=battery,
        gain=gain,
        slope=constant * gain / resistance if has_motor else 0.0,
    )
