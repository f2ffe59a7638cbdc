"""JSON schemas of world, robot and sweep files, and `grouser schema`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.cli_runner import error_line, grouser
from support.source_tree import ROOT

from grouser.cli.file_schema import robot_schema, sweep_schema, world_schema
from grouser.robots.kinds import ROBOTS
from grouser.sensors.sensor import SENSORS
from grouser.world.file import shipped
from grouser.world.terrain.kinds import TERRAINS
from grouser.world.yaml_source import read_yaml

pytestmark = pytest.mark.usefixtures("working_folder")

SWEEPS = {path.name: path for path in (ROOT / "examples" / "sweeps").glob("*.yaml")}
EXAMPLES = {
    path.name: path for path in (ROOT / "examples").rglob("*.yaml") if path not in SWEEPS.values()
}
WORLDS = shipped() | {
    name: path for name, path in EXAMPLES.items() if "terrain:" in path.read_text()
}
ROBOT_FILES = {name: path for name, path in EXAMPLES.items() if name not in WORLDS}


@pytest.fixture(scope="module")
def worlds() -> Draft202012Validator:
    return validator(world_schema())


@pytest.fixture(scope="module")
def robots() -> Draft202012Validator:
    return validator(robot_schema())


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def read(path: Path) -> Any:
    return read_yaml(path.read_text(encoding="utf-8"), path.name).data


def flaws(checker: Draft202012Validator, data: Any) -> list[str]:
    """Return the messages of all errors, those of alternatives as well."""

    def messages(errors: Any) -> Iterator[str]:
        for error in errors:
            yield error.message
            yield from messages(error.context)

    return list(messages(checker.iter_errors(data)))


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_satisfies_the_schema(worlds: Draft202012Validator, name: str) -> None:
    assert not flaws(worlds, read(WORLDS[name]))


def test_there_are_example_robots() -> None:
    assert len(ROBOT_FILES) >= 5


@pytest.mark.parametrize("name", ROBOT_FILES)
def test_every_example_robot_satisfies_the_schema(robots: Draft202012Validator, name: str) -> None:
    assert not flaws(robots, read(ROBOT_FILES[name]))


@pytest.mark.parametrize(
    ("part", "flaw"),
    [
        ({"seed": -1}, "-1 is less than the minimum of 0"),
        ({"terrain": [{"kind": "step", "heigth": 0.1}]}, "'heigth' was unexpected"),
        ({"terrain": [{"kind": "stepp"}]}, "'step' was expected"),
        ({"robots": [{"kind": "quince", "options": {"front": 1}}]}, "'front' was unexpected"),
        ({"robots": [{"kind": "quince", "options": {"front_deg": 999}}]}, "maximum of 180"),
        ({"robots": [{"kind": "crawler"}]}, "'options' is a required property"),
        ({"robots": [{"kind": "quinze"}]}, "'quince' was expected"),
        ({"robots": [{"kind": "p3at", "sensors": [{"kind": "laser", "far": 0}]}]}, "minimum of 0"),
        ({"robots": [{"kind": "p3at", "sensors": "standrad"}]}, "'standard' was expected"),
    ],
)
def test_invalid_values_violate_the_schema(
    worlds: Draft202012Validator, part: dict[str, Any], flaw: str
) -> None:
    world: dict[str, Any] = {"name": "w", "terrain": [{"kind": "flat"}]}
    assert not flaws(worlds, world)
    for robot in part.get("robots", ()):
        robot |= {"name": "r", "position": [0, 0]}
    assert any(flaw in message for message in flaws(worlds, world | part))


def test_schema_has_the_options_of_all_kinds_with_their_descriptions() -> None:
    schema = world_schema()
    robots, _ = schema["properties"]["robots"]["items"]["anyOf"]
    terrain = schema["properties"]["terrain"]["items"]
    assert set(robots["discriminator"]["mapping"]) == set(ROBOTS)
    assert set(terrain["discriminator"]["mapping"]) == set(TERRAINS)
    text = json.dumps(schema)
    for kind in SENSORS:
        assert f'"const": "{kind}"' in text
    assert "Initial angle of the front sub-tracks" in text


@pytest.mark.parametrize("kind", ["world", "robot"])
def test_command_writes_the_schema_that_starter_files_name(kind: str) -> None:
    assert grouser("new", kind, "mine").exit_code == 0
    first = Path("mine.yaml").read_text(encoding="utf-8").partition("\n")[0]
    assert first == f"# yaml-language-server: $schema={kind}.schema.json"
    beside = json.loads(Path(f"{kind}.schema.json").read_text(encoding="utf-8"))
    assert not flaws(validator(beside), read(Path("mine.yaml")))
    assert grouser("schema", kind, "--out", "again.json").exit_code == 0
    assert json.loads(Path("again.json").read_text(encoding="utf-8")) == beside
    assert json.loads(grouser("schema", kind).stdout) == beside


@pytest.mark.parametrize("name", SWEEPS)
def test_every_example_sweep_satisfies_the_schema(name: str) -> None:
    assert not flaws(validator(sweep_schema()), read(SWEEPS[name]))


@pytest.mark.parametrize(
    ("part", "flaw"),
    [
        ({"plan": "bumps"}, "is valid under each of"),
        ({"vary": {}}, "should be non-empty"),
        ({"vary": {"x": "high"}}, "'high' is not of type 'array'"),
        ({"vary": {"x": {"min": 0, "maxi": 1}}}, "'maxi' was unexpected"),
        ({"sample": "sobol"}, "'sobol' is not one of"),
        ({"repeat": 3}, "'repeat' was unexpected"),
    ],
)
def test_invalid_sweeps_violate_the_schema(part: dict[str, Any], flaw: str) -> None:
    sweep = {"world": "quince_step", "vary": {"x": [1, 2.5], "y": {"min": 0, "max": 1}}}
    checker = validator(sweep_schema())
    assert not flaws(checker, sweep)
    assert any(flaw in message for message in flaws(checker, sweep | part))


def test_unknown_kind_is_reported() -> None:
    assert "did you mean 'world'" in error_line(grouser("schema", "wrld"))
