"""Run several commands in one new process: ``python cli_batch.py``, word lists as JSON on stdin.

It prints a list of ``[exit code, output]`` as JSON. A new process has its own set of installed
packages; one process for all commands is cheaper than one each.
"""

import json
import sys

from typer.testing import CliRunner

from grouser.cli import app

results = [CliRunner().invoke(app, words) for words in json.load(sys.stdin)]
json.dump([(result.exit_code, result.output) for result in results], sys.stdout)
