"""A package from outside brings a robot, a sensor and ground: in processes of their own."""

import os
import subprocess
import sys

import pytest

MOON = '''
"""Robots of the moon."""
from dataclasses import dataclass
from pathlib import Path

from grouser.robots import load_robot

FILE = Path(__file__).parent / "cart.yaml"


@dataclass(frozen=True, kw_only=True)
class Buggy:
    """A buggy with four wheels."""

    mass: float = 12.0

    def build(self):
        return load_robot(FILE, {"mass": self.mass}).build()


class Nothing:
    pass
'''

CART = """
name: MoonCart
mass: 12
hull: [{size: [0.4, 0.3, 0.1]}]
wheels:
  - {name: front, at: [0.15, 0.2, -0.03], radius: 0.1, width: 0.04, mass: 0.8, torque: 6}
  - {name: rear, at: [-0.15, 0.2, -0.03], radius: 0.1, width: 0.04, mass: 0.8, torque: 6}
"""

ENTRIES = """
[grouser.robots]
moon_buggy = moon:Buggy
moon_cart = moon:FILE
moon_nothing = moon:Nothing
moon_broken = broken:Rover
quince = moon:Buggy
[grouser.sensors]
moon_clock = grouser.sensors.truth:Truth
[grouser.tracks]
moon_belt = grouser.tracks.segments:build
"""


@pytest.fixture
def run(tmp_path):
    """Return a function that runs Grouser, with the package beside it unless told otherwise."""

    def run(*words, package=True):
        (tmp_path / "moon.py").write_text(MOON)
        (tmp_path / "cart.yaml").write_text(CART)
        (tmp_path / "broken.py").write_text("raise RuntimeError('no moon today')\n")
        info = tmp_path / "moon-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: moon\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(ENTRIES if package else "")
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "grouser", *words],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(tmp_path), "COLUMNS": "200"},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("robots", ("moon_buggy", "moon_cart")),
        ("sensors", ("moon_clock",)),
        ("tracks", ("moon_belt",)),
    ],
)
def test_they_are_listed(run, kind, names):
    listed = run("list", kind, "--plain").stdout.split()
    assert set(names) <= set(listed)
    assert len(listed) == len(set(listed))
    without = run("list", kind, "--plain", package=False).stdout.split()
    assert without == [name for name in listed if "moon" not in name]


@pytest.mark.parametrize("kind", ["moon_buggy", "moon_cart"])
def test_they_keep_the_contract(run, kind):
    result = run("check", "robot", kind)
    assert result.returncode == 0, result.stderr + result.stdout
    assert "stands still" in result.stdout


def test_mobility_takes_them(run):
    result = run("mobility", "moon_buggy", "--test", "step", "--sizes", "30", "--set", "mass=10")
    assert "30 mm passed" in result.stdout, result.stderr


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("moon_broken", "comes from broken:Rover, which cannot be used (RuntimeError: no moon"),
        ("moon_nothing", "which cannot be used (TypeError: it is neither a dataclass"),
        ("moon_bugy", "did you mean 'moon_buggy'?"),
    ],
)
def test_what_cannot_be_used_says_why(run, kind, sentence):
    result = run("check", "robot", kind)
    assert result.returncode == 2
    assert sentence in " ".join(result.stderr.split())
