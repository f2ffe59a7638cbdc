"""P2AT: ActivMedia Pioneer 2-AT, four wheels, skid steered, as in USARSim (sources.md D)."""

from __future__ import annotations

from typing import ClassVar

from grouser.physics.drives import Drive
from grouser.robots.parts.pioneer import Pioneer, PioneerOptions, sonar_ring
from grouser.robots.parts.wheel import Wheel

SIZE = (0.5238, 0.4968, 0.2913)  # m   sources.md D4.5: Dimensions
RADIUS = 0.1300  # m   sources.md D4.5: WheelRadius
GAUGE = 0.4712  # m   sources.md D4.5: WheelSeparation
BASE = 0.2884  # m   sources.md D4.5: WheelBase
TOP_SPIN = 5.385  # rad/s   sources.md D4.6: MaxSpeed; 0.7 m/s at RADIUS
TORQUE = 60.0  # N m   sources.md D4.6: MaxTorque

FRONT = (  # m, deg   USARBot.ini of 2008, as quoted by a public client
    (0.145, 0.130, 90.0),
    (0.185, 0.115, 50.0),
    (0.220, 0.080, 30.0),
    (0.240, 0.025, 10.0),
)
REAR = tuple((-x, -y, heading - 180.0) for x, y, heading in FRONT)  # the same file: R1 to the right

P2AT = Pioneer(
    size=SIZE,
    mass=14.0,  # kg   sources.md D4.6: Mass
    centre=(0.0, 0.0, 0.0),  # m   sources.md D4.5: COG
    standing=SIZE[2] / 2,  # m   estimate: USARSim's origin is half-way up, as its P3AT's is
    wheel=Wheel(
        radius=RADIUS,
        width=SIZE[1] - GAUGE,  # m   sources.md D4.5: width less WheelSeparation
        mass=0.8,  # kg   estimate
        armature=0.02,  # kg m2   estimate: geared motor's rotor reflected to the wheel
        damping=0.5,  # N m s/rad   estimate: motor and gear lose 15 W a wheel at full speed
    ),
    axles=(BASE / 2, -BASE / 2),
    gauge=GAUGE,
    battery_wh=252.0,  # Wh   three lead batteries of 12 V, 7 Ah: data sheet, as recalled
    drive=Drive(
        force=TORQUE, speed=TOP_SPIN, saturation_error=0.2, damping=10.0
    ),  # stiffness: estimate
    sonars=(*sonar_ring("F", FRONT), *sonar_ring("R", REAR)),
    laser=(0.2085, 0.0, 0.2),  # m   UDK config: the P3AT's
    camera=(0.1005, 0.0, 0.42),  # m   UDK config: the P3AT's
)


class P2at(PioneerOptions):
    """Options of the P2AT."""

    pioneer: ClassVar[Pioneer] = P2AT
