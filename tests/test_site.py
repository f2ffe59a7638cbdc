"""Documentation site: build without warnings, complete reference."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.source_tree import ROOT

from grouser.robots.kinds import ROBOTS
from grouser.sensors.sensor import SENSORS
from grouser.world.terrain.kinds import TERRAINS

sys.path.insert(0, str(ROOT / "tools"))
from reference_pages import pages  # type: ignore[import-not-found]


@pytest.fixture(scope="module")
def reference() -> dict[str, str]:
    found: dict[str, str] = pages()
    return found


def test_reference_lists_every_kind(reference: dict[str, str]) -> None:
    for page, kinds in (("terrains", TERRAINS), ("robots", ROBOTS), ("sensors", SENSORS)):
        headings = re.findall(r"^## (\w+)$", reference[f"{page}.md"], re.MULTILINE)
        assert headings == list(kinds)


def test_every_key_of_the_reference_has_a_description(reference: dict[str, str]) -> None:
    for name, text in reference.items():
        rows = [line for line in text.splitlines() if line.startswith("| `")]
        assert rows or "\n::: grouser." in text, name  # the Python API is in mkdocstrings' form
        for row in rows:
            assert not row.endswith("|  |"), f"{name}: {row}"


@pytest.mark.slow
def test_site_builds_without_warnings(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="make docs installs it")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr[-3000:]
    assert "WARNING" not in built.stderr
    assert (tmp_path / "reference" / "terrains" / "index.html").is_file()
