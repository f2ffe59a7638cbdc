"""AIBO builder: model and options common to Sony's ERS-7 and ERS-210.

The numbers are in `ers7.py` and `ers210.py`. The root frame lies midway between the four shoulder
joints: x forward, y left, z up. Joint limits are the **software limits** of sources.md B1 and B2,
enforced by the robots' controllers; the mechanical stops lie 1 to 5 degrees beyond them.

Signs: legs as in `quadruped_legs.py` (rotor forward positive for all four); neck, head and mouth
up positive, pan left positive, tail up and left positive. Servo torques, gains and rotor inertias
are estimates: no source gives them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from grouser.description import Description, NotNegative
from grouser.errors import BadValue, unknown
from grouser.frames import Array, radians
from grouser.locomotion.quadruped_legs import JOINTS, LEGS, SIDE, Legs, Stance, to_pitched_frame
from grouser.locomotion.trot import Locus, Trot, fastest_speeds
from grouser.physics.command_delay import Delay
from grouser.robots.parts.hull import Vector
from grouser.robots.parts.linkage import (
    BoxMass,
    LinkagePart,
    Mount,
    PartShape,
    Servo,
    assemble,
    box,
    capsule,
    part_drives,
)
from grouser.robots.parts.lower_leg import LowerLeg
from grouser.robots.robot import Robot
from grouser.sensors.encoder import Encoder
from grouser.sensors.inertial import Accelerometer
from grouser.sensors.range import Infrared
from grouser.sensors.sensor import Sensor
from grouser.sensors.touch import Touch
from grouser.sensors.truth import Truth

FORWARD: Vector = (0.0, -1.0, 0.0)
"""Axis about which a hanging part swings forwards and a part pointing ahead rises."""
BACKWARD: Vector = (0.0, 1.0, 0.0)
UPWARD = BACKWARD
"""Axis about which a part pointing back rises."""
LEFT: Vector = (0.0, 0.0, 1.0)
"""Axis about which a part pointing ahead turns left."""
RIGHT: Vector = (0.0, 0.0, -1.0)
ROLL: Vector = (1.0, 0.0, 0.0)

WHITE: Vector = (0.88, 0.88, 0.86)
SILVER: Vector = (0.66, 0.68, 0.72)
DARK: Vector = (0.16, 0.16, 0.18)
UNIFORMS: dict[str, Vector | None] = {
    "": None,
    "red": (0.80, 0.10, 0.10),
    "blue": (0.08, 0.16, 0.62),
}
"""Body colours of the league's two teams (estimate); None: the robot's own colour."""

# Servos: estimates. A leg joint holds the robot's weight at a lever of 120 mm, a neck joint four
# times the head's; with these gains a standing robot sags by less than 1 mm. A leg's stiffness,
# torque / lead = 40 N m/rad, was chosen with the measured trot of the ERS-7 in view; before it was
# 133 (docs/appendix/zaratti.md).
LEG = {"torque": 2.0, "lead": 0.05, "damping": 2.5, "armature": 1e-3}
NECK = {"torque": 1.0, "lead": 0.05, "damping": 4.0, "armature": 3e-4}
SMALL = {"torque": 0.05, "lead": 0.1, "damping": 6.0, "armature": 2e-5}  # tail, mouth, ears

# Parts' masses, kg: shares of a whole, sources.md B2 (Webots; some of them are the ERS-210's).
BODY_MASS = 0.613
NECK_MASS, HEAD_BASE_MASS, HEAD_MASS = 0.015, 0.010, 0.190
MOUTH_MASS = 0.010  # kg   estimate: taken out of the head
EAR_MASS = 0.005
SHOULDER_MASS, UPPER_LEG_MASS, LOWER_LEG_MASS = 0.050, 0.073, 0.073
TAIL_BASE_MASS, TAIL_MASS = 0.001, 0.005
WHOLE = (
    BODY_MASS
    + (NECK_MASS + HEAD_BASE_MASS + HEAD_MASS + 2 * EAR_MASS)
    + 4 * (SHOULDER_MASS + UPPER_LEG_MASS + LOWER_LEG_MASS)
    + (TAIL_BASE_MASS + TAIL_MASS)
)

SETTLING_ROUNDS = 8
"""Rounds in which `Aibo.at_height` finds the height to better than a micrometre."""

PACKETS = 1 / 0.032  # Hz   sources.md B1: a packet of sensor values every 32 ms
GRAVITY = 9.81  # m/s2
SHAKE = 0.1  # m/s2   estimate: accelerometer noise; its range of 2 g is an estimate, too
CLICK = 0.3  # N   estimate: force that closes a switch

EAR_LIMITS_DEG = (-30.0, 0.0)  # estimate: the real ears only click between two positions
EAR_SPEED = 10.0  # rad/s   estimate: as the mouth's


@dataclass(frozen=True, kw_only=True)
class LegServos:
    """Servos of one leg."""

    rotor: Servo
    elevator: Servo
    knee: Servo


@dataclass(frozen=True, kw_only=True)
class Aibo:
    """Numbers of one AIBO model."""

    mass: float
    """Total mass, kg."""
    body: BoxMass
    hull: tuple[PartShape, ...]
    """Collision geoms of the body."""
    legs: Legs
    fore: LegServos
    hind: LegServos
    leg_radius: float
    """Radius of upper and lower legs, m."""
    fore_lower: LowerLeg
    """Shape of the fore lower legs."""
    hind_lower: LowerLeg
    """Shape of the hind lower legs."""
    others: tuple[LinkagePart, ...]
    """Head, tail, mouth and ears, parents first."""
    mounts: Mapping[str, Mount]
    """Sensor mounts other than those in the paws."""
    sensors: tuple[Sensor, ...]
    """Sensors other than encoders, accelerometer and the switches of the paws."""
    stance: Stance
    gait: Trot
    posture_deg: Mapping[str, float]
    """Angles of head, tail, mouth and ears at rest."""
    rgb: Vector

    def build(
        self,
        *,
        sensors: bool = True,
        team: str = "",
        leg_friction: float = 0.0,
        command_delay: float = 0.0,
    ) -> Robot:
        """Return the robot: body, legs, head, tail, drives, gait, sensors.

        Args:
            sensors: False keeps only encoders and ground truth.
            team: team colour of the body, red or blue; empty: the robot's own.
            leg_friction: dry friction of each leg joint, N m.
            command_delay: of all joints, s.
        """
        if team not in UNIFORMS:
            raise unknown("team", "uniform", team, [name for name in UNIFORMS if name])
        scale = self.mass / WHOLE
        parts = (*self._legs(), *self.others)
        spec = assemble(
            "body",
            self.body.times(scale),
            # In the team's colour, except shapes with a colour of their own.
            tuple(s if s.rgb else replace(s, rgb=UNIFORMS[team]) for s in self.hull),
            tuple(replace(part, mass=part.mass.times(scale)) for part in parts),
            dict(self.mounts) | self._paw_mounts(),
            self.rgb,
        )
        drives = part_drives(parts, self.gait.drives, leg_friction, command_delay)
        return Robot(
            spec=spec,
            root="body",
            mass=self.mass,
            drives=drives,
            limits={part.name: part.servo.limits for part in parts},
            gait=self.gait,
            groups={"ears": ("left_ear", "right_ear")},
            sensors=(
                Truth(body="body"),
                Encoder(drives=tuple(drives), rate_hz=PACKETS),
                *(self._all_sensors() if sensors else ()),
            ),
            standing=-self.lowest_point(),
            standing_pitch=self.gait.pitch,
            posture=self.posture(),
        )

    def stance_is_reachable(self) -> bool:
        """Return whether the legs reach the stance with all joints within their limits."""
        stand = self._standing_paws()
        angles = self.legs.angles(stand)
        limits = self._leg_limits().reshape(4, 3, 2)
        within = (angles >= limits[..., 0]) & (angles <= limits[..., 1])
        return bool(within.all() and np.abs(self.legs.paws(angles) - stand).max() < 1e-6)

    def lowest_point(self) -> float:
        """Return the height of the standing legs' lowest point, m, in the level frame."""
        angles = self.legs.angles(self._standing_paws())
        heights = []
        for lower, leg in ((self.fore_lower, 0), (self.hind_lower, 1)):
            points = lower.corners() if lower.outline else np.array([lower.paw])
            x, y, z = points.T[..., None]
            points = self.legs.points(angles, x, y, -z)[:, leg]
            heights.append(to_pitched_frame(points, -self.gait.pitch)[:, 2].min())
            heights[-1] -= 0.0 if lower.outline else lower.radius
        return float(min(heights))

    def at_height(self, height: float) -> Aibo:
        """Return a copy whose shoulders' middle stands ``height`` (m) above the ground."""
        robot = self
        for _ in range(SETTLING_ROUNDS):  # soles roll: another height is another point of contact
            lower = -height - robot.lowest_point()
            stance = Stance(
                fore=_moved_up(robot.stance.fore, lower), hind=_moved_up(robot.stance.hind, lower)
            )
            robot = replace(robot, stance=stance, gait=replace(robot.gait, stance=stance))
        return robot

    def with_fastest_gait(self) -> Aibo:
        """Return a copy whose gait is limited by the speeds and limits of the leg joints."""
        speeds = [servo.speed for servo in self._leg_servos()]
        fastest = fastest_speeds(self.gait, self._leg_limits(), np.array(speeds))
        return replace(self, gait=replace(self.gait, fastest=fastest))

    def _leg_servos(self) -> list[Servo]:
        """Return the servos of all legs in the order of the gait."""
        ends = [self.fore if leg.endswith("f") else self.hind for leg in LEGS]
        return [getattr(end, joint) for end in ends for joint in JOINTS]

    def _leg_limits(self) -> Array:
        """Return the limits of all leg joints, rad, (12, 2)."""
        return np.array([servo.limits for servo in self._leg_servos()])

    def _standing_paws(self) -> Array:
        """Return the paw positions of the stance in the body frame, m, (4, 3)."""
        return self.stance.pitched(self.gait.pitch).paws()

    def posture(self) -> dict[str, float]:
        """Return the angle (rad) of every joint when the robot stands."""
        legs = dict(
            zip(
                self.gait.drives,
                self.legs.angles(self._standing_paws()).ravel().tolist(),
                strict=True,
            )
        )
        return legs | {name: radians(angle) for name, angle in self.posture_deg.items()}

    def _all_sensors(self) -> tuple[Sensor, ...]:
        """Return accelerometer, paw switches and the model's own sensors."""
        accelerometer = Accelerometer(
            mount="accelerometer", rate_hz=PACKETS, noise=SHAKE, limit=2 * GRAVITY
        )
        return accelerometer, *(switch(f"paw_{leg}") for leg in LEGS), *self.sensors

    def _legs(self) -> list[LinkagePart]:
        """Return shoulder, upper and lower part of all four legs."""
        parts = []
        for leg, side in zip(LEGS, SIDE.tolist(), strict=True):
            fore = leg.endswith("f")
            limb, servos = (self.legs.fore, self.fore) if fore else (self.legs.hind, self.hind)
            lower = self.fore_lower if fore else self.hind_lower
            names = [f"{leg}_{joint}" for joint in JOINTS]
            knee: Vector = (limb.upper[0], side * limb.upper[1], limb.upper[2])
            shoulder: Vector = (limb.shoulder[0], side * limb.shoulder[1], limb.shoulder[2])
            parts += [
                LinkagePart(
                    name=names[0],
                    parent="body",
                    at=shoulder,
                    axis=FORWARD,
                    servo=servos.rotor,
                    mass=BoxMass(mass=SHOULDER_MASS, half=(0.020, 0.015, 0.020)),
                ),
                LinkagePart(
                    name=names[1],
                    parent=names[0],
                    at=(0.0, 0.0, 0.0),
                    axis=(side, 0.0, 0.0),
                    servo=servos.elevator,
                    mass=_rod_mass(UPPER_LEG_MASS, knee, self.leg_radius),
                    shapes=(capsule(self.leg_radius, (0.0, knee[1], 0.0), knee),),
                ),
                LinkagePart(
                    name=names[2],
                    parent=names[1],
                    at=knee,
                    axis=FORWARD if fore else BACKWARD,
                    servo=servos.knee,
                    mass=_rod_mass(LOWER_LEG_MASS, limb.lower, lower.radius),
                    shapes=lower.shapes(f"paw_{leg}", DARK),
                ),
            ]
        return parts

    def _paw_mounts(self) -> dict[str, Mount]:
        """Return mounts at the centres of the paws."""
        limbs = {"f": self.legs.fore, "h": self.legs.hind}
        return {f"paw_{leg}": Mount(part=f"{leg}_knee", at=limbs[leg[1]].lower) for leg in LEGS}


def _moved_up(place: Vector, by: float) -> Vector:
    """Return a place ``by`` (m) higher."""
    return place[0], place[1], place[2] + by


def _rod_mass(mass: float, end: Vector, radius: float) -> BoxMass:
    """Return the mass properties of a rod from the hinge down to ``end``."""
    middle: Vector = (end[0] / 2, end[1] / 2, end[2] / 2)
    return BoxMass(mass=mass, half=(radius, radius, abs(end[2]) / 2), at=middle)


def tail(at: Vector, tilt: Servo, pan: Servo, length: float) -> tuple[LinkagePart, LinkagePart]:
    """Return a tail that points back, ``length`` (m) long, with its tilt axis at ``at``."""
    return (
        LinkagePart(
            name="tail_tilt",
            parent="body",
            at=at,
            axis=UPWARD,
            servo=tilt,
            mass=BoxMass(mass=TAIL_BASE_MASS, half=(0.005, 0.005, 0.005)),
        ),
        LinkagePart(
            name="tail_pan",
            parent="tail_tilt",
            at=(0.0, 0.0, 0.0),
            axis=RIGHT,
            servo=pan,
            mass=BoxMass(
                mass=TAIL_MASS, half=(length / 2, 0.005, 0.005), at=(-length / 2, 0.0, 0.0)
            ),
            shapes=(capsule(0.006, (-0.012, 0.0, 0.0), (-length, 0.0, 0.0)),),
        ),
    )


def ears(head: str, at: Vector) -> tuple[LinkagePart, ...]:
    """Return both ears; the left one's hinge is at ``at`` in the head's frame."""
    servo = Servo(limits_deg=EAR_LIMITS_DEG, speed=EAR_SPEED, **SMALL)
    return tuple(
        LinkagePart(
            name=f"{side}_ear",
            parent=head,
            at=(at[0], sign * at[1], at[2]),
            axis=FORWARD,
            servo=servo,
            mass=BoxMass(mass=EAR_MASS, half=(0.008, 0.003, 0.020), at=(-0.005, 0.0, -0.015)),
            shapes=(
                capsule(0.006, (0.0, sign * 0.004, 0.0), (-0.010, sign * 0.006, -0.035), rgb=DARK),
            ),
        )
        for side, sign in (("left", 1.0), ("right", -1.0))
    )


def mouth(head: str, at: Vector, servo: Servo) -> LinkagePart:
    """Return the lower jaw, hinged at ``at`` in the head's frame."""
    return LinkagePart(
        name="mouth",
        parent=head,
        at=at,
        axis=FORWARD,
        servo=servo,
        mass=BoxMass(mass=MOUTH_MASS, half=(0.018, 0.015, 0.004), at=(0.018, 0.0, 0.0)),
        shapes=(box((0.018, 0.015, 0.004), (0.018, 0.0, 0.0), rgb=DARK),),
    )


def switch(name: str, mount: str = "") -> Touch:
    """Return a touch switch on a geom or part ``mount``; empty: the geom called ``name``."""
    return Touch(name=name, mount=mount or name, rate_hz=PACKETS, threshold=CLICK)


def infrared(name: str, near: float, far: float) -> Infrared:
    """Return an infrared sensor with a range of ``near`` to ``far`` (m).

    Its largest error grows with the distance, as in Zaratti et al. (sec. 3), which prints no
    numbers: 2 % of the distance at ``near``, 10 % at ``far``, estimates.
    """
    bound = ((near, 0.02 * near), (far, 0.10 * far))
    return Infrared(mount=name, name=name, near=near, far=far, bound=bound, rate_hz=PACKETS)


GAIT_OPTIONS = (
    "period", "stance_share", "lift", "locus", "stride", "side_stride", "turn_stride_deg",
    "height", "pitch_deg", "fore_x", "fore_y", "hind_x", "hind_y",
)  # fmt: skip
"""Options that affect the gait only, not the model."""

SLOWEST = 1e-6
"""Speed limit (m/s or rad/s) of a stride option of 0."""


class AiboOptions(Description):
    """Options of an AIBO; s, m, deg. A gait option of None keeps the robot's own value."""

    gait_options: ClassVar[tuple[str, ...]] = GAIT_OPTIONS
    aibo: ClassVar[Aibo]
    """Numbers of the model."""

    sensors: bool = True
    """False: encoders and ground truth only; many robots then run about twice as fast."""
    team: Literal["", "red", "blue"] = ""
    """Team colour of the body."""
    leg_friction: NotNegative = 0.0
    """Dry friction of each leg joint, N m; 0: none (docs/explanation/energy.md)."""
    command_delay: Delay = 0.0
    """Time from a command of a joint, or a target of the gait, to its effect."""
    period: Annotated[float, Field(ge=0.1, le=5)] | None = None
    """Duration of a gait cycle."""
    stance_share: Annotated[float, Field(ge=0.5, le=0.95)] | None = None
    """Duty factor: fraction of the cycle that a paw is on the ground, 0.5 or more."""
    lift: Annotated[float, Field(ge=0, le=0.08)] | None = None
    """Lift height of the paws."""
    locus: Locus | None = None
    """Path of the paws through the air: ``arch`` or ``box``."""
    stride: Annotated[float, Field(ge=0, le=0.2)] | None = None
    """Largest stride length forwards and backwards; also limited by the joints."""
    side_stride: Annotated[float, Field(ge=0, le=0.2)] | None = None
    """Largest stride length sideways."""
    turn_stride_deg: Annotated[float, Field(ge=0, le=90)] | None = None
    """Largest turn in one stride, deg."""
    height: Annotated[float, Field(ge=0.05, le=0.2)] | None = None
    """Height of the shoulders' middle above the ground."""
    pitch_deg: Annotated[float, Field(ge=-30, le=30)] | None = None
    """Pitch of the body, nose down, deg."""
    fore_x: Annotated[float, Field(ge=0, le=0.2)] | None = None
    """x of the centre of the fore paws' path from the shoulders' middle."""
    fore_y: Annotated[float, Field(ge=0.02, le=0.2)] | None = None
    """y of the centre of the fore paws' path."""
    hind_x: Annotated[float, Field(ge=-0.2, le=0)] | None = None
    """x of the centre of the hind paws' path from the shoulders' middle; negative."""
    hind_y: Annotated[float, Field(ge=0.02, le=0.2)] | None = None
    """y of the centre of the hind paws' path."""

    def build(self) -> Robot:
        """Return the robot: body, legs, head, tail, drives, gait, sensors."""
        return self.apply_to(self.aibo).build(
            sensors=self.sensors,
            team=self.team,
            leg_friction=self.leg_friction,
            command_delay=self.command_delay,
        )

    def apply_to(self, aibo: Aibo) -> Aibo:
        """Return ``aibo`` with the gait of these options.

        Raises:
            BadValue: the legs do not reach the stance.
        """
        if all(getattr(self, name) is None for name in GAIT_OPTIONS):
            return aibo
        own = aibo.gait
        trot = replace(
            own,
            stance=self._stance(aibo),
            cycle=_or_default(self.period, own.cycle),
            grounded=_or_default(self.stance_share, own.grounded),
            height=_or_default(self.lift, own.height),
            pitch=own.pitch if self.pitch_deg is None else radians(self.pitch_deg),
            locus=self.locus or own.locus,
        )
        walker = replace(aibo, stance=trot.stance, gait=trot)
        if self.height is not None:
            walker = walker.at_height(self.height)
        trot = walker.gait
        trot = replace(trot, kick=replace(own.kick, stance=trot.stance.pitched(trot.pitch)))
        walker = replace(walker, gait=trot)
        if not walker.stance_is_reachable():
            raise BadValue(
                "height, pitch_deg, fore_x, fore_y, hind_x, hind_y: the legs do not reach the "
                "ground there within their joint limits"
            )
        walker = walker.with_fastest_gait()
        fastest = self._within_strides(walker.gait)
        return replace(walker, gait=replace(walker.gait, fastest=fastest))

    def _within_strides(self, trot: Trot) -> Vector:
        """Return the gait's fastest speeds, limited by the stride options."""
        ground = trot.cycle * trot.grounded
        turn_stride = None if self.turn_stride_deg is None else radians(self.turn_stride_deg)
        forward, sideways, turn = (
            most if stride is None else min(most, max(stride / ground, SLOWEST))
            for most, stride in zip(
                trot.fastest, (self.stride, self.side_stride, turn_stride), strict=True
            )
        )
        return forward, sideways, turn

    def _stance(self, aibo: Aibo) -> Stance:
        own = aibo.stance
        low = None if self.height is None else -self.height
        return Stance(
            fore=(
                _or_default(self.fore_x, own.fore[0]),
                _or_default(self.fore_y, own.fore[1]),
                _or_default(low, own.fore[2]),
            ),
            hind=(
                _or_default(self.hind_x, own.hind[0]),
                _or_default(self.hind_y, own.hind[1]),
                _or_default(low, own.hind[2]),
            ),
        )


def _or_default(value: float | None, default: float) -> float:
    return default if value is None else float(value)
