"""``python -m grouser`` is the command line."""

from grouser.cli import app

app(prog_name="grouser")
