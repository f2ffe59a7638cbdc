"""Wire messages of every sensor, and SET commands."""

import dataclasses
import math
from functools import cache
from typing import Any, TypeVar

import numpy as np
import pytest
from support.client_helpers import instance_of
from support.sensor_rig import block
from support.wire_fixtures import WireRobot

from grouser.errors import BadValue
from grouser.frames import Pose
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.sensor_encoding import ENCODERS, encode, encoder_of
from grouser.gateways.usarsim.settings import TAGS_PER_ROBOT, SettingResult, apply, camera_zooms
from grouser.protocol.usarsim import sensor_messages
from grouser.protocol.usarsim.axes import Axes
from grouser.protocol.usarsim.dialects import DIALECTS, UDK, UT2004, Dialect
from grouser.protocol.usarsim.sensor_messages import Encoders, Forces, SensorMessage
from grouser.robots.drive_modes import SkidSteering
from grouser.robots.kinds import ROBOTS
from grouser.sensors.battery import Battery
from grouser.sensors.camera import Camera
from grouser.sensors.depth import DepthCamera
from grouser.sensors.sensor import SENSORS, Reading
from grouser.service.host import TagMemory
from grouser.simulation.changes.actions import AimCamera, Join, MeasureSensor, ResetSensor, SetPose
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
def equipped_robot() -> WireRobot:
    """Return a PackBot with every sensor and a wall on its left, after a short drive."""
    robot = WireRobot("packbot", *ALL, objects=THINGS)
    robot.send("DRIVE {Left 3} {Right 4}", seconds=0.6)
    robot.send("DRIVE {Left 0} {Right 0}", seconds=0.5)
    robot.sim.apply(SetPose("r", POSE))
    robot.sim.step(1.0)
    return robot


def decode(robot: WireRobot, asked: tuple[Any, ...] | list[str] = ()) -> list[SensorMessage]:
    return robot.decode(encode(robot.readings(), robot.layout, robot.profile, asked))


Kind = TypeVar("Kind")


def only_message(messages: list[SensorMessage], kind: type[Kind], name: str | None = None) -> Kind:
    """Return the only message of a class, or that of the sensor ``name``."""
    found = [
        m
        for m in messages
        if isinstance(m, kind) and type(m) is kind and name in (None, getattr(m, "name", None))
    ]
    assert len(found) == 1
    return found[0]


def values_by_name(
    messages: list[SensorMessage], kind: type[Forces] | type[Encoders]
) -> dict[str, float]:
    """Return name → value of all messages of a class."""
    return {name: v for m in messages if type(m) is kind for name, v in m.readings}


def test_every_encoder_is_that_of_a_sensor_and_covered_here() -> None:
    assert {each["kind"] for each in ALL} == set(ENCODERS)
    assert set(ENCODERS) <= set(SENSORS)
    types = {encoder_of(sensor).type for sensor in equipped_robot().layout.sensors.values()}
    assert types == {encoder.type for encoder in ENCODERS.values()}


# -- there and back ------------------------------------------------------------------------------


def are_close(a: Any, b: Any, digits: float) -> bool:
    """Return True if two messages are equal to ``digits``; times may be missing."""
    if isinstance(a, float) and not isinstance(b, bool) and b is not None:
        turned = math.remainder(a - b, math.tau)
        return abs(a - b) <= digits or abs(turned) <= digits
    if isinstance(a, tuple):
        return len(a) == len(b) and all(are_close(x, y, digits) for x, y in zip(a, b, strict=True))
    if dataclasses.is_dataclass(a):
        fields = [f.name for f in dataclasses.fields(a) if f.name != "time"]
        return type(a) is type(b) and all(
            are_close(getattr(a, f), getattr(b, f), digits) for f in fields
        )
    return bool(a == b)


@pytest.mark.parametrize("unreal", [False, True], ids=["si", "unreal"])
@pytest.mark.parametrize("axes", Axes)
@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_every_reading_round_trips(dialect: Dialect, axes: Axes, unreal: bool) -> None:
    robot = equipped_robot().set_profile(PortProfile(dialect, axes, unreal))
    answer_lines = encode(robot.readings(), robot.layout, robot.profile)
    back = robot.decode(answer_lines)
    if not dialect.packed:  # one line in UT2004, one per sensor here
        answer_lines = [
            part
            for m in answer_lines
            for part in (
                [dataclasses.replace(m, readings=(one,)) for one in m.readings]
                if isinstance(m, sensor_messages.Grouped)
                else [m]
            )
        ]
    assert len(answer_lines) == len(back)
    for one, other in zip(answer_lines, back, strict=True):
        assert are_close(one, other, 0.0101), (one, other)


@pytest.mark.parametrize("kind", ROBOTS)
def test_standard_sensors_of_every_robot_are_encoded(kind: str) -> None:
    robot = WireRobot(kind)
    robot.sim.step(0.1)
    for dialect in DIALECTS.values():
        robot.set_profile(PortProfile(dialect))
        types = {getattr(message, "type", None) for message in decode(robot)}
        silent = (Camera, Battery, DepthCamera)
        sensors = [s for s in robot.layout.sensors.values() if not isinstance(s, silent)]
        assert types == {encoder_of(sensor).type for sensor in sensors}


def test_types_are_sent_in_the_order_of_the_transcript() -> None:
    robot = equipped_robot().set_profile(PortProfile(UT2004))
    types = [
        getattr(m, "type", None) for m in encode(robot.readings(), robot.layout, robot.profile)
    ]
    captured = ["Sonar", "RangeScanner", "INS", "Odometry", "Encoder", "RFID", "GroundTruth",
                "GPS", "VictSensor"]  # fmt: skip
    assert [kind for kind in dict.fromkeys(types) if kind in captured] == captured
    assert types.count("Sonar") == 1


# -- readings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("axes", Axes)
def test_positions_and_angles_are_in_wire_axes(axes: Axes) -> None:
    robot = equipped_robot().set_profile(PortProfile(UDK, axes))
    messages = decode(robot)
    down = 1 if axes is Axes.Z_DOWN else -1
    x, y, z = robot.sim.pose("r").position
    truth = only_message(messages, sensor_messages.GroundTruth, "where")
    assert truth.location == pytest.approx((x, -y, -z * down), abs=2e-3)
    assert truth.orientation[2] == pytest.approx(0.2, abs=0.02)  # yaw to the right
    felt_ = only_message(messages, sensor_messages.ProperAcceleration)
    assert felt_.acceleration[2] == pytest.approx(-9.81 * down, abs=0.1)
    assert only_message(messages, sensor_messages.Compass).angle == pytest.approx(0.2, abs=0.02)
    mocap = only_message(messages, sensor_messages.MotionCapture)
    assert mocap.tracked
    assert mocap.location == pytest.approx((x, -y, -z * down), abs=5e-3)
    assert only_message(messages, sensor_messages.Gyroscope).angular_velocity == pytest.approx(
        (0, 0, 0), abs=0.1
    )
    assert (
        abs(sum(values_by_name(messages, sensor_messages.Forces).values())) < 1.0
    )  # height of the belts


def test_right_turn_is_positive_for_gyroscope_and_odometry() -> None:
    robot = WireRobot("packbot", *ALL)
    robot.send("DRIVE {Left 4} {Right -4}", seconds=0.5)
    messages = decode(robot)
    assert only_message(messages, sensor_messages.Gyroscope).angular_velocity[2] > 0.2
    assert only_message(messages, sensor_messages.Odometry).pose[2] > 0.2
    assert only_message(messages, sensor_messages.GroundTruth, "where").orientation[2] > 0.05


def test_scans_run_from_right_to_left() -> None:
    scan = only_message(
        decode(equipped_robot().set_profile(PortProfile())), sensor_messages.RangeScan
    )
    assert len(scan.ranges) == 181 == round(scan.fov / scan.resolution) + 1
    assert scan.ranges[0] == 20.0  # nothing on the right
    assert 1.0 < scan.ranges[-1] < 3.0  # the wall on the left


def test_encoders_report_radians_and_ticks() -> None:
    robot = equipped_robot().set_profile(PortProfile())
    messages, radius = decode(robot), instance_of(SkidSteering, robot.layout.drive_mode).radius
    here = robot.sim.angles("r")
    spun = [here[side] / radius for side in ("left", "right")]
    assert min(spun) > 1.0
    assert only_message(messages, sensor_messages.Tachometer).angles == pytest.approx(
        spun, abs=0.01
    )
    # Both encoders measure the same belts, one of them in ticks of 2 mm.
    ticks = values_by_name(messages, sensor_messages.Encoders)
    assert set(ticks) == {"ECLeft", "ECRight", "counterLeft", "counterRight"}
    assert ticks["ECRight"] == math.floor(math.degrees(spun[1]))
    assert ticks["counterRight"] == math.floor(here["right"] / 0.002)


def test_victims_and_tags_are_encoded() -> None:
    messages = decode(equipped_robot().set_profile(PortProfile()))
    parts = only_message(messages, sensor_messages.Victims).parts
    assert parts
    assert {name for name, _ in parts} <= {
        "Head", "Arm", "Hand", "Chest", "Pelvis", "Leg", "Foot"
    }  # fmt: skip
    assert all(1.0 < place[0] < 4.0 for _, place in parts)
    assert [tag.id for tag in only_message(messages, sensor_messages.Tags).tags] == ["1001"]


def test_gps_is_in_degrees_and_a_missing_fix_is_marked() -> None:
    robot = equipped_robot().set_profile(PortProfile())
    fix = only_message(decode(robot), sensor_messages.Gps)
    assert fix.latitude_deg == pytest.approx(39 + 8.0273 / 60, abs=1e-3)
    assert fix.longitude_deg == pytest.approx(-77 - 12.998 / 60, abs=1e-3)
    lost = Reading("gps", 0.0, {"fix": 0.0, "satellites": 2.0, "latitude": math.nan})
    (message,) = encode([(robot.layout.sensors["gps"], lost)], robot.layout, robot.profile)
    assert robot.lines([message]) == ["SEN {Type GPS} {Name gps} {Fix 0} {Satellites 2}"]


def test_lost_frame_of_motion_capture_is_marked() -> None:
    robot = equipped_robot().set_profile(PortProfile())
    lost = Reading("mocap", 0.0, {"tracked": 0.0, "x": math.nan})
    (message,) = encode([(robot.layout.sensors["mocap"], lost)], robot.layout, robot.profile)
    assert robot.decode([message]) == [sensor_messages.MotionCapture(0.0, "mocap", False)]


def test_depth_camera_sends_sweeps_only_on_request() -> None:
    robot = WireRobot("packbot", {"kind": "depth", **MOUNT}, objects=(
        block("ahead", (2.1, -1.0, 0.4), (0.2, 2.0, 2.0)),  # on the right half
    ))  # fmt: skip
    assert not [m for m in decode(robot) if isinstance(m, sensor_messages.RangeImage)]
    pieces = [
        m for m in decode(robot, asked=["depth"]) if isinstance(m, sensor_messages.RangeImage)
    ]
    assert [piece.frame for piece in pieces] == list(range(pieces[0].frames))
    ranges = np.array([piece.ranges for piece in pieces])
    level = ranges[len(pieces) // 2]
    right, left = level[40], level[-10]  # a third of the way from the right edge; the left edge
    off = abs(40 - (len(level) - 1) / 2) * pieces[0].resolution
    assert right == pytest.approx(1.9 / math.cos(off), rel=0.03)
    assert left == 8.0  # maximum range of the Kinect


# -- SET -----------------------------------------------------------------------------------------


def setting(robot: WireRobot, line: str, tags: TagMemory | None = None) -> SettingResult:
    message: Any = robot.parse(line)
    result = apply(message, robot.layout, robot.sim, robot.profile, tags or TagMemory(), TICK)
    for action in result.actions:
        if isinstance(action, ResetSensor | AimCamera | MeasureSensor):
            robot.sim.apply(action)
    return result


def answer_lines(robot: WireRobot, line: str, tags: TagMemory | None = None) -> list[str]:
    return robot.lines([setting(robot, line, tags).response])


def test_reset_restarts_odometry_encoders_and_tachometers() -> None:
    robot = WireRobot("packbot", *ALL)
    robot.send("DRIVE {Left 5} {Right 5}", seconds=0.5)
    robot.send("DRIVE {Left 0} {Right 0}", seconds=0.5)
    before = decode(robot)
    assert only_message(before, sensor_messages.Odometry).pose[0] > 0.1
    for kind in ("Odometry", "Encoder", "Tachometer"):
        assert "{Status OK}" in answer_lines(robot, f"SET {{Type {kind}}} {{Opcode RESET}}")[0]
    robot.sim.step(0.3)
    after = decode(robot)
    assert only_message(after, sensor_messages.Odometry).pose == pytest.approx((0, 0, 0), abs=1e-3)
    assert only_message(after, sensor_messages.Tachometer).angles == pytest.approx((0, 0), abs=0.01)
    assert all(abs(tick) <= 1 for tick in values_by_name(after, sensor_messages.Encoders).values())
    robot.send("DRIVE {Left 5} {Right 5}", seconds=0.5)
    assert only_message(decode(robot), sensor_messages.Odometry).pose[0] > 0.1


def test_ins_pose_can_be_set() -> None:
    robot = WireRobot("packbot", *ALL)
    line = "SET {Type INS} {Name ins} {Opcode POSE} {Params 1,2,-3,0,0.1,0.5}"
    assert answer_lines(robot, line) == ["RES {Time 0.00} {Type INS} {Name ins} {Status OK}"]
    with pytest.raises(BadValue, match="POSE"):
        setting(robot, "SET {Type INS} {Opcode POSE} {Params 1e300,0,0,0,0,0}")
    robot.sim.step(0.3)
    ins = only_message(decode(robot), sensor_messages.Ins)
    assert ins.location == pytest.approx((1, 2, -3), abs=0.011)
    assert ins.orientation == pytest.approx((0, 0.1, 0.5), abs=0.011)


def test_scan_command_measures_immediately() -> None:
    robot = WireRobot("packbot", *ALL)
    robot.sim.step(0.25)
    robot.sim.drain_readings()
    outcome = setting(robot, "SET {Type RangeScanner} {Name LASER} {Opcode SCAN}")
    ((owner, reading),) = robot.sim.drain_readings()
    assert (owner, reading.sensor, reading.time) == ("r", "laser", robot.sim.time)
    assert outcome.requested == ()
    assert setting(robot, "SET {Type RangeImager} {Opcode SCAN}").requested == ("depth",)
    assert "Failed" in answer_lines(robot, "SET {Type IRScanner} {Opcode SCAN}")[0]


def test_camera_zoom_is_limited_to_its_range() -> None:
    robot = WireRobot("p2dx")
    zoom = "SET {Type Camera} {Name camera} {Opcode Zoom} {Params %s}"
    assert answer_lines(robot, zoom % 0.8) == [
        "RES {Time 0.00} {Type Camera} {Name Camera} {FOV 0.8000} {Status OK}"
    ]
    camera: Any = robot.sim.scene.sensors["r", "Camera"][1]
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
    robot, tags = equipped_robot().set_profile(PortProfile()), TagMemory()
    assert (
        "Failed"
        in answer_lines(robot, "SET {Type RFID} {Name rfid} {Opcode Write} {Params 9 x}", tags)[0]
    )
    assert (
        "OK"
        in answer_lines(robot, "SET {Type RFID} {Opcode Write} {Params 1001 hello you}", tags)[0]
    )
    read = answer_lines(robot, "SET {Type RFID} {Name rfid} {Opcode Read} {Params 1001}", tags)
    assert read[0].endswith("{Name rfid} {Status OK} {Data hello you} {Status OK}")
    outcome = setting(robot, "SET {Type RFIDReleaser} {Name Gun} {Opcode Release}", tags)
    (action,) = outcome.actions
    assert isinstance(action, Join)
    for _ in range(TAGS_PER_ROBOT):
        outcome = setting(robot, "SET {Type RFIDReleaser} {Name Gun} {Opcode Release}", tags)
    assert outcome.response.results[0].status == "Failed"  # the radio tag stores no more
    bare = WireRobot("packbot")
    assert "Failed" in answer_lines(bare, "SET {Type RFIDReleaser} {Name Gun} {Opcode Release}")[0]
    fresh = WireRobot("packbot", *ALL)
    tags.dropped.clear()
    fresh.sim.apply(*setting(fresh, "SET {Type RFIDReleaser} {Opcode Release}", tags).actions)
    fresh.sim.step(0.5)
    assert fresh.sim.read("r", "rfid").array("ids").tolist() == [
        instance_of(Tag, action.member).number + TAGS_PER_ROBOT
    ]


def test_viewport_and_unknown_settings_are_answered() -> None:
    robot = WireRobot("p2dx")
    line = "SET {Type Viewports} {Config SingleView} {Viewport1 Camera} {Viewport2 nobody}"
    assert answer_lines(robot, line) == [
        "RES {Time 0.00} {Type Viewports} {Config SingleView} {Status OK} {Viewport1 Camera} "
        "{Status OK} {Viewport2 nobody} {Status Failed}"
    ]
    assert (
        "OK" in answer_lines(robot, "SET {Type Camera} {Robot r} {Name Camera} {Client 1.2.3.4}")[0]
    )
    assert (
        "Failed"
        in answer_lines(robot, "SET {Type Camera} {Robot x} {Name Camera} {Client 1.2.3.4}")[0]
    )
    for line in ("SET {Type Gripper} {Opcode OPEN}", "SET {Type Nothing} {Opcode Else}"):
        assert "Failed" in answer_lines(robot, line)[0]
    with pytest.raises(BadValue, match="Joint"):
        setting(robot, "SET {Type Joint} {Name tilt} {Opcode Angle} {Params 0}")
