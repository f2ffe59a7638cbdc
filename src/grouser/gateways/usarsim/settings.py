"""SET that concerns sensors, cameras and tags: what becomes of it, and the RES that says so.

What a SET asks of joints is `grouser.gateways.usarsim.robot_adapter.Body.orders`' business. There
is no viewer's window here, so viewports and watched cameras are only checked: pictures come from
the image port.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol, runtime_checkable

from grouser.errors import BadValue
from grouser.frames import Pose
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.robot_adapter import Body
from grouser.gateways.usarsim.sensor_encoding import TYPES, names
from grouser.gateways.usarsim.zoom import reach
from grouser.protocol.usarsim.response import FAILED, OK, Response, Result
from grouser.protocol.usarsim.setting import (
    ReadTag,
    ReleaseTag,
    ResetSensor,
    Scan,
    Set,
    SetGripper,
    SetPose,
    Setting,
    SetViewports,
    SetZoom,
    WatchCamera,
    WriteTag,
)
from grouser.sensors.camera import BoundCamera, Camera
from grouser.sensors.depth import DepthCamera
from grouser.sensors.ins import BoundIns, Ins
from grouser.sensors.rfid import RfidReader
from grouser.sensors.sensor import Sensor
from grouser.simulation.changes.actions import Action, Join
from grouser.simulation.simulation import Simulation
from grouser.world.objects import Tag

CARRIED = 20
"""Tags that a robot carries to be dropped; chosen."""
FURTHEST = 1e6
"""m; a pose beyond it is no place in a world."""
FIRST_DROPPED = 100_000
"""Number of the first tag that robots drop: above those that world files use."""


@runtime_checkable
class Resettable(Protocol):
    """A bound sensor that counts and can begin again."""

    def reset(self) -> None:
        """Begin again at the next reading."""
        ...


@dataclass
class TagMemory:
    """What is stored on the tags of a world; all robots share it."""

    stored: dict[str, str] = field(default_factory=dict)
    """Number of a tag → what is written on it."""
    numbers: Iterator[int] = field(default_factory=lambda: count(FIRST_DROPPED))
    """Numbers of the tags that are still to be dropped."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Robot → how many it has dropped."""


@dataclass(frozen=True)
class Outcome:
    """What became of a SET."""

    response: Response
    """What to answer."""
    actions: tuple[Action, ...] = ()
    """What has to be done to the world for it."""
    asked: tuple[str, ...] = ()
    """Depth cameras, by our names, whose next picture is to be said."""


@dataclass(frozen=True)
class _Scope:
    """What a SET may touch."""

    body: Body
    simulation: Simulation
    profile: PortProfile
    tags: TagMemory

    def sensors(self, kind: str, name: str | None) -> Iterator[tuple[str, Sensor, Any]]:
        """Yield names on the wire, sensors and bound sensors of a type, or the one of a name."""
        for (robot, _), (sensor, bound) in self.simulation.scene.sensors.items():
            if robot != self.body.name or TYPES.get(type(sensor), "").lower() != kind.lower():
                continue
            for title in names(sensor, self.body):
                if name is None or title.lower() == name.lower():
                    yield title, sensor, bound


def apply(
    message: Setting, body: Body, simulation: Simulation, profile: PortProfile, tags: TagMemory
) -> Outcome:
    """Do what a SET asks of the robot's sensors.

    Args:
        message: any SET but one of a joint.
        body: the robot.
        simulation: where it is; its sensors are set, nothing else.
        profile: how the client's port sees the world.
        tags: what is stored on the world's tags.
    """
    handler = _HANDLERS.get(type(message))
    if handler is None:
        kind = dict(message.segments(profile.dialect)).get("Type", "")
        raise BadValue(f"SET: {kind} is none of this robot's sensors, cameras or tags")
    return handler(_Scope(body, simulation, profile, tags), message)


def zooms(body: Body, simulation: Simulation) -> dict[str, float]:
    """Return how far each of the robot's cameras is zoomed now, as CONF says it."""
    return {
        name: bound.memory.aim.zoom
        for (robot, name), (_, bound) in simulation.scene.sensors.items()
        if robot == body.name and isinstance(bound, BoundCamera)
    }


def _outcome(scope: _Scope, kind: str, name: str | None, done: list[str]) -> Outcome:
    """Return the answer that names what was set; nothing: Failed."""
    results = [Result("Name", title) for title in done]
    results = results or [Result("Name" if name else "", name or "", FAILED)]
    return Outcome(Response(scope.simulation.time, kind, tuple(results)))


def _reset(scope: _Scope, message: ResetSensor) -> Outcome:
    done = []
    for title, _, bound in scope.sensors(message.type, message.name):
        if isinstance(bound, Resettable):
            bound.reset()
            done.append(title)
    return _outcome(scope, message.type, message.name, done)


def _pose(scope: _Scope, message: SetPose) -> Outcome:
    x, y, z, roll, pitch, yaw = message.pose
    place = scope.profile.from_place((x, y, z))
    if max(map(abs, place)) > FURTHEST:
        raise BadValue(f"SET: POSE is {place} m, must lie within {FURTHEST:g} m of the origin")
    turns = zip(
        ("roll", "pitch", "yaw"), scope.profile.from_angles((roll, pitch, yaw)), strict=True
    )
    believed = Pose.at(*place, **dict(turns))
    done = []
    for title, _, bound in scope.sensors(TYPES[Ins], message.name):
        if isinstance(bound, BoundIns):
            bound.set_pose(believed)
            done.append(title)
    return _outcome(scope, TYPES[Ins], message.name, done)


def _scan(scope: _Scope, message: Scan) -> Outcome:
    done, asked = [], []
    for title, sensor, _ in list(scope.sensors(message.type, message.name)):
        done.append(title)
        if isinstance(sensor, DepthCamera):
            asked.append(sensor.name)  # its next picture: drawing more often would cost too much
        else:
            scope.simulation.measure(scope.body.name, sensor.name)
    answer = _outcome(scope, message.type, message.name, done)
    return Outcome(answer.response, asked=tuple(asked))


def _zoom(scope: _Scope, message: SetZoom) -> Outcome:
    results = []
    for title, sensor, bound in scope.sensors(TYPES[Camera], message.name):
        if isinstance(sensor, Camera) and isinstance(bound, BoundCamera):
            optics = reach(sensor)
            zoom = optics.zoom(scope.profile.from_angle(message.fov))
            bound.aim(zoom=zoom)
            results.append(Result("Name", title, OK, scope.profile.angle(optics.angle(zoom))))
    results = results or [Result("Name", message.name, FAILED)]
    return Outcome(Response(scope.simulation.time, TYPES[Camera], tuple(results)))


def _watch(scope: _Scope, message: WatchCamera) -> Outcome:
    if message.robot is None and message.camera is None:
        return _outcome(scope, TYPES[Camera], None, [message.client])
    own = message.robot is None or message.robot.lower() == scope.body.name.lower()
    seen = [title for title, _, _ in scope.sensors(TYPES[Camera], message.camera)]
    return _outcome(scope, TYPES[Camera], message.camera, seen[:1] if own else [])


def _viewports(scope: _Scope, message: SetViewports) -> Outcome:
    cameras = {title.lower() for title, _, _ in scope.sensors(TYPES[Camera], None)}
    results = []
    if message.config is not None:
        known = message.config.lower() in ("singleview", "quadview", "0", "1")
        results.append(Result("Config", message.config, OK if known else FAILED))
    for key, camera in message.views:
        shown = camera.lower() in cameras | {"disabled"}
        results.append(Result(key, camera, OK if shown else FAILED))
    return Outcome(Response(scope.simulation.time, "Viewports", tuple(results)))


def _gripper(scope: _Scope, message: SetGripper) -> Outcome:
    """Fail: no robot of ours has one."""
    return _outcome(scope, "Gripper", message.name, [])


def _heard(scope: _Scope, name: str | None, tag: str) -> list[str]:
    """Return the readers, by name, that a tag is within reach of."""
    return [
        title
        for title, sensor, _ in scope.sensors(TYPES[RfidReader], name)
        if tag
        in map(str, scope.simulation.read(scope.body.name, sensor.name).array("ids").tolist())
    ]


def _read_tag(scope: _Scope, message: ReadTag) -> Outcome:
    readers = _heard(scope, message.name, message.id)
    answer = _outcome(scope, TYPES[RfidReader], message.name, readers[:1]).response
    stored = scope.tags.stored.get(message.id)
    if not readers or stored is None:
        return Outcome(answer)
    told = (*answer.results, Result("Data", stored))
    return Outcome(Response(answer.time, answer.type, told))


def _write_tag(scope: _Scope, message: WriteTag) -> Outcome:
    readers = _heard(scope, message.name, message.id)
    if readers:
        scope.tags.stored[message.id] = message.data
    return _outcome(scope, TYPES[RfidReader], message.name, readers[:1])


def _release(scope: _Scope, message: ReleaseTag) -> Outcome:
    """Drop a tag where the robot stands; one that carries a reader carries tags, too."""
    kind = "RFIDReleaser"
    empty = scope.tags.dropped[scope.body.name] >= CARRIED
    if empty or not any(scope.sensors(TYPES[RfidReader], None)):
        return _outcome(scope, kind, message.name, [])
    scope.tags.dropped[scope.body.name] += 1
    number = next(scope.tags.numbers)
    x, y, z = scope.simulation.pose(scope.body.name).position.tolist()
    tag = Tag(name=f"tag{number}", number=number, position=(x, y, z - scope.body.robot.standing))
    answer = _outcome(scope, kind, message.name, [message.name or "RFIDReleaser"])
    return Outcome(answer.response, actions=(Join(tag),))


def _other(scope: _Scope, message: Set) -> Outcome:
    return _outcome(scope, message.type, message.name, [])


_HANDLERS: dict[type, Callable[[_Scope, Any], Outcome]] = {
    ResetSensor: _reset,
    SetPose: _pose,
    Scan: _scan,
    SetZoom: _zoom,
    WatchCamera: _watch,
    SetViewports: _viewports,
    SetGripper: _gripper,
    ReadTag: _read_tag,
    WriteTag: _write_tag,
    ReleaseTag: _release,
    Set: _other,
}
