"""What every sensor says over the wire, and what SET does to it."""

import dataclasses
import math
from functools import cache

import numpy as np
import pytest
from support.sensor_rig import block
from support.wire_fixtures import WireRobot

from grouser.errors import BadValue
from grouser.frames import Pose
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.sensor_encoding import TYPES, encode
from grouser.gateways.usarsim.settings import TAGS_PER_ROBOT, apply, camera_zooms
from grouser.protocol.usarsim import sensor_messages
from grouser.protocol.usarsim.axes import Axes
from grouser.protocol.usarsim.dialects import DIALECTS, UDK, UT2004
from grouser.robots.kinds import ROBOTS
from grouser.sensors.battery import Battery
from grouser.sensors.camera import Camera
from grouser.sensors.depth import DepthCamera
from grouser.sensors.sensor import SENSORS, Reading
from grouser.service.host import TagMemory
from grouser.simulation.changes.actions import Join, SetPose
from grouser.world.objects import Tag, Victim

TICK = 0.02  # s
MOUNT = {"mount": "body", "at": [0.1, 0.0, 0.3]}
SIDES = {"left": ["left"], "right": ["right"], "gauge": 0.331}
ALL = (
    {"kind": "encoder", "name": "counter", "drives": ["left", "right"], "resolution": 0.002},
    {"kind": "truth", "name": "where", "body": "body"},
    {"kind": "accelerometer", **MOUNT},
    {"kind": "gyroscope", **MOUNT},
    {"kind": "touch", "mount": "body"},
    {"kind": "pressure", "mount": "body", "places": [["fore", [0.2, 0, 0]], ["aft", [-0.2, 0, 0]]]},
    {"kind": "infrared", **MOUNT},
    {"kind": "sonar", **MOUNT},
    {"kind": "sonar", "name": "s2", **MOUNT},
    {"kind": "laser", **MOUNT},
    {"kind": "tachometer", "drives": ["left", "right"]},
    {"kind": "odometry", **SIDES},
    {"kind": "ins", **MOUNT},
    {"kind": "gps", **MOUNT},
    {"kind": "compass", **MOUNT},
    {"kind": "battery", "capacity": 1000.0, "idle": 1.0},
    {"kind": "mocap", "body": "body"},
    {"kind": "camera", **MOUNT, "camera": "ers7"},
    {"kind": "depth", **MOUNT, "camera": "kinect1"},
    {"kind": "victims", **MOUNT},
    {"kind": "rfid", **MOUNT},
)
THINGS = (
    block("wall", (0, 1.5, 0.5), (4, 0.1, 1)),  # on the left
    Victim(name="bob", friction=1, fixed=True, position=(2.5, 0, 0), yaw_deg=90),
    Tag(name="t", number=1001, position=(0.4, -1.2, 0.1)),
)
POSE = Pose.at(0.2, -0.3, 0.09, yaw=-0.2)


@cache
def loaded():
    """Return a PackBot with one of every sensor, by a wall on its left, that has gone a little."""
    robot = WireRobot("packbot", *ALL, objects=THINGS)
    robot.send("DRIVE {Left 3} {Right 4}", seconds=0.6)
    robot.send("DRIVE {Left 0} {Right 0}", seconds=0.5)
    robot.sim.apply(SetPose("r", POSE))
    robot.sim.step(1.0)
    return robot


def heard(robot, asked=()):
    return robot.decode(encode(robot.readings(), robot.layout, robot.profile, asked))


def only(messages, kind, name=None):
    """Return the one message of a class, of the sensor ``name`` if it is given."""
    found = [m for m in messages if type(m) is kind and (name is None or m.name == name)]
    assert len(found) == 1
    return found[0]


def told(messages, kind):
    """Return name → value of sensors that share a class, over all its messages."""
    return {name: v for m in messages if type(m) is kind for name, v in m.readings}


def test_the_test_has_every_sensor_and_every_sensor_has_a_type() -> None:
    assert {each["kind"] for each in ALL} == set(SENSORS)
    assert {type(sensor) for sensor in loaded().layout.sensors.values()} == set(TYPES)


# -- there and back ------------------------------------------------------------------------------


def close(a, b, digits):
    """Return whether two messages are equal to within ``digits``; times may have been left out."""
    if isinstance(a, float) and not isinstance(b, bool) and b is not None:
        turned = math.remainder(a - b, math.tau)
        return abs(a - b) <= digits or abs(turned) <= digits
    if isinstance(a, tuple):
        return len(a) == len(b) and all(close(x, y, digits) for x, y in zip(a, b, strict=True))
    if dataclasses.is_dataclass(a):
        fields = [f.name for f in dataclasses.fields(a) if f.name != "time"]
        return type(a) is type(b) and all(
            close(getattr(a, f), getattr(b, f), digits) for f in fields
        )
    return a == b


@pytest.mark.parametrize("unreal", [False, True], ids=["si", "unreal"])
@pytest.mark.parametrize("axes", Axes)
@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_every_reading_comes_through(dialect, axes, unreal) -> None:
    robot = loaded().set_profile(PortProfile(dialect, axes, unreal))
    said = encode(robot.readings(), robot.layout, robot.profile)
    back = robot.decode(said)
    if not dialect.packed:  # UT2004's one line is one for each sensor here
        said = [
            part
            for m in said
            for part in (
                [dataclasses.replace(m, readings=(one,)) for one in m.readings]
                if isinstance(m, sensor_messages.Grouped)
                else [m]
            )
        ]
    assert len(said) == len(back)
    for one, other in zip(said, back, strict=True):
        assert close(one, other, 0.0101), (one, other)


@pytest.mark.parametrize("kind", ROBOTS)
def test_every_robots_own_sensors_are_heard(kind) -> None:
    robot = WireRobot(kind)
    robot.sim.step(0.1)
    for dialect in DIALECTS.values():
        robot.set_profile(PortProfile(dialect))
        types = {getattr(message, "type", None) for message in heard(robot)}
        silent = (Camera, Battery, DepthCamera)
        sensors = [s for s in robot.layout.sensors.values() if not isinstance(s, silent)]
        assert types == {TYPES[type(sensor)] for sensor in sensors}


def test_types_are_said_in_the_order_of_the_capture() -> None:
    robot = loaded().set_profile(PortProfile(UT2004))
    types = [m.type for m in encode(robot.readings(), robot.layout, robot.profile)]
    captured = ["Sonar", "RangeScanner", "INS", "Odometry", "Encoder", "RFID", "GroundTruth",
                "GPS", "VictSensor"]  # fmt: skip
    assert [kind for kind in dict.fromkeys(types) if kind in captured] == captured
    assert types.count("Sonar") == 1


# -- what they say -------------------------------------------------------------------------------


@pytest.mark.parametrize("axes", Axes)
def test_places_and_angles_are_in_the_wires_axes(axes) -> None:
    robot = loaded().set_profile(PortProfile(UDK, axes))
    messages = heard(robot)
    down = 1 if axes is Axes.Z_DOWN else -1
    x, y, z = robot.sim.pose("r").position
    truth = only(messages, sensor_messages.GroundTruth, "where")
    assert truth.location == pytest.approx((x, -y, -z * down), abs=2e-3)
    assert truth.orientation[2] == pytest.approx(0.2, abs=0.02)  # yaw to the right
    felt_ = only(messages, sensor_messages.ProperAcceleration)
    assert felt_.acceleration[2] == pytest.approx(-9.81 * down, abs=0.1)
    assert only(messages, sensor_messages.Compass).angle == pytest.approx(0.2, abs=0.02)
    mocap = only(messages, sensor_messages.MotionCapture)
    assert mocap.tracked
    assert mocap.location == pytest.approx((x, -y, -z * down), abs=5e-3)
    assert only(messages, sensor_messages.Gyroscope).angular_velocity == pytest.approx(
        (0, 0, 0), abs=0.1
    )
    assert abs(sum(told(messages, sensor_messages.Forces).values())) < 1.0  # it stands on its belts


def test_turning_to_the_right_is_positive_for_gyroscope_and_odometry() -> None:
    robot = WireRobot("packbot", *ALL)
    robot.send("DRIVE {Left 4} {Right -4}", seconds=0.5)
    messages = heard(robot)
    assert only(messages, sensor_messages.Gyroscope).angular_velocity[2] > 0.2
    assert only(messages, sensor_messages.Odometry).pose[2] > 0.2
    assert only(messages, sensor_messages.GroundTruth, "where").orientation[2] > 0.05


def test_scans_run_from_right_to_left() -> None:
    scan = only(heard(loaded().set_profile(PortProfile())), sensor_messages.RangeScan)
    assert len(scan.ranges) == 181 == round(scan.fov / scan.resolution) + 1
    assert scan.ranges[0] == 20.0  # nothing on the right
    assert 1.0 < scan.ranges[-1] < 3.0  # the wall on the left


def test_wheels_are_counted_in_radians_and_ticks() -> None:
    robot = loaded().set_profile(PortProfile())
    messages, radius = heard(robot), robot.layout.drive_mode.radius
    here = robot.sim.angles("r")
    spun = [here[side] / radius for side in ("left", "right")]
    assert min(spun) > 1.0
    assert only(messages, sensor_messages.Tachometer).angles == pytest.approx(spun, abs=0.01)
    # Both of its encoders say how far the same belts are, one of them in ticks of 2 mm.
    ticks = told(messages, sensor_messages.Encoders)
    assert set(ticks) == {"ECLeft", "ECRight", "counterLeft", "counterRight"}
    assert ticks["ECRight"] == math.floor(math.degrees(spun[1]))
    assert ticks["counterRight"] == math.floor(here["right"] / 0.002)


def test_victims_and_tags_are_found() -> None:
    messages = heard(loaded().set_profile(PortProfile()))
    parts = only(messages, sensor_messages.Victims).parts
    assert parts
    assert {name for name, _ in parts} <= {
        "Head", "Arm", "Hand", "Chest", "Pelvis", "Leg", "Foot"
    }  # fmt: skip
    assert all(1.0 < place[0] < 4.0 for _, place in parts)
    assert [tag.id for tag in only(messages, sensor_messages.Tags).tags] == ["1001"]


def test_gps_says_degrees_and_no_fix_says_none() -> None:
    robot = loaded().set_profile(PortProfile())
    fix = only(heard(robot), sensor_messages.Gps)
    assert fix.latitude_deg == pytest.approx(39 + 8.0273 / 60, abs=1e-3)
    assert fix.longitude_deg == pytest.approx(-77 - 12.998 / 60, abs=1e-3)
    lost = Reading("gps", 0.0, {"fix": 0.0, "satellites": 2.0, "latitude": math.nan})
    (message,) = encode([(robot.layout.sensors["gps"], lost)], robot.layout, robot.profile)
    assert robot.lines([message]) == ["SEN {Type GPS} {Name gps} {Fix 0} {Satellites 2}"]


def test_a_lost_frame_of_motion_capture_is_said_so() -> None:
    robot = loaded().set_profile(PortProfile())
    lost = Reading("mocap", 0.0, {"tracked": 0.0, "x": math.nan})
    (message,) = encode([(robot.layout.sensors["mocap"], lost)], robot.layout, robot.profile)
    assert robot.decode([message]) == [sensor_messages.MotionCapture(0.0, "mocap", False)]


def test_a_depth_camera_says_sweeps_when_asked_and_only_then() -> None:
    robot = WireRobot("packbot", {"kind": "depth", **MOUNT}, objects=(
        block("ahead", (2.1, -1.0, 0.4), (0.2, 2.0, 2.0)),  # on the right half
    ))  # fmt: skip
    assert not [m for m in heard(robot) if isinstance(m, sensor_messages.RangeImage)]
    pieces = [m for m in heard(robot, asked=["depth"]) if isinstance(m, sensor_messages.RangeImage)]
    assert [piece.frame for piece in pieces] == list(range(pieces[0].frames))
    ranges = np.array([piece.ranges for piece in pieces])
    level = ranges[len(pieces) // 2]
    right, left = level[40], level[-10]  # a third of the way from the right edge; the left edge
    off = abs(40 - (len(level) - 1) / 2) * pieces[0].resolution
    assert right == pytest.approx(1.9 / math.cos(off), rel=0.03)
    assert left == 8.0  # the Kinect's far


# -- SET -----------------------------------------------------------------------------------------


def setting(robot, line, tags=None):
    message = robot.parse(line)
    return apply(message, robot.layout, robot.sim, robot.profile, tags or TagMemory(), TICK)


def said(robot, line, tags=None):
    return robot.lines([setting(robot, line, tags).response])


def test_odometry_encoders_and_tachometers_begin_again() -> None:
    robot = WireRobot("packbot", *ALL)
    robot.send("DRIVE {Left 5} {Right 5}", seconds=0.5)
    robot.send("DRIVE {Left 0} {Right 0}", seconds=0.5)
    before = heard(robot)
    assert only(before, sensor_messages.Odometry).pose[0] > 0.1
    for kind in ("Odometry", "Encoder", "Tachometer"):
        assert "{Status OK}" in said(robot, f"SET {{Type {kind}}} {{Opcode RESET}}")[0]
    robot.sim.step(0.3)
    after = heard(robot)
    assert only(after, sensor_messages.Odometry).pose == pytest.approx((0, 0, 0), abs=1e-3)
    assert only(after, sensor_messages.Tachometer).angles == pytest.approx((0, 0), abs=0.01)
    assert all(abs(tick) <= 1 for tick in told(after, sensor_messages.Encoders).values())
    robot.send("DRIVE {Left 5} {Right 5}", seconds=0.5)
    assert only(heard(robot), sensor_messages.Odometry).pose[0] > 0.1


def test_inertial_navigation_takes_a_pose_over() -> None:
    robot = WireRobot("packbot", *ALL)
    line = "SET {Type INS} {Name ins} {Opcode POSE} {Params 1,2,-3,0,0.1,0.5}"
    assert said(robot, line) == ["RES {Time 0.00} {Type INS} {Name ins} {Status OK}"]
    with pytest.raises(BadValue, match="POSE"):
        setting(robot, "SET {Type INS} {Opcode POSE} {Params 1e300,0,0,0,0,0}")
    robot.sim.step(0.3)
    ins = only(heard(robot), sensor_messages.Ins)
    assert ins.location == pytest.approx((1, 2, -3), abs=0.011)
    assert ins.orientation == pytest.approx((0, 0.1, 0.5), abs=0.011)


def test_scan_measures_now() -> None:
    robot = WireRobot("packbot", *ALL)
    robot.sim.step(0.25)
    robot.sim.drain_readings()
    outcome = setting(robot, "SET {Type RangeScanner} {Name LASER} {Opcode SCAN}")
    ((owner, reading),) = robot.sim.drain_readings()
    assert (owner, reading.sensor, reading.time) == ("r", "laser", robot.sim.time)
    assert outcome.requested == ()
    assert setting(robot, "SET {Type RangeImager} {Opcode SCAN}").requested == ("depth",)
    assert "Failed" in said(robot, "SET {Type IRScanner} {Opcode SCAN}")[0]


def test_a_camera_zooms_within_its_reach() -> None:
    robot = WireRobot("p2dx")
    zoom = "SET {Type Camera} {Name camera} {Opcode Zoom} {Params %s}"
    assert said(robot, zoom % 0.8) == [
        "RES {Time 0.00} {Type Camera} {Name Camera} {FOV 0.8000} {Status OK}"
    ]
    _, camera = robot.sim.scene.sensors["r", "Camera"]
    assert camera.memory.aim.zoom == pytest.approx(math.tan(math.radians(40)) / math.tan(0.4))
    for wanted, gets in ((0.01, math.radians(20)), (3.1, math.radians(120)), (0, math.radians(80))):
        (result,) = setting(robot, zoom % wanted).response.results
        assert result.fov == pytest.approx(gets)
    assert camera.memory.aim.zoom == 1.0
    setting(robot, zoom % 0.8)
    assert camera_zooms(robot.layout, robot.sim) == {"Camera": camera.memory.aim.zoom}
    (result,) = setting(
        robot, "SET {Type Camera} {Name no} {Opcode FOV} {Params 1}"
    ).response.results
    assert result.status == "Failed"


def test_tags_are_written_read_and_dropped() -> None:
    robot, tags = loaded().set_profile(PortProfile()), TagMemory()
    assert (
        "Failed" in said(robot, "SET {Type RFID} {Name rfid} {Opcode Write} {Params 9 x}", tags)[0]
    )
    assert "OK" in said(robot, "SET {Type RFID} {Opcode Write} {Params 1001 hello you}", tags)[0]
    read = said(robot, "SET {Type RFID} {Name rfid} {Opcode Read} {Params 1001}", tags)
    assert read[0].endswith("{Name rfid} {Status OK} {Data hello you} {Status OK}")
    outcome = setting(robot, "SET {Type RFIDReleaser} {Name Gun} {Opcode Release}", tags)
    (action,) = outcome.actions
    assert isinstance(action, Join)
    for _ in range(TAGS_PER_ROBOT):
        outcome = setting(robot, "SET {Type RFIDReleaser} {Name Gun} {Opcode Release}", tags)
    assert outcome.response.results[0].status == "Failed"  # it carries no more
    bare = WireRobot("packbot")
    assert "Failed" in said(bare, "SET {Type RFIDReleaser} {Name Gun} {Opcode Release}")[0]
    fresh = WireRobot("packbot", *ALL)
    tags.dropped.clear()
    fresh.sim.apply(*setting(fresh, "SET {Type RFIDReleaser} {Opcode Release}", tags).actions)
    fresh.sim.step(0.5)
    assert fresh.sim.read("r", "rfid").array("ids").tolist() == [
        action.member.number + TAGS_PER_ROBOT
    ]


def test_viewports_and_the_rest_are_answered() -> None:
    robot = WireRobot("p2dx")
    line = "SET {Type Viewports} {Config SingleView} {Viewport1 Camera} {Viewport2 nobody}"
    assert said(robot, line) == [
        "RES {Time 0.00} {Type Viewports} {Config SingleView} {Status OK} {Viewport1 Camera} "
        "{Status OK} {Viewport2 nobody} {Status Failed}"
    ]
    assert "OK" in said(robot, "SET {Type Camera} {Robot r} {Name Camera} {Client 1.2.3.4}")[0]
    assert "Failed" in said(robot, "SET {Type Camera} {Robot x} {Name Camera} {Client 1.2.3.4}")[0]
    for line in ("SET {Type Gripper} {Opcode OPEN}", "SET {Type Nothing} {Opcode Else}"):
        assert "Failed" in said(robot, line)[0]
    with pytest.raises(BadValue, match="Joint"):
        setting(robot, "SET {Type Joint} {Name tilt} {Opcode Angle} {Params 0}")
