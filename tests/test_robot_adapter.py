"""Motion commands over the wire for every robot."""

import contextlib
import math
from typing import Any

import mujoco
import numpy as np
import pytest
from support.client_helpers import instance_of
from support.narrowing import not_none
from support.wire_fixtures import WireRobot, side_speeds, simple_robot

from grouser.errors import BadValue, UnknownName
from grouser.frames import Array, Pose
from grouser.gateways.usarsim.geo_conf import configuration
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.wire_names import APPEARANCES, CLASSES
from grouser.physics.drives import angle, speed, torque
from grouser.protocol.usarsim.axes import FLIPPER_UP
from grouser.protocol.usarsim.commands import GetConfiguration
from grouser.protocol.usarsim.dialects import DIALECTS, UDK, UT3, UT2004, Dialect
from grouser.robots.drive_modes import SkidSteering
from grouser.robots.kinds import ROBOTS
from grouser.simulation.changes.actions import SetPose

BOLTED = ("conveyor", "air_traffic")
FREE = [kind for kind in ROBOTS if kind not in BOLTED]
WALKERS = ("ers7", "ers210", "qrio")
CRAWLERS = ("kenaf", "quince")
CAMERA_ON = {"ers7": "nod", "ers210": "roll"}
PAN_TILT = ("ers7", "ers210", "p2dx", "p2at", "p3at")


def heading(robot: WireRobot) -> float:
    """Return the yaw in wire axes, positive to the right."""
    w, x, y, z = robot.sim.pose("r").wxyz
    return -math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def test_every_robot_has_a_class_and_an_appearance() -> None:
    assert set(ROBOTS) <= set(CLASSES)
    assert set(ROBOTS) == set(APPEARANCES)
    assert {kind for kind, _ in CLASSES.values()} == set(ROBOTS)
    assert all(name == name.lower() for name in CLASSES)


# -- going about ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FREE)
def test_equal_side_speeds_drive_forwards_and_backwards(kind: str) -> None:
    robot = simple_robot(kind)
    robot.send("DRIVE {Normalized true} {Left 40} {Right 40}", seconds=1.5)
    there = robot.x
    assert there > 0.02
    robot.send("DRIVE {Normalized true} {Left -40} {Right -40}", seconds=1.7)
    assert robot.x < there


@pytest.mark.parametrize("kind", FREE)
def test_faster_left_side_turns_right(kind: str) -> None:
    robot = simple_robot(kind)
    robot.send("DRIVE {Normalized true} {Left 50} {Right -50}")
    turned, before = 0.0, heading(robot)
    for _ in range(15):  # in short steps: fast robots turn by more than half a turn
        robot.sim.step(0.1)
        now = heading(robot)
        turned += math.remainder(now - before, math.tau)
        before = now
    assert turned > 0.1


@pytest.mark.parametrize("kind", BOLTED)
def test_fixed_belts_carry_loads(kind: str) -> None:
    robot = simple_robot(kind)
    robot.send("DRIVE {Left 2.0} {Right 2.0}", seconds=1.0)
    (gone,) = robot.sim.angles("r").values()
    (joint,) = robot.layout.joints.all
    assert gone == pytest.approx(2.0 * joint.radius, rel=0.15)


@pytest.mark.parametrize("kind", ["p3at", "kenaf", "packbot"])
def test_left_and_right_are_wheel_speeds(kind: str) -> None:
    robot = simple_robot(kind)
    robot.send("DRIVE {Left 2.0} {Right 2.0}", seconds=1.0)
    before = robot.x
    robot.sim.step(1.0)
    assert robot.x - before == pytest.approx(
        2.0 * instance_of(SkidSteering, robot.layout.drive_mode).radius, rel=0.05
    )


@pytest.mark.parametrize("kind", [*WALKERS, "p2dx", "kenaf"])
def test_aerial_drive_sets_forward_and_turning_speed(kind: str) -> None:
    robot = simple_robot(kind)
    robot.send("DRIVE {LinearVelocity 0.08} {RotationalVelocity 0}", seconds=2.5)
    assert robot.x > 0.08
    robot.send("DRIVE {LinearVelocity 0} {RotationalVelocity 40}", seconds=2.0)
    assert heading(robot) > 0.1


@pytest.mark.parametrize("kind", WALKERS)
def test_lateral_velocity_moves_legged_robots_only(kind: str) -> None:
    robot = simple_robot(kind)
    robot.send("DRIVE {LateralVelocity 0.05}", seconds=3.0)
    assert robot.sim.pose("r").position[1] < -0.04  # to the right
    with pytest.raises(BadValue, match="sideways"):
        simple_robot("p2dx").command_of("DRIVE {LateralVelocity 0.05}")


@pytest.mark.parametrize("kind", ["p2at", "quince", *WALKERS])
def test_ackerman_steering_to_the_right_turns_right(kind: str) -> None:
    robot = simple_robot(kind)
    robot.send("DRIVE {Normalized true} {Speed 40} {FrontSteer 0.7}", seconds=2.0)
    assert heading(robot) > 0.05
    assert robot.x > 0.03


def test_impossible_command_is_rejected_in_one_sentence() -> None:
    robot = simple_robot("packbot")
    for line in (
        "DRIVE {Propeller 1}",
        "DRIVE {AltitudeVelocity 1}",
        "DRIVE {Speed 1} {FrontSteer 1.6}",
        "DRIVE {WheelNumber 2} {WheelSpeed 1}",
        "DRIVE {WheelNumber 0} {WheelSteer 1}",
        "DRIVE {Name Left} {Order 0} {Value 1}",
        "SET {Type Joint} {Name Left} {Opcode Stiffness} {Params 2}",
        "SET {Type Camera} {Name C} {Opcode Zoom} {Params 1}",
    ):
        with pytest.raises(BadValue):
            robot.command_of(line)
    for line in ("MULTIDRIVE {FRFliper 1}", "MISPKG {Name Arm} {Link 1} {Value 0}"):
        with pytest.raises(UnknownName):
            robot.command_of(line)
    with pytest.raises(UnknownName, match="did you mean 'FRFlipper'"):
        simple_robot("kenaf").command_of("MULTIDRIVE {FRFliper 1}")
    with pytest.raises(BadValue, match="no link 3"):
        simple_robot("p2dx").command_of("MISPKG {Name CameraPanTilt} {Link 3} {Value 0}")
    with pytest.raises(BadValue, match="two cranks"):
        simple_robot("velociroach").command_of("DRIVE {LinearVelocity 1}")


@pytest.mark.parametrize("kind", ROBOTS)
def test_extreme_numbers_do_not_break_the_simulation(kind: str) -> None:
    robot = simple_robot(kind)
    joint = next(iter(robot.layout.joints.hinges()), robot.layout.joints.all[0]).name
    for huge in (1e9, 1e300, -1.7e308):
        for line in (
            f"DRIVE {{Left {huge}}} {{Right {huge}}}",
            f"DRIVE {{Speed {huge}}} {{FrontSteer 1.5}}",
            f"DRIVE {{LinearVelocity {huge}}} {{RotationalVelocity {huge}}}",
            f"MULTIDRIVE {{{joint} {huge}}}",
            *(f"DRIVE {{Name {joint}}} {{Order {o}}} {{Value {huge}}}" for o in (0, 1, 2, 10, 11)),
            f"DRIVE {{WheelNumber 0}} {{WheelSpeed {huge}}}",
        ):
            with contextlib.suppress(BadValue):
                robot.send(line, seconds=0.004)
    bad = mujoco.mjtWarning.mjWARN_BADCTRL
    assert robot.sim.data.warning[bad].number == 0
    assert np.isfinite(robot.sim.data.qpos).all()


# -- dialects ------------------------------------------------------------------------------------


def test_drive_with_one_side_depends_on_the_dialect() -> None:
    sides = {}
    for dialect in (UT2004, UT3, UDK):
        robot = simple_robot("p2dx", profile=PortProfile(dialect))
        robot.command_of("DRIVE {Left 1} {Right 2}")
        orders = robot.command_of("DRIVE {Left 3}")
        sides[dialect.name] = side_speeds(robot, orders) if orders else None
    assert sides["ut2004"] == pytest.approx((3, 2))
    assert sides["ut3"] == pytest.approx((3, 0))
    assert sides["udk"] is None


def test_normalized_is_remembered_in_udk_only() -> None:
    for dialect in DIALECTS.values():
        robot = simple_robot("p2dx", profile=PortProfile(dialect))
        robot.command_of("DRIVE {Left 1} {Right 1} {Normalized true}")
        left, _ = side_speeds(robot, robot.command_of("DRIVE {Left 2} {Right 2}"))
        share = 0.02 * not_none(robot.layout.drive_mode).max_spin
        assert left == pytest.approx(share if dialect is UDK else 2.0)
        left, _ = side_speeds(
            robot, robot.command_of("DRIVE {Left 2} {Right 2} {Normalized false}")
        )
        assert left == pytest.approx(2.0)


def test_udk_light_accepts_lower_case_true_only() -> None:
    for dialect in DIALECTS.values():
        robot = simple_robot("p2dx", profile=PortProfile(dialect))
        assert robot.command_of("DRIVE {Light True}") == {}
        assert robot.drive_state.light is (dialect is not UDK)
        robot.command_of("DRIVE {Light true}")
        assert robot.drive_state.light
        robot.command_of("DRIVE {Left 0} {Right 0}")
        assert robot.drive_state.light  # omitted keys keep their value


def test_full_normalized_speed_is_the_configured_maximum() -> None:
    robot = simple_robot("kenaf")
    conf: Any
    (conf,) = configuration(robot.layout, GetConfiguration("Robot"), robot.profile, cameras={})
    left, right = side_speeds(
        robot, robot.command_of("DRIVE {Left 100} {Right -100} {Normalized true}")
    )
    assert (left, right) == pytest.approx((conf.max_speed, -conf.max_speed))


# -- joints --------------------------------------------------------------------------------------


def tip(robot: WireRobot, drive: str) -> float:
    """Return the height of a flipper's arm above its axis, m."""
    body = robot.sim.model.body(f"r/{drive}").id
    axis = robot.sim.data.xpos[body][2]
    return float(robot.sim.data.geom(f"r/{drive}").xpos[2] - axis)


@pytest.mark.parametrize(
    ("kind", "options"),
    [("packbot", {"flippers": True}), ("crawler", {"flippers": {"front": {"reach": 0.2}}})],
)
def test_optional_flippers_have_wire_names_and_signs(
    kind: str, options: dict[str, bool | dict[str, dict[str, float]]]
) -> None:
    robot = simple_robot(kind, **options)
    for name, arm in (("FLFlipper", "front_left_arm"), ("FRFlipper", "front_right_arm")):
        robot.send(f"MULTIDRIVE {{{name} {FLIPPER_UP[name] * 0.5}}}", seconds=0.5)
        assert robot.sim.angles("r")[arm] > 0.1


@pytest.mark.parametrize("kind", CRAWLERS)
@pytest.mark.parametrize(
    "line",
    [
        "MULTIDRIVE {%s %s}",
        "DRIVE {Name %s} {Order 0} {Value %s}",
        "DRIVE {Name %s} {Order 1} {Value %s}",
        "SET {Type Joint} {Name %s} {Opcode Angle} {Params %s}",
        "SET {Type Joint} {Name %s} {Opcode 10} {Params %s}",
    ],
)
def test_positive_wire_angles_raise_flippers(kind: str, line: str) -> None:
    robot = simple_robot(kind)
    drives = {joint.name: joint.drive for joint in robot.layout.joints.all}
    assert set(FLIPPER_UP) < set(drives)
    for name, up in FLIPPER_UP.items():
        robot.send(line % (name, 0.7 * up))
    robot.sim.step(1.0)
    for name in FLIPPER_UP:
        assert tip(robot, drives[name]) > 0.02
    (state,) = robot.decode(robot.state())
    for name, shown in state.joints:
        assert shown * FLIPPER_UP[name] > 0.4


def test_flippers_are_reported_in_usarsim_order_by_ut2004_only() -> None:
    for dialect in DIALECTS.values():
        robot = simple_robot("kenaf", profile=PortProfile(dialect))
        (state,) = robot.decode(robot.state())
        names = [name for name, _ in state.joints]
        expected = ["FRFlipper", "FLFlipper", "RRFlipper", "RLFlipper"] if dialect is UT2004 else []
        assert names == expected


def test_speed_zero_holds_the_present_angle() -> None:
    robot = simple_robot("kenaf")
    robot.send("DRIVE {Name RLFlipper} {Order 1} {Value 0.5}", seconds=0.6)
    there = robot.sim.angles("r")["rear_left_arm"]
    assert robot.command_of("DRIVE {Name RLFlipper} {Order 1} {Value 0}") == {
        "rear_left_arm": angle(there)
    }
    robot.send("DRIVE {Name RLFlipper} {Order 1} {Value 0}", seconds=1.0)
    assert robot.sim.angles("r")["rear_left_arm"] == pytest.approx(there, abs=0.05)


def test_relative_orders_add_to_the_last_setpoint() -> None:
    robot = simple_robot("quince")
    drive = "front_left_arm"
    at = robot.sim.angles("r")[drive]
    applied = [
        robot.command_of("DRIVE {Name FLFlipper} {Order 10} {Value -0.2}"),
        robot.command_of("DRIVE {Name FLFlipper} {Order 1} {Value -0.2}"),
        robot.command_of("DRIVE {Name FLFlipper} {Order 11} {Value -0.1}"),
        robot.command_of("DRIVE {Name FLFlipper} {Order 2} {Value -3}"),
        robot.command_of("DRIVE {Name FLFlipper} {Order 12} {Value -1}"),
        robot.command_of(
            "DRIVE {Name FLFlipper} {Order 11} {Value -0.1}"
        ),  # after a torque: from 0
    ]
    wanted = [angle(at + 0.2), speed(0.2), speed(0.3), torque(3.0), torque(4.0), speed(0.1)]
    for orders, setpoint in zip(applied, wanted, strict=True):
        assert orders[drive].mode == setpoint.mode
        assert orders[drive].value == pytest.approx(setpoint.value)


def test_wheel_accepts_speed_torque_and_brake() -> None:
    robot = simple_robot("packbot")
    radius = instance_of(SkidSteering, robot.layout.drive_mode).radius
    assert robot.command_of("DRIVE {Name Left} {Order 1} {Value 2}")["left"].value == 2 * radius
    assert robot.command_of("DRIVE {Name left} {Order 2} {Value 2}")["left"].value == 2 / radius
    assert robot.command_of("DRIVE {Name LEFT} {Order 3} {Value 1}") == {"left": speed(0.0)}
    with pytest.raises(BadValue, match="brakes wheels"):
        simple_robot("kenaf").command_of("DRIVE {Name FLFlipper} {Order 3} {Value 1}")


def test_angles_are_clamped_to_joint_limits() -> None:
    robot = simple_robot("ers7")
    assert robot.command_of("SET {Type Joint} {Name HeadTilt} {Opcode Angle} {Params 9}") == {
        "nod": angle(robot.layout.robot.limits["nod"][1])
    }


@pytest.mark.parametrize("kind", ["kenaf", *WALKERS, "velociroach"])
def test_all_joints_addresses_every_hinge(kind: str) -> None:
    robot = simple_robot(kind)
    orders = robot.command_of("SET {Type Joint} {Name AllJoints} {Opcode Angle} {Params 0}")
    assert set(orders) == set(robot.layout.robot.drives) - robot.layout.robot.rolling
    limp = robot.command_of("SET {Type Joint} {Name AllAngles} {Opcode Stiffness} {Params 0}")
    assert set(limp.values()) == {torque(0.0)}


def test_leg_joints_are_addressed_by_wire_and_drive_names() -> None:
    robot = simple_robot("ers7")
    robot.send("DRIVE {Name LFKnee} {Order 10} {Value -0.3}", seconds=0.5)
    shown = dict(robot.decode(robot.state())[1].joints)
    assert shown["LFKnee"] == pytest.approx(robot.layout.robot.posture["lf_knee"] - 0.3, abs=0.1)
    assert robot.command_of("MULTIDRIVE {lf_knee 1.0}") == {"lf_knee": angle(1.0)}
    bone = simple_robot("qrio").command_of(
        "DRIVE {Name r} {Bone left_hip} {Axis Y} {Order 0} {Value 0.3}"
    )
    assert bone == {"left_hip_pitch": angle(0.3)}


@pytest.mark.parametrize("kind", PAN_TILT)
@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_camera_package_pans_right_and_tilts_up(kind: str, dialect: Dialect) -> None:
    robot = simple_robot(kind, profile=PortProfile(dialect))
    first = 0 if dialect is UDK else 1
    head = "ACT" if dialect is UDK else "MISPKG"
    camera = robot.sim.data.body(f"r/{CAMERA_ON.get(kind, 'tilt')}")

    def line_of_sight() -> Array:
        axis: Array = camera.xmat.reshape(3, 3)[:, 0]
        return axis

    tilt = robot.state()[0].links[1].value + 0.1
    before = float(line_of_sight()[2])
    robot.send(
        f"{head} {{Name CameraPanTilt}} {{Link {first}}} {{Value 0.15}} {{Order 0}}"
        f"{{Link {first + 1}}} {{Value {tilt}}} {{Order 0}}",
        seconds=2.0,
    )
    assert line_of_sight()[1] < -0.08  # y is left
    assert line_of_sight()[2] > before + 0.05
    package = robot.decode(robot.state())[0]
    assert package.links[0].value == pytest.approx(0.15, abs=0.03)
    assert package.links[1].value == pytest.approx(tilt, abs=0.03)


# -- stopping, righting --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ROBOTS)
def test_halt_stops_the_robot(kind: str) -> None:
    robot = simple_robot(kind)
    robot.send("DRIVE {Normalized true} {Left 30} {Right 30}", seconds=0.7)
    robot.sim.command("r", robot.layout.robot.halt())
    robot.drive_state.stop()
    robot.sim.step(1.2)
    then, belts = robot.x, robot.sim.angles("r")
    robot.sim.step(0.3)
    assert robot.x == pytest.approx(then, abs=0.005)
    assert robot.sim.angles("r") == pytest.approx(belts, abs=0.02)
    assert (robot.drive_state.left, robot.drive_state.right) == (0.0, 0.0)


def test_flip_rights_a_robot() -> None:
    robot = simple_robot("kenaf")
    assert robot.adapter.requests_flip(robot.parse("DRIVE {Flip true}"))
    assert not robot.adapter.requests_flip(robot.parse("DRIVE {Left 1} {Right 1}"))
    assert robot.adapter.upright_pose(robot.sim.pose("r")) is None
    robot.sim.apply(SetPose("r", Pose.at(0, 0, 0.2, roll=3.0, yaw=1.0)))
    robot.sim.step(1.0)
    fallen = robot.sim.pose("r")
    robot.sim.apply(SetPose("r", not_none(robot.adapter.upright_pose(fallen))))
    robot.sim.step(1.0)
    assert robot.adapter.upright_pose(robot.sim.pose("r")) is None
    assert robot.sim.pose("r").position[2] == pytest.approx(robot.layout.robot.standing, abs=0.01)
