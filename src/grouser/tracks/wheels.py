"""Wheel track: a row of wheels (Kurose et al. 2008; "multiple-wheel" in Okada et al. 2020).

One wheel is on every pulley, the others are in rows between them, with the radius of the belt
including grousers. All have the same rim speed. There is no surface between two wheels: a bump
between them is pushed up by one wheel and down by the other (Okada's Fig. 2).
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, Pose
from grouser.tracks.geoms import LINK_MASS, GeomBuilder, add_link, couple_joints
from grouser.tracks.path import ArcSegment, BeltPath, StraightSegment
from grouser.tracks.track import Belt, Track


@dataclass(frozen=True)
class TrackWheel:
    """Wheel in the track's frame."""

    centre: Array
    radius: float


def build(spec: mujoco.MjSpec, body: mujoco.MjsBody, track: Track, name: str, X_BT: Pose) -> Belt:
    """Row of wheels of equal rim speed, without grousers (Kurose et al. 2008)."""
    wheels = sorted(
        wheel_layout(track.path.offset(track.height), track.wheels), key=lambda w: w.centre[0]
    )
    builder = GeomBuilder(spec, (*track.rgb, 1.0), share=track.share)
    for number, wheel in enumerate(wheels):
        link = add_link(body, f"{name}/{number}", X_BT @ Pose(wheel.centre))
        link.add_joint(
            name=f"{name}/{number}",
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=[0, 1, 0],
            armature=track.inertia / len(wheels) * wheel.radius**2,
        )
        size = (wheel.radius, track.width / 2)
        builder.drum(link, Pose(), size, name=f"{name}/wheel{number}", friction=track.friction)
        share = track.ground_run / len(wheels) / (track.carried_by or 2 * track.ground_run)
        builder.buffer_rim(link, *size, share, name=f"{name}/wheel{number}")
        if number:
            couple_joints(spec, f"{name}/{number}", f"{name}/0", wheels[0].radius / wheel.radius)
    if not track.geared:
        track.drive.add(spec, name, f"{name}/0", gear=wheels[0].radius)
    return Belt(
        name=name,
        drive=name,
        method="wheels",
        sprocket=f"{name}/0",
        gear=wheels[0].radius,
        pitch=track.pitch,
        mass=LINK_MASS * len(wheels),
    )


def wheel_layout(path: BeltPath, count: int) -> list[TrackWheel]:
    """Return ``count`` wheels: one on each pulley of ``path``, the others along its lower lines."""
    arcs = path.arcs.values()
    if count < len(arcs):
        raise BadValue(f"track: {count} wheels for {len(arcs)} pulleys, one each is needed")
    wheels = [TrackWheel(arc.centre, arc.radius) for arc in arcs]
    top = path.top()
    lines = [
        index
        for index, segment in enumerate(path.segments)
        if isinstance(segment, StraightSegment) and index != top
    ]
    shares = _distribute(count - len(arcs), [path.segments[index].length for index in lines])
    for index, extra in zip(lines, shares, strict=True):
        start, end = (_pulley(path, index - 1), _pulley(path, (index + 1) % len(path.segments)))
        for step in range(1, extra + 1):
            part = step / (extra + 1)
            centre = start.centre + part * (end.centre - start.centre)
            wheels.append(TrackWheel(centre, start.radius + part * (end.radius - start.radius)))
    return wheels


def _pulley(path: BeltPath, index: int) -> ArcSegment:
    segment = path.segments[index]
    if not isinstance(segment, ArcSegment):
        raise BadValue("track: wheels need a path whose lines run from pulley to pulley")
    return segment


def _distribute(extra: int, lengths: list[float]) -> list[int]:
    """Assign ``extra`` wheels, each to the line with the largest gap between wheels."""
    shares = [0] * len(lengths)
    for _ in range(extra):
        gaps = [length / (share + 1) for length, share in zip(lengths, shares, strict=True)]
        shares[int(np.argmax(gaps))] += 1
    return shares
