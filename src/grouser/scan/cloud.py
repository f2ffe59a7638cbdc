"""Point cloud of a depth camera or a lidar, with viewpoints, and limits of its size and extent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array, Pose, rotate

Colours = npt.NDArray[np.uint8]
"""Red, green, blue of every point, (n, 3)."""


@dataclass(frozen=True)
class PointCloud:
    """Points in one frame; ``nan`` where a pixel has no measurement.

    Clouds of cameras are in camera axes (x right, y down, z forward) until transformed.
    """

    points: Array
    """(n, 3), m."""
    shape: tuple[int, int] | None = None
    """Rows and columns of an organised cloud, row by row; None: unorganised."""
    colours: Colours | None = None
    """(n, 3); None: unknown."""
    origins: Array | None = None
    """Viewpoint of each point, (n, 3), or of all points, (3,), m; None: unknown."""

    def __post_init__(self) -> None:
        given = self.points.shape
        if len(given) != 2 or given[1] != 3:
            raise BadValue(f"point cloud: points are an array of shape {given}, not (n, 3)")
        if self.shape is not None and self.shape[0] * self.shape[1] != len(self.points):
            rows, columns = self.shape
            raise BadValue(
                f"point cloud: {rows} rows of {columns} columns are not {len(self.points)} points"
            )
        for name, array in (("colours", self.colours), ("origins", self.origins)):
            if array is not None and array.shape not in (given, (3,)):
                raise BadValue(f"point cloud: {name} are {array.shape}, points {given}")

    def __len__(self) -> int:
        return len(self.points)

    @property
    def seen(self) -> npt.NDArray[np.bool_]:
        """Mask of valid points, (n,): all three coordinates finite."""
        x, y, z = self.points.T
        return np.asarray(np.isfinite(x + y + z))

    @property
    def views(self) -> Array:
        """Viewpoint of each point, (n, 3), m; the frame's origin if unknown."""
        return np.broadcast_to(
            np.zeros(3) if self.origins is None else self.origins, (len(self), 3)
        )

    def select(self, which: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> PointCloud:
        """Return some of the points, by mask or index, as an unorganised cloud."""
        per_point = self.origins is not None and self.origins.ndim == 2
        return PointCloud(
            self.points[which],
            None,
            None if self.colours is None else self.colours[which],
            self.origins[which] if per_point and self.origins is not None else self.origins,
        )

    def drop(self, which: npt.NDArray[np.bool_]) -> PointCloud:
        """Return the cloud without some points (mask); an organised cloud stays organised."""
        if self.shape is None:
            return self.select(~which)
        return replace(self, points=np.where(which[:, None], np.nan, self.points))

    def finite(self) -> PointCloud:
        """Return the valid points as an unorganised cloud."""
        return self.select(self.seen)

    def relative_to(self, place: Array) -> PointCloud:
        """Return the cloud with its frame's origin moved to ``place`` (3,), m."""
        origins = None if self.origins is None else self.origins - place
        return replace(self, points=self.points - place, origins=origins)

    def transformed(self, X_WC: Pose) -> PointCloud:
        """Return the cloud, given in C, transformed to W, with its viewpoints."""
        origins = np.zeros(3) if self.origins is None else self.origins
        turned = np.einsum("ij,jk->ik", self.points, rotate(X_WC.wxyz, np.eye(3)))
        turned += X_WC.position
        return replace(self, points=turned, origins=X_WC.apply(origins))


def concatenate_clouds(clouds: Sequence[PointCloud]) -> PointCloud:
    """Return all points of clouds in one frame, unorganised; colours if all have them."""
    colours = [cloud.colours for cloud in clouds if cloud.colours is not None]
    return PointCloud(
        np.concatenate([cloud.points for cloud in clouds]),
        None,
        np.concatenate(colours) if len(colours) == len(clouds) else None,
        _joined_origins(clouds),
    )


def _joined_origins(clouds: Sequence[PointCloud]) -> Array | None:
    """Return one viewpoint if all clouds have the same one, else one per point."""
    first = clouds[0].origins
    if all(cloud.origins is None for cloud in clouds):
        return None
    if first is not None and first.ndim == 1:
        ones = [cloud.origins for cloud in clouds if cloud.origins is not None]
        if len(ones) == len(clouds) and all(one.ndim == 1 and (one == first).all() for one in ones):
            return first
    return np.concatenate([cloud.views for cloud in clouds])


MOST_POINTS = 30_000_000
"""Largest number of points, 0.7 GB; a Kinect 2's frame has 0.5 million."""
WIDEST = 300.0
"""Largest extent, m; a larger one is probably in millimetres."""


def check_count(count: int) -> None:
    """Reject too many points before memory is allocated; a clause to follow a file's name."""
    if count > MOST_POINTS:
        raise BadValue(f"declares {count:,} points, at most {MOST_POINTS:,} are allowed")
    if count < 1:
        raise BadValue("has no points")


def span(points: Array) -> float:
    """Return the extent of finite points ((n, 3), m) between the 2 % and 98 % quantiles, m."""
    some = points[:: max(1, len(points) // 20_000)]
    low, high = np.quantile(some, (0.02, 0.98), axis=0)
    return float((high - low).max())


def check_cloud(cloud: PointCloud) -> None:
    """Reject clouds without valid points, or not in metres; a clause to follow a file's name."""
    check_count(len(cloud))
    there = cloud.points[cloud.seen]
    if not len(there):
        raise BadValue(f"has {len(cloud):,} points, none of them finite")
    wide = span(there)
    whole = bool((there == np.rint(there)).all())
    if wide > WIDEST or (whole and wide > 10):
        raise BadValue(
            f"has an extent of {wide:,.0f} m; if it is in millimetres, set the unit to mm"
        )
