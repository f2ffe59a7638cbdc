"""Every command of a client is parsed by the server with the same values."""

from collections.abc import Callable

import pytest
from support.scripted_server import ScriptedServer

from grouser.client.connection import RemoteRobot, join
from grouser.errors import BadValue
from grouser.protocol.usarsim import commands, drive, extensions, setting
from grouser.protocol.usarsim.dialects import DIALECTS
from grouser.protocol.usarsim.drive import MultiDrive, Order, SkidDrive
from grouser.protocol.usarsim.extensions import Lockstep, Step
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.package import LinkTarget, MovePackage

COMMANDS: dict[str, tuple[Callable[[RemoteRobot], None], Message]] = {
    "light": (lambda r: r.drive(light=True), SkidDrive(light=True)),
    "stop": (lambda r: r.stop(), SkidDrive(0.0, 0.0)),
    "percent": (
        lambda r: r.drive(-50, 100, normalized=True),
        SkidDrive(-50.0, 100.0, normalized=True),
    ),
    "car": (lambda r: r.steer(1.0, 0.25), drive.AckermanDrive(1.0, 0.25, 0.0)),
    "omni": (
        lambda r: r.wheels([drive.WheelTarget(0, 1.0), drive.WheelTarget(1, 2.0)]),
        drive.OmniDrive((drive.WheelTarget(0, 1.0), drive.WheelTarget(1, 2.0))),
    ),
    "fly": (lambda r: r.fly(1.0, rotational_deg=30), drive.AerialDrive(0.0, 1.0, 0.0, 30.0)),
    "dive": (lambda r: r.dive(1.0), drive.NauticDrive(1.0, 0.0, 0.0)),
    "joint": (
        lambda r: r.joint("FLFlipper", 0.5, "speed"),
        setting.SetJoint("FLFlipper", (0.5,), Order.SPEED),
    ),
    "hinge": (
        lambda r: r.hinge("Neck", 0.5, "relative_angle"),
        drive.JointDrive("Neck", 0.5, Order.RELATIVE_ANGLE),
    ),
    "bone": (lambda r: r.bone("Hugo", "Arm", 1.0), drive.BoneDrive("Hugo", "Arm", 1.0)),
    "joints": (
        lambda r: r.joints({"FLFlipper": 0.5, "FRFlipper": 0.4}),
        MultiDrive((("FLFlipper", 0.5), ("FRFlipper", 0.4))),
    ),
    "stiffness": (lambda r: r.stiffen("Neck", 0.5), setting.SetStiffness("Neck", 0.5)),
    "package": (
        lambda r: r.package("CameraPanTilt", {0: 0.3, 1: 0.1}),
        MovePackage("CameraPanTilt", (LinkTarget(0, 0.3), LinkTarget(1, 0.1))),
    ),
    "set": (
        lambda r: r.set("Horn", "H", "Blow", "twice"),
        setting.Set("Horn", "H", "Blow", "twice"),
    ),
    "reset": (lambda r: r.reset("Encoder"), setting.ResetSensor("Encoder")),
    "place": (lambda r: r.place((1, 2, 3)), setting.SetInsPose((1.0, 2.0, 3.0, 0.0, 0.0, 0.0))),
    "scan": (lambda r: r.scan(), setting.Scan("RangeScanner")),
    "zoom": (lambda r: r.zoom("Camera", 0.8), setting.SetZoom("Camera", 0.8)),
    "trace": (lambda r: r.trace(color="Red"), commands.Trace(True, None, "Red")),
    "radio": (lambda r: r.transmit(b"hi", "rex"), extensions.Transmit(b"hi", "rex")),
    "lockstep": (lambda r: r.lockstep(0.1, by_command=True), Lockstep(0.1, True)),
    "end of turn": (lambda r: r.end_turn(), Step()),
}


@pytest.mark.parametrize("call", COMMANDS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_command_is_parsed_by_the_server_side(
    scripted_server: ScriptedServer, call: str, dialect: str
) -> None:
    sent, expected = COMMANDS[call]
    with join("P3AT", port=scripted_server.port, dialect=dialect) as robot:
        sent(robot)
        robot.start_poses()  # the answer implies that earlier messages have been processed
    assert scripted_server.received[2:-1] == [expected]


def test_error_of_an_unknown_command_lists_the_allowed_ones(scripted_robot: RemoteRobot) -> None:
    with pytest.raises(BadValue, match="order is 'angel'.*did you mean 'angle'"):
        scripted_robot.joint("Neck", 1.0, "angel")
