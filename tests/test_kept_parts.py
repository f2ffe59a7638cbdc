"""Parts of a long experiment that are kept: made once, read again, never mixed with others."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grouser.cli import app
from grouser.errors import BadValue
from grouser.experiments.roach.kept_parts import KeptParts
from grouser.experiments.roach.loop import JudgedChoice, JudgedTerrain


def test_a_part_is_made_once_and_read_again(tmp_path: Path) -> None:
    made = []

    def make():
        made.append(1)
        return {"arrived": 3, "spent": 0.1 + 0.2}

    first = KeptParts(tmp_path / "new", "some", {"trials": 2}).part("terrain0", make)
    again = KeptParts(tmp_path / "new", "some", {"trials": 2}).part("terrain0", make)
    assert (first, again, len(made)) == (again, first, 1), "every digit, and made once"
    KeptParts(tmp_path / "new", "some", {"trials": 2}).part("terrain1", make)
    assert len(made) == 2
    assert [file.name for file in sorted((tmp_path / "new").iterdir())] == [
        "some-terrain0.json",
        "some-terrain1.json",
    ]


def test_without_a_folder_nothing_is_kept() -> None:
    assert KeptParts(None, "some", {}).part("a", lambda: {"b": 1}) == {"b": 1}


def test_a_part_that_was_not_finished_is_not_there(tmp_path: Path) -> None:
    def stopped() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        KeptParts(tmp_path, "some", {}).part("a", stopped)
    assert not list(tmp_path.iterdir())


def test_a_part_of_other_settings_is_refused(tmp_path: Path) -> None:
    KeptParts(tmp_path, "some", {"trials": 2}).part("a", dict)
    with pytest.raises(BadValue, match="was made with trials 2, this run has 5; give another"):
        KeptParts(tmp_path, "some", {"trials": 5}).part("a", dict)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"part": 1}', json.dumps({"settings": {}})])
def test_a_file_that_is_no_part_is_refused(tmp_path: Path, text) -> None:
    (tmp_path / "some-a.json").write_text(text)
    with pytest.raises(BadValue, match=r"some-a\.json: is not a kept part"):
        KeptParts(tmp_path, "some", {}).part("a", dict)


def test_a_choice_that_never_arrives_loses_and_is_counted() -> None:
    """A terrain on which one of the two choices always fails is no reason to leave it out."""
    told = {"of": 100, "found_in": 1, "source": "PRM", "expected": 2.0, "waypoints": [[0.0, 0.0]]}
    good = JudgedChoice(**json.loads(json.dumps({**told, "arrived": 80, "spent": 160.0})))
    bad = JudgedChoice(**json.loads(json.dumps({**told, "arrived": 0, "spent": 50.0})))
    assert (good.per_success, bad.per_success) == (2.0, 100.0)
    better = JudgedTerrain(0, {"loop": good, "single": bad})
    assert better.gain("single") == pytest.approx(3.912, abs=1e-3)
    worse = JudgedTerrain(0, {"loop": bad, "single": good})
    assert worse.gain("single") == pytest.approx(-3.912, abs=1e-3)


def test_an_experiment_in_one_part_says_so(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["experiment", "okada-table4", "--resume", str(tmp_path / "parts")]
    )
    assert result.exit_code != 0
    assert "okada-table4 is in one part" in str(result.exception) + result.output
    assert not (tmp_path / "parts").exists()
