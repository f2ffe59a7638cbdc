"""Routes through a world: a robot is placed at one point and driven straight to another."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from grouser.cli import app
from grouser.errors import BadValue
from grouser.mobility.routes import Route, drive_routes, routes_between_starts
from grouser.world.file import Start, World, load
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.step import Step

SMALL = {
    "mass": 3.0,
    "gauge": 0.14,
    "width": 0.04,
    "pulleys": [[-0.07, 0, 0.03], [0.07, 0, 0.03]],
    "grouser": {"shape": "trapezoid", "top": 0.002, "base": 0.006, "height": 0.005},
    "count": 24,
    "force": 20.0,
    "speed": 0.4,
}
"""Small crawler."""


def world(*starts: tuple[int, int, int]) -> World:
    terrain = (Flat(friction=0.6), Step(x=0.6, height=0.3, width=0.5, length=0.5, friction=0.6))
    places = tuple(Start(name=f"s{i}", position=place) for i, place in enumerate(starts))
    return World(name="a block", physics=STANDARD, terrain=terrain, starts=places)


def test_robot_drives_past_a_block_and_not_through_it() -> None:
    ways = (
        Route((0.0, 0.5), (1.4, 0.5)),
        Route((0.0, 0.0), (1.4, 0.0)),
        Route((0.8, 0.1), (0.3, 0.1)),
    )
    past, into, off = drive_routes("crawler", SMALL, world(), ways)
    assert past.passed
    assert past.rest < 0.1
    assert not into.passed
    assert into.outcome.verdict in ("stuck", "tipped")
    assert off.outcome.verdict == "fell"  # it was placed on the block, 0.3 m high
    assert off.outcome.positions[0, 2] > 0.3


def test_default_routes_connect_the_start_places() -> None:
    ways = routes_between_starts(world((0, 0, 0), (1, 0, 0), (1, 1, 0)))
    assert [way.length for way in ways] == pytest.approx([1.0, 1.0, np.sqrt(2)])
    assert len(routes_between_starts(world((0, 0, 0), (1, 0, 0)))) == 1
    with pytest.raises(BadValue, match="at least 2 are needed"):
        routes_between_starts(world((0, 0, 0)))


def test_command_drives_routes_and_writes_json(tmp_path: Path) -> None:
    out = tmp_path / "ways.json"
    words = ["mobility", "packbot", "--world", "quince_step", "--way=0,0,0.5,0", "--json", str(out)]
    run = CliRunner().invoke(app, words)
    assert run.exit_code == 0, run.output
    assert "passed" in run.output
    written = json.loads(out.read_text())
    assert written["world"] == load("quince_step").name
    assert written["ways"][0]["passed"] is True


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--way", "0,0,1,0"], "--way needs --world"),
        (["--world", "quince_step", "--sheet"], "--world allows only --way"),
        (["--world", "quince_step"], "start places"),
        (["--world", "quince_step", "--way", "0,0,1"], "4 numbers with commas"),
        (["--world", "quince_step", "--way", "0,0,0,0"], "must be at least 0.15 m"),
        (["--world", "quince_stepp"], "quince_step"),
    ],
)
def test_invalid_routes_are_reported_in_one_sentence(words: list[str], sentence: str) -> None:
    run = CliRunner().invoke(app, ["mobility", "packbot", *words])
    assert run.exit_code == 2
    assert sentence in run.output
    assert len(run.output.strip().splitlines()) == 1
