"""P2DX: ActivMedia Pioneer 2-DX, two driven wheels and a caster, as in USARSim.

USARSim's numbers for it, except those of the sonars, are not public: sizes are the real robot's as
recalled from its manual, and are marked as estimates.
"""

from __future__ import annotations

from typing import ClassVar

from grouser.physics.drives import Drive
from grouser.robots.p3at import P3AT
from grouser.robots.parts.pioneer import Pioneer, PioneerOptions, sonar_ring
from grouser.robots.parts.wheel import Caster, Wheel

SIZE = (0.44, 0.38, 0.22)  # m   estimate: manual, as recalled
RADIUS = 0.0825  # m   estimate: manual, as recalled (165 across)
GAUGE = 0.33  # m   estimate: manual, as recalled
AXLE_X = 0.044  # m   offset of USARSim's sonars from ARIA's, which are relative to the axle
STANDING = SIZE[2] / 2  # m   estimate: half-way up, as the P3AT's
TOP_SPEED = 1.6  # m/s   estimate: manual, as recalled

FRONT = (  # m, deg   USARBot.ini of 2008, as quoted by a public client
    (0.115, 0.130, 90.0),
    (0.155, 0.115, 50.0),
    (0.190, 0.080, 30.0),
    (0.210, 0.025, 10.0),
)

LASER_X = AXLE_X + 0.017  # m   ARIA's p2dx.p, relative to the axle
CASTER_RADIUS = 0.0375  # m   estimate

P2DX = Pioneer(
    size=SIZE,
    mass=9.0,  # kg   estimate: manual, as recalled
    centre=(-0.03, 0.0, -0.01),  # m   estimate: batteries behind the axle load the caster
    standing=STANDING,
    wheel=Wheel(
        radius=RADIUS,
        width=0.037,  # m   estimate: manual, as recalled
        mass=0.5,  # kg   estimate
        armature=0.01,  # kg m2   estimate: geared motor's rotor reflected to the wheel
        damping=0.01,  # N m s/rad   estimate: motor and gear lose 4 W a wheel at full speed
    ),
    axles=(AXLE_X,),
    gauge=GAUGE,
    battery_wh=252.0,  # Wh   three lead batteries of 12 V, 7 Ah: data sheet, as recalled
    drive=Drive(
        force=1.5,  # N m   estimate: brakes at 0.4 g without tipping forwards
        speed=TOP_SPEED / RADIUS,
        saturation_error=0.1,  # rad   estimate
        damping=0.8,  # rad/s   estimate
    ),
    caster=Caster(
        wheel=Wheel(radius=CASTER_RADIUS, width=0.025, mass=0.1),  # estimate
        at=(-0.150, 0.0, CASTER_RADIUS - STANDING),  # m   estimate
        trail=0.025,  # m   estimate
        mass=0.1,  # kg   estimate
        damping=0.02,  # N m s/rad   estimate: bearing and tyre scrub
    ),
    sonars=sonar_ring("F", FRONT),
    laser=(LASER_X, 0.0, SIZE[2] - STANDING + P3AT.laser[2] - P3AT.deck),  # m   as on the P3AT
    camera=(
        LASER_X + P3AT.camera[0] - P3AT.laser[0],  # m   as on the P3AT
        0.0,
        SIZE[2] - STANDING + P3AT.camera[2] - P3AT.deck,  # m   as on the P3AT
    ),
)


class P2dx(PioneerOptions):
    """Options of the P2DX."""

    pioneer: ClassVar[Pioneer] = P2DX
