"""The USARSim wire: transcripts, sloppy clients, round trips, noise."""

import math
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.errors import BadValue, UnknownName
from grouser.protocol import (
    axes,
    commands,
    drive,
    felt,
    geometry,
    grouped,
    nfo,
    package,
    response,
    sensed,
    setting,
    state,
    truth,
)
from grouser.protocol.axes import Axes
from grouser.protocol.dialects import DIALECTS, UDK, UT3, UT2004, dialect
from grouser.protocol.drive import JointDrive, Order, SkidDrive
from grouser.protocol.lines import Fault, LineCutter
from grouser.protocol.message import Other
from grouser.protocol.segments import parse, write
from grouser.protocol.usarsim import COMMANDS, MESSAGES, SENSORS, ClientSide, ServerSide
from grouser.protocol.values import Style, exact, unsigned

HERE = Path(__file__).parent / "transcripts"
"""A session's lines per dialect: a server's, and a client's, which is the same for all three."""
TRANSCRIPTS = {named: (HERE / f"{named}.txt").read_text() for named in DIALECTS}
COMMAND_LINES = (HERE / "commands.txt").read_text()

PACKAGE_LINES = {
    UT2004: "MISPKG {Name P} {Link 1} {Value 0.3} {Order 0} {Link 2} {Value 0.0} {Order 0} {Seq 2}",
    UT3: "MISPKG {Name P} {Link 1} {Value 0.3} {Order 0} {Link 2} {Value 0.0} {Order 0} {Seq 2}",
    UDK: "ACT {Name P} {Link 0} {Value 0.3} {Order 0} {Link 1} {Value 0.0} {Order 0} {Sequence 2}",
}


def wire(lines):
    """Return lines of text as they travel."""
    return lines.replace("\n", "\r\n").encode("latin-1")


def commands_of(named):
    """Return the client's part of a conversation in one dialect."""
    return wire(COMMAND_LINES + PACKAGE_LINES[DIALECTS[named]] + "\n")


def heard_by(side, data):
    heard = side.receive(data)
    assert not [fault for fault in heard if isinstance(fault, Fault)]
    return heard


@pytest.mark.parametrize("named", DIALECTS)
def test_a_servers_transcript_prints_as_it_was_read(named):
    lines = wire(TRANSCRIPTS[named])
    heard = heard_by(ClientSide(DIALECTS[named]), lines)
    server = ServerSide(DIALECTS[named])
    assert [b"".join(server.send(message)) for message in heard] == lines.splitlines(True)
    assert not [message for message in heard if isinstance(message, Other)]


@pytest.mark.parametrize("named", DIALECTS)
def test_a_clients_transcript_prints_as_it_was_read(named):
    lines = commands_of(named)
    client = ClientSide(DIALECTS[named])
    heard = heard_by(ServerSide(DIALECTS[named]), lines)
    assert [b"".join(client.send(command)) for command in heard] == lines.splitlines(True)
    assert [message for message in heard if isinstance(message, Other)] == [Other("PAUSE")]


OWN_HEADS = {"LOCKSTEP", "STEP", "TICK", "CONSOLE", "RADIO", "NOTICE"}
"""Lines of Grouser's own, of which there is no transcript."""


def test_every_command_and_message_of_the_tables_is_in_a_transcript():
    heads = {line.split()[0] for line in COMMAND_LINES.splitlines()} | {"MISPKG", "ACT"}
    assert heads == set(COMMANDS) - OWN_HEADS | {"PAUSE"}
    spoken = "".join(TRANSCRIPTS.values())
    assert {line.split()[0] for line in spoken.splitlines()} == set(MESSAGES) - OWN_HEADS
    types = {parse(line).found["type"].lower() for line in spoken.splitlines() if line[:3] == "SEN"}
    own = {sensor.type.lower() for sensor in (felt.Gyroscope, felt.Forces, felt.MotionCapture)}
    assert types | {"rfidtag"} | own == set(SENSORS)


@pytest.mark.parametrize("named", DIALECTS)
@pytest.mark.parametrize("side", [ServerSide, ClientSide])
def test_a_stream_cut_anywhere_gives_the_same_messages(named, side):
    whole = commands_of(named) if side is ServerSide else wire(TRANSCRIPTS[named])
    once = side(DIALECTS[named]).receive(whole)
    one_by_one = side(DIALECTS[named])
    assert [heard for byte in whole for heard in one_by_one.receive(bytes([byte]))] == once
    step = max(1, len(whole) // 400)
    for cut in range(0, len(whole), step):
        end = side(DIALECTS[named])
        assert end.receive(whole[:cut]) + end.receive(whole[cut:]) == once


@pytest.mark.parametrize("named", DIALECTS)
@pytest.mark.parametrize("side", [ServerSide, ClientSide])
def test_each_line_cut_at_every_byte_gives_the_same_message(named, side):
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
def test_sloppy_lines_mean_what_they_should(line):
    assert ServerSide(UT2004).receive(line) == [SkidDrive(1.5, -2.0)]


@pytest.mark.parametrize("place", [b"1,2,3", b"1, 2, 3", b"1.0 2.0 3.0", b" 1 ,2 ,  3 ", b"1,2,3,"])
def test_vectors_may_have_blanks_for_commas(place):
    line = b"INIT{Classname USARBot.kenaf}{Location " + place + b"}\n"
    (init,) = ServerSide(UT2004).receive(line)
    assert init == commands.Init("USARBot.kenaf", location=(1.0, 2.0, 3.0))
    assert init.robot == "kenaf"


def test_an_unterminated_command_is_not_heard():
    server = ServerSide(UT2004)
    assert server.receive(b"DRIVE {Left 1} {Right 1}") == []
    assert server.receive(b"\r") == [SkidDrive(1.0, 1.0)]


def test_the_forms_of_older_servers_are_read():
    client = ClientSide(UT2004)
    poses = nfo.StartPoses((nfo.StartPose("U1", (1.0, 2.0, 3.0), (0.0, 0.0, 0.5)),))
    line = b"NFO {Name U1 Location 1.0,2.0,3.0 Orientation 0, 0, 0.5}\r\n"
    assert client.receive(line) == [poses]
    (tags,) = client.receive(b"SEN {Type RFIDTag} {Name RFID} {ID 3}\r\n")
    assert tags == sensed.Tags(None, "RFID", (sensed.Tag("3"),))
    (camera,) = client.receive(b"SEN {Time 477.7582} {Type Camera} \r\n")
    assert camera == Other("SEN", (("Time", "477.7582"), ("Type", "Camera")))


def test_a_package_order_at_the_end_or_none_means_zero():
    told = ServerSide(UT2004).receive(b"MISPKG {Name P}{Link 1}{Value 0.3}{Link 2}{Value 1}\n")
    links = (package.LinkTarget(0, 0.3), package.LinkTarget(1, 1.0))
    assert told == [package.MovePackage("P", links)]
    assert ServerSide(UDK).receive(b"ACT {Name P}{Link 0}{Value 0.3}{Link 1}{Value 1}\n") == told


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"DRIVE {Left x} {Right 1}", "DRIVE: Left is 'x', must be a finite number"),
        (b"DRIVE {Left nan} {Right 1}", "DRIVE: Left is 'nan', must be a finite number"),
        (b"DRIVE {Left 1e999}", "DRIVE: Left is '1e999', must be a finite number"),
        (b"DRIVE {Left 1} {Light maybe}", "DRIVE: Light is 'maybe', must be true or false"),
        (b"DRIVE {Wings 2}", "DRIVE: no form of DRIVE has the key 'wings'"),
        (b"DRIVE {Name J}{Value 1}{Order 7}", "DRIVE: Order is '7', must be one of 0, 1, 2"),
        (b"DRIVE {Left 1", "every '{' needs its own '}'"),
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
def test_a_bad_line_is_one_sentence_and_the_next_is_heard(line, reason):
    fault, after = ServerSide(UT2004).receive(line + b"\r\nGETSTARTPOSES\r\n")
    assert isinstance(fault, Fault)
    assert fault.reason.startswith(reason)
    assert fault.line == line[:80]
    assert after == commands.GetStartPoses()


def test_a_long_line_is_reported_once_and_skipped():
    server = ServerSide(UT2004, longest=100)
    stream = b"x" * 90 + b"y" * 1000 + b"\nGETSTARTPOSES\n"
    heard = server.receive(stream)
    assert heard == [
        Fault("the line is longer than 100 bytes", stream[:80]),
        commands.GetStartPoses(),
    ]
    one_by_one = ServerSide(UT2004, longest=100)
    assert [told for byte in stream for told in one_by_one.receive(bytes([byte]))] == heard


def test_a_stream_without_an_end_takes_no_memory():
    cutter = LineCutter(1000)
    packet = b"A" * 4096
    cutter.feed(packet)
    tracemalloc.start()
    assert not any(cutter.feed(packet) for _ in range(2000))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 64 * 1024


def test_joint_orders():
    line = b"DRIVE {Name FLFlipper}{Order 1}{Value 0.5}\r\n"
    assert ServerSide(UT2004).receive(line) == [JointDrive("FLFlipper", 0.5, Order.SPEED)]
    for opcode, order in (("TARGET", 0), ("velocity", 1), ("2", 2), ("RELANGLE", 10), ("12", 12)):
        line = f"SET {{Type joint}} {{Name J}} {{Opcode {opcode}}} {{Params 0.5}}\n".encode()
        assert ServerSide(UDK).receive(line) == [setting.SetJoint("J", (0.5,), Order(order))]


class TestDialects:
    """Where the three differ in what a command means."""

    def test_one_sided_drives(self):
        half = SkidDrive(left=1.0)
        assert half.understood(UT2004, False) == SkidDrive(1.0, None, False)
        assert half.understood(UT3, False) == SkidDrive(1.0, 0.0, False)
        assert half.understood(UDK, False) is None
        assert drive.AckermanDrive(speed=1.0).understood(UDK, False) is None
        assert drive.AckermanDrive(speed=1.0).understood(UT2004, False).speed == 1.0

    def test_a_light_alone_is_obeyed_everywhere(self):
        for spoken in DIALECTS.values():
            assert SkidDrive(light=True).understood(spoken, False).light

    def test_normalized_sticks_in_udk_only(self):
        both = SkidDrive(10.0, 10.0)
        assert both.understood(UDK, True).normalized is True
        assert both.understood(UT2004, True).normalized is False
        assert SkidDrive(1.0, 1.0, False).understood(UDK, True).normalized is False

    def test_udk_wants_true_in_lower_case(self):
        line = b"DRIVE {Left 1} {Right 1} {Normalized True} {Light true}\n"
        assert ServerSide(UDK).receive(line) == [SkidDrive(1.0, 1.0, False, True)]
        assert ServerSide(UT2004).receive(line) == [SkidDrive(1.0, 1.0, True, True)]

    def test_only_ut2004_answers_set(self):
        answer = response.Response(1.0, "Joint", (response.Result("Name", "J"),))
        assert ServerSide(UT2004).send(answer)
        assert ServerSide(UT3).send(answer) == ServerSide(UDK).send(answer) == []

    def test_only_ut2004_groups_sensors(self):
        sonars = grouped.Sonars(1.0, (("F1", 1.0), ("F2", 2.0)))
        assert len(ServerSide(UT2004).send(sonars)) == 1
        lines = ServerSide(UDK).send(sonars)
        assert ClientSide(UDK).receive(b"".join(lines)) == [
            grouped.Sonars(1.0, (("F1", 1.0),)),
            grouped.Sonars(1.0, (("F2", 2.0),)),
        ]

    def test_only_ut2004_shows_flippers_and_view(self):
        said = state.State(state.GROUND, 1.0, 5, view=2, joints=(("FRFlipper", 0.5),))
        assert b"FRFlipper" in ServerSide(UT2004).send(said)[0]
        assert b"{View 2}" in ServerSide(UT2004).send(said)[0]
        for spoken in (UT3, UDK):
            assert b"Flipper" not in ServerSide(spoken).send(said)[0]
            assert b"View" not in ServerSide(spoken).send(said)[0]

    def test_only_ut2004_answers_when_nothing_matches(self):
        nothing = geometry.SensorGeometry("Sonar")
        assert ServerSide(UT2004).send(nothing) == [b"GEO {Type Sonar}\r\n"]
        assert ServerSide(UDK).send(nothing) == []

    def test_by_name(self):
        assert dialect("UDK") is UDK
        with pytest.raises(UnknownName, match="there is no dialect 'udx' .* did you mean 'udk'"):
            dialect("udx")


class TestNumbers:
    """Digits, cut or rounded."""

    @pytest.mark.parametrize(
        ("value", "cut", "rounded"),
        [
            (3.14159265, "3.141", "3.142"),
            (-0.0004, "-0.000", "-0.000"),
            (0.017, "0.017", "0.017"),
            (1e-7, "0.000", "0.000"),
            (-2.9999, "-2.999", "-3.000"),
            (1e22, "10000000000000000000000.000", "10000000000000000000000.000"),
            (7, "7.000", "7.000"),
        ],
    )
    def test_styles(self, value, cut, rounded):
        assert Style(3, cut=True).text(value) == cut
        assert Style(3).text(value) == rounded
        assert Style(3).join([value, value]) == f"{rounded},{rounded}"

    @given(st.floats(-1e6, 1e6))
    def test_cutting_never_goes_away_from_zero_and_is_settled_after_once(self, value):
        style = Style(4, cut=True)
        cut = float(style.text(value))
        assert abs(cut) <= abs(value) < abs(cut) + 1.0001e-4
        assert style.text(cut) == style.text(value)

    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_commands_keep_every_digit(self, value):
        assert float(exact(value)) == value
        assert "e" not in exact(value)

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_what_is_not_finite_is_not_sent(self, value):
        for spoken in DIALECTS.values():
            with pytest.raises(BadValue, match="not finite"):
                ServerSide(spoken).send(sensed.Odometry(1.0, "O", (0.0, value, 0.0)))
        with pytest.raises(BadValue, match="not finite"):
            ClientSide(UDK).send(SkidDrive(value, 0.0))

    @given(st.floats(-1e3, 1e3))
    def test_unsigned_angles(self, angle):
        turned = unsigned(angle)
        assert 0.0 <= turned < math.tau
        assert math.isclose(math.cos(turned), math.cos(angle), abs_tol=1e-9)


@pytest.mark.parametrize("text", ["a}b", "{a", "a\r\nINIT {ClassName X}", "a\nb"])
def test_a_text_cannot_break_out_of_its_line(text):
    with pytest.raises(BadValue, match="braces or line ends"):
        ClientSide(UDK).send(commands.Init("P3AT", text))
    with pytest.raises(BadValue, match="braces or line ends"):
        write("SEN", [(text, "1")])


class TestAxes:
    """Ours, x forward, y left, z up, against the wire's."""

    def test_the_capture(self):
        # Spawned 1.80 m below the origin it settles at z = 1.85, and right is +y (reference).
        assert Axes.Z_DOWN.place((4.5, -1.9, -1.85)) == (4.5, 1.9, 1.85)
        assert Axes.Z_UP.place((4.5, -1.9, 1.85)) == (4.5, 1.9, 1.85)

    def test_nose_up_and_a_right_turn_are_positive(self):
        nose_down, right = 0.1, -0.2
        for frame in Axes:
            assert frame.angles((0.3, nose_down, right)) == (0.3, -0.1, 0.2)

    @given(st.tuples(*[st.floats(-1e3, 1e3)] * 3), st.sampled_from(Axes))
    def test_back_and_forth(self, vector, frame):
        assert frame.place(frame.place(vector)) == vector
        assert frame.angles(frame.angles(vector)) == vector

    def test_z_down_is_a_rotation_of_whole_poses(self):
        """Turning angles by sign is the same as turning the rotation matrix by half a turn."""
        from grouser.frames import from_rpy, multiply, rotate, to_rpy

        ours = (0.3, -0.2, 1.1)
        half_turn_x = (0.0, 1.0, 0.0, 0.0)
        there = multiply(multiply(half_turn_x, from_rpy(*ours)), (0.0, -1.0, 0.0, 0.0))
        assert to_rpy(there) == pytest.approx(Axes.Z_DOWN.angles(ours))
        assert rotate(half_turn_x, (1, 2, 3)) == pytest.approx(Axes.Z_DOWN.place((1, 2, 3)))

    def test_unreal_units(self):
        assert axes.to_unreal(2.0) == 500.0
        assert axes.from_unreal(axes.to_unreal(1.3)) == pytest.approx(1.3)
        assert axes.to_unreal_angle(math.tau) == 65536
        assert axes.from_unreal_angle(axes.to_unreal_angle(3.1415)) == pytest.approx(
            3.1415, abs=1e-4
        )


class TestTruthPort:
    """Port 3989."""

    def test_transcript(self):
        row = (
            b"{Name P3AT_0} {Class P3AT} {Time 29.9739} "
            b"{Location 0.67,2.30,1.86} {Rotation -0.00,0.46,0.00}\r\n"
        )
        client, server = truth.TruthClientSide(), truth.TruthServerSide()
        heard = client.receive(row + b"{End}\r\n")
        assert b"".join(map(server.send, heard)) == row + b"{End}\r\n"
        assert isinstance(heard[0], truth.TruthRow)
        assert heard[1] == truth.TruthEnd()

    @pytest.mark.parametrize(
        "request_", [truth.TruthRequest(), truth.TruthRequest("P3AT"), truth.TruthRequest(name="R")]
    )
    def test_questions(self, request_):
        server = truth.TruthServerSide()
        assert server.receive(truth.TruthClientSide().send(request_)) == [request_]

    def test_faults(self):
        heard = truth.TruthServerSide().receive(b"GET / HTTP/1.1\r\n{class P3AT}\r\n")
        assert isinstance(heard[0], Fault)
        assert heard[1] == truth.TruthRequest("P3AT")
