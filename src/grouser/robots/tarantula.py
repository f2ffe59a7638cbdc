"""Tarantula: the small tracked robot with four flippers of USARSim's virtual rescue teams.

It is a rebuilt toy vehicle, of which no public source has numbers: all are estimates.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grouser.robots.crawler import Crawler
from grouser.robots.parts.equipment import camera, navigation, scanner
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


@dataclass(frozen=True, kw_only=True)
class Tarantula(Crawler):
    """Options of the Tarantula; those of a crawler."""

    mass: float = MASS
    gauge: float = GAUGE
    width: float = BELT_WIDTH
    pulleys: Sequence[Sequence[float]] = ((-BASE / 2, 0.0, RADIUS), (BASE / 2, 0.0, RADIUS))
    grouser: Mapping[str, Any] | None = field(  # estimate
        default_factory=lambda: {"shape": "rounded", "length": 0.005, "height": 0.006}
    )
    force: float = 80.0
    speed: float = 0.8
    inertia: float = 3.0
    flippers: Mapping[str, Any] = field(
        default_factory=lambda: {
            end: {"reach": REACH, "tip": 0.03, "width": 0.035, "start_deg": 20.0}
            for end in ("front", "rear")
        }
    )

    def build(self) -> Robot:
        """Return the robot: body, two tracks, four flippers, sensors."""
        return dataclasses.replace(super().build(), equipment=EQUIPMENT)
