"""Run commands of the command line in the process of the test."""

from typer.testing import CliRunner, Result

from grouser.cli import app


def grouser(*arguments: object) -> Result:
    """Run a command."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def error_line(result: Result) -> str:
    """Return the one sentence with which a command was rejected."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("grouser: ")
    assert result.stderr.count("\n") == 1
    return str(result.stderr).removeprefix("grouser: ").strip()
