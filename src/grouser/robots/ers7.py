"""Sony AIBO ERS-7 (Zaratti et al. 2006, sec. 3; sources.md B2). See `grouser.robots.parts.aibo`."""

from __future__ import annotations

from typing import ClassVar

from grouser.locomotion.kick import Kick, swing_frames
from grouser.locomotion.quadruped_legs import Legs, Limb, Stance
from grouser.locomotion.trot import Trot
from grouser.robots.parts import aibo as parts
from grouser.robots.parts.linkage import BoxMass, LinkagePart, Mount, Servo, capsule
from grouser.robots.parts.lower_leg import Arc, LowerLeg
from grouser.sensors.camera import ERS7_CAMERA
from grouser.sensors.sensor import Sensor

MASS = 1.65  # kg   B2: with battery

LEGS = Legs(  # m   B2: Tekkotsu
    fore=Limb(
        shoulder=(0.065, 0.0625, 0.0),
        upper=(0.009, 0.0047, -0.0695),
        lower=(-0.01124, 0.0, -0.07607),
    ),
    hind=Limb(
        shoulder=(-0.065, 0.0625, 0.0),
        upper=(-0.009, 0.0047, -0.0695),
        lower=(0.0198, 0.0, -0.0769),
    ),
)
FORE_LOWER = LowerLeg(
    # The balls of the paws, B2: 65.434 mm at 4.4088 deg and 67.647 mm at 11.537 deg from the knees.
    # A radius of 12.5 mm puts the point below the ball where the maker's drawing has the ground
    # (knee bent by 30 deg): the paws of `LEGS`.
    paw=(-0.00503, 0.0, -0.06524),
    radius=0.0125,
    # Underside of the forearm: an arc that passes smoothly into the ball, B2 (rUNSWift, measured).
    outline=(Arc(centre=(0.040, -0.040), radius=0.065, from_deg=-120.0, to_deg=-60.7),),
    half_width=0.015,
)
HIND_LOWER = LowerLeg(
    paw=(0.01353, 0.0, -0.06628),
    radius=0.0125,
    # Tip of the toes, bent upwards by the load, B2 (rUNSWift, measured); its radius: estimate.
    outline=(Arc(centre=(0.0320, -0.0448), radius=0.006),),
    half_width=0.015,
)
BODY_CENTRE = (-0.025, 0.0, -0.020)
"""Centre of mass of the body, m: 20 mm below the shoulders (B2); estimate: a battery of 0.13 kg in
the belly, 70 mm behind the middle. Chosen with the measured trot in view, in which the fore paws
dragged before (docs/appendix/zaratti.md); 20 to 30 mm to the rear make no difference."""
LEG_RADIUS = 0.018  # m   estimate: 180 over all is 125 between the shoulders and a leg

# Limits: B2, "software limits"; speeds: B2, Sony.
ELEVATOR = Servo(limits_deg=(-10.0, 88.0), speed=5.280, **parts.LEG)
KNEE = Servo(limits_deg=(-25.0, 122.0), speed=5.280, **parts.LEG)
FORE = parts.LegServos(
    rotor=Servo(limits_deg=(-115.0, 130.0), speed=4.865, **parts.LEG), elevator=ELEVATOR, knee=KNEE
)
HIND = parts.LegServos(
    rotor=Servo(limits_deg=(-130.0, 115.0), speed=4.865, **parts.LEG), elevator=ELEVATOR, knee=KNEE
)
NECK_TILT = Servo(limits_deg=(-75.0, 0.0), speed=3.185, **parts.NECK)
PAN = Servo(limits_deg=(-88.0, 88.0), speed=10.06, **parts.NECK)
NOD = Servo(limits_deg=(-15.0, 45.0), speed=5.781, **parts.NECK)
TAIL_TILT = Servo(limits_deg=(5.0, 60.0), speed=15.16, **parts.SMALL)
TAIL_PAN = Servo(limits_deg=(-45.0, 45.0), speed=15.16, **parts.SMALL)
MOUTH = Servo(limits_deg=(-55.0, -3.0), speed=10.14, **parts.SMALL)

NECK_AT = (0.0675, 0.0, 0.0195)  # m   B2
NECK_LENGTH = 0.080  # m   B2
TAIL_AT = (-0.102, 0.0, 0.033)  # m   B2

HEAD = (  # hinges, B2; shapes and mouth's and ears' places: estimates
    LinkagePart(
        name="neck",
        parent="body",
        at=NECK_AT,
        axis=parts.FORWARD,
        servo=NECK_TILT,
        mass=BoxMass(mass=parts.NECK_MASS, half=(0.012, 0.012, 0.040), at=(0.0, 0.0, 0.040)),
        shapes=(capsule(0.014, (0.0, 0.0, 0.0), (0.0, 0.0, 0.065), rgb=parts.DARK),),
    ),
    LinkagePart(
        name="pan",
        parent="neck",
        at=(0.0, 0.0, NECK_LENGTH),
        axis=parts.LEFT,
        servo=PAN,
        mass=BoxMass(mass=parts.HEAD_BASE_MASS, half=(0.012, 0.012, 0.012)),
    ),
    LinkagePart(
        name="nod",
        parent="pan",
        at=(0.0, 0.0, 0.0),
        axis=parts.FORWARD,
        servo=NOD,
        mass=BoxMass(
            mass=parts.HEAD_MASS - parts.MOUTH_MASS,
            half=(0.050, 0.040, 0.032),
            at=(0.025, 0.0, 0.005),
        ),
        shapes=(
            capsule(0.038, (-0.010, 0.0, 0.005), (0.030, 0.0, 0.005)),
            capsule(0.018, (0.045, 0.0, -0.010), (0.062, 0.0, -0.012)),
            capsule(0.006, (0.0, -0.010, 0.040), (0.0, 0.010, 0.040), name="head", rgb=parts.DARK),
        ),
    ),
    parts.mouth("nod", (0.038, 0.0, -0.033), MOUTH),
    *parts.ears("nod", (-0.010, 0.042, 0.025)),
)

MOUNTS = {
    "camera": Mount(part="nod", at=(0.08106, 0.0, -0.0146)),  # B2
    "ir_near": Mount(part="nod", at=(0.0769, 0.0028, -0.0146)),  # B2; height: the camera's
    "ir_far": Mount(part="nod", at=(0.0769, -0.0080, -0.0146)),  # B2; height: the camera's
    "ir_chest": Mount(part="body", at=(0.1091, 0.0, -0.0034), down_deg=30.0),  # B2
    "accelerometer": Mount(part="body", at=(0.0, 0.0, 0.0)),  # estimate: centre of the body
}

SENSORS: tuple[Sensor, ...] = (
    ERS7_CAMERA,
    parts.infrared("ir_near", 0.050, 0.500),  # B2
    parts.infrared("ir_far", 0.200, 1.500),  # B2
    parts.infrared("ir_chest", 0.100, 0.900),  # B2
    *(parts.switch(name) for name in ("head", "back_fore", "back_middle", "back_hind")),  # B2
    parts.switch("chin", "mouth"),  # B2
)

STANCE = Stance(fore=(0.100, 0.088, -0.110), hind=(-0.075, 0.088, -0.110))  # m   chosen

BACK, AHEAD = (-0.032, -0.022, 0.005), (0.044, -0.022, 0.005)  # m   tuned in simulation
COCKED, KICKED = (-24.5, 34.0, 40.0), (10.5, 34.0, 66.0)  # deg   tuned in simulation
KICK = Kick(
    legs=LEGS, stance=STANCE, frames=swing_frames(BACK, AHEAD, COCKED, KICKED, seconds=0.130)
)

TROT = Trot(
    legs=LEGS,
    stance=STANCE,
    kick=KICK,
    cycle=0.30,
    grounded=0.55,
    height=0.015,
    acceleration=(0.4, 0.4, 3.0),
    slip=(1.00, 1.03, 1.32),
    rise=0.3,
)

ERS7 = parts.Aibo(
    mass=MASS,
    body=BoxMass(mass=parts.BODY_MASS, half=(0.095, 0.045, 0.045), at=BODY_CENTRE),  # estimate
    hull=(
        # estimate, between the chest's IR sensor at 109 and the tail's hinge at -102
        capsule(0.046, (-0.056, 0.0, 0.003), (0.062, 0.0, 0.003)),
        *(
            capsule(
                0.006, (x, -0.012, 0.046), (x, 0.012, 0.046), name=name, rgb=parts.DARK
            )  # estimate
            for name, x in (("back_fore", 0.030), ("back_middle", 0.0), ("back_hind", -0.030))
        ),
    ),
    legs=LEGS,
    fore=FORE,
    hind=HIND,
    leg_radius=LEG_RADIUS,
    fore_lower=FORE_LOWER,
    hind_lower=HIND_LOWER,
    others=(*HEAD, *parts.tail(TAIL_AT, TAIL_TILT, TAIL_PAN, length=0.060)),
    mounts=MOUNTS,
    sensors=SENSORS,
    stance=STANCE,
    gait=TROT,
    posture_deg={"neck": -20.0, "nod": 20.0, "mouth": -3.0, "tail_tilt": 30.0},
    rgb=parts.WHITE,
).with_fastest_gait()


class Ers7(parts.AiboOptions):
    """Options of the AIBO ERS-7: sensors, colour, gait."""

    aibo: ClassVar[parts.Aibo] = ERS7
