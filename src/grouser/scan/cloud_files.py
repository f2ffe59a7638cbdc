"""Files of point clouds, by their ending: PCD, PLY, XYZ, NPZ, and depth pictures."""

from __future__ import annotations

from pathlib import Path

from grouser.scan.cloud import PointCloud
from grouser.scan.intrinsics import Intrinsics


def read_cloud(path: Path | str, intrinsics: Intrinsics | None = None) -> PointCloud:
    """Return the cloud of a file, in metres, in the axes of the file.

    Args:
        path: ``.pcd``, ``.ply``, ``.xyz`` (``.txt``), ``.npz`` or a depth picture (``.png``).
        intrinsics: of the camera that made a depth picture; needed for those alone.

    Raises:
        BadValue: it cannot be read, is broken, or has no points.
    """
    raise NotImplementedError
