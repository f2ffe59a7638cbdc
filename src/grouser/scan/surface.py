"""The surface that points were seen on, as triangles."""

from __future__ import annotations

from grouser.scan.cloud import PointCloud
from grouser.scan.triangle_mesh import TriangleMesh


def fused_surface(cloud: PointCloud, size: float) -> TriangleMesh:
    """Return the surface through a cloud's points, facing where they were seen from.

    Args:
        cloud: points of one or several registered frames, with their origins.
        size: edge of the cells, m: smaller things are smoothed away.
    """
    raise NotImplementedError
