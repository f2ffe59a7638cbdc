"""Rover with four lugged wheels (Okada et al. 2020, Fig. 8 left).

"By setting a circular trajectory and replacing the grousers by thin plates, lugged wheels can be
simulated": a wheel is a track whose path is one circle. All sizes are estimates for a 20 kg rover.
"""

from __future__ import annotations

import math
from typing import Annotated

import mujoco
from pydantic import Field

from grouser.description import Description, Positive
from grouser.frames import Pose
from grouser.physics.drives import Drive
from grouser.robots.parts import hull
from grouser.robots.parts.powertrain import battery, wheel_drive
from grouser.robots.robot import Robot, Steering
from grouser.sensors.encoder import Encoder
from grouser.sensors.truth import Truth
from grouser.tracks.grouser import Grouser
from grouser.tracks.path import BeltPath
from grouser.tracks.track import Track, add_track

MASS = 20.0  # kg   estimate
WHEELBASE, GAUGE = 0.50, 0.42  # m   estimate
WHEEL_RADIUS, WHEEL_WIDTH = 0.09, 0.08  # m   estimate


class LuggedRover(Description):
    """Options of the rover."""

    lugs: Annotated[int, Field(ge=2)] = 12
    """Number of thin plates around each wheel."""
    lug_height: Positive = 0.02
    """Height of the lugs above the rim, m."""

    def build(self) -> Robot:
        """Return the rover: body, four wheels, sensors."""
        spec = mujoco.MjSpec()
        body = spec.worldbody.add_body(name="body")
        half = (0.30, 0.15, 0.04)
        hull.add_hull(body, "hull", half, at=(0, 0, 0.06), rgb=hull.ORANGE)
        hull.add_hull(body, "mast", (0.02, 0.02, 0.10), at=(0.2, 0, 0.20), rgb=hull.GREY)
        wheel = Track(
            path=BeltPath.circle(WHEEL_RADIUS),
            width=WHEEL_WIDTH,
            drive=Drive(force=120.0, speed=1.0, saturation_error=0.005, damping=0.1),
            inertia=3.0,
            grouser=Grouser.box(0.003, self.lug_height),
            count=self.lugs,
            carried_by=4 * 2 * math.pi * WHEEL_RADIUS / self.lugs,  # one lug per wheel
        )
        places = {
            f"{end}_{side}": (x, y)
            for end, x in (("front", WHEELBASE / 2), ("rear", -WHEELBASE / 2))
            for side, y in (("left", GAUGE / 2), ("right", -GAUGE / 2))
        }
        belts = tuple(
            add_track(spec, body, wheel, name, Pose.at(x, y, 0)) for name, (x, y) in places.items()
        )
        hull.set_box_mass(body, MASS - sum(belt.mass for belt in belts), half, at=(0, 0, 0.04))
        hull.exclude_hull_belt_contacts(spec)
        # Belts of one circle: their unit is m of rim.
        drives = dict.fromkeys(places, wheel_drive(wheel.drive, 1.0, MASS))
        return Robot(
            spec=spec,
            root="body",
            mass=MASS,
            drives=drives,
            belts=belts,
            steering=Steering(
                left=("front_left", "rear_left"), right=("front_right", "rear_right"), gauge=GAUGE
            ),
            sensors=(Truth(body="body"), Encoder(drives=tuple(drives))),
            battery=battery(MASS),
            standing=WHEEL_RADIUS + self.lug_height,
        )
