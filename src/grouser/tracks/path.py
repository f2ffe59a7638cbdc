"""Belt path: closed chain of straight lines and circular arcs, and the grouser positions on it.

Okada et al. 2020, sec. III-A and III-B: "an arbitrary trajectory of a track … is a closed loop of
multiple segments that are either linear or circular". The path is the belt's outer surface
without grousers, in the track frame T. The footprint frame F(s) moves along it: x along the belt's
motion, z outwards, y across the belt (to the robot's left). A positive belt speed drives a robot
forwards, so the lower run of a track moves towards -x.

Planar tracks are made from pulleys (`BeltPath.around`), any other closed chain, also in three
dimensions, by `BeltPath.chain`. The module is independent of MuJoCo.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from grouser.errors import BadValue
from grouser.frames import (
    Array,
    Pose,
    axis_angle,
    conjugate,
    degrees,
    millimetres,
    multiply,
    rotate,
)

CLOSED_TO = 1e-6
"""Tolerance (m and rad) between the end of a path and its start."""

PHASES = 100
"""Number of phases of the first grouser that are compared for the smallest misfit."""


LARGEST_MISFIT = 0.002
"""m; largest jump of a grouser at a roll-back that is tolerated. Shipped robots have up to 1.8 mm.
At a jump onto the ground the load that the grouser then carries, times half of the penetration of
a fraction of a millimetre, is created."""

LARGEST_BEND = math.pi / 2
"""rad; largest bend that a robot rocks on. Grousers follow every path that has such bends."""

LEVEL = 0.002
"""m; a run whose ends are at most this far above the lowest point lies on the ground."""


@dataclass(frozen=True)
class StraightSegment:
    """Straight segment of a belt."""

    X_TF: Pose
    """Footprint frame at the start."""
    length: float
    """m, > 0."""

    @property
    def X_TL(self) -> Pose:
        """Frame of the link of this segment: F at the start."""
        return self.X_TF

    def transport(self, pose: Pose, distance: float) -> Pose:
        """Return ``pose`` (in T) transported by ``distance`` (m) of this segment's motion."""
        return Pose(pose.position + distance * rotate(self.X_TF.wxyz, (1, 0, 0)), pose.wxyz)

    def at(self, distance: float) -> Pose:
        """Return X_TF at ``distance`` (m) after the start."""
        return self.transport(self.X_TF, distance)


@dataclass(frozen=True)
class ArcSegment:
    """Circular segment of a belt."""

    X_TF: Pose
    """Footprint frame at the start."""
    radius: float
    """m, > 0."""
    angle: float
    """Angle of the arc, rad, > 0."""
    axis: tuple[float, float, float] = (0.0, 1.0, 0.0)
    """Axis of the turn in F, perpendicular to x; +y bends inwards, as a pulley does."""

    @property
    def length(self) -> float:
        """Length along the arc, m."""
        return self.radius * self.angle

    @cached_property
    def axis_T(self) -> Array:
        """Axis of the turn in T, unit vector (3,)."""
        return rotate(self.X_TF.wxyz, self.axis)

    @cached_property
    def centre(self) -> Array:
        """Centre of the turn in T, m, (3,)."""
        towards = np.cross(self.axis, (1.0, 0.0, 0.0))
        return self.X_TF.apply(self.radius * towards)

    @property
    def X_TL(self) -> Pose:
        """Frame of the link of this segment: at the centre, oriented as F at the start."""
        return Pose(self.centre, self.X_TF.wxyz)

    def transport(self, pose: Pose, distance: float) -> Pose:
        """Return ``pose`` (in T) transported by ``distance`` (m) of this segment's motion."""
        turn = axis_angle(self.axis_T.tolist(), distance / self.radius)
        return Pose(
            self.centre + rotate(turn, pose.position - self.centre), multiply(turn, pose.wxyz)
        )

    def at(self, distance: float) -> Pose:
        """Return X_TF at ``distance`` (m) after the start."""
        return self.transport(self.X_TF, distance)


Segment = StraightSegment | ArcSegment


@dataclass(frozen=True)
class StraightStep:
    """Straight step of `BeltPath.chain`."""

    length: float


@dataclass(frozen=True)
class ArcStep:
    """Circular step of `BeltPath.chain`."""

    radius: float
    """m."""
    angle: float
    """rad."""
    axis: tuple[float, float, float] = (0.0, 1.0, 0.0)
    """Axis of the turn in F."""


@dataclass(frozen=True)
class GrouserFootprint:
    """Zero pose of one grouser."""

    segment: int
    """Index of its segment."""
    X_TF: Pose
    """Pose at belt position 0."""


@dataclass(frozen=True)
class GrouserStage:
    """Part of a pitch that a grouser travels on one segment."""

    segment: int
    """Index of the segment."""
    X_TF: Pose
    """Pose on this segment, continued beyond its ends, at belt position 0."""
    enter: float
    """Belt position (m) from which on the grouser is on this segment."""
    leave: float
    """Belt position (m) at which it leaves this segment."""


@dataclass(frozen=True)
class BeltPath:
    """Closed chain of lines and arcs, smooth at every seam."""

    segments: tuple[Segment, ...]

    def __post_init__(self) -> None:
        _check(self.segments)

    @cached_property
    def length(self) -> float:
        """Length of the loop, m: the paper's L."""
        return sum(segment.length for segment in self.segments)

    @cached_property
    def starts(self) -> Array:
        """Distance (m) along the loop at which each segment starts, and the loop's length."""
        return np.concatenate([[0.0], np.cumsum([segment.length for segment in self.segments])])

    def find(self, distance: float) -> tuple[int, float]:
        """Return the segment index at ``distance`` (m) along the loop, and the distance into it."""
        along = distance % self.length
        index = int(np.searchsorted(self.starts, along, side="right")) - 1
        index = min(index, len(self.segments) - 1)
        return index, along - float(self.starts[index])

    def at(self, distance: float) -> Pose:
        """Return X_TF at ``distance`` (m) along the loop."""
        index, along = self.find(distance)
        return self.segments[index].at(along)

    def footprints(self, count: int, phase: float) -> list[GrouserFootprint]:
        """Return the zero poses of ``count`` grousers, L/N apart, the first at ``phase`` (m)."""
        pitch = self.length / count
        found = (self.find(phase + n * pitch) for n in range(count))
        return [GrouserFootprint(index, self.segments[index].at(along)) for index, along in found]

    def is_followed(self, count: int, height: float = 0.0) -> bool:
        """Return True if grousers change segments at seams; see `stages`.

        They need not where a robot cannot stand on two runs at once, and a grouser that stays on
        its segment misses the path by at most `LARGEST_MISFIT`.
        """
        bends = [arc.angle for arc in self.arcs.values()]
        if min(bends) <= LARGEST_BEND or self.tight_bends(self.length / count):
            return True
        return self.misfit(count, self.best_phase(count, height), height) > LARGEST_MISFIT

    def stages(
        self, count: int, phase: float, *, followed: bool = True
    ) -> list[list[GrouserStage]]:
        """Return the segments that each grouser of `footprints` is on within half a pitch.

        A grouser is on the path at any belt position, so that nothing jumps at a roll-back.
        ``followed`` False: it stays on the segment of its zero pose, continued beyond its ends.
        """
        pitch, segments = self.length / count, len(self.segments)
        within = pitch / 2 if followed and segments > 1 else -math.inf
        stages = []
        for number in range(count):
            home, along = self.find(phase + number * pitch)
            entered = [(home, -along)]
            while entered[0][1] > -within:
                index = (entered[0][0] - 1) % segments
                entered.insert(0, (index, entered[0][1] - self.segments[index].length))
            while (end := entered[-1][1] + self.segments[entered[-1][0]].length) < within:
                entered.append(((entered[-1][0] + 1) % segments, end))
            bounds = [-math.inf, *(enter for _, enter in entered[1:]), math.inf]
            stages.append(
                [
                    GrouserStage(index, self.segments[index].at(-start), enter, leave)
                    for (index, start), enter, leave in zip(
                        entered, bounds[:-1], bounds[1:], strict=True
                    )
                ]
            )
        return stages

    def tight_bends(self, pitch: float) -> frozenset[int]:
        """Return the arcs past which a link that moves half a ``pitch`` (m) would protrude.

        The straight runs at both ends of an arc, continued, meet radius x tan(angle/2) behind its
        ends. A link that moves further along its run passes the other run: on the ground it would
        press its grousers into it. Shorter overruns stay within the polygon of the runs.
        """
        return frozenset(
            index
            for index, arc in self.arcs.items()
            if arc.angle < math.pi
            and arc.axis == (0.0, 1.0, 0.0)
            and arc.radius * math.tan(arc.angle / 2) < pitch / 2
        )

    def misfit(self, count: int, phase: float, height: float = 0.0) -> float:
        """Return the largest jump (m) of a point ``height`` (m) above a footprint at a roll-back.

        Just before a roll-back grouser n is half a pitch ahead of its zero pose on its own segment;
        just after, grouser n+1 is half a pitch behind its zero pose. On one segment the two
        coincide; across a seam they differ by the deviation of the line from the arc.
        """
        pitch = self.length / count
        tip, jumps = (0.0, 0.0, height), [0.0]
        for seam in self.starts[:-1]:
            # Only the two grousers next to a seam can differ.
            number = math.floor((seam - phase) / pitch)
            (here, along), (ahead, beyond) = (
                self.find(phase + n * pitch) for n in (number, number + 1)
            )
            if here != ahead:
                before = self.segments[here].at(along + pitch / 2)
                after = self.segments[ahead].at(beyond - pitch / 2)
                jumps.append(float(np.linalg.norm(before.apply(tip) - after.apply(tip))))
        return max(jumps)

    @lru_cache(maxsize=64)  # noqa: B019  paths are small, frozen and shared by twin tracks
    def best_phase(self, count: int, height: float = 0.0) -> float:
        """Return the phase (m) of the first grouser with the smallest misfit."""
        pitch = self.length / count
        phases = [pitch * step / PHASES for step in range(PHASES)]
        return min(phases, key=lambda phase: self.misfit(count, phase, height))

    def offset(self, height: float) -> BeltPath:
        """Return the path offset outwards by ``height`` (m): the path of the grouser tips."""
        segments: list[Segment] = []
        for segment in self.segments:
            out = segment.X_TF @ Pose.at(z=height)
            if isinstance(segment, StraightSegment):
                segments.append(StraightSegment(out, segment.length))
            elif segment.axis == (0.0, 1.0, 0.0):
                segments.append(ArcSegment(out, segment.radius + height, segment.angle))
            else:
                raise BadValue("path: only a belt around pulleys can be offset outwards")
        return BeltPath(tuple(segments))

    def top(self) -> int | None:
        """Return the index of the highest straight segment that faces up; None: there is none."""
        up = [
            (float(segment.at(segment.length / 2).position[2]), index)
            for index, segment in enumerate(self.segments)
            if isinstance(segment, StraightSegment)
            and rotate(segment.X_TF.wxyz, (0, 0, 1))[2] > 0.7
        ]
        return max(up)[1] if up else None

    def bottom(self) -> float:
        """Return the length (m) of the straight run on level ground; 0: there is none."""
        lowest = min(float(segment.at(0).position[2]) for segment in self.segments)
        return sum(
            segment.length
            for segment in self.segments
            if isinstance(segment, StraightSegment)
            and max(segment.at(part * segment.length).position[2] for part in (0, 1))
            < lowest + LEVEL
        )

    @cached_property
    def arcs(self) -> dict[int, ArcSegment]:
        """Arcs by their index in `segments`: one per pulley."""
        return {
            index: segment
            for index, segment in enumerate(self.segments)
            if isinstance(segment, ArcSegment)
        }

    def sprocket(self) -> tuple[int, ArcSegment]:
        """Return index and arc of the driving pulley: the rearmost one."""
        return min(self.arcs.items(), key=lambda arc: (float(arc[1].centre[0]), arc[0]))

    @staticmethod
    def chain(steps: Sequence[StraightStep | ArcStep], start: Pose | None = None) -> BeltPath:
        """Return the closed path of ``steps`` from ``start`` (in T)."""
        pose = start or Pose()
        segments: list[Segment] = []
        for number, step in enumerate(steps):
            if isinstance(step, StraightStep):
                _positive(number, length=step.length)
                segments.append(StraightSegment(pose, step.length))
            else:
                _positive(number, radius=step.radius, angle=step.angle)
                segments.append(ArcSegment(pose, step.radius, step.angle, step.axis))
            pose = segments[-1].at(segments[-1].length)
        return BeltPath(tuple(segments))

    @staticmethod
    def circle(radius: float) -> BeltPath:
        """Return a full circle about T's y axis: a wheel."""
        top = Pose.at(z=radius)
        return BeltPath.chain([ArcStep(radius, 2 * math.pi)], top)

    @staticmethod
    def oval(length: float, radius: float) -> BeltPath:
        """Return the oval around two equal pulleys, overall ``length`` (m), T at its centre."""
        reach = length / 2 - radius
        return BeltPath.around([(-reach, 0.0, radius), (reach, 0.0, radius)])

    @staticmethod
    def around(pulleys: Sequence[tuple[float, float, float]]) -> BeltPath:
        """Return the belt stretched around ``pulleys``: (x, z, radius), m, in any order."""
        return _stretch([(float(x), float(z), float(radius)) for x, z, radius in pulleys])


def _positive(number: int, **given: float) -> None:
    for name, value in given.items():
        if not (math.isfinite(value) and value > 0):
            raise BadValue(f"path: {name} of segment {number} is {value:g}, must be above 0")


def _check(segments: Sequence[Segment]) -> None:
    """Raise `BadValue` for a chain that is empty, broken at a seam or not closed."""
    if not segments:
        raise BadValue("path: has no segments, at least one arc is needed")
    if not any(isinstance(segment, ArcSegment) for segment in segments):
        raise BadValue("path: has only straight segments, at least one arc is needed to close it")
    for number, (here, following) in enumerate(
        zip(segments, [*segments[1:], segments[0]], strict=True)
    ):
        end, start = here.at(here.length), following.X_TF
        gap = float(np.linalg.norm(end.position - start.position))
        turn = 2 * float(np.linalg.norm(multiply(conjugate(end.wxyz), start.wxyz)[1:]))
        if gap > CLOSED_TO or turn > CLOSED_TO:
            where = (
                "is not closed: its end"
                if number == len(segments) - 1
                else (f"is broken: the end of segment {number}")
            )
            raise BadValue(
                f"path: {where} misses the next start by {millimetres(gap):.3g} mm and "
                f"{degrees(turn):.3g} deg (allowed: {millimetres(CLOSED_TO):g} mm, smooth)"
            )


def _stretch(pulleys: list[tuple[float, float, float]]) -> BeltPath:
    """Return the belt: lines along the outer tangents of adjacent pulleys, arcs around each."""
    if len(pulleys) < 2:
        raise BadValue(f"path: {len(pulleys)} pulley given, at least 2 are needed")
    for number, (_, _, radius) in enumerate(pulleys):
        if not (math.isfinite(radius) and radius > 0):
            raise BadValue(f"path: radius of pulley {number} is {radius:g}, must be above 0")
    centres = np.array([(x, z) for x, z, _ in pulleys])
    outward = centres - centres.mean(axis=0)
    # Clockwise as seen from the robot's right (x right, z up): the top run moves forwards.
    order = sorted(range(len(pulleys)), key=lambda i: -math.atan2(outward[i][1], outward[i][0]))
    ring = [pulleys[i] for i in order]
    normals = [
        _tangent(here, ahead) for here, ahead in zip(ring, [*ring[1:], ring[0]], strict=True)
    ]
    turns = [(normals[i - 1] - normals[i]) % (2 * math.pi) for i in range(len(ring))]
    if not math.isclose(sum(turns), 2 * math.pi, abs_tol=1e-9):
        raise BadValue(
            f"path: pulleys {pulleys} do not form a convex loop; "
            "remove those that the belt does not touch from inside"
        )
    segments: list[Segment] = []
    for i, (x, z, radius) in enumerate(ring):
        direction = normals[i - 1]
        foot = np.array([x + radius * math.cos(direction), 0.0, z + radius * math.sin(direction)])
        # F's z axis is the outward normal: a pitch about +y.
        segments.append(ArcSegment(_footprint(foot, direction), radius, turns[i]))
        end = segments[-1].at(segments[-1].length).position
        ahead_x, ahead_z, ahead_radius = ring[(i + 1) % len(ring)]
        leave = normals[i]
        reach = np.array(
            [
                ahead_x + ahead_radius * math.cos(leave),
                0.0,
                ahead_z + ahead_radius * math.sin(leave),
            ]
        )
        segments.append(StraightSegment(_footprint(end, leave), float(np.linalg.norm(reach - end))))
    return BeltPath(tuple(segments))


def _footprint(point: Array, normal: float) -> Pose:
    """Return F at ``point`` with its z axis at angle ``normal`` (rad) from x towards z."""
    return Pose(point, axis_angle((0, 1, 0), math.pi / 2 - normal))


def _tangent(here: tuple[float, float, float], ahead: tuple[float, float, float]) -> float:
    """Return the direction (rad) of the outward normal of the tangent from pulley to pulley."""
    dx, dz = ahead[0] - here[0], ahead[1] - here[1]
    distance = math.hypot(dx, dz)
    if distance <= abs(here[2] - ahead[2]):
        raise BadValue(
            f"path: pulleys at ({here[0]:g}, {here[1]:g}) and ({ahead[0]:g}, {ahead[1]:g}) lie "
            "inside each other, a belt cannot run around both"
        )
    return math.atan2(dz, dx) + math.acos((here[2] - ahead[2]) / distance)
