"""Kenaf: a 20 kg crawler with two main tracks and four flippers (Kurose et al. 2008, sec. II-B).

The root frame lies midway between the four flipper axes: x forward, y left, z up. Numbers are from
the paper or, on lines marked UDK, from USARSim's Kenaf (sources.md A1); values that neither source
gives are marked as estimates and are the same in every experiment
(docs/explanation/papers/kurose.md).

Six motors: one per side, which drives the main belt and the belts of the two flippers of that side,
and one per flipper arm. There are six encoders. A flipper's angle is up positive for all four; the
signs on the wire are in the gateways.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated

import mujoco
import numpy as np
from pydantic import Field

from grouser.description import Description
from grouser.errors import BadValue
from grouser.frames import Pose, degrees, radians
from grouser.physics.contacts import SLIPPERY
from grouser.physics.drives import Drive
from grouser.robots.parts import hull, pan_tilt
from grouser.robots.parts.equipment import camera, navigation, scanner
from grouser.robots.parts.flipper import FOUR, Flipper, add_arm_drives, arm_groups, middle_of_mass
from grouser.robots.parts.pan_tilt import PanTilt
from grouser.robots.parts.powertrain import arm_drive, battery, powered_belt_drive
from grouser.robots.robot import Robot, Steering
from grouser.sensors.encoder import Encoder
from grouser.sensors.truth import Truth
from grouser.tracks.grouser import Grouser
from grouser.tracks.path import BeltPath
from grouser.tracks.track import Method, Track, WheelCount, add_track

MASS = 20.0  # kg   sec. II-B: ChassisMass
CENTRE_OF_MASS_Z = -0.050  # m   sec. II-B: KCOMOffset, below the robot's centre
WITHOUT_BATTERIES_X = -0.015  # m   sec. II-B: KCOMOffset, "15 mm behind the set position"
WHEEL_FRICTION = 1.3  # sec. II-B: TireRollFriction; the lateral one is not given: taken as equal

HEIGHT = 0.180  # m   UDK: over all, flippers folded
AXIS_X, AXIS_Y = 0.225, 0.230  # m   UDK: flipper axes, at the height of the main wheels' axes
ARM_LIMIT = 3.14  # rad   UDK: either way
TRACK_Y = 0.110  # m   UDK: main wheels
FLIPPER_SHARE = 2.0 / 24.0  # UDK: a flipper's arm and wheels weigh 2 of the robot's 24 kg

RADIUS = 0.300 - AXIS_X  # m   UDK: 600 over all, flippers folded, is the axes and a pulley each
LENGTH = 2 * (0.200 + RADIUS)  # m   UDK: main wheels from -200 to 200, here the main pulleys
TRACK_WIDTH = 0.140  # m   estimate: wide as a full-body track's, yet the front camera sees between
FLIPPER_REACH = 0.145  # m   UDK: from the axis to the tip's wheel
FLIPPER_TIP = 0.050  # m   estimate: radius of the small pulley; the large one is at the axis
FLIPPER_WIDTH = 0.030  # m   estimate: beside the main tracks
LUG = (0.006, 0.010)  # m   estimate: length and height; the paper's tracks "have some lugs"
LUG_PITCH = 0.030  # m   estimate: about three lug heights
STANDING = RADIUS + LUG[1]  # m   axes over level ground
CENTRE_Z = HEIGHT / 2 - STANDING + CENTRE_OF_MASS_Z  # m   over the axes; the paper's "centre of the
#                                   robot" is taken as the middle of its height, not as the axes

TOP_SPEED = 0.5  # m/s   UDK: 6.283 rad/s at RADIUS
BELT_FORCE = 200.0  # N   estimate: one side can hold the robot's weight
BELT_INERTIA = (
    5.0  # kg   estimate: belt 1 kg, the rest a geared motor's rotor reflected to the belt
)
FLIPPER_BELT_INERTIA = 0.3  # kg   estimate: a flipper's belt; driven by the motor of its side
ARM_TORQUE = 40.0  # N m   estimate: two arms can raise one end of the robot
ARM_SPEED = radians(60)  # rad/s   estimate
ARM_ARMATURE = 0.1  # kg m2   estimate: geared motor's rotor reflected to the arm

BLUE: hull.Vector = (0.20, 0.42, 0.72)

FRONT_CAMERA = (0.26, 0.0, -0.0392)  # m   UDK config: x forward, y right, z down; looks level
BIRDS_EYE_CAMERA = (-0.15, 0.0, -0.45)  # m   UDK config, in the same axes
BIRDS_EYE_DOWN = 1.0  # rad   UDK config: pitched down
HEAD_AT = (FRONT_CAMERA[0] - pan_tilt.LENS_X, 0.0, -FRONT_CAMERA[2])  # m   lens as at FRONT_CAMERA
HEAD_CENTRE = np.array([HEAD_AT[0], 0.0, HEAD_AT[2] - pan_tilt.LOWERED])  # m   centre of mass
OPENING_DEG = 45.0  # estimate: vertical opening angle of both cameras


ArmAngle = Annotated[float, Field(ge=-degrees(ARM_LIMIT), le=degrees(ARM_LIMIT))]
"""Initial angle of a flipper, deg, within the joint limits."""


class Kenaf(Description):
    """Options of the Kenaf."""

    method: Method = "segments"
    """Track method: the paper's ``wheels``, or belts with lugs."""
    batteries: bool = True
    """False: removed, as in all experiments of the paper; the centre of mass moves 15 mm back."""
    centre_x: Annotated[float, Field(ge=-AXIS_X, le=AXIS_X)] = 0.0
    """x of the centre of mass from the middle, m; with batteries, flippers level."""
    centre_z: Annotated[float, Field(ge=-HEIGHT / 2, le=HEIGHT / 2)] = CENTRE_Z
    """z of the centre of mass from the flipper axes, m; sec. II-B."""
    front_deg: ArmAngle = 0.0
    """Initial angle of the front flippers, deg, up positive; 0: level, pointing forwards."""
    rear_deg: ArmAngle = 0.0
    """Initial angle of the rear flippers, deg, up positive; 0: level, pointing backwards."""
    pitch_inertia: Annotated[float, Field(gt=0, lt=10)] = 1.0
    """Pitch inertia with level flippers, relative to that of parts of uniform density."""
    wheels: WheelCount = 6
    """Wheels per main track, method wheels only (sources.md A4: a Kenaf-like crawler's)."""
    flipper_wheels: WheelCount = 3
    """Wheels per flipper, method wheels only (sources.md A4)."""
    pan_tilt: bool = False
    """Mount the front camera on a head that pans and tilts (sec. II-B: "a pan-tilt-zoom camera
    fixed at the front of its body"); its mass is part of the robot's."""

    def build(self) -> Robot:
        """Return the robot: body, main tracks, four flippers, camera mounts, sensors."""
        spec = mujoco.MjSpec()
        spec.compiler.degree = False
        body = spec.worldbody.add_body(name="body")
        _add_body(body)
        mains = {
            side: add_track(spec, body, self._main(), side, Pose.at(0, y, 0))
            for side, y in (("left", TRACK_Y), ("right", -TRACK_Y))
        }
        if self.pan_tilt:
            PanTilt(at=HEAD_AT).add(spec, body)
        self._weigh_body(body, belts=sum(belt.mass for belt in mains.values()))
        flippers = [self._flipper(place) for place in FOUR]
        hung = [flipper.add(spec, body, mains[flipper.side]) for flipper in flippers]
        hull.exclude_hull_belt_contacts(spec)
        _add_cameras(body)
        arm = Drive(force=ARM_TORQUE, speed=ARM_SPEED, saturation_error=radians(2), damping=1.0)
        arms = add_arm_drives(spec, flippers, arm_drive(arm, MASS))
        front, rear = radians(self.front_deg), radians(self.rear_deg)
        return Robot(
            spec=spec,
            root="body",
            mass=MASS,
            drives=dict.fromkeys(mains, powered_belt_drive(_belt_drive(), MASS))
            | arms
            | (pan_tilt.DRIVES if self.pan_tilt else {}),
            limits=dict.fromkeys(arms, (-ARM_LIMIT, ARM_LIMIT))
            | (pan_tilt.LIMITS if self.pan_tilt else {}),
            belts=(*mains.values(), *hung),
            steering=Steering(left=("left",), right=("right",), gauge=2 * TRACK_Y),
            groups=arm_groups(flippers),
            sensors=(Truth(body="body"), Encoder(drives=("left", "right", *arms))),
            equipment=(pan_tilt.CAMERA, *EQUIPMENT[1:]) if self.pan_tilt else EQUIPMENT,
            battery=battery(MASS),
            standing=STANDING,
            posture={each.arm: front if each.forward > 0 else rear for each in flippers},
        )

    def _track(self, path: BeltPath, width: float, wheels: int) -> Track:
        """Return a belt along ``path``; wheels have the radius of the belt with its lugs."""
        own = WHEEL_FRICTION if self.method == "wheels" else SLIPPERY
        return Track(
            path=path,
            width=width,
            drive=_belt_drive(),
            inertia=BELT_INERTIA,
            grouser=Grouser.rounded(*LUG),
            count=round(path.length / LUG_PITCH),
            method=self.method,
            wheels=wheels,
            friction=own,
        )

    def _main(self) -> Track:
        return self._track(BeltPath.oval(LENGTH, RADIUS), TRACK_WIDTH, self.wheels)

    def _flipper(self, place: str) -> Flipper:
        """Return one flipper: an arm on the axis of its large pulley."""
        forward = 1 if "front" in place else -1
        left = 1 if "left" in place else -1
        reach = forward * FLIPPER_REACH
        path = BeltPath.around([(0.0, 0.0, RADIUS), (reach, 0.0, FLIPPER_TIP)])
        mass, half, x = _flipper_mass()
        return Flipper(
            place=place,
            axis=(forward * AXIS_X, left * AXIS_Y, 0.0),
            forward=forward,
            track=dataclasses.replace(
                self._track(path, FLIPPER_WIDTH, self.flipper_wheels),
                geared=True,
                inertia=FLIPPER_BELT_INERTIA,
                carried_by=2 * self._main().ground_run,
            ),
            mass=mass,
            half=half,
            at=(forward * x, 0.0, 0.0),
            arm_half=(FLIPPER_REACH / 2, FLIPPER_WIDTH * 0.4, FLIPPER_TIP * 0.6),
            arm_at=(reach / 2, 0.0, 0.0),
            armature=ARM_ARMATURE,
            limits=(-ARM_LIMIT, ARM_LIMIT),
            rgb=BLUE,
        )

    def _weigh_body(self, body: mujoco.MjsBody, belts: float) -> None:
        """Set the body's mass to the remainder, and its centre and inertia from the options."""
        flipper, half, x = _flipper_mass()
        head = pan_tilt.MASS if self.pan_tilt else 0.0
        mass = MASS - 4 * flipper - belts - head
        # Level flippers are symmetric about the root, so the body alone carries the offset.
        centre = np.array([self.centre_x, 0.0, self.centre_z])
        centre[0] += 0.0 if self.batteries else WITHOUT_BATTERIES_X
        at = (centre * MASS - HEAD_CENTRE * head) / mass
        hull.set_box_mass(
            body, mass, (LENGTH / 2, TRACK_Y + TRACK_WIDTH / 2, RADIUS), at=tuple(at.tolist())
        )
        # Mass further out along x adds equally to pitch and yaw inertia.
        places = np.array([sign * (AXIS_X + x) for sign in (1, 1, -1, -1)]) - centre[0]
        flippers = 4 * flipper * (half[0] ** 2 + half[2] ** 2) / 3
        flippers += flipper * float((places**2 + centre[2] ** 2).sum())
        whole = body.inertia[1] + mass * float(((at - centre) ** 2).sum()) + flippers
        more = (self.pitch_inertia - 1) * whole
        roll, pitch, yaw = body.inertia
        least = 1 - (pitch + yaw - roll) / 2 / whole
        if pitch + more + yaw + more < roll:
            raise BadValue(f"pitch_inertia is {self.pitch_inertia}, must be at least {least:.2f}")
        body.inertia = [roll, pitch + more, yaw + more]


def _flipper_mass() -> tuple[float, hull.Vector, float]:
    """Return a flipper's mass (kg), half edges of its box (m) and x of its centre (m)."""
    half = (
        (RADIUS + FLIPPER_REACH + FLIPPER_TIP) / 2,
        FLIPPER_WIDTH / 2,
        (RADIUS + FLIPPER_TIP) / 2,
    )
    x = middle_of_mass([(0.0, RADIUS), (FLIPPER_REACH, FLIPPER_TIP)])
    return MASS * FLIPPER_SHARE, half, x


def _belt_drive() -> Drive:
    return Drive(force=BELT_FORCE, speed=TOP_SPEED, saturation_error=0.005, damping=0.1)


def _add_body(body: mujoco.MjsBody) -> None:
    """Add the collision geoms: a box between the belts' runs and a deck above them."""
    inside = (LENGTH / 2 - RADIUS, TRACK_Y + TRACK_WIDTH / 2 - 0.002, RADIUS * 0.7)
    hull.add_hull(body, "hull", inside, rgb=BLUE)
    top = HEIGHT - STANDING
    deck = (0.20, 0.15, (top - RADIUS * 0.7) / 2)
    hull.add_hull(body, "deck", deck, at=(0, 0, top - deck[2]), rgb=hull.GREY)


def _in_our_axes(place: hull.Vector) -> hull.Vector:
    """Convert a position of the UDK config (y right, z down) to the body frame."""
    x, y, z = place
    return x, -y, -z


EQUIPMENT = (
    camera(_in_our_axes(FRONT_CAMERA)),
    camera(_in_our_axes(BIRDS_EYE_CAMERA), name="BirdsEye", down=BIRDS_EYE_DOWN),
    scanner((-0.08, 0.0, 0.145)),  # m   UDK config
    navigation((0.0, 0.0, 0.2)),  # m   UDK config
)


def _add_cameras(body: mujoco.MjsBody) -> None:
    """Add the cameras ``front`` and ``birds_eye``."""
    # The published positions have y right and z down; MuJoCo's cameras look along their -z, x
    # right.
    down = BIRDS_EYE_DOWN
    for name, (x, y, z), up in (
        ("front", FRONT_CAMERA, (0.0, 0.0, 1.0)),
        ("birds_eye", BIRDS_EYE_CAMERA, (math.sin(down), 0.0, math.cos(down))),
    ):
        camera = body.add_camera(name=name, pos=[x, -y, -z], fovy=OPENING_DEG)
        camera.alt.type = mujoco.mjtOrientation.mjORIENTATION_XYAXES
        camera.alt.xyaxes = [0.0, -1.0, 0.0, *up]
