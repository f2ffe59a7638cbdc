"""Sony AIBO ERS-210 (and ERS-2100; sources.md B1). See `grouser.robots.parts.aibo`."""

from __future__ import annotations

from typing import ClassVar

from grouser.locomotion.kick import Kick, swing_frames
from grouser.locomotion.quadruped_legs import Legs, Limb, Stance
from grouser.locomotion.trot import Trot
from grouser.robots.parts import aibo as parts
from grouser.robots.parts.linkage import BoxMass, LinkagePart, Mount, Servo, capsule
from grouser.robots.parts.lower_leg import LowerLeg
from grouser.sensors.camera import ERS210_CAMERA
from grouser.sensors.sensor import Sensor

MASS = 1.45  # kg   B1: 1.4 to 1.5 with battery

LEGS = Legs(  # m   B1: Tekkotsu
    fore=Limb(
        shoulder=(0.0595, 0.0592, 0.0),
        upper=(0.0128, 0.0005, -0.0640),
        lower=(-0.01888, 0.0, -0.0660),
    ),
    hind=Limb(
        shoulder=(-0.0595, 0.0592, 0.0),
        upper=(-0.0128, 0.0005, -0.0640),
        lower=(0.02936, 0.0, -0.07088),
    ),
)
PAW_RADIUS = 0.01396  # m   B1: foot ball
LEG_RADIUS = 0.0175  # m   estimate: 154 over all is 118 between the shoulders and a leg

# Limits: B1, "software limits"; speeds: B1.
LEG_SERVOS = parts.LegServos(
    rotor=Servo(limits_deg=(-117.0, 117.0), speed=2.814, **parts.LEG),
    elevator=Servo(limits_deg=(-11.0, 89.0), speed=2.498, **parts.LEG),
    knee=Servo(limits_deg=(-27.0, 147.0), speed=2.836, **parts.LEG),
)
TILT = Servo(limits_deg=(-82.0, 43.0), speed=2.105, **parts.NECK)
PAN = Servo(limits_deg=(-89.6, 89.6), speed=3.011, **parts.NECK)
HEAD_ROLL = Servo(limits_deg=(-29.0, 29.0), speed=3.011, **parts.NECK)
TAIL = Servo(limits_deg=(-22.0, 22.0), speed=4.472, **parts.SMALL)
MOUTH = Servo(limits_deg=(-47.0, -3.0), speed=4.374, **parts.SMALL)

NECK_AT = (0.075, 0.0, 0.050)  # m   B1: tilt and pan axis
HEAD_UP = 0.048  # m   B1: from NECK_AT up to the roll axis, the height of the camera
TAIL_AT = (-0.0769, 0.0, 0.053)  # m   B1

HEAD = (  # hinges, B1; shapes and mouth's and ears' places: estimates
    LinkagePart(
        name="tilt",
        parent="body",
        at=NECK_AT,
        axis=parts.FORWARD,
        servo=TILT,
        mass=BoxMass(mass=parts.NECK_MASS, half=(0.012, 0.012, 0.012)),
    ),
    LinkagePart(
        name="pan",
        parent="tilt",
        at=(0.0, 0.0, 0.0),
        axis=parts.LEFT,
        servo=PAN,
        mass=BoxMass(mass=parts.HEAD_BASE_MASS, half=(0.012, 0.012, 0.020), at=(0.0, 0.0, 0.020)),
        shapes=(capsule(0.014, (0.0, 0.0, 0.0), (0.0, 0.0, 0.035), rgb=parts.DARK),),
    ),
    LinkagePart(
        name="roll",
        parent="pan",
        at=(0.0, 0.0, HEAD_UP),
        axis=parts.ROLL,
        servo=HEAD_ROLL,
        mass=BoxMass(
            mass=parts.HEAD_MASS - parts.MOUTH_MASS,
            half=(0.045, 0.035, 0.032),
            at=(0.018, 0.0, 0.010),
        ),
        shapes=(
            capsule(0.036, (-0.010, 0.0, 0.010), (0.022, 0.0, 0.010)),
            capsule(0.018, (0.035, 0.0, 0.0), (0.0486, 0.0, 0.0)),
            *(
                capsule(0.006, (x, -0.008, 0.043), (x, 0.008, 0.043), name=name, rgb=parts.DARK)
                for name, x in (("head_fore", 0.018), ("head_hind", -0.008))
            ),
        ),
    ),
    parts.mouth("roll", (0.026, 0.0, -0.022), MOUTH),
    *parts.ears("roll", (-0.010, 0.040, 0.030)),
)

MOUNTS = {
    "camera": Mount(part="roll", at=(0.0666, 0.0, 0.0)),  # B1
    "ir": Mount(part="roll", at=(0.0666, 0.0, 0.0)),  # B1: aligned with the camera
    "accelerometer": Mount(part="body", at=(0.0, 0.0, 0.0)),  # estimate: centre of the body
}

SENSORS: tuple[Sensor, ...] = (
    ERS210_CAMERA,
    parts.infrared("ir", 0.100, 0.900),  # B1
    *(parts.switch(name) for name in ("head_fore", "head_hind", "back")),  # B1
    parts.switch("chin", "mouth"),  # B1
)

STANCE = Stance(fore=(0.095, 0.088, -0.100), hind=(-0.070, 0.088, -0.100))  # m   chosen

BACK, AHEAD = (-0.034, -0.017, 0.004), (0.015, -0.017, 0.004)  # m   tuned in simulation
COCKED, KICKED = (-34.0, 37.4, 70.0), (-5.5, 37.4, 90.5)  # deg   tuned in simulation
KICK = Kick(
    legs=LEGS, stance=STANCE, frames=swing_frames(BACK, AHEAD, COCKED, KICKED, seconds=0.185)
)

TROT = Trot(
    legs=LEGS,
    stance=STANCE,
    kick=KICK,
    cycle=0.40,
    grounded=0.50,
    height=0.012,
    acceleration=(0.4, 0.4, 3.0),
    slip=(0.98, 0.94, 1.24),
    rise=0.3,
)

ERS210 = parts.Aibo(
    mass=MASS,
    body=BoxMass(mass=parts.BODY_MASS, half=(0.087, 0.044, 0.044)),  # estimate
    hull=(
        # estimate, from the tail's hinge at -77 to the chest; 274 over all
        capsule(0.044, (-0.036, 0.0, 0.010), (0.050, 0.0, 0.010)),
        capsule(0.006, (0.0, -0.012, 0.051), (0.0, 0.012, 0.051), name="back", rgb=parts.DARK),
    ),
    legs=LEGS,
    fore=LEG_SERVOS,
    hind=LEG_SERVOS,
    leg_radius=LEG_RADIUS,
    fore_lower=LowerLeg(paw=LEGS.fore.lower, radius=PAW_RADIUS),
    hind_lower=LowerLeg(paw=LEGS.hind.lower, radius=PAW_RADIUS),
    others=(*HEAD, *parts.tail(TAIL_AT, TAIL, TAIL, length=0.060)),
    mounts=MOUNTS,
    sensors=SENSORS,
    stance=STANCE,
    gait=TROT,
    posture_deg={"mouth": -3.0, "tail_tilt": 20.0},
    rgb=parts.SILVER,
).with_fastest_gait()


class Ers210(parts.AiboOptions):
    """Options of the AIBO ERS-210: sensors, colour, gait."""

    aibo: ClassVar[parts.Aibo] = ERS210
