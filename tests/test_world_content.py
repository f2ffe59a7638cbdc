"""Content hash of worlds, and their transfer by content to another folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.source_tree import ROOT

import grouser
from grouser.errors import BadValue
from grouser.simulation.simulation import Simulation
from grouser.simulation.world_content import WorldStore, content_hash, sha256, world_content
from grouser.world.file import World, load, parse, shipped

STUDENT = ROOT / "examples" / "robots" / "student"
ROCK = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
YARD = """
name: yard
terrain:
  - {kind: flat, friction: 0.6}
  - {kind: height_map, file: hills.npy, cell: 0.1, x: 3, friction: 0.6}
objects:
  - {name: rock, kind: mesh, file: rock.obj, position: [2, 2, 0], friction: 0.5, fixed: true}
robots:
  - {name: rover, kind: robots/rover.yaml, position: [0, 0], options: {tracks.0.width: 0.07}}
  - {name: kenaf, kind: kenaf, position: [0, 2], options: {front_deg: 45, rear_deg: 20}}
events:
  - {name: tick, every: 0.05, call: "yard_routines:push"}
"""
ROUTINES = """
def push(simulation, event):
    simulation.command("kenaf", forward=0.2)
"""


def write_yard(folder: Path) -> Path:
    """Write a world with files of every kind to ``folder``."""
    shutil.copytree(STUDENT, folder / "robots")
    np.save(folder / "hills.npy", np.random.default_rng(1).uniform(0, 0.1, (5, 5)))
    (folder / "rock.obj").write_text(ROCK)
    (folder / "yard_routines.py").write_text(ROUTINES)
    (folder / "yard.yaml").write_text(YARD)
    return folder / "yard.yaml"


@pytest.fixture
def yard(tmp_path: Path) -> Path:
    return write_yard(tmp_path / "here")


def test_hash_is_equal_in_every_folder_and_process(yard: Path, tmp_path: Path) -> None:
    moved = write_yard(tmp_path / "elsewhere")
    program = (
        "import sys, grouser; from grouser.simulation.world_content import content_hash; "
        "print(content_hash(grouser.load(sys.argv[1])))"
    )
    other = subprocess.run(
        [sys.executable, "-c", program, str(moved)],
        env=os.environ | {"PYTHONHASHSEED": "7"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert other.stdout.strip() == content_hash(load(yard)), other.stderr


def test_hash_does_not_depend_on_the_order_of_keys(yard: Path) -> None:
    swapped = YARD.replace("front_deg: 45, rear_deg: 20", "rear_deg: 20, front_deg: 45")
    assert swapped != YARD
    assert content_hash(parse(swapped, where="y", folder=yard.parent)) == content_hash(load(yard))


@pytest.mark.parametrize(
    "file",
    [
        *("hills.npy", "rock.obj", "yard_routines.py"),
        *("robots/rover.yaml", "robots/chassis.urdf", "robots/meshes/hull.stl"),
    ],
)
def test_hash_depends_on_the_content_of_every_file(yard: Path, file: str) -> None:
    before = content_hash(load(yard))
    path = yard.parent / file
    content = path.read_bytes()
    comment = {".obj": b"# more\n", ".urdf": b"<!-- more -->", ".stl": b"\0"}
    path.write_bytes(content + comment.get(path.suffix, b"\n# more\n"))
    assert content_hash(load(yard)) != before
    path.write_bytes(content)
    assert content_hash(load(yard)) == before


def test_hash_depends_on_every_digit_and_option(yard: Path) -> None:
    hashes = {
        content_hash(load(yard, [change]))
        for change in (
            *("seed=0", "seed=1", "terrain.0.friction=0.60000000000000009"),
            *("robots.kenaf.options.front_deg=44", "robots.rover.options.mass=20"),
        )
    }
    assert len(hashes) == 5


def test_hashes_of_shipped_worlds_differ() -> None:
    assert len({content_hash(load(name)) for name in shipped()}) == len(shipped())


def end_state(world: World) -> str:
    """Return the hash of the state after 0.1 s, in which all routines succeeded."""
    simulation = Simulation(world)
    simulation.step(0.1)
    assert not [entry for entry in simulation.event_log if entry.kind == "failed"]
    return simulation.fingerprint()


def transfer(world: World, folder: Path) -> World:
    """Return ``world`` after its transfer to ``folder``."""
    content, store = world_content(world), WorldStore(folder)
    for digest, path in content.sources.items():
        sent = path.read_bytes()
        assert sha256(sent) == digest
        store.add_file(digest, sent)
    store.add_world(content.digest, content.description)
    return store.world(content.digest)


def test_received_world_is_the_same_after_the_sender_lost_its_files(
    yard: Path, tmp_path: Path
) -> None:
    world = load(yard)
    digest, ended = content_hash(world), end_state(world)
    there = transfer(world, tmp_path / "there")
    shutil.rmtree(yard.parent)
    assert content_hash(there) == digest
    assert end_state(there) == ended
    assert there.where("robots", 1) == world.where("robots", 1), "errors name the same line"


def test_description_without_files_is_small() -> None:
    content = world_content(grouser.load("quince_step"))
    assert not content.sources
    assert len(content.description) < 10_000


def test_robot_file_with_a_mesh_at_an_absolute_path_is_checked(tmp_path: Path) -> None:
    hull = tmp_path / "parts" / "hull.stl"
    shutil.copytree(STUDENT, tmp_path / "robots")
    hull.parent.mkdir()
    (tmp_path / "robots" / "meshes" / "hull.stl").rename(hull)
    urdf = tmp_path / "robots" / "chassis.urdf"
    urdf.write_text(urdf.read_text().replace("meshes/hull.stl", str(hull)))
    text = (
        "name: a\nterrain: [{kind: flat}]\nrobots: [{name: r, kind: rover.yaml, position: [0, 0]}]"
    )
    world = parse(text, where="a", folder=tmp_path / "robots")
    assert end_state(transfer(world, tmp_path / "one")) == end_state(world)
    content, store = world_content(world), WorldStore(tmp_path / "two")
    for digest, path in content.sources.items():
        store.add_file(digest, path.read_bytes())
    hull.unlink()
    with pytest.raises(BadValue, match=r"rover\.yaml' refers to files .* not the same"):
        store.add_world(content.digest, content.description)
