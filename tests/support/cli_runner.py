"""The command line in this process: what tests of its commands share."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from grouser.cli import app


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run every test of a module that imports this in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def grouser(*arguments):
    """Run a command."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def refused(result):
    """Return the one sentence with which a command was refused."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("grouser: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("grouser: ").strip()
