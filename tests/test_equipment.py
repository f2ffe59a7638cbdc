"""Standard equipment (camera, laser, INS): world files, Python interface, network."""

from pathlib import Path

import numpy as np
import pytest
from support.client_helpers import instance_of
from support.server_fixtures import CONTROL_ONLY, ServerProcess
from support.solver_yaml import SOLVER

from grouser.client.connection import RemoteRobot
from grouser.errors import UnknownName, WorldFileError
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.sensor_messages import Ins, RangeScan
from grouser.robots.kinds import ROBOTS
from grouser.simulation.changes.actions import Equip
from grouser.simulation.simulation import Simulation
from grouser.world import load
from grouser.world.file import World, as_world, parse

YARD = f"""
name: yard
physics:
  timestep: 0.002
{SOLVER}
terrain:
  - {{kind: flat, friction: 0.8}}
objects:
  - {{kind: box, name: w, position: [1.5, 0, 0.5], size: [0.2, 2, 1], friction: 0.5, fixed: true}}
robots:
"""
CARRIED = {
    "kenaf": {"Camera", "BirdsEye", "Scanner1", "INS"},
    "quince": {"Camera", "Scanner1", "INS"},
    "packbot": {"Camera", "Scanner1", "INS"},
    "talon": {"Camera", "Scanner1", "INS"},
    "telemax": {"Camera", "Scanner1", "INS"},
    "tarantula": {"Camera", "Scanner1", "INS"},
}


def yard(*robots: str) -> str:
    return YARD + "".join(f"  - {{{robot}}}\n" for robot in robots)


def world(robot: str) -> World:
    return parse(yard(robot), where="yard.yaml")


def sensors(simulation: Simulation, robot: str) -> set[str]:
    return {name for owner, name in simulation.scene.sensors if owner == robot}


@pytest.mark.parametrize("kind", CARRIED)
def test_world_file_gives_a_robot_its_standard_equipment(kind: str) -> None:
    bare = Simulation(world(f"name: r, kind: {kind}, position: [0, 0]"))
    equipped = Simulation(world(f"name: r, kind: {kind}, position: [0, 0], sensors: standard"))
    assert sensors(equipped, "r") - sensors(bare, "r") == CARRIED[kind]
    equipped.step(0.5)
    assert equipped.read("r", "Camera").array("image").shape == (240, 320, 3)
    ahead = equipped.read("r", "Scanner1").array("ranges")
    assert 1.0 < np.nanmin(ahead) < 1.7
    assert equipped.read("r", "INS").time > 0


def test_only_three_kinds_have_equipment_besides_built_in_sensors() -> None:
    from test_robots import simulation

    has = {kind for kind in ROBOTS if simulation(kind).scene.robots["robot0"].equipment}
    assert has == set(CARRIED)


def test_standard_equipment_may_be_one_entry_of_a_sensor_list() -> None:
    listed = "sensors: [standard, {kind: compass, name: north, mount: body}]"
    simulation = Simulation(world(f"name: r, kind: quince, position: [0, 0], {listed}"))
    assert CARRIED["quince"] | {"north"} <= sensors(simulation, "r")


def test_equipped_changes_only_entries_without_sensors() -> None:
    plain = world("name: r, kind: quince, position: [0, 0]").robots[0]
    assert plain.sensors == ()
    assert plain.equipped().sensors == ({"kind": "standard"},)
    none = world("name: r, kind: quince, position: [0, 0], sensors: []").robots[0]
    assert none.equipped().sensors == ()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            "standrad",
            "yard.yaml line 23: robots.0.sensors is 'standrad', allowed: standard, or a list of "
            "sensors; did you mean 'standard'?",
        ),
        (
            "[standrad]",
            "yard.yaml line 23: robots.0.sensors.0 is 'standrad', allowed: standard, or a mapping "
            "with a kind; did you mean 'standard'?",
        ),
        (
            "[{kind: standard, name: eye}]",
            "yard.yaml line 23: robots.0.sensors.0 must have no keys beside its kind",
        ),
        ("3", "yard.yaml line 23: robots.0.sensors is 3, a list is needed"),
    ],
)
def test_error_of_a_misspelt_word_names_the_nearest(given: str, sentence: str) -> None:
    with pytest.raises(WorldFileError) as caught:
        world(f"name: r, kind: kenaf, position: [0, 0], sensors: {given}")
    assert str(caught.value) == sentence


def test_equipping_a_moving_robot_does_not_change_its_motion() -> None:
    robot = "name: r, kind: quince, position: [0, 0], command: {forward: 0.2}"
    plain, equipped = Simulation(world(robot)), Simulation(world(robot))
    for simulation in (plain, equipped):
        simulation.step(0.4)
    equipped.apply(Equip("r", ({"kind": "standard"},)))
    for simulation in (plain, equipped):
        simulation.step(0.4)
    assert CARRIED["quince"] <= sensors(equipped, "r")
    assert equipped.fingerprint() == plain.fingerprint()
    with pytest.raises(UnknownName, match="no robot 'q'"):
        plain.apply(Equip("q", ()))


def test_world_with_equipment_can_be_serialized_as_json() -> None:
    made = world("name: r, kind: kenaf, position: [0, 0], sensors: standard")
    assert type(made).model_validate_json(made.model_dump_json()) == made


# -- network ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("yard") / "yard.yaml"
    path.write_text(
        yard(
            "name: own, kind: quince, position: [0, 0]",
            "name: blind, kind: quince, position: [0, 3], sensors: []",
        )
    )
    return path


def received_types(robot: RemoteRobot, seconds: float = 1.0) -> set[type[Message]]:
    """Return the types of messages received within ``seconds`` of wall time."""
    return {type(message) for message in robot.listen(seconds)}


def test_client_of_a_robot_of_the_world_receives_its_equipment(file: Path) -> None:
    with ServerProcess(file.parent, file, *CONTROL_ONLY, "--speed", "4") as served:
        with served.join("Quince", "own") as robot:
            assert min(instance_of(RangeScan, robot.reading("Scanner1")).ranges) < 1.7
            assert isinstance(robot.reading("INS"), Ins)
            served.console("reset")  # continues after the restart of the world
            assert {Ins, RangeScan} <= received_types(robot)
        with served.join("Quince", "own") as again:
            assert min(instance_of(RangeScan, again.reading("Scanner1")).ranges) < 1.7
        with served.join("Quince", "brought", at=(0, -6, 0)) as brought:
            assert {Ins, RangeScan} <= received_types(brought)
        with served.join("Quince", "blind") as blind:
            assert not {Ins, RangeScan} & received_types(blind)


def test_no_equipment_is_an_option_of_serve(file: Path) -> None:
    with ServerProcess(
        file.parent, file, *CONTROL_ONLY, "--speed", "4", "--no-equipment"
    ) as served:
        for name in ("own", "brought"):
            with served.join("Quince", name) as robot:
                assert not {Ins, RangeScan} & received_types(robot)


def test_shipped_world_gets_equipment_without_changes() -> None:
    assert load("quince_step").robots[0].sensors == ()


@pytest.mark.parametrize(
    ("removed", "left"),
    [
        ("Scanner1", {"F1", "F8", "INS", "Odometry", "GroundTruth", "Camera"}),
        (["F1", "Camera"], {"F2", "Scanner1", "INS"}),
        ("all", set()),
    ],
)
def test_world_file_removes_own_sensors(removed: str | list[str], left: set[str]) -> None:
    world = {
        "name": "w",
        "terrain": [{"kind": "flat"}],
        "robots": [
            {"name": "r", "kind": "p2dx", "position": [0, 0], "sensors": [{"remove": removed}]}
        ],
    }
    there = {name for _, name in Simulation(as_world(world)).scene.sensors}
    assert left <= there
    assert not there & set([removed] if isinstance(removed, str) else removed)
    assert removed != "all" or not there


def test_unknown_sensor_to_remove_is_refused() -> None:
    world = {
        "name": "w",
        "terrain": [{"kind": "flat"}],
        "robots": [
            {"name": "r", "kind": "p2dx", "position": [0, 0], "sensors": [{"remove": "Scaner1"}]}
        ],
    }
    with pytest.raises(UnknownName, match="no sensor to remove 'Scaner1'.*mean 'Scanner1'"):
        Simulation(as_world(world))
