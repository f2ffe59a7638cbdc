"""What a robot file says of a robot's parts: boxes, tracks, flippers, wheels, drives, cameras.

Places are in the frame of the body they are on: x forward, y left, z up, in m. A pair is described
by its left one and mirrored.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, Strict, model_validator

from grouser.errors import BadValue
from grouser.robots.parts.belt_options import described_grouser, described_path
from grouser.robots.parts.hull import GREY
from grouser.tracks.grouser import Grouser
from grouser.tracks.path import BeltPath
from grouser.world.field_types import Description, Length, Name, Point, Rgb, mistake

Above = Annotated[float, Field(gt=0, le=1e6)]
"""A number above 0."""
Sizes = Annotated[tuple[Length, Length, Length], Strict(False)]
"""Edges along x, y and z, m."""
Pair = Annotated[tuple[float, float], Strict(False)]
"""From, to."""
Pulley = Annotated[tuple[float, float, Length], Strict(False)]
"""x, z and radius, m."""
Deg = Annotated[float, Field(ge=-360, le=360)]
"""An angle, deg."""
Tensor = Annotated[tuple[Above, Above, Above], Strict(False)]
"""Inertia about x, y and z, kg m²."""


class HullBox(Description):
    """A box that touches the world; what it weighs is said for the whole body."""

    size: Sizes
    """Edges, m."""
    at: Point = (0.0, 0.0, 0.0)
    """Its middle, m."""
    rgb: Rgb = GREY
    """Its colour."""
    on: str | None = None
    """The link of the model that it is on; left out: the main body."""
    name: Name | None = None
    """Left out: hull0, hull1, …"""


class EvenBox(Description):
    """A part weighs like an even box."""

    size: Sizes
    """Edges, m."""
    at: Point = (0.0, 0.0, 0.0)
    """Its middle, m; of a flipper: x outwards from the axis."""


class Oval(Description):
    """A belt round two equal pulleys."""

    length: Length
    """Over all, m, without grousers."""
    radius: Length
    """Of both pulleys with the belt, m."""

    @model_validator(mode="after")
    def _holds_both(self) -> Oval:
        if not self.length > 2 * self.radius:
            raise mistake("must be more than twice the radius", "length")
        return self


class BeltEntry(Description):
    """What belts of tracks and flippers have in common."""

    pulleys: Annotated[tuple[Pulley, ...], Strict(False)] = ()
    """[x, z, radius] each, belt's outer surface; of a flipper, x outwards from its axis."""
    segments: Annotated[tuple[dict[str, Any], ...], Strict(False)] = ()
    """Instead: a closed chain from the top rear on, {line: length} or {arc: [radius, deg]}."""
    oval: Oval | None = None
    """Instead: two equal pulleys."""
    width: Length
    """Across the belt, m."""
    count: Annotated[int, Field(ge=2, le=1000)] | None = None
    """Grousers; left out: as many as `pitch` gives."""
    pitch: Length | None = None
    """About how far apart grousers are, m; left out: 0.03."""
    grouser: dict[str, Any] | None = None
    """{shape: rounded, length: …, height: …} and so on; left out: a smooth belt (a flipper: as its
    track's)."""
    wheels: Annotated[int, Field(ge=2, le=100)] = 4
    """How many wheels stand for the belt where the method is wheels."""
    friction: Above | None = None
    """Of its own; left out: the ground's alone counts."""

    @model_validator(mode="after")
    def _has_one_path(self) -> BeltEntry:
        given = [key for key in ("pulleys", "segments", "oval") if getattr(self, key)]
        if len(given) != 1:
            raise mistake("needs a path: one of oval, pulleys and segments")
        if self.count is not None and self.pitch is not None:
            raise mistake("must be left out where the count is given", "pitch")
        try:
            self.path(1)
        except (BadValue, TypeError) as error:
            raise mistake(f"which cannot be: {error}", given[0]) from None
        try:
            self.made_grouser()
        except BadValue as error:
            raise mistake(f"which cannot be: {error}", "grouser") from None
        return self

    def path(self, forward: int) -> BeltPath:
        """Return the belt's path; ``forward`` -1: mirrored, for a flipper that points back."""
        if self.oval:
            return BeltPath.oval(self.oval.length, self.oval.radius)
        pulleys = [(forward * x, z, radius) for x, z, radius in self.pulleys]
        return described_path(pulleys, self.segments)

    def made_grouser(self) -> Grouser | None:
        """Return the grouser, None if it is not said."""
        return described_grouser(self.grouser) if self.grouser else None


class TrackEntry(BeltEntry):
    """A pair of tracks, or one in the middle; each has a motor of its own."""

    name: Name | None = None
    """Its drives are NAME_left and NAME_right; left out, of the first: left and right."""
    on: str | None = None
    """The link of the model that it runs round; left out: the main body."""
    at: Point
    """Of the left one's frame; the right one's y is mirrored."""
    side: Literal["both", "left", "right", "middle"] = "both"
    """Which of the pair there are."""
    method: str = "segments"
    """How physics turns it: `grouser list tracks`."""
    without_top: bool = False
    """Leave out the upper run."""
    force: Above
    """Largest pull of one belt, N."""
    speed: Above
    """Largest belt speed, m/s."""
    inertia: Above = 5.0
    """Mass that the drive has to accelerate with its belt, motor included, kg; an estimate."""
    lead: Above = 0.005
    """Belt travel at which the motor pulls with all its force, m."""
    damping: Above = 0.1
    """Speed error at which it does, m/s."""


class FlipperEntry(BeltEntry):
    """A pair of flippers: arms with a belt, geared to the main track of their side."""

    name: Name
    """Its drives are NAME_left_arm and NAME_right_arm, the group of both is NAME."""
    axis: Point | None = None
    """Where the left arm turns, m; left out where `joints` says it."""
    joints: Annotated[tuple[str, str], Strict(False)] | None = None
    """Instead: the model's joints, left and right; the belt runs round their links."""
    points: Literal["forward", "backward"] | None = None
    """Where it points at 0 deg; left out: away from the middle."""
    torque: Above
    """Of one arm, N m."""
    speed_deg: Above = 60.0
    """Of the arm, deg/s; an estimate."""
    limits_deg: Pair | None = None
    """How far the arm goes, up positive; left out: without end."""
    start_deg: Deg = 0.0
    """Where it starts, up positive."""
    armature: Above = 0.1
    """Inertia of the arm's motor seen at the arm, kg m²; an estimate."""
    mass: Above | None = None
    """Of one arm with its belt, kg; must be said unless the model's links weigh."""
    box: EvenBox | None = None
    """How the arm weighs; left out: its outline, nearer to the larger pulley."""
    arm: HullBox | None = None
    """What of the arm touches beside the belt; left out: a box inside the belt."""
    inertia: Above = 0.5
    """Mass of the belt that the track's motor has to accelerate with its own, kg; an estimate."""
    lead_deg: Above = 2.0
    """Error at which an arm's motor turns with all its torque, deg."""
    damping: Above = 1.0
    """Speed error at which it does, rad/s."""

    @model_validator(mode="after")
    def _has_a_place(self) -> FlipperEntry:
        if (self.axis is None) == (self.joints is None):
            raise mistake("needs either the axis of its left arm or the joints of the model")
        if self.axis is not None and self.mass is None:
            raise mistake("lacks 'mass': what one arm with its belt weighs, kg")
        if self.joints is not None and self.points is None:
            raise mistake("lacks 'points': forward or backward at 0 deg")
        if self.limits_deg and not self.limits_deg[0] < self.limits_deg[1]:
            raise mistake("must rise", "limits_deg")
        low, high = self.limits_deg or (-360.0, 360.0)
        if not low <= self.start_deg <= high:
            raise mistake(f"must be within the limits, {low:g} to {high:g}", "start_deg")
        return self

    @property
    def forward(self) -> int:
        """1 if it points forwards at 0 deg, else -1."""
        if self.points:
            return 1 if self.points == "forward" else -1
        return 1 if self.axis is not None and self.axis[0] >= 0 else -1


class WheelEntry(Description):
    """A pair of wheels, or one in the middle."""

    name: Name
    """Its drives are NAME_left and NAME_right."""
    at: Point
    """Middle of the left one, m."""
    side: Literal["both", "left", "right", "middle"] = "both"
    """Which of the pair there are."""
    radius: Length
    """m."""
    width: Length
    """Across the tread, m."""
    mass: Above
    """Of one, kg."""
    torque: Above | None = None
    """Of its motor, N m; left out: nothing drives it."""
    speed: Above = 10.0
    """Of its motor, rad/s."""
    armature: Annotated[float, Field(ge=0)] = 0.0
    """Inertia of its motor seen at the wheel, kg m²."""
    friction_torque: Annotated[float, Field(ge=0)] = 0.0
    """What motor, gear and bearing lose, N m s/rad."""


class JointEntry(Description):
    """What moves a joint of the model, and how far; a key may stand for several (``*_knee``)."""

    torque: Above | None = None
    """Largest, N m (a slide: N); left out: what the model says."""
    speed: Above | None = None
    """Largest, rad/s (a slide: m/s); left out: what the model says."""
    limits_deg: Pair | None = None
    """How far it goes, deg; left out: what the model says."""
    limits: Pair | None = None
    """The same of a slide, m."""
    start_deg: Deg | None = None
    """Where it starts, deg; left out: 0, or the nearest that its limits allow."""
    start: float | None = None
    """The same of a slide, m."""
    lead: Above | None = None
    """Error at which all torque is used, rad or m; left out: 0.05 rad, 0.005 m."""
    damping: Above | None = None
    """Speed error at which it is, rad/s or m/s; left out: half the speed, at most lead / 0.02 s."""
    armature: Annotated[float, Field(ge=0)] | None = None
    """Inertia of the motor seen at the joint, kg m² or kg."""
    passive: bool = False
    """Nothing drives it."""


class CameraEntry(Description):
    """A camera that pictures and videos may be taken with; a sensor is under `sensors`."""

    name: Name
    at: Point
    """m."""
    on: str | None = None
    """The body that it is on; left out: the main body."""
    down_deg: Deg = 0.0
    """How far it looks down."""
    opening_deg: Annotated[float, Field(gt=0, lt=180)] = 45.0
    """From top to bottom of the picture."""
