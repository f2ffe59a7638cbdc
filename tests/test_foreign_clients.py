"""Programs written for USARSim by others: exact lines over real sockets, by server generation."""

import itertools
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.narrowing import not_none
from support.old_client import OldClient
from support.server_fixtures import TIMEOUT, ServerProcess

SPEED = 4
"""Simulated over wall time; the wall clock is used for time-outs only."""
CONTROLLER = "INIT {ClassName USARBotAPI.WorldController}"


@pytest.fixture(scope="module")
def server(yard_file: Path) -> Iterator[ServerProcess]:
    options = ("--also", "0:udk", "--images", "-1", "--truth", "0", "--speed", str(SPEED))
    with ServerProcess(yard_file.parent, yard_file, *options) as server:
        yield server


@pytest.fixture
def ut2004(server: ServerProcess) -> Iterator[OldClient]:
    with OldClient(server) as client:
        yield client


@pytest.fixture
def udk(server: ServerProcess) -> Iterator[OldClient]:
    with OldClient(server, "control2") as client:
        yield client


def received_until(client: OldClient, pattern: str) -> list[str]:
    """Return the lines up to one that matches."""
    lines: list[str] = []
    for line in client.lines():
        lines.append(line)
        if re.search(pattern, line):
            return lines
    raise AssertionError("the server closed the connection")


# -- UDK ----------------------------------------------------------------------------------------


def test_udk_actuator_limits_and_order_of_the_unasked_camera(udk: OldClient) -> None:
    udk.send(
        "INIT {ClassName USARBot.P3AT} {Name Act} {Location 0,0,0}",
        "GETCONF {Type Actuator}",
        "GETCONF {Type MisPkg}",
        "GETGEO {Type Robot}",
    )
    lines = received_until(udk, "^CONF {Type Camera}")
    answers = [line for line in lines if line.startswith(("CONF", "GEO"))]
    assert answers[0] == (
        "CONF {Type Actuator} {Name CameraPanTilt} "
        "{Link 1} {JointType Revolute} {MaxTorque 20.0000} {MinValue -3.1416} {MaxValue 3.1416} "
        "{Link 2} {JointType Revolute} {MaxTorque 20.0000} {MinValue -0.1600} {MaxValue 0.4000}"
    )
    assert answers[1] == (
        "CONF {Type MisPkg} {Name CameraPanTilt} "
        "{Link 1} {JointType Revolute} {MaxSpeed 0.17} {MaxTorque 20.00} {MinRange 1.00} "
        "{MaxRange 0.00} "
        "{Link 2} {JointType Revolute} {MaxSpeed 0.17} {MaxTorque 20.00} {MinRange -0.16} "
        "{MaxRange 0.40}"
    )
    assert answers[2].startswith("GEO {Type GroundVehicle} {Name P3AT} ")
    assert answers[3].startswith("CONF {Type Camera} {Name Camera}")
    assert len(answers) == 4


# -- UT2004 -------------------------------------------------------------------------------------

BURST = (
    *("Sonar", "RangeScanner", "INS", "Odometry", "Encoder", "RFID", "GroundTruth", "GPS"),
    *("MISSTA", "STA"),
)
"""Lines of a burst, in UT2004's order; VictSensor comes in every fourth."""


def subject(line: str) -> str:
    """Return the type of a sensor's line, else the head."""
    found = re.match(r"SEN .*?{Type (\w+)}", line)
    return found[1] if found else line.split(" ")[0]


def test_ut2004_sends_one_burst_per_cycle_in_the_recorded_order(ut2004: OldClient) -> None:
    ut2004.send("INIT {ClassName USARBot.P2AT} {Name Burst} {Location 0,0,0}")
    received_until(ut2004, "^STA")  # at once: the sign of success
    lines: list[str] = []
    for line in ut2004.lines():
        lines.append(line)
        if sum(line.startswith("STA") for line in lines) == 12:
            break
    bursts: list[list[str]] = [[]]
    for line in lines:
        bursts[-1].append(line)
        if line.startswith("STA"):
            bursts.append([])
    whole = bursts[1:-1]
    orders = [[subject(line) for line in burst if "VictSensor" not in line] for burst in whole]
    assert set(map(tuple, orders)) == {BURST}
    victims = [sum("VictSensor" in line for line in burst) for burst in whole]
    assert 2 <= sum(victims) <= 4
    assert all(
        subject(burst[-3]) == "VictSensor" for burst, one in zip(whole, victims, strict=True) if one
    )
    stamps = [float(not_none(re.search(r"{Time ([\d.]+)}", burst[-1]))[1]) for burst in whole]
    gaps = [b - a for a, b in itertools.pairwise(stamps)]
    assert gaps == pytest.approx([0.2] * len(gaps), abs=0.03)
    for burst in whole:
        assert burst[-2].startswith("MISSTA {Time ")
        sonar = not_none(re.match(r"SEN {Time ([\d.]+)} {Type Sonar} {Name F1 Range", burst[0]))
        state = not_none(re.search(r"{Time ([\d.]+)}", burst[-1]))
        assert float(sonar[1]) == pytest.approx(float(state[1]), abs=0.22)


def test_ut2004_sensors_of_pioneers_are_the_recorded_ones(ut2004: OldClient) -> None:
    ut2004.send("INIT {ClassName USARBot.P2DX} {Name Rescue} {Location -4,-4,0}")
    assert ut2004.wait_for("^SEN .*{Type VictSensor}")[0]
    ut2004.send("GETCONF {Type VictSensor}")
    assert ut2004.wait_for("^CONF {Type VictSensor}.*")[0] == (
        "CONF {Type VictSensor} {Name VictSensor} {MaxRange 6.0000} {HorizontalFOV 0.6981} "
        "{VerticalFOV 0.6981}"
    )
    assert ut2004.wait_for("^SEN .*{Type RFID}.*")[0].endswith("{Type RFID} {Name RFID}")
    gps = ut2004.wait_for("^SEN {Type GPS}.*")[0]
    assert re.fullmatch(
        r"SEN {Type GPS} {Name GPS} {Latitude 39,[\d.]+,N} {Longitude 77,[\d.]+,W} "
        r"{Fix 1} {Satellites 12}",
        gps,
    )


def test_sonar_at_an_oblique_wall_depends_on_the_generation(
    server: ServerProcess, ut2004: OldClient, udk: OldClient
) -> None:
    """A wall 45 degrees from the beam of F4 and F5: an echo in UT2004, none in UDK."""
    with OldClient(server) as controller:
        controller.send(
            CONTROLLER,
            "CONTROL {Type Create} {ClassName Box} {Name slanted} {Location 8,8,-0.5} "
            "{Rotation 0,0,0.785398} {Scale 0.5,12,4} {Physics None}",
            "CONTROL {Type GetSTA} {Name slanted}",
        )
        controller.wait_for("^STA .*slanted")
        ranges = {}
        for client, name in ((ut2004, "A"), (udk, "B")):
            client.send(f"INIT {{ClassName P3AT}} {{Name {name}}} {{Location 6.6,8,0}}")
            found = client.wait_for(r"{Type Sonar}.*{Name F4}? ?{?Range ([\d.]+)}")
            ranges[name] = float(found[1])
            client.send("INIT {ClassName P3AT}")
        assert ranges["A"] < 2.0
        assert ranges["B"] == 5.0


# -- the world controller -----------------------------------------------------------------------


def state_of(client: OldClient, name: str) -> tuple[list[float], list[float]]:
    """Return location and rotation of an object by ``GetSTA``."""
    client.send(f"CONTROL {{Type GetSTA}} {{Name {name}}}")
    line = client.wait_for(rf"^STA {{Name {name}}}.*")[0]
    vectors = dict(re.findall(r"{(Location|Rotation) ([-\d.,]+)}", line))
    place, turn = (
        [float(word) for word in vectors[key].split(",")] for key in ("Location", "Rotation")
    )
    return place, turn


def wait_until_at(client: OldClient, name: str, x: float) -> None:
    end = time.monotonic() + TIMEOUT
    while abs(state_of(client, name)[0][0] - x) > 0.02:
        assert time.monotonic() < end, state_of(client, name)


def test_objects_without_physics_follow_waypoints_turn_and_stay(udk: OldClient) -> None:
    udk.send(
        CONTROLLER,
        "CONTROL {Type Create} {ClassName WCCrateRed} {Name lift} {Location -8,0,-2} "
        "{Physics None}",
        "CONTROL {Type AddWP} {Name lift} {WP -7,0,-2;-7,1,-2}",
        "CONTROL {Type SetWP} {Name lift} {Speed 1.0} {Moving true}",
    )
    assert state_of(udk, "lift")[0][2] == -2.0
    wait_until_at(udk, "lift", -7.0)
    end = time.monotonic() + TIMEOUT
    while abs(state_of(udk, "lift")[0][1] - 1.0) > 0.001:
        assert time.monotonic() < end
    place, turn = state_of(udk, "lift")
    assert place == pytest.approx([-7, 1, -2], abs=0.001), "it stays at its end in the air"
    udk.send("CONTROL {Type Rotate} {Name lift} {Speed 0,0,1.5}")
    end = time.monotonic() + TIMEOUT
    while abs(state_of(udk, "lift")[1][2] - turn[2]) < 0.3:
        assert time.monotonic() < end
    udk.send("CONTROL {Type Rotate} {Name lift} {Speed 0,0,0}")
    held = state_of(udk, "lift")
    udk.send("CONTROL {Type AbsMove} {Name lift} {Location -8,2,-3}")
    assert state_of(udk, "lift")[0] == pytest.approx([-8, 2, -3], abs=0.001)
    assert held[0] == pytest.approx([-7, 1, -2], abs=0.001)


def test_conveyor_without_physics_carries_a_crate(udk: OldClient) -> None:
    udk.send(
        CONTROLLER,
        "CONTROL {Type Create} {ClassName Box} {Name belt} {Location -8,-6,-0.15} {Scale 10,3,1} "
        "{Physics None}",
        "CONTROL {Type Create} {ClassName WCCrateBlue} {Name load} {Location -9,-6,-0.46}",
        "CONTROL {Type Conveyor} {Name belt} {Speed 0.5}",
    )
    before = state_of(udk, "load")[0][0]
    end = time.monotonic() + TIMEOUT
    while state_of(udk, "load")[0][0] < before + 0.8:
        assert time.monotonic() < end
    assert state_of(udk, "belt")[0] == [-8, -6, -0.15]


@pytest.mark.parametrize(
    ("class_name", "size"),
    [
        ("WCCrateRed", "0.3000,0.3000,0.3000"),
        ("WCCrateBlue", "0.3000,0.3000,0.3000"),
        ("USARPhysObj.WCCrateGreen", "0.3000,0.3000,0.3000"),
        ("KitTray1", "0.7600,0.4560,0.0240"),
        ("KitTray5", "0.9120,0.4560,0.0240"),
        ("PartATray", "0.8120,0.4280,0.0240"),
        ("PartTrayA", "0.8120,0.4280,0.0240"),
        ("PartTrayE", "0.8880,0.4560,0.0240"),
        ("WCKitTray", "0.7600,0.4560,0.0240"),
        ("WCObjectBin", "0.6000,0.4000,0.3000"),
    ],
)
def test_classes_of_the_kitting_worlds_are_created(
    udk: OldClient, class_name: str, size: str
) -> None:
    udk.send(
        CONTROLLER,
        f"CONTROL {{Type Create}} {{ClassName {class_name}}} {{Name thing}} {{Location 9,-9,-1}} "
        "{Physics None}",
        "CONTROL {Type GetSTA} {Name thing}",
    )
    assert udk.wait_for("^STA .*")[0] == (
        f"STA {{Name thing}} {{Size {size}}} {{Location 9.0000,-9.0000,-1.0000}} {{Memory}} "
        "{Rotation 0.0000,0.0000,0.0000}"
    )


# -- robots and places --------------------------------------------------------------------------


def test_every_world_has_a_player_start(ut2004: OldClient) -> None:
    ut2004.send("GETSTARTPOSES")
    assert ut2004.wait_for("^NFO {StartPoses.*")[0] == (
        "NFO {StartPoses 3} {West -2.0000,-1.0000,0.0000 0.0000,0.0000,-1.5708 "
        "East 2.0000,1.0000,0.0000 0.0000,0.0000,0.0000 "
        "PlayerStart -2.0000,-1.0000,0.0000 0.0000,0.0000,-1.5708}"
    )
    ut2004.send("INIT {ClassName USARBot.P2DX} {Name Begin} {Start PlayerStart}")
    place = ut2004.wait_for("{Type GroundTruth}.*{Location (-?[0-9.]+),(-?[0-9.]+),")
    assert [float(word) for word in place.groups()] == pytest.approx([-2.0, -1.0], abs=0.05)


@pytest.mark.parametrize(
    ("class_name", "kind"),
    [
        ("USARBot.ATRVJr", "ATRVJr"),
        ("USARBot.Zerg", "Zerg"),
        ("USARBot.Talon", "Talon"),
        ("USARBot.TeleMax", "TeleMax"),
        ("USARBot.Tarantula", "Tarantula"),
    ],
)
def test_robots_of_rescue_teams_join_and_drive(
    ut2004: OldClient, class_name: str, kind: str
) -> None:
    ut2004.send(
        f"INIT {{ClassName {class_name}}} {{Name Team}} {{Location 0,7,0}}", "GETGEO {Type Robot}"
    )
    geometry = ut2004.wait_for("^GEO {Type GroundVehicle}.*")[0]
    assert geometry.startswith(f"GEO {{Type GroundVehicle}} {{Name {kind}}} {{Dimensions ")
    ut2004.send("DRIVE {Left 2.0} {Right 2.0}")
    ut2004.send("SET {Type Encoder} {Opcode RESET}")
    assert "{Type GroundVehicle}" in ut2004.wait_for("^STA .*")[0]


@pytest.mark.parametrize(
    ("class_name", "sentence"),
    [
        ("USARBot.AirRobot", "INIT: AirRobot flies, and aerial robots are not simulated"),
        ("USARBot.KR6", "INIT: KR6 is an industrial arm, and arms are not simulated"),
    ],
)
def test_unsupported_robots_are_refused_by_name(
    ut2004: OldClient, class_name: str, sentence: str
) -> None:
    ut2004.send(f"INIT {{ClassName {class_name}}} {{Name No}}")
    assert ut2004.wait_for("^NOTICE.*")[0] == f"NOTICE {{Kind Refused}} {{Text {sentence}}}"


# -- early servers ------------------------------------------------------------------------------


def test_forms_of_early_ut2004_servers(yard_file: Path) -> None:
    options = ("--also", "0:ut2004-early", "--images", "-1", "--truth", "-1")
    with (
        ServerProcess(yard_file.parent, yard_file, *options) as server,
        OldClient(server, "control2") as client,
    ):
        client.send("INIT {ClassName USARBot.P2AT} {Name Early} {Location 1,2,0}")
        state = client.wait_for("^STA .*")[0]
        assert re.fullmatch(
            r"STA {Type GroundVehicle} {Time \d+\.\d\d} {Location 1\.00,2\.00,-0\.1[45]} "
            r"{Orientation -?0\.00,-?0\.00,-?0\.00} {Velocity [-0-9.]+,[-0-9.]+,[-0-9.]+} "
            r"{FrontSteer 0\.0000} {RearSteer 0\.0000} {LightToggle False} {LightIntensity 0} "
            r"{Battery 99999} {View -1}",
            state,
        )
        client.send("GETCONF {Type Camera}")
        camera = client.wait_for("^CONF {Type Camera}.*")[0]
        assert "{CameraDefFov 1.3963} {CameraMinFov 0.3491} {CameraMaxFov 2.0944}" in camera
        client.send("SET {Type Camera} {Name Camera} {Opcode Zoom} {Params 0.8}")
        answer = client.wait_for("^RES .*")[0]
        assert re.fullmatch(
            r"RES {Time \d+\.\d\d} {Type Camera} {Name Camera} {Status 0\.8000}", answer
        )
