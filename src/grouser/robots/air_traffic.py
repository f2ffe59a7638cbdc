"""Air traffic: drones carried along a closed trajectory in three dimensions (Okada et al., Fig. 8).

A track without a belt: the path climbs, turns and descends, and carries drones instead of grousers.
All drones are alike, so the roll-back by one pitch is not visible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import mujoco
from pydantic import Field

from grouser.description import Description, Positive
from grouser.frames import Pose, radians
from grouser.physics.drives import Drive
from grouser.robots.parts.hull import set_box_mass
from grouser.robots.robot import Robot
from grouser.sensors.encoder import Encoder
from grouser.tracks.geoms import GeomBuilder
from grouser.tracks.path import ArcStep, BeltPath, StraightStep
from grouser.tracks.track import Track, add_track

UP, DOWN, LEFT = (0.0, -1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
"""Axes of turns in the footprint frame."""


@dataclass(frozen=True)
class Drone:
    """A small quadrotor: hull and four rotors."""

    span: float
    """Overall width, m."""

    @property
    def height(self) -> float:
        """Height above the belt, m: 0, since nothing touches the ground."""
        return 0.0

    @property
    def round_tip(self) -> bool:
        """False: the hull is a box."""
        return False

    def add(
        self,
        body: mujoco.MjsBody,
        X_BF: Pose,
        *,
        belt_width: float,
        name: str,
        builder: GeomBuilder,
    ) -> None:
        """Add a hull and four rotor discs to ``body`` at ``X_BF``."""
        arm = self.span / 3
        builder.box(body, X_BF, (arm, arm / 3, arm / 4), name=f"{name}/hull")
        for number, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
            rotor = X_BF @ Pose.at(x * arm, y * arm, arm / 4, roll=math.pi / 2)
            size = (arm * 0.8, arm * 0.05)
            builder.drum(body, rotor, size, name=f"{name}/rotor{number}")


class AirTraffic(Description):
    """Options of the air traffic; m."""

    drones: Annotated[int, Field(ge=4)] = 24
    """Number of drones on the loop."""
    straight: float = 4.0
    """Length of the two long legs."""
    radius: Positive = 2.0
    """Radius of the turns at their ends."""
    climb_deg: Annotated[float, Field(gt=0, lt=60)] = 20.0
    """Slope of the climbing and of the descending leg, deg."""
    altitude: float = 1.0
    """Altitude of the lower turn."""
    span: float = 0.3
    """Overall width of a drone."""

    def path(self) -> BeltPath:
        """Return the loop: climb, turn left, descend, turn left."""
        bend = radians(self.climb_deg)
        up, down = ArcStep(self.radius, bend, UP), ArcStep(self.radius, bend, DOWN)
        leg, turn = StraightStep(self.straight), ArcStep(self.radius, math.pi, LEFT)
        return BeltPath.chain([up, leg, down, turn, down, leg, up, turn])

    def build(self) -> Robot:
        """Return the model: a fixed tower and the loop of drones."""
        spec = mujoco.MjSpec()
        body = spec.worldbody.add_body(name="tower")
        set_box_mass(body, 1.0, (0.1, 0.1, 0.1))
        track = Track(
            path=self.path(),
            width=self.span,
            drive=Drive(force=200.0, speed=5.0, saturation_error=0.01, damping=0.2),
            inertia=10.0,
            grouser=Drone(self.span),
            count=self.drones,
            bare=True,
            rgb=(0.85, 0.25, 0.15),
        )
        belt = add_track(spec, body, track, "traffic", Pose())
        return Robot(
            spec=spec,
            root="tower",
            mass=1.0 + belt.mass,
            drives={"traffic": track.drive},
            belts=(belt,),
            sensors=(Encoder(drives=("traffic",)),),
            standing=self.altitude,
            free=False,
        )
