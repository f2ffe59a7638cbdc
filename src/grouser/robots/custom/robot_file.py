"""Robot file schema: a YAML file that describes a robot, alone or with a URDF or MJCF.

Files are read as world files are: strict, with overrides; every error names file, line and key
(`grouser.robots.custom.custom_robot`). `grouser.robots.custom.assembly` builds the robot.

Positions are in the frame of the carrying body: x forward, y left, z up, in m. A pair of parts is
described by its left part and mirrored.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, Strict, model_validator

from grouser.description import Description, Items, mistake
from grouser.errors import BadValue
from grouser.physics.command_delay import Delay
from grouser.physics.losses import BatteryPack, Losses, Motor
from grouser.robots.parts.belt_options import GrouserOptions, SegmentOptions, path_from_options
from grouser.robots.parts.hull import GREY
from grouser.tracks.grouser import Grouser
from grouser.tracks.path import BeltPath
from grouser.tracks.track import Method
from grouser.world.field_types import Length, Name, Point, Rgb

Above = Annotated[float, Field(gt=0, le=1e6)]
"""A number above 0."""
Sizes = Annotated[tuple[Length, Length, Length], Strict(False)]
"""Edges along x, y and z, m."""
Pair = Annotated[tuple[float, float], Strict(False)]
"""Interval: from, to."""
Pulley = Annotated[tuple[float, float, Length], Strict(False)]
"""x, z and radius, m."""
Deg = Annotated[float, Field(ge=-360, le=360)]
"""An angle, deg."""
Tensor = Annotated[tuple[Above, Above, Above], Strict(False)]
"""Inertia about x, y and z, kg m²."""


class HullBox(Description):
    """Collision box; the mass is given for the whole body."""

    size: Sizes
    """Edges, m."""
    at: Point = (0.0, 0.0, 0.0)
    """Centre, m."""
    rgb: Rgb = GREY
    """Colour."""
    on: str | None = None
    """Link of the model that carries it; default: the main body."""
    name: Name | None = None
    """Default: hull0, hull1, …"""


class UniformBox(Description):
    """Box of uniform density that gives the inertia of a part."""

    size: Sizes
    """Edges, m."""
    at: Point = (0.0, 0.0, 0.0)
    """Centre, m; for a flipper: x outwards from the axis."""


class Oval(Description):
    """Belt around two equal pulleys."""

    length: Length
    """Overall length, m, without grousers."""
    radius: Length
    """Radius of both pulleys with the belt, m."""

    @model_validator(mode="after")
    def _check_length(self) -> Oval:
        if not self.length > 2 * self.radius:
            raise mistake("must be more than twice the radius", "length")
        return self


class BeltEntry(Description):
    """Common fields of the belts of tracks and flippers."""

    pulleys: Annotated[tuple[Pulley, ...], Strict(False)] = ()
    """[x, z, radius] each, outer surface of the belt; for a flipper, x outwards from its axis."""
    segments: Items[SegmentOptions] = ()
    """Alternative: closed chain from the top rear, {line: length} or {arc: [radius, deg]}."""
    oval: Oval | None = None
    """Alternative: two equal pulleys."""
    width: Length
    """Belt width, m."""
    count: Annotated[int, Field(ge=2, le=1000)] | None = None
    """Number of grousers; default: from `pitch`."""
    pitch: Length | None = None
    """Approximate grouser pitch, m; default: 0.03."""
    grouser: GrouserOptions | None = None
    """{shape: rounded, length: …, height: …} and so on; default: a smooth belt (a flipper: as its
    track's)."""
    wheels: Annotated[int, Field(ge=2, le=100)] = 4
    """Number of wheels (method wheels only)."""
    friction: Above | None = None
    """Friction coefficient of the belt; default: the ground's."""

    @model_validator(mode="after")
    def _check_path(self) -> BeltEntry:
        given = [key for key in ("pulleys", "segments", "oval") if getattr(self, key)]
        if len(given) != 1:
            raise mistake("needs a path: one of oval, pulleys and segments")
        if self.count is not None and self.pitch is not None:
            raise mistake("must not be given together with count", "pitch")
        try:
            self.path(1)
        except (BadValue, TypeError) as error:
            raise mistake(f"which is invalid: {error}", given[0]) from None
        try:
            self.build_grouser()
        except BadValue as error:
            raise mistake(f"which is invalid: {error}", "grouser") from None
        return self

    def path(self, forward: int) -> BeltPath:
        """Return the belt's path; ``forward`` -1: mirrored, for a flipper that points backwards."""
        if self.oval:
            return BeltPath.oval(self.oval.length, self.oval.radius)
        pulleys = [(forward * x, z, radius) for x, z, radius in self.pulleys]
        return path_from_options(pulleys, self.segments)

    def build_grouser(self) -> Grouser | None:
        """Return the grouser; None if not given."""
        return self.grouser.build() if self.grouser else None


class TrackEntry(BeltEntry):
    """Pair of tracks, or one in the middle; each has its own motor."""

    name: Name | None = None
    """Drives are NAME_left and NAME_right; default of the first entry: left and right."""
    on: str | None = None
    """Link of the model that it runs around; default: the main body."""
    at: Point
    """Origin of the left track's frame, m; the right one is mirrored."""
    side: Literal["both", "left", "right", "middle"] = "both"
    """Members of the pair that exist."""
    method: Method = "segments"
    """Track method; see `grouser list tracks`."""
    without_top: bool = False
    """Omit the upper run."""
    force: Above
    """Force limit of one belt, N."""
    speed: Above
    """Speed limit of the belt, m/s."""
    inertia: Above | None = None
    """Mass that the drive accelerates with its belt, including the motor, kg; default: 5, or more
    for heavy robots; an estimate."""
    lead: Above | None = None
    """Belt travel error at which it saturates, m; default: 0.005, or more for weak servos."""
    damping: Above | None = None
    """Speed error at which it saturates, m/s; default: 0.1, or more for strong belts."""
    losses: Losses | None = None
    """Friction that its drive works against; default: none (docs/explanation/energy.md)."""
    motor: Motor | None = None
    """Its motor; default: ideal."""
    command_delay: Delay = 0.0
    """Time from a command to its effect, s; at most 0.5."""


class FlipperEntry(BeltEntry):
    """Pair of flippers: arms with a belt geared to the main track of their side."""

    name: Name
    """Drives are NAME_left_arm and NAME_right_arm; the group of both is NAME."""
    axis: Point | None = None
    """Axis of the left arm, m; alternative to `joints`."""
    joints: Annotated[tuple[str, str], Strict(False)] | None = None
    """Joints of the model, left and right; the belt runs around their links."""
    points: Literal["forward", "backward"] | None = None
    """Direction at 0 deg; default: away from the middle."""
    torque: Above
    """Torque limit of one arm, N m."""
    speed_deg: Above = 60.0
    """Speed limit of the arm, deg/s; an estimate."""
    limits_deg: Pair | None = None
    """Joint limits, deg, up positive; default: unlimited."""
    start_deg: Deg = 0.0
    """Initial angle, deg, up positive."""
    armature: Above = 0.1
    """Rotor inertia of the arm's motor, reflected to the arm, kg m²; an estimate."""
    mass: Above | None = None
    """Mass of one arm with its belt, kg; required unless the links of the model have mass."""
    box: UniformBox | None = None
    """Inertia box of the arm; default: its outline, centred nearer to the larger pulley."""
    arm: HullBox | None = None
    """Collision box of the arm; default: a box inside the belt."""
    inertia: Above = 0.5
    """Belt mass that adds to the load of the track's motor, kg; an estimate."""
    lead_deg: Above = 2.0
    """Position error at which the torque saturates, deg."""
    damping: Above = 1.0
    """Speed error at which the torque saturates, rad/s."""
    losses: Losses | None = None
    """Friction that its arm works against; default: none (docs/explanation/energy.md)."""
    motor: Motor | None = None
    """Motor of the arm; default: ideal."""
    command_delay: Delay = 0.0
    """Time from a command to its effect, s; at most 0.5."""

    @model_validator(mode="after")
    def _check_axis(self) -> FlipperEntry:
        if (self.axis is None) == (self.joints is None):
            raise mistake("needs either the axis of its left arm or the joints of the model")
        if self.axis is not None and self.mass is None:
            raise mistake("lacks 'mass': mass of one arm with its belt, kg")
        if self.joints is not None and self.points is None:
            raise mistake("lacks 'points': forward or backward at 0 deg")
        if self.limits_deg and not self.limits_deg[0] < self.limits_deg[1]:
            raise mistake("must be increasing", "limits_deg")
        low, high = self.limits_deg or (-360.0, 360.0)
        if not low <= self.start_deg <= high:
            raise mistake(f"must be within the limits, {low:g} to {high:g}", "start_deg")
        return self

    @property
    def forward(self) -> int:
        """1: points forwards at 0 deg; -1: backwards."""
        if self.points:
            return 1 if self.points == "forward" else -1
        return 1 if self.axis is not None and self.axis[0] >= 0 else -1


class WheelEntry(Description):
    """Pair of wheels, or one in the middle."""

    name: Name
    """Drives are NAME_left and NAME_right."""
    at: Point
    """Centre of the left wheel, m."""
    side: Literal["both", "left", "right", "middle"] = "both"
    """Members of the pair that exist."""
    radius: Length
    """Radius, m."""
    width: Length
    """Width of the tread, m."""
    mass: Above
    """Mass of one wheel, kg."""
    torque: Above | None = None
    """Torque limit of its motor, N m; default: passive."""
    speed: Above = 10.0
    """Speed limit of its motor, rad/s."""
    armature: Annotated[float, Field(ge=0)] = 0.0
    """Rotor inertia of its motor, reflected to the wheel, kg m²."""
    friction_torque: Annotated[float, Field(ge=0)] = 0.0
    """Viscous loss of motor, gear and bearing, N m s/rad."""
    losses: Losses | None = None
    """Friction that its drive works against; default: none (docs/explanation/energy.md)."""
    motor: Motor | None = None
    """Its motor; default: ideal."""
    command_delay: Delay = 0.0
    """Time from a command to its effect, s; at most 0.5."""
    backlash_deg: Annotated[float, Field(ge=0, le=30)] = 0.0
    """Free play between motor and wheel, deg; needs an armature."""


class JointEntry(Description):
    """Drive and limits of a joint of the model; a key may be a pattern (``*_knee``)."""

    torque: Above | None = None
    """Torque limit, N m (slide: N); default: the model's."""
    speed: Above | None = None
    """Speed limit, rad/s (slide: m/s); default: the model's."""
    limits_deg: Pair | None = None
    """Joint limits, deg; default: the model's."""
    limits: Pair | None = None
    """Limits of a slide, m; default: the model's."""
    start_deg: Deg | None = None
    """Initial angle, deg; default: 0, or the nearest value within the limits."""
    start: float | None = None
    """Initial position of a slide, m."""
    lead: Above | None = None
    """Position error at which the torque saturates, rad or m; default: 0.05 rad, 0.005 m."""
    damping: Above | None = None
    """Speed error at which it saturates, rad/s, m/s; default: speed / 2, at most lead / 0.02 s."""
    armature: Annotated[float, Field(ge=0)] | None = None
    """Rotor inertia, reflected to the joint, kg m² or kg."""
    passive: bool = False
    """No drive."""
    losses: Losses | None = None
    """Friction that its drive works against; default: none (docs/explanation/energy.md)."""
    motor: Motor | None = None
    """Its motor; default: ideal."""
    command_delay: Delay = 0.0
    """Time from a command to its effect, s; at most 0.5."""
    backlash_deg: Annotated[float, Field(ge=0, le=30)] = 0.0
    """Free play of a hinge between motor and link, deg; needs an armature."""


class CameraEntry(Description):
    """Camera for pictures and videos; camera sensors are under `sensors`."""

    name: Name
    at: Point
    """Position, m."""
    on: str | None = None
    """Body that carries it; default: the main body."""
    down_deg: Deg = 0.0
    """Pitch down, deg."""
    opening_deg: Annotated[float, Field(gt=0, lt=180)] = 45.0
    """Vertical field of view, deg."""


MODEL_ENDINGS = (".urdf", ".xml", ".mjcf")


class RobotFile(Description):
    """Content of a robot file."""

    name: Name
    """Name of the robot; also its class name on the wire."""
    description: str = ""
    """Free text."""
    model: str | None = None
    """URDF or MJCF model: a path relative to this file, or ``package://NAME/PATH`` of an installed
    package. Its links and joints keep their names."""
    bolted: bool = False
    """True: the main body is fixed to the world, as an arm on a table."""
    mass: Above | None = None
    """Mass of the whole robot, kg; the main body has the remainder. Default: the model's."""
    centre: Point | None = None
    """Centre of mass of the whole robot with all joints at 0, in the main body, m. Default: the
    centre of the main body's box."""
    box: UniformBox | None = None
    """Inertia box of the main body. Default: bounding box of its hull and tracks."""
    inertia: Tensor | None = None
    """Alternative: inertia of the main body about its own centre, kg m²."""
    hull: Annotated[tuple[HullBox, ...], Strict(False)] = ()
    """Collision boxes."""
    tracks: Annotated[tuple[TrackEntry, ...], Strict(False)] = ()
    flippers: Annotated[tuple[FlipperEntry, ...], Strict(False)] = ()
    wheels: Annotated[tuple[WheelEntry, ...], Strict(False)] = ()
    drives: dict[str, JointEntry] = Field(default_factory=dict)
    """Drives of the model's joints, by name or pattern."""
    sensors: Annotated[tuple[dict[str, Any], ...], Strict(False)] = ()
    """Sensors that are always present beside encoders, in the format of world files."""
    equipment: Annotated[tuple[dict[str, Any], ...], Strict(False)] = ()
    """Additional sensors with ``sensors: standard`` in the world file."""
    battery: BatteryPack | None = None
    """Battery that its motors discharge; default: none."""
    cameras: Annotated[tuple[CameraEntry, ...], Strict(False)] = ()
    """Viewpoints for pictures and videos."""

    @model_validator(mode="after")
    def _check_consistency(self) -> RobotFile:
        if self.model is None:
            if self.mass is None:
                raise mistake("lacks 'mass': mass of the whole robot, kg")
            if not (self.hull or self.tracks or self.wheels):
                raise mistake("has no parts; give hull, tracks, wheels or a model")
            if self.drives:
                raise mistake("need a model that has these joints", "drives")
        elif not self.model.lower().endswith(MODEL_ENDINGS):
            raise mistake(f"must end in {' or '.join(MODEL_ENDINGS)}", "model")
        if self.inertia and self.box:
            raise mistake("must not be given together with box", "inertia")
        if self.tracks and any(wheel.torque for wheel in self.wheels):
            raise mistake("must not be driven beside tracks; remove their torque", "wheels")
        if self.flippers and not self.tracks:
            raise mistake("need a track that their belts are geared to", "flippers")
        for group in ("hull", "tracks", "flippers", "wheels", "cameras"):
            names = [part.name for part in getattr(self, group)]
            for number, name in enumerate(names):
                if name is not None and name in names[:number]:
                    raise mistake(f"must be unique among {group}", group, number, "name")
        return self


def defaulted_values(robot_file: RobotFile) -> dict[str, Any]:
    """Return the values that are defaults, by path, in the file's order.

    Values that are derived later (None) and empty values are not included.
    """
    return _fields_left_out(robot_file, "")


def _fields_left_out(part: Description, path: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in type(part).model_fields:
        value, place = getattr(part, key), f"{path}{key}"
        if isinstance(value, Description):
            found |= _fields_left_out(value, f"{place}.")
        elif isinstance(value, dict):
            for name, item in value.items():
                found |= _fields_left_out(item, f"{place}.{name}.") if _is_part(item) else {}
        elif isinstance(value, tuple) and any(map(_is_part, value)):
            for number, item in enumerate(value):
                found |= _fields_left_out(item, f"{place}.{getattr(item, 'name', None) or number}.")
        elif key not in part.model_fields_set and isinstance(value, int | float | str) and value:
            found[place] = value
    return found


def _is_part(value: Any) -> bool:
    return isinstance(value, Description)
