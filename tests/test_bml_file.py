"""Conversion of configuration files of the report (bml_vrep) to world files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

import grouser
from grouser.cli import app
from grouser.errors import GrouserError
from grouser.experiments.roach.bridge_world import PHYSICS
from grouser.simulation import Ground
from grouser.simulation.scene import compose
from grouser.world.bml_file import import_bml
from grouser.world.meshes.mesh_files import read_stl, write_stl
from grouser.world.meshes.triangle_mesh import open_edges

SAMPLE = """
scene_file: "empty.ttt"
objects: [
  {
    model_filename: "ros_clock.ttm"
  },
  {
    model_filename: "stl_object.ttm",
    stl_filename: "bridge.stl",
    position: [0.0, 0.0, 0.0],
    orientation: [0.0, 0.0, 0.0, 1.0],
  },
]
robots: [
  {
    model_filename:
      "6leg_crawler_non_threaded.ttm",
    position: [0.0, -1.6, 0.045],
    orientation: [0, 0.0, 0, 1],
  },
  {
    model_filename:
      "6leg_crawler_dummy.ttm",
    position: [0.0, 1.6, 0.045],
    orientation: [0, 0.0, 0, 1],
  },
]
"""
"""Appendix B of the report with another name of the STL file."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Folder with the sample and a small closed wedge: 0.4 m long, 0.6 m wide, 0.1 m high."""
    corners = np.array(
        [[x, y, z] for x, z in ((-0.2, 0), (0.2, 0), (0.2, 0.1)) for y in (-0.3, 0.3)], np.float32
    )
    faces = [(0, 1, 3), (0, 3, 2), (2, 3, 5), (2, 5, 4), (0, 4, 5), (0, 5, 1), (0, 2, 4), (1, 5, 3)]
    write_stl(tmp_path / "bridge.stl", corners[np.array(faces)])
    (tmp_path / "sample.yml").write_text(SAMPLE)
    return tmp_path


def test_sample_of_the_report_is_read(folder: Path) -> None:
    imported = import_bml(folder / "sample.yml")
    left_out, became = imported.notices
    assert left_out == "object ros_clock.ttm has no stl_filename: left out"
    assert became.startswith("bridge.stl becomes 1 convex piece: off by 0.0 mm at most")
    world = yaml.safe_load(imported.text)
    assert [piece["kind"] for piece in world["terrain"]] == ["flat", "mesh"]
    assert world["terrain"][1]["file"] == "bridge.stl"
    (robot,) = world["robots"]
    assert (robot["name"], robot["kind"]) == ("velociroach", "velociroach")
    assert robot["position"] == [0.0, -1.6, 0.0]  # the origin of the model is 45 mm above its feet
    assert robot["yaw_deg"] == 0
    (goal,) = world["triggers"]
    assert (goal["name"], goal["position"], goal["radius"]) == ("goal", [0.0, 1.6, 0.045], 0.05)


def test_quaternions_have_w_last(folder: Path) -> None:
    half = 0.5**0.5
    text = SAMPLE.replace("orientation: [0, 0.0, 0, 1]", f"orientation: [0, 0, {half}, {half}]")
    text = text.replace("[0.0, 0.0, 0.0, 1.0]", "[0.0, 0.0, 1.0, 0.0]")
    (folder / "sample.yml").write_text(text)
    world = yaml.safe_load(import_bml(folder / "sample.yml").text)
    assert world["robots"][0]["yaw_deg"] == pytest.approx(90)
    assert abs(world["terrain"][1]["yaw_deg"]) == pytest.approx(180)


def test_command_writes_a_world_that_runs(folder: Path) -> None:
    result = CliRunner().invoke(
        app, ["import-bml", str(folder / "sample.yml"), "--out", str(folder / "w" / "out.yaml")]
    )
    assert result.exit_code == 0, result.output
    assert "object ros_clock.ttm has no stl_filename: left out" in result.output
    world = grouser.load(folder / "w" / "out.yaml")
    ground = Ground(compose(world))
    found = ground.below([[0.1, 0.0], [-0.1, 0.2], [0.3, 0.0], [0.0, 0.35]])
    assert found.height == pytest.approx([0.075, 0.025, 0.0, 0.0], abs=1e-6)
    simulation = grouser.Simulation(world)
    assert world.physics == PHYSICS, "as in the experiments of the report"
    simulation.step(30 * PHYSICS.timestep)
    assert simulation.pose("velociroach").position[1] == pytest.approx(-1.6, abs=0.01)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"bridge.stl"', '"birdge.stl"', "line 9: objects.1.stl_filename: 'birdge.stl' is no file"),
        ('"bridge.stl"', '"birdge.stl"', "did you mean 'bridge.stl'?"),
        ('"bridge.stl"', "3", "3 is no file name"),
        ("non_threaded", "threaded", "there is no robot model '6leg_crawler_threaded'"),
        ("[0.0, -1.6, 0.045]", "[0.0, -1.6]", "robots.0.position: must be 3 numbers"),
        ("[0.0, -1.6, 0.045]", "[0.0, a, 1]", "robots.0.position: must be 3 numbers"),
        ("[0.0, 0.0, 0.0, 1.0]", "[0, 0, 0, 2]", "must be a unit quaternion x, y, z, w"),
        (SAMPLE, "name: a world", "neither objects nor robots given"),
        (SAMPLE, "robots: 3", "robots: must be a list"),
        (SAMPLE, "robots: [3]", "robots.0: must be a mapping"),
        (SAMPLE, "robots: [", "sample.yml"),
    ],
)
def test_invalid_files_are_reported_in_one_sentence(
    folder: Path, old: str, new: str, words: str
) -> None:
    (folder / "sample.yml").write_text(SAMPLE.replace(old, new))
    with pytest.raises(GrouserError) as error:
        import_bml(folder / "sample.yml")
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_error_names_the_other_scene(folder: Path) -> None:
    (folder / "sample.yml").write_text(SAMPLE.replace("empty.ttt", "hall.ttt"))
    notices = import_bml(folder / "sample.yml").notices
    assert notices[0] == "scene_file hall.ttt is not read: a level floor stands for it"


def test_missing_file_is_reported_in_one_sentence(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["import-bml", str(tmp_path / "none.yml")])
    assert result.exit_code == 2
    assert "there is no such file" in result.output


def test_text_and_binary_stl_are_equal_and_open_meshes_are_reported(folder: Path) -> None:
    triangles = read_stl((folder / "bridge.stl").read_bytes())
    assert open_edges(triangles) == 0
    lines = [
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {x} {y} {z}\n" for x, y, z in corners.tolist())
        + "endloop\nendfacet"
        for corners in triangles
    ]
    (folder / "bridge.stl").write_text("solid wedge\n" + "\n".join(lines) + "\nendsolid\n")
    assert np.array_equal(read_stl((folder / "bridge.stl").read_bytes()), triangles)
    write_stl(folder / "bridge.stl", triangles[1:])
    assert "bridge.stl becomes a height map of" in import_bml(folder / "sample.yml").notices[1]


def test_orientation_of_a_mesh_is_applied(folder: Path) -> None:
    text = SAMPLE.replace("[0.0, 0.0, 0.0, 1.0]", "[1.0, 0, 0, 0]")
    (folder / "sample.yml").write_text(text.replace("[0.0, 0.0, 0.0]", "[0.0, 0.0, 0.3]"))
    (folder / "out.yaml").write_text(import_bml(folder / "sample.yml").text)
    ground = Ground(compose(grouser.load(folder / "out.yaml")))
    # The flat underside is on top; below the sharp end is the floor.
    found = ground.below([[0.1, 0.0, 1.0], [-0.1, 0.1, 1.0], [-0.1, 0.0, 0.2]])
    assert found.height == pytest.approx([0.3, 0.3, 0.0], abs=1e-6)


def test_mesh_that_height_map_fits_badly_is_reported(folder: Path) -> None:
    """Sheet with a small leaf above it, between the points of a coarse map."""
    triangles = read_stl((folder / "bridge.stl").read_bytes())
    sheet = triangles[4:6]
    leaf = sheet * np.array([0.1, 0.5, 0.2], np.float32) + np.array([0, 0, 0.4], np.float32)
    write_stl(folder / "bridge.stl", np.concatenate([sheet, leaf]))
    notices = import_bml(folder / "sample.yml", cell=0.15).notices
    assert notices[1].startswith("bridge.stl is not closed (8 open edges)")
    assert "as a height map it does not fit (off by" in notices[1]
    assert "becomes a height map of" in notices[-1]


@pytest.mark.parametrize("content", [b"", b"solid nothing", bytes(200), b"vertex a b c"])
def test_invalid_stl_files_are_reported_in_one_sentence(folder: Path, content: bytes) -> None:
    (folder / "bridge.stl").write_bytes(content)
    with pytest.raises(GrouserError, match="is no STL file, or has no triangles"):
        import_bml(folder / "sample.yml")


def test_lengths_in_millimetres_are_reported_in_one_sentence(folder: Path) -> None:
    write_stl(folder / "bridge.stl", read_stl((folder / "bridge.stl").read_bytes()) * 1000)
    with pytest.raises(GrouserError, match="objects.1.stl_filename.*if it is in millimetres"):
        import_bml(folder / "sample.yml")
