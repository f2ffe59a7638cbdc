"""Track interface: description of a belt, and `add_track`, which builds it by one of five methods.

A `Track` describes a belt; ``method`` selects its physical model:

==========  ===================================================================================
segments    moving links with grousers and belt roll-back by one pitch (Okada et al. 2020)
surface     fixed links with a surface velocity (MuJoCo ``surfacevel``)
constraint  the same without friction of the ground, as published; only for comparisons
wheels      a row of wheels (Kurose et al. 2008)
plates      a closed chain of hinged plates around pulleys
==========  ===================================================================================

With every method the belt is inextensible, one sprocket drives it with a limited force, its
position is in metres of belt, and a positive speed drives a robot forwards.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

import mujoco
from pydantic import Field

from grouser import plugins
from grouser.description import OneOf
from grouser.errors import BadValue, unknown
from grouser.frames import Pose
from grouser.physics.contacts import SLIPPERY
from grouser.physics.drives import Drive
from grouser.tracks.geoms import BUFFER_SPACING, PIECE, couple_speeds
from grouser.tracks.grouser import PathElement
from grouser.tracks.path import BeltPath

TRACKS: dict[str, str] = {
    "segments": "grouser.tracks.segments:build",
    "surface": "grouser.tracks.surface:build",
    "constraint": "grouser.tracks.surface:build_constraint",
    "wheels": "grouser.tracks.wheels:build",
    "plates": "grouser.tracks.plates:build",
}
"""Method → ``module:function`` of its builder; imported on use."""


def track_methods() -> dict[str, str]:
    """Return all methods, including entry points: name → ``module:function``."""
    return TRACKS | plugins.entry_point_targets(plugins.TRACKS, TRACKS)


Method = Annotated[
    Literal["segments", "surface", "constraint", "wheels", "plates"], OneOf(track_methods)
]
"""Method of a track, or one of an installed package."""
WheelCount = Annotated[int, Field(ge=2, le=1000)]
"""Number of wheels (method wheels only)."""


@dataclass(frozen=True, kw_only=True)
class Track:
    """Belt: path, grousers, drive and method."""

    path: BeltPath
    """Outer surface of the belt without grousers in the track's frame T."""
    width: float
    """Belt width, m."""
    drive: Drive
    """The sprocket's motor, in metres of belt: m, m/s, N."""
    geared: bool = False
    """True: no motor of its own; driven by that of another belt."""
    inertia: float
    """Mass (kg) that the drive accelerates: belt and motor, reflected to the belt."""
    mass: float = 2.0
    """Mass of the belt, kg."""
    grouser: PathElement | None = None
    """Element repeated along the belt; None: a smooth belt."""
    count: int = 40
    """Number of grousers (method plates: of plates)."""
    method: Method = "segments"
    """Physical model."""
    thickness: float = 0.008
    """Thickness of the belt, m."""
    friction: float = SLIPPERY
    """Friction coefficient of the belt; the larger of it and the ground's is used."""
    bare: bool = False
    """True: no belt, only the repeated elements (method segments only)."""
    wheels: int = 4
    """Number of wheels (method wheels only)."""
    carried_by: float | None = None
    """Metres of belt of all tracks that carry the standing robot and share its contact spring.
    None: two tracks like this one."""
    without_top: bool = False
    """Omit the upper straight link (the paper's three-link track)."""
    rgb: tuple[float, float, float] = (0.15, 0.15, 0.16)
    """Colour of the belt."""
    grouser_rgb: tuple[float, float, float] = (0.33, 0.33, 0.35)
    """Colour of the grousers: lighter than the belt."""

    def __post_init__(self) -> None:
        if self.method not in track_methods():
            raise unknown("track", "method", self.method, track_methods())
        if self.carried_by is not None and not self.carried_by > 0:
            raise BadValue(f"track: carried_by is {self.carried_by}, must be above 0")
        for name in ("width", "inertia", "mass", "thickness"):
            if not getattr(self, name) > 0:
                raise BadValue(f"track: {name} is {getattr(self, name)}, must be above 0")
        for name in ("count", "wheels"):
            if getattr(self, name) < 2:
                raise BadValue(f"track: {name} is {getattr(self, name)}, at least 2 are needed")

    @property
    def pitch(self) -> float:
        """Distance between grousers along the belt, m: the paper's L/N."""
        return self.path.length / self.count

    @property
    def phase(self) -> float:
        """Position (m along the path) of the first grouser, for the smallest misfit."""
        return self.path.best_phase(self.count, self.height)

    @cached_property
    def ground_run(self) -> float:
        """Metres of this belt on level ground; one pitch for a circular path."""
        run = self.path.bottom()
        return run if run > 0 else self.pitch

    @property
    def share(self) -> float:
        """Share of the robot's contact spring per contact point of the belt."""
        carried_by = self.carried_by or 2 * self.ground_run
        if self.method == "wheels":
            return self.ground_run / (2 * self.wheels) / carried_by  # a drum has two contact points
        tips = 2 if self.grouser and self.grouser.round_tip else 4  # a bar's ends, a box's corners
        if self.method == "segments" and self.grouser:
            return self.pitch / tips / carried_by
        if self.method == "plates":
            return self.pitch / tips / carried_by
        return self.piece / 4 / carried_by

    @property
    def piece(self) -> float:
        """Longest box of a smooth run, m."""
        return self.ground_run if self.method == "constraint" else PIECE

    @property
    def buffer_every(self) -> int:
        """Number of grousers per buffer."""
        return max(1, round(BUFFER_SPACING / self.pitch))

    @property
    def buffer_share(self) -> float:
        """Share of one buffer in all buffers of the robot."""
        spacing = self.buffer_every * self.pitch if self.grouser else BUFFER_SPACING
        return min(1.0, spacing / (self.carried_by or 2 * self.ground_run))

    @property
    def height(self) -> float:
        """Height of the grousers above the belt, m (0: smooth)."""
        return self.grouser.height if self.grouser else 0.0

    @property
    def is_followed(self) -> bool:
        """True if grousers follow the path at its seams (method segments only)."""
        return not self.bare and self.path.is_followed(self.count, self.height)

    @property
    def misfit(self) -> float:
        """Largest jump of a grouser's tip at a roll-back, m."""
        if self.is_followed:
            return 0.0
        return self.path.misfit(self.count, self.phase, self.height)


@dataclass(frozen=True)
class SwitchedGeom:
    """Geom that is solid in an interval of belt positions, and passed through otherwise."""

    geom: str
    enter: float
    """Belt position (m) of the interval's start."""
    leave: float
    """Belt position (m) of its end."""
    contype: int
    """Contact class while it is solid."""
    conaffinity: int
    """Contact classes it touches while it is solid."""


@dataclass(frozen=True, kw_only=True)
class Belt:
    """Elements of a built track by name, for lookup in the compiled model."""

    name: str
    """Full name of the track, e.g. ``quince/left``."""
    drive: str
    """Drive that moves it: its own, of the same name, or that of the belt it is geared to."""
    method: Method
    sprocket: str
    """Joint that drives the belt."""
    gear: float
    """Metres of belt per radian of the sprocket."""
    pitch: float
    """Distance between grousers, m."""
    mass: float
    """Mass of its moving links, kg; the rest belongs to the body it runs around."""
    misfit: float = 0.0
    """Largest jump of a grouser's tip at a roll-back, m."""
    renewal: float = 0.0
    """Fraction of its stretch that a geared belt releases with every pitch."""
    links: tuple[tuple[str, float], ...] = ()
    """Joints of the belt roll-back, each with its travel per metre of belt."""
    switched: tuple[SwitchedGeom, ...] = ()
    """Geoms of grousers that change segments, which are solid on one segment at a time."""
    switch_travel: float = math.inf
    """Largest travel between two switches of the grousers, m."""
    moving: tuple[tuple[str, tuple[float, float, float, float, float, float]], ...] = ()
    """Geoms whose surface moves, each with its ``surfacevel`` per m/s of belt."""
    loads: tuple[tuple[str, tuple[float, float, float]], ...] = ()
    """Sensors of the ground force, each with its weights in newtons of belt."""

    def with_prefix(self, prefix: str) -> Belt:
        """Return the belt with ``prefix`` before all names, as after attaching its spec."""
        return Belt(
            name=prefix + self.name,
            drive=prefix + self.drive,
            method=self.method,
            sprocket=prefix + self.sprocket,
            gear=self.gear,
            pitch=self.pitch,
            mass=self.mass,
            misfit=self.misfit,
            renewal=self.renewal,
            links=tuple((prefix + joint, travel) for joint, travel in self.links),
            switched=tuple(
                dataclasses.replace(each, geom=prefix + each.geom) for each in self.switched
            ),
            switch_travel=self.switch_travel,
            moving=tuple((prefix + geom, velocity) for geom, velocity in self.moving),
            loads=tuple((prefix + sensor, weight) for sensor, weight in self.loads),
        )


Build = Callable[[mujoco.MjSpec, mujoco.MjsBody, Track, str, Pose], Belt]


def add_track(
    spec: mujoco.MjSpec,
    body: mujoco.MjsBody,
    track: Track,
    name: str,
    X_BT: Pose,
    *,
    shaft: Belt | None = None,
) -> Belt:
    """Build ``track`` on ``body`` with its frame T at ``X_BT``, by the method it names.

    Args:
        spec: spec of the robot.
        body: body that the belt runs around.
        track: the belt.
        name: name of the belt and, if it has one, of its drive.
        X_BT: pose of the track's frame on ``body``.
        shaft: belt whose motor drives a geared belt.
    """
    if track.geared != (shaft is not None):
        raise BadValue(
            f"track: {name} needs either a motor of its own or a belt that it is geared to"
        )
    build: Build = plugins.load(track.method, TRACKS, plugins.TRACKS, f"track {name}")
    belt = build(spec, body, track, name, X_BT)
    if shaft is None:
        return belt
    couple_speeds(spec, belt.sprocket, shaft.sprocket, shaft.gear / belt.gear)
    return dataclasses.replace(belt, drive=shaft.drive)
