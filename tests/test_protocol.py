"""USARSim protocol: transcripts, irregular lines, round trips, noise."""

import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from grouser.errors import BadValue
from grouser.protocol.lines import Fault, LineSplitter
from grouser.protocol.usarsim import commands, package, sensor_messages, setting, truth
from grouser.protocol.usarsim.codec import COMMANDS, MESSAGES, SENSORS, ClientSide, ServerSide
from grouser.protocol.usarsim.dialects import DIALECTS, UDK, UT3, UT2004
from grouser.protocol.usarsim.drive import JointDrive, Order, SkidDrive
from grouser.protocol.usarsim.message import UnknownMessage
from grouser.protocol.usarsim.segments import parse, write
from grouser.protocol.usarsim.truth import TruthRequest

HERE = Path(__file__).parent / "transcripts"
"""Transcripts: server lines per dialect, and client lines, which are equal for all three."""
TRANSCRIPTS = {named: (HERE / f"{named}.txt").read_text() for named in DIALECTS}
COMMAND_LINES = (HERE / "commands.txt").read_text()

PACKAGE_LINES = {
    UT2004: "MISPKG {Name P} {Link 1} {Value 0.3} {Order 0} {Link 2} {Value 0.0} {Order 0} {Seq 2}",
    UT3: "MISPKG {Name P} {Link 1} {Value 0.3} {Order 0} {Link 2} {Value 0.0} {Order 0} {Seq 2}",
    UDK: "ACT {Name P} {Link 0} {Value 0.3} {Order 0} {Link 1} {Value 0.0} {Order 0} {Sequence 2}",
}


def wire(lines: str) -> bytes:
    """Return lines of text as bytes on the wire."""
    return lines.replace("\n", "\r\n").encode("latin-1")


def commands_of(named: str) -> bytes:
    """Return the client's lines of a transcript."""
    return wire(COMMAND_LINES + PACKAGE_LINES[DIALECTS[named]] + "\n")


def messages_of(side: ClientSide | ServerSide, data: bytes) -> list[Any]:
    messages = side.receive(data)
    assert not [fault for fault in messages if isinstance(fault, Fault)]
    return messages


@pytest.mark.parametrize("named", DIALECTS)
def test_server_transcript_round_trips(named: str) -> None:
    lines = wire(TRANSCRIPTS[named])
    messages = messages_of(ClientSide(DIALECTS[named]), lines)
    server = ServerSide(DIALECTS[named])
    assert [b"".join(server.send(message)) for message in messages] == lines.splitlines(True)
    assert not [message for message in messages if isinstance(message, UnknownMessage)]


@pytest.mark.parametrize("named", DIALECTS)
def test_client_transcript_round_trips(named: str) -> None:
    lines = commands_of(named)
    client = ClientSide(DIALECTS[named])
    messages = messages_of(ServerSide(DIALECTS[named]), lines)
    assert [b"".join(client.send(command)) for command in messages] == lines.splitlines(True)
    assert [message for message in messages if isinstance(message, UnknownMessage)] == [
        UnknownMessage("PAUSE")
    ]


OWN_HEADS = {"LOCKSTEP", "STEP", "TICK", "KICK", "CONSOLE", "RADIO", "NOTICE"}
"""Lines of Grouser's extensions, which no transcript contains."""


def test_transcripts_cover_every_command_and_message() -> None:
    heads = {line.split()[0] for line in COMMAND_LINES.splitlines()} | {"MISPKG", "ACT"}
    assert heads == set(COMMANDS) - OWN_HEADS | {"PAUSE"}
    spoken = "".join(TRANSCRIPTS.values())
    assert {line.split()[0] for line in spoken.splitlines()} == set(MESSAGES) - OWN_HEADS
    types = {
        parse(line).by_key["type"].lower() for line in spoken.splitlines() if line[:3] == "SEN"
    }
    own = {
        sensor.type.lower()
        for sensor in (
            sensor_messages.Gyroscope,
            sensor_messages.Forces,
            sensor_messages.MotionCapture,
        )
    }
    assert types | {"rfidtag"} | own == set(SENSORS)


@pytest.mark.parametrize("named", DIALECTS)
@pytest.mark.parametrize("side", [ServerSide, ClientSide])
def test_stream_split_anywhere_gives_the_same_messages(
    named: str, side: type[ServerSide] | type[ClientSide]
) -> None:
    whole = commands_of(named) if side is ServerSide else wire(TRANSCRIPTS[named])
    once = side(DIALECTS[named]).receive(whole)
    one_by_one = side(DIALECTS[named])
    assert [messages for byte in whole for messages in one_by_one.receive(bytes([byte]))] == once
    step = max(1, len(whole) // 400)
    for cut in range(0, len(whole), step):
        end = side(DIALECTS[named])
        assert end.receive(whole[:cut]) + end.receive(whole[cut:]) == once


@pytest.mark.parametrize("named", DIALECTS)
@pytest.mark.parametrize("side", [ServerSide, ClientSide])
def test_line_split_at_every_byte_gives_the_same_message(
    named: str, side: type[ServerSide] | type[ClientSide]
) -> None:
    whole = commands_of(named) if side is ServerSide else wire(TRANSCRIPTS[named])
    for line in whole.splitlines(True):
        once = side(DIALECTS[named]).receive(line)
        for cut in range(len(line)):
            end = side(DIALECTS[named])
            before = end.receive(line[:cut])
            assert before + end.receive(line[cut:]) == once


@pytest.mark.parametrize(
    "line",
    [
        b"DRIVE {Left 1.5} {Right -2}\r\n",
        b"drive {left 1.5} {RIGHT -2}\n",
        b"  Drive{Right -2}{Left 1.5}\r",
        b"DRIVE  { Left  1.5 }  { Right\t-2.0 } \r\n",
        b"\r\n\n\rDRIVE {Left 1.5},{Right -2}\n\n",
        b"DRIVE {Left 1.5} {Right -2} {Left 7}\r\n",
        b"DRIVE {Left 1.50abc} {Right -2,00}\r\n",
        b"DRIVE {Left +1.5e0} {Right -2.} {} {What}\r\n",
        b"\t\r\n \r\nDRIVE {Left 1.5} {Right -2} trailing\n",
    ],
)
def test_irregular_lines_are_parsed(line: bytes) -> None:
    assert ServerSide(UT2004).receive(line) == [SkidDrive(1.5, -2.0)]


@pytest.mark.parametrize("place", [b"1,2,3", b"1, 2, 3", b"1.0 2.0 3.0", b" 1 ,2 ,  3 ", b"1,2,3,"])
def test_vectors_may_be_separated_by_blanks(place: bytes) -> None:
    line = b"INIT{Classname USARBot.kenaf}{Location " + place + b"}\n"
    (init,) = ServerSide(UT2004).receive(line)
    assert init == commands.Init("USARBot.kenaf", location=(1.0, 2.0, 3.0))
    assert init.robot == "kenaf"


def test_unterminated_command_is_not_parsed() -> None:
    server = ServerSide(UT2004)
    assert server.receive(b"DRIVE {Left 1} {Right 1}") == []
    assert server.receive(b"\r") == [SkidDrive(1.0, 1.0)]


def test_message_forms_of_older_servers_are_parsed() -> None:
    client = ClientSide(UT2004)
    poses = commands.StartPoses((commands.StartPose("U1", (1.0, 2.0, 3.0), (0.0, 0.0, 0.5)),))
    line = b"NFO {Name U1 Location 1.0,2.0,3.0 Orientation 0, 0, 0.5}\r\n"
    assert client.receive(line) == [poses]
    (tags,) = client.receive(b"SEN {Type RFIDTag} {Name RFID} {ID 3}\r\n")
    assert tags == sensor_messages.Tags(None, "RFID", (sensor_messages.TagSeen("3"),))
    (camera,) = client.receive(b"SEN {Time 477.7582} {Type Camera} \r\n")
    assert camera == UnknownMessage("SEN", (("Time", "477.7582"), ("Type", "Camera")))


def test_missing_or_trailing_package_order_means_angle() -> None:
    reported = ServerSide(UT2004).receive(b"MISPKG {Name P}{Link 1}{Value 0.3}{Link 2}{Value 1}\n")
    links = (package.LinkTarget(0, 0.3), package.LinkTarget(1, 1.0))
    assert reported == [package.MovePackage("P", links)]
    assert (
        ServerSide(UDK).receive(b"ACT {Name P}{Link 0}{Value 0.3}{Link 1}{Value 1}\n") == reported
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"DRIVE {Left x} {Right 1}", "DRIVE: Left is 'x', must be a finite number"),
        (b"DRIVE {Left nan} {Right 1}", "DRIVE: Left is 'nan', must be a finite number"),
        (b"DRIVE {Left 1e999}", "DRIVE: Left is '1e999', must be a finite number"),
        (b"DRIVE {Left 1} {Light maybe}", "DRIVE: Light is 'maybe', must be true or false"),
        (b"DRIVE {Wings 2}", "DRIVE: no form of DRIVE has the key 'wings'"),
        (b"DRIVE {Name J}{Value 1}{Order 7}", "DRIVE: Order is '7', must be one of 0, 1, 2"),
        (b"DRIVE {Left {1}", "every '{' needs its own '}'"),
        (b"DRIVE Left 1}", "every '{' needs its own '}'"),
        (b"DRIVE {{Left 1}}", "every '{' needs its own '}'"),
        (b"INIT {Name R1}", "INIT: ClassName is missing"),
        (b"INIT {ClassName X}{Location 1,2}", "INIT: Location is '1,2', must be three numbers"),
        (b"INIT {ClassName X}{Team 99999999999}", "INIT: Team is '99999999999', must lie within"),
        (b"MULTIDRIVE", "MULTIDRIVE: no joint is named"),
        (b"SET {Type INS}{Opcode Pose}{Params 1,2}", "SET: Params has 2 numbers, must have six"),
        (b"SET {Type Joint}{Name J}{Opcode 0}{Params ,}", "SET: Params has no number"),
        (b"CONTROL {Type Kil}", "CONTROL: Type is 'Kil', must be one of create, kill"),
        (b"{Left 1}", "a line starts with a name, not with ''"),
        (b"\x00\xff\x80 {Left 1}", "a line starts with a name, not with"),
        (b"16 03 01", "a line starts with a name, not with '16 03 01'"),
    ],
)
def test_malformed_line_is_one_fault_and_the_next_line_is_parsed(line: bytes, reason: str) -> None:
    fault, after = ServerSide(UT2004).receive(line + b"\r\nGETSTARTPOSES\r\n")
    assert isinstance(fault, Fault)
    assert fault.reason.startswith(reason)
    assert fault.line == line[:80]
    assert after == commands.GetStartPoses()


def test_overlong_line_is_reported_once_and_skipped() -> None:
    server = ServerSide(UT2004, longest=100)
    stream = b"x" * 90 + b"y" * 1000 + b"\nGETSTARTPOSES\n"
    messages = server.receive(stream)
    assert messages == [
        Fault("the line is longer than 100 bytes", stream[:80]),
        commands.GetStartPoses(),
    ]
    one_by_one = ServerSide(UT2004, longest=100)
    assert [
        reported for byte in stream for reported in one_by_one.receive(bytes([byte]))
    ] == messages


def test_endless_line_uses_bounded_memory() -> None:
    splitter = LineSplitter(1000)
    packet = b"A" * 4096
    splitter.feed(packet)
    tracemalloc.start()
    assert not any(splitter.feed(packet) for _ in range(2000))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 64 * 1024


def test_joint_orders_are_parsed() -> None:
    line = b"DRIVE {Name FLFlipper}{Order 1}{Value 0.5}\r\n"
    assert ServerSide(UT2004).receive(line) == [JointDrive("FLFlipper", 0.5, Order.SPEED)]
    for opcode, order in (("TARGET", 0), ("velocity", 1), ("2", 2), ("RELANGLE", 10), ("12", 12)):
        line = f"SET {{Type joint}} {{Name J}} {{Opcode {opcode}}} {{Params 0.5}}\n".encode()
        assert ServerSide(UDK).receive(line) == [setting.SetJoint("J", (0.5,), Order(order))]


@pytest.mark.parametrize("text", ["a}b", "{a", "a\r\nINIT {ClassName X}", "a\nb"])
def test_text_cannot_contain_a_line_end(text: str) -> None:
    with pytest.raises(BadValue, match="braces or line ends"):
        ClientSide(UDK).send(commands.Init("P3AT", text))
    with pytest.raises(BadValue, match="braces or line ends"):
        write("SEN", [(text, "1")])


class TestTruthPort:
    """Protocol of the truth port, 3989."""

    def test_transcript_round_trips(self) -> None:
        row = (
            b"{Name P3AT_0} {Class P3AT} {Time 29.9739} "
            b"{Location 0.67,2.30,1.86} {Rotation -0.00,0.46,0.00}\r\n"
        )
        client, server = truth.TruthClientSide(), truth.TruthServerSide()
        messages = client.receive(row + b"{End}\r\n")
        assert (
            b"".join(server.send(message) for message in messages if not isinstance(message, Fault))
            == row + b"{End}\r\n"
        )
        assert isinstance(messages[0], truth.TruthRow)
        assert messages[1] == truth.TruthEnd()

    @pytest.mark.parametrize(
        "request_", [truth.TruthRequest(), truth.TruthRequest("P3AT"), truth.TruthRequest(name="R")]
    )
    def test_requests_round_trip(self, request_: TruthRequest) -> None:
        server = truth.TruthServerSide()
        assert server.receive(truth.TruthClientSide().send(request_)) == [request_]

    def test_malformed_lines_are_faults(self) -> None:
        messages = truth.TruthServerSide().receive(b"GET / HTTP/1.1\r\n{class P3AT}\r\n")
        assert isinstance(messages[0], Fault)
        assert messages[1] == truth.TruthRequest("P3AT")


@pytest.mark.parametrize("end", [b"}\n", b"{}\r", b"\n"])
@pytest.mark.parametrize(
    "part",
    [
        *(b"\r", b"a\r", b"{\r", b"{Name a,\r", b"{", b"}", b"{ ", b"{a \t\t}", b"{Name a, b c}"),
        *(b"1", b"1,", b"-", b", ", b"_", b".", b" ", b"\x0b", b"\x85", b"{Link 1}", b"{Value 1}"),
    ],
)
def test_parsing_takes_time_in_proportion_to_the_length(part: bytes, end: bytes) -> None:
    def seconds(length: int) -> float:
        total = 0.0
        for head in (b"SET {Params ", b"MISPKG ", b"DRIVE {Left ", b"CONTROL {Type AddWP} {WP "):
            server = ServerSide(UT2004)
            data = (head + part * (length // len(part)))[:length] + end
            start = time.process_time()
            for _ in range(20):
                server.receive(data)
            total += time.process_time() - start
        return total

    seconds(1000)  # field codecs are cached
    assert seconds(16_000) < 64 * seconds(1000) + 0.02  # quadratic time would be 256-fold
