"""Robot creation: convert INIT to a robot entry of the world; list the start poses."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from grouser.errors import BadValue, unknown
from grouser.frames import Pose, degrees, radians
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.wire_names import UNSUPPORTED, robot_classes
from grouser.protocol.usarsim.commands import Init, StartPose, StartPoses
from grouser.protocol.usarsim.dialects import UT2004
from grouser.protocol.usarsim.values import Vector
from grouser.robots.kinds import describe
from grouser.robots.robot import RobotDescription
from grouser.service.host import Host
from grouser.simulation.changes.placement import floor_below
from grouser.simulation.simulation import Simulation
from grouser.world.field_types import FARTHEST
from grouser.world.file import RobotEntry, Start, World

_ZERO: Vector = (0.0, 0.0, 0.0)

GROUND_SEARCH_HEIGHT = 1000.0
"""Height above a point without ground below it up to which ground is searched, m."""

PIONEERS = frozenset({"p2dx", "p2at", "p3at", "atrvjr", "zerg"})
"""Kinds of robots that have other sensors in UT2004."""
PLAYER_START = "PlayerStart"
"""Name of a start pose that every map of Unreal has; here the first one, else the origin."""
LONGEST_NAME = 36
"""Maximum length of a robot name: a world allows 40 characters, and a suffix may be added."""


def spawn_entry(init: Init, host: Host, profile: PortProfile) -> RobotEntry:
    """Return the entry of the requested robot, placed on the ground.

    Location is the centre of the robot, as in the original servers; a location below the
    ground, or none, is raised to the ground. Raises `SceneNotReady` while the standing height
    is computed.
    """
    kind, options = _robot_class(init.robot, host)
    if kind in PIONEERS and profile.dialect.name == UT2004.name:
        options = {"generation": "ut2004", **options}
    name = _unique_name(init, host)
    start = _find_start(init.start, host.simulation.world)
    own = {entry.name: entry for entry in host.simulation.world.robots}
    if name in own:  # take over a robot of the world file where it is
        return own[name].model_copy(update={"kind": kind})
    if start is not None:
        place = start.model_dump(exclude={"name"})
        return RobotEntry(name=name, kind=kind, options=dict(options), **place)
    ignored = init.start is not None  # an unknown start pose means the origin
    x, y, z = profile.from_place((not ignored and init.location) or _ZERO)
    roll, pitch, yaw = profile.from_angles((not ignored and init.rotation) or _ZERO)
    description = describe(kind, options, "INIT")
    standing = host.members.compute(
        ("standing", kind, repr(options)), partial(_standing_height, description)
    )
    middle = Pose.at(
        x,
        y,
        max(z, ground_height(host.simulation, x, y, z) + standing),
        roll=roll,
        pitch=pitch,
        yaw=yaw,
    )
    feet = (middle @ Pose.at(z=-standing)).position.tolist()
    try:
        return RobotEntry(
            name=name,
            kind=kind,
            options=dict(options),
            position=(feet[0], feet[1], feet[2]),
            yaw_deg=_degrees(yaw),
            pitch_deg=min(90.0, max(-90.0, _degrees(pitch))),
            roll_deg=_degrees(roll),
        )
    except BadValue:  # only the position can be invalid here
        given = ", ".join(f"{value:g}" for value in init.location or _ZERO)
        raise BadValue(
            f"INIT: Location is {given}, must be within {FARTHEST:g} m of the origin on each axis"
        ) from None


def ground_height(simulation: Simulation, x: float, y: float, z: float) -> float:
    """Return the height (m) of the ground under a point, or ``z`` where there is none."""
    model, data = simulation.model, simulation.data
    floors = (floor_below(model, data, x, y, top) for top in (z + 1.0, z + GROUND_SEARCH_HEIGHT))
    return next((floor for floor in floors if floor is not None), z)


def start_poses(world: World, profile: PortProfile) -> StartPoses:
    """Return the start poses of the world in the axes of the wire."""
    return StartPoses(tuple(_wire_pose(start, profile) for start in all_starts(world)))


def _wire_pose(start: Start, profile: PortProfile) -> StartPose:
    turns = (start.roll_deg, start.pitch_deg, start.yaw_deg)
    roll, pitch, yaw = (radians(turn) for turn in turns)
    return StartPose(start.name, profile.place(start.position), profile.angles((roll, pitch, yaw)))


def _standing_height(description: RobotDescription) -> float:
    """Return the height (m) of the centre of a standing robot above the ground."""
    try:
        return _cached_standing_height(description)
    except TypeError:  # not hashable: options with lists or mappings
        return description.build().standing


@functools.lru_cache(maxsize=64)
def _cached_standing_height(description: RobotDescription) -> float:
    return description.build().standing


def _robot_class(name: str, host: Host) -> tuple[str, Mapping[str, Any]]:
    if reason := UNSUPPORTED.get(name.lower()):
        raise BadValue(f"INIT: {name} {reason}")
    classes = robot_classes(host.simulation.world, host.rules.robot_files)
    try:
        return classes[name.lower()]
    except KeyError:
        raise unknown("INIT", "robot of class", name[:40], classes) from None


def _unique_name(init: Init, host: Host) -> str:
    """Return the requested name, sanitized and made unique."""
    fit = re.sub(r"[^A-Za-z0-9_-]", "_", init.name or init.robot).strip("-_")
    name = (fit if fit[:1].isalpha() else f"R{fit}")[:LONGEST_NAME]
    world = host.simulation.world
    taken = {entry.name for entry in world.robots} | {thing.name for thing in world.objects}
    unowned = {entry.name for entry in world.robots} - set(host.owners)
    if name not in taken or name in unowned:
        return name
    number = 1
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def _find_start(name: str | None, world: World) -> Start | None:
    """Return the start pose by name, case-insensitively; None: unknown or not given."""
    return next(
        (start for start in all_starts(world) if name and start.name.lower() == name.lower()), None
    )


def all_starts(world: World) -> tuple[Start, ...]:
    """Return the start poses of the world, and `PLAYER_START` if it has none of that name."""
    if any(start.name.lower() == PLAYER_START.lower() for start in world.starts):
        return world.starts
    first = world.starts[0] if world.starts else Start(name=PLAYER_START, position=(0.0, 0.0, 0.0))
    return (*world.starts, first.model_copy(update={"name": PLAYER_START}))


def _degrees(turn: float) -> float:
    """Return an angle (rad) in degrees, wrapped to [-180, 180]."""
    return degrees(math.remainder(turn, math.tau))
