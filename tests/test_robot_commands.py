"""Commands `grouser new robot`, `show robot` and `check robot`."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from grouser.cli import app

STUDENT = Path(__file__).parent.parent / "examples" / "robots" / "student"


@pytest.fixture
def run_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *words: CliRunner().invoke(app, words)


def test_new_robot_is_shown_checked_and_never_overwritten(
    run_command: Callable[..., Any], tmp_path: Path
) -> None:
    assert run_command("new", "robot", "mine").exit_code == 0
    shown = run_command("show", "robot", "mine.yaml", "--set", "tracks.0.force=150")
    assert "mass            20 kg" in shown.output
    assert "150 N" in shown.output
    assert "flippers.rear.inertia" in shown.output  # a default
    assert "tracks.0.force" not in shown.output
    assert run_command("check", "robot", "mine.yaml", "--no-drive").exit_code == 0
    before = (tmp_path / "mine.yaml").read_text()
    assert run_command("new", "robot", "mine").exit_code == 2
    assert (tmp_path / "mine.yaml").read_text() == before


def test_every_fault_of_a_urdf_is_reported(run_command: Callable[..., Any], tmp_path: Path) -> None:
    shutil.copytree(STUDENT, tmp_path / "student")
    urdf = tmp_path / "student" / "chassis.urdf"
    text = urdf.read_text()
    urdf.write_text(text.replace('"12.0"', '"-12.0"').replace("meshes/hull", "meshes/hul"))
    result = run_command("check", "robot", "student/rover.yaml")
    assert result.exit_code == 1
    assert "has the mass -12 kg" in result.output
    assert "did you mean 'hull.stl'" in " ".join(result.output.split())


def test_world_file_is_rejected_as_robot_file(run_command: Callable[..., Any]) -> None:
    result = run_command("show", "quince_step", "quince")
    assert result.exit_code == 2
    assert "show robot NAME" in result.output
