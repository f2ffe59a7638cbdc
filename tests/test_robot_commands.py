"""`grouser new robot`, `show robot`, `check robot`, as they are typed."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grouser.cli import app

STUDENT = Path(__file__).parent.parent / "examples" / "robots" / "student"


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *words: CliRunner().invoke(app, words)


def test_a_new_robot_is_shown_checked_and_never_overwritten(typed, tmp_path: Path) -> None:
    assert typed("new", "robot", "mine").exit_code == 0
    shown = typed("show", "robot", "mine.yaml", "--set", "tracks.0.force=150")
    assert "mass            20 kg" in shown.output
    assert "150 N" in shown.output
    assert "tracks.0.inertia" in shown.output  # nobody chose it
    assert "tracks.0.force" not in shown.output
    assert typed("check", "robot", "mine.yaml").exit_code == 0
    before = (tmp_path / "mine.yaml").read_text()
    assert typed("new", "robot", "mine").exit_code == 2
    assert (tmp_path / "mine.yaml").read_text() == before


def test_every_fault_of_a_urdf_is_said(typed, tmp_path: Path) -> None:
    shutil.copytree(STUDENT, tmp_path / "student")
    urdf = tmp_path / "student" / "chassis.urdf"
    text = urdf.read_text()
    urdf.write_text(text.replace('"12.0"', '"-12.0"').replace("meshes/hull", "meshes/hul"))
    result = typed("check", "robot", "student/rover.yaml")
    assert result.exit_code == 1
    assert "has the mass -12 kg" in result.output
    assert "did you mean 'hull.stl'" in " ".join(result.output.split())


def test_a_world_is_not_a_robot(typed) -> None:
    result = typed("show", "quince_step", "quince")
    assert result.exit_code == 2
    assert "show robot NAME" in result.output
