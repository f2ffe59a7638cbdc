"""Clients written for USARSim: raw bytes sent and expected lines."""

import math
import re
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from support.narrowing import not_none
from support.old_client import OldClient
from support.server_fixtures import TIMEOUT, ServerProcess

SPEED = 4
"""Simulated over wall time; the wall clock is used for time-outs only."""


@pytest.fixture(scope="module")
def server(yard_file: Path) -> Iterator[ServerProcess]:
    also = ("--also", "0:udk", "--also", "0:ut2004")
    options = ("--images", "-1", "--truth", "0", "--speed", str(SPEED))
    with ServerProcess(yard_file.parent, yard_file, *also, *options) as server:
        yield server


@pytest.fixture
def client(server: ServerProcess) -> Iterator[OldClient]:
    with OldClient(server) as client:
        yield client


@pytest.fixture
def udk(server: ServerProcess) -> Iterator[OldClient]:
    with OldClient(server, "control2") as client:
        yield client


def ask_truth(server: ServerProcess, data: bytes) -> list[str]:
    """Return the rows that the truth port answers, without the end line."""
    with OldClient(server, "truth") as asker:
        asker.raw(data)
        rows: list[str] = []
        for line in asker.lines():
            if line == "{End}":
                return rows
            rows.append(line)
    raise AssertionError("the server closed the connection")


def classes_by_name(rows: list[str]) -> dict[str, str]:
    """Return the classes in rows of the truth port by the names."""
    found = (re.match(r"{Name (\S+)} {Class (\S+)} {Time ", row) for row in rows)
    return {not_none(match)[1]: not_none(match)[2] for match in found}


# -- periods ------------------------------------------------------------------------------------


def test_sensor_period_is_constant_from_the_first_reading(client: OldClient) -> None:
    client.send("INIT {ClassName USARBot.P2DX} {Name Rhythm} {Location 0,0,0}")
    stamps = []
    for line in client.lines():
        if match := re.match(r"SEN {Time ([\d.]+)} {Type Sonar}", line):
            stamps.append(float(match[1]))
        if len(stamps) == 5:
            break
    gaps = [b - a for a, b in pairwise(stamps)]
    assert gaps == pytest.approx([0.2] * 4, abs=0.005)


def test_odometry_of_ut2004_wraps_and_of_udk_does_not(client: OldClient, udk: OldClient) -> None:
    received = {}
    for name, one, y in (("Wrap", client, 1.5), ("Turns", udk, -1.5)):
        one.send(f"INIT {{ClassName USARBot.P2DX}} {{Name {name}}} {{Location 0,{y},0}}")
        one.wait_for("^STA")
        one.send("DRIVE {Left 4.0} {Right -4.0}")
        end = time.monotonic() + TIMEOUT
        headings = []
        for line in one.lines():
            if match := re.search(r"{Type Odometry}.*{Pose [^,]*,[^,]*,([-\d.]+)}", line):
                headings.append(float(match[1]))
            if len(headings) > 3 and (max(headings) > 7 or min(headings) < 0):
                break
            assert time.monotonic() < end, headings[-3:]
        received[name] = headings
    assert max(received["Wrap"]) <= math.pi + 1e-4
    assert min(received["Wrap"]) < -1.0, "it wraps from pi to -pi"
    assert max(received["Turns"]) > 7


def test_client_that_commands_once_is_not_stopped(server: ServerProcess, client: OldClient) -> None:
    client.send("INIT {ClassName USARBot.P2DX} {Name Once} {Location -4,-2,0} {Rotation 0,0,0}")
    client.wait_for("^STA")
    client.send("DRIVE {Left 0.3} {Right 0.3}")
    begin = float(client.wait_for(r"^STA {Type GroundVehicle} {Time ([\d.]+)}")[1])
    place_beside_crate = {}
    for line in client.lines():
        if match := re.search(r"{Type GroundTruth}.*{Location ([-\d.]+),", line):
            now = float(not_none(re.search(r"{Time ([\d.]+)}", line))[1])
            place_beside_crate[now] = float(match[1])
            if now > begin + 13.0:
                break
    late = {t: x for t, x in place_beside_crate.items() if t > begin + 11.0}
    assert max(late.values()) - min(late.values()) > 0.03, "10 s of silence stopped it"


# -- truth --------------------------------------------------------------------------------------


def test_truth_port_accepts_packages_given_names_objects_and_bare_line_ends(
    server: ServerProcess, client: OldClient
) -> None:
    client.send("INIT {ClassName USARBot.P3AT} {Name 1} {Location 3,-3,0}")
    client.wait_for("^STA")
    with OldClient(server) as controller:
        controller.send(
            "INIT {ClassName USARBotAPI.WorldController}",
            "CONTROL {Type Create} {ClassName USARPhysObj.partc} {Name part_c_6} "
            "{Location 4,4,-0.2} {Memory blue}",
            "CONTROL {Type GetSTA} {Name part_c_6}",
        )
        state = controller.wait_for("^STA .*")[0]
        assert re.fullmatch(
            r"STA {Name part_c_6} {Size [-\d.,]+} {Location [-\d.,]+} {Memory blue} "
            r"{Rotation [-\d.,]+}",
            state,
        )
        row = r"{Name 1} {Class P3AT} {Time [\d.]+} {Location [-\d.,]+} {Rotation [-\d.,]+}"
        for question in (b"{class USARBot.P3AT}\r\n", b"{class P3AT}\n", b"{name 1}\r\n"):
            (line,) = ask_truth(server, question)
            assert re.fullmatch(row, line)
        (part,) = ask_truth(server, b"{class USARPhysObj.partc} {name part_c_6}\r\n")
        assert part.startswith("{Name part_c_6} {Class partc} ")
        controller.send(
            "CONTROL {Type Create} {ClassName Victim} {Name lying} {Location -4,4,0} "
            "{Physics None}",
            "CONTROL {Type Create} {ClassName FemaleVictim} {Name two} {Location -4,5,0} "
            "{Physics None}",
            "CONTROL {Type GetSTA} {Name two}",
        )
        controller.wait_for("^STA .*two")
        pawns = {"1": "P3AT", "own": "P2DX", "lying": "MaleVictim", "two": "FemaleVictim"}
        for bare in (b"\r\n", b"\n", b"{Actors}\r\n", b"{}\r\n", b"{class Pawn}\r\n"):
            assert pawns.items() <= classes_by_name(ask_truth(server, bare)).items()
            assert "part_c_6" not in classes_by_name(ask_truth(server, bare))
        assert classes_by_name(ask_truth(server, b"{class Engine.Actor}\r\n"))["part_c_6"]
        assert classes_by_name(ask_truth(server, b"{class WCObject}\r\n")) == {"part_c_6": "partc"}
        assert classes_by_name(ask_truth(server, b"{class FemaleVictim}\r\n")) == {
            "two": "FemaleVictim"
        }


# -- the world controller -----------------------------------------------------------------------


def test_world_controller_accepts_udk_classes_and_answers_refusals(client: OldClient) -> None:
    client.send(
        "INIT {ClassName USARBotAPI.WorldController}",
        "CONTROL {Type Create} {ClassName WCCrate} {Name c1} {Location 5,5,-0.3}",
        "CONTROL {Type Create} {ClassName USARPhysObj.WCPallet} {Name c2} {Location 5,6,-0.3}",
        "CONTROL {Type GetSTA}",
    )
    state = client.wait_for("^STA .*")[0]
    assert "{Name c1}" in state
    assert "{Name c2}" in state
    assert "{Type" not in state
    client.send("CONTROL {Type Create} {ClassName WCUnicorn} {Name c3}")
    assert "unicorn" in client.wait_for("^NOTICE {Kind Refused}.*")[0].lower()
    client.send("CONTROL {Type Kill} {Name nobody}")
    client.wait_for("^NOTICE {Kind Refused}.*nobody")


# -- geometry -----------------------------------------------------------------------------------


def test_udk_geometry_of_actuators_and_mounts(udk: OldClient) -> None:
    udk.send("INIT {ClassName USARBot.P3AT} {Name Geo} {Location 0,0,0}", "GETGEO {Type Actuator}")
    triple = r"-?\d+\.\d{3},-?\d+\.\d{3},-?\d+\.\d{3}"
    link = rf"{{Link (\d)}} {{Parent (\d)}} {{Location {triple}}} {{Orientation {triple}}}"
    found = udk.wait_for(
        rf"^GEO {{Type Actuator}} {{Name CameraPanTilt}} {{Location {triple}}} "
        rf"{{Orientation {triple}}} {{Mount P3AT}} {link} {link} {{Tip {triple}}}$"
    )
    assert found.groups() == ("1", "0", "2", "1")
    udk.send("GETGEO {Type Camera}")
    camera = udk.wait_for("^GEO {Type Camera}.*")[0]
    assert re.search(r"{Mount CameraPanTilt} ?{MountLink 2}", camera)


@pytest.mark.parametrize("robot", ["P3AT", "ERS7", "Kenaf"])
def test_ut2004_names_announced_mounts_only(client: OldClient, robot: str) -> None:
    client.send(f"INIT {{ClassName USARBot.{robot}}} {{Name Mounts}} {{Location 0,0,0}}")
    client.wait_for("^STA")
    client.send("GETGEO {Type MisPkg}", "GETGEO {Type Camera}", "GETGEO {Type Encoder}")
    packages = set()
    for line in client.lines():
        if line.startswith("GEO {Type MisPkg}"):
            packages.add(not_none(re.search(r"{Name (\S+)}", line))[1])
        for mount in re.findall(r" Mount (\S+?)}", line):
            package, _, link = mount.partition("_Link")
            assert mount == "HARD" or (package in packages and link.isdecimal()), line
        if line.startswith("GEO {Type Encoder}"):
            break


# -- lines --------------------------------------------------------------------------------------


def test_missing_last_brace_drops_its_segment_only(
    server: ServerProcess, client: OldClient
) -> None:
    client.send(
        "INIT {ClassName USARBot.P2DX} {Name Open} {Location 2.5,2.5,0} {Rotation 0.00, 0.00, 0.00"
    )
    client.wait_for("^STA")
    (row,) = ask_truth(server, b"{name Open}\r\n")
    assert re.search(r"{Location 2\.5", row)


def test_unknown_class_is_answered_with_the_known_ones(client: OldClient) -> None:
    client.send("INIT {ClassName USARBot.Lurker} {Name Z}")
    notice = client.wait_for("^NOTICE {Kind Refused}.*")[0]
    assert "lurker" in notice.lower()
    assert "p3at" in notice


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("INTI {ClassName USARBot.P3AT} {Name Typo}", "no command 'INTI'; did you mean 'INIT'"),
        ("INIT {ClassName USARBot.P3AT} {Location 0,zero,0}", "Location.*zero"),
    ],
)
def test_client_without_a_robot_is_notified_of_a_wrong_init(
    client: OldClient, line: str, expected: str
) -> None:
    client.send(line)
    client.wait_for(f"^NOTICE {{Kind Refused}}.*{expected}")
    client.send("INIT {ClassName USARBot.P3AT} {Name Right} {Location 0,0,0}")
    client.wait_for("^STA")
    client.send("DRIEV {Left 1}", "SET {Type Joint} {Name nobody} {Opcode Angle} {Params x}")
    for _ in range(20):  # an old client with a robot receives no notices
        assert not client.wait_for("^(NOTICE|STA).*")[0].startswith("NOTICE")


def test_kenaf_receives_ground_truth_only_with_the_option(
    server: ServerProcess, tmp_path: Path, yard_file: Path
) -> None:
    def receives_truth(client: OldClient) -> tuple[bool, set[str]]:
        client.send("INIT {ClassName USARBot.Kenaf} {Name Blind} {Location 0,0,0}")
        states = 0
        kinds: set[str] = set()
        for line in client.lines():
            states += line.startswith("STA")
            kinds |= set(re.findall(r"^SEN.*?{Type (\w+)}", line))
            if states == 6:
                return "GroundTruth" in kinds, kinds
        raise AssertionError("the server closed the connection")

    with OldClient(server) as client:
        expected, kinds = receives_truth(client)
        assert not expected
        assert "Encoder" in kinds
    options = ("--images", "-1", "--truth", "-1", "--speed", str(SPEED), "--ground-truth")
    with ServerProcess(tmp_path, yard_file, *options) as asked, OldClient(asked) as client:
        expected, _ = receives_truth(client)
        assert expected


def test_mosaic_of_four_by_one(
    tmp_path: Path, yard_file: Path
) -> None:  # the world's own robot has the first tile
    options = ("--images", "0", "--truth", "-1", "--tiles", "4x1", "--dialect", "udk")
    with ServerProcess(tmp_path, yard_file, *options) as server, OldClient(server) as client:
        client.send("INIT {ClassName USARBot.P3AT} {Name A} {Location 0,0,0}")
        client.wait_for("{Type Camera}.*{TextureOffsetX 320}.*{TextureOffsetY 0}")
        with OldClient(server) as other:
            other.send("INIT {ClassName USARBot.P3AT} {Name B} {Location 0,3,0}")
            other.wait_for("{Type Camera}.*{TextureOffsetX 640}.*{TextureOffsetY 0}")
            with OldClient(server) as third:
                third.send("INIT {ClassName USARBot.P3AT} {Name C} {Location 0,-3,0}")
                third.wait_for("{Type Camera}.*{TextureOffsetX 960}.*{TextureOffsetY 0}")


# -- joining ------------------------------------------------------------------------------------


def test_robot_that_joins_inside_an_object_is_moved_beside_it(
    server: ServerProcess, client: OldClient
) -> None:
    with OldClient(server) as controller:
        controller.send(
            "INIT {ClassName USARBotAPI.WorldController}",
            "CONTROL {Type Create} {ClassName Crate} {Name rock} {Location 6,0,-0.45} {Scale 3} "
            "{Physics None}",
            "CONTROL {Type GetSTA} {Name rock}",
        )
        controller.wait_for("^STA {Name rock}")
        client.send("LOCKSTEP {Every 0}")  # enables notices
        client.send("INIT {ClassName USARBot.P3AT} {Name Inside} {Location 5.4,0,-0.1}")
        client.wait_for("^NOTICE {Kind Moved}")
        client.wait_for("^STA")

        def place_beside_crate() -> list[float]:
            (row,) = ask_truth(server, b"{name Inside}\r\n")
            return [float(v) for v in not_none(re.search(r"{Location ([^}]+)}", row))[1].split(",")]

        first = place_beside_crate()
        assert max(abs(first[0] - 6), abs(first[1])) > 0.6
        for _ in range(5):  # states are sent every 0.2 s
            client.wait_for("^STA")
        assert math.dist(place_beside_crate(), first) < 0.1, "it was thrown"


def test_joining_robot_does_not_push_another(server: ServerProcess, client: OldClient) -> None:
    client.send("INIT {ClassName USARBot.P3AT} {Name First} {Location -6,-4,0}")
    client.wait_for("^STA")

    def where(name: bytes) -> list[float]:
        (row,) = ask_truth(server, b"{name %s}\r\n" % name)
        return [float(v) for v in not_none(re.search(r"{Location ([^}]+)}", row))[1].split(",")]

    before = where(b"First")
    with OldClient(server) as second:
        second.send("INIT {ClassName USARBot.P3AT} {Name Second} {Location -6,-4,0}")
        second.wait_for("^STA")
        for _ in range(10):  # states are sent every 0.2 s
            second.wait_for("^STA")
        assert math.dist(where(b"First"), before) < 0.02
        assert math.dist(where(b"First"), where(b"Second")) > 0.3


# -- dogs ---------------------------------------------------------------------------------------


def test_each_kick_command_causes_a_kick(server: ServerProcess, client: OldClient) -> None:
    client.send("INIT {ClassName USARBot.ERS7} {Name Dog} {Location -3,4,0}", "KICK {Paw Left}")

    def wait_for_swing() -> float:
        """Wait for a swing of the left paw; return the range of its elevator, rad."""
        angles = []
        for line in client.lines():
            if match := re.search(r"^STA .*{LFElevator ([-\d.]+)}", line):
                angles.append(float(match[1]))
            if len(angles) > 5 and max(angles) - min(angles) > 0.3:
                return max(angles) - min(angles)
            assert len(angles) < 400, "no kick"
        raise AssertionError("the server closed the connection")

    assert wait_for_swing() > 0.3
    for _ in range(80):  # until the first kick is over
        client.wait_for("^STA")
    client.send("KICK {Paw Left}")
    assert wait_for_swing() > 0.3
    client.send("KICK {Paw Middle}")
    client.wait_for("^NOTICE {Kind Refused}.*Middle")
