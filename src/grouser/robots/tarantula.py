"""Tarantula: the small tracked robot with four flippers of USARSim's virtual rescue teams.

It is a rebuilt toy vehicle, of which no public source has numbers: all are estimates.
"""

from __future__ import annotations

import dataclasses

from grouser.description import Items, Positive
from grouser.robots.crawler import Crawler
from grouser.robots.parts.belt_options import BarOptions, GrouserOptions, Pulley
from grouser.robots.parts.equipment import camera, navigation, scanner
from grouser.robots.parts.flipper import FlipperOptions, FlipperPairs
from grouser.robots.robot import Robot

MASS = 8.0  # kg   estimate: with computer and laser scanner
BASE = 0.26  # m   estimate: between the axes of front and rear flippers
RADIUS = 0.055  # m   estimate: of the pulleys at the axes
GAUGE = 0.22  # m   estimate
BELT_WIDTH = 0.06  # m   estimate
REACH = 0.16  # m   estimate: axis to tip pulley

EQUIPMENT = (
    camera((0.12, 0.0, 0.15)),  # m   estimate
    scanner((0.10, 0.0, 0.12)),  # m   estimate
    navigation((0.0, 0.0, 0.05)),  # m   estimate
)

FLIPPER = FlipperOptions(
    reach=REACH,
    tip=0.03,  # m   estimate
    width=0.035,  # m   estimate
    start_deg=20.0,  # deg   estimate
)


class Tarantula(Crawler):
    """Options of the Tarantula; those of a crawler."""

    mass: Positive = MASS
    gauge: Positive = GAUGE
    width: Positive = BELT_WIDTH
    pulleys: Items[Pulley] = ((-BASE / 2, 0.0, RADIUS), (BASE / 2, 0.0, RADIUS))
    grouser: GrouserOptions | None = BarOptions(
        shape="rounded", length=0.005, height=0.006
    )  # estimate
    force: Positive = 80.0
    speed: Positive = 0.8
    inertia: Positive = 3.0
    flippers: FlipperPairs = FlipperPairs(front=FLIPPER, rear=FLIPPER)

    def build(self) -> Robot:
        """Return the robot: body, two tracks, four flippers, sensors."""
        return dataclasses.replace(super().build(), equipment=EQUIPMENT)
