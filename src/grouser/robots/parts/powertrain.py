"""Powertrains of shipped robots: losses and motors of belts, wheels and arms.

No maker of a shipped robot publishes the friction of its belts or the data of its motors. All
numbers here are estimates; docs/explanation/energy.md argues them from sources.
"""

from __future__ import annotations

import dataclasses

from grouser.physics.drives import Drive
from grouser.physics.losses import BatteryPack, Losses, Motor, MotorHeat

GRAVITY = 9.81
"""m/s²."""

BELT_ROLLING = 0.04
"""Rolling resistance of a rubber belt on hard ground over the load; estimate. Heavy tracked
vehicles have 0.02 to 0.03 inside their tracks (Wong, Theory of Ground Vehicles: 222 + 3 V N/t,
V in km/h, recalled); light robots have relatively more (Szpaczynska et al. 2023, Appl. Sci. 13,
10533)."""
BELT_GROWTH = 0.05
"""Relative growth of it with speed, s/m: Wong's 3/222 per km/h, recalled."""
BELT_TRANSMISSION = 0.06
"""Friction of a belt that pulls over its force: 5 to 7 % of thrust (abstract on rubber tracks)."""
BELT_TENSION = 0.01
"""Friction of all tensioned belts in the air over the weight; estimate."""

TYRE_ROLLING = 0.015
"""Rolling resistance of a tyre on hard floor over the load; handbooks: 0.010 to 0.015 on concrete
for cars, more for small wheels; estimate."""

ARM_FRICTION = 0.02
"""Friction of a geared arm over its largest torque; estimate."""

VOLTAGE = 24.0
"""V; estimate: two 12 V batteries, or military ones."""
GEAR_EFFICIENCY = 0.7
"""Efficiency of a planetary gear of two or three stages; estimate."""


WATT_HOUR = 3600.0
"""J."""
BATTERY_DENSITY = 10.0
"""Energy of a battery over the robot's mass, Wh/kg; estimate: a PackBot with two BB-2590 has 21, a
P3AT with three lead batteries 19."""
BATTERY_DROP = 0.05
"""Internal resistance x (current that empties the battery in an hour) over voltage; estimate."""
IDLE = 1.0
"""Power of computers and radio over the robot's mass, W/kg; estimate."""

HEAT_CAPACITY = 300.0
"""J/K per kg of motor; estimate: steel and copper with 0.4 kJ/(kg K), partly warmed."""
MOTOR_SHARE = 0.05
"""Mass of one motor over the robot's; estimate."""
COOLING = 3.0
"""K/W of a motor of 1 kg in a closed hull; estimate."""
HOTTEST = 120.0
"""Temperature at which the driver stops a motor, degrees Celsius; estimate: insulation class E."""


def battery(
    mass: float, *, energy_wh: float | None = None, voltage: float = VOLTAGE
) -> BatteryPack:
    """Return the battery of a robot of ``mass`` (kg); an estimate unless its energy is given."""
    energy_wh = BATTERY_DENSITY * mass if energy_wh is None else energy_wh
    return BatteryPack(
        energy=_round_digits(energy_wh * WATT_HOUR),
        voltage=voltage,
        resistance=_round_digits(BATTERY_DROP * voltage**2 / energy_wh),
        idle=_round_digits(IDLE * mass),
    )


def powered_belt_drive(
    drive: Drive, mass: float, *, sides: int = 2, voltage: float = VOLTAGE
) -> Drive:
    """Return ``drive`` of a rubber belt with losses and a motor.

    Args:
        drive: of the belts of one side.
        mass: of the robot, kg.
        sides: number of such drives.
        voltage: of the battery, V.
    """
    losses = Losses(
        coulomb=_round_digits(BELT_TENSION * mass * GRAVITY / sides),
        transmission=BELT_TRANSMISSION,
        rolling=BELT_ROLLING,
        rolling_growth=BELT_GROWTH,
    )
    return dataclasses.replace(drive, losses=losses, motor=_motor(drive, voltage, mass))


def wheel_drive(drive: Drive, radius: float, mass: float, *, voltage: float = VOLTAGE) -> Drive:
    """Return ``drive`` (rad/s, N m) of a wheel of ``radius`` (m) with losses and a motor."""
    losses, motor = Losses(rolling=TYRE_ROLLING), _motor(drive, voltage, mass)
    return dataclasses.replace(drive, losses=losses, motor=motor, rim=radius)


def arm_drive(drive: Drive, mass: float, *, voltage: float = VOLTAGE) -> Drive:
    """Return ``drive`` of a geared arm with losses and a motor."""
    losses = Losses(coulomb=_round_digits(ARM_FRICTION * drive.force))
    return dataclasses.replace(drive, losses=losses, motor=_motor(drive, voltage, mass))


def _motor(drive: Drive, voltage: float, mass: float) -> Motor:
    """Return a motor of the share `MOTOR_SHARE` of the robot's ``mass`` (kg)."""
    sized = Motor.sized(
        force=drive.force, speed=drive.speed, voltage=voltage, efficiency=GEAR_EFFICIENCY
    )
    own = MOTOR_SHARE * mass
    heat = MotorHeat(
        capacity=_round_digits(HEAT_CAPACITY * own),
        resistance=_round_digits(COOLING / own),
        limit=HOTTEST,
    )
    names = ("resistance", "current_limit", "ratio")
    numbers = {name: _round_digits(getattr(sized, name)) for name in names}
    return sized.model_copy(update={**numbers, "heat": heat})


def _round_digits(value: float) -> float:
    """Return ``value`` with four significant digits: an estimate needs no more."""
    return float(f"{value:.4g}")
