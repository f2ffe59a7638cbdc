"""Point clouds in UTM coordinates give the same ground as near the origin."""

import numpy as np
import pytest

from grouser.scan.cloud import PointCloud
from grouser.scan.pipeline import ScanOptions, rebuild

UTM = np.array([448_000.0, 5_411_000.0, 300.0])  # m


def test_distant_cloud_is_shifted_to_its_centre() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 3, (2, 6000))
    points = np.column_stack([x, y, 0.1 * np.sin(2 * x) + 0.05 * np.cos(3 * y)])
    options = ScanOptions(voxel=0.1, gravity=np.array([0.0, 0.0, -1.0]))
    above = np.array([1.5, 1.5, 5.0])
    near = rebuild([PointCloud(points, origins=above)], options)
    far = rebuild([PointCloud(points + UTM, origins=above + UTM)], options)
    for made in (near, far):
        assert np.ptp(made.mesh.vertices, axis=0)[:2] == pytest.approx([3, 3], abs=0.2)
    assert len(far.mesh.triangles) == pytest.approx(len(near.mesh.triangles), rel=0.2)
    assert np.abs(far.mesh.vertices).max() < 100
    assert any("which is the origin of the world" in warning for warning in far.warnings)
    assert not any("counts from" in warning for warning in near.warnings)
