"""Finished parts of a long experiment: computed once, read again, rejected with other settings."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from grouser.cli import app
from grouser.errors import BadValue
from grouser.experiments.roach.loop import EvaluatedPath, EvaluatedTerrain
from grouser.experiments.run_options import FinishedParts


def test_a_part_is_computed_once_and_read_again(tmp_path: Path) -> None:
    calls = []

    def compute() -> dict[str, Any]:
        calls.append(1)
        return {"arrived": 3, "spent": 0.1 + 0.2}

    first = FinishedParts(tmp_path / "new", "some", {"trials": 2}).part("terrain0", compute)
    again = FinishedParts(tmp_path / "new", "some", {"trials": 2}).part("terrain0", compute)
    assert (first, again, len(calls)) == (again, first, 1), "bit-identical, one call"
    FinishedParts(tmp_path / "new", "some", {"trials": 2}).part("terrain1", compute)
    assert len(calls) == 2
    assert [file.name for file in sorted((tmp_path / "new").iterdir())] == [
        "some-terrain0.json",
        "some-terrain1.json",
    ]


def test_without_a_folder_no_part_is_stored() -> None:
    assert FinishedParts(None, "some", {}).part("a", lambda: {"b": 1}) == {"b": 1}


def test_an_unfinished_part_is_not_stored(tmp_path: Path) -> None:
    def interrupted() -> dict[str, Any]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FinishedParts(tmp_path, "some", {}).part("a", interrupted)
    assert not list(tmp_path.iterdir())


def test_a_part_with_other_settings_is_rejected(tmp_path: Path) -> None:
    FinishedParts(tmp_path, "some", {"trials": 2}).part("a", dict)
    with pytest.raises(BadValue, match="computed with trials 2, this run has 5; use another"):
        FinishedParts(tmp_path, "some", {"trials": 5}).part("a", dict)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"part": 1}', json.dumps({"settings": {}})])
def test_an_invalid_file_is_rejected(tmp_path: Path, text: str) -> None:
    (tmp_path / "some-a.json").write_text(text)
    with pytest.raises(BadValue, match=r"some-a\.json: not a finished part"):
        FinishedParts(tmp_path, "some", {}).part("a", dict)


def test_a_path_that_never_arrives_counts_with_half_a_success() -> None:
    """Terrains on which one of the two paths always fails are included."""
    shared = {"of": 100, "found_in": 1, "source": "PRM", "expected": 2.0, "waypoints": [[0.0, 0.0]]}
    good = EvaluatedPath(**json.loads(json.dumps({**shared, "arrived": 80, "spent": 160.0})))
    bad = EvaluatedPath(**json.loads(json.dumps({**shared, "arrived": 0, "spent": 50.0})))
    assert (good.per_success, bad.per_success) == (2.0, 100.0)
    better = EvaluatedTerrain(0, {"loop": good, "single": bad})
    assert better.gain("single") == pytest.approx(3.912, abs=1e-3)
    worse = EvaluatedTerrain(0, {"loop": bad, "single": good})
    assert worse.gain("single") == pytest.approx(-3.912, abs=1e-3)


def test_an_experiment_with_one_part_cannot_be_resumed(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["experiment", "okada-table4", "--resume", str(tmp_path / "parts")]
    )
    assert result.exit_code != 0
    assert "okada-table4 has one part only" in str(result.exception) + result.output
    assert not (tmp_path / "parts").exists()
