"""World files: parsing, overrides, and one-sentence errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.client_helpers import instance_of
from support.solver_yaml import SOLVER

from grouser.errors import UnknownName, WorldFileError
from grouser.world import file
from grouser.world.file import KIND_KEYS, World, load, parse
from grouser.world.objects import Ball, Box, Mesh
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.kinds import TERRAINS
from grouser.world.terrain.stairs import Stairs
from grouser.world.terrain.step import Step

TEXT = f"""\
name: one step
physics:
  timestep: 0.001
{SOLVER}"""
TEXT += """\
terrain:
  - {kind: flat, friction: 0.8}
  - kind: step
    x: 1
    height: 0.12
    friction: 0.6
objects:
  - {name: crate, kind: box, position: [2, 0, 1], size: [1, 1, 1], mass: 3, friction: 0.5}
robots:
  - name: quince
    kind: quince
    position: [0, 0.5]
"""


def error_text(text: str, *overrides: str, folder: Path | None = None) -> str:
    with pytest.raises(WorldFileError) as caught:
        parse(text, where="x.yaml", folder=folder, overrides=overrides)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def changed_text(old: str, new: str) -> str:
    assert TEXT.count(old) == 1, f"{old!r} must be in the text once"
    return TEXT.replace(old, new)


def test_world_file_is_read() -> None:
    world = parse(TEXT, where="x.yaml")
    assert world.physics == STANDARD
    assert [getattr(ground, "kind", "") for ground in world.terrain] == ["flat", "step"]
    assert instance_of(Step, world.terrain[1]).height == 0.12
    assert world.robots[0].position == (0, 0.5, 0)
    assert instance_of(Box, world.objects[0]).size == (1, 1, 1)
    assert (world.seed, world.view.follow) == (0, None)


def test_error_location_is_the_line() -> None:
    world = parse(TEXT, where="x.yaml")
    assert world.where("robots", 0, "kind") == "x.yaml line 26"
    assert world.where("terrain", 1) == "x.yaml line 18"
    assert world.where("robots", 0, "options", "speed") == "x.yaml line 25"
    assert world.where() == "x.yaml"


def test_world_can_be_built_in_python() -> None:
    world = World(name="plain", physics=STANDARD, terrain=(Flat(friction=1),))
    assert world.where("robots", 0, "kind") == "world 'plain'"


def test_equality_ignores_the_file_location() -> None:
    first, second = parse(TEXT, where="a.yaml"), parse("# comment\n" + TEXT, where="b.yaml")
    assert first == second
    assert first == World(**dict(first))
    assert first != parse(TEXT, where="a.yaml", overrides=["seed=1"])


MISTAKES = {
    "unknown key": (
        ("    friction: 0.6", "    fricton: 0.6"),
        "x.yaml line 21: unknown key 'fricton' in terrain.1 (step); allowed: friction, height, "
        "kind, kinetic, length, rgb, stribeck_exponent, stribeck_speed, width, x; "
        "did you mean 'friction'?",
    ),
    "unknown top key": (("objects:", "objcts:"), "line 22: unknown key 'objcts' in the world;"),
    "wrong type": (
        ("timestep: 0.001", "timestep: fast"),
        "x.yaml line 3: physics.timestep is 'fast', a number is needed",
    ),
    "no conversion": (("timestep: 0.001", "timestep: '0.001'"), "timestep is '0.001', a number"),
    "empty": (("timestep: 0.001", "timestep:"), "line 3: physics.timestep is empty, a number"),
    "bool is no number": (("x: 1\n", "x: true\n"), "line 19: terrain.1.x is true, a number"),
    "not whole": (("iterations: 50", "iterations: 5.5"), "is 5.5, a whole number is needed"),
    "too small": (
        ("friction: 0.6", "friction: -0.1"),
        "x.yaml line 21: terrain.1.friction is -0.1, must be at least 0",
    ),
    "not positive": (("height: 0.12", "height: 0"), "terrain.1.height is 0, must be more than 0"),
    "too large": (("timestep: 0.001", "timestep: 1"), "is 1, must be at most 0.02"),
    "missing": (("    x: 1\n", ""), "x.yaml line 18: terrain.1 (step) lacks 'x'"),
    "missing top key": (("name: one step\n", ""), "x.yaml: the world lacks 'name'"),
    "unknown kind": (
        ("kind: step", "kind: stpe"),
        f"x.yaml line 18: terrain.1.kind is 'stpe', allowed: {', '.join(TERRAINS)}; did you mean "
        "'step'?",
    ),
    "kind of object": (("kind: box", "kind: bocks"), "allowed: box, ball, cylinder, mesh"),
    "kind is no word": (("kind: step", "kind: [3]"), "terrain.1.kind is [3], allowed: flat"),
    "no kind": (
        ("kind: step\n    x: 1", "x: 1"),
        "x.yaml line 18: terrain.1 lacks 'kind'; allowed: flat, step",
    ),
    "unknown choice": (
        ("cone: elliptic", "cone: eliptic"),
        "line 5: physics.cone is 'eliptic', allowed: elliptic, pyramidal; did you mean 'elliptic'?",
    ),
    "stiffer than the step": (
        (
            "gravity: 9.81",
            "solver_contact: {time_constant: 0.001, damping_ratio: 1, impedance_start: 0.9, "
            "impedance_end: 0.9, impedance_width: 0.001}",
        ),
        "line 15: physics.solver_contact.time_constant is 0.001, "
        "must be at least 2 x timestep (0.001)",
    ),
    "not finite": (("x: 1\n", "x: .nan\n"), "x.yaml line 19: terrain.1.x is .nan, must be finite"),
    "overflow": (("x: 1\n", "x: 1e999\n"), "terrain.1.x is 1e999, must be finite"),
    "list too short": (("[0, 0.5]", "[0]"), "line 27: robots.0.position is [0], more numbers"),
    "list too long": (("[0, 0.5]", "[0, 0, 0, 0]"), "must have at most 3 item(s)"),
    "item of a list": (("[0, 0.5]", "[0, left]"), "robots.0.position.1 is 'left', a number"),
    "no list": (("[0, 0.5]", "here"), "robots.0.position is 'here', a list is needed"),
    "name with slash": (("name: quince", "name: a/b"), "robots.0.name is 'a/b', must be a letter"),
    "taken name": (("name: quince", "name: world"), "terrain and world are taken"),
    "name twice": (
        ("name: quince", "name: crate"),
        "x.yaml line 25: robots.0.name is 'crate', must be unique among objects and robots",
    ),
    "no mass": (
        ("mass: 3, ", ""),
        "objects.0.mass is empty, must be given unless the object is fixed",
    ),
    "follows nobody": (
        ("name: one step", "name: one step\nview: {follow: quinze}"),
        "line 2: view.follow is 'quinze', allowed: crate, quince; did you mean 'quince'?",
    ),
    "key twice": (("cone: elliptic", "timestep: 1"), "x.yaml line 5: 'timestep' is already given"),
    "key is no word": (("cone: elliptic", "1: 2"), "x.yaml line 5: a key must be a word"),
    "syntax": (("[0, 0.5]", "[0, 0.5"), "x.yaml line 28: this is not YAML (expected ',' or ']'"),
    "tag": (
        ("name: one step", "name: !!python/object/apply:os.system [ls]"),
        "x.yaml line 1: the tag '!!python/object/apply:os.system' is not allowed",
    ),
    "alias": (("cone: elliptic", "cone: *cone"), "x.yaml line 5: the alias '*cone' is not allowed"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_each_fault_is_reported_in_one_sentence(case: str) -> None:
    (old, new), fragment = MISTAKES[case]
    assert fragment in error_text(changed_text(old, new))


def test_first_of_several_faults_is_reported() -> None:
    text = changed_text("height: 0.12", "height: -1").replace("cone: elliptic", "cone: round")
    assert error_text(text).startswith("x.yaml line 5:")


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("", "x.yaml: is empty"),
        ("# only a comment\n", "x.yaml: is empty"),
        ("- a\n", "x.yaml line 1: the world is ['a'], a mapping is needed"),
        ("just words", "a mapping is needed"),
        ("a: 1\n--- \nb: 2\n", "x.yaml line 2: this is not YAML"),
        ("[" * 5000 + "]" * 5000, "x.yaml line 1: lists or mappings are nested more than 50 deep"),
        ("a: \x01", "x.yaml: this is not YAML (unacceptable character"),
    ],
)
def test_texts_without_a_world_are_rejected(text: str, fragment: str) -> None:
    assert fragment in error_text(text)


def test_yaml_1_1_boolean_words_stay_text() -> None:
    robot = "{name: a, kind: on, position: [0, 0], options: {gear: 1:30, day: 2026-01-01}}"
    entry = parse(TEXT + f"  - {robot}\n", where="x.yaml").robots[1]
    assert entry.kind == "on"
    assert entry.options == {"gear": "1:30", "day": "2026-01-01"}


@pytest.mark.parametrize(
    ("override", "read"),
    [
        ("physics.timestep=0.002", lambda w: w.physics.timestep == 0.002),
        ("terrain.1.height=0.2", lambda w: w.terrain[1].height == 0.2),
        ("robots.quince.options.front_deg=45", lambda w: w.robots[0].options == {"front_deg": 45}),
        ("objects.crate.fixed=true", lambda w: w.objects[0].fixed),
        ("view.distance=5", lambda w: w.view.distance == 5),
        ("robots.0.position=[1, 2]", lambda w: w.robots[0].position == (1, 2, 0)),
        ("description=a = b", lambda w: w.description == "a = b"),
    ],
)
def test_overrides_set_values(override: str, read: Callable[..., Any]) -> None:
    assert read(parse(TEXT, where="x.yaml", overrides=[override]))


def test_omitted_physics_has_standard_values() -> None:
    world = parse("name: a\nterrain: [{kind: flat}, {kind: stairs, x: 1}]\n", where="x.yaml")
    assert world.physics == STANDARD
    assert [piece.friction for piece in world.terrain] == [0.6, 0.6]
    assert world == World(name="a", terrain=(Flat(), Stairs(x=1)))


def test_override_of_a_kind_drops_fields_of_the_old_kind() -> None:
    stairs = parse(TEXT, where="x.yaml", overrides=["terrain.1.kind=stairs"]).terrain[1]
    assert stairs == Stairs(x=1, friction=0.6)
    chosen = ["terrain.1.kind=stairs", "terrain.1.rise=0.2"]
    assert instance_of(Stairs, parse(TEXT, where="x.yaml", overrides=chosen).terrain[1]).rise == 0.2
    ball = ["objects.crate.kind=ball", "objects.crate.radius=0.1"]
    assert instance_of(Ball, parse(TEXT, where="x.yaml", overrides=ball).objects[0]).radius == 0.1
    robot = ["robots.quince.options.front_deg=45", "robots.quince.kind=packbot"]
    assert parse(TEXT, where="x.yaml", overrides=robot).robots[0].options == {}
    same = ["robots.quince.options.front_deg=45", "robots.quince.kind=quince"]
    assert parse(TEXT, where="x.yaml", overrides=same).robots[0].options == {"front_deg": 45}
    unknown_kind = error_text(TEXT, "terrain.1.kind=stars")
    assert "did you mean 'stairs'?" in unknown_kind


def test_later_overrides_win_and_errors_name_their_position() -> None:
    world = parse(TEXT, where="x.yaml", overrides=["seed=1", "seed=2"])
    assert world.seed == 2
    assert world.where("seed") == "override 'seed=2'"


@pytest.mark.parametrize(
    ("override", "fragment"),
    [
        ("physics.timestep=fast", "override 'physics.timestep=fast': physics.timestep is 'fast'"),
        ("physcs.timestep=1", "unknown key 'physcs' in the world; allowed: daylight, description"),
        ("physcs.timestep=1", "did you mean 'physics'?"),
        ("terrain.1.heigt=1", "unknown key 'heigt' in terrain.1 (step)"),
        ("terrain.7.height=1", "there is no '7' in terrain; allowed: 0, 1"),
        ("robots.quinc.kind=a", "allowed: 0, quince; did you mean 'quince'?"),
        ("name.first=a", "name is 'one step' and has no 'first'"),
        ("seed", "'path=value' is needed"),
        ("a..b=1", "'path=value' is needed"),
        ("seed=[", "this is not YAML"),
        ("seed=.inf", "must be finite"),
    ],
)
def test_invalid_overrides_are_rejected(override: str, fragment: str) -> None:
    message = error_text(TEXT, override)
    assert message.startswith("override ")
    assert fragment in message


def mesh_world(name: str) -> str:
    mesh = (
        f"{{name: rock, kind: mesh, file: {name}, fixed: true, friction: 1, position: [0, 0, 0]}}"
    )
    return changed_text("objects:\n", f"objects:\n  - {mesh}\n")


def test_missing_mesh_names_the_nearest_match(tmp_path: Path) -> None:
    (tmp_path / "rock.stl").write_bytes(b"")
    message = error_text(mesh_world("rocks.stl"), folder=tmp_path)
    assert message.startswith("x.yaml line 23: objects.0.file is 'rocks.stl', which is no file in ")
    assert message.endswith("(there is: rock.stl); did you mean 'rock.stl'?")


@pytest.mark.parametrize(
    ("name", "fragment"),
    [
        ("bad.stl", "objects.0.file is 'bad.stl', which is no STL file, or has no triangles"),
        ("bad.png", "objects.0.file is 'bad.png', must end in .obj or .ply or .stl"),
        ("nowhere/bad.stl", "(there is: no mesh)"),
        ("3", "objects.0.file is 3, must be the name of a mesh file"),
        ("x" * 5000 + ".stl", "is no file in"),
    ],
)
def test_unreadable_meshes_are_rejected(name: str, fragment: str, tmp_path: Path) -> None:
    (tmp_path / "bad.stl").write_bytes(b"solid nothing")
    assert fragment in error_text(mesh_world(name), folder=tmp_path)


def test_load_resolves_meshes_relative_to_the_file(tmp_path: Path) -> None:
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + ["f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
    (tmp_path / "rock.obj").write_text("\n".join(lines))
    path = tmp_path / "rocky.yaml"
    path.write_text(mesh_world("rock.obj"))
    world = load(path, ["seed=3"])
    assert instance_of(Mesh, world.objects[0]).file == (tmp_path / "rock.obj").resolve()
    assert world.seed == 3
    assert world.where("name") == f"{path} line 1"


def test_load_rejects_missing_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes("name: Fußboden".encode("latin-1"))
    for name, fragment in {
        "none.yaml": "there is no such file",
        "": "is a folder, a file is needed",
        "latin.yaml": "is not UTF-8 text",
        "x" * 5000: "cannot be read",
    }.items():
        with pytest.raises(WorldFileError, match=fragment):
            load(tmp_path / name)


def test_shipped_worlds_are_loaded_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "one_step.yaml"
    path.write_text(TEXT)
    monkeypatch.setattr(file, "shipped", lambda: {"one_step": path})
    assert load("one_step").where("name") == "worlds/one_step.yaml line 1"
    with pytest.raises(UnknownName, match=r"no world 'one_stp' .*; did you mean 'one_step'\?"):
        load("one_stp")


def test_shipped_lists_files_that_exist() -> None:
    assert all(path.is_file() and path.stem == name for name, path in file.shipped().items())


def parse_or_raise_grouser_error(text: str, *overrides: str) -> None:
    message = ""
    try:
        parse(text, where="x.yaml", folder=Path("/nonexistent"), overrides=overrides)
    except WorldFileError as error:
        message = str(error)
    assert "\n" not in message


@settings(max_examples=150)
@given(st.text(alphabet=st.one_of(st.sampled_from(" \n:-[]{}&*!?#|>'\",.%@0a"), st.characters())))
def test_random_text_raises_world_file_errors_only(text: str) -> None:
    parse_or_raise_grouser_error(text)


WORDS = sorted({key for keys in (*KIND_KEYS.values(), World.model_fields) for key in keys})
VALUES = st.recursive(
    st.one_of(
        st.sampled_from(["step", "box", "mesh", "a.stl", "[]", "{}", "1e400", "~", "''", "x y"]),
        st.integers().map(str),
        st.floats().map(str),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]"),
        st.dictionaries(st.sampled_from(WORDS), inner, max_size=4).map(
            lambda d: "{" + ", ".join(f"{key}: {value}" for key, value in d.items()) + "}"
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=150)
@given(st.integers(0, TEXT.count("\n") - 1), st.sampled_from(WORDS), VALUES)
def test_random_values_raise_world_file_errors_only(number: int, word: str, value: str) -> None:
    lines = TEXT.splitlines()
    indent = len(lines[number]) - len(lines[number].lstrip(" -"))
    lines[number] = f"{lines[number][:indent]}{word}: {value}"
    parse_or_raise_grouser_error("\n".join(lines))


@settings(max_examples=150)
@given(st.text(alphabet="=.[]: 0anmephysictrobqu-", max_size=30))
def test_random_overrides_raise_world_file_errors_only(override: str) -> None:
    parse_or_raise_grouser_error(TEXT, override)


def test_list_of_invalid_items_is_not_reported_as_too_short() -> None:
    text = load_text("quince_step").replace("friction: 0.6}", "fricton: 0.6}")
    with pytest.raises(WorldFileError, match="unknown key 'fricton'.*did you mean 'friction'"):
        parse(text, where="x.yaml")


def load_text(name: str) -> str:
    return file.shipped()[name].read_text()
