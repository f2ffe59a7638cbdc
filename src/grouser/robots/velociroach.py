"""VelociRoACH: 30 g running robot with six legs and two crank motors (roach, sec. 4.3).

As in the report's model, the body is a box, the legs are identical, and their protraction and
abduction follow the cranks (`Cranks`). The inputs are the two crank speeds.

The root frame is the middle of the box: x forward, y left, z up. Every leg joint has its own servo
drive, so that torque and speed at each joint can be read; the real robot's rods, which couple the
legs of a side to one motor, are not modelled. Its C-shaped legs bend: here a leg is a rod on a
damped spring along its length. With stiff legs a straight run at 5 strides a second drifts by
57 deg/m; with these springs by 2 deg/m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import mujoco
import numpy as np
from pydantic import Field, model_validator

from grouser.description import Description, mistake
from grouser.frames import Array, degrees, radians
from grouser.physics.compliance import mark
from grouser.physics.contacts import HULL, HULL_TOUCHES, SLIPPERY
from grouser.physics.drives import Drive
from grouser.robots.parts.hull import GREY, Vector, add_hull, set_box_mass
from grouser.robots.robot import Robot
from grouser.sensors.encoder import Encoder
from grouser.sensors.truth import Truth
from grouser.tracks.geoms import GROUND_SOFTNESS_WINS

SIDES = ("left", "right")
ENDS = ("fore", "middle", "hind")
LEGS = tuple(f"{end}_{side}" for side in SIDES for end in ENDS)
"""All legs, left ones first."""
MOTIONS = ("protraction", "abduction")
"""The two angles of each leg."""

_OFFSETS = np.array([0.0, math.pi, 0.0])  # of fore, middle and hind against their side's crank
_START = (0.0, math.pi)  # one tripod is vertical, the other lifted: no sideways load


@dataclass(frozen=True, kw_only=True)
class Cranks:
    """Crank linkage: two motors move six legs; a `grouser.robots.robot.Gait`.

    Each side has one motor. The phase of its crank moves the three legs of that side along a closed
    curve of two angles, protraction (fore and aft) and abduction (outwards, which lifts the foot):

        protraction = P s(phase)        abduction = A0 + A cos(phase)

    so a foot is on the ground while cos(phase) < 0 and moves backwards there. With a long rod
    between crank and leg s is a sine; with a short one (slider-crank) the feet move backwards and
    return at different speeds. The middle leg of a side is half a turn apart from the fore and the
    hind one, and the sides start half a turn apart: an alternating tripod gait, which equal speeds
    keep and unequal speeds lose, as on the real robot.
    """

    protraction: float
    """P: amplitude of the swing fore and aft, rad."""
    abduction: float
    """A: amplitude of the outward swing, rad."""
    abduction_middle: float
    """A0: centre of the outward swing, rad; equal to A: the inner end is vertical."""
    rod_ratio: float = 0.0
    """Crank radius over rod length, 0 to below 1; 0: protraction is a sine."""
    top_speed: float
    """Speed limit of a crank, rad/s."""
    acceleration: float
    """Acceleration limit of a crank, rad/s²."""
    period: float
    """Longest time between two setpoints, s."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the names of the cranks' speeds, rad/s; forwards is positive."""
        return tuple(f"{side}_speed" for side in SIDES)

    @property
    def drives(self) -> tuple[str, ...]:
        """Return the names of the legs' joints: all protractions, then all abductions."""
        return tuple(f"{leg}_{motion}" for motion in MOTIONS for leg in LEGS)

    def start(self) -> Array:
        """Return the phases (rad) and speeds (rad/s) of cranks at rest, (4,)."""
        return np.array([*_START, 0.0, 0.0])

    def at_phase(self, phase: float) -> Array:
        """Return `start` with both cranks advanced by ``phase`` (rad), (4,)."""
        left, right = (at + phase for at in _START)
        return np.array([math.remainder(left, math.tau), math.remainder(right, math.tau), 0.0, 0.0])

    def advance(self, state: Array, inputs: Array, dt: float) -> Array:
        """Return ``state`` (n, 4) after ``dt`` (s) at the commanded speeds ``inputs`` (n, 2)."""
        # Phases stay between -pi and pi, so that long runs lose no precision.
        # Called at every step: np.clip is several times slower, and arrays are reused.
        result = np.empty_like(state)
        speed, turned, after = state[:, 2:], result[:, :2], result[:, 2:]
        wanted = np.minimum(np.maximum(inputs, -self.top_speed), self.top_speed)
        most = self.acceleration * dt
        change = np.subtract(wanted, speed, out=wanted)
        np.minimum(np.maximum(change, -most, out=change), most, out=change)
        np.add(speed, change, out=after)
        mean = np.add(speed, after, out=change)
        mean /= 2
        mean *= dt
        np.add(state[:, :2], mean, out=turned)
        turns = np.rint(np.divide(turned, math.tau, out=mean), out=mean)
        turns *= math.tau
        np.subtract(turned, turns, out=turned)
        return result

    def angles(self, state: Array) -> Array:
        """Return every leg's protraction, then every leg's abduction (rad), (n, 12)."""
        phase = (state[:, :2, None] + _OFFSETS).reshape(len(state), -1)
        sine, cosine = np.sin(phase), np.cos(phase)
        protraction = self.protraction * self._swing(sine, cosine)
        abduction = self.abduction * (self.abduction_middle / self.abduction + cosine)
        return np.concatenate([protraction, abduction], axis=1)

    def _swing(self, sine: Array, cosine: Array) -> Array:
        """Return s, about -1 to 1: position of the slider over the crank radius."""
        if self.rod_ratio == 0.0:
            return sine
        rod = 1 / self.rod_ratio
        return np.asarray(sine + np.sqrt(rod**2 - cosine**2) - rod)


MASS = 0.030  # kg   sources.md B4: abstract of the 2013 paper
BODY = (0.104, 0.040, 0.020)  # m   sources.md B4: 104 long; width without legs and depth: estimate
HALF: Vector = (BODY[0] / 2, BODY[1] / 2, BODY[2] / 2)
HIP_X = 0.038  # m   estimate: fore and hind hips before and behind the middle one
HIP_Y = 0.026  # m   estimate: beside the box; feet then stand 52-70 apart (B4: 64 over all)
HIP_Z = 0.0  # m   estimate: half-way up the box; 45 over all then (B4: 48)

LEG_LENGTH = 0.035  # m   sources.md B4, estimate: hip to the lowest point
LEG_RADIUS = 0.0025  # m   estimate: half the width of a leg and its rubber foot
LEG_MASS = 0.00075  # kg   sources.md B4, estimate: 0.5-1 g

LEG_STIFFNESS = 60.0  # N/m   estimate: of a tripod, 3 k l / m g is 21, as running animals have it
LEG_VISCOSITY = 1.0  # N s/m   estimate: 0.65 of critical for a third of the robot
LEG_TRAVEL = (-0.005, 0.010)  # m   estimate: stops of the spring, out and in

FEET = 3
"""Feet on the ground: a tripod's; each has a third of the contact spring (`physics.compliance`)."""

PROTRACTION = radians(25)  # rad   estimate (B4 suggests 40: neighbouring legs would meet)
ABDUCTION = radians(15)  # rad   estimate (B4 suggests 20)
PROTRACTION_RANGE = (-radians(60), radians(60))  # rad   estimate: the rods' stops
ABDUCTION_RANGE = (-radians(15), radians(75))  # rad   estimate: the rods' stops
RANGES = {"protraction": PROTRACTION_RANGE, "abduction": ABDUCTION_RANGE}

TOP_SPEED = 2 * math.pi * 24  # rad/s   sources.md B4, unchecked: up to 24 strides a second
ACCELERATION = TOP_SPEED / 0.25  # rad/s2   estimate: a quarter of a second to top speed
SETPOINT_TIME = 0.001  # s   one physics step; a longer hold gives a saw-tooth torque

LEG_TORQUE = 0.020  # N m   estimate: one leg can hold half the robot 130 mm out
LEG_LEAD = 0.6  # rad   estimate: a tip yields 3.6 mm sideways under a third of the weight
LEG_DAMPING = 70.0  # rad/s   estimate: critical for a leg in the air
LEG_ARMATURE = 3e-7  # kg m2   estimate: a leg's share of a small rotor behind 16.6:1 (B4)
LEG_SPEED = PROTRACTION * TOP_SPEED  # rad/s   required by the fastest crank

GREEN: Vector = (0.20, 0.42, 0.26)


class VelociRoach(Description):
    """Options of the VelociRoACH; m, kg, deg. Sources: the constants of this module."""

    gait_options: ClassVar[tuple[str, ...]] = (
        "protraction_deg",
        "abduction_deg",
        "abduction_middle_deg",
        "rod_ratio",
    )

    protraction_deg: Annotated[float, Field(gt=0, le=degrees(PROTRACTION_RANGE[1]))] = degrees(
        PROTRACTION
    )
    """Amplitude of a leg's swing fore and aft; estimate."""
    abduction_deg: Annotated[float, Field(gt=0, le=degrees(ABDUCTION_RANGE[1]) / 2)] = degrees(
        ABDUCTION
    )
    """Amplitude of a leg's outward swing; estimate."""
    abduction_middle_deg: float | None = None
    """Centre of the outward swing; None: `abduction_deg`, so that the inner end is vertical."""
    rod_ratio: Annotated[float, Field(ge=0, le=0.9)] = 0.0
    """Crank over rod of the legs' linkage, 0 to 0.9; 0: pure sines, estimate."""
    leg_length: Annotated[float, Field(gt=2 * LEG_RADIUS, le=5 * LEG_LENGTH)] = LEG_LENGTH
    """Hip to the lowest point; estimate."""
    leg_stiffness: Annotated[float, Field(gt=0, le=1e4)] = LEG_STIFFNESS
    """Stiffness of a leg along its length, N/m; estimate."""
    hip_x: Annotated[float, Field(gt=0, le=BODY[0])] = HIP_X
    """Distance of the fore and hind hips from the middle one; estimate."""
    hip_y: Annotated[float, Field(gt=BODY[1] / 2, le=2 * BODY[1])] = HIP_Y
    """Lateral distance of the hips from the body's middle; estimate."""
    hip_z: Annotated[float, Field(ge=-BODY[2], le=BODY[2])] = HIP_Z
    """Height of the hips above the body's middle; estimate."""
    roll_inertia: float | None = None
    """Inertia of the body without legs about x, kg m²; None: a uniform box's, estimate."""
    pitch_inertia: float | None = None
    """Inertia about y, kg m²; None: a uniform box's, estimate."""
    yaw_inertia: float | None = None
    """Inertia about z, kg m²; None: a uniform box's, estimate."""

    @model_validator(mode="after")
    def _check_swing_and_inertia(self) -> Self:
        low, high = (degrees(end) for end in ABDUCTION_RANGE)
        middle, swing = degrees(self._abduction_middle), self.abduction_deg
        if not (low <= middle - swing and middle + swing <= high):
            raise mistake(
                f"has abduction_middle_deg {middle:g}: a swing of {swing:g} about it passes the "
                f"joint limits {low:g} and {high:g}"
            )
        roll, pitch, yaw = self._inertia()
        if min(roll, pitch, yaw) <= 0 or 2 * max(roll, pitch, yaw) > roll + pitch + yaw:
            raise mistake(
                f"has inertia {roll:g}, {pitch:g}, {yaw:g} kg m² about x, y, z: each must be above "
                "0 and at most the sum of the two others"
            )
        return self

    def build(self) -> Robot:
        """Return the robot: body, six legs, sensors."""
        spec = mujoco.MjSpec()
        spec.compiler.degree = False
        body = spec.worldbody.add_body(name="body")
        add_hull(body, "hull", HALF, rgb=GREEN)
        set_box_mass(body, MASS - len(LEGS) * LEG_MASS, HALF)
        body.inertia = self._inertia()
        for leg in LEGS:
            self._add_leg(body, leg)
        _keep_legs_apart(spec)
        cranks = self._cranks()
        for joint in cranks.drives:
            _leg_drive().add(spec, joint, joint)
        posture = dict(zip(cranks.drives, cranks.angles(cranks.start()[None])[0], strict=True))
        upright = math.cos(
            cranks.abduction_middle - cranks.abduction
        )  # 1: the legs of one tripod are vertical
        return Robot(
            spec=spec,
            root="body",
            mass=MASS,
            drives=dict.fromkeys(cranks.drives, _leg_drive()),
            limits={joint: RANGES[joint.rpartition("_")[2]] for joint in cranks.drives},
            gait=cranks,
            sensors=(Truth(body="body"), Encoder(drives=cranks.drives)),
            standing=(self.leg_length - LEG_RADIUS) * upright + LEG_RADIUS - self.hip_z,
            posture={joint: float(angle) for joint, angle in posture.items()},
        )

    def _cranks(self) -> Cranks:
        return Cranks(
            protraction=radians(self.protraction_deg),
            abduction=radians(self.abduction_deg),
            abduction_middle=self._abduction_middle,
            rod_ratio=self.rod_ratio,
            top_speed=TOP_SPEED,
            acceleration=ACCELERATION,
            period=SETPOINT_TIME,
        )

    @property
    def _abduction_middle(self) -> float:
        middle = self.abduction_middle_deg
        return radians(self.abduction_deg if middle is None else middle)

    def _inertia(self) -> tuple[float, float, float]:
        """Return the body's moments of inertia about x, y, z, kg m²."""
        x, y, z = HALF
        mass = MASS - len(LEGS) * LEG_MASS
        given = (self.roll_inertia, self.pitch_inertia, self.yaw_inertia)
        squares = (y * y + z * z, x * x + z * z, x * x + y * y)
        roll, pitch, yaw = (
            mass * square / 3 if moment is None else moment
            for moment, square in zip(given, squares, strict=True)
        )
        return roll, pitch, yaw

    def _add_leg(self, body: mujoco.MjsBody, name: str) -> None:
        """Add one leg: a rod with a round foot; joints: protraction, abduction, spring."""
        end, side = name.split("_")
        x = self.hip_x * (1 - ENDS.index(end))
        left = 1 if side == "left" else -1
        leg = body.add_body(name=name, pos=[x, left * self.hip_y, self.hip_z])
        # Forwards and outwards are positive on both sides.
        turns = {"protraction": [0, -1, 0], "abduction": [left, 0, 0]}
        for motion, axis in turns.items():
            leg.add_joint(
                name=f"{name}_{motion}",
                type=mujoco.mjtJoint.mjJNT_HINGE,
                axis=axis,
                armature=LEG_ARMATURE,
                limited=mujoco.mjtLimited.mjLIMITED_TRUE,
                range=RANGES[motion],
            )
        leg.add_joint(
            name=f"{name}_spring",
            type=mujoco.mjtJoint.mjJNT_SLIDE,
            axis=[0, 0, 1],
            stiffness=self.leg_stiffness,
            damping=LEG_VISCOSITY,
            limited=mujoco.mjtLimited.mjLIMITED_TRUE,
            range=LEG_TRAVEL,
        )
        foot = leg.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_CAPSULE,
            fromto=[0, 0, 0, 0, 0, LEG_RADIUS - self.leg_length],
            size=[LEG_RADIUS, 0, 0],
            mass=0,
            friction=[SLIPPERY, 0, 0],
            contype=HULL,
            conaffinity=HULL_TOUCHES,
            solmix=GROUND_SOFTNESS_WINS,
            rgba=(*GREY, 1.0),
        )
        mark(foot, share=1 / FEET)
        half = (LEG_RADIUS, LEG_RADIUS, self.leg_length / 2)
        set_box_mass(leg, LEG_MASS, half, at=(0, 0, -self.leg_length / 2))


def _leg_drive() -> Drive:
    return Drive(force=LEG_TORQUE, speed=LEG_SPEED, saturation_error=LEG_LEAD, damping=LEG_DAMPING)


def _keep_legs_apart(spec: mujoco.MjSpec) -> None:
    """Exclude contacts between legs: the rods of the real robot keep them apart."""
    for number, one in enumerate(LEGS):
        for other in LEGS[:number]:
            spec.add_exclude(name=f"{one}|{other}", bodyname1=one, bodyname2=other)
