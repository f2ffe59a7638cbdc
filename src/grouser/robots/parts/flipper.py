"""Flippers: arms that turn about a pulley's axis, each with a belt that its track's motor drives.

Up is positive for all of them, wherever they point.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import mujoco

from grouser.frames import Pose
from grouser.physics.drives import Drive
from grouser.robots.parts.belt_options import path_extent
from grouser.robots.parts.hull import ORANGE, Vector, add_hull, set_box_mass
from grouser.tracks.path import BeltPath
from grouser.tracks.track import Belt, Track, add_track

FOUR = ("front_left", "front_right", "rear_left", "rear_right")
"""Places of a robot's four flippers."""


@dataclass(frozen=True, kw_only=True)
class Flipper:
    """One flipper; m, kg."""

    place: str
    """Its name, such as ``front_left``; its arm, joint and drive are ``front_left_arm``."""
    axis: Vector
    """Where it turns, in the body it is on."""
    forward: int
    """1: it points forwards at 0 rad, -1: backwards."""
    track: Track
    """Its belt, geared; x along the robot."""
    mass: float
    """Arm and belt."""
    half: Vector
    """Half edges of the even box as which it weighs."""
    at: Vector
    """Middle of that box from the axis."""
    arm_half: Vector
    """Half edges of the box inside its belt, which touches, too."""
    arm_at: Vector
    """Middle of that box from the axis."""
    armature: float
    """Of its motor, seen at the arm, kg m²."""
    limits: tuple[float, float] | None = None
    """How far it turns, rad; None: without end."""
    rgb: Vector = ORANGE

    @property
    def arm(self) -> str:
        """Name of its arm, the arm's joint and drive."""
        return f"{self.place}_arm"

    @property
    def side(self) -> str:
        """Left or right: whose track its belt is geared to."""
        return "left" if self.axis[1] > 0 else "right"

    def add(self, spec: mujoco.MjSpec, body: mujoco.MjsBody, main: Belt) -> Belt:
        """Hang it on ``body``, its belt geared to ``main``."""
        name = self.arm
        arm = body.add_body(name=name, pos=self.axis)
        # Up is positive for all: the axis is turned round for those that point forwards.
        joint = arm.add_joint(
            name=name,
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=[0, -self.forward, 0],
            armature=self.armature,
        )
        if self.limits:
            joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            joint.range = self.limits
        add_hull(arm, name, self.arm_half, at=self.arm_at, rgb=self.rgb)
        belt = add_track(spec, arm, self.track, self.place, Pose(), shaft=main)
        set_box_mass(arm, self.mass - belt.mass, self.half, at=self.at)
        return belt


@dataclass(frozen=True, kw_only=True)
class TaperedPair:
    """Two flippers, left and right, that taper from a main pulley to a tip; m, kg."""

    end: str
    """``front`` or ``rear``: where it points at 0 rad."""
    axis: Vector
    """Where the left one turns, in the body."""
    root: float
    """Radius of the belt round the axis."""
    reach: float
    """From the axis to that of the tip's pulley."""
    tip: float
    """Radius of the belt round the tip's pulley."""
    width: float
    """Of the belt."""
    mass: float
    """Of one with its belt."""
    inertia: float
    """Mass of its belt that the track's motor has to accelerate with its own."""
    armature: float
    """Of the motor of one, seen at the arm, kg m²."""
    limits: tuple[float, float] | None = None
    """How far it turns, rad; None: without end."""
    rgb: Vector = ORANGE

    def flippers(self, main: Track) -> tuple[Flipper, Flipper]:
        """Return both, with belts that are turned and have grousers as ``main``."""
        forward = 1 if self.end == "front" else -1
        path = BeltPath.around([(0.0, 0.0, self.root), (forward * self.reach, 0.0, self.tip)])
        track = dataclasses.replace(
            main,
            path=path,
            width=self.width,
            geared=True,
            inertia=self.inertia,
            mass=min(main.mass, self.mass / 2),
            carried_by=2 * main.ground_run,
            count=max(2, round(path.length / main.pitch)),
            wheels=3,
            without_top=False,
        )
        half, _ = outline(track)
        pulleys = [(0.0, self.root), (forward * self.reach, self.tip)]
        arm_half, arm_at = arm_inside(pulleys, self.width)
        x, y, z = self.axis

        def at(side: str, y: float) -> Flipper:
            return Flipper(
                place=f"{self.end}_{side}",
                axis=(x, y, z),
                forward=forward,
                track=track,
                mass=self.mass,
                half=half,
                at=(middle_of_mass(pulleys), 0.0, 0.0),
                arm_half=arm_half,
                arm_at=arm_at,
                armature=self.armature,
                limits=self.limits,
                rgb=self.rgb,
            )

        return at("left", y), at("right", -y)


def add_arm_drives(
    spec: mujoco.MjSpec, flippers: Iterable[Flipper], drive: Drive
) -> dict[str, Drive]:
    """Put ``drive`` on every arm; return the drives by name."""
    arms = [flipper.arm for flipper in flippers]
    for arm in arms:
        drive.add(spec, arm, arm)
    return dict.fromkeys(arms, drive)


def arm_groups(flippers: Iterable[Flipper]) -> dict[str, tuple[str, ...]]:
    """Return the arms that point forwards as ``front`` and the others as ``rear``."""
    ends: dict[str, tuple[str, ...]] = {}
    for flipper in flippers:
        end = "front" if flipper.forward > 0 else "rear"
        ends[end] = (*ends.get(end, ()), flipper.arm)
    return ends


def outline(track: Track) -> tuple[Vector, float]:
    """Return the half edges (m) of the box round a flipper's belt, and where its middle is on x."""
    low, high = path_extent(track.path)
    size = high - low
    half = (float(size[0]) / 2, track.width / 2, float(size[2]) / 2)
    return half, float(low[0] + high[0]) / 2


def arm_inside(pulleys: Sequence[tuple[float, float]], width: float) -> tuple[Vector, Vector]:
    """Return half edges and middle (m) of an arm that stays inside a belt, however it tapers.

    Args:
        pulleys: x and radius of each, m.
        width: of the belt, m.
    """
    ends = [x for x, _ in pulleys]
    half = ((max(ends) - min(ends)) / 2, width * 0.4, 0.7 * min(radius for _, radius in pulleys))
    return half, ((max(ends) + min(ends)) / 2, 0.0, 0.0)


def middle_of_mass(pulleys: Sequence[tuple[float, float]]) -> float:
    """Return where on x a flipper's middle is: pulleys of equal width weigh as their areas.

    Args:
        pulleys: x and radius of each, m.
    """
    whole = sum(radius**2 for _, radius in pulleys)
    return sum(x * radius**2 for x, radius in pulleys) / whole
