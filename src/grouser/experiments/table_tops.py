"""A real table top through a Kinect 1, and a simulated Kinect 1 in its place.

The frames are those of `grouser.scan.shipped_frames`. The table top is what lies within `BAND` of
the plane that most points are in, `AWAY` from whatever stands on it; our camera looks at an endless
plane from the same pose, and of what it sees the same patches count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import X_CO, Array, Pose
from grouser.scan.cloud import PointCloud
from grouser.scan.cloud_files import read_cloud
from grouser.scan.down import find_down
from grouser.scan.shipped_frames import shipped_frames
from grouser.scan.simulated_camera import scan_world
from grouser.world.file import World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

BAND = 0.02
"""m; what is further from the plane stands on the table."""
AWAY = 0.04
"""m; edge of the patches: one with anything on it, or beside one that has, does not count."""


@dataclass(frozen=True)
class TableTop:
    """The same patches of a table top, seen by two cameras; z is up and 0 on the table."""

    name: str
    """Of the frame."""
    real: Array
    """Points of the real camera, (n, 3), m."""
    simulated: Array
    """Points of ours, (n, 3), m."""
    distance: float
    """From the camera to the middle of the points, m."""


def table_tops(seed: int) -> list[TableTop]:
    """Return both frames' table tops."""
    return [_table_top(name, read_cloud(path), seed) for name, path in shipped_frames().items()]


def _table_top(name: str, cloud: PointCloud, seed: int) -> TableTop:
    X_WO = find_down(cloud).X_WC
    seen = cloud.moved(X_WO).there().points
    flat = np.abs(seen[:, 2]) < BAND
    occupied = _around(_patches(seen[~flat]))
    bare = np.setdiff1d(_patches(seen[flat]), occupied)
    real = _inside(seen[flat], bare)
    ours = _inside(_simulated(X_WO, seed), bare)
    distance = float(np.linalg.norm(real.mean(axis=0) - X_WO.position))
    return TableTop(name, real, ours, distance)


def _simulated(X_WO: Pose, seed: int) -> Array:
    """Return what our Kinect 1 sees of an endless plane, (n, 3), m."""
    world = World(name="a table", physics=STANDARD, terrain=(Flat(friction=0.6),))
    (cloud,) = scan_world(world, [X_WO @ X_CO.inverse()], "kinect1", seed)
    return cloud.moved(X_WO).there().points


def _patches(points: Array) -> npt.NDArray[np.int64]:
    """Return the numbers of the patches of ground that points are over, each once."""
    return np.unique(_number(np.floor(points[:, :2] / AWAY).astype(np.int64)))


def _around(patches: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return patches and those beside them."""
    return np.unique([patches + _number(np.array([i, j])) for i in (-1, 0, 1) for j in (-1, 0, 1)])


def _inside(points: Array, patches: npt.NDArray[np.int64]) -> Array:
    cells = _number(np.floor(points[:, :2] / AWAY).astype(np.int64))
    return points[np.isin(cells, patches)]


def _number(cells: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.asarray(cells[..., 0] * (1 << 20) + cells[..., 1])
