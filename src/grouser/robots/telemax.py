"""teleMAX: telerob's robot on four jointed tracks, without its arm.

Each track of the real robot turns as a whole about an end of the body; here two fixed tracks carry
four flippers. All numbers are the data sheet's as recalled, or estimates.
"""

from __future__ import annotations

import dataclasses

from grouser.description import Items, Positive
from grouser.robots.crawler import Crawler
from grouser.robots.parts.belt_options import BarOptions, GrouserOptions, Pulley
from grouser.robots.parts.equipment import camera, navigation, scanner
from grouser.robots.parts.flipper import FlipperOptions, FlipperPairs
from grouser.robots.robot import Robot

WIDTH = 0.40  # m   estimate: data sheet, as recalled; over everything
BELT_WIDTH = 0.07  # m   estimate: of a fixed track
FLIPPER_WIDTH = 0.06  # m   estimate
BASE = 0.40  # m   estimate: between the axes of front and rear flippers
RADIUS = 0.085  # m   estimate: of the pulleys at the axes
REACH = 0.25  # m   estimate: axis to tip pulley
MASS = 77.0  # kg   estimate: data sheet, as recalled, with the arm
TOP_SPEED = 1.1  # m/s   estimate: data sheet, as recalled
LIMITS_DEG = (-90.0, 180.0)  # deg   estimate

EQUIPMENT = (
    camera((0.15, 0.0, 0.30)),  # m   estimate: on a mast
    scanner((0.18, 0.0, 0.20)),  # m   estimate
    navigation((0.0, 0.0, 0.1)),  # m   estimate
)


FLIPPER = FlipperOptions(
    reach=REACH,
    tip=0.05,  # m   estimate
    width=FLIPPER_WIDTH,
    start_deg=30.0,  # deg   estimate
    limits_deg=LIMITS_DEG,
)


class TeleMax(Crawler):
    """Options of the teleMAX; those of a crawler."""

    mass: Positive = MASS
    gauge: Positive = WIDTH - 2 * FLIPPER_WIDTH - BELT_WIDTH
    width: Positive = BELT_WIDTH
    pulleys: Items[Pulley] = ((-BASE / 2, 0.0, RADIUS), (BASE / 2, 0.0, RADIUS))
    grouser: GrouserOptions | None = BarOptions(
        shape="rounded", length=0.008, height=0.010
    )  # estimate
    force: Positive = 400.0
    speed: Positive = TOP_SPEED
    inertia: Positive = 15.0
    flippers: FlipperPairs = FlipperPairs(front=FLIPPER, rear=FLIPPER)

    def build(self) -> Robot:
        """Return the robot: body, two tracks, four flippers, sensors."""
        return dataclasses.replace(super().build(), equipment=EQUIPMENT)
