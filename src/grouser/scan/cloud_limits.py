"""How large a file of points may be, and what is wrong with clouds that came out of one."""

from __future__ import annotations

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.scan.cloud import PointCloud

MOST_POINTS = 30_000_000
"""A cloud of this many points takes 0.7 GB; a Kinect 2's frame has 0.5 million."""
MOST_BYTES_OF_A_POINT = 1024
WIDEST = 300.0
"""m; ground for robots is not wider: such numbers are millimetres."""


def check_count(count: int) -> None:
    """Refuse more points than can be held, before memory is taken.

    Raises:
        BadValue: in a few words, to be read after a file's name.
    """
    if count > MOST_POINTS:
        raise BadValue(f"says that it has {count:,} points, at most {MOST_POINTS:,} are read")
    if count < 1:
        raise BadValue("has no points")


def span(points: Array) -> float:
    """Return how wide a cloud (finite, (n, 3), m) is, without its furthest 2 % on either side."""
    some = points[:: max(1, len(points) // 20_000)]
    low, high = np.quantile(some, (0.02, 0.98), axis=0)
    return float((high - low).max())


def check_cloud(cloud: PointCloud) -> None:
    """Refuse clouds in which nothing was seen, or that are not in metres.

    Raises:
        BadValue: in a few words, to be read after a file's name.
    """
    check_count(len(cloud))
    there = cloud.points[cloud.seen]
    if not len(there):
        raise BadValue(f"has {len(cloud):,} points, and none of them is a finite one")
    wide = span(there)
    whole = bool((there == np.rint(there)).all())
    if wide > WIDEST or (whole and wide > 10):
        raise BadValue(
            f"has points that are {wide:,.0f} m apart; if they are in millimetres, say so (unit mm)"
        )
