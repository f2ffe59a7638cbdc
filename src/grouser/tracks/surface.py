"""Moving surface tracks: fixed belts with a surface velocity (Pecka et al. 2017).

The belt is a smooth outline at the height of its grousers, welded to its body. MuJoCo's
``surfacevel`` sets the velocity of the surface in every contact. Grousers have no effect. A
sprocket without geoms turns inside the robot; its speed is the surface speed.

Method ``surface``: friction is the ground's, and the ground force on the surface, measured by force
sensors, is applied to the sprocket after smoothing. The belt slows under load and stalls at its
force limit, as with other methods.

Method ``constraint``: the published "constraint to ground" as Okada et al. 2020 describe it, for
comparisons. The velocity at a contact replaces friction: a belt hardly slips on any ground, so
that it climbs an icy wall (their Fig. 3). The belt is kinematic, no load slows it. Each run is a
single box.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import mujoco
import numpy as np

from grouser.frames import Pose
from grouser.physics.state import StateArrays
from grouser.tracks.geoms import LINK_MASS, GeomBuilder, add_link, split_run
from grouser.tracks.path import Segment, StraightSegment
from grouser.tracks.track import Belt, Track

SMOOTHED = 0.2
"""s; time constant of the smoothing of the ground force. Without it contact and sprocket would
oscillate. A robot on a slope creeps with the remaining oscillation: 0.1 mm/s on 20 deg."""

OVERRIDE = 5.0
"""Friction coefficient of the method ``constraint`` on any ground: the constraint of velocities has
a limit, five times the load, because a larger one makes MuJoCo's convex cone lift a slipping belt
(`grouser.physics.compliance`)."""


def build_constraint(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, track: Track, name: str, X_BT: Pose
) -> Belt:
    """Fixed belt whose contacts have its velocity on any ground (Okada et al. 2020, II-C)."""
    gripping = dataclasses.replace(track, friction=max(track.friction, OVERRIDE))
    belt = build(spec, body, gripping, name, X_BT)
    return dataclasses.replace(belt, method="constraint", loads=())


def build(spec: mujoco.MjSpec, body: mujoco.MjsBody, track: Track, name: str, X_BT: Pose) -> Belt:
    """Fixed belt with a moving surface and without grousers (Pecka et al. 2017)."""
    path = track.path.offset(track.height)
    gear = max(
        segment.radius for segment in path.segments if not isinstance(segment, StraightSegment)
    )
    builder = GeomBuilder(spec, (*track.rgb, 1.0), share=track.share)
    moving: list[tuple[str, tuple[float, float, float, float, float, float]]] = []
    loads = []
    for index, segment in enumerate(path.segments):
        part = f"{name}/{index}"
        geoms = _add_part(spec, body, segment, track, part, X_BT, builder)
        if isinstance(segment, StraightSegment):
            moving += [(geom, (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)) for geom in geoms]
            loads.append((part, (1.0, 0.0, 0.0)))
        else:
            moving += [(geom, (0.0, 0.0, 0.0, 0.0, 0.0, 1.0 / segment.radius)) for geom in geoms]
            loads.append((part, (0.0, 1.0 / segment.radius, 0.0)))
    _add_sprocket(body, track, f"{name}/sprocket", X_BT, gear)
    if not track.geared:
        track.drive.add(spec, name, f"{name}/sprocket", gear=gear)
    return Belt(
        name=name,
        drive=name,
        method="surface",
        sprocket=f"{name}/sprocket",
        gear=gear,
        pitch=track.pitch,
        moving=tuple(moving),
        loads=tuple(loads),
        mass=LINK_MASS * (len(path.segments) + 1),
    )


def _add_part(
    spec: mujoco.MjSpec,
    body: mujoco.MjsBody,
    segment: Segment,
    track: Track,
    name: str,
    X_BT: Pose,
    builder: GeomBuilder,
) -> list[str]:
    """Add the fixed body of one segment and its force sensor; return the names of its geoms."""
    straight = isinstance(segment, StraightSegment)
    link = add_link(body, name, X_BT @ segment.X_TL)
    geoms = []
    if isinstance(segment, StraightSegment):
        for number, (along, reach) in enumerate(split_run(segment.length, piece=track.piece)):
            middle = Pose.at(along, 0, -track.thickness / 2)
            half = (reach, track.width / 2, track.thickness / 2)
            geoms.append(f"{name}/{number}")
            geom = builder.box(link, middle, half, name=geoms[-1], friction=track.friction)
            # A non-zero value at compilation enables surface velocities in MuJoCo.
            geom.surfacevel = [1e-9, 0, 0, 0, 0, 0]
        builder.buffers(link, segment.length, track.buffer_share, name=name)
    else:
        drum = (segment.radius, track.width / 2)
        for geom in builder.drums(link, *drum, name=name, friction=track.friction):
            geom.surfacevel = [0, 0, 0, 0, 0, 1e-9]
            geoms.append(geom.name)
        builder.buffer_rim(link, *drum, track.buffer_share, name=name)
    link.add_site(name=name)
    kind = mujoco.mjtSensor.mjSENS_FORCE if straight else mujoco.mjtSensor.mjSENS_TORQUE
    spec.add_sensor(name=name, type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=name)
    return geoms


def _add_sprocket(body: mujoco.MjsBody, track: Track, name: str, X_BT: Pose, gear: float) -> None:
    """Add the sprocket without geoms: a hinge about T's y axis."""
    sprocket = add_link(body, name, X_BT)
    sprocket.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=[0, 1, 0],
        armature=track.inertia * gear**2,
    )


class MovingSurface:
    """Coupling of sprockets and surfaces of all surface belts, for one simulation or many."""

    def __init__(self, model: mujoco.MjModel, belts: Sequence[Belt], every: float) -> None:
        """Look up geoms, sensors and sprockets of surface belts; ``every``: `apply`'s period."""
        self._weight = min(1.0, every / SMOOTHED)
        chosen = [belt for belt in belts if belt.moving]
        self._dofs = np.array([model.joint(belt.sprocket).dofadr[0] for belt in chosen], int)
        self._gears = np.array([belt.gear for belt in chosen])
        geoms = [
            (model.geom(geom).id, number, velocity)
            for number, belt in enumerate(chosen)
            for geom, velocity in belt.moving
        ]
        self._geoms = np.array([geom for geom, _, _ in geoms], int)
        self._belt_of = np.array([number for _, number, _ in geoms], int)
        self._velocities = np.array([velocity for _, _, velocity in geoms]).reshape(-1, 6)
        self._pull = np.zeros((model.nsensordata, len(chosen)))
        for number, belt in enumerate(chosen):
            for sensor, weight in belt.loads:
                first = model.sensor(sensor).adr[0]
                self._pull[first : first + 3, number] = weight

    def __bool__(self) -> bool:
        return len(self._dofs) > 0

    def apply(self, rows: StateArrays) -> None:
        """Copy sprocket speeds to the surfaces and the smoothed ground force to the sprockets."""
        speeds = rows.qvel[:, self._dofs] * self._gears
        rows.geom_surfacevel[:, self._geoms] = speeds[:, self._belt_of, None] * self._velocities
        # The sensors measure the reaction of the body: the opposite of the ground force.
        # Row by row: the summation order of a matrix product depends on the number of rows.
        felt_by_row = np.matmul(rows.sensordata[:, None], self._pull)[:, 0]
        pull = -felt_by_row * self._gears
        felt = rows.qfrc_applied[:, self._dofs]
        rows.qfrc_applied[:, self._dofs] = felt + self._weight * (pull - felt)
