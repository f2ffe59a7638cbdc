"""Points thinned to one per voxel: the centroid of what is in it (roach report, sec. 3.1)."""

from __future__ import annotations

from grouser.frames import Array


def voxel_centroids(points: Array, size: float) -> Array:
    """Return the mean of the points in each voxel, (k, 3), m, in the voxels' order.

    Args:
        points: (n, 3), m; those that are not finite are left out.
        size: edge of a voxel, m; voxels begin at whole multiples of it.
    """
    raise NotImplementedError
