"""Flippers: arms that turn about a pulley axis, each with a belt driven by its track's motor.

Up is positive for all flippers, front and rear.
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
"""Names of a robot's four flippers."""


@dataclass(frozen=True, kw_only=True)
class Flipper:
    """One flipper; m, kg."""

    place: str
    """Name, such as ``front_left``; arm, joint and drive are ``front_left_arm``."""
    axis: Vector
    """Position of the axis in the body."""
    forward: int
    """1: points forwards at 0 rad; -1: backwards."""
    track: Track
    """Belt, geared; x along the robot."""
    mass: float
    """Mass of arm and belt."""
    half: Vector
    """Half edges of the uniform box that gives its inertia."""
    at: Vector
    """Centre of that box from the axis."""
    arm_half: Vector
    """Half edges of the collision box inside the belt."""
    arm_at: Vector
    """Centre of that box from the axis."""
    armature: float
    """Rotor inertia of its motor, reflected to the arm, kg m²."""
    limits: tuple[float, float] | None = None
    """Joint limits, rad; None: unlimited."""
    rgb: Vector = ORANGE

    @property
    def arm(self) -> str:
        """Name of the arm, its joint and its drive."""
        return f"{self.place}_arm"

    @property
    def side(self) -> str:
        """Side of the track that its belt is geared to: left or right."""
        return "left" if self.axis[1] > 0 else "right"

    def add(self, spec: mujoco.MjSpec, body: mujoco.MjsBody, main: Belt) -> Belt:
        """Add the flipper to ``body``, its belt geared to ``main``."""
        name = self.arm
        arm = body.add_body(name=name, pos=self.axis)
        # Up is positive for all: the axis is reversed for those that point forwards.
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
    """Left and right flipper that taper from a main pulley to a tip; m, kg."""

    end: str
    """``front`` or ``rear``: direction at 0 rad."""
    axis: Vector
    """Position of the left axis in the body."""
    root: float
    """Radius of the belt around the axis."""
    reach: float
    """Distance from the axis to the axis of the tip pulley."""
    tip: float
    """Radius of the belt around the tip pulley."""
    width: float
    """Width of the belt."""
    mass: float
    """Mass of one flipper with its belt."""
    inertia: float
    """Belt mass that adds to the load of the track's motor."""
    armature: float
    """Rotor inertia of one motor, reflected to the arm, kg m²."""
    limits: tuple[float, float] | None = None
    """Joint limits, rad; None: unlimited."""
    rgb: Vector = ORANGE

    def flippers(self, main: Track) -> tuple[Flipper, Flipper]:
        """Return both flippers; method and grousers of their belts are those of ``main``."""
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
    """Add ``drive`` to every arm; return the drives by name."""
    arms = [flipper.arm for flipper in flippers]
    for arm in arms:
        drive.add(spec, arm, arm)
    return dict.fromkeys(arms, drive)


def arm_groups(flippers: Iterable[Flipper]) -> dict[str, tuple[str, ...]]:
    """Return the groups ``front`` (arms that point forwards) and ``rear``."""
    ends: dict[str, tuple[str, ...]] = {}
    for flipper in flippers:
        end = "front" if flipper.forward > 0 else "rear"
        ends[end] = (*ends.get(end, ()), flipper.arm)
    return ends


def outline(track: Track) -> tuple[Vector, float]:
    """Return half edges (m) and centre x (m) of the bounding box of a flipper's belt."""
    low, high = path_extent(track.path)
    size = high - low
    half = (float(size[0]) / 2, track.width / 2, float(size[2]) / 2)
    return half, float(low[0] + high[0]) / 2


def arm_inside(pulleys: Sequence[tuple[float, float]], width: float) -> tuple[Vector, Vector]:
    """Return half edges and centre (m) of an arm box inside a tapered belt.

    Args:
        pulleys: x and radius of each, m.
        width: belt width, m.
    """
    ends = [x for x, _ in pulleys]
    half = ((max(ends) - min(ends)) / 2, width * 0.4, 0.7 * min(radius for _, radius in pulleys))
    return half, ((max(ends) + min(ends)) / 2, 0.0, 0.0)


def middle_of_mass(pulleys: Sequence[tuple[float, float]]) -> float:
    """Return x (m) of a flipper's centre of mass: pulleys of equal width weigh as their areas.

    Args:
        pulleys: x and radius of each, m.
    """
    whole = sum(radius**2 for _, radius in pulleys)
    return sum(x * radius**2 for x, radius in pulleys) / whole
