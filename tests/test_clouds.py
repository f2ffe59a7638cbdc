"""Planes, and the Kinect 2 in front of a wall (roach, Table 3.1)."""

import numpy as np
import pytest

from grouser.errors import BadValue
from grouser.evaluation.fits import fit_plane
from grouser.experiments import roach_table31
from grouser.experiments.run_options import RunOptions
from grouser.frames import Array


def plane_points(count: int, rng: np.random.Generator, noise: float = 0.0) -> Array:
    """Return points near the plane through (0, 0, 1) with normal (1, 2, 2) / 3."""
    across = np.array([1.0, 2.0, 2.0]) / 3
    first = np.array([0.0, 1.0, -1.0]) / np.sqrt(2)
    spread = rng.uniform(-1, 1, (count, 2))
    points = np.outer(spread[:, 0], first) + np.outer(spread[:, 1], np.cross(across, first))
    result: Array = points + np.array([0, 0, 1]) + np.outer(rng.normal(0, noise, count), across)
    return result


def test_plane_fit_rejects_outliers_and_reports_its_error() -> None:
    rng = np.random.default_rng(0)
    points = plane_points(4000, rng, noise=0.005)
    fit = fit_plane(points)
    assert np.abs(fit.normal @ np.array([1, 2, 2]) / 3) == pytest.approx(1.0, abs=1e-5)
    assert fit.error == pytest.approx(0.005, rel=0.03)
    assert fit.kept == 4000
    wild = np.concatenate([points, plane_points(40, rng) + np.array([0.0, 0.0, 0.5])])
    again = fit_plane(wild)
    assert again.kept == 4000
    assert again.error == pytest.approx(fit.error, rel=1e-6)
    with pytest.raises(BadValue, match="3 points are left"):
        fit_plane(points[:3])


def test_roach_table31_plane_fit_error_of_kinect_2_at_6_m() -> None:
    """4.8 mm ± 0.5 on the unfiltered cloud; larger voxels smooth it, as in the report."""
    table = roach_table31.run(RunOptions(quick=True)).table.to_json()
    assert table["experiment"] == "roach-table31"
    printed = [row for row in table["rows"] if row["paper"]]  # the other rows are real table tops
    errors, points, removed = (
        [row for row in printed if row["case"]["what"] == what]
        for what in ("error_mm", "points", "removed")
    )
    assert [row["paper"] for row in errors] == [4.833, 4.808, 4.916, 4.315, 3.644, 3.327]
    ours = [row["ours"] for row in errors]
    assert ours[0] == pytest.approx(4.8, abs=0.5)
    assert points[0]["ours"] == pytest.approx(28359, rel=0.05)
    assert ours[5] < ours[3] < ours[0]
    # There are few large voxels: their rows need more placements than a quick run has.
    assert all(row["agrees"] for row in errors[:4] + points[:3])
    # The wall is bare: nothing on it is removed, see the notes of the table.
    assert not any(row["agrees"] for row in removed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_roach_table31_in_full_for_every_seed(seed: int) -> None:
    table = roach_table31.run(RunOptions(seed=seed)).table
    assert sum(bool(row.agrees) for row in table.rows if row.case["what"] == "error_mm") >= 5
    assert table.rows[0].ours == pytest.approx(4.8, abs=0.5)
