"""Robot files: compiled models, `--set` overrides and errors."""

import dataclasses
import shutil
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from support.narrowing import not_none
from support.server_fixtures import ServerProcess, ground_truth

from grouser.errors import BadValue, GrouserError
from grouser.locomotion.flippers import FlipperClimber
from grouser.mobility.suite import SweptRun, measure_candidate, mobility_trial, run_single, sweep
from grouser.robots.custom.custom_robot import load_robot
from grouser.robots.custom.model_files import all_faults, read_model
from grouser.robots.kenaf import Kenaf
from grouser.robots.kinds import describe
from grouser.robots.quince import Quince
from grouser.simulation.simulation import Simulation
from grouser.world.file import load

ROBOTS = Path(__file__).parent.parent / "examples" / "robots"
STUDENT = ROBOTS / "student"
ROVER = str(STUDENT / "rover.yaml")


# -- what a file builds -------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "builder"), [("quince", Quince()), ("kenaf", Kenaf())])
def test_robot_file_compiles_to_the_model_of_the_builder(
    name: str, builder: Quince | Kenaf
) -> None:
    """Equal up to rounding: files have decimal sizes that the builders compute."""
    ours, theirs = load_robot(ROBOTS / f"{name}.yaml").build(), builder.build()
    mine, other = ours.spec.compile(), theirs.spec.compile()
    compared = 0
    for key in dir(mine):
        value = getattr(mine, key)
        if not key.startswith("_") and isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
            np.testing.assert_allclose(value, getattr(other, key), rtol=0, atol=1e-11, err_msg=key)
            compared += value.size > 0
    assert compared > 100
    assert mine.names == other.names
    assert ours.drives == theirs.drives
    assert ours.groups == theirs.groups
    assert ours.posture == theirs.posture
    assert ours.mass == theirs.mass
    assert ours.standing == pytest.approx(theirs.standing, abs=1e-12)
    assert [belt.name for belt in ours.belts] == [belt.name for belt in theirs.belts]
    assert len((ROBOTS / f"{name}.yaml").read_text().splitlines()) < 80


def test_robots_of_equal_files_are_equal_until_a_mesh_changes(tmp_path: Path) -> None:
    shutil.copytree(STUDENT, tmp_path / "student")
    here = tmp_path / "student" / "rover.yaml"
    before, again = load_robot(here), load_robot(here)
    assert before == again
    assert hash(before) == hash(again)
    assert load_robot(here, {"tracks.0.width": 0.09}) != before
    mesh = tmp_path / "student" / "meshes" / "hull.stl"
    mesh.write_bytes(mesh.read_bytes()[:-2] + b"\1\0")
    assert load_robot(here) != before


@pytest.mark.parametrize(
    "options",
    [
        {"tracks.0.oval.radius": 0.08},
        {"tracks": {"0": {"oval": {"radius": 0.08}}}},
        {"tracks": {"0": {"oval.radius": 0.08}}},
    ],
)
def test_options_set_every_field(options: dict[str, float | dict[str, dict[str, Any]]]) -> None:
    robot = load_robot(ROVER, options)
    assert not_none(robot.spec.tracks[0].oval).radius == 0.08
    assert not_none(robot.spec.tracks[0].oval).length == 0.54  # other fields keep their values


def test_set_overrides_a_robot_file_through_a_world_file() -> None:
    world = load(STUDENT / "step.yaml", ["robots.rover.options.flippers.front.start_deg=10"])
    robot = Simulation(world).scene.robots["rover"]
    assert robot.posture["front_left_arm"] == pytest.approx(np.radians(10))


def test_tutorial_rover_climbs_the_step() -> None:
    simulation = Simulation(load(STUDENT / "step.yaml"))
    simulation.step(4.5)
    x, y, z = simulation.pose("rover").position
    assert x > 0.9
    assert abs(y) < 0.02
    assert z == pytest.approx(0.12 + 0.08, abs=0.005)


def test_flipper_angles_are_up_positive_and_held() -> None:
    simulation = Simulation(load(STUDENT / "step.yaml"))
    simulation.command("rover", front_deg=60)
    simulation.step(1.5)
    tip = max(simulation.data.body(f"rover/front_left/{n}").xpos[2] for n in range(4))
    assert tip > simulation.pose("rover").position[2] + 0.1
    read = simulation.read("rover", "encoder").values
    assert np.degrees(float(read["front_left_arm"])) == pytest.approx(60, abs=1)


def test_single_pair_of_flippers_is_used() -> None:
    robot_name = measure_candidate(ROVER, {})
    assert robot_name.flippers == ("front",)
    assert robot_name.name == "rover"
    assert run_single(mobility_trial(robot_name, "step", 120)).arrived
    still = FlipperClimber(None, groups=("front",))
    observed: Any = type("O", (), {"time": 0, "position": np.zeros(3), "wxyz": np.eye(4)[0]})
    assert still(observed) == {"front": 0.0}


def test_sweep_agrees_with_single_runs() -> None:
    compare_sweep_with_single_runs((0.06, 0.08), (60.0, 90.0), every=2)


@pytest.mark.slow
def test_full_sweep_agrees_with_single_runs() -> None:
    radii = (0.06, 0.07, 0.08, 0.09, 0.10, 0.11, 0.12)
    swept = compare_sweep_with_single_runs(radii, (80.0, 120.0, 160.0, 200.0, 240.0))
    assert {run.outcome.verdict == "arrived" for run in swept} == {True, False}


def compare_sweep_with_single_runs(
    radii: tuple[float, ...], heights: tuple[float, ...], every: int = 1
) -> list[SweptRun]:
    """Sweep the rover's pulleys; compare each ``every``-th run with a single run."""
    swept = sweep(ROVER, {}, "tracks.0.oval.radius", radii, "step", heights)
    assert [(run.value, run.size) for run in swept] == [(r, h) for r in radii for h in heights]
    for run in swept[every - 1 :: every]:
        robot_name = measure_candidate(ROVER, {"tracks.0.oval.radius": run.value})
        alone = run_single(mobility_trial(robot_name, "step", run.size))
        for field in dataclasses.fields(alone):  # bit-identical
            mine, theirs = (getattr(outcome, field.name) for outcome in (alone, run.outcome))
            if field.name not in ("trial", "wall_time"):
                np.testing.assert_array_equal(mine, theirs, err_msg=field.name)
    return swept


def test_wheels_drive_and_masses_add_up(tmp_path: Path) -> None:
    (tmp_path / "cart.yaml").write_text(
        "name: Cart\nmass: 12\ncentre: [0.01, 0, 0.02]\nhull: [{size: [0.4, 0.3, 0.1]}]\n"
        "wheels:\n"
        "  - {name: front, at: [0.15, 0.2, -0.03], radius: 0.1, width: 0.04, mass: 1, torque: 6}\n"
        "  - {name: rear, at: [-0.15, 0.2, -0.03], radius: 0.1, width: 0.04, mass: 1, torque: 6}\n"
    )
    robot = load_robot(tmp_path / "cart.yaml").build()
    model = robot.spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert model.body_mass.sum() == pytest.approx(12)
    assert data.subtree_com[1] == pytest.approx((0.01, 0, 0.02), abs=1e-9)
    assert robot.standing == pytest.approx(0.13)
    (tmp_path / "w.yaml").write_text(
        "name: w\nterrain: [{kind: flat}]\n"
        "robots: [{name: c, kind: ./cart.yaml, position: [0, 0], command: {forward: 0.3}}]\n"
    )
    simulation = Simulation(load(tmp_path / "w.yaml"))
    simulation.step(2.0)
    x, _, z = simulation.pose("c").position
    assert x == pytest.approx(0.6, abs=0.1)
    assert z == pytest.approx(0.13, abs=0.003)


# -- over the network ---------------------------------------------------------------------------


def test_client_joins_by_the_class_name_of_a_robot_file(tmp_path: Path) -> None:
    world = tmp_path / "w.yaml"
    world.write_text("name: w\nterrain: [{kind: flat}]\n")
    options = ("--images", "-1", "--speed", "4", "--ground-truth", "--robot", ROVER)
    with (
        ServerProcess(tmp_path, world, *options) as server,
        server.join("Rover", "R1", at=(1, 0, 0)) as robot,
    ):
        begin = ground_truth(robot)
        robot.drive(4.0, 4.0)  # rad/s of the sprockets
        while not_none((now := ground_truth(robot)).time) < not_none(begin.time) + 0.7:
            pass
        assert now.location[0] > begin.location[0] + 0.1


# -- what is wrong ------------------------------------------------------------------------------


def faulty_robot(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    """Return the tutorial's robot file with replacements in its URDF."""
    shutil.copytree(STUDENT, tmp_path / "student", dirs_exist_ok=True)
    urdf = tmp_path / "student" / "chassis.urdf"
    text = (STUDENT / "chassis.urdf").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    urdf.write_text(text)
    return tmp_path / "student" / "rover.yaml"


NEGATIVE = ('<mass value="12.0"/>', '<mass value="-12.0"/>')
NO_MESH = ("meshes/hull.stl", "meshes/hul.stl")
NO_LIMITS = ('<limit lower="-2.6" upper="2.6" effort="2" velocity="2"/>', "")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (NEGATIVE, "chassis.urdf line 7: link 'base_link' has the mass -12 kg, it must be above 0"),
        (NO_MESH, "the mesh 'hul.stl' of link 'base_link' is not in .*did you mean 'hull.stl'"),
        (NO_LIMITS, "joint 'mast_joint' is revolute, but has no limits"),
        (
            ('<child link="mast"/>', '<child link="mats"/>'),
            "the child 'mats', which is not a link; did",
        ),
        (('type="revolute"', 'type="revolut"'), "the type 'revolut'.*did you mean 'revolute'"),
        (('<mass value="12.0"/>', '<mass value="heavy"/>'), "value of <mass> is 'heavy', 1 number"),
        (("</robot>", ""), "this is not XML"),
        (('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>'), "has the axis 0 0 0"),
    ],
)
def test_urdf_fault_is_reported_in_one_sentence(
    tmp_path: Path, change: tuple[str, str], sentence: str
) -> None:
    file = faulty_robot(tmp_path, change)
    with pytest.raises(GrouserError, match=sentence) as caught:
        load_robot(file).build()
    assert "\n" not in str(caught.value)


def test_all_faults_are_reported_at_once_and_the_corrected_file_runs(tmp_path: Path) -> None:
    file = faulty_robot(tmp_path, NEGATIVE, NO_MESH, NO_LIMITS)
    with pytest.raises(BadValue, match="and 2 more"):
        load_robot(file).build()
    spec = load_robot(file).spec
    assert len(all_faults(file.parent / "chassis.urdf", spec)) == 3
    assert load_robot(faulty_robot(tmp_path)).build().mass == pytest.approx(15, abs=0.1)


def test_unusual_values_are_warned_about_and_built(tmp_path: Path) -> None:
    file = faulty_robot(tmp_path, ('izz="0.38"', 'izz="0.9"'), ('"1.2"', '"0.1"'))
    robot = load_robot(file)
    (heavy, impossible) = sorted(read_model(not_none(robot.model_path), robot.spec).notes, key=len)
    assert "has 120 times the mass of the adjacent 'left_arm'" in heavy
    assert "line 7: link 'base_link' has an inertia that no body can have" in impossible
    assert robot.build().spec.compile().body("base_link").inertia.max() < 0.45


def test_robot_file_may_set_joint_limits(tmp_path: Path) -> None:
    file = faulty_robot(tmp_path, NO_LIMITS)
    robot = load_robot(file, {"drives": {"mast_joint": {"limits_deg": [-90, 90], "torque": 2.0}}})
    assert robot.build().limits["mast_joint"] == pytest.approx((-np.pi / 2, np.pi / 2))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"tracks.0.widht": 1.0}, "unknown key 'widht' in tracks.0; .*did you mean 'width'"),
        ({"tracks.0.width": -1.0}, "tracks.0.width is -1.0, must be more than 0"),
        ({"tracks.3.width": 1.0}, "there is no '3' in tracks"),
        ({"mas": 3.0}, "unknown key 'mas' in the robot.*did you mean 'mass'"),
        ({"flippers.front.joints": ["a", "b"]}, "no joint 'a'.*"),
        ({"flippers.front.start_deg": 89.0}, "start_deg is 89.0, must be within the limits"),
        ({"tracks.0.grouser": {"shape": "bxo"}}, "did you mean 'box'"),
        (
            {"tracks.0.oval": {"length": 0.1, "radius": 0.07}},
            "oval.length is 0.1, must be more than twice the radius",
        ),
        ({"tracks.0.method": "whels"}, "method is 'whels', allowed: .*did you mean 'wheels'"),
        (
            {"drives": {"mast_jont": {"torque": 1.0}}},
            "no joint 'mast_jont'.*did you mean 'mast_joint'",
        ),
        ({"model": "chasis.urdf"}, "model is 'chasis.urdf', .*did you mean 'chassis.urdf'"),
        ({"mass": 2.0}, "mass is 2.0 kg, but its parts weigh"),
    ],
)
def test_invalid_robot_file_is_reported_in_one_sentence(
    options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(GrouserError, match=sentence) as caught:
        describe(ROVER, options, "here").build()
    assert "\n" not in str(caught.value)
    assert "rover.yaml" in str(caught.value)


def test_missing_robot_file_names_the_nearest_match(tmp_path: Path) -> None:
    world = tmp_path / "w.yaml"
    world.write_text(
        "name: w\nterrain: [{kind: flat}]\n"
        "robots: [{name: r, kind: ./rovr.yaml, position: [0, 0]}]\n"
    )
    (tmp_path / "rover.yaml").write_text("name: Rover\n")
    with pytest.raises(GrouserError, match=r"w.yaml line 3.*did you mean 'rover.yaml'"):
        load(world)
