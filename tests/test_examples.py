"""Every example runs in an empty folder and prints output."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
LONG = "26_", "82_"
"""Examples that start a second process, or drive on rubble, which takes minutes."""


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
    if example.name.startswith("00_"):
        assert "the step is climbed" in run.stdout
        assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")
    if example.name.startswith("77_"):
        assert "it rolled away" in run.stdout
