"""An installed package adds a robot, terrain, sensor and track; nothing changes without it.

`packages/moon` is a complete package; pip installs it into a temporary folder, and Grouser runs in
processes with and without that folder on their path.
"""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from support.client_helpers import instance_of
from support.narrowing import not_none
from support.server_fixtures import CONTROL_ONLY, TIMEOUT, ServerProcess, ground_truth

from grouser.protocol.usarsim.message import UnknownMessage

MOON = Path(__file__).parent / "packages" / "moon"
TYPED = Path(__file__).parent / "support" / "cli_batch.py"
KINDS = ("robots", "terrains", "sensors", "tracks", "planners", "runners", "gateways")
LISTS = [["list", kind, "--plain"] for kind in KINDS]
ROBOTS = [
    ["check", "robot", "moon_buggy", "--no-drive"],
    ["mobility", "moon_rover", "--test", "step", "--sizes", "30", "--set", "mass=10"],
    *(["check", "robot", name] for name in ("moon_broken", "moon_nothing", "moon_bugy")),
]


@pytest.fixture(scope="module")
def package_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder into which pip has installed the package; no index is used."""
    folder = tmp_path_factory.mktemp("site")
    where = ("--target", str(folder), "--no-index", "--no-build-isolation", "--no-deps")
    command = [sys.executable, "-m", "pip", "install", "--quiet", *where, str(MOON)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def python_path(folder: Path | None) -> str:
    """Return PYTHONPATH with ``folder`` before the folders that it has."""
    return os.pathsep.join(filter(None, [str(folder or ""), os.environ.get("PYTHONPATH", "")]))


def run_commands(
    folder: Path | None, commands: list[list[str]]
) -> dict[tuple[str, ...], tuple[int, str]]:
    """Return exit code and output of each command, with the packages of ``folder``."""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", str(TYPED)],
        input=json.dumps(commands),
        env=os.environ | {"PYTHONPATH": python_path(folder), "COLUMNS": "200"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    outputs = json.loads(ran.stdout)
    return {
        tuple(words): (code, " ".join(out.split()))
        for words, (code, out) in zip(commands, outputs, strict=True)
    }


@pytest.fixture(scope="module")
def outputs(package_folder: Path) -> dict[tuple[str, ...], tuple[int, str]]:
    """Return the outputs of all commands with the package installed."""
    return run_commands(package_folder, [*LISTS, *ROBOTS])


def test_package_entries_are_listed_only_while_installed(
    outputs: dict[tuple[str, ...], tuple[int, str]],
) -> None:
    without = run_commands(None, LISTS)
    brought = set()
    for words in map(tuple, LISTS):
        listed, before = (each[words][1].split() for each in (outputs, without))
        assert len(listed) == len(set(listed))
        assert before == [name for name in listed if not name.startswith("moon_")]
        brought |= set(listed) - set(before)
    assert brought >= {
        *("moon_buggy", "moon_rover", "moon_crater", "moon_clock", "moon_belt", "moon_straight")
    }


def test_package_robot_passes_the_contract_and_the_mobility_suite(
    outputs: dict[tuple[str, ...], tuple[int, str]],
) -> None:
    code, output = outputs["check", "robot", "moon_buggy", "--no-drive"]
    assert code == 0, output
    assert "stands still yes" in output
    code, output = outputs[tuple(ROBOTS[1])]
    assert "30 mm passed" in output, output


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("moon_broken", "comes from grouser_moon.broken:Rover, which cannot be used (RuntimeError"),
        ("moon_nothing", "which cannot be used (TypeError: it is neither a Description"),
        ("moon_bugy", "did you mean 'moon_buggy'?"),
    ],
)
def test_broken_entry_is_reported_with_its_cause(
    outputs: dict[tuple[str, ...], tuple[int, str]], kind: str, sentence: str
) -> None:
    code, output = outputs["check", "robot", kind]
    assert code != 0
    assert sentence in output


def test_client_joins_with_the_package_robot_on_the_package_terrain(
    package_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", python_path(package_folder))
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    world = tmp_path / "moon.yaml"
    world.write_text(
        "name: moon\nterrain: [{kind: flat}, {kind: moon_crater, x: 0.5, friction: 0.6}]\n"
    )
    with (
        ServerProcess(tmp_path, world, *CONTROL_ONLY, "--speed", "4", "--ground-truth") as server,
        server.join("moon_rover", "R1", at=(0, 0, 0)) as robot,
    ):
        begin = ground_truth(robot)
        robot.drive(4.0, 4.0)
        while not_none((now := ground_truth(robot)).time) < not_none(begin.time) + 0.7:
            pass
        assert now.location[0] > begin.location[0] + 0.1


def test_plugin_sensor_is_sent_to_usarsim_clients(
    package_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", python_path(package_folder))
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    world = tmp_path / "moon.yaml"
    world.write_text(
        "name: moon\nterrain: [{kind: flat}]\n"
        "robots: [{name: R1, kind: moon_rover, position: [0, 0],\n"
        "          sensors: [{kind: moon_clock, name: lunar}]}]\n"
    )
    with (
        ServerProcess(tmp_path, world, *CONTROL_ONLY, "--speed", "4") as server,
        server.join("moon_rover", "R1") as robot,
    ):
        values = dict(instance_of(UnknownMessage, robot.reading("lunar")).pairs)
        assert values["Type"] == "Clock"
        assert float(values["seconds"]) == pytest.approx(float(values["Time"]), abs=1e-4)
        assert values["counts"] == f"{int(float(values['seconds']))},0,0"
        assert values["zone"] == "Mare Tranquillitatis"
        assert "drift" not in values  # not a finite number


def test_planner_of_a_package_plans(package_folder: Path) -> None:
    command = ["plan", "plywood_bridge", "--from", "-0.2,0", "--to", "0.2,0", "--candidates", "1"]
    command += ["--trials", "1", "--rounds", "1", "--planner"]
    ran = run_commands(package_folder, [[*command, "moon_straight"], [*command, "moon_strait"]])
    code, output = ran[*command, "moon_straight"]
    assert code == 0, output
    code, output = ran[*command, "moon_strait"]
    assert code == 2
    assert "did you mean 'moon_straight'?" in output


def test_runner_of_a_package_runs_trials(package_folder: Path) -> None:
    command = ["mobility", "packbot", "--test", "step", "--sizes", "40,300", "--runner"]
    names = ("threads", "moon_rocket:saturn", "moon_rocket:x", "moon_rockett")
    ran = run_commands(package_folder, [[*command, name] for name in names])
    outputs = [ran[*command, name] for name in names]
    assert outputs[0] == outputs[1]
    assert outputs[0][0] == 0, outputs[0][1]
    assert outputs[2][0] == outputs[3][0] == 2
    assert "runner 'moon_rocket:x': there is no rocket 'x', only saturn" in outputs[2][1]
    assert "did you mean 'moon_rocket'?" in outputs[3][1]


def test_package_adds_sensor_with_encoder_planner_and_gateway_to_a_served_world(
    package_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", python_path(package_folder))
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    world = tmp_path / "moon.yaml"
    world.write_text(
        "name: moon\nterrain: [{kind: flat}]\n"
        "robots: [{name: R1, kind: moon_rover, position: [1.25, 0],\n"
        "          sensors: [{kind: moon_thermometer, name: T1, mount: body, noon: 300}]}]\n"
    )
    options = (
        *CONTROL_ONLY,
        "--gateway",
        "moon_radio:port=0,digits=2",
        "--gateway",
        "truth:port=0",
    )
    with (
        ServerProcess(tmp_path, world, *options) as server,
        server.join("moon_rover", "R1") as robot,
    ):
        values = dict(instance_of(UnknownMessage, robot.reading("T1")).pairs)
        assert values["Type"] == "Thermo"
        assert float(values["Celsius"]) == pytest.approx(26.85 - float(values["Time"]), abs=1e-3)
        with socket.create_connection((server.host, server.ports["moon_radio"]), TIMEOUT) as radio:
            radio.sendall(b"R1\n")
            x, y, _ = radio.makefile("rb").readline().decode().split()
        assert (x, abs(float(y))) == ("1.25", 0.0)


def test_command_of_a_package_is_listed_and_runs(package_folder: Path) -> None:
    lines = [
        ["--help"],
        ["moon-phase", "--help"],
        ["moon-phase", "14.8", "--names"],
        ["moon-phase", "40"],
        ["moon-eclipse"],
        ["moon-phse"],
    ]
    ran = run_commands(package_folder, lines)
    (listed, own, done, wrong, broken, unknown) = (ran[tuple(words)] for words in lines)
    assert listed[0] == own[0] == 0
    assert "moon-phase Print the phase of the moon." in listed[1]
    assert "moon-eclipse" in listed[1]
    assert "--names" in own[1]
    assert done == (0, "full moon")
    assert wrong == (2, "grouser: DAY is 40, must be 0 to 29.53")
    assert broken[0] == 2
    assert "comes from grouser_moon.broken:eclipse, which cannot be used" in broken[1]
    assert unknown[0] == 2


def test_broken_gateway_of_a_package_is_reported_when_it_is_opened(package_folder: Path) -> None:
    serve = ["serve", "quince_step", "--gateway"]
    names = ("moon_silence", "moon_radoi", "moon_radio:digit=1")
    broken, unknown, option = run_commands(
        package_folder, [[*serve, name] for name in names]
    ).values()
    assert {broken[0], unknown[0], option[0]} == {2}
    assert "comes from grouser_moon.broken:Radio, which cannot be used (RuntimeError" in broken[1]
    assert "did you mean 'moon_radio'?" in unknown[1]
    assert "unknown key 'digit' in gateway 'moon_radio'" in option[1]
    assert "did you mean 'digits'?" in option[1]


def test_schema_has_the_kinds_of_a_package(package_folder: Path) -> None:
    ((code, text),) = run_commands(package_folder, [["schema", "world"]]).values()
    assert code == 0
    for kind in ("moon_thermometer", "moon_clock", "moon_crater", "moon_buggy", "moon_rover"):
        assert f'"const": "{kind}"' in text
    assert "moon_broken" not in text
