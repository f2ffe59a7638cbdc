"""The track: what it is, and the one call that builds it by any of four methods.

A `Track` says everything about a belt except how physics turns it; ``method`` chooses that:

==========  ===================================================================================
segments    moving links with grousers, rolled back by one pitch (Okada et al. 2020)
surface     one still link whose surface moves under its contacts (MuJoCo ``surfacevel``)
wheels      a row of wheels (Kurose et al. 2008)
plates      a closed chain of hinged plates round real pulleys
==========  ===================================================================================

Whatever the method, the belt is inextensible, one sprocket drives it with a limited force, its
position is counted in metres of belt, and a positive speed drives a robot forwards.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import mujoco

from grouser import plugins
from grouser.errors import BadValue, unknown
from grouser.frames import Pose
from grouser.physics.drives import Drive
from grouser.tracks.geoms import BUFFER_SPACING, PIECE, ContactSurface, gear
from grouser.tracks.grouser import PathElement
from grouser.tracks.path import BeltPath

Method = Literal["segments", "surface", "wheels", "plates"]

TRACKS: dict[str, str] = {
    "segments": "grouser.tracks.segments:build",
    "surface": "grouser.tracks.surface:build",
    "wheels": "grouser.tracks.wheels:build",
    "plates": "grouser.tracks.plates:build",
}
"""Name of a method → where it is built; imported on use."""


def track_methods() -> dict[str, str]:
    """Return every method, of installed packages as well: name → ``module:function``."""
    return TRACKS | plugins.entry_point_targets(plugins.TRACKS, TRACKS)


@dataclass(frozen=True, kw_only=True)
class Track:
    """A belt: its path, its grousers, its drive and the method that turns it."""

    path: BeltPath
    """Outer surface of the bare belt in the track's frame T."""
    width: float
    """Across the belt, m."""
    drive: Drive
    """The sprocket's motor, in metres of belt: m, m/s, N."""
    geared: bool = False
    """It has no motor of its own but hangs on another belt's."""
    inertia: float
    """Mass (kg) that the drive has to accelerate with the belt: belt and motor, at the belt."""
    mass: float = 2.0
    """Of the belt, kg."""
    grouser: PathElement | None = None
    """The bar repeated round the belt; None: a smooth belt."""
    count: int = 40
    """How many grousers (and, for plates, how many plates)."""
    method: Method = "segments"
    """How physics turns it."""
    thickness: float = 0.008
    """Of the belt, m."""
    surface: ContactSurface = ContactSurface()
    """How the bare belt touches."""
    bare: bool = False
    """No belt at all, only what is repeated along the path (method segments only)."""
    wheels: int = 4
    """How many wheels stand for the belt (method wheels only)."""
    carried_by: float | None = None
    """Metres of belt, of all tracks, that the standing robot lies on: they share its weight and
    its spring. None: two tracks like this one."""
    without_top: bool = False
    """Leave out the upper straight link where it touches nothing (the paper's three-link track)."""
    rgb: tuple[float, float, float] = (0.15, 0.15, 0.16)
    """Colour of the belt."""
    grouser_rgb: tuple[float, float, float] = (0.33, 0.33, 0.35)
    """Colour of the grousers: lighter, so that they can be told from the belt in any light."""

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
        """Distance between neighbouring grousers along the belt, m: the paper's L/N."""
        return self.path.length / self.count

    @property
    def phase(self) -> float:
        """Where the first grouser stands (m along the path): chosen for the smallest misfit."""
        return self.path.best_phase(self.count, self.height)

    @property
    def ground_run(self) -> float:
        """Metres of this belt that lie on level ground; one pitch, if its path is round."""
        run = self.path.bottom()
        return run if run > 0 else self.pitch

    @property
    def share(self) -> float:
        """Part of the robot's spring that one contact point of the belt is."""
        carried_by = self.carried_by or 2 * self.ground_run
        if self.method == "wheels":
            return self.ground_run / (2 * self.wheels) / carried_by  # a drum touches in two points
        tips = 2 if self.grouser and self.grouser.round_tip else 4  # a bar's ends, a box's corners
        if self.method == "segments" and self.grouser:
            return self.pitch / tips / carried_by
        if self.method == "plates":
            return self.pitch / tips / carried_by
        return PIECE / 4 / carried_by

    @property
    def buffer_every(self) -> int:
        """Every how many grousers one is buffered."""
        return max(1, round(BUFFER_SPACING / self.pitch))

    @property
    def buffer_share(self) -> float:
        """Part of all the robot's buffers that one is."""
        spacing = self.buffer_every * self.pitch if self.grouser else BUFFER_SPACING
        return min(1.0, spacing / (self.carried_by or 2 * self.ground_run))

    @property
    def height(self) -> float:
        """How far grousers stand out of the belt, m (0: smooth)."""
        return self.grouser.height if self.grouser else 0.0

    @property
    def misfit(self) -> float:
        """Largest jump of a grouser's tip at a roll-back, m."""
        return self.path.misfit(self.count, self.phase, self.height)


@dataclass(frozen=True, kw_only=True)
class Belt:
    """What a built track is made of, by name: how the rest of Grouser finds it again."""

    name: str
    """Path of the track, e.g. ``quince/left``."""
    drive: str
    """The drive that moves it: one of its own, of the same name, or that of the belt it is geared
    to."""
    method: Method
    sprocket: str
    """Joint that drives the belt."""
    gear: float
    """Metres of belt per radian of the sprocket."""
    pitch: float
    """Distance between grousers, m."""
    mass: float
    """Of its moving links, kg; the rest of the belt's mass belongs to the body it runs round."""
    misfit: float = 0.0
    """Largest jump of a grouser's tip at a roll-back, m."""
    renewal: float = 0.0
    """Part of its stretch that a geared belt gives up with every pitch, as new bars land."""
    links: tuple[tuple[str, float], ...] = ()
    """Joints that are rolled back, each with its travel per metre of belt."""
    moving: tuple[tuple[str, tuple[float, float, float, float, float, float]], ...] = ()
    """Geoms whose surface moves, each with its ``surfacevel`` per m/s of belt."""
    loads: tuple[tuple[str, tuple[float, float, float]], ...] = ()
    """Sensors that feel the ground's pull, each with its weight in newtons of belt."""

    def prefixed(self, prefix: str) -> Belt:
        """Return the same belt after its spec was attached under ``prefix``."""
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
        spec: of the robot.
        body: that the belt runs round.
        track: the belt.
        name: of the belt and, if it has one, of its drive.
        X_BT: pose of the track's frame on ``body``.
        shaft: the belt on whose motor this one hangs, if it has no motor of its own.
    """
    if track.geared != (shaft is not None):
        raise BadValue(f"track: {name} needs either a motor of its own or a belt to be geared to")
    build: Build = plugins.load(track.method, TRACKS, plugins.TRACKS, f"track {name}")
    belt = build(spec, body, track, name, X_BT)
    if shaft is None:
        return belt
    gear(spec, belt.sprocket, shaft.sprocket, shaft.gear / belt.gear)
    return dataclasses.replace(belt, drive=shaft.drive)
