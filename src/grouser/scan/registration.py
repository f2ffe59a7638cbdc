"""Several frames laid over each other: their poses in the first one's frame, by GICP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grouser.frames import Pose
from grouser.scan.cloud import PointCloud


@dataclass(frozen=True)
class FramePose:
    """Where one frame is."""

    X_FC: Pose
    """The frame's pose in the first one's."""
    overlap: float
    """Part of its points that have a counterpart among the frames before."""
    error: float
    """Root mean square of the distances to the counterparts' planes, m."""


def register(
    clouds: Sequence[PointCloud], size: float, guesses: Sequence[Pose] | None = None
) -> tuple[FramePose, ...]:
    """Return where each frame is in the first one's frame; the first is where it is.

    Args:
        clouds: frames in their sensors' axes, in an order in which each overlaps an earlier one.
        size: edge of voxels at which frames are compared, m.
        guesses: poses in the first frame, about right; None: each where the one before was.

    Raises:
        BadValue: a frame has too little in common with those before.
    """
    raise NotImplementedError
