"""ATRV-Jr: iRobot's outdoor robot on four wheels, skid steered, as USARSim's clients ask for it.

No numbers of USARSim for it are public: sizes are the data sheet's, as recalled.
"""

from __future__ import annotations

from typing import ClassVar

from grouser.physics.drives import Drive
from grouser.robots.parts.pioneer import Pioneer, PioneerOptions, sonar_ring
from grouser.robots.parts.wheel import Wheel

SIZE = (0.775, 0.640, 0.550)  # m   estimate: data sheet, as recalled
RADIUS = 0.165  # m   estimate: 13 inch tyres
WIDTH = 0.11  # m   estimate: of a tyre
BASE = 0.42  # m   estimate: from photographs
TOP_SPEED = 1.5  # m/s   estimate: data sheet, as recalled
MASS = 50.0  # kg   estimate: data sheet, as recalled

FRONT = (  # m, deg   estimate: five sonars look ahead there, as recalled; four of a Pioneer's ring
    (0.300, 0.200, 90.0),
    (0.350, 0.160, 45.0),
    (0.380, 0.100, 20.0),
    (0.385, 0.035, 5.0),
)

ATRVJR = Pioneer(
    size=SIZE,
    mass=MASS,
    centre=(0.0, 0.0, -0.08),  # m   estimate: batteries lie low
    standing=SIZE[2] / 2,  # m   estimate: half-way up, as the P2AT's
    wheel=Wheel(
        radius=RADIUS,
        width=WIDTH,
        mass=2.5,  # kg   estimate
        armature=0.08,  # kg m2   estimate: geared motor's rotor reflected to the wheel
        damping=1.0,  # N m s/rad   estimate
    ),
    axles=(BASE / 2, -BASE / 2),
    gauge=SIZE[1] - WIDTH,
    drive=Drive(
        force=90.0,  # N m   estimate: turns on the spot and climbs 35 deg
        speed=TOP_SPEED / RADIUS,
        saturation_error=0.2,  # rad   estimate
        damping=10.0,  # rad/s   estimate
    ),
    sonars=sonar_ring("F", FRONT),
    laser=(0.25, 0.0, 0.38),  # m   estimate: on the deck
    camera=(0.15, 0.0, 0.55),  # m   estimate: on a post
    rgb=(0.55, 0.10, 0.08),
)


class AtrvJr(PioneerOptions):
    """Options of the ATRV-Jr."""

    pioneer: ClassVar[Pioneer] = ATRVJR
