"""World controller: CONTROL creates, moves and removes objects while the simulation runs.

A client with ``INIT {ClassName USARBotAPI.WorldController}`` has no robot. It can move and remove
only objects created by controllers. Its objects are removed when it disconnects, unless permanent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from grouser.errors import BadValue, unknown
from grouser.frames import Pose, degrees, radians, to_rpy_one
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.robot_layout import object_size
from grouser.protocol.usarsim import control
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.state import ObjectState, ObjectStates
from grouser.protocol.usarsim.values import Vector
from grouser.service.host import Host
from grouser.simulation.changes.actions import (
    Action,
    Command,
    Glide,
    Join,
    SetFixed,
    SetPose,
    SetSurfaceVelocity,
    Spin,
    StopMotion,
)
from grouser.simulation.changes.world_changes import object_named
from grouser.world.objects import OBJECTS
from grouser.world.world_object import WorldObject

EDGE = 0.3
"""Edge or diameter of an object of scale 1, m; an estimate, USARSim's meshes are not available."""
DENSITY = 200.0
"""Density of a movable object, kg/m3; an estimate, a filled cardboard box."""
FRICTION = 0.6
"""Friction coefficient of an object; an estimate, cardboard on concrete."""
SPEED = 0.5
"""Default speed along waypoints, m/s; an estimate."""
HELD_MASS = 1000.0
"""Least mass of an object with ``{Physics None}`` once it moves, kg: loads do not move it."""
RIGID = frozenset({"rigidbody", "falling", "ground"})
"""Values of Physics, in lower case, for bodies that fall and are pushed; others stay (UDK)."""
MAX_OBJECTS = 200
"""Maximum number of objects created by controllers."""

_ZERO: Vector = (0.0, 0.0, 0.0)


Shape = tuple[str, Callable[[Vector], dict[str, Any]]]
"""Kind of object, and its size and mass by scale."""


def _box(scale: Vector) -> dict[str, Any]:
    x, y, z = (EDGE * factor for factor in scale)
    return {"size": (x, y, z), "mass": DENSITY * x * y * z}


def _slab(size: Vector, mass: float, rgb: Vector | None = None) -> Shape:
    """Return a box of ``size`` (Unreal units, 250 to a metre) and ``mass`` (kg) at scale 1."""

    def scaled(scale: Vector) -> dict[str, Any]:
        x, y, z = (edge / 250 * factor for edge, factor in zip(size, scale, strict=True))
        return {"size": (x, y, z), "mass": mass * math.prod(scale), "rgb": rgb}

    return "box", scaled


def _ball(scale: Vector) -> dict[str, Any]:
    radius = EDGE / 2 * scale[0]
    return {"radius": radius, "mass": DENSITY * 4 / 3 * math.pi * radius**3}


def _cylinder(scale: Vector) -> dict[str, Any]:
    radius, length = EDGE / 2 * scale[0], EDGE * scale[2]
    return {"radius": radius, "length": length, "mass": DENSITY * math.pi * radius**2 * length}


_BOXES = ("box", "crate", "block", "brick", "pallet", "part", "parta", "partb", "partc")
"""Classes built as boxes; the shapes of UDK's parts are not documented."""

_CRATE = (75.0, 75.0, 75.0)  # estimate: EDGE; the meshes are not available
_TRAYS: dict[str, Shape] = {  # UDK's classes of USARPhysObj: sizes in comments, and Mass
    "cratered": _slab(_CRATE, 5.0, (0.7, 0.1, 0.1)),
    "crateblue": _slab(_CRATE, 5.0, (0.1, 0.2, 0.7)),
    "crategreen": _slab(_CRATE, 5.0, (0.1, 0.5, 0.15)),
    "kittray1": _slab((190, 114, 6), 10.0),
    "kittray2": _slab((177, 127, 6), 10.0),
    "kittray3": _slab((228, 114, 6), 10.0),
    "kittray4": _slab((177, 114, 6), 10.0),
    "kittray5": _slab((228, 114, 6), 10.0),
    "parttraya": _slab((203, 107, 6), 10.0, (0.6, 0.2, 0.2)),
    "parttrayb": _slab((203, 114, 6), 10.0, (0.2, 0.5, 0.25)),
    "parttrayc": _slab((215, 114, 6), 10.0, (0.2, 0.3, 0.6)),
    "parttrayd": _slab((222, 107, 6), 10.0, (0.8, 0.45, 0.1)),
    "parttraye": _slab((222, 114, 6), 10.0, (0.8, 0.75, 0.2)),
    "partd": _slab((14, 52, 19), 1.0, (0.8, 0.45, 0.1)),
    "parte": _slab((33, 52, 19), 1.0, (0.8, 0.75, 0.2)),
    # No public source has the sizes of these: those of similar trays (estimates).
    **dict.fromkeys(("partatray", "partbtray", "partctray"), _slab((203, 107, 6), 10.0)),
    **dict.fromkeys(("kittray", "kittraysmall"), _slab((190, 114, 6), 5.0)),
    "objectbin": _slab((150, 100, 75), 10.0),
}
"""Trays, bins and coloured crates of the kitting worlds, as solid boxes."""

SHAPES: dict[str, Shape] = {
    **_TRAYS,
    **{name: ("box", _box) for name in _BOXES},
    **{name: ("ball", _ball) for name in ("ball", "sphere")},
    **{name: ("cylinder", _cylinder) for name in ("cylinder", "barrel", "can", "pillar")},
    **{
        name: ("victim", lambda scale: {"mass": 70.0})
        for name in ("victim", "malevictim", "femalevictim")
    },
}
"""Class without its package, in lower case → kind of object, and its size by scale."""


@dataclass
class ControlledObject:
    """Object created by a controller."""

    class_name: str
    """Class as spelled by the controller."""
    owner: object
    """Session that created it; None: permanent."""
    held: bool = False
    """``{Physics None}``: it never falls and is not pushed."""
    memory: str = ""
    """Value of Memory in CONTROL Create."""
    waypoints: list[Vector] = field(default_factory=list)
    """World frame, m."""
    speed: float = SPEED
    time: float | None = None
    """Duration of the whole path, s; replaces the speed."""
    loop: bool = False
    start: Pose | None = None
    """Pose at the start of the motion."""
    reset: bool = False
    """Return to `start` when the waypoints are cleared."""


class WorldControllers:
    """Objects created by all controllers of a host."""

    def __init__(self, host: Host) -> None:
        """Start without objects."""
        self._host = host
        self._objects: dict[str, ControlledObject] = {}
        self._source = "server"
        """Address of the client whose request is being executed."""

    def close(self, owner: object) -> None:
        """Remove the objects of ``owner`` that are not permanent."""
        self._host.members.remove_soon(
            [name for name, made in self._existing().items() if made.owner is owner]
        )

    def execute(
        self, request: control.Control, owner: object, profile: PortProfile, source: str
    ) -> list[Message]:
        """Execute a CONTROL of the client at ``source``; return the answer."""
        self._source = source
        match request:
            case control.Create():
                self._create(request, owner, profile)
            case control.Kill(name):
                self._host.members.remove([self._check_name(name)], self._source)
            case control.KillAll():
                self._kill_all(request, profile)
            case control.AbsMove():
                pose = self._host.simulation.pose(self._check_name(request.name))
                self._set_pose(
                    request.name, _replace_pose(pose, request.location, request.rotation, profile)
                )
            case control.RelMove():
                pose = self._host.simulation.pose(self._check_name(request.name))
                self._set_pose(request.name, _offset_pose(pose, request, profile))
            case control.Rotate(name, speed):
                rate = -profile.from_angle(speed[-1]) if speed else 0.0
                if rate:
                    self._start_motion(name, Spin(name, rate))
                else:
                    self._stop(name)
            case control.Conveyor(name, speed):
                self._set_conveyor(name, speed, profile)
            case control.AddWaypoints(name, places):
                self._find(name).waypoints += [profile.from_place(place) for place in places]
            case control.SetWaypoints():
                self._set_waypoints(request, profile)
            case control.ClearWaypoints(name):
                self._clear_waypoints(name)
            case control.GetState():
                return self._states(request, profile)
        return []

    def _apply(self, action: Action) -> None:
        self._host.apply(action, source=self._source)

    def _existing(self) -> dict[str, ControlledObject]:
        """Return the created objects that still exist."""
        there = {thing.name for thing in self._host.simulation.world.objects}
        self._objects = {name: made for name, made in self._objects.items() if name in there}
        return self._objects

    def _find(self, name: str) -> ControlledObject:
        try:
            return self._existing()[name]
        except KeyError:
            raise unknown(
                "CONTROL", "object that was made by CONTROL", name, self._objects
            ) from None

    def _check_name(self, name: str) -> str:
        self._find(name)
        return name

    def _create(self, request: control.Create, owner: object, profile: PortProfile) -> None:
        if len(self._existing()) >= MAX_OBJECTS:
            raise BadValue(f"CONTROL: there are {MAX_OBJECTS} objects already, Kill some first")
        thing = self._build_object(request, profile)
        self._host.members.change(Join(thing), self._source)
        class_name = request.class_name.rpartition(".")[2]
        self._objects[thing.name] = ControlledObject(
            class_name, None if request.permanent else owner, thing.fixed, request.memory or ""
        )
        self._host.titles[thing.name] = class_name

    def _build_object(self, request: control.Create, profile: PortProfile) -> WorldObject:
        class_name = request.class_name.rpartition(".")[2]
        # UDK's classes are WCCrate, WCPallet and so on.
        known = class_name.lower().removeprefix("wc")
        if known not in SHAPES:
            raise unknown("CONTROL", "object of class", class_name[:40], SHAPES)
        kind, sizes = SHAPES[known]
        x, y, z = profile.from_place(request.location or _ZERO)
        roll, pitch, yaw = profile.from_angles(request.rotation or _ZERO)
        starts = {start.name.lower(): start for start in self._host.simulation.world.starts}
        if request.start and request.start.lower() in starts:
            start = starts[request.start.lower()]
            (x, y, z), yaw = start.position, radians(start.yaw_deg)
        options: dict[str, Any] = {
            "name": request.name or self._free_name(class_name),
            "position": (x, y, z),
            "roll_deg": degrees(roll),
            "pitch_deg": degrees(pitch),
            "yaw_deg": degrees(yaw),
            "friction": FRICTION,
            "fixed": (request.physics or "RigidBody").lower() not in RIGID,
            **sizes(_scale(request.scale)),
        }
        if options["fixed"]:
            options["mass"] = max(options["mass"], HELD_MASS)
        try:
            return OBJECTS[kind](**options)
        except BadValue as error:
            raise BadValue(f"CONTROL: {error}") from None

    def _free_name(self, class_name: str) -> str:
        names = {thing.name for thing in self._host.simulation.world.objects}
        number = 1
        while f"{class_name}_{number}" in names:
            number += 1
        return f"{class_name}_{number}"

    def _kill_all(self, request: control.KillAll, profile: PortProfile) -> None:
        low, high = _corners(request, profile)
        places = {name: self._host.simulation.pose(name).position for name in self._existing()}
        self._host.members.remove(
            [
                name
                for name, place in places.items()
                if all(a <= p <= b for a, p, b in zip(low, place.tolist(), high, strict=True))
            ],
            self._source,
        )

    def _set_pose(self, name: str, X_WB: Pose) -> None:
        """Set the pose of an object; a fixed object requires recompiling the scene."""
        self._host.members.change(SetPose(name, X_WB), self._source)
        if self._is_prescribed(name):
            self._apply(Spin(name, 0.0))

    def _is_prescribed(self, name: str) -> bool:
        """Return whether an object with ``{Physics None}`` has been made movable."""
        return self._find(name).held and not object_named(self._host.simulation.world, name).fixed

    def _start_motion(self, name: str, motion: Glide | Spin) -> None:
        """Start a motion; an object with ``{Physics None}`` becomes movable for it."""
        if self._find(name).held and not self._is_prescribed(name):
            self._host.members.change(SetFixed(name, False), self._source)
        self._apply(motion)

    def _stop(self, name: str) -> None:
        """Stop an object; one with ``{Physics None}`` is held where it is."""
        if self._is_prescribed(name):
            self._apply(Spin(name, 0.0))
        elif not self._find(name).held:
            self._apply(StopMotion(name))

    def _set_conveyor(self, name: str, speeds: tuple[float, ...], profile: PortProfile) -> None:
        """Set the speed of a conveyor of the world, or of the surface of a created box."""
        x, y, z = (*speeds, 0.0, 0.0, 0.0)[:3]
        if name in self._existing():
            velocity = profile.from_place((x, y, z))  # m or Unreal units, a second
            self._host.members.change(SetSurfaceVelocity(name, velocity), self._source)
            return
        robots = {entry.name: entry for entry in self._host.simulation.world.robots}
        if name not in robots or robots[name].kind != "conveyor":
            belts = [entry.name for entry in robots.values() if entry.kind == "conveyor"]
            raise unknown("CONTROL", "conveyor", name, belts)
        drives = self._host.simulation.scene.robots[name].drives
        speed = profile.from_length(x)
        self._apply(Command(name, dict.fromkeys(drives, speed)))

    def _set_waypoints(self, request: control.SetWaypoints, profile: PortProfile) -> None:
        made = self._find(request.name)
        if request.speed is not None:
            made.speed, made.time = profile.from_length(request.speed), None
        if request.time is not None:
            made.time = request.time
        made.loop = made.loop if request.loop is None else request.loop
        made.reset = made.reset if request.reset_on_clear is None else request.reset_on_clear
        if request.moving is False:
            self._stop(request.name)
        elif request.moving or request.moving is None:
            self._start_path(request.name, made)

    def _start_path(self, name: str, made: ControlledObject) -> None:
        if not made.waypoints:
            raise BadValue(f"CONTROL: '{name}' has no waypoints, AddWP comes first")
        pose = self._host.simulation.pose(name)
        made.start = made.start or pose
        way = [pose.position.tolist(), *made.waypoints]
        length = sum(math.dist(a, b) for a, b in pairwise(way))
        speed = made.speed if made.time is None else length / made.time if made.time > 0 else 0.0
        if not (math.isfinite(speed) and speed > 0):
            raise BadValue(f"CONTROL: '{name}' would go at {speed:g} m/s, must be above 0")
        glide = Glide(name, tuple(made.waypoints), speed, made.loop, made.held)
        self._start_motion(name, glide)

    def _clear_waypoints(self, name: str) -> None:
        made = self._find(name)
        if made.reset and made.start:
            self._set_pose(name, made.start)  # first: it may raise SceneNotReady
        made.waypoints.clear()
        self._stop(name)

    def _states(self, request: control.GetState, profile: PortProfile) -> list[Message]:
        """Return the poses of objects, in one message."""
        states: list[ObjectState] = []
        if request.name is not None and request.name.lower() not in map(
            str.lower, self._existing()
        ):
            self._find(request.name)  # raises UnknownName, so that the client need not wait
        for name, made in self._existing().items():
            if request.name is not None and request.name.lower() != name.lower():
                continue
            class_name = (
                made.class_name
                if request.class_name is None
                else request.class_name.rpartition(".")[2]
            )
            if class_name.lower() != made.class_name.lower():
                continue
            pose = self._host.simulation.pose(name)
            x, y, z = pose.position.tolist()
            place = profile.place((x, y, z))
            turn = profile.angles(to_rpy_one(*pose.wxyz.tolist()))
            edges = object_size(self._host.simulation.model, name)
            length, width, height = (profile.length(round(edge, 9)) for edge in edges)
            states.append(ObjectState(name, (length, width, height), place, made.memory, turn))
        return [ObjectStates(tuple(states))]


def _scale(factors: tuple[float, ...] | None) -> Vector:
    if not factors:
        return 1.0, 1.0, 1.0
    if len(factors) not in (1, 3) or not all(0 < factor <= 100 for factor in factors):
        raise BadValue(
            f"CONTROL: Scale is {factors}, must be one or three numbers above 0, up to 100"
        )
    return (
        (factors[0], factors[0], factors[0])
        if len(factors) == 1
        else (factors[0], factors[1], factors[2])
    )


def _corners(request: control.KillAll, profile: PortProfile) -> tuple[Vector, Vector]:
    """Return the lower and upper corner of the box in Grouser's axes."""
    far = math.inf
    first = profile.from_place(request.lowest) if request.lowest else (-far, -far, -far)
    second = profile.from_place(request.highest) if request.highest else (far, far, far)
    (a, b, c), (d, e, f) = first, second
    return (min(a, d), min(b, e), min(c, f)), (max(a, d), max(b, e), max(c, f))


def _replace_pose(
    pose: Pose, location: Vector | None, rotation: Vector | None, profile: PortProfile
) -> Pose:
    """Return a pose with location, rotation or both replaced."""
    x, y, z = profile.from_place(location) if location else pose.position.tolist()
    turn = profile.from_angles(rotation) if rotation else None
    roll, pitch, yaw = turn or to_rpy_one(*pose.wxyz.tolist())
    return Pose.at(x, y, z, roll=roll, pitch=pitch, yaw=yaw)


def _offset_pose(pose: Pose, request: control.RelMove, profile: PortProfile) -> Pose:
    """Return a pose moved along the world axes and rotated by the given angles."""
    x, y, z = pose.position.tolist()
    dx, dy, dz = profile.from_place(request.location or _ZERO)
    roll, pitch, yaw = to_rpy_one(*pose.wxyz.tolist())
    more = profile.from_angles(request.rotation or _ZERO)
    return Pose.at(
        x + dx, y + dy, z + dz, roll=roll + more[0], pitch=pitch + more[1], yaw=yaw + more[2]
    )
