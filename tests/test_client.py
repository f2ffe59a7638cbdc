"""The clients' shells: what they say, hear, wait for and complain about, over real sockets."""

import asyncio
import shutil
import socket
import ssl
import subprocess
import time

import pytest
from peer import Peer

from grouser.client import asynchronous, connection, questions
from grouser.client.address import Address
from grouser.client.connection import connect, control, join
from grouser.client.launch import serving
from grouser.client.memory import Memory
from grouser.client.talk import UNREAD, Talk
from grouser.errors import BadValue, Disconnected, NoAnswer, Refused, UnknownName
from grouser.protocol import additions, commands, drive, setting
from grouser.protocol.additions import Heard, Lockstep, Notice, Said, Step, Tick
from grouser.protocol.configuration import SensorConfiguration, SensorSettings
from grouser.protocol.control import AbsMove, Create
from grouser.protocol.dialects import DIALECTS, UDK, UT2004
from grouser.protocol.drive import MultiDrive, Order, SkidDrive
from grouser.protocol.geometry import RobotGeometry
from grouser.protocol.grouped import Sonars
from grouser.protocol.message import Other
from grouser.protocol.nfo import Greeting, StartPose, StartPoses
from grouser.protocol.package import LinkTarget, MovePackage
from grouser.protocol.response import Response, Result
from grouser.protocol.sensed import Odometry
from grouser.protocol.state import State
from grouser.protocol.usarsim import ServerSide

STATE = State(type="GroundVehicle", time=1.5)
POSES = (StartPose("Point1", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),)


def world(message):
    """Answer as a server with one lonely robot would."""
    match message:
        case commands.Init(class_name="USARBot.P3AT"):
            return [STATE, Odometry(1.5, "Odometry", (0.0, 0.0, 0.0))]
        case commands.Init(class_name="USARBot.Nobody"):
            return [Notice("Refused", "there is no robot 'Nobody'")]
        case SkidDrive(left=speed) if speed is not None:
            return [Odometry(1.6, "Odometry", (speed, 0.0, 0.0))]
        case commands.GetStartPoses():
            return [StartPoses(POSES)]
        case commands.GetGeometry(type="Robot"):
            return [RobotGeometry("GroundVehicle", "P3AT", (0.5, 0.4, 0.2))]
        case commands.GetConfiguration(type="Camera"):
            return [SensorConfiguration("Camera", (SensorSettings("Camera", (("Fov", 1),)),))]
        case additions.Typed(line="open door"):
            return [Said("the door is open")]
        case additions.Typed():
            return [Said("there is no 'dor'", failed=True)]
        case additions.Transmit():
            return [Heard("fido", message.data[::-1], -61.2)]
        case setting.ResetSensor():
            return [Response(2.0, "Odometry", (Result("Name", "Odometry"),))]
        case Lockstep(every=every) if every > 0:
            return [STATE, Tick(2.0)]
        case Step():
            return [Odometry(2.1, "Odometry", (1.0, 0.0, 0.0)), Tick(2.1)]
        case Other(word="CRASH"):
            return [None]
    return []


@pytest.fixture
def peer():
    with Peer(world) as peer:
        yield peer


@pytest.fixture
def robot(peer):
    with join("P3AT", name="R1", port=peer.port) as robot:
        yield robot


def felt(robot, speed):
    """Wait until the odometry says ``speed``; the first reading may still be on its way."""
    while robot.reading("odometry", timeout=5).pose != (speed, 0.0, 0.0):
        pass
    return True


def test_a_robot_joins_drives_and_feels(peer):
    with join("P3AT", name="R1", at=(4.5, 1.9, 1.8), port=peer.port) as robot:
        assert robot.level == "peer"
        assert robot.state == STATE
        robot.drive(left=2.0, right=2.0)
        assert felt(robot, 2.0)
        assert robot.time == 1.6
    assert peer.left.wait(5)
    init = commands.Init("USARBot.P3AT", "R1", (4.5, 1.9, 1.8))
    assert peer.heard == [Lockstep(0.0), init, SkidDrive(2.0, 2.0)]
    assert robot.newest("Odometry").pose == (2.0, 0.0, 0.0)  # what was heard stays


def test_listening_gives_everything_once_and_ends_in_time(robot):
    robot.drive(1.0, 1.0)
    robot.start_poses()  # so everything before has come
    heard = [type(message) for message in robot.listen(seconds=0.1)]
    assert heard == [Greeting, State, Odometry, Odometry, StartPoses]
    assert list(robot.listen(seconds=0)) == []


ORDERS = {
    "light": (lambda r: r.drive(light=True), SkidDrive(light=True)),
    "stop": (lambda r: r.stop(), SkidDrive(0.0, 0.0)),
    "percent": (
        lambda r: r.drive(-50, 100, normalized=True),
        SkidDrive(-50.0, 100.0, normalized=True),
    ),
    "car": (lambda r: r.steer(1.0, 0.25), drive.AckermanDrive(1.0, 0.25, 0.0)),
    "omni": (
        lambda r: r.wheels([drive.Wheel(0, 1.0), drive.Wheel(1, 2.0)]),
        drive.OmniDrive((drive.Wheel(0, 1.0), drive.Wheel(1, 2.0))),
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
    "place": (lambda r: r.place((1, 2, 3)), setting.SetPose((1.0, 2.0, 3.0, 0.0, 0.0, 0.0))),
    "scan": (lambda r: r.scan(), setting.Scan("RangeScanner")),
    "zoom": (lambda r: r.zoom("Camera", 0.8), setting.SetZoom("Camera", 0.8)),
    "trace": (lambda r: r.trace(color="Red"), commands.Trace(True, None, "Red")),
    "radio": (lambda r: r.transmit(b"hi", "rex"), additions.Transmit(b"hi", "rex")),
    "lockstep": (lambda r: r.lockstep(0.1, by_command=True), Lockstep(0.1, True)),
    "end of turn": (lambda r: r.end_turn(), Step()),
}


@pytest.mark.parametrize("call", ORDERS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_order_is_understood_as_it_was_meant(peer, call, dialect):
    said, meant = ORDERS[call]
    with join("P3AT", port=peer.port, dialect=dialect) as robot:
        said(robot)
        robot.start_poses()  # answered, so what was said before has been heard
    assert peer.heard[2:-1] == [meant]


def test_a_wrong_order_says_what_there_is(robot):
    with pytest.raises(BadValue, match="order is 'angel'.*did you mean 'angle'"):
        robot.joint("Neck", 1.0, "angel")


def test_questions_are_answered(robot):
    assert robot.start_poses() == POSES
    assert robot.geometry().dimensions == (0.5, 0.4, 0.2)
    assert robot.configuration("camera".title()).sensors[0].name == "Camera"
    assert robot.console("open door") == "the door is open"
    with pytest.raises(BadValue, match="no 'dor'"):
        robot.console("open dor")


def test_what_nobody_answers_ends_in_a_sentence(robot, peer):
    sentence = f"127.0.0.1:{peer.port}: 0.1 s passed without GEO {{Type Laser}} {{Name L1}}"
    with pytest.raises(NoAnswer) as raised:
        robot.geometry("Laser", "L1", timeout=0.1)
    assert str(raised.value) == sentence
    with pytest.raises(NoAnswer, match="without a reading of 'Sonr' .heard from: Odometry"):
        robot.reading("Sonr", timeout=0.1)
    assert robot.start_poses() == POSES  # it goes on


def test_a_response_is_for_the_dialect_that_has_it():
    with (
        Peer(world, dialect=UT2004) as peer,
        join("P3AT", port=peer.port, dialect="ut2004") as robot,
    ):
        answer = robot.response(setting.ResetSensor("Odometry"))
        assert answer.results == (Result("Name", "Odometry", "OK"),)


def test_radio_is_kept_until_it_is_taken(robot):
    robot.transmit(b"one")
    robot.transmit(b"two")
    assert robot.start_poses()  # both have come by now
    assert robot.receive() == Heard("fido", b"eno", -61.2)
    assert robot.receive().data == b"owt"
    with pytest.raises(NoAnswer, match="radio"):
        robot.receive(timeout=0.05)


def test_lockstep_waits_for_the_tick_and_brings_all_readings(robot, peer):
    robot.lockstep(0.1)
    turn = robot.step()  # the first turn is waited for before it is ended
    assert turn.time == 2.1
    assert turn.heard == (Odometry(2.1, "Odometry", (1.0, 0.0, 0.0)),)
    rounds = [turn.time for turn, _ in zip(robot.turns(), range(3), strict=False)]
    assert rounds == [2.1, 2.1, 2.1]
    assert sum(isinstance(message, Step) for message in peer.heard) == 4


def test_a_command_may_end_the_turn(robot, peer):
    robot.lockstep(0.1, by_command=True)
    robot.turn()
    robot.drive(1.0, 1.0)
    with pytest.raises(NoAnswer, match="our turn"):
        robot.turn(timeout=0.05)


def test_in_lockstep_nothing_is_dropped_and_otherwise_only_the_oldest():
    line = b"SEN {Type Odometry} {Name O} {Pose 1,2,3}\r\n"
    talk = Talk(UDK, "peer")
    talk.receive(line * (UNREAD + 5))
    assert talk.missed == 5
    talk.say(Lockstep(1.0))
    talk.receive(line * UNREAD)
    assert talk.missed == 5


def waits(plan):
    """Let a plan go on as far as it can; return whether it still waits."""
    try:
        next(plan)
    except StopIteration as done:
        return done.value
    return True


def test_answers_go_to_who_asked_first():
    talk = Talk(UDK, "peer")
    first, second = talk.console("one"), talk.console("two")
    assert waits(first) is waits(second) is True
    talk.receive(b"CONSOLE {Said 1}\r\n")
    assert waits(first) == "1"
    assert waits(second) is True
    talk.receive(b"CONSOLE {Said 2}\r\n")
    assert waits(second) == "2"


def test_who_gave_up_takes_no_answer_away():
    talk = Talk(UDK, "peer")
    first, second = talk.console("one"), talk.console("two")
    assert waits(first) is waits(second) is True
    first.close()
    talk.receive(b"CONSOLE {Said 2}\r\n")
    assert waits(second) == "2"


def test_an_answer_is_about_what_was_asked():
    talk = Talk(UDK, "peer")
    plan = talk.ask(questions.geometry("Sonar", "F2"))
    for other in (b"{Type Encoder} {Name F2}", b"{Type Sonar} {Name F1}"):
        assert waits(plan) is True
        talk.receive(b"GEO " + other + b" {Location 0,0,0} {Orientation 0,0,0}\r\n")
    assert waits(plan) is True
    talk.receive(b"GEO {Type Sonar} {Name F2} {Location 1,0,0} {Orientation 0,0,0}\r\n")
    assert waits(plan).sensors[0].location == (1, 0, 0)


def test_a_refusal_before_an_answer_is_raised_with_it_however_packets_fall():
    def strict(message):
        if isinstance(message, commands.GetStartPoses):
            return [Notice("Refused", "not now"), StartPoses(POSES)]
        return []

    async def program(port):
        async with await asynchronous.connect(port=port) as connection:
            with pytest.raises(Refused, match="not now"):
                await connection.start_poses()

    with Peer(strict) as peer, connect(port=peer.port) as connection:
        with pytest.raises(Refused, match="not now"):
            connection.start_poses()
        asyncio.run(program(peer.port))


def drive_until(robot, until):
    while time.monotonic() < until:
        robot.drive(1.0, 1.0)


def test_who_only_drives_hears_refusals_and_who_only_looks_sees_news():
    def strict(message):
        known = [STATE] if isinstance(message, commands.Init) else []
        refused = isinstance(message, setting.SetJoint)
        felt = isinstance(message, SkidDrive)
        odometry = [Odometry(2.0, "Odometry", (7.0, 0.0, 0.0))]
        return known + [Notice("Refused", "no such joint")] * refused + odometry * felt

    with Peer(strict) as peer, join("P3AT", port=peer.port) as robot:
        robot.drive(1.0, 1.0)
        until = time.monotonic() + 10
        while robot.newest("Odometry") is None:
            assert time.monotonic() < until
        robot.joint("Tail", 1.0)
        with pytest.raises(Refused, match="no such joint"):
            drive_until(robot, until)


def test_a_refusal_is_raised_as_it_was_said(peer):
    with pytest.raises(Refused, match=r"127.0.0.1:\d+: there is no robot 'Nobody'"):
        join("Nobody", port=peer.port)


def test_a_class_that_an_old_server_ignores_is_a_sentence(peer):
    with pytest.raises(NoAnswer, match="sign of life of a 'Ghost' .does the server know"):
        join("Ghost", port=peer.port, timeout=0.2)


def test_a_server_that_goes_raises_one_sentence_at_every_call(robot):
    robot.send(Other("CRASH"))
    with pytest.raises(Disconnected, match="the server closed the connection"):
        list(robot.listen(seconds=5))
    for call in (lambda: robot.drive(1, 1), robot.start_poses, lambda: robot.state):
        with pytest.raises(Disconnected, match="the server closed the connection"):
            call()


def test_a_server_that_is_not_there_or_no_server():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        with pytest.raises(Disconnected, match="nobody listens there; 'grouser serve WORLD'"):
            connect(port=port)
        nobody.listen()
        with pytest.raises(NoAnswer, match="without the greeting"):
            connect(port=port, timeout=0.1)


def test_closed_by_us_is_said_so(peer):
    with join("P3AT", port=peer.port) as robot:
        pass
    with pytest.raises(Disconnected, match="closed by this program"):
        robot.drive(1.0, 1.0)


def test_a_token_goes_first(peer):
    with connect(port=peer.port, token="secret") as connection:
        connection.start_poses()
    assert peer.heard[0] == commands.Login("secret")


def test_addresses_are_checked():
    with pytest.raises(BadValue, match="port is 0"):
        Address(port=0)
    with pytest.raises(BadValue, match="timeout is 0 s"):
        Address(timeout=0)
    with pytest.raises(UnknownName, match="dialect 'udx'.*did you mean 'udk'"):
        connect(dialect="udx")


def test_a_controller_changes_the_world(peer):
    with control("referee", port=peer.port) as referee:
        referee.create("USARBotAPI.Box", "Box1", at=(1, 2, -0.5), scale=[2.0], permanent=True)
        referee.put("Box1", at=(0, 0, -1))
        referee.start_poses()
    init, _, create, move, _ = peer.heard[1:]
    assert init.class_name == "USARBotAPI.WorldController"
    assert create == Create(
        "USARBotAPI.Box", "Box1", location=(1, 2, -0.5), scale=(2.0,), permanent=True
    )
    assert move == AbsMove("Box1", (0, 0, -1))


def test_sensors_in_numbers_look_the_same_in_every_dialect():
    sonars = Sonars(1.0, (("F1", 4.5), ("F2", 2.0)))
    for dialect in DIALECTS.values():
        talk = Talk(dialect, "peer")
        for line in ServerSide(dialect).send(sonars):
            talk.receive(line)
        assert talk.memory.newest("sonar") == sonars
        assert talk.memory.newest("f2") == Sonars(1.0, (("F2", 2.0),))
        assert talk.memory.sensors == ("F1", "F2")


def test_sensors_of_others_and_bad_lines_are_kept():
    talk = Talk(UDK, "peer")
    talk.receive(b"SEN {Type Nose} {Name N1} {Smell roses}\r\nSTA {Type}\r\n")
    assert talk.memory.newest("n1").said[-1] == ("Smell", "roses")
    assert talk.memory.sensors == ("N1",)
    (fault,) = talk.faults
    assert fault.reason.startswith("STA: ")
    assert Memory().newest("n1") is None


def test_time_goes_back_only_when_the_world_starts_over():
    talk = Talk(UT2004, "peer")
    stamps = []
    for line in (
        b"STA {Type GroundVehicle} {Time 5.00}\r\n",
        b"SEN {Time 5.1000} {Type Sonar} {Name F1 Range 1.0}\r\n",
        b"SEN {Time 4.9000} {Type RFID} {Name late}\r\n",
        b"STA {Type GroundVehicle} {Time 0.20}\r\n",
    ):
        talk.receive(line)
        stamps.append(talk.memory.time)
    assert stamps == [5.0, 5.1, 5.1, 0.2]


def test_a_robot_that_nobody_listens_to_is_still_up_to_date(robot):
    for speed in range(50):
        robot.drive(float(speed), float(speed))
    robot.start_poses()
    assert robot.newest("Odometry").pose[0] == 49.0


# The same for asyncio.


def test_async_robots_share_one_loop(peer):
    async def drive_one(name, speed):
        async with await asynchronous.join("P3AT", name, port=peer.port) as robot:
            robot.drive(speed, speed)
            while (reading := await robot.reading("Odometry", timeout=5)).pose[0] != speed:
                pass
            # Two questions at once on one connection: each gets an answer of its own.
            await asyncio.gather(robot.start_poses(), robot.start_poses(), robot.geometry())
            return reading.pose[0]

    async def everyone():
        return await asyncio.gather(*(drive_one(f"R{i}", float(i)) for i in range(1, 6)))

    assert asyncio.run(everyone()) == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_async_waits_complain_and_end_like_the_others(peer):
    async def program():
        async with await asynchronous.join("P3AT", port=peer.port) as robot:
            await robot.start_poses()
            kinds = [type(message) async for message in robot.listen(seconds=0.1)]
            assert kinds == [Greeting, State, Odometry, StartPoses]
            with pytest.raises(NoAnswer, match="0.05 s passed without something on the radio"):
                await robot.receive(timeout=0.05)
            assert await robot.console("open door") == "the door is open"
            robot.lockstep(0.1)
            assert (await robot.step()).time == 2.1
            async for turn in robot.turns():
                assert turn.time == 2.1
                break
            robot.send(Other("CRASH"))
            with pytest.raises(Disconnected, match="the server closed the connection"):
                await robot.receive()
            with pytest.raises(Disconnected, match="the server closed the connection"):
                robot.drive(1, 1)
        with pytest.raises(Refused, match="no robot 'Nobody'"):
            await asynchronous.join("Nobody", port=peer.port)
        async with await asynchronous.control(port=peer.port) as referee:
            referee.kill_all()
            assert await referee.start_poses() == POSES

    asyncio.run(program())


def test_both_shells_have_the_same_calls():
    def calls(cls):
        return {name for name in dir(cls) if not name.startswith("_")}

    assert calls(connection.Robot) == calls(asynchronous.AsyncRobot) - {"open", "closed"}
    assert calls(connection.Controller) == calls(asynchronous.AsyncController) - {"open", "closed"}


# TLS.


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    order = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    names = "-addext subjectAltName=IP:127.0.0.1 -keyout both.pem -out cert.pem"
    made = subprocess.run(
        [openssl, *order.split(), *names.split()], cwd=file.parent, capture_output=True
    )
    assert made.returncode == 0, made.stderr
    file.write_bytes(file.read_bytes() + file.with_name("cert.pem").read_bytes())
    return file


@pytest.fixture
def private_peer(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with Peer(world, context=context) as peer:
        yield peer


def test_tls_with_a_certificate_that_is_given(private_peer, certificate):
    trusted = certificate.with_name("cert.pem")
    with join("P3AT", port=private_peer.port, tls=trusted) as robot:
        robot.drive(2.0, 2.0)
        assert felt(robot, 2.0)
        assert robot.newest("Odometry").pose[0] == 2.0

    async def program():
        where = {"port": private_peer.port, "tls": trusted}
        async with await asynchronous.join("P3AT", **where) as robot:
            return await robot.start_poses()

    assert asyncio.run(program()) == POSES


def test_tls_mistakes_are_sentences(private_peer, peer, certificate):
    with pytest.raises(Disconnected, match="certificate is not to be trusted"):
        connect(port=private_peer.port, tls=True)
    with pytest.raises(Disconnected, match="does not speak TLS"):
        connect(port=peer.port, tls=True)
    with pytest.raises((Disconnected, NoAnswer), match="does it speak TLS|without the greeting"):
        connect(port=private_peer.port, timeout=1)
    with pytest.raises(BadValue, match="holds no certificate"):
        connect(port=peer.port, tls=__file__)


def test_the_real_server_with_a_token_and_tls(certificate, monkeypatch):
    monkeypatch.setenv("GROUSER_TOKEN", "correct-horse-battery")
    trusted = certificate.with_name("cert.pem")
    options = ("--certificate", str(certificate), "--images", "-1", "--dialect", "udk")
    with serving("pioneer_room", *options) as ports:
        where = {"port": ports.control, "tls": trusted, "timeout": 30, "dialect": "udk"}
        with join("P3AT", token="correct-horse-battery", **where) as robot:
            assert robot.geometry().name == "P3AT"
            robot.package("CameraPanTilt", {1: 0.2})  # ACT, and links counted otherwise
            while abs(robot.packages["CameraPanTilt"].links[1].value - 0.2) > 0.02:
                robot.reading("Odometry")
            while len(robot.newest("Sonar").readings) < 8:  # one line for each, in UDK
                robot.reading("Sonar")
        with pytest.raises(Refused, match="token"):
            join("P3AT", **where)
        with pytest.raises(Refused, match="this token is not one of the server's"):
            join("P3AT", token="wrong-horse-battery", **where)
        with pytest.raises((Disconnected, NoAnswer)):
            join("P3AT", port=ports.control, timeout=2)


def test_a_call_returns_within_its_time(robot):
    begin = time.monotonic()
    list(robot.listen(seconds=0.2))
    assert time.monotonic() - begin >= 0.2
