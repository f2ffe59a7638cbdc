"""PackBot 510: tracked robot of Okada et al.'s speed comparison (sec. IV-A); optional flippers.

"Dimensions of a single main track are L690 x W75 x H180 mm, including grousers … each grouser was
modeled as a cuboid with dimensions of L5 x H8 mm. Forty grousers … The sub-tracks were not
modeled."

The real robot has flippers on the axis of its front pulleys, driven by the tracks' motors. It needs
them to climb stairs.
"""

from __future__ import annotations

from typing import Literal, Self

import mujoco
from pydantic import model_validator

from grouser.description import Description, mistake
from grouser.frames import Pose, radians
from grouser.physics.drives import Drive
from grouser.robots.parts.equipment import camera, navigation, scanner
from grouser.robots.parts.flipper import ArmAngle, Flipper, TaperedPair, add_arm_drives, arm_groups
from grouser.robots.parts.hull import OLIVE, add_hull, exclude_hull_belt_contacts, set_box_mass
from grouser.robots.parts.powertrain import arm_drive, battery, powered_belt_drive
from grouser.robots.robot import Robot, Steering
from grouser.sensors.encoder import Encoder
from grouser.sensors.truth import Truth
from grouser.tracks.grouser import Grouser
from grouser.tracks.path import BeltPath
from grouser.tracks.track import Method, Track, WheelCount, add_track

MASS = 19.0  # kg   42 lb, 2007 news (sources.md A3)
LENGTH, HEIGHT = 0.690, 0.180  # m   sec. IV-A, with grousers
TRACK_WIDTH = 0.075  # m   sec. IV-A
GROUSER = (0.005, 0.008)  # m   sec. IV-A: length, height
GROUSERS = 40  # sec. IV-A
GAUGE = 0.406 - TRACK_WIDTH  # m   406 mm over all (sources.md A3) less one track
TOP_SPEED = 2.6  # m/s   5.8 mph (sources.md A3)
BELT_FORCE = 200.0  # N   estimate: one side can hold the robot's weight
BELT_INERTIA = (
    6.0  # kg   estimate: belt 1.5 kg, the rest a geared motor's rotor reflected to the belt
)
BATTERY_WH = 400.0  # Wh   two BB-2590, recalled
CENTRE_Z = -0.01  # m   estimate: centre of mass below the pulley axes

FLIPPERS_OUT = 0.889  # m   over all, flippers level: 35 in (sources.md A3: recalled data sheet)
FLIPPERS_WIDTH = 0.521  # m   over all, with flippers: 20.5 in (sources.md A3: recalled data sheet)
FLIPPER_GAP = 0.007  # m   estimate: between a track and the flipper beside it
FLIPPER_TIP = 0.040  # m   estimate: radius of the belt round the tip's pulley, with grousers
FLIPPER_MASS = 1.0  # kg   estimate: one, with its belt; of the published 19 kg
FLIPPER_BELT_INERTIA = 0.3  # kg   estimate: a flipper's belt; driven by the motor of its side
ARM_TORQUE = 25.0  # N m   estimate: both can raise the robot; the real one has a common shaft
ARM_SPEED = radians(90)  # rad/s   estimate
ARM_ARMATURE = 0.1  # kg m2   estimate: geared motor's rotor seen at one arm

EQUIPMENT = (
    camera((0.25, 0.0, 0.12)),  # m   estimate: front of the chassis
    scanner((0.0, 0.0, 0.15)),  # m   estimate: on the deck
    navigation((0.0, 0.0, 0.1)),  # m   estimate
)


class PackBot(Description):
    """Options of the PackBot."""

    method: Method = "segments"
    """Track method."""
    grousers: Literal["rounded", "box", "none"] = "rounded"
    """Shape of the grousers: a bar with a round tip is twice as fast as the paper's cuboid."""
    wheels: WheelCount = 4
    """Wheels per track, method wheels only (the paper: 4 and 13)."""
    without_top: bool = False
    """Omit the upper run of the belts (the paper's three-link track)."""
    flippers: bool = False
    """Add the real robot's pair of flippers, on the axis of the front pulleys."""
    front_deg: ArmAngle = 0.0
    """Initial angle of the flippers, deg, up positive; 0: level, forwards; no joint limits."""

    @model_validator(mode="after")
    def _check_flippers(self) -> Self:
        if self.front_deg and not self.flippers:
            raise mistake("which needs flippers: true", "front_deg")
        return self

    def build(self) -> Robot:
        """Return the robot: body, two tracks, optional flippers, sensors."""
        spec = mujoco.MjSpec()
        body = spec.worldbody.add_body(name="body")
        track = self._track()
        inside = (LENGTH / 2 - HEIGHT / 2, GAUGE / 2 - TRACK_WIDTH / 2 - 0.005, HEIGHT * 0.35)
        add_hull(body, "hull", inside, rgb=OLIVE)
        mains = {
            side: add_track(spec, body, track, side, Pose.at(0, y, 0))
            for side, y in (("left", GAUGE / 2), ("right", -GAUGE / 2))
        }
        flippers = self._flippers(track)
        others = sum(belt.mass for belt in mains.values()) + sum(each.mass for each in flippers)
        half = (LENGTH / 2, GAUGE / 2, HEIGHT / 2)
        set_box_mass(body, MASS - others, half, at=(0, 0, CENTRE_Z))
        hung = [flipper.add(spec, body, mains[flipper.side]) for flipper in flippers]
        exclude_hull_belt_contacts(spec)
        arm = Drive(force=ARM_TORQUE, speed=ARM_SPEED, saturation_error=radians(2), damping=1.0)
        belt = powered_belt_drive(track.drive, MASS)
        drives = dict.fromkeys(mains, belt) | add_arm_drives(spec, flippers, arm_drive(arm, MASS))
        return Robot(
            spec=spec,
            root="body",
            mass=MASS,
            drives=drives,
            belts=(*mains.values(), *hung),
            steering=Steering(left=("left",), right=("right",), gauge=GAUGE),
            groups=arm_groups(flippers),
            sensors=(Truth(body="body"), Encoder(drives=tuple(drives))),
            equipment=EQUIPMENT,
            battery=battery(MASS, energy_wh=BATTERY_WH),
            standing=HEIGHT / 2,
            posture={flipper.arm: radians(self.front_deg) for flipper in flippers},
        )

    def _flippers(self, track: Track) -> tuple[Flipper, ...]:
        """Return the flippers; their grousers have the shape and pitch of those of ``track``."""
        if not self.flippers:
            return ()
        axis_x = LENGTH / 2 - HEIGHT / 2
        beside = GAUGE / 2 + TRACK_WIDTH / 2 + FLIPPER_GAP
        width = FLIPPERS_WIDTH / 2 - beside
        pair = TaperedPair(
            end="front",
            axis=(axis_x, beside + width / 2, 0.0),
            root=HEIGHT / 2 - track.height,
            reach=FLIPPERS_OUT - LENGTH / 2 - axis_x - FLIPPER_TIP,
            tip=FLIPPER_TIP - track.height,
            width=width,
            mass=FLIPPER_MASS,
            inertia=FLIPPER_BELT_INERTIA,
            armature=ARM_ARMATURE,
            rgb=OLIVE,
        )
        return pair.flippers(track)

    def _track(self) -> Track:
        """Return one main track; the outer height is the same with and without grousers."""
        bar = {"rounded": Grouser.rounded, "box": Grouser.box}.get(self.grousers)
        height = GROUSER[1] if bar else 0.0
        return Track(
            path=BeltPath.oval(LENGTH - 2 * height, HEIGHT / 2 - height),
            width=TRACK_WIDTH,
            drive=Drive(force=BELT_FORCE, speed=TOP_SPEED, saturation_error=0.005, damping=0.1),
            inertia=BELT_INERTIA,
            mass=1.5,
            grouser=bar(*GROUSER) if bar else None,
            count=GROUSERS,
            method=self.method,
            wheels=self.wheels,
            without_top=self.without_top,
        )
