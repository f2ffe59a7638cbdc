"""Powertrains of shipped robots: losses and motors of belts, wheels and arms.

No maker of a shipped robot publishes the friction of its belts or the data of its motors. All
numbers here are estimates; docs/explanation/energy.md argues them from sources.
"""

from __future__ import annotations

import dataclasses

from grouser.physics.drives import Drive
from grouser.physics.losses import Losses, Motor

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


def belt_drive(drive: Drive, mass: float, *, sides: int = 2, voltage: float = VOLTAGE) -> Drive:
    """Return ``drive`` of a rubber belt with losses and a motor.

    Args:
        drive: of the belts of one side.
        mass: of the robot, kg.
        sides: number of such drives.
        voltage: of the battery, V.
    """
    losses = Losses(
        coulomb=BELT_TENSION * mass * GRAVITY / sides,
        transmission=BELT_TRANSMISSION,
        rolling=BELT_ROLLING,
        rolling_growth=BELT_GROWTH,
    )
    return dataclasses.replace(drive, losses=losses, motor=_motor(drive, voltage))


def wheel_drive(drive: Drive, radius: float, *, voltage: float = VOLTAGE) -> Drive:
    """Return ``drive`` (rad/s, N m) of a wheel of ``radius`` (m) with losses and a motor."""
    losses, motor = Losses(rolling=TYRE_ROLLING), _motor(drive, voltage)
    return dataclasses.replace(drive, losses=losses, motor=motor, rim=radius)


def arm_drive(drive: Drive, *, voltage: float = VOLTAGE) -> Drive:
    """Return ``drive`` of a geared arm with losses and a motor."""
    losses = Losses(coulomb=ARM_FRICTION * drive.force)
    return dataclasses.replace(drive, losses=losses, motor=_motor(drive, voltage))


def _motor(drive: Drive, voltage: float) -> Motor:
    return Motor.sized(
        force=drive.force, speed=drive.speed, voltage=voltage, efficiency=GEAR_EFFICIENCY
    )
