"""Points that hang in the air: pixels half on one thing and half on another, stray echoes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from grouser.scan.cloud import PointCloud


def find_outliers(cloud: PointCloud, size: float) -> npt.NDArray[np.bool_]:
    """Return which points of a cloud to leave out, (n,); those not there are not among them.

    Args:
        cloud: organised or not.
        size: edge of the voxels that the cloud will become, m: what is alone at this scale goes.
    """
    raise NotImplementedError
