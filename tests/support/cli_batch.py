"""Types several commands in one process: ``python cli_batch.py``, lists of words as JSON on stdin.

Says a list of ``[exit code, output]`` as JSON. A process of its own has its own packages, and one
for all commands is cheaper than one each.
"""

import json
import sys

from typer.testing import CliRunner

from grouser.cli import app

said = [CliRunner().invoke(app, words) for words in json.load(sys.stdin)]
json.dump([(each.exit_code, each.output) for each in said], sys.stdout)
