"""Plate track: closed chain of hinged plates around pulleys ("multiple-plate", Okada et al. 2020).

The belt is a planar loop of rigid plates, one per grouser, around a sprocket, idlers and rails.
Friction at the sprocket drives it, and a spring at the idler furthest from the sprocket tensions
it. Its shape is not prescribed, so it sags and bends over obstacles; it is many times slower to
simulate than the other methods.
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
"""N; tension of the spring at the idler; estimate."""
SPRING = 2.0e4
"""N/m; stiffness of that spring; estimate."""
GRIP = 3.0
"""Friction between plates and sprocket; high, since it represents teeth."""
PIN = 0.003
"""m; radius of the pins between plates, which roll on pulleys and rails."""
HARD = {"solref": [0.004, 1.0], "solimp": [0.95, 0.99, 0.0005, 0.5, 2.0]}
"""Contact between pins, pulleys and rails: steel on steel as far as the time step allows."""


@dataclass(frozen=True)
class _Layout:
    """Pin layout in the track's frame."""

    pitch_line: BeltPath
    """Path of the pins, half a belt's thickness inside the outer surface."""
    pins: Array
    """Pin positions, (count, 3)."""


def build(spec: mujoco.MjSpec, body: mujoco.MjsBody, track: Track, name: str, X_BT: Pose) -> Belt:
    """Chain of hinged plates with grousers around pulleys; bends and sags, slow to simulate."""
    layout = _layout(track.path, track.thickness, track.count)
    arcs = layout.pitch_line.arcs
    sprocket, driving = layout.pitch_line.sprocket()
    idler = max(arcs, key=lambda index: arcs[index].centre[0])
    gear = driving.radius  # the pins' centres move on the pitch line
    for index, arc in arcs.items():
        role = "sprocket" if index == sprocket else "idler" if index == idler else f"pulley{index}"
        _add_pulley(body, track, arc, f"{name}/{role}", X_BT)
    _add_rails(body, layout, f"{name}/rail", X_BT)
    builder = GeomBuilder(spec, (*track.rgb, 1.0), share=track.share)
    _add_chain(spec, body, track, layout, name, X_BT, builder)
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


@lru_cache(maxsize=16)  # takes seconds; twin tracks share it
def _layout(path: BeltPath, thickness: float, count: int) -> _Layout:
    """Place ``count`` equal plates along the pitch line so that the loop closes (bisection)."""
    line = path.offset(-thickness / 2)
    shortest, longest = 0.5 * line.length / count, line.length / count
    for _ in range(60):
        plate = (shortest + longest) / 2
        if _walk(line, plate, count)[-1] > line.length:
            longest = plate
        else:
            shortest = plate
    places = _walk(line, shortest, count)[:-1]
    return _Layout(line, np.array([line.at(place).position for place in places]))


def _walk(line: BeltPath, plate: float, count: int) -> list[float]:
    """Return the distance (m) along ``line`` of each pin of plates of equal length (bisection)."""
    places = [0.0]
    for _ in range(count):
        start = line.at(places[-1]).position
        near, far = plate, plate * 1.6  # no arc is 1.6 times longer than its chord
        for _ in range(40):
            middle = (near + far) / 2
            reach = float(np.linalg.norm(line.at(places[-1] + middle).position - start))
            near, far = (middle, far) if reach < plate else (near, middle)
        places.append(places[-1] + near)
    return places


def _pulley_radius(arc: ArcSegment) -> float:
    """Return the radius (m) of a pulley on which pins roll: pitch line less pin radius."""
    radius = arc.radius - PIN
    if radius <= 0:
        raise BadValue(f"track: a pulley of radius {arc.radius:g} m is too small for plates")
    return radius


def _add_pulley(body: mujoco.MjsBody, track: Track, arc: ArcSegment, name: str, X_BT: Pose) -> None:
    """Add one pulley; the sprocket is driven, the idler slides against its spring."""
    radius = _pulley_radius(arc)
    pulley = add_link(body, name, X_BT @ Pose(arc.centre))
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


def _add_rails(body: mujoco.MjsBody, layout: _Layout, name: str, X_BT: Pose) -> None:
    """Add a smooth rail inside every straight run, on which the pins slide."""
    # Rails are a separate body, since robots exclude contacts between their hulls and belts.
    rails = add_link(body, name, X_BT)
    for index, segment in enumerate(layout.pitch_line.segments):
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
    layout: _Layout,
    name: str,
    X_BT: Pose,
    builder: GeomBuilder,
) -> None:
    """Add the plates as a serial chain along the pins, closed by a connect constraint."""
    count = len(layout.pins)
    ahead = np.roll(layout.pins, -1, axis=0) - layout.pins
    length = float(np.linalg.norm(ahead[0]))
    # A rotation about +y by minus the elevation aligns x with the plate.
    turns = [-float(np.arctan2(step[2], step[0])) for step in ahead]
    mass = track.mass / count
    X_TP = Pose(layout.pins[0], axis_angle((0, 1, 0), turns[0]))
    parent, X_parent = body, X_BT @ X_TP
    for number in range(count):
        plate = parent.add_body(
            name=f"{name}/plate{number}", pos=X_parent.position, quat=X_parent.wxyz
        )
        if number == 0:
            # The slide axes are in the plate's frame, which is aligned with the belt.
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
        _fill_plate(plate, track, length, mass, f"{name}/plate{number}", builder)
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


def _fill_plate(
    plate: mujoco.MjsBody, track: Track, length: float, mass: float, name: str, builder: GeomBuilder
) -> None:
    """Add mass, pin, shape, grouser and buffer to a plate."""
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
    builder.box(plate, Pose.at(length / 2), half, name=name, friction=track.friction)
    if track.grouser:
        foot = Pose.at(length / 2, 0, track.thickness / 2)
        track.grouser.add(
            plate, foot, belt_width=track.width, name=f"{name}/grouser", builder=builder
        )
    tip = Pose.at(length / 2, 0, track.thickness / 2 + track.height)
    builder.buffer(plate, tip, track.buffer_share, name=f"{name}/buffer")
