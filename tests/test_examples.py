"""Every example runs in an empty folder and prints output."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
LONG = (*("15_", "17_", "26_", "74_", "76_", "77_", "78_", "79_"), *("81_", "82_", "83_", "90_"))
"""Examples that take long, or show what faster tests check: policies, batches, lockstep, pictures,
paths over the network, teleoperation."""
PROMISED = {
    "00_": (r"the step is climbed",),
    "10_": (r"^segments +arrived", r"^surface +arrived", r"^wheels +stuck"),
    "77_": (r"it rolled away",),
    "81_": (
        r"^room of (7\.9|8\.[01]) x (5\.9|6\.[01]) m, (9\d|100) % seen",
        r"^home again, 0\.[0-2] m",
    ),
    "80_": (r"goal", r"red 1 : 0 blue"),
}
"""Begin of an example's name → patterns of the outcomes that it promises."""


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(path, marks=[pytest.mark.slow] if path.name.startswith(LONG) else [])
        for path in EXAMPLES
    ],
    ids=lambda path: path.stem,
)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", str(example)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()
    for promise in PROMISED.get(example.name[:3], ()):
        assert re.search(promise, run.stdout, re.MULTILINE), run.stdout
    if example.name.startswith("00_"):
        assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")
