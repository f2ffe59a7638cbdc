"""Shipped log: agreement with its page, and its use by compare and calibrate."""

from pathlib import Path

import numpy as np
import pytest
from support.cli_runner import error_line, grouser

from grouser.calibration.calibration import synthetic_log
from grouser.evaluation.trajectory import read_trajectory, shipped_logs
from grouser.world.file import load

pytestmark = pytest.mark.usefixtures("working_folder")

NAME = "kenaf_edge_and_slope"
TRUTH = {"pitch_inertia": 1.4, "friction": 0.9}


def test_shipped_log_agrees_with_its_page() -> None:
    shipped = read_trajectory(shipped_logs()[NAME])
    made = synthetic_log(load(NAME), "kenaf", TRUTH, 2.6, seed=1)
    assert len(shipped) == len(made)
    before = shipped.times < 5.9  # until it tips; afterwards rounding differs between processors
    for column in ("times", "x", "z", "pitch"):
        ours, theirs = getattr(made, column), getattr(shipped, column)
        assert np.abs(ours - theirs)[before].max() < 1e-3


def test_compare_accepts_a_shipped_log_by_name_and_labels_it_simulated(tmp_path: Path) -> None:
    assert grouser("run", NAME, "--seconds", "2.6", "--log", "run.csv").exit_code == 0
    result = grouser("compare", NAME, "run.csv", "--report", "page", "--align-starts")
    assert result.exit_code == 0, result.output
    assert f"{NAME}  38 samples" in result.stdout
    page = (tmp_path / "page" / "index.html").read_text()
    assert f"grouser compare {NAME} run.csv --report page --align-starts" in page
    assert " real" not in page.partition("</style>")[2].replace(" real time", "")


def test_logs_are_listed_and_misspelt_names_rejected() -> None:
    assert NAME in grouser("list", "logs").stdout
    assert "there is no such file" in error_line(grouser("compare", "kenaf.csv", "run.csv"))


@pytest.mark.slow
def test_calibration_recovers_the_parameters_of_the_shipped_log(tmp_path: Path) -> None:
    result = grouser("calibrate", NAME, "--world", NAME, "--free", ",".join(TRUTH))
    assert result.exit_code == 0, result.output
    assert result.stdout.count("determined ±") == 2
