"""Quince: a 33 kg rescue crawler with two main tracks and four sub-tracks (Okada et al. 2020).

The tracks cover the whole belly; each sub-track turns about the axis of a main pulley. Numbers are
from the paper's Table III unless their line names another source; values that the paper does not
give are options below, marked as estimates, and the same in every experiment.
"""

from __future__ import annotations

import mujoco

from grouser.description import Description, Positive
from grouser.frames import Pose, radians
from grouser.physics.drives import Drive
from grouser.robots.parts import hull
from grouser.robots.parts.equipment import camera, navigation, scanner
from grouser.robots.parts.flipper import FOUR, ArmAngle, Flipper, add_arm_drives, arm_groups
from grouser.robots.parts.powertrain import arm_drive, battery, powered_belt_drive
from grouser.robots.robot import Robot, Steering
from grouser.sensors.encoder import Encoder
from grouser.sensors.truth import Truth
from grouser.tracks.grouser import Grouser
from grouser.tracks.path import BeltPath
from grouser.tracks.track import Method, Track, WheelCount, add_track

MASS = 33.0  # kg   Table III
LENGTH, WIDTH = 0.685, 0.370  # m   Table III: main body without sub-tracks
RADIUS = 0.150 / 2  # m   Table III: H150 without grousers
TRACK_WIDTH = 0.170  # m   Table III
TRACK_GROUSERS = 40  # Table III
SUB_LENGTH, SUB_WIDTH = 0.345, 0.025  # m   Table III
SUB_GROUSERS = 22  # Table III
GROUSER = (0.005, 0.018, 0.016)  # m   Table III: trapezoid, upper base, lower base, height; its
#                                 upper base is rounded here: 1.5 times as fast, same grip

TRACK_Y = WIDTH / 2 - TRACK_WIDTH / 2  # m   the main tracks end where the body does
SUB_Y = WIDTH / 2 + SUB_WIDTH / 2 + 0.005  # m   estimate: 5 mm beside the main track
AXIS_X = LENGTH / 2 - RADIUS  # m   a sub-track turns about a main pulley's axis

SUB_MASS = 1.5  # kg   estimate: one sub-track with its arm
TOP_SPEED = 1.6  # m/s   published for another variant (sources.md A2)
BELT_FORCE = 300.0  # N   estimate: one side can lift the robot's weight
BELT_INERTIA = (
    8.0  # kg   estimate: belt 2 kg, the rest a geared motor's rotor reflected to the belt
)
SUB_BELT_INERTIA = 0.5  # kg   estimate: a sub-track's belt; driven by the motor of its side
ARM_TORQUE = 60.0  # N m   estimate: the four arms can raise the robot
ARM_LEAD = 2.0  # deg   estimate: angle error at full torque, so 1.7 kN m/rad
ARM_SPEED = radians(90)  # rad/s   estimate
ARM_ARMATURE = 0.2  # kg m2   estimate: geared motor's rotor reflected to the arm

EQUIPMENT = (
    camera((0.25, 0.0, 0.15)),  # m   estimate: over the front axis
    scanner((0.0, 0.0, 0.2)),  # m   estimate: on the deck
    navigation((0.0, 0.0, 0.1)),  # m   estimate
)


class Quince(Description):
    """Options of the Quince."""

    method: Method = "segments"
    """Track method."""
    grousers: bool = True
    """False: smooth belts."""
    front_deg: ArmAngle = 0.0
    """Initial angle of the front sub-tracks, deg, up positive; 0: level with the main tracks."""
    rear_deg: ArmAngle = 5.0
    """Initial angle of the rear sub-tracks, deg; not in the paper, estimate (
    docs/explanation/papers/okada.md)."""
    centre_x: float = 0.0
    """x of the centre of mass from the middle, m; not in the paper, estimate."""
    centre_z: float = 0.0
    """z of the centre of mass from the pulley axes, m; not in the paper, estimate."""
    wheels: WheelCount = 8
    """Wheels per main track (method wheels only)."""
    arm_lead: Positive = ARM_LEAD
    """Angle error at which the torque of an arm saturates, deg; a large one gives soft arms."""
    round_tips: bool = True
    """False: grousers have the flat tips of the paper's Table III."""

    def build(self) -> Robot:
        """Return the robot: body, main tracks, four sub-tracks, sensors."""
        spec = mujoco.MjSpec()
        body = spec.worldbody.add_body(name="body")
        inside = (LENGTH / 2 - RADIUS, WIDTH / 2 - 0.002, RADIUS * 0.8)
        hull.add_hull(body, "hull", inside, rgb=hull.ORANGE)
        hull.add_hull(body, "deck", (0.16, 0.11, 0.03), at=(0, 0, RADIUS + 0.05), rgb=hull.GREY)
        mains = {
            side: add_track(spec, body, self._main(), side, Pose.at(0, y, 0))
            for side, y in (("left", TRACK_Y), ("right", -TRACK_Y))
        }
        self._weigh_body(body, others=4 * SUB_MASS + sum(belt.mass for belt in mains.values()))
        subs = [self._sub(place) for place in FOUR]
        belts = [*mains.values(), *(sub.add(spec, body, mains[sub.side]) for sub in subs)]
        hull.exclude_hull_belt_contacts(spec)
        lead = radians(self.arm_lead)
        arm = Drive(force=ARM_TORQUE, speed=ARM_SPEED, saturation_error=lead, damping=1.0)
        belt = powered_belt_drive(self._belt_drive(), MASS)
        drives = dict.fromkeys(mains, belt) | add_arm_drives(spec, subs, arm_drive(arm, MASS))
        front, rear = radians(self.front_deg), radians(self.rear_deg)
        return Robot(
            spec=spec,
            root="body",
            mass=MASS,
            drives=drives,
            belts=tuple(belts),
            steering=Steering(left=("left",), right=("right",), gauge=2 * TRACK_Y),
            groups=arm_groups(subs),
            sensors=(Truth(body="body"), Encoder(drives=tuple(drives))),
            equipment=EQUIPMENT,
            battery=battery(MASS),
            standing=RADIUS + (self._grouser().height if self.grousers else 0.0),
            posture={sub.arm: front if sub.forward > 0 else rear for sub in subs},
        )

    def _grouser(self) -> Grouser:
        return Grouser.trapezoid(*GROUSER, round_tip=self.round_tips)

    def _belt_drive(self) -> Drive:
        return Drive(force=BELT_FORCE, speed=TOP_SPEED, saturation_error=0.005, damping=0.1)

    def _main(self) -> Track:
        return Track(
            path=BeltPath.oval(LENGTH, RADIUS),
            width=TRACK_WIDTH,
            drive=self._belt_drive(),
            inertia=BELT_INERTIA,
            grouser=self._grouser() if self.grousers else None,
            count=TRACK_GROUSERS,
            method=self.method,
            wheels=self.wheels,
        )

    def _sub(self, place: str) -> Flipper:
        """Return one sub-track: an arm on the axis of a main pulley."""
        forward = 1 if "front" in place else -1
        left = 1 if "left" in place else -1
        reach = SUB_LENGTH - 2 * RADIUS
        half = (reach / 2, SUB_WIDTH * 0.4, RADIUS * 0.7)
        middle = (forward * reach / 2, 0.0, 0.0)
        return Flipper(
            place=place,
            axis=(forward * AXIS_X, left * SUB_Y, 0.0),
            forward=forward,
            track=self._sub_track(forward * reach),
            mass=SUB_MASS,
            half=half,
            at=middle,
            arm_half=half,
            arm_at=middle,
            armature=ARM_ARMATURE,
        )

    def _sub_track(self, reach: float) -> Track:
        """Return a sub-track's belt; its outer pulley is ``reach`` (m) ahead of the axis."""
        return Track(
            path=BeltPath.around([(0.0, 0.0, RADIUS), (reach, 0.0, RADIUS)]),
            width=SUB_WIDTH,
            drive=self._belt_drive(),
            geared=True,
            inertia=SUB_BELT_INERTIA,
            carried_by=2 * self._main().ground_run,
            grouser=self._grouser() if self.grousers else None,
            count=SUB_GROUSERS,
            method=self.method,
            wheels=4,
        )

    def _weigh_body(self, body: mujoco.MjsBody, others: float) -> None:
        """Set the main body's mass to the remainder, and its centre from the options."""
        mass = MASS - others
        # Level sub-tracks are symmetric about the middle, so the body alone carries the offset.
        at = (self.centre_x * MASS / mass, 0.0, self.centre_z * MASS / mass)
        hull.set_box_mass(body, mass, (LENGTH / 2, WIDTH / 2, RADIUS), at=at)
