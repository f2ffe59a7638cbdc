"""GEO and CONF: how large a robot is, where its parts are, and what they can do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from grouser.frames import Pose, degrees, to_rpy_one
from grouser.gateways.images.tiles import CameraTile
from grouser.gateways.usarsim.anatomy import Anatomy, Link
from grouser.gateways.usarsim.drive_modes import Wheels
from grouser.gateways.usarsim.placements import Place, hinge, places
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.sensor_encoding import TYPES, names, ticks
from grouser.gateways.usarsim.sweeps import grid
from grouser.gateways.usarsim.zoom import reach
from grouser.protocol.usarsim.commands import GetConfiguration, GetGeometry
from grouser.protocol.usarsim.configuration import (
    LinkConfiguration,
    PackageConfiguration,
    RobotConfiguration,
    SensorConfiguration,
    SensorSettings,
    Value,
)
from grouser.protocol.usarsim.geometry import (
    PACKAGES,
    LinkGeometry,
    Mounting,
    PackageGeometry,
    RobotGeometry,
    SensorGeometry,
)
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.values import Vector
from grouser.sensors.battery import Battery
from grouser.sensors.camera import Camera
from grouser.sensors.depth import DepthCamera
from grouser.sensors.encoder import Encoder
from grouser.sensors.laser import Laser
from grouser.sensors.odometry import Odometry
from grouser.sensors.range import Infrared, Sonar
from grouser.sensors.rfid import RfidReader
from grouser.sensors.sensor import Sensor
from grouser.sensors.victims import VictimSensor

Settings = tuple[tuple[str, Value], ...]
"""Keys of CONF and what they say."""


def geometry(body: Anatomy, asked: GetGeometry, profile: PortProfile) -> list[Message]:
    """Answer GETGEO."""
    kind = asked.type.lower()
    if kind == "robot":
        return [_robot_geometry(body, profile)]
    if kind in PACKAGES:
        return [
            PackageGeometry(
                asked.type,
                title,
                tuple(_links_geometry(body, links, profile)),
                body.look.title if kind == "actuator" else None,
            )
            for title, links in _packages(body, asked.name)
        ]
    mounted: list[Mounting] = []
    for sensor, title, place in _sensors(body, kind, asked.name):
        mounted.append(_mounting(body, title, place[names(sensor, body).index(title)], profile))
    return [SensorGeometry(_type(kind, asked.type), tuple(mounted))]


def configuration(
    body: Anatomy,
    asked: GetConfiguration,
    profile: PortProfile,
    *,
    cameras: Mapping[str, CameraTile],
    key: str | None = None,
    zooms: Mapping[str, float] | None = None,
) -> list[Message]:
    """Answer GETCONF.

    Args:
        body: the robot.
        asked: what about it.
        profile: how the client's port sees the world.
        cameras: camera → where its picture is in the mosaic.
        key: what ties an image connection to this robot; None: there are no pictures.
        zooms: camera → how far it is zoomed now; 1 where it is not said.
    """
    kind = asked.type.lower()
    if kind == "robot":
        return [_robot_configuration(body, profile)]
    if kind in PACKAGES:
        return [
            PackageConfiguration(asked.type, title, tuple(_links_configuration(links, profile)))
            for title, links in _packages(body, asked.name)
        ]
    each: list[SensorSettings] = []
    for sensor, title, _ in _sensors(body, kind, asked.name):
        settings = SETTINGS.get(type(sensor), _interval)(sensor, body, profile)
        if isinstance(sensor, Camera):
            settings = _camera(sensor, cameras.get(title), (zooms or {}).get(title, 1.0), key)
        each.append(SensorSettings(title, settings))
    return [SensorConfiguration(_type(kind, asked.type), tuple(each))]


# -- the robot -----------------------------------------------------------------------------------


def _robot_geometry(body: Anatomy, profile: PortProfile) -> RobotGeometry:
    length, width, height = map(profile.length, body.size.dimensions)
    wheels = body.mover if isinstance(body.mover, Wheels) else None
    base = body.look.wheel_base
    return RobotGeometry(
        type=body.vehicle,
        name=body.look.title,
        dimensions=(length, width, height),
        cog=profile.place(body.size.centre),
        wheel_radius=profile.length(wheels.radius) if wheels else None,
        wheel_separation=profile.length(wheels.steering.gauge) if wheels else None,
        wheel_base=None if base is None else profile.length(base),
    )


def _robot_configuration(body: Anatomy, profile: PortProfile) -> RobotConfiguration:
    ground = isinstance(body.mover, Wheels)
    wheels = [joint.torque for joint in body.joints.all if joint.wheel]
    return RobotConfiguration(
        type=body.vehicle,
        name=body.look.title,
        steering=body.look.steering,
        mass=body.robot.mass,
        max_speed=profile.angle(body.mover.fastest) if body.mover else None,
        max_torque=max(wheels, default=None),
        max_front_steer=0.0 if ground else None,
        max_rear_steer=0.0 if ground else None,
    )


# -- packages ------------------------------------------------------------------------------------


def _packages(body: Anatomy, name: str | None) -> list[tuple[str, tuple[Link, ...]]]:
    if name is None:
        return list(body.packages.items())
    try:
        return [body.package(name)]
    except LookupError:
        return []


def _links_geometry(
    body: Anatomy, links: tuple[Link, ...], profile: PortProfile
) -> Iterator[LinkGeometry]:
    carriers = [link.joint.drive for link in links]
    for number, link in enumerate(links):
        place = hinge(body.model, body.name, link.joint.drive)
        parent = carriers.index(place.body) if place.body in carriers else None
        where, turned = _pose(place.X_BS, profile)
        yield LinkGeometry(number, parent, where, turned)


def _links_configuration(
    links: tuple[Link, ...], profile: PortProfile
) -> Iterator[LinkConfiguration]:
    for number, link in enumerate(links):
        low, high = link.joint.limits
        free = math.isinf(low) or math.isinf(high)
        ends = sorted(link.sign * end for end in (low, high))
        # On the wire a range whose least is above its most is none at all.
        least, most = (1.0, 0.0) if free else (profile.angle(ends[0]), profile.angle(ends[1]))
        speed = profile.angle(link.joint.most)
        yield LinkConfiguration(number, "Revolute", speed, link.joint.torque, least, most)


# -- sensors -------------------------------------------------------------------------------------


def _sensors(
    body: Anatomy, kind: str, name: str | None
) -> Iterator[tuple[Sensor, str, list[Place]]]:
    """Yield every sensor of a type with a name of its own on the wire, and its places."""
    for sensor in body.sensors.values():
        if TYPES.get(type(sensor), "").lower() != kind:
            continue
        titles = names(sensor, body)
        where = places(body.model, body.name, body.robot, sensor)
        where = where * len(titles) if len(where) == 1 else where
        for title in titles:
            if name is None or name.lower() == title.lower():
                yield sensor, title, where


def _type(kind: str, asked: str) -> str:
    """Return a type as it is spelled, or as it was asked for if there is none such."""
    return next((title for title in TYPES.values() if title.lower() == kind), asked)


def _mounting(body: Anatomy, title: str, place: Place, profile: PortProfile) -> Mounting:
    where, turned = _pose(place.X_BS, profile)
    chassis = "HARD" if profile.dialect.packed else body.look.title
    mount = chassis if place.body == body.robot.root else place.body
    return Mounting(title, where, turned, mount)


def _pose(X_BS: Pose, profile: PortProfile) -> tuple[Vector, Vector]:
    x, y, z = X_BS.position.tolist()
    return profile.place((x, y, z)), profile.angles(to_rpy_one(*X_BS.wxyz.tolist()))


def _interval(sensor: Sensor, body: Anatomy, profile: PortProfile) -> Settings:
    return (("ScanInterval", 1.0 / sensor.rate_hz),)


def _span(sensor: Any, profile: PortProfile) -> Settings:
    return (
        ("MaxRange", profile.length(sensor.far)),
        ("MinRange", profile.length(sensor.near)),
    )


def _encoder(sensor: Encoder, body: Anatomy, profile: PortProfile) -> Settings:
    return (("Resolution", profile.angle(ticks(sensor, sensor.drives[0], body))),)


def _sonar(sensor: Sonar, body: Anatomy, profile: PortProfile) -> Settings:
    return (*_span(sensor, profile), ("BeamAngle", profile.angle(sensor.beam)))


def _infrared(sensor: Infrared, body: Anatomy, profile: PortProfile) -> Settings:
    return _span(sensor, profile)


def _laser(sensor: Laser, body: Anatomy, profile: PortProfile) -> Settings:
    return (
        *_span(sensor, profile),
        ("Resolution", profile.angle(sensor.resolution)),
        ("Fov", profile.angle(sensor.fov)),
        ("Panning", True),
        ("Tilting", False),
    )


def _depth(sensor: DepthCamera, body: Anatomy, profile: PortProfile) -> Settings:
    found = grid(sensor.optics.output_plane)
    return (
        *_span(sensor.optics, profile),
        ("Resolution", profile.angle(found.resolution)),
        ("Fov", profile.angle(found.fov)),
        ("Panning", True),
        ("Tilting", True),
    )


def _odometry(sensor: Odometry, body: Anatomy, profile: PortProfile) -> Settings:
    tick = sensor.resolution / sensor.radius
    return (*_interval(sensor, body, profile), ("EncoderResolution", profile.angle(tick)))


def _victims(sensor: VictimSensor, body: Anatomy, profile: PortProfile) -> Settings:
    return (
        ("MaxRange", profile.length(sensor.far)),
        ("HorizontalFOV", profile.angle(sensor.fov)),
        ("VerticalFOV", profile.angle(sensor.fov_vertical)),
    )


def _rfid(sensor: RfidReader, body: Anatomy, profile: PortProfile) -> Settings:
    return (("MaxRange", profile.length(sensor.far)),)


def _battery(sensor: Battery, body: Anatomy, profile: PortProfile) -> Settings:
    return (("Capacity", sensor.capacity), ("IdlePower", sensor.idle))


SETTINGS: dict[type, Callable[[Any, Anatomy, PortProfile], Settings]] = {
    Encoder: _encoder,
    Sonar: _sonar,
    Infrared: _infrared,
    Laser: _laser,
    DepthCamera: _depth,
    Odometry: _odometry,
    VictimSensor: _victims,
    RfidReader: _rfid,
    Battery: _battery,
}
"""Sensor → what CONF says of it; of the others, how often they are read."""


def _camera(sensor: Camera, tile: CameraTile | None, zoom: float, key: str | None) -> Settings:
    """Return UDK's settings of a camera, with angles in degrees, and the key to its pictures."""
    optics = reach(sensor)
    where: Settings = ()
    if tile:
        where = (
            ("TextureOffsetX", tile.x),
            ("TextureOffsetY", tile.y),
            ("TextureResolutionX", tile.width),
            ("TextureResolutionY", tile.height),
        )
    angles = (optics.usual, optics.narrowest, optics.widest, optics.angle(zoom))
    titles = ("CameraDefFov", "CameraMinFov", "CameraMaxFov", "CameraFov")
    views = tuple((title, round(degrees(a), 6)) for title, a in zip(titles, angles, strict=True))
    return (*where, *views, *((("ImageKey", key),) if key else ()))
