"""Pioneer builder: ActivMedia's wheeled robots with the interface of USARSim (sources.md D).

`P2dx`, `P2at` and `P3at` are tables of numbers for this builder. The root frame is USARSim's: in
the middle of the robot's length and half-way up, x forward, y left, z up; positions in GEO are
positions in this frame. Every wheel has its own drive, commanded in rad/s; ``left`` and ``right``
are groups of a side, ``forward`` (m/s) and ``turn`` (rad/s) steer.

Sensors have USARSim's names and, as in its captures, a period of 0.2 s.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal

import mujoco
import numpy as np

from grouser.description import Description
from grouser.frames import Array, Pose, radians
from grouser.physics.drives import Drive
from grouser.robots.parts import pan_tilt
from grouser.robots.parts.hull import GREY, Vector, add_hull, set_box_mass
from grouser.robots.parts.pan_tilt import PanTilt
from grouser.robots.parts.powertrain import battery, wheel_drive
from grouser.robots.parts.wheel import Caster, Wheel
from grouser.robots.robot import Robot, Steering
from grouser.sensors.encoder import Encoder
from grouser.sensors.gps import Gps
from grouser.sensors.ins import Ins
from grouser.sensors.laser import SICK_LMS200, Laser
from grouser.sensors.odometry import Odometry
from grouser.sensors.range import Sonar
from grouser.sensors.rfid import RfidReader
from grouser.sensors.sensor import Sensor
from grouser.sensors.truth import Truth
from grouser.sensors.victims import VictimSensor

SONAR_CONES = 2  # estimate: USARSim has 10; with 33 rays no gap is wider than 2.1 deg across
RATE_HZ = 5.0  # sources.md D3: one burst of everything, about every 0.2 s
TICK = math.tau / 360  # rad   sources.md D4.3: 0.01745, one tick; the count wraps after a turn
ODOMETRY_TICK = 0.0099  # rad   sources.md D4.6: EncoderResolution
NOISE_PART = 0.001  # UDK config: Noise of every sensor
INS_NOISE_PART = 0.01  # UDK config: Noise of the INS

LASER_HALF = (0.078, 0.0775, 0.105)  # m   estimate: a SICK LMS200 is about 156 x 155 x 210
DECK = 0.004  # m   estimate: half of the top plate's thickness
CLEARANCE = 0.065  # m   estimate: under the belly

# Recorded readings are never out of range, at oblique walls either (UDK added its limit in 2010),
# and are up to 4.6 m: the floor, which the cone of 20 deg meets at 80 deg and more, has no echo.
OBLIQUE = radians(75.0)  # rad   estimate
VICTIM_HZ = 1.25  # sources.md D3: VictSensor about every 0.8 s
EYE = (0.0, 0.0, 0.05)  # m   estimate: of the victim sensor, above the deck
ANTENNA = (-0.1, 0.0, 0.05)  # m   estimate: of GPS and RFID reader, above the deck

RED: Vector = (0.62, 0.08, 0.08)
BLUE: Vector = (0.12, 0.18, 0.42)

SonarRing = tuple[tuple[str, float, float, float], ...]
"""Sonars: name, x and y (m) and heading (deg, left positive)."""


def sonar_ring(prefix: str, places: Iterable[tuple[float, float, float]]) -> SonarRing:
    """Return four sonars from left to right and their mirror images, ``prefix`` 1 to 8."""
    left = [(x, y, heading) for x, y, heading in places]
    right = [(x, -y, -heading) for x, y, heading in reversed(left)]
    return tuple((f"{prefix}{number}", *place) for number, place in enumerate([*left, *right], 1))


@dataclass(frozen=True, kw_only=True)
class Pioneer:
    """Numbers of one Pioneer model."""

    size: Vector
    """Overall length, width and height without laser and camera, m."""
    mass: float
    """Total mass, kg."""
    centre: Vector = (0.0, 0.0, 0.0)
    """Centre of mass of the whole robot, m."""
    standing: float
    """Height of the root frame above the ground, m."""
    wheel: Wheel
    axles: tuple[float, ...]
    """x of the axles (m), front first. One axle has the wheels ``left`` and ``right``, two have
    ``front_left`` and so on."""
    gauge: float
    """Distance between the centres of a left and a right wheel, m."""
    drive: Drive
    """Drive of each wheel: rad/s, N m."""
    caster: Caster | None = None
    sonars: SonarRing
    laser: Vector
    """Origin of the scanner's rays, m."""
    camera: Vector
    """Intersection of the camera's pan and tilt axis, m."""
    rgb: Vector = RED
    battery_wh: float | None = None
    """Energy of the battery, Wh; None: an estimate."""

    @property
    def wheel_base(self) -> float:
        """Distance from the front axle to the rear axle or the caster's pin, m."""
        rear = self.caster.at[0] if self.caster else self.axles[-1]
        return self.axles[0] - rear

    @property
    def deck(self) -> float:
        """Z of the upper side of the top plate, m."""
        return self.size[2] - self.standing

    def build(self, *, sensors: bool, recorded: bool = False) -> Robot:
        """Return the robot, with all ``sensors`` or with encoders and ground truth only.

        ``recorded``: the sensors of recorded UT2004 sessions.
        """
        spec = mujoco.MjSpec()
        spec.compiler.degree = False
        body = spec.worldbody.add_body(name="body")
        self._add_hulls(body)
        sides = {side: self._add_side(spec, body, side) for side in ("left", "right")}
        if self.caster:
            self.caster.add(spec, body)
        PanTilt(at=self.camera).add(spec, body)
        self._weigh(body)
        wheels = (*sides["left"], *sides["right"])
        steering = Steering(**sides, gauge=self.gauge, radius=self.wheel.radius)
        more = self._sensors(steering, recorded=recorded) if sensors else ()
        truth = Truth(name="GroundTruth", body="body", rate_hz=RATE_HZ)
        return Robot(
            spec=spec,
            root="body",
            mass=self.mass,
            drives=dict.fromkeys(wheels, wheel_drive(self.drive, self.wheel.radius, self.mass))
            | pan_tilt.DRIVES,
            limits=pan_tilt.LIMITS,
            steering=steering,
            groups={side: names for side, names in sides.items() if len(names) > 1},
            sensors=(*more, *_encoders(steering), truth),
            battery=battery(self.mass, energy_wh=self.battery_wh),
            standing=self.standing,
        )

    def _add_side(self, spec: mujoco.MjSpec, body: mujoco.MjsBody, side: str) -> tuple[str, ...]:
        """Add a side's wheels and their drives; return their names."""
        y = self.gauge / 2 if side == "left" else -self.gauge / 2
        ends = ("front_", "rear_") if len(self.axles) > 1 else ("",)
        names = tuple(end + side for end in ends)
        for name, x in zip(names, self.axles, strict=True):
            self.wheel.add(spec, body, name, (x, y, self.wheel.radius - self.standing))
            self.drive.add(spec, name, name)
        return names

    def _add_hulls(self, body: mujoco.MjsBody) -> None:
        """Add the collision geoms: belly, deck, laser and the camera's post."""
        length, width, _ = self.size
        top, bottom = self.deck, CLEARANCE - self.standing
        inside = (self.gauge - self.wheel.width) / 2 - 0.01
        belly = (length / 2 - 0.02, inside, (top - 2 * DECK - bottom) / 2)
        add_hull(body, "belly", belly, at=(0, 0, bottom + belly[2]), rgb=self.rgb)
        add_hull(body, "deck", (length / 2, width / 2, DECK), at=(0, 0, top - DECK), rgb=GREY)
        x, y, _ = self.laser
        add_hull(body, "laser", LASER_HALF, at=(x, y, top + LASER_HALF[2]), rgb=BLUE)
        x, y, z = self.camera
        foot = z - pan_tilt.TILT_OVER_PAN - pan_tilt.HEAD[2]
        post = (0.015, 0.015, (foot - top) / 2)
        add_hull(body, "post", post, at=(x, y, top + post[2]), rgb=GREY)

    def _weigh(self, body: mujoco.MjsBody) -> None:
        """Set the body's mass and centre so that the whole robot has `mass` and `centre`."""
        others, moment = _descendant_mass(body)
        mass = self.mass - others
        x, y, z = ((np.array(self.centre) * self.mass - moment) / mass).tolist()
        length, width, height = self.size
        set_box_mass(body, mass, (length / 2, width / 3, height / 3), at=(x, y, z))

    def _sensors(self, steering: Steering, *, recorded: bool) -> tuple[Sensor, ...]:
        """Return the sensors of USARSim's robots, in the order of its captures."""
        sonars = [_sonar(*place) for place in self.sonars]
        if recorded:
            sonars = [sonar.model_copy(update={"incidence": OBLIQUE}) for sonar in sonars]
        return (
            *sonars,
            Laser(
                name="Scanner1",
                mount="body",
                X_MS=Pose.at(*self.laser),
                rate_hz=RATE_HZ,
                noise_part=NOISE_PART,
                **SICK_LMS200,
            ),
            Ins(name="INS", mount="body", rate_hz=RATE_HZ, noise_part=INS_NOISE_PART),
            Odometry(
                name="Odometry",
                left=steering.left,
                right=steering.right,
                gauge=self.gauge,
                radius=self.wheel.radius,
                resolution=ODOMETRY_TICK * self.wheel.radius,
                rate_hz=RATE_HZ,
            ),
            pan_tilt.CAMERA,
            *(self._rescue_sensors() if recorded else ()),
        )

    def _rescue_sensors(self) -> tuple[Sensor, ...]:
        """Return the sensors that UT2004's Pioneers have in addition."""
        up = Pose.at(z=self.deck)
        eye, antenna = up @ Pose.at(*EYE), up @ Pose.at(*ANTENNA)
        return (
            RfidReader(name="RFID", mount="body", X_MS=antenna, rate_hz=RATE_HZ),
            Gps(name="GPS", mount="body", X_MS=antenna, rate_hz=RATE_HZ),
            VictimSensor(name="VictSensor", mount="body", X_MS=eye, rate_hz=VICTIM_HZ),
        )


class PioneerOptions(Description):
    """Options of a Pioneer."""

    pioneer: ClassVar[Pioneer]
    """Numbers of the model."""

    sensors: bool = True
    """False: encoders and truth only."""
    generation: Literal["udk", "ut2004"] = "udk"
    """``udk``, or ``ut2004``: the sensors of its recorded sessions, with GPS, RFID reader, victim
    sensor, and sonars that echo from oblique walls; robots of clients of that dialect have them."""

    def build(self) -> Robot:
        """Return the robot: body, wheels, pan-tilt camera, sensors."""
        return self.pioneer.build(sensors=self.sensors, recorded=self.generation == "ut2004")


def _descendant_mass(body: mujoco.MjsBody) -> tuple[float, Array]:
    """Return mass (kg) and first moment (kg m, (3,)) of the unrotated descendants of ``body``."""
    mass, moment = 0.0, np.zeros(3)
    for part in body.bodies:
        more, further = _descendant_mass(part)
        mass += part.mass + more
        moment += part.mass * part.ipos + further + (part.mass + more) * part.pos
    return mass, moment


def _sonar(name: str, x: float, y: float, heading_deg: float) -> Sonar:
    return Sonar(
        name=name,
        mount="body",
        X_MS=Pose.at(x, y, 0.0, yaw=radians(heading_deg)),
        rate_hz=RATE_HZ,
        cones=SONAR_CONES,
        noise_part=NOISE_PART,
    )


def _encoders(steering: Steering) -> tuple[Encoder, ...]:
    """Return USARSim's four encoders: first wheel of each side, and the camera's links."""
    drives = {
        "ECLeft": steering.left[0],
        "ECRight": steering.right[0],
        "ECTilt": "tilt",
        "ECPan": "pan",
    }
    return tuple(
        Encoder(name=name, drives=(drive,), rate_hz=RATE_HZ, resolution=TICK, wrap=math.tau)
        for name, drive in drives.items()
    )
