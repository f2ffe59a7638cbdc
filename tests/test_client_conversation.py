"""Conversation of a client: queues, queries and turns, without sockets."""

from collections.abc import Iterator
from typing import Any

import pytest
from support.client_helpers import instance_of

from grouser.client.conversation import UNREAD, Conversation, LatestMessages
from grouser.protocol.usarsim import commands, drive, extensions, package, setting
from grouser.protocol.usarsim.codec import ServerSide
from grouser.protocol.usarsim.dialects import DIALECTS, UDK, UT2004, Dialect
from grouser.protocol.usarsim.extensions import Lockstep, ends_turn
from grouser.protocol.usarsim.message import Message, UnknownMessage
from grouser.protocol.usarsim.sensor_messages import Sonars


def test_unread_queue_drops_the_oldest_except_in_lockstep() -> None:
    line = b"SEN {Type Odometry} {Name O} {Pose 1,2,3}\r\n"
    conversation = Conversation(UDK, "peer")
    conversation.receive(line * (UNREAD + 5))
    assert conversation.dropped == 5
    conversation.queue(Lockstep(1.0))
    conversation.receive(line * UNREAD)
    assert conversation.dropped == 5


@pytest.mark.parametrize("by_command", [False, True])
@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
@pytest.mark.parametrize(
    ("message", "moves"),
    [
        (drive.SkidDrive(1.0, 1.0), True),
        (drive.AckermanDrive(1.0, 0.0, 0.0), True),
        (drive.OmniDrive((drive.WheelTarget(1, 2.0),)), True),
        (drive.AerialDrive(linear_velocity=1.0), True),
        (drive.NauticDrive(propeller=1.0), True),
        (drive.JointDrive("Pan", 0.1), True),
        (drive.BoneDrive("Q", "Head", 0.1), True),
        (drive.MultiDrive((("FLFlipper", 0.1),)), True),
        (drive.MultiDrive(()), False),  # names no joint; rejected by every server
        (package.MovePackage("CameraPanTilt", (package.LinkTarget(0, 0.1),)), True),
        (setting.SetJoint("Pan", (0.1,)), True),
        (setting.SetStiffness("Pan", 1.0), True),
        (setting.Set("Joint", "Pan", "Angle", "0.1"), True),
        (setting.Set("Joint", "Pan", "Colour", "1"), False),
        (setting.SetZoom("Camera", 0.5), False),
        (setting.SetGripper("OPEN"), False),
        (setting.Scan("RangeScanner"), False),
        (UnknownMessage("DRIVE", (("Left", "1"), ("Right", "1"))), True),
        (UnknownMessage("ACT", (("Name", "Arm"),)), True),
        (UnknownMessage("JUMP"), False),
        (commands.GetGeometry("Robot"), False),
        (extensions.Transmit(b"hello"), False),
    ],
)
def test_client_and_server_agree_on_the_end_of_a_turn(
    message: Message, moves: bool, dialect: Dialect, by_command: bool
) -> None:
    conversation, server = Conversation(dialect, "peer"), ServerSide(dialect)
    conversation.queue(Lockstep(0.1, by_command))
    conversation.receive(b"TICK {Time 0.1000}\r\n")
    conversation.take_outgoing()
    conversation.queue(message)
    read = [command for line in conversation.take_outgoing() for command in server.receive(line)]
    assert any(ends_turn(command, by_command) for command in read) is (by_command and moves)
    turn = advance(conversation.turn())
    assert turn is True if by_command and moves else turn.time == 0.1


def advance(exchange: Iterator[Any]) -> Any:
    """Advance an exchange as far as possible; return its result, or True while it waits."""
    try:
        next(exchange)
    except StopIteration as done:
        return done.value
    return True


def test_equal_queries_are_answered_in_order() -> None:
    conversation = Conversation(UDK, "peer")
    first, second = conversation.console("one"), conversation.console("two")
    assert advance(first) is advance(second) is True
    conversation.receive(b"CONSOLE {Said 1}\r\n")
    assert advance(first) == "1"
    assert advance(second) is True
    conversation.receive(b"CONSOLE {Said 2}\r\n")
    assert advance(second) == "2"


def test_cancelled_query_consumes_no_answer() -> None:
    conversation = Conversation(UDK, "peer")
    first, second = conversation.console("one"), conversation.console("two")
    assert advance(first) is advance(second) is True
    first.close()
    conversation.receive(b"CONSOLE {Said 2}\r\n")
    assert advance(second) == "2"


def test_answer_must_match_the_query() -> None:
    conversation = Conversation(UDK, "peer")
    exchange = conversation.geometry("Sonar", "F2")
    for other in (b"{Type Encoder} {Name F2}", b"{Type Sonar} {Name F1}"):
        assert advance(exchange) is True
        conversation.receive(b"GEO " + other + b" {Location 0,0,0} {Orientation 0,0,0}\r\n")
    assert advance(exchange) is True
    conversation.receive(b"GEO {Type Sonar} {Name F2} {Location 1,0,0} {Orientation 0,0,0}\r\n")
    assert advance(exchange).sensors[0].location == (1, 0, 0)


def test_grouped_sensors_are_equal_in_every_dialect() -> None:
    sonars = Sonars(1.0, (("F1", 4.5), ("F2", 2.0)))
    for dialect in DIALECTS.values():
        conversation = Conversation(dialect, "peer")
        for line in ServerSide(dialect).send(sonars):
            conversation.receive(line)
        assert conversation.latest.newest("sonar") == sonars
        assert conversation.latest.newest("f2") == Sonars(1.0, (("F2", 2.0),))
        assert conversation.latest.sensors == ("F1", "F2")


def test_unknown_sensors_and_faults_are_stored() -> None:
    conversation = Conversation(UDK, "peer")
    conversation.receive(b"SEN {Type Nose} {Name N1} {Smell roses}\r\nSTA {Type}\r\n")
    nose = instance_of(UnknownMessage, conversation.latest.newest("n1"))
    assert nose.pairs[-1] == ("Smell", "roses")
    assert conversation.latest.sensors == ("N1",)
    (fault,) = conversation.faults
    assert fault.reason.startswith("STA: ")
    assert LatestMessages().newest("n1") is None


def test_time_decreases_only_at_a_restart() -> None:
    conversation = Conversation(UT2004, "peer")
    stamps = []
    for line in (
        b"STA {Type GroundVehicle} {Time 5.00}\r\n",
        b"SEN {Time 5.1000} {Type Sonar} {Name F1 Range 1.0}\r\n",
        b"SEN {Time 4.9000} {Type RFID} {Name late}\r\n",
        b"STA {Type GroundVehicle} {Time 0.20}\r\n",
    ):
        conversation.receive(line)
        stamps.append(conversation.latest.time)
    assert stamps == [5.0, 5.1, 5.1, 0.2]
