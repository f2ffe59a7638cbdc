"""SET that concerns sensors, cameras and tags: what becomes of it, and the RES that says so.

What a SET asks of joints is the business of `grouser.gateways.usarsim.robot_adapter`. There is no
viewer's window here, so viewports and watched cameras are only checked: pictures come from the
image port.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from grouser.errors import BadValue
from grouser.frames import Pose, radians
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.robot_layout import RobotLayout
from grouser.gateways.usarsim.sensor_encoding import TYPES, wire_names
from grouser.protocol.usarsim.setting import (
    FAILED,
    OK,
    ReadTag,
    ReleaseTag,
    ResetSensor,
    Response,
    Result,
    Scan,
    Set,
    SetGait,
    SetGripper,
    SetInsPose,
    SetRate,
    Setting,
    SetViewports,
    SetZoom,
    WatchCamera,
    WriteTag,
)
from grouser.sensors.camera import BoundCamera, Camera
from grouser.sensors.depth import DepthCamera
from grouser.sensors.ins import BoundIns, Ins
from grouser.sensors.laser import Laser
from grouser.sensors.rfid import RfidReader
from grouser.sensors.sensor import Sensor
from grouser.service.host import TagMemory
from grouser.simulation.changes.actions import Action, Join, SetGaitParameters, SetSensorRate
from grouser.simulation.simulation import Simulation
from grouser.world.objects import Tag

NARROWEST = radians(20.0)
"""rad; UDK's ``CameraMinFov``."""
WIDEST = radians(120.0)
"""rad; UDK's ``CameraMaxFov``."""


@dataclass(frozen=True)
class ZoomRange:
    """The angles of view of one camera, rad."""

    usual: float
    """As it was built."""
    narrowest: float
    widest: float

    def angle(self, zoom: float) -> float:
        """Return the angle of view with the focal length ``zoom`` times as long."""
        return 2 * math.atan(math.tan(self.usual / 2) / zoom)

    def zoom(self, angle: float) -> float:
        """Return the zoom that gives an angle of view, within what there is; 0: as built."""
        if angle == 0:
            return 1.0
        wanted = min(max(angle, self.narrowest), self.widest)
        return math.tan(self.usual / 2) / math.tan(wanted / 2)


def zoom_range(camera: Camera) -> ZoomRange:
    """Return how far ``camera`` zooms; its own angle of view is always within."""
    usual = radians(camera.lens.fov_deg[0])
    return ZoomRange(usual, min(NARROWEST, usual), max(WIDEST, usual))


CARRIED = 20
"""Tags that a robot carries to be dropped; chosen."""
MOST_PICTURES = 60.0
"""Pictures or scans of one sensor per simulated second, at most: they cost everybody time."""
FURTHEST = 1e6
"""m; a pose beyond it is no place in a world."""


@runtime_checkable
class Resettable(Protocol):
    """A bound sensor that counts and can begin again."""

    def reset(self) -> None:
        """Begin again at the next reading."""
        ...


@dataclass(frozen=True)
class SettingResult:
    """What became of a SET."""

    response: Response
    """What to answer."""
    actions: tuple[Action, ...] = ()
    """What has to be done to the world for it."""
    requested: tuple[str, ...] = ()
    """Depth cameras, by our names, whose next picture is to be sent."""


@dataclass(frozen=True)
class _SettingContext:
    """What a SET may touch."""

    layout: RobotLayout
    simulation: Simulation
    profile: PortProfile
    tags: TagMemory
    tick: float
    """Simulated seconds from one moment at which readings are sent to the next."""

    def sensors(self, kind: str, name: str | None) -> Iterator[tuple[str, Sensor, Any]]:
        """Yield names on the wire, sensors and bound sensors of a type, or the one of a name."""
        for (robot, _), (sensor, bound) in self.simulation.scene.sensors.items():
            if robot != self.layout.name or TYPES.get(type(sensor), "").lower() != kind.lower():
                continue
            for title in wire_names(sensor, self.layout):
                if name is None or title.lower() == name.lower():
                    yield title, sensor, bound


def apply(
    message: Setting,
    layout: RobotLayout,
    simulation: Simulation,
    profile: PortProfile,
    tags: TagMemory,
    tick: float,
) -> SettingResult:
    """Do what a SET asks of the robot's sensors.

    Args:
        message: any SET but one of a joint.
        layout: the robot.
        simulation: where it is; its sensors are set, nothing else.
        profile: how the client's port sees the world.
        tags: what is stored on the world's tags.
        tick: simulated seconds of one.
    """
    handler = _HANDLERS.get(type(message))
    if handler is None:
        kind = dict(message.segments(profile.dialect)).get("Type", "")
        raise BadValue(f"SET: {kind} is none of this robot's sensors, cameras or tags")
    return handler(_SettingContext(layout, simulation, profile, tags, tick), message)


def zooms(layout: RobotLayout, simulation: Simulation) -> dict[str, float]:
    """Return how far each of the robot's cameras is zoomed now, as CONF says it."""
    return {
        name: bound.memory.aim.zoom
        for (robot, name), (_, bound) in simulation.scene.sensors.items()
        if robot == layout.name and isinstance(bound, BoundCamera)
    }


def _result(
    context: _SettingContext, kind: str, name: str | None, done: list[str]
) -> SettingResult:
    """Return the answer that names what was set; nothing: Failed."""
    results = [Result("Name", title) for title in done]
    results = results or [Result("Name" if name else "", name or "", FAILED)]
    return SettingResult(Response(context.simulation.time, kind, tuple(results)))


def _reset(context: _SettingContext, message: ResetSensor) -> SettingResult:
    done = []
    for title, _, bound in context.sensors(message.type, message.name):
        if isinstance(bound, Resettable):
            bound.reset()
            done.append(title)
    return _result(context, message.type, message.name, done)


def _rate(context: _SettingContext, message: SetRate) -> SettingResult:
    """Let sensors measure more often, or less; what draws or casts many rays has its own limit."""
    found = list(context.sensors(message.type, message.name))
    rays = any(isinstance(sensor, Camera | DepthCamera | Laser) for _, sensor, _ in found)
    most = min(1 / context.tick, MOST_PICTURES) if rays else 1 / context.tick
    if not 0 < message.rate_hz <= most * (1 + 1e-9):
        raise BadValue(
            f"SET: a rate of {message.rate_hz:g} per second, must be above 0, at most {most:g}"
        )
    answer = _result(context, message.type, message.name, [title for title, _, _ in found])
    robot = context.layout.name
    sensors = dict.fromkeys(sensor.name for _, sensor, _ in found)
    actions = tuple(SetSensorRate(robot, sensor, message.rate_hz) for sensor in sensors)
    return SettingResult(answer.response, actions)


def _pose(context: _SettingContext, message: SetInsPose) -> SettingResult:
    x, y, z, roll, pitch, yaw = message.pose
    place = context.profile.from_place((x, y, z))
    if max(map(abs, place)) > FURTHEST:
        raise BadValue(f"SET: POSE is {place} m, must lie within {FURTHEST:g} m of the origin")
    turns = zip(
        ("roll", "pitch", "yaw"), context.profile.from_angles((roll, pitch, yaw)), strict=True
    )
    believed = Pose.at(*place, **dict(turns))
    done = []
    for title, _, bound in context.sensors(TYPES[Ins], message.name):
        if isinstance(bound, BoundIns):
            bound.set_pose(believed)
            done.append(title)
    return _result(context, TYPES[Ins], message.name, done)


def _scan(context: _SettingContext, message: Scan) -> SettingResult:
    done, requested = [], []
    for title, sensor, _ in list(context.sensors(message.type, message.name)):
        done.append(title)
        if isinstance(sensor, DepthCamera):
            requested.append(
                sensor.name
            )  # its next picture: drawing more often would cost too much
        else:
            context.simulation.measure(context.layout.name, sensor.name)
    answer = _result(context, message.type, message.name, done)
    return SettingResult(answer.response, requested=tuple(requested))


def _zoom(context: _SettingContext, message: SetZoom) -> SettingResult:
    results = []
    for title, sensor, bound in context.sensors(TYPES[Camera], message.name):
        if isinstance(sensor, Camera) and isinstance(bound, BoundCamera):
            optics = zoom_range(sensor)
            zoom = optics.zoom(context.profile.from_angle(message.fov))
            bound.aim(zoom=zoom)
            results.append(Result("Name", title, OK, context.profile.angle(optics.angle(zoom))))
    results = results or [Result("Name", message.name, FAILED)]
    return SettingResult(Response(context.simulation.time, TYPES[Camera], tuple(results)))


def _watch(context: _SettingContext, message: WatchCamera) -> SettingResult:
    if message.robot is None and message.camera is None:
        return _result(context, TYPES[Camera], None, [message.client])
    own = message.robot is None or message.robot.lower() == context.layout.name.lower()
    seen = [title for title, _, _ in context.sensors(TYPES[Camera], message.camera)]
    return _result(context, TYPES[Camera], message.camera, seen[:1] if own else [])


def _viewports(context: _SettingContext, message: SetViewports) -> SettingResult:
    cameras = {title.lower() for title, _, _ in context.sensors(TYPES[Camera], None)}
    results = []
    if message.config is not None:
        known = message.config.lower() in ("singleview", "quadview", "0", "1")
        results.append(Result("Config", message.config, OK if known else FAILED))
    for key, camera in message.views:
        shown = camera.lower() in cameras | {"disabled"}
        results.append(Result(key, camera, OK if shown else FAILED))
    return SettingResult(Response(context.simulation.time, "Viewports", tuple(results)))


def _gripper(context: _SettingContext, message: SetGripper) -> SettingResult:
    """Fail: no robot of ours has one."""
    return _result(context, "Gripper", message.name, [])


def _heard(context: _SettingContext, name: str | None, tag: str) -> list[str]:
    """Return the readers, by name, that a tag is within reach of."""
    return [
        title
        for title, sensor, _ in context.sensors(TYPES[RfidReader], name)
        if tag
        in map(str, context.simulation.read(context.layout.name, sensor.name).array("ids").tolist())
    ]


def _read_tag(context: _SettingContext, message: ReadTag) -> SettingResult:
    readers = _heard(context, message.name, message.id)
    answer = _result(context, TYPES[RfidReader], message.name, readers[:1]).response
    stored = context.tags.stored.get(message.id)
    if not readers or stored is None:
        return SettingResult(answer)
    results = (*answer.results, Result("Data", stored))
    return SettingResult(Response(answer.time, answer.type, results))


def _write_tag(context: _SettingContext, message: WriteTag) -> SettingResult:
    readers = _heard(context, message.name, message.id)
    if readers:
        context.tags.stored[message.id] = message.data
    return _result(context, TYPES[RfidReader], message.name, readers[:1])


def _release(context: _SettingContext, message: ReleaseTag) -> SettingResult:
    """Drop a tag where the robot stands; one that carries a reader carries tags, too."""
    kind = "RFIDReleaser"
    empty = context.tags.dropped[context.layout.name] >= CARRIED
    if empty or not any(context.sensors(TYPES[RfidReader], None)):
        return _result(context, kind, message.name, [])
    context.tags.dropped[context.layout.name] += 1
    number = next(context.tags.numbers)
    x, y, z = context.simulation.pose(context.layout.name).position.tolist()
    tag = Tag(
        name=f"tag{number}", number=number, position=(x, y, z - context.layout.robot.standing)
    )
    answer = _result(context, kind, message.name, [message.name or "RFIDReleaser"])
    return SettingResult(answer.response, actions=(Join(tag),))


def _gait(context: _SettingContext, message: SetGait) -> SettingResult:
    """Let the robot walk by other numbers; what its kind cannot have is refused in words."""
    answer = _result(context, "Gait", None, [*message.numbers])
    retune = SetGaitParameters(context.layout.name, message.numbers)
    return SettingResult(answer.response, actions=(retune,))


def _other(context: _SettingContext, message: Set) -> SettingResult:
    return _result(context, message.type, message.name, [])


_HANDLERS: dict[type, Callable[[_SettingContext, Any], SettingResult]] = {
    ResetSensor: _reset,
    SetInsPose: _pose,
    SetRate: _rate,
    Scan: _scan,
    SetZoom: _zoom,
    WatchCamera: _watch,
    SetViewports: _viewports,
    SetGripper: _gripper,
    ReadTag: _read_tag,
    WriteTag: _write_tag,
    ReleaseTag: _release,
    SetGait: _gait,
    Set: _other,
}
