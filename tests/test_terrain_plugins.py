"""Terrain kinds of other packages, with a package on the path of a subprocess."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MOON = '''
"""Ground of the moon."""
from typing import Literal

from grouser.world import PlacedTerrain


class Crater(PlacedTerrain):
    """A crater with a rim of four walls."""

    kind: Literal["crater"] = "crater"
    depth: float = 0.1

    def add(self, spec, contact, name):
        for i, y in enumerate((-0.5, 0.5)):
            self._block(
                spec, f"{name}/wall_{i}", (0, 1), (y - 0.1, y + 0.1), (-0.5, self.depth),
                **self.geom(contact, (0.5, 0.5, 0.5)),
            )


class Nameless(PlacedTerrain):
    """Terrain without the name of its kind."""


class NoGround:
    """Is no ground at all."""
'''

SOLVER = """
physics: {timestep: 0.001, integrator: implicitfast, cone: elliptic, solver: newton,
  iterations: 50, tolerance: 1e-10, impratio: 20000}
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
    """Return a function that runs Grouser with a package of the given entry points."""

    def run(entries: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "moon.py").write_text(MOON)
        (tmp_path / "broken.py").write_text("raise RuntimeError('no moon today')\n")
        info = tmp_path / "moon-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: moon\nVersion: 1.0\n")
        lines = "".join(f"{name} = {place}\n" for name, place in entries.items())
        (info / "entry_points.txt").write_text(f"[grouser.terrains]\n{lines}")
        return subprocess.run(
            [sys.executable, "-m", "grouser", *words],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(tmp_path), "COLUMNS": "200"},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def world(tmp_path: Path, terrain: str) -> str:
    path = tmp_path / "world.yaml"
    path.write_text(f"name: moon\n{SOLVER}\nterrain:\n  - {terrain}\n")
    return str(path)


def test_package_adds_a_terrain_kind(run: Callable[..., Any], tmp_path: Path) -> None:
    entries = {"crater": "moon:Crater"}
    listed = run(entries, "list", "terrains")
    assert "A crater with a rim of four walls." in listed.stdout, listed.stderr
    path = world(tmp_path, "{kind: crater, x: 0, depth: 0.2, friction: 0.5}")
    assert run(entries, "run", path, "--seconds", "0.01").returncode == 0
    path = world(tmp_path, "{kind: crater, x: 0, dpeth: 0.2, friction: 0.5}")
    error = run(entries, "run", path, "--seconds", "0.01")
    assert error.returncode == 2
    assert "line 7" in error.stderr
    assert "did you mean 'depth'?" in error.stderr


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("broken:Crater", "RuntimeError: no moon today"),
        ("absent:Crater", "No module named 'absent'"),
        ("moon:NoGround", "it is no TerrainPiece"),
        ("moon:Nameless", 'it needs the field kind: Literal["crater"]'),
    ],
)
def test_broken_package_is_reported_only_where_its_kind_is_used(
    run: Callable[..., Any], tmp_path: Path, place: str, reason: str
) -> None:
    entries = {"crater": place}
    error = run(entries, "run", world(tmp_path, "{kind: crater, x: 0, friction: 0.5}"))
    assert error.returncode == 2
    assert error.stderr.count("\n") == 1
    assert f"comes from {place}, which cannot be used" in error.stderr
    assert reason in error.stderr
    path = world(tmp_path, "{kind: flat, friction: 0.5}")
    assert run(entries, "run", path, "--seconds", "0.01").returncode == 0


def test_package_cannot_replace_a_shipped_kind(run: Callable[..., Any], tmp_path: Path) -> None:
    listed = run({"step": "moon:Crater"}, "list", "terrains")
    assert "moon:Crater: terrain 'step' is ignored, the name is already in use" in listed.stderr
    assert "A block with a vertical riser" in listed.stdout
