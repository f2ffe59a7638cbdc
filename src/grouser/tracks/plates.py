"""A closed chain of hinged plates round real pulleys ("multiple-plate" in Okada et al. 2020).

The belt is a loop of rigid plates, one per grouser, that only moves in its own plane. It lies
round a sprocket, idlers and rails; friction at the sprocket drives it, and a spring at the idler
furthest from the sprocket keeps it tight. Nothing prescribes its shape, so it sags, bends over
obstacles and costs many times as much as the other methods.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import mujoco
import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, Pose, axis_angle
from grouser.physics.contacts import CHAIN, CHAIN_GUIDE
from grouser.tracks.geoms import LINK_MASS, GeomBuilder, add_link
from grouser.tracks.path import ArcSegment, BeltPath, StraightSegment
from grouser.tracks.track import Belt, Track

TENSION = 400.0
"""N that the spring at the idler pulls with; estimate."""
SPRING = 2.0e4
"""N/m of that spring; estimate."""
GRIP = 3.0
"""Friction between plates and sprocket; high, since it stands for teeth."""
PIN = 0.003
"""Radius (m) of the pins between plates, which roll on pulleys and rails."""
HARD = {"solref": [0.004, 1.0], "solimp": [0.95, 0.99, 0.0005, 0.5, 2.0]}
"""Contact between pins, pulleys and rails: steel on steel as far as the time step allows."""


@dataclass(frozen=True)
class _Plan:
    """Where things are before anything is built, in the track's frame."""

    pitch_line: BeltPath
    """Runs through the pins, half a belt's thickness inside the outer surface."""
    pins: Array
    """Pin positions, (count, 3)."""


def build(spec: mujoco.MjSpec, body: mujoco.MjsBody, track: Track, name: str, X_BT: Pose) -> Belt:
    """Add pulleys and rails, the chain, its closing pin and the drive."""
    plan = _plan(track.path, track.thickness, track.count)
    arcs = [
        i for i, segment in enumerate(plan.pitch_line.segments) if isinstance(segment, ArcSegment)
    ]
    sprocket = plan.pitch_line.sprocket()
    idler = max(arcs, key=lambda i: _centre(plan, i)[0])
    driving = plan.pitch_line.segments[sprocket]
    assert isinstance(driving, ArcSegment)
    gear = driving.radius  # pins go round with their middles on the pitch line
    for index in arcs:
        role = "sprocket" if index == sprocket else "idler" if index == idler else f"pulley{index}"
        _add_pulley(body, track, plan, index, f"{name}/{role}", X_BT)
    _add_rails(body, plan, f"{name}/rail", X_BT)
    builder = GeomBuilder(spec, (*track.rgb, 1.0), share=track.share)
    _add_chain(spec, body, track, plan, name, X_BT, builder)
    if not track.geared:
        track.drive.add(spec, name, f"{name}/sprocket", gear=gear)
    return Belt(
        name=name,
        drive=name,
        method="plates",
        sprocket=f"{name}/sprocket",
        gear=gear,
        pitch=track.pitch,
        mass=track.mass + LINK_MASS * (len(arcs) + 1),
    )


@lru_cache(maxsize=16)  # takes seconds, and every twin track asks for the same
def _plan(path: BeltPath, thickness: float, count: int) -> _Plan:
    """Lay ``count`` equal plates along the pitch line so that the loop just closes."""
    line = path.grown(-thickness / 2)
    shortest, longest = 0.5 * line.length / count, line.length / count
    for _ in range(60):
        plate = (shortest + longest) / 2
        if _walk(line, plate, count)[-1] > line.length:
            longest = plate
        else:
            shortest = plate
    places = _walk(line, shortest, count)[:-1]
    return _Plan(line, np.array([line.at(place).position for place in places]))


def _walk(line: BeltPath, plate: float, count: int) -> list[float]:
    """Return how far along ``line`` (m) each pin is when plates of one length are laid on it."""
    places = [0.0]
    for _ in range(count):
        start = line.at(places[-1]).position
        near, far = plate, plate * 1.6  # no arc bends so much that a chord is 1.6 times shorter
        for _ in range(40):
            middle = (near + far) / 2
            reach = float(np.linalg.norm(line.at(places[-1] + middle).position - start))
            near, far = (middle, far) if reach < plate else (near, middle)
        places.append(places[-1] + near)
    return places


def _centre(plan: _Plan, index: int) -> Array:
    arc = plan.pitch_line.segments[index]
    assert isinstance(arc, ArcSegment)
    return arc.centre


def _radius(plan: _Plan, index: int) -> float:
    """Return the radius (m) at which pins roll on a pulley: the pitch line less a pin."""
    arc = plan.pitch_line.segments[index]
    assert isinstance(arc, ArcSegment)
    radius = arc.radius - PIN
    if radius <= 0:
        raise BadValue(f"track: a pulley of radius {arc.radius:g} m is too small for plates")
    return radius


def _add_pulley(
    body: mujoco.MjsBody, track: Track, plan: _Plan, index: int, name: str, X_BT: Pose
) -> None:
    """Add one pulley; the sprocket turns with the drive, the idler slides against its spring."""
    radius = _radius(plan, index)
    pulley = add_link(body, name, X_BT @ Pose(_centre(plan, index)))
    driven = name.endswith("/sprocket")
    if name.endswith("/idler"):
        pulley.add_joint(
            name=f"{name}/slide",
            type=mujoco.mjtJoint.mjJNT_SLIDE,
            axis=[1, 0, 0],
            armature=1.0,
            stiffness=SPRING,
            springref=TENSION / SPRING,
            damping=2 * SPRING**0.5,
        )
    pulley.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=[0, 1, 0],
        armature=(track.inertia if driven else 0.2) * radius**2,
    )
    pulley.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[radius, track.width * 0.4, 0],
        quat=axis_angle((1, 0, 0), -np.pi / 2),
        contype=0,
        conaffinity=CHAIN,
        condim=3,
        friction=[GRIP, 0, 0],
        mass=0,
        rgba=[0.5, 0.5, 0.52, 1],
        **HARD,
    )


def _add_rails(body: mujoco.MjsBody, plan: _Plan, name: str, X_BT: Pose) -> None:
    """Add a smooth rail inside every straight run, on which the pins slide.

    They are a body of their own, since robots keep their hulls and their belts from colliding.
    """
    rails = add_link(body, name, X_BT)
    for index, segment in enumerate(plan.pitch_line.segments):
        if isinstance(segment, StraightSegment):
            thick = 0.01
            X_TR = segment.X_TF @ Pose.at(segment.length / 2, 0, -PIN - thick / 2)
            rails.add_geom(
                name=f"{name}{index}",
                type=mujoco.mjtGeom.mjGEOM_BOX,
                size=[segment.length / 2, 0.01, thick / 2],
                pos=X_TR.position,
                quat=X_TR.wxyz,
                contype=CHAIN_GUIDE,
                conaffinity=CHAIN,
                condim=1,
                mass=0,
                rgba=[0.5, 0.5, 0.52, 1],
                **HARD,
            )


def _add_chain(
    spec: mujoco.MjSpec,
    body: mujoco.MjsBody,
    track: Track,
    plan: _Plan,
    name: str,
    X_BT: Pose,
    builder: GeomBuilder,
) -> None:
    """Add the plates as one long arm that follows the pins, and pin its end to its start."""
    count = len(plan.pins)
    ahead = np.roll(plan.pins, -1, axis=0) - plan.pins
    length = float(np.linalg.norm(ahead[0]))
    # Turning about +y by minus the elevation of a plate lays its x axis along the plate.
    turns = [-float(np.arctan2(step[2], step[0])) for step in ahead]
    mass = track.mass / count
    X_TP = Pose(plan.pins[0], axis_angle((0, 1, 0), turns[0]))
    parent, X_parent = body, X_BT @ X_TP
    for number in range(count):
        plate = parent.add_body(
            name=f"{name}/plate{number}", pos=X_parent.position, quat=X_parent.wxyz
        )
        if number == 0:
            # A slide's axis is in the plate's frame, which lies along the belt.
            for axis, letter in (((1, 0, 0), "x"), ((0, 0, 1), "z")):
                plate.add_joint(
                    name=f"{name}/plate0/{letter}",
                    type=mujoco.mjtJoint.mjJNT_SLIDE,
                    axis=axis,
                    armature=0.01,
                )
        plate.add_joint(
            name=f"{name}/plate{number}",
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=[0, 1, 0],
            armature=1e-4,
            damping=0.01,
        )
        _dress_plate(plate, track, length, mass, f"{name}/plate{number}", builder)
        if number + 1 < count:
            bend = turns[number + 1] - turns[number]
            parent, X_parent = plate, Pose(np.array([length, 0, 0]), axis_angle((0, 1, 0), bend))
    closing = spec.add_equality(
        name=f"{name}/closing",
        type=mujoco.mjtEq.mjEQ_CONNECT,
        objtype=mujoco.mjtObj.mjOBJ_BODY,
        name1=f"{name}/plate{count - 1}",
        name2=f"{name}/plate0",
        solref=[0.002, 1.0],
        solimp=[0.99, 0.999, 0.0005, 0.5, 2.0],
    )
    closing.data[:3] = [length, 0, 0]


def _dress_plate(
    plate: mujoco.MjsBody,
    track: Track,
    length: float,
    mass: float,
    name: str,
    builder: GeomBuilder,
) -> None:
    """Give a plate its mass, its pin, its shape and its grouser."""
    plate.mass = mass
    plate.ipos = [length / 2, 0, 0]
    plate.inertia = [
        mass * track.width**2 / 12,
        mass * (length**2 + track.thickness**2) / 12,
        mass * (length**2 + track.width**2) / 12,
    ]
    plate.explicitinertial = True
    plate.add_geom(
        name=f"{name}/pin",
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        size=[PIN, 0, 0],
        contype=CHAIN,
        conaffinity=0,
        condim=1,
        friction=[0, 0, 0],
        mass=0,
        **HARD,
    )
    half = (length / 2, track.width / 2, track.thickness / 2)
    builder.box(plate, Pose.at(length / 2), half, name=name, surface=track.surface)
    if track.grouser:
        foot = Pose.at(length / 2, 0, track.thickness / 2)
        track.grouser.add(
            plate, foot, belt_width=track.width, name=f"{name}/grouser", builder=builder
        )
    tip = Pose.at(length / 2, 0, track.thickness / 2 + track.height)
    builder.buffer(plate, tip, track.buffer_share, name=f"{name}/buffer")
