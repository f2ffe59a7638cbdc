"""SET for sensors, cameras, tags and gaits, and its answer RES.

SET for joints is handled in `grouser.gateways.usarsim.robot_adapter`. The server has no viewer
window, so viewports and watched cameras are only checked; images come from the image port.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from grouser.errors import BadValue
from grouser.frames import Pose
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.robot_layout import RobotLayout
from grouser.gateways.usarsim.sensor_encoding import ENCODERS, encoder_of
from grouser.protocol.usarsim import setting
from grouser.sensors.camera import BoundCamera, Camera
from grouser.sensors.depth import DepthCamera
from grouser.sensors.ins import Ins
from grouser.sensors.laser import Laser
from grouser.sensors.sensor import LEAST_RATE, MOST_RATE, Resettable, Sensor
from grouser.sensors.zoom_range import zoom_range
from grouser.service.host import TagMemory
from grouser.simulation.changes import actions
from grouser.simulation.changes.actions import Action, Join, SetGaitParameters, SetSensorRate
from grouser.simulation.simulation import Simulation
from grouser.world.objects import Tag

INS, CAMERA, RFID = (ENCODERS[kind].type for kind in ("ins", "camera", "rfid"))
"""Sensor types on the wire."""
TAGS_PER_ROBOT = 20
"""Number of tags that a robot can drop; chosen."""
MAX_IMAGE_RATE = 60.0
"""Maximum rate of images or scans of one sensor per simulated second, to bound server load."""
MAX_DISTANCE = 1e6
"""Maximum distance of a pose from the origin, m."""


@dataclass(frozen=True)
class SettingResult:
    """Result of a SET."""

    response: setting.Response
    """Answer to the client."""
    actions: tuple[Action, ...] = ()
    """Actions to apply to the simulation."""
    requested: tuple[str, ...] = ()
    """Names of depth cameras whose next image is to be sent."""


@dataclass(frozen=True)
class _SettingContext:
    """Objects that a SET handler may use."""

    layout: RobotLayout
    simulation: Simulation
    profile: PortProfile
    tags: TagMemory
    tick: float
    """Simulated seconds from one moment at which readings are sent to the next."""

    def sensors(self, kind: str, name: str | None) -> Iterator[tuple[str, Sensor, Any]]:
        """Yield wire name, sensor and bound sensor of a type, optionally only one name."""
        for (robot, _), (sensor, bound) in self.simulation.scene.sensors.items():
            encoder = encoder_of(sensor)
            if robot != self.layout.name or encoder.type.lower() != kind.lower():
                continue
            for wire_name in encoder.names(sensor, self.layout):
                if name is None or wire_name.lower() == name.lower():
                    yield wire_name, sensor, bound


def apply(
    message: setting.Setting,
    layout: RobotLayout,
    simulation: Simulation,
    profile: PortProfile,
    tags: TagMemory,
    tick: float,
) -> SettingResult:
    """Apply a SET, except of a joint, to the robot's sensors.

    Of the ``simulation`` only sensor settings are changed; ``tags`` is the memory of the RFID
    tags; ``tick`` is the period at which readings are sent, simulated s.
    """
    handler = _HANDLERS.get(type(message))
    if handler is None:
        kind = dict(message.segments(profile.dialect)).get("Type", "")
        raise BadValue(f"SET: {kind} is none of this robot's sensors, cameras or tags")
    return handler(_SettingContext(layout, simulation, profile, tags, tick), message)


def camera_zooms(layout: RobotLayout, simulation: Simulation) -> dict[str, float]:
    """Return the present zoom factor of each camera of the robot."""
    return {
        name: bound.memory.aim.zoom
        for (robot, name), (_, bound) in simulation.scene.sensors.items()
        if robot == layout.name and isinstance(bound, BoundCamera)
    }


def _result(
    context: _SettingContext, kind: str, name: str | None, done: list[str]
) -> SettingResult:
    """Return a result that lists the sensors that were set; none: Failed."""
    results = [setting.Result("Name", wire_name) for wire_name in done]
    results = results or [setting.Result("Name" if name else "", name or "", setting.FAILED)]
    return SettingResult(setting.Response(context.simulation.time, kind, tuple(results)))


def _reset(context: _SettingContext, message: setting.ResetSensor) -> SettingResult:
    found = [
        (wire_name, sensor)
        for wire_name, sensor, bound in context.sensors(message.type, message.name)
        if isinstance(bound, Resettable)
    ]
    answer = _result(context, message.type, message.name, [name for name, _ in found])
    sensors = dict.fromkeys(sensor.name for _, sensor in found)
    robot = context.layout.name
    return SettingResult(answer.response, tuple(actions.ResetSensor(robot, n) for n in sensors))


def _rate(context: _SettingContext, message: setting.SetRate) -> SettingResult:
    """Set the rate of sensors; cameras and lasers have a lower limit."""
    found = list(context.sensors(message.type, message.name))
    rays = any(isinstance(sensor, Camera | DepthCamera | Laser) for _, sensor, _ in found)
    most = min(1 / context.tick, MAX_IMAGE_RATE if rays else MOST_RATE)
    if not LEAST_RATE <= message.rate_hz <= most * (1 + 1e-9):
        raise BadValue(
            f"SET: a rate of {message.rate_hz:g} per second, must be {LEAST_RATE:g} to {most:g}"
        )
    answer = _result(context, message.type, message.name, [wire_name for wire_name, _, _ in found])
    robot = context.layout.name
    sensors = dict.fromkeys(sensor.name for _, sensor, _ in found)
    rates = tuple(SetSensorRate(robot, sensor, message.rate_hz) for sensor in sensors)
    return SettingResult(answer.response, rates)


def _pose(context: _SettingContext, message: setting.SetInsPose) -> SettingResult:
    x, y, z, roll, pitch, yaw = message.pose
    place = context.profile.from_place((x, y, z))
    if max(map(abs, place)) > MAX_DISTANCE:
        raise BadValue(f"SET: POSE is {place} m, must lie within {MAX_DISTANCE:g} m of the origin")
    turns = zip(
        ("roll", "pitch", "yaw"), context.profile.from_angles((roll, pitch, yaw)), strict=True
    )
    believed = Pose.at(*place, **dict(turns))
    found = [
        (wire_name, sensor)
        for wire_name, sensor, _ in context.sensors(INS, message.name)
        if isinstance(sensor, Ins)
    ]
    answer = _result(context, INS, message.name, [name for name, _ in found])
    resets = {
        sensor.name: actions.ResetSensor(context.layout.name, sensor.name, believed)
        for _, sensor in found
    }
    return SettingResult(answer.response, tuple(resets.values()))


def _scan(context: _SettingContext, message: setting.Scan) -> SettingResult:
    done, requested, measured = [], [], []
    for wire_name, sensor, _ in list(context.sensors(message.type, message.name)):
        done.append(wire_name)
        if encoder_of(sensor).on_request:
            requested.append(sensor.name)  # sends the next image; an extra one costs too much
        else:
            measured.append(actions.MeasureSensor(context.layout.name, sensor.name))
    answer = _result(context, message.type, message.name, done)
    return SettingResult(answer.response, tuple(measured), tuple(requested))


def _zoom(context: _SettingContext, message: setting.SetZoom) -> SettingResult:
    results, aims = [], []
    for wire_name, sensor, _ in context.sensors(CAMERA, message.name):
        if isinstance(sensor, Camera):
            optics = zoom_range(sensor)
            zoom = optics.zoom(context.profile.from_angle(message.fov))
            aims.append(actions.AimCamera(context.layout.name, sensor.name, zoom=zoom))
            fov = context.profile.angle(optics.angle(zoom))
            if context.profile.early:
                results.append(setting.Result("Name", wire_name, f"{fov:.4f}"))
            else:
                results.append(setting.Result("Name", wire_name, setting.OK, fov))
    results = results or [setting.Result("Name", message.name, setting.FAILED)]
    answer = setting.Response(context.simulation.time, CAMERA, tuple(results))
    return SettingResult(answer, tuple(aims))


def _watch(context: _SettingContext, message: setting.WatchCamera) -> SettingResult:
    if message.robot is None and message.camera is None:
        return _result(context, CAMERA, None, [message.client])
    own = message.robot is None or message.robot.lower() == context.layout.name.lower()
    seen = [wire_name for wire_name, _, _ in context.sensors(CAMERA, message.camera)]
    return _result(context, CAMERA, message.camera, seen[:1] if own else [])


def _viewports(context: _SettingContext, message: setting.SetViewports) -> SettingResult:
    cameras = {wire_name.lower() for wire_name, _, _ in context.sensors(CAMERA, None)}
    results = []
    if message.config is not None:
        known = message.config.lower() in ("singleview", "quadview", "0", "1")
        results.append(
            setting.Result("Config", message.config, setting.OK if known else setting.FAILED)
        )
    for key, camera in message.views:
        shown = camera.lower() in cameras | {"disabled"}
        results.append(setting.Result(key, camera, setting.OK if shown else setting.FAILED))
    return SettingResult(setting.Response(context.simulation.time, "Viewports", tuple(results)))


def _readers_in_range(context: _SettingContext, name: str | None, tag: str) -> list[str]:
    """Return the names of the RFID readers with the tag in range."""
    return [
        wire_name
        for wire_name, sensor, _ in context.sensors(RFID, name)
        if tag
        in map(str, context.simulation.read(context.layout.name, sensor.name).array("ids").tolist())
    ]


def _read_tag(context: _SettingContext, message: setting.ReadTag) -> SettingResult:
    readers = _readers_in_range(context, message.name, message.id)
    answer = _result(context, RFID, message.name, readers[:1]).response
    stored = context.tags.stored.get(message.id)
    if not readers or stored is None:
        return SettingResult(answer)
    results = (*answer.results, setting.Result("Data", stored))
    return SettingResult(setting.Response(answer.time, answer.type, results))


def _write_tag(context: _SettingContext, message: setting.WriteTag) -> SettingResult:
    readers = _readers_in_range(context, message.name, message.id)
    if readers:
        context.tags.stored[message.id] = message.data
    return _result(context, RFID, message.name, readers[:1])


def _release(context: _SettingContext, message: setting.ReleaseTag) -> SettingResult:
    """Drop a tag at the robot's position; requires a reader on the robot."""
    kind = "RFIDReleaser"
    empty = context.tags.dropped[context.layout.name] >= TAGS_PER_ROBOT
    if empty or not any(context.sensors(RFID, None)):
        return _result(context, kind, message.name, [])
    context.tags.dropped[context.layout.name] += 1
    number = next(context.tags.numbers)
    x, y, z = context.simulation.pose(context.layout.name).position.tolist()
    tag = Tag(
        name=f"tag{number}", number=number, position=(x, y, z - context.layout.robot.standing)
    )
    answer = _result(context, kind, message.name, [message.name or "RFIDReleaser"])
    return SettingResult(answer.response, actions=(Join(tag),))


def _gait(context: _SettingContext, message: setting.SetGait) -> SettingResult:
    """Set gait parameters; raises `BadValue` for parameters that the robot does not have."""
    answer = _result(context, "Gait", None, [*message.numbers])
    action = SetGaitParameters(context.layout.name, message.numbers)
    return SettingResult(answer.response, actions=(action,))


_HANDLERS: dict[type, Callable[[_SettingContext, Any], SettingResult]] = {
    setting.ResetSensor: _reset,
    setting.SetInsPose: _pose,
    setting.SetRate: _rate,
    setting.Scan: _scan,
    setting.SetZoom: _zoom,
    setting.WatchCamera: _watch,
    setting.SetViewports: _viewports,
    # No robot has a gripper.
    setting.SetGripper: lambda context, message: _result(context, "Gripper", message.name, []),
    setting.ReadTag: _read_tag,
    setting.WriteTag: _write_tag,
    setting.ReleaseTag: _release,
    setting.SetGait: _gait,
    setting.Set: lambda context, message: _result(context, message.type, message.name, []),
}
