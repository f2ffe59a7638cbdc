"""Quick runs of experiments have tables of the documented shape."""

import json
from typing import Any

import pytest

from grouser.experiments import zaratti_fig8, zaratti_fig9, zaratti_players
from grouser.experiments.friction_margin import friction_margin
from grouser.experiments.okada import table1, table2, table4, window
from grouser.experiments.run_options import RunOptions
from grouser.reports.report import Report

MOST = "most at 30 fps"


def shape(report: Report, name: str) -> dict[str, Any]:
    """Return the JSON table of a report after a check of its keys."""
    table: dict[str, Any] = json.loads(json.dumps(report.table.to_json()))
    assert table["experiment"] == name
    assert {"experiment", "paper", "rows", "agree", "of", "figures", "without_value"} <= set(table)
    for row in table["rows"]:
        assert {"case", "paper", "ours", "agrees", "rule"} <= set(row)
    return table


@pytest.mark.parametrize(
    ("letters", "margin"),
    [
        ("SSSSS", "0.50-0.70"),
        ("FSSFS", "0.55-0.60"),
        ("SFSFS", "0.60-0.60"),
        ("FFFSS", "0.50-0.60"),
    ],
)
def test_a_margin_ends_at_the_first_other_result(letters: str, margin: str) -> None:
    assert friction_margin((0.5, 0.55, 0.6, 0.65, 0.7), letters, 0.6) == margin


def check_table4(table: dict[str, Any]) -> None:
    """Check the six rows of the table, and 120 mm with level rear sub-tracks, which fails.

    A rigid robot on level rear sub-tracks cannot lift its front by friction; the real one climbs.
    """
    judged = {(row["case"]["rear"], row["case"]["step"]): row["agrees"] for row in table["rows"]}
    assert table["agree"] == table["of"] - 1
    assert not judged.pop(("0 deg", "120 mm"))
    assert all(judged.values())
    figures = table["figures"]
    assert figures["lifting_friction_rear_raised"] < 1.05 * table4.FRICTION
    assert figures["lifting_friction_rear_level"] > 1.3 * table4.FRICTION


def test_okada_table4_agrees_with_the_real_robot_and_grousers_decide() -> None:
    """The two rows that the paper names fail on smooth belts."""
    table = shape(table4.run(RunOptions(quick=True)), "okada-table4")
    check_table4(table)
    assert table["figures"]["smooth_120mm_at_0deg"] == "F"
    assert table["figures"]["smooth_240mm_at_45deg"] == "F"


def test_okada_window_starts_above_level_rear_sub_tracks() -> None:
    table = shape(window.run(RunOptions(quick=True)), "okada-window")
    (row,) = table["rows"]
    assert row["ours"] == {"usual": "5", "window": "5 to 5", "all rows agree at": "5"}


def test_okada_table1_shows_fig2_and_fig3() -> None:
    table = shape(table1.run(RunOptions(quick=True)), "okada-table1")
    rows = {(row["case"]["fact"], row["case"]["method"]): row for row in table["rows"]}
    assert rows["rough terrain", "wheels"]["ours"] == "-"
    assert rows["rough terrain", "segments"]["ours"] == "+"
    assert rows["grousers", "segments"]["ours"] == "+"
    assert rows["grousers", "wheels"]["ours"] == "-"
    assert rows["grousers", "surface"]["ours"] == "-"
    assert rows["friction", "segments"]["ours"] == "+"
    assert rows["friction", "constraint"]["ours"] == "-"
    assert rows["deformation", "segments"]["ours"] == "-"
    wrong = {key for key, row in rows.items() if row["agrees"] is False}
    # A busy machine may be slower than real time with any method.
    assert {key for key in wrong if key[0] != "real time"} == set()
    climbs = {m for m in table1.METHODS if table["figures"].get(f"{m}_climbs_fig3_wall")}
    assert climbs == {"constraint"}


def test_okada_table2_every_method_keeps_its_speed() -> None:
    """The real-time factors are those of a busy machine, so no verdict is asserted."""
    table = shape(table2.run(RunOptions(quick=True)), "okada-table2")
    for row in table["rows"]:
        assert "OFF THE COMMANDED SPEED" not in row.get("note", "")
    judged = [row["case"]["method"] for row in table["rows"] if row["agrees"] is not None]
    printed = [method.name for method in table2.METHODS if method.paper is not None]
    assert judged == [*printed, "order"]
    shares = [value for name, value in table["figures"].items() if name.startswith("share_")]
    assert 0.5 < sum(shares) < 1.0


@pytest.mark.slow
def test_okada_table4_in_full_and_plates_do_not_climb_the_wall() -> None:
    table = shape(table4.run(RunOptions()), "okada-table4")
    check_table4(table)
    assert table["of"] == 9
    assert table["figures"]["starts_that_agree"] == 24
    wall = shape(table1.run(RunOptions()), "okada-table1")
    assert wall["figures"]["plates_climbs_fig3_wall"] is False


def test_zaratti_fig8_all_robots_walk() -> None:
    table = shape(zaratti_fig8.run(RunOptions(quick=True)), "zaratti-fig8")
    assert [row["case"]["walking AIBOs"] for row in table["rows"]] == [1, 5, 12, 32, MOST]
    assert (table["of"], table["without_value"]) == (2, 3)
    assert table["figures"]["falls"] == 0
    rates = [row["ours"] for row in table["rows"] if row["case"]["walking AIBOs"] != MOST]
    assert rates[0] > rates[-1], "32 robots take longer than one"
    assert table["figures"]["physics_hz"] == pytest.approx(500)


@pytest.mark.slow
def test_zaratti_players_act_in_every_match() -> None:
    table = shape(zaratti_players.run(RunOptions(quick=True)), "zaratti-players")
    assert [row["case"]["robots"] for row in table["rows"]] == [5, 5, 8]
    assert (table["of"], table["without_value"]) == (2, 1)
    assert all(row["ours"] > 0 for row in table["rows"])


def test_zaratti_fig9_three_robots_touch_and_contacts_take_time() -> None:
    table = shape(zaratti_fig9.run(RunOptions(quick=True)), "zaratti-fig9")
    figures = table["figures"]
    assert figures["frames_touching"] > 10
    assert figures["collision_detection_share"] < figures["collision_share"] < 1
    assert figures["contacts_of_robots"] >= 1
    assert figures["step_touching_over_apart"] > 0.5
    assert 0 < figures["collision_share_apart"] < 1
    assert figures["worst_frame_ms_3_colliding"] >= figures["frame_ms_touching"]
