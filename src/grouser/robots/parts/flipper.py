"""Flippers: arms that turn about a pulley axis, each with a belt driven by its track's motor.

Up is positive for all flippers, front and rear. `FlipperOptions` are the options of a world file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Self

import mujoco
from pydantic import Field, Strict, model_validator

from grouser.description import Description, Positive, mistake
from grouser.errors import BadValue
from grouser.frames import Pose, radians
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
    """Return half edges and centre (m) of an arm box inside a tapered belt of ``width`` (m)."""
    ends = [x for x, _ in pulleys]
    half = ((max(ends) - min(ends)) / 2, width * 0.4, 0.7 * min(radius for _, radius in pulleys))
    return half, ((max(ends) + min(ends)) / 2, 0.0, 0.0)


def middle_of_mass(pulleys: Sequence[tuple[float, float]]) -> float:
    """Return x (m) of a flipper's centre of mass: pulleys of equal width weigh as their areas."""
    whole = sum(radius**2 for _, radius in pulleys)
    return sum(x * radius**2 for x, radius in pulleys) / whole


ArmAngle = Annotated[float, Field(ge=-180, le=180)]
"""Initial angle of a flipper without joint limits, deg."""
TwoNumbers = Annotated[tuple[float, float], Strict(False)]
GAP = 0.005
"""m   estimate: gap between a track and the flipper beside it."""
GRAVITY = 9.81
"""m/s²."""


class FlipperOptions(Description):
    """Options of a pair of flippers; m, kg, N m. None: derived from the robot."""

    reach: Positive
    """Distance from the axis to the axis of the tip pulley."""
    tip: Positive | None = None
    """Radius of the belt around the tip pulley; None: half of ``root``."""
    width: Positive | None = None
    """Belt width; None: a third of the track's."""
    mass: Positive | None = None
    """Mass of one flipper with its belt; None: 4 % of the robot, an estimate."""
    torque: Positive | None = None
    """Torque of one arm; None: both hold the robot's weight at their tips, an estimate."""
    speed_deg: Positive = 60.0
    """Speed limit of the arm, deg/s; an estimate."""
    start_deg: float = 0.0
    """Initial angle, deg, up positive; 0: level, pointing away from the middle."""
    limits_deg: TwoNumbers | None = None
    """Joint limits, deg; None: unlimited."""
    axis: TwoNumbers | None = None
    """x and z of the axis; None: the track's outermost pulley at that end."""
    root: Positive | None = None
    """Radius of the belt around the axis; None: that of the pulley."""
    armature: Positive = 0.1
    """Rotor inertia of the arm's motor, reflected to the arm, kg m²; an estimate."""
    inertia: Positive = 0.3
    """Belt mass that adds to the load of the track's motor; an estimate."""

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        low, high = self.limits_deg or (-180.0, 180.0)
        if not low < high:
            raise mistake("must rise", "limits_deg")
        if not low <= self.start_deg <= high:
            raise mistake(f"must be {low:g} to {high:g}", "start_deg")
        return self


class FlipperPairs(Description):
    """Flippers at both ends of a robot."""

    front: FlipperOptions | None = None
    """None: no pair."""
    rear: FlipperOptions | None = None
    """None: no pair."""

    def by_end(self) -> dict[str, FlipperOptions]:
        """Return the pairs by their end."""
        pairs = {"front": self.front, "rear": self.rear}
        return {end: pair for end, pair in pairs.items() if pair}


def flipper_pair(
    end: str,
    options: FlipperOptions,
    track: Track,
    pulleys: Sequence[Sequence[float]],
    *,
    gauge: float,
    mass: float,
) -> tuple[tuple[Flipper, Flipper], Drive]:
    """Return both flippers of an ``end`` and the drive of their arms.

    Belts are driven by the main track's motor; ``pulleys`` are the track's (x, z, radius; m),
    which may be empty with axis and root given.
    """
    forward = 1 if end == "front" else -1
    outermost = max(pulleys, key=lambda pulley: forward * pulley[0], default=(None, None, None))
    x, z = options.axis or outermost[:2]
    root = options.root or outermost[2]
    if x is None or z is None or root is None:
        raise BadValue(f"flippers: {end} needs axis and root: the track has no pulleys")
    width = options.width or track.width / 3
    pair = TaperedPair(
        end=end,
        axis=(float(x), (gauge + track.width + width) / 2 + GAP, float(z)),
        root=root,
        reach=options.reach,
        tip=options.tip or root / 2,
        width=width,
        mass=options.mass or 0.04 * mass,
        inertia=options.inertia,
        armature=options.armature,
        limits=_radians(options.limits_deg),
    )
    drive = Drive(
        force=options.torque or mass * GRAVITY * options.reach / 2,
        speed=radians(options.speed_deg),
        saturation_error=radians(2),
        damping=1.0,
    )
    return pair.flippers(track), drive


def _radians(limits_deg: Sequence[float] | None) -> tuple[float, float] | None:
    return (radians(limits_deg[0]), radians(limits_deg[1])) if limits_deg else None
