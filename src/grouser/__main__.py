"""Command line entry point for ``python -m grouser``."""

from grouser.cli import app

app(prog_name="grouser")
