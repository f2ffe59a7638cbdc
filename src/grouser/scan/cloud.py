"""A cloud of points as a depth camera or a lidar gives it, and from where it was seen."""

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
    """Points in one frame; ``nan`` where a sensor's pixel saw nothing.

    What a camera gives is in its own axes (x right, y down, z forward) until somebody moves it.
    """

    points: Array
    """(n, 3), m."""
    shape: tuple[int, int] | None = None
    """Rows and columns of an organised cloud, row after row; None: points in no order."""
    colours: Colours | None = None
    """(n, 3); None: not known."""
    origins: Array | None = None
    """Where each point was seen from, (n, 3), or all of them, (3,), m; None: not known."""

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
        """Which points are there, (n,): all three coordinates finite."""
        x, y, z = self.points.T
        return np.asarray(np.isfinite(x + y + z))

    @property
    def views(self) -> Array:
        """Where each point was seen from, (n, 3), m; the frame's origin where it is not known."""
        return np.broadcast_to(
            np.zeros(3) if self.origins is None else self.origins, (len(self), 3)
        )

    def chosen(self, which: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> PointCloud:
        """Return some of the points, by mask or number, in no order any more."""
        per_point = self.origins is not None and self.origins.ndim == 2
        return PointCloud(
            self.points[which],
            None,
            None if self.colours is None else self.colours[which],
            self.origins[which] if per_point and self.origins is not None else self.origins,
        )

    def without(self, which: npt.NDArray[np.bool_]) -> PointCloud:
        """Return the cloud without some points (mask); an organised one keeps its order."""
        if self.shape is None:
            return self.chosen(~which)
        return replace(self, points=np.where(which[:, None], np.nan, self.points))

    def there(self) -> PointCloud:
        """Return the points that are there, in no order any more."""
        return self.chosen(self.seen)

    def counted_from(self, place: Array) -> PointCloud:
        """Return the cloud with ``place`` (3,), m, as its frame's origin."""
        origins = None if self.origins is None else self.origins - place
        return replace(self, points=self.points - place, origins=origins)

    def moved(self, X_WC: Pose) -> PointCloud:
        """Return the cloud, given in C, in W: origins move along."""
        origins = np.zeros(3) if self.origins is None else self.origins
        turned = np.einsum("ij,jk->ik", self.points, rotate(X_WC.wxyz, np.eye(3)))
        turned += X_WC.position
        return replace(self, points=turned, origins=X_WC.apply(origins))


def joined(clouds: Sequence[PointCloud]) -> PointCloud:
    """Return all points of clouds in one frame, in no order; colours if all have them."""
    colours = [cloud.colours for cloud in clouds if cloud.colours is not None]
    return PointCloud(
        np.concatenate([cloud.points for cloud in clouds]),
        None,
        np.concatenate(colours) if len(colours) == len(clouds) else None,
        _joined_origins(clouds),
    )


def _joined_origins(clouds: Sequence[PointCloud]) -> Array | None:
    """Return one origin if all clouds have the same one, else one per point."""
    first = clouds[0].origins
    if all(cloud.origins is None for cloud in clouds):
        return None
    if first is not None and first.ndim == 1:
        ones = [cloud.origins for cloud in clouds if cloud.origins is not None]
        if len(ones) == len(clouds) and all(one.ndim == 1 and (one == first).all() for one in ones):
            return first
    return np.concatenate([cloud.views for cloud in clouds])
