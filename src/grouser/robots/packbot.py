"""PackBot 510 without flippers: the robot of Okada et al.'s speed comparison (sec. IV-A).

"Dimensions of a single main track are L690 x W75 x H180 mm, including grousers … each grouser was
modeled as a cuboid with dimensions of L5 x H8 mm. Forty grousers … The sub-tracks were not
modeled."
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import mujoco

from grouser.errors import unknown
from grouser.frames import Pose
from grouser.physics.drives import Drive
from grouser.robots.parts.equipment import camera, navigation, scanner
from grouser.robots.parts.hull import OLIVE, add_hull, exclude_hull_belt_contacts, set_box_mass
from grouser.robots.robot import Robot, Steering
from grouser.sensors.encoder import Encoder
from grouser.sensors.truth import Truth
from grouser.tracks.grouser import Grouser
from grouser.tracks.path import BeltPath
from grouser.tracks.track import Method, Track, add_track

MASS = 19.0  # kg   42 lb, 2007 news (sources.md A3)
LENGTH, HEIGHT = 0.690, 0.180  # m   sec. IV-A, with grousers
TRACK_WIDTH = 0.075  # m   sec. IV-A
GROUSER = (0.005, 0.008)  # m   sec. IV-A: length, height
GROUSERS = 40  # sec. IV-A
GAUGE = 0.406 - TRACK_WIDTH  # m   406 mm over all (sources.md A3) less one track
TOP_SPEED = 2.6  # m/s   5.8 mph (sources.md A3)
BELT_FORCE = 200.0  # N   estimate: one side can hold the robot's weight
BELT_INERTIA = 6.0  # kg   estimate: belt 1.5 kg, the rest a geared motor's rotor seen at the belt
CENTRE_Z = -0.01  # m   estimate: centre of mass below the pulley axes

EQUIPMENT = (
    camera((0.25, 0.0, 0.12)),  # m   estimate: front of the chassis
    scanner((0.0, 0.0, 0.15)),  # m   estimate: on the deck
    navigation((0.0, 0.0, 0.1)),  # m   estimate
)


@dataclass(frozen=True, kw_only=True)
class PackBot:
    """PackBot's options."""

    method: Method = "segments"
    """How its tracks are turned."""
    grousers: Literal["rounded", "box", "none"] = "rounded"
    """Shape of the grousers: a bar with a round tip is twice as fast as the paper's cuboid."""
    wheels: int = 4
    """Wheels per track when the method is wheels (the paper: 4 and 13)."""
    without_top: bool = False
    """Leave out the upper run of the belts (the paper's three-link track)."""

    def __post_init__(self) -> None:
        if self.grousers not in ("rounded", "box", "none"):
            raise unknown(
                "packbot", "grouser shape", str(self.grousers), ("rounded", "box", "none")
            )

    def build(self) -> Robot:
        """Return the robot: body, two tracks, sensors."""
        spec = mujoco.MjSpec()
        body = spec.worldbody.add_body(name="body")
        track = self._track()
        inside = (LENGTH / 2 - HEIGHT / 2, GAUGE / 2 - TRACK_WIDTH / 2 - 0.005, HEIGHT * 0.35)
        add_hull(body, "hull", inside, rgb=OLIVE)
        belts = tuple(
            add_track(spec, body, track, side, Pose.at(0, y, 0))
            for side, y in (("left", GAUGE / 2), ("right", -GAUGE / 2))
        )
        mass = MASS - sum(belt.mass for belt in belts)
        set_box_mass(body, mass, (LENGTH / 2, GAUGE / 2, HEIGHT / 2), at=(0, 0, CENTRE_Z))
        exclude_hull_belt_contacts(spec)
        drives = {belt.name: track.drive for belt in belts}
        return Robot(
            spec=spec,
            root="body",
            mass=MASS,
            drives=drives,
            belts=belts,
            steering=Steering(left=("left",), right=("right",), gauge=GAUGE),
            sensors=(Truth(body="body"), Encoder(drives=tuple(drives))),
            equipment=EQUIPMENT,
            standing=HEIGHT / 2,
        )

    def _track(self) -> Track:
        """Return one main track; without grousers the smooth belt is as high as with them."""
        bar = {"rounded": Grouser.rounded, "box": Grouser.box}.get(self.grousers)
        height = GROUSER[1] if bar else 0.0
        return Track(
            path=BeltPath.oval(LENGTH - 2 * height, HEIGHT / 2 - height),
            width=TRACK_WIDTH,
            drive=Drive(force=BELT_FORCE, speed=TOP_SPEED, lead=0.005, damping=0.1),
            inertia=BELT_INERTIA,
            mass=1.5,
            grouser=bar(*GROUSER) if bar else None,
            count=GROUSERS,
            method=self.method,
            wheels=self.wheels,
            without_top=self.without_top,
        )
