"""P3AT: MobileRobots Pioneer 3-AT, four wheels, skid steered, as in USARSim's UDK class."""

from __future__ import annotations

from typing import ClassVar

from grouser.physics.drives import Drive
from grouser.robots.parts.pioneer import Pioneer, PioneerOptions, sonar_ring
from grouser.robots.parts.wheel import Wheel

SIZE = (0.508, 0.497, 0.277)  # m   data sheet
RADIUS = 0.098  # m   UDK class: WheelRadius
AXLE_X, WHEEL_Y, WHEEL_Z = 0.124, 0.180, -0.048  # m   UDK class: wheels' offsets, in the body frame
TOP_SPEED = 0.7  # m/s   data sheet (UDK's wheels stop at 1.3 rad/s, a fifth of it)

FRONT = (  # m, deg   ARIA's p3at.p
    (0.147, 0.136, 90.0),
    (0.193, 0.119, 50.0),
    (0.227, 0.079, 30.0),
    (0.245, 0.027, 10.0),
)
REAR = (  # m, deg   ARIA's p3at.p
    (-0.144, -0.136, -90.0),
    (-0.189, -0.119, -130.0),
    (-0.223, -0.079, -150.0),
    (-0.241, -0.027, -170.0),
)

P3AT = Pioneer(
    size=SIZE,
    mass=14.0,  # kg   operations manual, as quoted by a public driver; USARSim's P2AT the same
    centre=(0.0, 0.0, -0.02),  # m   estimate: batteries lie low
    standing=RADIUS - WHEEL_Z,  # m   UDK class
    wheel=Wheel(
        radius=RADIUS,
        width=0.08,  # m   estimate: pneumatic tyres
        mass=0.8,  # kg   estimate
        armature=0.02,  # kg m2   estimate: geared motor's rotor reflected to the wheel
        damping=0.5,  # N m s/rad   estimate: motor and gear lose 25 W a wheel at full speed
    ),
    axles=(AXLE_X, -AXLE_X),
    gauge=2 * WHEEL_Y,
    battery_wh=252.0,  # Wh   three lead batteries of 12 V, 7 Ah: data sheet, as recalled
    drive=Drive(
        force=60.0,  # N m   sources.md D4.6: the P2AT's MaxTorque
        speed=TOP_SPEED / RADIUS,
        saturation_error=0.2,  # rad   estimate
        damping=10.0,  # rad/s   estimate
    ),
    sonars=(*sonar_ring("F", FRONT), *sonar_ring("R", REAR)),
    laser=(0.2085, 0.0, 0.2),  # m   UDK config
    camera=(0.1005, 0.0, 0.42),  # m   UDK config (commented out there)
)


class P3at(PioneerOptions):
    """Options of the P3AT."""

    pioneer: ClassVar[Pioneer] = P3AT
