"""State, geometry and configuration messages of every robot, in all units."""

import math
from functools import cache

import pytest
from support.client_helpers import instance_of
from support.wire_fixtures import WireRobot, side_speeds, simple_robot

from grouser.gateways.images.mosaic import CameraTile
from grouser.gateways.usarsim.geo_conf import configuration, geometry
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.sensor_encoding import encoder_of
from grouser.protocol.usarsim.axes import Axes
from grouser.protocol.usarsim.commands import GetConfiguration, GetGeometry
from grouser.protocol.usarsim.dialects import DIALECTS, UDK, UT2004, Dialect
from grouser.protocol.usarsim.geo_conf import RobotGeometry, SensorGeometry
from grouser.protocol.usarsim.state import GROUND, LEGGED, State
from grouser.robots.kinds import ROBOTS


@cache
def robot_at_rest(kind: str) -> WireRobot:
    """Return a robot at rest with all of its sensors."""
    return WireRobot(kind)


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
@pytest.mark.parametrize("kind", ROBOTS)
def test_state_message_contains_pose_and_time(kind: str, dialect: Dialect) -> None:
    robot = robot_at_rest(kind).set_profile(PortProfile(dialect))
    *packages, state = robot.decode(robot.state(battery=1200, light=True, view=2))
    assert isinstance(state, State)
    assert state.type == (LEGGED if robot.layout.robot.gait else GROUND)
    assert state.battery == 1200
    assert state.view == (2 if dialect is UT2004 else None)
    assert len(packages) == len(robot.layout.packages)
    if state.type == LEGGED:
        assert len(state.joints) == len(robot.layout.robot.drives)
        here = robot.sim.angles("r")
        for name, shown in state.joints:
            joint = robot.layout.joints.find(name)
            assert shown == pytest.approx(joint.sign * here[joint.drive], abs=1.01e-4)


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
@pytest.mark.parametrize("kind", ROBOTS)
def test_every_robot_reports_geometry_and_configuration(kind: str, dialect: Dialect) -> None:
    robot = robot_at_rest(kind).set_profile(PortProfile(dialect))
    body, profile = robot.layout, robot.profile
    (geo,) = robot.decode(geometry(body, GetGeometry("Robot"), profile))
    assert isinstance(geo, RobotGeometry)
    assert all(0 < edge < 10 for edge in geo.dimensions)
    (conf,) = robot.decode(configuration(body, GetConfiguration("robot"), profile, cameras={}))
    assert conf.mass == pytest.approx(body.robot.mass, abs=1e-3)
    for title in {encoder_of(sensor).type for sensor in body.sensors.values()}:
        (geo,) = robot.decode(geometry(body, GetGeometry(title), profile))
        (conf,) = robot.decode(
            configuration(body, GetConfiguration(title.upper()), profile, cameras={})
        )
        assert geo.type == conf.type == title
        assert [each.name for each in geo.sensors] == [each.name for each in conf.sensors]
        assert geo.sensors
        one = GetGeometry(title, geo.sensors[-1].name.upper())
        assert robot.decode(geometry(body, one, profile))[0].sensors == geo.sensors[-1:]
    for package in ("MisPkg", "Actuator"):
        geos = robot.decode(geometry(body, GetGeometry(package), profile))
        assert [geo.name for geo in geos] == list(body.packages)
    for asked in ("Sonar", "Camera"):
        unknown = GetGeometry(asked, "nobody")
        assert len(robot.lines(geometry(body, unknown, profile))) == int(dialect.packed)


def test_package_state_equals_the_recorded_one() -> None:
    robot = robot_at_rest("p2at").set_profile(PortProfile(UT2004))
    angles = dict.fromkeys(robot.layout.robot.drives, 0.0)
    package, _ = robot.lines(robot.adapter.state(3104.57, angles, robot.profile))
    assert package == (
        "MISSTA {Time 3104.57} {Name CameraPanTilt} {Link 1} {Value 0.0000} {Torque -20.00} "
        "{Link 2} {Value 0.0000} {Torque -20.00}"
    )


def test_left_sonar_is_at_negative_y_with_negative_yaw() -> None:
    robot = WireRobot("p2dx")
    (geo,) = robot.decode(geometry(robot.layout, GetGeometry("Sonar", "F1"), robot.profile))
    (first,) = geo.sensors
    assert first.location[1] < -0.1
    assert first.orientation[2] == pytest.approx(-math.pi / 2, abs=1e-3)
    assert first.mount == "HARD"
    up = PortProfile(UDK, Axes.Z_UP)
    (scanner,) = geometry(robot.layout, GetGeometry("RangeScanner"), up)
    laser = instance_of(SensorGeometry, scanner).sensors[0]
    assert laser.location[2] > 0.1
    assert laser.mount == "P2DX"


def test_camera_configuration_contains_tile_and_key() -> None:
    robot = WireRobot("p2dx")
    (conf,) = robot.decode(
        configuration(
            robot.layout,
            GetConfiguration("Camera"),
            robot.profile,
            cameras={"Camera": CameraTile(3, 320, 240, 320, 240)},
            key="0a1b",
            zooms={"Camera": 2.0},
        )
    )
    settings = conf.sensors[0].settings
    assert settings[-1] == ("ImageKey", "0a1b")
    messages = dict(settings)
    assert (messages["TextureOffsetX"], messages["TextureOffsetY"]) == (320, 240)
    assert (messages["CameraDefFov"], messages["CameraMaxFov"]) == (80.0, 120.0)
    narrow = 2 * math.degrees(math.atan(math.tan(math.radians(40)) / 2))
    assert messages["CameraFov"] == pytest.approx(narrow, abs=1e-3)


def test_unreal_units_are_converted_in_both_directions() -> None:
    profile = PortProfile(UT2004, Axes.Z_DOWN, unreal=True)
    for port in (profile, PortProfile()):
        far = [0.1, -0.0, 7.3]
        assert repr(port.lengths(far)) == repr(tuple(map(port.length, far)))
    robot = simple_robot("kenaf", profile=profile)
    turn = 65536 / math.tau
    command = robot.command_of(f"MULTIDRIVE {{RRFlipper {0.5 * turn}}}")
    assert command["rear_right_arm"].value == pytest.approx(0.5)
    left, _ = side_speeds(robot, robot.command_of(f"DRIVE {{Left {turn}}} {{Right 0}}"))
    assert left == pytest.approx(1.0)
    (geo,) = geometry(robot.layout, GetGeometry("Robot"), profile)
    assert instance_of(RobotGeometry, geo).wheel_radius == pytest.approx(0.075 * 250)
    assert profile.from_place(profile.place((1.0, 2.0, 3.0))) == pytest.approx((1, 2, 3))
    assert profile.from_angles(profile.angles((0.1, 0.2, -0.3))) == pytest.approx(
        (0.1, 0.2, -0.3), abs=1e-4
    )
