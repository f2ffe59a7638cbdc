"""Conveyor: a stationary track that carries objects (Okada et al., Fig. 8).

The same belt as a robot's, fixed to the world. All sizes are estimates for a parcel conveyor.
"""

from __future__ import annotations

from typing import Self

import mujoco
from pydantic import model_validator

from grouser.description import Description, Positive, mistake
from grouser.frames import Pose
from grouser.physics.drives import Drive
from grouser.robots.parts.hull import GREY, add_hull, set_box_mass
from grouser.robots.robot import Robot
from grouser.sensors.encoder import Encoder
from grouser.tracks.grouser import Grouser
from grouser.tracks.path import BeltPath
from grouser.tracks.track import Track, add_track


class Conveyor(Description):
    """Options of the conveyor; m."""

    length: Positive = 2.0
    """Overall length."""
    width: Positive = 0.5
    """Width of the belt."""
    height: Positive = 0.5
    """Height of the belt's upper side above the ground."""
    radius: Positive = 0.08
    """Radius of the two drums."""
    bars: int = 48
    """Number of thin bars across the belt."""
    bar_height: float = 0.005
    """Height of the bars above the belt."""

    @model_validator(mode="after")
    def _check_size(self) -> Self:
        if not self.length > 4 * self.radius:
            raise mistake(f"must be over {4 * self.radius} m (4 radii)", "length")
        if not self.height > 2 * self.radius + 2 * self.bar_height:
            raise mistake("the belt would touch the ground", "height")
        return self

    def build(self) -> Robot:
        """Return the model: frame and belt."""
        spec = mujoco.MjSpec()
        body = spec.worldbody.add_body(name="frame")
        leg = (self.height - 2 * self.radius) / 2
        for end in (-1, 1):
            add_hull(
                body,
                f"leg{end}",
                (0.03, self.width / 2, leg),
                at=(end * (self.length / 2 - 2 * self.radius), 0, -self.radius - leg - 0.01),
                rgb=GREY,
            )
        set_box_mass(body, 50.0, (self.length / 2, self.width / 2, self.height / 2))
        track = Track(
            path=BeltPath.oval(self.length, self.radius),
            width=self.width,
            drive=Drive(force=500.0, speed=2.0, saturation_error=0.005, damping=0.1),
            inertia=20.0,
            grouser=Grouser.box(0.004, self.bar_height),
            count=self.bars,
            rgb=(0.20, 0.22, 0.25),
        )
        belt = add_track(spec, body, track, "belt", Pose())
        return Robot(
            spec=spec,
            root="frame",
            mass=50.0 + belt.mass,
            drives={"belt": track.drive},
            belts=(belt,),
            sensors=(Encoder(drives=("belt",)),),
            standing=self.height - self.radius,
            free=False,
        )
