"""QRIO (SDR-4X): 580 mm high humanoid robot with a biped gait (zaratti, sec. 3 and Fig. 5).

The gait is `grouser.locomotion.biped`. The root frame is the middle of the torso: x forward, y
left, z up. With all joints at 0 the robot stands straight, arms down. Angles have the signs of
Webots' QRIO: legs as in `grouser.locomotion.biped_leg`; shoulder pitch swings an arm forwards,
shoulder roll outwards, the elbow bends, the neck turns left, the waist swings the pelvis forwards
and to the left. Neck and head nod upwards, the head tilts its right ear down; upper arm and wrist
turn inwards.

Positions and axes of 21 joints and the sizes of most parts are those of Webots' QRIO ("table":
sources.md B3). The real robot has 28 joints: four in the neck, two in the waist, five in each arm
and six in each leg, and ten fingers, which are left out. The seven that the table lacks are
estimates: the neck bends at its foot, and the head nods and tilts sideways; the arms turn above the
elbows and at the wrists. The table has no joint limits and only placeholders for masses, so all
masses, limits, torques and speeds here are estimates. The masses add up to the published 6.5 kg.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Annotated

import mujoco
import numpy as np
from pydantic import Field

from grouser.description import Description, NotNegative
from grouser.frames import Array, radians
from grouser.locomotion import biped
from grouser.locomotion.biped import Balance, Biped, Wave
from grouser.locomotion.biped_leg import JOINTS, BipedLeg
from grouser.physics.command_delay import Delay
from grouser.robots.parts.hull import Vector
from grouser.robots.parts.linkage import (
    BoxMass,
    LinkagePart,
    Mount,
    PartShape,
    Servo,
    assemble,
    ball,
    box,
    capsule,
    part_drives,
)
from grouser.robots.robot import Robot
from grouser.sensors.camera import Camera
from grouser.sensors.encoder import Encoder
from grouser.sensors.imaging.imager import Imager
from grouser.sensors.imaging.lens import Lens
from grouser.sensors.inertial import Accelerometer, Gyroscope
from grouser.sensors.pressure import Pressure
from grouser.sensors.range import Infrared
from grouser.sensors.sensor import Sensor
from grouser.sensors.truth import Truth

MASS = 6.5  # kg   published, with battery
HEIGHT = 0.580  # m   published

WAIST = (0.0, 0.0, -0.081)  # m   table, from the torso's middle
HIP = (-0.013, 0.048, -0.032)  # m   table, left hip's yaw axis from the waist
HIP_CENTRE = (0.013, 0.0, -0.024)  # m   table, from HIP
KNEE = (0.0, 0.0, -0.116)  # m   table, from the hip's centre
ANKLE = (0.006, 0.0, -0.104)  # m   table, from the knee
SOLE = (0.124, 0.066, 0.008)  # m   table, edges
SOLE_AT = (0.010, 0.0, -0.048)  # m   table, its middle from the ankle
SHOULDER = (0.0, 0.105, 0.048)  # m   table, left one from the torso's middle
ELBOW = (0.012, 0.0, -0.082)  # m   table, from the shoulder
HAND = (-0.012, 0.0, -0.142)  # m   table, from the elbow
NECK = (0.0, 0.0, 0.081)  # m   table, from the torso's middle
ORIGIN = (0.0, 0.0, 0.0)  # m   table: the second of two joints with a common centre

LEG = BipedLeg(
    hip=HIP,
    offset=(HIP_CENTRE[0], HIP_CENTRE[2]),
    thigh=-KNEE[2],
    shin=(ANKLE[0], ANKLE[2]),
    foot=(SOLE_AT[0], SOLE_AT[2] - SOLE[2] / 2),
)

TORSO_HALF = (0.075, 0.070, 0.081)  # m   table
PELVIS_HALF = (0.040, 0.070, 0.016)  # m   table
THIGH_HALF = (0.020, 0.035, 0.064)  # m   table
SHIN_HALF = (0.030, 0.030, 0.060)  # m   table
ARM_HALF = (0.021, 0.021, 0.060)  # m   table: upper arm and forearm
HEAD_HALF = (0.035, 0.055, 0.030)  # m   table
SOLE_HALF = (SOLE[0] / 2, SOLE[1] / 2, SOLE[2] / 2)
HIP_HALF = (0.020, 0.020, 0.010)  # m   estimate: fits between pelvis and thigh
INSTEP_HALF = (0.035, 0.025, 0.010)  # m   estimate: the foot above the sole
CROSS_HALF = (0.010, 0.010, 0.010)  # m   estimate: link between two crossing hinges
HAND_RADIUS = 0.022  # m   estimate
HAND_HALF = (0.015, 0.015, 0.015)  # m   estimate
SKULL = (0.0, 0.0, HEIGHT - (LEG.height - WAIST[2] + NECK[2]) - 2 * HEAD_HALF[2])
"""Joints of the head from that of the neck, m: estimate, at the bottom of the head, whose top is at
the published height."""

# Centres of the parts from their joints, m: estimates, so that they cover the links.
HEAD_AT = (0.0, 0.0, HEAD_HALF[2])
PELVIS_AT = (0.0, 0.0, -0.016)
HIP_AT = (0.013, 0.0, -0.012)
THIGH_AT = (0.0, 0.0, -0.058)
SHIN_AT = (0.003, 0.0, -0.052)
INSTEP_AT = (0.005, 0.0, -0.034)
UPPER_ARM_AT = (0.006, 0.0, -0.041)
FOREARM_AT = (-0.006, 0.0, -0.071)

# Masses in kg: estimates. The legs with the large servos are two fifths; the torso has the battery.
CROSS, PELVIS, HEAD = 0.03, 0.42, 0.46
HIP_BLOCK, THIGH, SHIN, FOOT = 0.12, 0.48, 0.36, 0.23
UPPER_ARM, FOREARM, HAND_MASS = 0.13, 0.16, 0.05
LIMBS = 2 * (HIP_BLOCK + THIGH + SHIN + FOOT + UPPER_ARM + FOREARM + HAND_MASS + 4 * CROSS)
TORSO = MASS - LIMBS - PELVIS - HEAD - 4 * CROSS

# Servos: estimates. A leg joint has three times the torque of a bent knee under full load, at the
# speed of the fastest steps; an arm joint three times the torque of a level arm. Rotors are
# those of small motors behind gears of 100-150.
STRONG = {"torque": 9.0, "speed": 10.0, "lead": radians(1.5), "damping": 2.5, "armature": 0.01}
LIGHT = {"torque": 2.5, "speed": 7.0, "lead": radians(2.0), "damping": 2.0, "armature": 0.003}

SERVOS = {  # limits: estimates, after humanoids of this build
    "waist_pitch": Servo(limits_deg=(-30, 30), **STRONG),
    "waist_roll": Servo(limits_deg=(-20, 20), **STRONG),
    "hip_yaw": Servo(limits_deg=(-30, 45), **STRONG),
    "hip_pitch": Servo(limits_deg=(-40, 100), **STRONG),
    "hip_roll": Servo(limits_deg=(-25, 35), **STRONG),
    "knee": Servo(limits_deg=(0, 130), **STRONG),
    "ankle_pitch": Servo(limits_deg=(-60, 60), **STRONG),
    "ankle_roll": Servo(limits_deg=(-35, 35), **STRONG),
    "neck_pitch": Servo(limits_deg=(-45, 20), **LIGHT),
    "neck": Servo(limits_deg=(-90, 90), **LIGHT),
    "head_pitch": Servo(limits_deg=(-30, 40), **LIGHT),
    "head_roll": Servo(limits_deg=(-25, 25), **LIGHT),
    "shoulder_pitch": Servo(limits_deg=(-90, 180), **LIGHT),
    "shoulder_roll": Servo(limits_deg=(-5, 120), **LIGHT),
    "arm_yaw": Servo(limits_deg=(-90, 90), **LIGHT),
    "elbow": Servo(limits_deg=(0, 130), **LIGHT),
    "wrist": Servo(limits_deg=(-90, 90), **LIGHT),
}

AXES: dict[str, Vector] = {  # left side; on the right yaw and roll axes are reversed
    # table, except for neck_pitch, head_pitch, head_roll, arm_yaw, wrist: estimates
    "waist_pitch": (0, -1, 0),
    "waist_roll": (-1, 0, 0),
    "hip_yaw": (0, 0, 1),
    "hip_pitch": (0, -1, 0),
    "hip_roll": (1, 0, 0),
    "knee": (0, 1, 0),
    "ankle_pitch": (0, -1, 0),
    "ankle_roll": (-1, 0, 0),
    "neck_pitch": (0, -1, 0),
    "neck": (0, 0, 1),
    "head_pitch": (0, -1, 0),
    "head_roll": (1, 0, 0),
    "shoulder_pitch": (0, -1, 0),
    "shoulder_roll": (1, 0, 0),
    "arm_yaw": (0, 0, -1),
    "elbow": (0, -1, 0),
    "wrist": (0, 0, -1),
}

SIDES = {"left": 1, "right": -1}

WHITE: Vector = (0.86, 0.87, 0.89)
SILVER: Vector = (0.55, 0.57, 0.62)
DARK: Vector = (0.12, 0.12, 0.14)

EYE_AT = (0.036, 0.020, 0.0)  # m   estimate: left camera from the head's middle
SOLE_SENSORS = (0.050, 0.025)  # m   estimate: x and y of the force sensors from the sole's middle


def build_spec() -> mujoco.MjSpec:
    """Return the spec of the robot: bodies with all joints at 0, drives and sensor mounts."""
    torso = BoxMass(mass=TORSO, half=TORSO_HALF)
    return assemble("torso", torso, (box(TORSO_HALF, rgb=SILVER),), parts(), mounts(), WHITE)


def parts() -> tuple[LinkagePart, ...]:
    """Return all parts except the torso, parents first."""
    middle = (
        _part("neck_pitch", "torso", NECK, _box_mass(CROSS, CROSS_HALF)),
        _part("neck", "neck_pitch", ORIGIN, _box_mass(CROSS, CROSS_HALF), _neck()),
        _part("head_pitch", "neck", SKULL, _box_mass(CROSS, CROSS_HALF)),
        _part("head_roll", "head_pitch", ORIGIN, _box_mass(HEAD, HEAD_HALF, HEAD_AT), *_head()),
        _part("waist_pitch", "torso", WAIST, _box_mass(CROSS, CROSS_HALF)),
        _part(
            "waist_roll",
            "waist_pitch",
            ORIGIN,
            _box_mass(PELVIS, PELVIS_HALF, PELVIS_AT),
            box(PELVIS_HALF, PELVIS_AT, rgb=SILVER),
        ),
    )
    return (*middle, *(part for side in SIDES for part in (*_leg(side), *_arm(side))))


def _head() -> tuple[PartShape, ...]:
    lenses = (ball(0.009, _eye(side), rgb=DARK) for side in SIDES)
    return box(HEAD_HALF, HEAD_AT), *lenses


def _neck() -> PartShape:
    return capsule(0.022, ORIGIN, SKULL, rgb=DARK)


def _leg(side: str) -> tuple[LinkagePart, ...]:
    hip, thigh, shin = (f"{side}_{joint}" for joint in ("hip_yaw", "hip_roll", "knee"))
    sole = PartShape(
        kind=mujoco.mjtGeom.mjGEOM_BOX, size=SOLE_HALF, at=SOLE_AT, name=f"{side}_sole", rgb=DARK
    )
    return (
        _part(
            hip, "waist_roll", HIP, _box_mass(HIP_BLOCK, HIP_HALF, HIP_AT), box(HIP_HALF, HIP_AT)
        ),
        _part(f"{side}_hip_pitch", hip, HIP_CENTRE, _box_mass(CROSS, CROSS_HALF)),
        _part(
            thigh,
            f"{side}_hip_pitch",
            ORIGIN,
            _box_mass(THIGH, THIGH_HALF, THIGH_AT),
            box(THIGH_HALF, THIGH_AT),
        ),
        _part(shin, thigh, KNEE, _box_mass(SHIN, SHIN_HALF, SHIN_AT), box(SHIN_HALF, SHIN_AT)),
        _part(f"{side}_ankle_pitch", shin, ANKLE, _box_mass(CROSS, CROSS_HALF)),
        _part(
            f"{side}_ankle_roll",
            f"{side}_ankle_pitch",
            ORIGIN,
            _box_mass(FOOT, SOLE_HALF, SOLE_AT),
            sole,
            box(INSTEP_HALF, INSTEP_AT),
        ),
    )


def _arm(side: str) -> tuple[LinkagePart, ...]:
    upper = f"{side}_arm_yaw"
    return (
        _part(f"{side}_shoulder_pitch", "torso", SHOULDER, _box_mass(CROSS, CROSS_HALF)),
        _part(
            f"{side}_shoulder_roll", f"{side}_shoulder_pitch", ORIGIN, _box_mass(CROSS, CROSS_HALF)
        ),
        _part(
            upper,
            f"{side}_shoulder_roll",
            ORIGIN,
            _box_mass(UPPER_ARM, ARM_HALF, UPPER_ARM_AT),
            box(ARM_HALF, UPPER_ARM_AT),
        ),
        _part(
            f"{side}_elbow",
            upper,
            ELBOW,
            _box_mass(FOREARM, ARM_HALF, FOREARM_AT),
            box(ARM_HALF, FOREARM_AT),
        ),
        _part(
            f"{side}_wrist",
            f"{side}_elbow",
            HAND,
            BoxMass(mass=HAND_MASS, half=HAND_HALF),
            ball(HAND_RADIUS, ORIGIN, rgb=DARK),
        ),
    )


def _part(name: str, parent: str, at: Vector, mass: BoxMass, *shapes: PartShape) -> LinkagePart:
    """Return a part; position and axis of the right side are mirrored."""
    side, _, joint = name.partition("_")
    joint, left = (joint, SIDES[side]) if side in SIDES else (name, 1)
    x, y, z = AXES[joint]
    return LinkagePart(
        name=name,
        parent=parent,
        at=(at[0], left * at[1], at[2]),
        axis=(left * x, y, left * z),
        servo=SERVOS[joint],
        mass=mass,
        shapes=shapes,
    )


def _box_mass(mass: float, half: Vector, at: Vector = ORIGIN) -> BoxMass:
    return BoxMass(mass=mass, half=half, at=at)


def mounts() -> dict[str, Mount]:
    """Return the sensor mounts, as on the real robot; exact positions are estimates."""
    paired: dict[str, Mount] = {}
    for side in SIDES:
        paired |= {
            f"{side}_eye": Mount(part="head_roll", at=_eye(side)),
            f"{side}_palm": Mount(part=f"{side}_wrist", at=ORIGIN, down_deg=90.0),
            f"{side}_shin": Mount(part=f"{side}_knee", at=SHIN_AT),
        }
    return paired | {
        "chest": Mount(part="torso", at=ORIGIN),
        "brow": Mount(part="head_roll", at=(EYE_AT[0], 0.0, HEAD_AT[2] + 0.020)),
    }


def sole_sensors() -> tuple[tuple[str, Vector], ...]:
    """Return names and positions of a sole's four force sensors in the foot frame, m."""
    (x, y), bottom = SOLE_SENSORS, SOLE_AT[2] - SOLE_HALF[2]
    return tuple(
        (f"{end}_{side}", (SOLE_AT[0] + ahead * x, left * y, bottom))
        for end, ahead in (("front", 1), ("rear", -1))
        for side, left in SIDES.items()
    )


def _eye(side: str) -> Vector:
    return EYE_AT[0], SIDES[side] * EYE_AT[1], HEAD_AT[2] + EYE_AT[2]


# Gait parameters: tuned in simulation (docs/how-to/qrio.md).
STEP = 0.30  # s   from the touch-down of one foot to that of the other
BOTH = 0.3  # share of a step with both feet on the ground (double support)
INWARD = 0.010  # m   of the zero-moment point from the sole's middle: less sway
LIFT = 0.020  # m   twice the height of bumps that the real robot can walk over
CROUCH = 0.015  # m   pelvis below its height with straight legs
FASTEST = (0.20, 0.06, 0.60)  # m/s, m/s, rad/s
GAIN = (0.04, 0.02, 0.15)  # m/s, m/s, rad/s: largest change of speed per step

WAVE = Wave(
    drives=("right_shoulder_pitch", "right_shoulder_roll", "right_elbow"),
    up=(radians(150), radians(25), radians(35)),
    swing=(0.0, radians(20), radians(10)),
    rise=1.0,
    frequency=1.2,
)

EYE = Imager(
    lens=Lens(
        width=352,  # published: 110,000 pixels, so about CIF
        height=288,
        fov_deg=(60.0, 50.5),  # estimate: square pixels
    )
)
INFRARED = (0.10, 0.90)  # m   estimate: the ERS-210's, of the same maker and years

BALANCE_PASSES = 6
"""Fixed-point iterations after which posture and centre of mass agree to a nanometre."""


class Qrio(Description):
    """Options of the QRIO."""

    crouch: Annotated[float, Field(ge=0.005, le=0.08)] = CROUCH
    """Depth of the pelvis below its height with straight legs, m."""
    step: Annotated[float, Field(ge=0.2, le=1.5)] = STEP
    """Step time: from the touch-down of one foot to that of the other, s."""
    leg_friction: NotNegative = 0.0
    """Dry friction of each leg joint, N m; 0: none (docs/explanation/energy.md)."""
    command_delay: Delay = 0.0
    """Time from a command of a joint, or a target of the gait, to its effect, s."""

    def build(self) -> Robot:
        """Return the robot: torso, head, arms, legs, drives, gait, sensors."""
        gait = _gait(self.crouch, self.step)
        angles = gait.angles(gait.start()[None])[0].tolist()
        legs = [part.name for part in parts() if part.name.partition("_")[2] in JOINTS]
        drives = part_drives(parts(), legs, self.leg_friction, self.command_delay)
        return Robot(
            spec=build_spec(),
            root="torso",
            mass=MASS,
            drives=drives,
            limits={part.name: part.servo.limits for part in parts()},
            gait=gait,
            sensors=(Truth(body="torso"), Encoder(drives=tuple(drives)), *_sensors()),
            standing=gait.height - WAIST[2],
            posture=dict(zip(gait.drives, angles, strict=True)),
        )


def _sensors() -> tuple[Sensor, ...]:
    """Return the published sensors of the real robot without its microphones; error-free."""
    near, far = INFRARED
    return (
        Accelerometer(mount="chest"),
        Gyroscope(mount="chest"),
        *(Accelerometer(mount=f"{side}_shin", name=f"{side}_accelerometer") for side in SIDES),
        *(
            Pressure(mount=f"{side}_ankle_roll", name=f"{side}_sole", places=sole_sensors())
            for side in SIDES
        ),
        *(Camera(mount=f"{side}_eye", name=f"{side}_camera", camera=EYE) for side in SIDES),
        Infrared(mount="brow", name="head_ir", near=near, far=far),
        *(
            Infrared(mount=f"{side}_palm", name=f"{side}_hand_ir", near=near, far=far)
            for side in SIDES
        ),
    )


@cache
def _gait(crouch: float, step: float) -> Biped:
    """Return the gait, balanced for the robot's mass distribution."""
    share, along = _leg_mass()
    balance = Balance(centre=(0.0, 0.0, 0.0), leg=share, leg_centre=along, waving=(0.0, 0.0))
    gait = Biped(
        leg=LEG,
        balance=balance,
        wave=WAVE,
        height=LEG.height - crouch,
        gap=2 * HIP[1],
        pressure_offset=INWARD,
        step=step,
        double_support=BOTH * step,
        lift=LIFT,
        fastest=FASTEST,
        max_change=GAIN,
    )
    model = build_spec().compile()
    for _ in range(BALANCE_PASSES):
        # Centre of mass and posture depend on each other: fixed-point iteration.
        down, up = (_centre(model, gait, wave) for wave in (0.0, 1.0))
        x, y, z = down.tolist()
        waving = (float(up[0] - down[0]), float(up[1] - down[1]))
        gait = replace(gait, balance=replace(balance, centre=(x, y, z), waving=waving))
    return gait


def _centre(model: mujoco.MjModel, gait: Biped, wave: float) -> Array:
    """Return the centre of mass (3,) of the standing robot in the pelvis frame, m."""
    data, state = mujoco.MjData(model), gait.start()
    state[biped.WAVE] = wave
    for name, angle in zip(gait.drives, gait.angles(state[None])[0], strict=True):
        data.qpos[model.joint(name).qposadr[0]] = angle
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return np.asarray(data.subtree_com[0] - data.body("waist_roll").xpos)


def _leg_mass() -> tuple[float, float]:
    """Return a leg's share of the mass, and its centre from hip (0) to sole (1)."""
    top, mass, moment = 0.0, 0.0, 0.0
    for part in parts():
        if part.name.startswith("left") and part.name.removeprefix("left_") in JOINTS:
            top += part.at[2]
            mass += part.mass.mass
            moment += part.mass.mass * (top + part.mass.at[2] - HIP[2])
    return mass / MASS, moment / mass / -(LEG.height + HIP[2])
