"""Drive check: `grouser check robot` drives, turns and parks a robot."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from support.cli_runner import grouser

from grouser.frames import Array
from grouser.mobility.drive_check import SAMPLE, DriveTrace, check_driving

CART = """name: cart
mass: 12
hull: [{at: [0, 0, 0.05], size: [0.5, 0.3, 0.1]}]
wheels:
  - {name: front, at: [0.15, 0.2, -0.03], radius: 0.1, width: 0.04, mass: 1, torque: TORQUE}
  - {name: rear, at: [-0.15, 0.2, -0.03], radius: 0.1, width: 0.04, mass: 1, torque: TORQUE}
"""


def check_cart(folder: Path, torque: float) -> tuple[int, str, dict[str, dict[str, object]]]:
    """Return exit code, output and checks by title of a cart."""
    (folder / "cart.yaml").write_text(CART.replace("TORQUE", str(torque)))
    command = ["check", "robot", str(folder / "cart.yaml"), "--json", str(folder / "cart.json")]
    result = grouser(*command)
    found = json.loads((folder / "cart.json").read_text())
    assert found["ok"] == (result.exit_code == 0)
    return result.exit_code, result.output, {one["check"]: one for one in found["checks"]}


def test_cart_drives_turns_and_parks(tmp_path: Path) -> None:
    code, output, checks = check_cart(tmp_path, 6.0)
    assert code == 0, output
    driven = checks["drives 1 m and turns once each way"]["values"]
    assert isinstance(driven, dict)
    assert driven["way_m"] == pytest.approx(1.0, abs=0.01)
    assert driven["left_deg"] == pytest.approx(360, abs=3)
    assert driven["right_deg"] == pytest.approx(-360, abs=3)
    work = checks["drives do work"]["values"]
    assert isinstance(work, dict)
    # Both sides slide sideways in a turn: much more work than on the straight.
    assert work["left_turn_j"] > 5 * work["straight_j"] > 0
    assert all(one["ok"] and not one["hint"] for one in checks.values())


def test_weak_cart_is_reported_with_hints(tmp_path: Path) -> None:
    """Its drives move it on the level, but neither turn it nor hold it on a slope."""
    code, output, checks = check_cart(tmp_path, 0.05)
    assert code == 1
    for title in ("drives 1 m and turns once each way", "parks on 10°"):
        assert not checks[title]["ok"]
        assert "force" in str(checks[title]["hint"])
        assert str(checks[title]["hint"])[:30] in " ".join(output.split())
    assert checks["keeps its course"]["ok"]


def trace(velocities: Array, *, turn_rates: Array | None = None, work: float = 1.0) -> DriveTrace:
    """Return the samples of 2 s with these velocities."""
    times: Array = SAMPLE * np.arange(len(velocities), dtype=float)
    rates: Array = np.zeros(len(times)) if turn_rates is None else turn_rates
    return DriveTrace(
        times,
        np.cumsum(velocities, axis=0) * SAMPLE,
        np.cumsum(rates) * SAMPLE,
        velocities,
        rates,
        np.linspace(0.0, work, len(times)),
    )


def test_chatter_and_vibration_are_the_fast_parts_of_velocities() -> None:
    times = SAMPLE * np.arange(400)
    shake = 0.02 * np.sin(2 * math.pi * 40 * times)
    ramp = 0.1 + 0.1 * times
    still = np.zeros(400)
    steady = trace(np.stack([ramp, still, still], axis=1))
    assert steady.chatter(0.3) == pytest.approx(0.0, abs=1e-9)
    assert steady.vibration() == 0.0
    shaken = trace(np.stack([ramp + shake, still, shake], axis=1))
    assert shaken.chatter(0.3) == pytest.approx(0.02 / math.sqrt(2), rel=0.1)
    assert shaken.vibration() == pytest.approx(0.02 / math.sqrt(2), rel=0.05)
    # The same speed of the foremost point by turning.
    turning = trace(np.zeros((400, 3)), turn_rates=shake / 0.3)
    assert turning.chatter(0.3) == pytest.approx(0.02 / math.sqrt(2), rel=0.1)


def test_negative_work_on_level_ground_is_a_gain_of_energy() -> None:
    metre = np.tile([0.5, 0.0, 0.0], (400, 1))
    assert not trace(metre, work=2.0).gains_energy(100.0, 0.3)
    assert not trace(metre, work=-0.05).gains_energy(100.0, 0.3)
    assert trace(metre, work=-2.0).gains_energy(100.0, 0.3)


def test_robot_without_locomotion_is_not_driven() -> None:
    assert check_driving("conveyor", {}) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["packbot", "kenaf", "velociroach", "qrio"])
def test_shipped_robots_pass(kind: str) -> None:
    points = check_driving(kind, {})
    assert len(points) == 7
    assert [point.title for point in points if not point.kept] == []


@pytest.mark.slow
def test_lugged_wheels_rise_and_fall() -> None:
    points = check_driving("lugged_rover", {})
    (vibration,) = [point for point in points if point.title == "moves up and down"]
    assert not vibration.kept
    assert "grousers" in vibration.hint
