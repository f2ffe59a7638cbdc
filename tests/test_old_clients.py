"""What programs written for USARSim do, in raw bytes, and what they must hear."""

import math
import re
import time
from collections import deque
from itertools import pairwise

import pytest
from support.server_fixtures import PATIENCE, Served, yard  # noqa: F401 - the fixture 'world'

SPEED = 4
"""Simulated over wall seconds: nothing here looks at a clock but to give up."""


class OldClient:
    """A socket and what came over it, line by line."""

    def __init__(self, served, port="control"):
        self._socket = served.raw(port)
        self._bytes, self._whole = b"", deque()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def say(self, *lines):
        self._socket.sendall("".join(f"{line}\r\n" for line in lines).encode())

    def raw(self, data):
        self._socket.sendall(data)

    def lines(self):
        """Yield what comes, a line at a time."""
        self._socket.settimeout(PATIENCE)
        while True:
            while self._whole:
                yield self._whole.popleft().decode()
            more = self._socket.recv(65536)
            assert more, "the server has hung up"
            *whole, self._bytes = (self._bytes + more).split(b"\r\n")
            self._whole += whole

    def hear(self, pattern):
        """Wait for a line that matches; return the match."""
        end = time.monotonic() + PATIENCE
        for line in self.lines():
            if match := re.search(pattern, line):
                return match
            assert time.monotonic() < end, f"nothing like {pattern} came"
        return None


@pytest.fixture(scope="module")
def served(world):
    also = ("--also", "0:udk", "--also", "0:ut2004")
    options = ("--images", "-1", "--truth", "0", "--speed", str(SPEED))
    with Served(world.parent, world, *also, *options) as served:
        yield served


@pytest.fixture
def client(served):
    with OldClient(served) as client:
        yield client


@pytest.fixture
def udk(served):
    with OldClient(served, "control2") as client:
        yield client


def ask_truth(served, data):
    """Return what the truth port answers, without its end."""
    with OldClient(served, "truth") as asker:
        asker.raw(data)
        rows = []
        for line in asker.lines():
            if line == "{End}":
                return rows
            rows.append(line)
    return None


# -- rhythm -------------------------------------------------------------------------------------


def test_a_newcomers_sensors_keep_their_rhythm_from_the_first_line_on(client):
    client.say("INIT {ClassName USARBot.P2DX} {Name Rhythm} {Location 0,0,0}")
    stamps = []
    for line in client.lines():
        if match := re.match(r"SEN {Time ([\d.]+)} {Type Sonar}", line):
            stamps.append(float(match[1]))
        if len(stamps) == 5:
            break
    gaps = [b - a for a, b in pairwise(stamps)]
    assert gaps == pytest.approx([0.2] * 4, abs=0.005)


def test_odometry_of_ut2004_wraps_and_of_udk_does_not(client, udk):
    heard = {}
    for name, one, y in (("Wrap", client, 1.5), ("Turns", udk, -1.5)):
        one.say(f"INIT {{ClassName USARBot.P2DX}} {{Name {name}}} {{Location 0,{y},0}}")
        one.hear("^STA")
        one.say("DRIVE {Left 4.0} {Right -4.0}")
        end = time.monotonic() + PATIENCE
        headings = []
        for line in one.lines():
            if match := re.search(r"{Type Odometry}.*{Pose [^,]*,[^,]*,([-\d.]+)}", line):
                headings.append(float(match[1]))
            if len(headings) > 3 and (max(headings) > 7 or min(headings) < 0):
                break
            assert time.monotonic() < end, headings[-3:]
        heard[name] = headings
    assert max(heard["Wrap"]) <= math.pi + 1e-4
    assert min(heard["Wrap"]) < -1.0, "it came round from pi to -pi"
    assert max(heard["Turns"]) > 7


def test_who_commands_once_and_waits_is_not_stopped(served, client):
    client.say("INIT {ClassName USARBot.P2DX} {Name Once} {Location -4,-2,0} {Rotation 0,0,0}")
    client.hear("^STA")
    client.say("DRIVE {Left 0.3} {Right 0.3}")
    begin = float(client.hear(r"^STA {Type GroundVehicle} {Time ([\d.]+)}")[1])
    place = {}
    for line in client.lines():
        if match := re.search(r"{Type GroundTruth}.*{Location ([-\d.]+),", line):
            now = float(re.search(r"{Time ([\d.]+)}", line)[1])
            place[now] = float(match[1])
            if now > begin + 13.0:
                break
    late = {t: x for t, x in place.items() if t > begin + 11.0}
    assert max(late.values()) - min(late.values()) > 0.03, "10 s of silence stopped it"


# -- truth --------------------------------------------------------------------------------------


def test_truth_knows_packages_names_as_given_objects_and_bare_line_ends(served, client):
    client.say("INIT {ClassName USARBot.P3AT} {Name 1} {Location 3,-3,0}")
    client.hear("^STA")
    with OldClient(served) as controller:
        controller.say(
            "INIT {ClassName USARBotAPI.WorldController}",
            "CONTROL {Type Create} {ClassName USARPhysObj.partc} {Name part_c_6} "
            "{Location 4,4,-0.2} {Memory blue}",
            "CONTROL {Type GetSTA} {Name part_c_6}",
        )
        state = controller.hear("^STA .*")[0]
        assert re.fullmatch(
            r"STA {Name part_c_6} {Size [-\d.,]+} {Location [-\d.,]+} {Memory blue} "
            r"{Rotation [-\d.,]+}",
            state,
        )
        row = r"{Name 1} {Class P3AT} {Time [\d.]+} {Location [-\d.,]+} {Rotation [-\d.,]+}"
        for question in (b"{class USARBot.P3AT}\r\n", b"{class P3AT}\n", b"{name 1}\r\n"):
            (line,) = ask_truth(served, question)
            assert re.fullmatch(row, line)
        (part,) = ask_truth(served, b"{class USARPhysObj.partc} {name part_c_6}\r\n")
        assert part.startswith("{Name part_c_6} {Class partc} ")
        for bare in (b"\r\n", b"\n"):
            everything = ask_truth(served, bare)
            assert {"1", "own", "part_c_6"} <= {
                re.match(r"{Name (\S+)}", line)[1] for line in everything
            }


# -- the world controller -----------------------------------------------------------------------


def test_classes_of_udks_world_controller_and_refusals_are_answered(client):
    client.say(
        "INIT {ClassName USARBotAPI.WorldController}",
        "CONTROL {Type Create} {ClassName WCCrate} {Name c1} {Location 5,5,-0.3}",
        "CONTROL {Type Create} {ClassName USARPhysObj.WCPallet} {Name c2} {Location 5,6,-0.3}",
        "CONTROL {Type GetSTA}",
    )
    state = client.hear("^STA .*")[0]
    assert "{Name c1}" in state
    assert "{Name c2}" in state
    assert "{Type" not in state
    client.say("CONTROL {Type Create} {ClassName WCUnicorn} {Name c3}")
    assert "unicorn" in client.hear("^NOTICE {Kind Refused}.*")[0].lower()
    client.say("CONTROL {Type Kill} {Name nobody}")
    client.hear("^NOTICE {Kind Refused}.*nobody")


# -- geometry -----------------------------------------------------------------------------------


def test_udk_says_where_actuators_are_and_what_sits_on_them(udk):
    udk.say("INIT {ClassName USARBot.P3AT} {Name Geo} {Location 0,0,0}", "GETGEO {Type Actuator}")
    triple = r"-?\d+\.\d{3},-?\d+\.\d{3},-?\d+\.\d{3}"
    link = rf"{{Link (\d)}} {{Parent (\d)}} {{Location {triple}}} {{Orientation {triple}}}"
    found = udk.hear(
        rf"^GEO {{Type Actuator}} {{Name CameraPanTilt}} {{Location {triple}}} "
        rf"{{Orientation {triple}}} {{Mount P3AT}} {link} {link} {{Tip {triple}}}$"
    )
    assert found.groups() == ("1", "0", "2", "1")
    udk.say("GETGEO {Type Camera}")
    camera = udk.hear("^GEO {Type Camera}.*")[0]
    assert re.search(r"{Mount CameraPanTilt} ?{MountLink 2}", camera)


@pytest.mark.parametrize("robot", ["P3AT", "ERS7", "Kenaf"])
def test_ut2004_names_no_mount_that_nobody_announced(client, robot):
    client.say(f"INIT {{ClassName USARBot.{robot}}} {{Name Mounts}} {{Location 0,0,0}}")
    client.hear("^STA")
    client.say("GETGEO {Type MisPkg}", "GETGEO {Type Camera}", "GETGEO {Type Encoder}")
    packages = set()
    for line in client.lines():
        if line.startswith("GEO {Type MisPkg}"):
            packages.add(re.search(r"{Name (\S+)}", line)[1])
        for mount in re.findall(r" Mount (\S+?)}", line):
            package, _, link = mount.partition("_Link")
            assert mount == "HARD" or (package in packages and link.isdecimal()), line
        if line.startswith("GEO {Type Encoder}"):
            break


# -- lines --------------------------------------------------------------------------------------


def test_a_missing_last_brace_drops_its_segment_only(served, client):
    client.say(
        "INIT {ClassName USARBot.P2DX} {Name Open} {Location 2.5,2.5,0} {Rotation 0.00, 0.00, 0.00"
    )
    client.hear("^STA")
    (row,) = ask_truth(served, b"{name Open}\r\n")
    assert re.search(r"{Location 2\.5", row)


def test_a_class_that_we_lack_is_answered_with_what_there_is(client):
    client.say("INIT {ClassName USARBot.Zerg} {Name Z}")
    said = client.hear("^NOTICE {Kind Refused}.*")[0]
    assert "zerg" in said.lower()
    assert "p3at" in said


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("INTI {ClassName USARBot.P3AT} {Name Typo}", "no command 'INTI'; did you mean 'INIT'"),
        ("INIT {ClassName USARBot.P3AT} {Location 0,zero,0}", "Location.*zero"),
    ],
)
def test_who_has_no_robot_yet_is_told_why_none_comes(client, line, told):
    client.say(line)
    client.hear(f"^NOTICE {{Kind Refused}}.*{told}")
    client.say("INIT {ClassName USARBot.P3AT} {Name Right} {Location 0,0,0}")
    client.hear("^STA")
    client.say("DRIEV {Left 1}", "SET {Type Joint} {Name nobody} {Opcode Angle} {Params x}")
    for _ in range(20):  # an old client drives now, and knows of no notices
        assert not client.hear("^(NOTICE|STA).*")[0].startswith("NOTICE")


def test_a_kenaf_is_told_where_it_truly_is_only_when_that_is_asked_for(served, tmp_path, world):
    def hears_truth(client):
        client.say("INIT {ClassName USARBot.Kenaf} {Name Blind} {Location 0,0,0}")
        states, kinds = 0, set()
        for line in client.lines():
            states += line.startswith("STA")
            kinds |= set(re.findall(r"^SEN.*?{Type (\w+)}", line))
            if states == 6:
                return "GroundTruth" in kinds, kinds
        return None

    with OldClient(served) as client:
        told, kinds = hears_truth(client)
        assert not told
        assert "Encoder" in kinds
    options = ("--images", "-1", "--truth", "-1", "--speed", str(SPEED), "--ground-truth")
    with Served(tmp_path, world, *options) as asked, OldClient(asked) as client:
        told, _ = hears_truth(client)
        assert told


def test_mosaic_of_four_by_one(tmp_path, world):  # the world's own robot has the first tile
    options = ("--images", "0", "--truth", "-1", "--tiles", "4x1", "--dialect", "udk")
    with Served(tmp_path, world, *options) as served, OldClient(served) as client:
        client.say("INIT {ClassName USARBot.P3AT} {Name A} {Location 0,0,0}")
        client.hear("{Type Camera}.*{TextureOffsetX 320}.*{TextureOffsetY 0}")
        with OldClient(served) as other:
            other.say("INIT {ClassName USARBot.P3AT} {Name B} {Location 0,3,0}")
            other.hear("{Type Camera}.*{TextureOffsetX 640}.*{TextureOffsetY 0}")
            with OldClient(served) as third:
                third.say("INIT {ClassName USARBot.P3AT} {Name C} {Location 0,-3,0}")
                third.hear("{Type Camera}.*{TextureOffsetX 960}.*{TextureOffsetY 0}")


# -- arrivals -----------------------------------------------------------------------------------


def test_who_comes_into_something_solid_stands_beside_it(served, client):
    with OldClient(served) as controller:
        controller.say(
            "INIT {ClassName USARBotAPI.WorldController}",
            "CONTROL {Type Create} {ClassName Crate} {Name rock} {Location 6,0,-0.45} {Scale 3} "
            "{Physics None}",
            "CONTROL {Type GetSTA} {Name rock}",
        )
        controller.hear("^STA {Name rock}")
        client.say("LOCKSTEP {Every 0}")  # it knows notices
        client.say("INIT {ClassName USARBot.P3AT} {Name Inside} {Location 5.4,0,-0.1}")
        client.hear("^NOTICE {Kind Moved}")
        client.hear("^STA")

        def place():
            (row,) = ask_truth(served, b"{name Inside}\r\n")
            return [float(v) for v in re.search(r"{Location ([^}]+)}", row)[1].split(",")]

        first = place()
        assert max(abs(first[0] - 6), abs(first[1])) > 0.6
        time.sleep(1.0 / SPEED)
        assert math.dist(place(), first) < 0.1, "it was thrown"


def test_nobody_is_pushed_by_who_arrives(served, client):
    client.say("INIT {ClassName USARBot.P3AT} {Name First} {Location -6,-4,0}")
    client.hear("^STA")

    def where(name):
        (row,) = ask_truth(served, b"{name %s}\r\n" % name)
        return [float(v) for v in re.search(r"{Location ([^}]+)}", row)[1].split(",")]

    before = where(b"First")
    with OldClient(served) as second:
        second.say("INIT {ClassName USARBot.P3AT} {Name Second} {Location -6,-4,0}")
        second.hear("^STA")
        time.sleep(0.5)
        assert math.dist(where(b"First"), before) < 0.02
        assert math.dist(where(b"First"), where(b"Second")) > 0.3


# -- dogs ---------------------------------------------------------------------------------------


def test_a_dog_kicks_as_often_as_it_is_told(served, client):
    client.say("INIT {ClassName USARBot.ERS7} {Name Dog} {Location -3,4,0}", "KICK {Paw Left}")

    def swing():
        """Wait until the left paw has swung; return how far its elevator went, rad."""
        angles = []
        for line in client.lines():
            if match := re.search(r"^STA .*{LFElevator ([-\d.]+)}", line):
                angles.append(float(match[1]))
            if len(angles) > 5 and max(angles) - min(angles) > 0.3:
                return max(angles) - min(angles)
            assert len(angles) < 400, "it never kicked"
        return None

    assert swing() > 0.3
    for _ in range(80):  # until the first kick is long over
        client.hear("^STA")
    client.say("KICK {Paw Left}")
    assert swing() > 0.3
    client.say("KICK {Paw Middle}")
    client.hear("^NOTICE {Kind Refused}.*Middle")
