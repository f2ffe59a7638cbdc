"""Zerg: the small rescue robot on four wheels of USARSim's virtual rescue teams.

No public source has its sizes: all are estimates from pictures of the team's robot.
"""

from __future__ import annotations

from typing import ClassVar

from grouser.physics.drives import Drive
from grouser.robots.parts.pioneer import Pioneer, PioneerOptions
from grouser.robots.parts.wheel import Wheel

SIZE = (0.46, 0.40, 0.26)  # m   estimate
RADIUS = 0.10  # m   estimate
WIDTH = 0.06  # m   estimate: of a tyre
BASE = 0.24  # m   estimate
TOP_SPEED = 1.0  # m/s   estimate

ZERG = Pioneer(
    size=SIZE,
    mass=12.0,  # kg   estimate
    centre=(0.0, 0.0, -0.03),  # m   estimate: batteries lie low
    standing=SIZE[2] / 2,  # m   estimate: half-way up, as the P2AT's
    wheel=Wheel(
        radius=RADIUS,
        width=WIDTH,
        mass=0.6,  # kg   estimate
        armature=0.015,  # kg m2   estimate: geared motor's rotor reflected to the wheel
        damping=0.3,  # N m s/rad   estimate
    ),
    axles=(BASE / 2, -BASE / 2),
    gauge=SIZE[1] - WIDTH,
    drive=Drive(
        force=25.0,  # N m   estimate
        speed=TOP_SPEED / RADIUS,
        saturation_error=0.2,  # rad   estimate
        damping=10.0,  # rad/s   estimate
    ),
    sonars=(),  # estimate: a laser scanner only
    laser=(0.14, 0.0, 0.20),  # m   estimate: on the deck, in front
    camera=(0.05, 0.0, 0.40),  # m   estimate: on a post
    rgb=(0.20, 0.22, 0.25),
)


class Zerg(PioneerOptions):
    """Options of the Zerg."""

    pioneer: ClassVar[Pioneer] = ZERG
