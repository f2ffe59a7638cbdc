"""Belt roll-back: segment tracks of moving links (Okada et al. 2020, sec. III).

Each line of the path is a link on a slide joint, each arc a link on a hinge; both carry their
grousers. All links of a belt are coupled to the sprocket (joint equalities). When the belt has
moved half a pitch, `RollBack` moves every joint back by one pitch: each grouser then is where the
next one was, so the geometry is unchanged. Only positions jump; velocities stay.

The paper rolls back after a full pitch; half a pitch to either side keeps grousers nearer to their
segment, and is symmetric.

Past a shallow bend half a pitch is too much: the link of the run before it would press its grousers
below the run behind it, into the ground, and the roll-back would release the energy
(`BeltPath.tight_bends`). On such paths grousers follow the path: each is present on the links of
all segments that it passes within half a pitch, and solid on the one it is on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.frames import Array, Pose
from grouser.physics.drives import Drives, DriveTargets
from grouser.physics.state import StateArrays
from grouser.tracks.geoms import LINK_MASS, GeomBuilder, add_link, couple_joints, split_run
from grouser.tracks.grouser import PathElement
from grouser.tracks.path import Segment, StraightSegment
from grouser.tracks.track import Belt, SwitchedGeom, Track

SWITCH_MISFIT = 0.001
"""Largest distance of a grouser's tip from the path when it changes segments, m. At 3 mm a robot
vibrated for seconds with twice its amplitude whenever pitch and interval were in step."""


def build(spec: mujoco.MjSpec, body: mujoco.MjsBody, track: Track, name: str, X_BT: Pose) -> Belt:
    """Belt of moving links with grousers, and belt roll-back by one pitch (Okada et al. 2020)."""
    segments = track.path.segments
    omitted = {track.path.top()} if track.without_top else set()
    builder = GeomBuilder(spec, (*track.rgb, 1.0), share=track.share)
    links = {
        index: _add_link(body, segment, track, f"{name}/{index}", X_BT, builder, len(segments))
        for index, segment in enumerate(segments)
        if index not in omitted
    }
    if not track.bare:
        for index, link in links.items():
            _add_belt(link, index, track, f"{name}/{index}/belt", builder)
    switched: list[SwitchedGeom] = []
    if track.grouser:
        # Elements of a bare path have the track's own colour: there is no belt.
        bars = builder if track.bare else replace(builder, rgba=(*track.grouser_rgb, 1.0))
        switched = _add_grousers(links, track, track.grouser, name, bars)
    sprocket, driving = track.path.sprocket()
    for index in links:
        if index != sprocket:
            ratio = driving.radius * _travel(segments[index])
            couple_joints(spec, f"{name}/{index}", f"{name}/{sprocket}", ratio)
    if not track.geared:
        track.drive.add(spec, name, f"{name}/{sprocket}", gear=driving.radius)
    return Belt(
        name=name,
        drive=name,
        method="segments",
        sprocket=f"{name}/{sprocket}",
        gear=driving.radius,
        pitch=track.pitch,
        mass=LINK_MASS * len(links),
        misfit=track.misfit,
        renewal=min(1.0, track.pitch / track.ground_run) if track.geared else 0.0,
        links=tuple((f"{name}/{index}", _travel(segments[index])) for index in links),
        switched=tuple(switched),
        switch_travel=_switch_travel(track),
    )


def _switch_travel(track: Track) -> float:
    """Return the largest travel between two switches of a track's grousers, m.

    A grouser that changes between a straight run and an arc of radius r by a distance d too late or
    too early is turned by d/r: its tip misses the path by d height/r. It changes at most half of
    the travel too late.
    """
    if not track.height:
        return math.inf
    tightest = min(arc.radius for arc in track.path.arcs.values())
    return 2 * SWITCH_MISFIT * tightest / track.height


def _travel(segment: Segment) -> float:
    """Return the travel of a segment's joint per metre of belt: 1, or 1/radius."""
    return 1.0 if isinstance(segment, StraightSegment) else 1.0 / segment.radius


def _add_link(
    body: mujoco.MjsBody,
    segment: Segment,
    track: Track,
    name: str,
    X_BT: Pose,
    builder: GeomBuilder,
    share: int,
) -> mujoco.MjsBody:
    """Add the moving link of one segment: joint and inertia."""
    travel = _travel(segment)
    link = add_link(body, name, X_BT @ segment.X_TL)
    joint = link.add_joint(name=name, armature=track.inertia / share / travel**2)
    if isinstance(segment, StraightSegment):
        joint.type, joint.axis = mujoco.mjtJoint.mjJNT_SLIDE, [1, 0, 0]
    else:
        joint.type, joint.axis = mujoco.mjtJoint.mjJNT_HINGE, list(segment.axis)
    return link


def _add_belt(
    link: mujoco.MjsBody, index: int, track: Track, name: str, builder: GeomBuilder
) -> None:
    """Add the belt of segment ``index`` without grousers: flat boxes, or a drum."""
    segment = track.path.segments[index]
    if isinstance(segment, StraightSegment):
        pieces = _run_pieces(index, segment.length, track)
        for number, (along, reach) in enumerate(pieces):
            middle = Pose.at(along, 0, -track.thickness / 2)
            half = (reach, track.width / 2, track.thickness / 2)
            piece = f"{name}/{number}" if len(pieces) > 1 else name
            builder.box(link, middle, half, name=piece, friction=track.friction)
        if not track.grouser:
            builder.buffers(link, segment.length, track.buffer_share, name=name)
    else:
        drum = (segment.radius, track.width / 2)
        if track.grouser:
            builder.drum(link, Pose(), drum, name=name, friction=track.friction)
        else:
            builder.drums(link, *drum, name=name, friction=track.friction)
            builder.buffer_rim(link, *drum, track.buffer_share, name=name)


def _run_pieces(index: int, length: float, track: Track) -> list[tuple[float, float]]:
    """Return centre and half length (m) of the boxes of the straight run ``index``."""
    tight = track.path.tight_bends(track.pitch)
    # A run moves half a pitch either way: past a tight bend its box would touch the ground.
    start, end = (
        track.pitch / 2 if arc % len(track.path.segments) in tight else 0.0
        for arc in (index - 1, index + 1)
    )
    if start + end >= length:
        return []  # the drums at both ends, less than a pitch apart, and the grousers remain
    if track.grouser:  # one box suffices: it only touches edges
        return [((start + length - end) / 2, (length - start - end) / 2)]
    if start or end:
        return [(start + along, reach) for along, reach in split_run(length - start - end)]
    # A smooth run is shorter by this half pitch, or its end would protrude behind the drum.
    return split_run(length, track.pitch / 2)


def _add_grousers(
    links: dict[int, mujoco.MjsBody],
    track: Track,
    grouser: PathElement,
    name: str,
    builder: GeomBuilder,
) -> list[SwitchedGeom]:
    """Add every grouser to the link of the segment of its zero pose.

    A grouser that changes segments within half a pitch is added to the links of all segments that
    it is on in that time; `RollBack` makes one of them solid. Return the geoms of these.
    """
    switched: list[SwitchedGeom] = []
    each_stages = track.path.stages(track.count, track.phase, followed=track.is_followed)
    for number, stages in enumerate(each_stages):
        for stage in stages:
            at_start = stage.enter <= 0.0 < stage.leave
            if stage.segment not in links:
                continue
            link, segment = links[stage.segment], track.path.segments[stage.segment]
            X_LF = segment.X_TL.inverse() @ stage.X_TF
            suffix = f"{number}" if at_start else f"{number}/{stage.segment}"
            before = len(link.geoms)
            grouser.add(
                link, X_LF, belt_width=track.width, name=f"{name}/grouser{suffix}", builder=builder
            )
            if number % track.buffer_every == 0 and not track.bare:
                tip = X_LF @ Pose.at(z=track.height)
                builder.buffer(link, tip, track.buffer_share, name=f"{name}/buffer{suffix}")
            if len(stages) > 1:
                for geom in link.geoms[before:]:
                    switched.append(
                        SwitchedGeom(
                            geom.name, stage.enter, stage.leave, geom.contype, geom.conaffinity
                        )
                    )
                    if not at_start:  # not part of the robot as it stands, and not drawn
                        geom.contype, geom.rgba[3] = 0, 0.0
    return switched


def initialize_switches(model: mujoco.MjModel, belts: Sequence[Belt]) -> None:
    """Prepare the switched grousers of a just compiled ``model`` for belts at position 0."""
    for each in (each for belt in belts for each in belt.switched):
        geom = model.geom(each.geom).id
        body = model.geom_bodyid[geom]
        model.body_contype[body] |= each.contype
        model.body_conaffinity[body] |= each.conaffinity
        solid = each.enter <= 0.0 < each.leave
        model.geom_contype[geom] = each.contype if solid else 0
        model.geom_conaffinity[geom] = each.conaffinity if solid else 0


@dataclass(frozen=True)
class RollingBelt:
    """State indices of one segment belt, and its travel per pitch."""

    sprocket: int
    """Index in ``qpos``."""
    links: npt.NDArray[np.intp]
    """Indices in ``qpos``, (links,)."""
    steps: Array
    """Travel of each link per pitch, (links,)."""
    ratios: Array
    """Travel of each link per radian of the sprocket, (links,)."""
    pitch: float
    """m."""
    drive: str | None
    """Name of its drive; None: geared."""
    renewal: float
    """As `Belt.renewal`."""

    @staticmethod
    def find(model: mujoco.MjModel, belt: Belt) -> RollingBelt:
        """Look up the indices of ``belt``."""
        return RollingBelt(
            sprocket=int(model.joint(belt.sprocket).qposadr[0]),
            links=np.array([model.joint(joint).qposadr[0] for joint, _ in belt.links], np.intp),
            steps=np.array([travel * belt.pitch for _, travel in belt.links]),
            ratios=np.array([travel * belt.gear for _, travel in belt.links]),
            pitch=belt.pitch,
            drive=belt.drive if belt.drive == belt.name else None,
            renewal=belt.renewal,
        )

    def roll_back(self, qpos: Array, rows: npt.NDArray[np.intp], pitches: Array) -> None:
        """Move the links of the simulations ``rows`` (k,) back by ``pitches`` (k,)."""
        where = rows[:, None], self.links
        positions = qpos[where] - pitches[:, None] * self.steps
        qpos[where] = positions
        if self.renewal:
            # New grousers reach the ground and release part of the stretch of a geared belt. The
            # gear couples speeds only, so a skidding start leaves a position error: a run at rest
            # on the ground would keep it and pull against its main belt. Real grousers land
            # without load.
            part = np.minimum(np.abs(pitches) * self.renewal, 1.0)[:, None]
            sprocket = qpos[rows, self.sprocket][:, None]
            qpos[where] = positions - part * (positions - sprocket * self.ratios)


class GrouserSwitches:
    """Contact classes of the grousers of one belt that change segments, by its position."""

    def __init__(self, model: mujoco.MjModel, belt: Belt, every: float) -> None:
        """Look up the switched geoms of ``belt``; ``every``: time between two calls, s."""
        sprocket = model.joint(belt.sprocket)
        self._sprocket, self._dof = int(sprocket.qposadr[0]), int(sprocket.dofadr[0])
        self._gear, self._ahead = belt.gear, every / 2
        self._geoms = np.array([model.geom(each.geom).id for each in belt.switched], np.intp)
        ends = {end for each in belt.switched for end in (each.enter, each.leave)}
        self._seams = np.array(sorted(end for end in ends if math.isfinite(end)))
        samples = [-math.inf, *self._seams.tolist()]
        self._contypes, self._conaffinities = (
            np.array(
                [
                    [value if enter <= sample < leave else 0 for enter, leave, value in rows]
                    for sample in samples
                ],
                np.int32,
            )
            for rows in (
                [(each.enter, each.leave, each.contype) for each in belt.switched],
                [(each.enter, each.leave, each.conaffinity) for each in belt.switched],
            )
        )

    def apply(self, rows: StateArrays) -> None:
        """Make each grouser solid on the segment it is on in the middle of the next interval.

        With the present segments all grousers would leave bends half an interval late.
        """
        moved = rows.qvel[:, self._dof] * self._ahead
        position = (rows.qpos[:, self._sprocket] + moved) * self._gear
        interval = self._seams.searchsorted(position, side="right")
        wanted = self._contypes[interval], self._conaffinities[interval]
        for present, values in zip((rows.geom_contype, rows.geom_conaffinity), wanted, strict=True):
            if np.count_nonzero(present[:, self._geoms] != values):
                present[:, self._geoms] = values


class RollBack:
    """Belt roll-back of all segment belts, for one simulation or many."""

    def __init__(
        self, model: mujoco.MjModel, belts: Sequence[Belt], drives: Drives, every: float
    ) -> None:
        """Look up the joints of the segment belts among ``belts``.

        Args:
            model: the compiled scene.
            belts: of the scene.
            drives: of the scene.
            every: time between two calls of `apply`, s.
        """
        self._drives = drives
        rolling = [belt for belt in belts if belt.links]
        self.names = tuple(belt.name for belt in rolling)
        """Names of the belts, in the order of the columns of ``turns`` of `apply`."""
        self._belts = [RollingBelt.find(model, belt) for belt in rolling]
        self._switches = [GrouserSwitches(model, belt, every) for belt in rolling if belt.switched]
        self._sprockets = np.array([belt.sprocket for belt in self._belts], int)
        self._per_pitch = np.array([belt.gear / belt.pitch for belt in rolling])
        self._scalar_addresses = tuple(
            zip(self._sprockets.tolist(), self._per_pitch.tolist(), strict=True)
        )

    def __bool__(self) -> bool:
        return bool(self._belts)

    def switch(self, rows: StateArrays) -> None:
        """Make grousers that change segments solid on the ones they are on."""
        for switches in self._switches:
            switches.apply(rows)

    def apply(self, rows: StateArrays, targets: DriveTargets, turns: Array) -> None:
        """Roll back every belt that has passed half a pitch; count in ``turns`` (n, belts)."""
        if len(turns) == 1:
            # Called every few steps with cold caches: scalars take half the time of arrays.
            position = rows.qpos.item
            for sprocket, per_pitch in self._scalar_addresses:
                if not -0.5 <= position(sprocket) * per_pitch <= 0.5:
                    break
            else:
                return
        pitches = np.rint(rows.qpos.take(self._sprockets, 1) * self._per_pitch)
        passing = pitches != 0.0
        if not np.count_nonzero(passing):
            return
        for number in np.flatnonzero(passing.any(axis=0)).tolist():
            belt, which = self._belts[number], np.flatnonzero(passing[:, number])
            passed = pitches[which, number]
            belt.roll_back(rows.qpos, which, passed)  # others stay bit-equal
            if belt.drive:  # setpoint and target are belt positions, too
                self._drives.shift(rows, targets, belt.drive, -passed * belt.pitch, which)
            turns[which, number] += passed
