"""QRIO (SDR-4X): 580 mm high humanoid robot with a biped gait (zaratti, sec. 3 and Fig. 5).

Its joints, links and masses are in `grouser.robots.parts.qrio_links`; its walk is
`grouser.locomotion.biped`. The root's frame is the middle of the torso: x forward, y left, z up.
With all joints at 0 the robot stands straight, arms down. Angles have the signs of Webots' QRIO:
legs as in `grouser.locomotion.biped_leg`; shoulder pitch swings an arm forwards, shoulder roll
outwards, the elbow bends, the neck turns left, the waist swings the pelvis forwards and to the
left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import mujoco
import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, radians
from grouser.locomotion import biped
from grouser.locomotion.biped import Balance, Biped, Wave
from grouser.locomotion.biped_leg import JOINTS
from grouser.robots.parts.qrio_links import HIP, LEG, MASS, SIDES, WAIST, parts, sole_sensors, spec
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


@dataclass(frozen=True, kw_only=True)
class Qrio:
    """Options of the QRIO."""

    crouch: float = CROUCH
    """Depth of the pelvis below its height with straight legs, m."""
    step: float = STEP
    """Step time: from the touch-down of one foot to that of the other, s."""

    def __post_init__(self) -> None:
        for name, least, most in (("crouch", 0.005, 0.08), ("step", 0.2, 1.5)):
            value = getattr(self, name)
            if not least <= value <= most:
                raise BadValue(f"{name} is {value}, must be {least} to {most}")

    def build(self) -> Robot:
        """Return the robot: torso, head, arms, legs, drives, gait, sensors."""
        gait = _gait(self.crouch, self.step)
        angles = gait.angles(gait.start()[None])[0].tolist()
        drives = {part.name: part.servo.drive for part in parts()}
        return Robot(
            spec=spec(),
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
    balance = Balance(centre=(0.0, 0.0, 0.0), leg=share, along=along, waving=(0.0, 0.0))
    gait = Biped(
        leg=LEG,
        balance=balance,
        wave=WAVE,
        height=LEG.height - crouch,
        gap=2 * HIP[1],
        inward=INWARD,
        step=step,
        both=BOTH * step,
        lift=LIFT,
        fastest=FASTEST,
        gain=GAIN,
    )
    model = spec().compile()
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
