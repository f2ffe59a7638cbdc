"""Conversion between Kenaf's CAN messages and USARSim messages.

The two sides have different units and axes (Kurose et al., sec. II-C, "coordinate transformation
function"). CAN: x forward, y left, z up, belts in m/s, flippers up positive. USARSim: y right,
z down, wheels in rad/s, flippers about the y axis (`FLIPPER_UP`), encoders in whole ticks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from grouser.errors import BadValue
from grouser.frames import radians
from grouser.protocol.can import messages as can
from grouser.protocol.usarsim.axes import FLIPPER_UP, Axes
from grouser.protocol.usarsim.drive import Order, SkidDrive
from grouser.protocol.usarsim.geo_conf import RobotGeometry, SensorConfiguration
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.package import LinkTarget, MovePackage, PackageState
from grouser.protocol.usarsim.sensor_messages import Encoders, GroundTruth, Ins
from grouser.protocol.usarsim.setting import SetJoint, SetZoom
from grouser.protocol.usarsim.state import NO_BATTERY, State

CLASS = "Kenaf"
"""USARSim class of the robot."""

TICK = radians(1.0)
"""Default encoder resolution of USARSim, rad."""

PAN_TILT = "CameraPanTilt"
"""Mission package of the camera."""

CAMERA = "Camera"
"""Name of the front camera."""

BELTS = ("ECLeft", "ECRight")
FLIPPERS = ("FLFlipper", "FRFlipper", "RLFlipper", "RRFlipper")
"""Front left, front right, rear left, rear right."""

SPEED_WINDOW = 0.1
"""Smallest time difference for a speed from encoders, s; their ticks are coarse."""

CARRIED_ON = 0.25
"""Longest extrapolation of the robot's clock after its last message, s (UT2004 sends it with STA,
five times a second)."""


class KenafWire:
    """Commands to and newest status of one Kenaf on a server.

    ``radius`` of the wheels is in m (GEO), the encoders' ``tick`` in rad (CONF), ``axes`` are
    the control port's.
    """

    def __init__(self, radius: float, tick: float = TICK, axes: Axes = Axes.Z_DOWN) -> None:
        if not radius > 0 or not tick > 0:
            raise BadValue(f"radius is {radius} m and tick {tick} rad, must both be above 0")
        self._radius, self._tick, self._axes = radius, tick, axes
        self._ticks: dict[str, int] = {}
        self._joints: dict[str, float] = {}
        self._posture: can.Posture | None = None
        self._battery: int | None = None
        self._pan_tilt = False
        self._clock: tuple[float, float] | None = None  # robot time and caller's time, s
        self._travel: list[tuple[float, float, float]] = []  # robot time, left and right, s and m

    @classmethod
    def from_answers(
        cls, geometry: Message, encoders: Message, axes: Axes = Axes.Z_DOWN
    ) -> KenafWire:
        """Return the converter for the answers to GETGEO and GETCONF {Type Encoder}."""
        radius = geometry.wheel_radius if isinstance(geometry, RobotGeometry) else None
        if radius is None:
            raise BadValue("the robot has no wheels: GEO has no WheelRadius")
        settings = (
            dict(encoders.sensors[0].settings)
            if isinstance(encoders, SensorConfiguration) and encoders.sensors
            else {}
        )
        tick = settings.get("Resolution", TICK)
        return cls(radius, tick if isinstance(tick, float) else TICK, axes)

    # -- commands ----------------------------------------------------------------------------

    def messages(self, command: can.CanCommand) -> list[Message]:
        """Return the USARSim messages of a command; empty for a camera without pan and tilt."""
        match command:
            case can.Stop():
                # A joint with speed 0 holds its position.
                held = [SetJoint(name, (0.0,), Order.SPEED) for name in FLIPPERS]
                return [SkidDrive(0.0, 0.0), *held]
            case can.BeltSpeeds(left, right):
                return [SkidDrive(left / self._radius, right / self._radius)]
            case can.FrontFlippers(left, right):
                return self._flippers(FLIPPERS[:2], (left, right))
            case can.RearFlippers(left, right):
                return self._flippers(FLIPPERS[2:], (left, right))
            case can.CameraAim(pan, tilt) if self._pan_tilt:
                links = (LinkTarget(0, -pan), LinkTarget(1, tilt))  # yaw on the wire is clockwise
                return [MovePackage(PAN_TILT, links)]
            case can.CameraZoom(view):
                return [SetZoom(CAMERA, view)]
        return []

    def _flippers(self, names: Iterable[str], angles: Iterable[float]) -> list[Message]:
        return [
            SetJoint(name, (FLIPPER_UP[name] * angle,), Order.ANGLE)
            for name, angle in zip(names, angles, strict=True)
        ]

    # -- status ------------------------------------------------------------------------------

    def on_message(self, message: Message, now: float) -> None:
        """Process a server message received at ``now``, s on the caller's clock."""
        time = getattr(message, "time", None)
        if isinstance(time, float):
            self._clock = (time, now)
        match message:
            case Encoders(readings=readings):
                self._ticks |= dict(readings)
                self._note_travel(now)
            case Ins(orientation=angles):
                self._posture = self._to_posture(angles)
            case GroundTruth(orientation=angles) if self._posture is None:
                self._posture = self._to_posture(angles)
            case State(battery=battery, joints=joints):
                self._battery = None if battery == NO_BATTERY else battery
                self._joints |= dict(joints)
            case PackageState(name=name):
                self._pan_tilt = self._pan_tilt or name == PAN_TILT

    def _to_posture(self, angles: tuple[float, float, float]) -> can.Posture:
        return can.Posture(
            *(math.remainder(angle, math.tau) for angle in self._axes.angles(angles))
        )

    def _note_travel(self, now: float) -> None:
        left, right = (self._angle(name) * self._radius for name in BELTS)
        time = self._time(now)
        while len(self._travel) > 1 and time - self._travel[1][0] >= SPEED_WINDOW:
            del self._travel[0]
        self._travel.append((time, left, right))

    def _angle(self, encoder: str) -> float:
        """Return the middle of the present encoder tick, rad."""
        return (self._ticks.get(encoder, 0) + 0.5) * self._tick

    @property
    def alive(self) -> bool:
        """True after the first encoder message."""
        return bool(self._travel)

    def frames(self, now: float, health: can.Health | None = None) -> list[can.CanFrame]:
        """Return the newest status at ``now`` as frames; empty before the first encoder message."""
        if not self._travel:
            return []
        _, left, right = self._travel[-1]
        frames = [
            can.BeltEncoders(left, right).frame(),
            can.BeltMotion(*self._speeds(now), self._time(now)).frame(),
            self._flipper_angles().frame(),
        ]
        if self._posture is not None:
            frames.append(self._posture.frame())
        frames.append(can.BatteryLeft.of(self._battery).frame())
        wrong = health or can.Health(0)
        flags = wrong.flags | (can.NO_POSTURE if self._posture is None else 0)
        flags |= can.EMPTY if self._battery is not None and self._battery <= 0 else 0
        counts = (wrong.wrong_crc, wrong.wrong_counter, wrong.wrong_length, wrong.wrong_range)
        frames.append(can.Health(flags, wrong.stalled, *counts).frame())
        return frames

    def _speeds(self, now: float) -> tuple[float, float]:
        (first, *_), (last, *_) = self._travel[0], self._travel[-1]
        passed = last - first
        if passed <= 0 or self._time(now) - last > 2 * SPEED_WINDOW:
            return 0.0, 0.0
        _, left, right = (b - a for a, b in zip(self._travel[0], self._travel[-1], strict=True))
        return left / passed, right / passed

    def _time(self, now: float) -> float:
        """Return the robot's clock, s, extrapolated from its last message."""
        if self._clock is None:
            return 0.0
        time, when = self._clock
        return max(0.0, time + min(now - when, CARRIED_ON))

    def _flipper_angles(self) -> can.FlipperAngles:
        angles = []
        for name in FLIPPERS:
            turned = self._joints.get(name, 0.0)
            if f"EC{name}" in self._ticks:
                middle = self._angle(f"EC{name}")
                # STA is finer than a tick but less frequent: used while both agree.
                turned = turned if abs(turned - middle) <= self._tick / 2 else middle
            angles.append(FLIPPER_UP[name] * turned)
        return can.FlipperAngles(*angles)
