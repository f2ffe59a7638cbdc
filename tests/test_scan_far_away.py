"""Clouds that count from the equator, as surveyors' do, become the ground they would be at home."""

import numpy as np
import pytest

from grouser.scan.cloud import PointCloud
from grouser.scan.pipeline import ScanOptions, rebuild

UTM = np.array([448_000.0, 5_411_000.0, 300.0])  # m


def test_a_cloud_far_away_is_counted_from_its_middle() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 3, (2, 6000))
    points = np.column_stack([x, y, 0.1 * np.sin(2 * x) + 0.05 * np.cos(3 * y)])
    options = ScanOptions(voxel=0.1, gravity=np.array([0.0, 0.0, -1.0]))
    above = np.array([1.5, 1.5, 5.0])
    home = rebuild([PointCloud(points, origins=above)], options)
    away = rebuild([PointCloud(points + UTM, origins=above + UTM)], options)
    for made in (home, away):
        assert np.ptp(made.mesh.vertices, axis=0)[:2] == pytest.approx([3, 3], abs=0.2)
    assert len(away.mesh.triangles) == pytest.approx(len(home.mesh.triangles), rel=0.2)
    assert np.abs(away.mesh.vertices).max() < 100
    assert any("the world counts from there" in said for said in away.warnings)
    assert not any("counts from" in said for said in home.warnings)
