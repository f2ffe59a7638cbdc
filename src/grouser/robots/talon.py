"""Talon: Foster-Miller's robot on two tracks, without its arm.

Mass and speed are from public pages; sizes are the data sheet's as recalled.
"""

from __future__ import annotations

import dataclasses

from grouser.description import Items, Positive
from grouser.robots.crawler import Crawler
from grouser.robots.parts.belt_options import BarOptions, GrouserOptions, Pulley
from grouser.robots.parts.equipment import camera, navigation, scanner
from grouser.robots.robot import Robot

LENGTH, WIDTH, HEIGHT = 0.864, 0.572, 0.279  # m   estimate: data sheet, as recalled; arm stowed
BELT_WIDTH = 0.15  # m   estimate: from photographs
RADIUS = 0.11  # m   estimate: of the wheels at both ends, with the belt
MASS = 45.0  # kg   army-guide.com, Wikipedia: less than 100 lb
TOP_SPEED = 1.8  # m/s   army-guide.com: 6.6 km/h
FORCE = 300.0  # N   estimate: climbs 40 deg

EQUIPMENT = (
    camera((0.30, 0.0, 0.25)),  # m   estimate: on a mast
    scanner((0.25, 0.0, 0.20)),  # m   estimate
    navigation((0.0, 0.0, 0.1)),  # m   estimate
)


class Talon(Crawler):
    """Options of the Talon; those of a crawler."""

    mass: Positive = MASS
    gauge: Positive = WIDTH - BELT_WIDTH
    width: Positive = BELT_WIDTH
    pulleys: Items[Pulley] = (
        (-(LENGTH / 2 - RADIUS), 0.0, RADIUS),
        (LENGTH / 2 - RADIUS, 0.0, RADIUS),
    )
    grouser: GrouserOptions | None = BarOptions(
        shape="rounded", length=0.01, height=0.012
    )  # estimate: low cleats
    force: Positive = FORCE
    speed: Positive = TOP_SPEED
    inertia: Positive = 10.0

    def build(self) -> Robot:
        """Return the robot: body, two tracks, sensors."""
        return dataclasses.replace(super().build(), equipment=EQUIPMENT)
