"""PLY point clouds: the vertices of a PLY file become points."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grouser.scan.cloud import Colours, PointCloud, check_count
from grouser.world.meshes.ply_file import Column, PlyFile


def read_ply(content: bytes) -> PointCloud:
    """Return the vertices in a PLY file's bytes as a cloud.

    Raises:
        BadValue: the fault, as a clause to follow a file's name.
    """
    file = PlyFile(content)
    check_count(file.count("vertex"))
    fields = file.vertices()
    points = np.stack([fields[name].astype(float) for name in "xyz"], axis=1)
    return PointCloud(points, None, _colours(fields), None)


def _colours(fields: Mapping[str, Column]) -> Colours | None:
    for names in (("red", "green", "blue"), ("r", "g", "b")):
        if set(names) <= set(fields):
            columns = [fields[name] for name in names]
            if all(column.dtype.itemsize == 1 for column in columns):
                return np.stack(columns, axis=1).astype(np.uint8)
    return None
