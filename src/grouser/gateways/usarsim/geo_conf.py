"""Answers to GETGEO and GETCONF: geometry and configuration of robot, sensors and packages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from grouser.frames import Pose, degrees, to_rpy_one
from grouser.gateways.images.mosaic import CameraTile
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.robot_layout import (
    MountPose,
    PackageLink,
    RobotLayout,
    hinge_pose,
    pose_in_carrier,
)
from grouser.gateways.usarsim.sensor_encoder import Settings
from grouser.gateways.usarsim.sensor_encoding import ENCODERS, encoder_of
from grouser.protocol.usarsim import geo_conf
from grouser.protocol.usarsim.commands import GetConfiguration, GetGeometry
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.values import Vector
from grouser.robots.drive_modes import SkidSteering
from grouser.sensors.camera import Camera
from grouser.sensors.sensor import Sensor
from grouser.sensors.zoom_range import zoom_range

_ORIGIN: Vector = (0.0, 0.0, 0.0)


def geometry(layout: RobotLayout, query: GetGeometry, profile: PortProfile) -> list[Message]:
    """Return the answer to GETGEO."""
    kind = query.type.lower()
    if kind == "robot":
        return [_robot_geometry(layout, profile)]
    if kind in geo_conf.PACKAGES:
        packages: list[Message] = []
        for wire_name, links in _packages(layout, query.name):
            parts = tuple(_links_geometry(layout, links, profile))
            package = geo_conf.PackageGeometry(query.type, wire_name, parts)
            if kind == "actuator":
                package = _actuator_geometry(package, layout, links, profile)
            packages.append(package)
        return packages
    mounted: list[geo_conf.Mounting] = []
    for sensor, wire_name, place in _sensors(layout, kind, query.name):
        mounted.append(
            _mounting(
                layout,
                wire_name,
                place[encoder_of(sensor).names(sensor, layout).index(wire_name)],
                profile,
            )
        )
    return [geo_conf.SensorGeometry(_spelled_type(layout, kind, query.type), tuple(mounted))]


def configuration(
    layout: RobotLayout,
    query: GetConfiguration,
    profile: PortProfile,
    *,
    cameras: Mapping[str, CameraTile],
    key: str | None = None,
    zooms: Mapping[str, float] | None = None,
) -> list[Message]:
    """Return the answer to GETCONF.

    ``cameras`` maps cameras to tiles of the mosaic, ``zooms`` to their present zoom factors;
    ``key`` ties an image connection to this robot (None: no rendering).
    """
    kind = query.type.lower()
    if kind == "robot":
        return [_robot_configuration(layout, profile)]
    if kind in geo_conf.PACKAGES:
        packages: list[Message] = []
        for wire_name, links in _packages(layout, query.name):
            if kind == geo_conf.ACTUATOR:
                limits = tuple(_actuator_limits(links, profile))
                packages.append(geo_conf.ActuatorConfiguration(query.type, wire_name, limits))
            else:
                parts = tuple(_links_configuration(links, profile))
                packages.append(geo_conf.PackageConfiguration(query.type, wire_name, parts))
        return packages
    each: list[geo_conf.SensorSettings] = []
    for sensor, wire_name, _ in _sensors(layout, kind, query.name):
        settings = encoder_of(sensor).settings(sensor, layout, profile)
        if isinstance(sensor, Camera):
            settings = _camera(
                sensor,
                cameras.get(wire_name),
                (zooms or {}).get(wire_name, 1.0),
                key,
                profile.angle if profile.early else degrees,
            )
        each.append(geo_conf.SensorSettings(wire_name, settings))
    return [geo_conf.SensorConfiguration(_spelled_type(layout, kind, query.type), tuple(each))]


# -- the robot -----------------------------------------------------------------------------------


def _robot_geometry(layout: RobotLayout, profile: PortProfile) -> geo_conf.RobotGeometry:
    length, width, height = map(profile.length, layout.size.dimensions)
    wheels = layout.drive_mode if isinstance(layout.drive_mode, SkidSteering) else None
    base = layout.appearance.wheel_base
    return geo_conf.RobotGeometry(
        type=layout.vehicle,
        name=layout.appearance.class_name,
        dimensions=(length, width, height),
        cog=profile.place(layout.size.centre),
        wheel_radius=profile.length(wheels.radius) if wheels else None,
        wheel_separation=profile.length(wheels.steering.gauge) if wheels else None,
        wheel_base=None if base is None else profile.length(base),
    )


def _robot_configuration(layout: RobotLayout, profile: PortProfile) -> geo_conf.RobotConfiguration:
    ground = isinstance(layout.drive_mode, SkidSteering)
    wheels = [joint.max_torque for joint in layout.joints.all if joint.wheel]
    return geo_conf.RobotConfiguration(
        type=layout.vehicle,
        name=layout.appearance.class_name,
        steering=layout.appearance.steering,
        mass=layout.robot.mass,
        max_speed=profile.angle(layout.drive_mode.max_spin) if layout.drive_mode else None,
        max_torque=max(wheels, default=None),
        max_front_steer=0.0 if ground else None,
        max_rear_steer=0.0 if ground else None,
    )


# -- packages ------------------------------------------------------------------------------------


def _packages(layout: RobotLayout, name: str | None) -> list[tuple[str, tuple[PackageLink, ...]]]:
    if name is None:
        return list(layout.packages.items())
    try:
        return [layout.package(name)]
    except LookupError:
        return []


def _actuator_geometry(
    package: geo_conf.PackageGeometry,
    layout: RobotLayout,
    links: tuple[PackageLink, ...],
    profile: PortProfile,
) -> geo_conf.PackageGeometry:
    """Return UDK's form: the package has the pose of its first link, which is at the origin."""
    first, *others = package.links
    origin = replace(first, location=_ORIGIN, orientation=_ORIGIN)
    return replace(
        package,
        links=(origin, *others),
        location=first.location,
        orientation=first.orientation,
        mount=layout.appearance.class_name,
        tip=_tip(layout, links, profile),
    )


def _tip(layout: RobotLayout, links: tuple[PackageLink, ...], profile: PortProfile) -> Vector:
    """Return the tip relative to the first joint: the sensor on the last link, or its joint."""
    base, last = links[0].joint.drive, links[-1].joint.drive
    ends = [
        place
        for sensor in layout.sensors.values()
        for place in encoder_of(sensor).poses(sensor, layout)
        if place.body == last
    ]
    end = ends[0] if ends else MountPose(last, Pose())
    where, _ = _pose(
        pose_in_carrier(layout.model, layout.name, layout.robot, end, {base}).X_BS, profile
    )
    return where


def _links_geometry(
    layout: RobotLayout, links: tuple[PackageLink, ...], profile: PortProfile
) -> Iterator[geo_conf.LinkGeometry]:
    carriers = [link.joint.drive for link in links]
    for number, link in enumerate(links):
        place = hinge_pose(layout.model, layout.name, link.joint.drive)
        parent = carriers.index(place.body) if place.body in carriers else None
        where, turned = _pose(place.X_BS, profile)
        yield geo_conf.LinkGeometry(number, parent, where, turned)


def _links_configuration(
    links: tuple[PackageLink, ...], profile: PortProfile
) -> Iterator[geo_conf.LinkConfiguration]:
    for number, link in enumerate(links):
        low, high = link.joint.limits
        free = math.isinf(low) or math.isinf(high)
        ends = sorted(link.sign * end for end in (low, high))
        # On the wire MinRange > MaxRange means no limit.
        least, most = (1.0, 0.0) if free else (profile.angle(ends[0]), profile.angle(ends[1]))
        speed = profile.angle(link.joint.max_speed)
        yield geo_conf.LinkConfiguration(
            number, "Revolute", speed, link.joint.max_torque, least, most
        )


def _actuator_limits(
    links: tuple[PackageLink, ...], profile: PortProfile
) -> Iterator[geo_conf.ActuatorLinkConfiguration]:
    """Yield UDK's limits; those of a link without limits are -pi and pi."""
    for number, link in enumerate(links):
        low, high = sorted(link.sign * end for end in link.joint.limits)
        if math.isinf(low) or math.isinf(high):
            low, high = -math.pi, math.pi
        yield geo_conf.ActuatorLinkConfiguration(
            number, "Revolute", link.joint.max_torque, profile.angle(low), profile.angle(high)
        )


# -- sensors -------------------------------------------------------------------------------------


def _sensors(
    layout: RobotLayout, kind: str, name: str | None
) -> Iterator[tuple[Sensor, str, list[MountPose]]]:
    """Yield each sensor of a type with its wire name and mounting poses."""
    for sensor in layout.sensors.values():
        encoder = encoder_of(sensor)
        if encoder.type.lower() != kind:
            continue
        wire_names = encoder.names(sensor, layout)
        where = encoder.poses(sensor, layout)
        where = where * len(wire_names) if len(where) == 1 else where
        for wire_name in wire_names:
            if name is None or name.lower() == wire_name.lower():
                yield sensor, wire_name, where


def _spelled_type(layout: RobotLayout, kind: str, requested: str) -> str:
    """Return a sensor type in its own spelling, or as requested if it is unknown."""
    encoders = (*ENCODERS.values(), *map(encoder_of, layout.sensors.values()))
    return next((known.type for known in encoders if known.type.lower() == kind), requested)


def _mounting(
    layout: RobotLayout, wire_name: str, place: MountPose, profile: PortProfile
) -> geo_conf.Mounting:
    """Return the pose of a sensor relative to a link of a package, or to the chassis."""
    links = {
        link.joint.drive: (package, number)
        for package, links in layout.packages.items()
        for number, link in enumerate(links, 1)
    }
    place = pose_in_carrier(layout.model, layout.name, layout.robot, place, links)
    where, turned = _pose(place.X_BS, profile)
    if place.body not in links:
        chassis = "HARD" if profile.dialect.packed else layout.appearance.class_name
        return geo_conf.Mounting(wire_name, where, turned, chassis)
    package, number = links[place.body]
    if profile.dialect.packed:
        return geo_conf.Mounting(wire_name, where, turned, f"{package}_Link{number}")
    return geo_conf.Mounting(wire_name, where, turned, package, number)


def _pose(X_BS: Pose, profile: PortProfile) -> tuple[Vector, Vector]:
    x, y, z = X_BS.position.tolist()
    return profile.place((x, y, z)), profile.angles(to_rpy_one(*X_BS.wxyz.tolist()))


def _camera(
    sensor: Camera,
    tile: CameraTile | None,
    zoom: float,
    key: str | None,
    unit: Callable[[float], float],
) -> Settings:
    """Return UDK's settings of a camera, angles in ``unit``, and the key to its images."""
    optics = zoom_range(sensor)
    where: Settings = ()
    if tile:
        where = (
            ("TextureOffsetX", tile.x),
            ("TextureOffsetY", tile.y),
            ("TextureResolutionX", tile.width),
            ("TextureResolutionY", tile.height),
        )
    angles = (optics.default, optics.narrowest, optics.widest, optics.angle(zoom))
    keys = ("CameraDefFov", "CameraMinFov", "CameraMaxFov", "CameraFov")
    views = tuple((key_, round(unit(a), 6)) for key_, a in zip(keys, angles, strict=True))
    return (*where, *views, *((("ImageKey", key),) if key else ()))
