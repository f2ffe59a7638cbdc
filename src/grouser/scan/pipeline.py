"""From frames to ground: every step of a scan, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grouser.frames import Array, Pose
from grouser.scan.cloud import PointCloud
from grouser.scan.down import DownGuess
from grouser.scan.holes import Hole
from grouser.scan.registration import FramePose
from grouser.scan.triangle_mesh import TriangleMesh

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class ScanOptions:
    """How frames become ground."""

    voxel: float = 0.02
    """Edge of voxels and of the surface's cells, m."""
    camera_poses: tuple[Pose, ...] | None = None
    """Each frame's pose in the world (z up), about right where there are several; None: found."""
    gravity: Array | None = None
    """A vector down in the first frame's axes, (3,); None: found."""
    close_holes: float = 0.1
    """Holes up to this width are closed, m."""
    error: float = 0.002
    """How far simplification may move the surface, m."""


@dataclass(frozen=True)
class RebuiltGround:
    """What a scan became, in a world frame: z up, ground at about z = 0."""

    cloud: PointCloud
    """All points that were kept, in the world, with their origins."""
    mesh: TriangleMesh
    """The surface, in the world."""
    down: DownGuess
    frames: tuple[FramePose, ...]
    holes: tuple[Hole, ...]
    """Those that are open, widest first."""
    closed: tuple[Hole, ...]
    """Those that were closed: what is there was not seen."""
    removed: int
    """Points that were left out as outliers."""
    error: float
    """How far simplification moved the surface, m."""
    warnings: tuple[str, ...]
    """What the user should know, one sentence each."""


STANDARD_SCAN = ScanOptions()


def rebuild(
    clouds: Sequence[PointCloud],
    options: ScanOptions = STANDARD_SCAN,
    progress: Progress = lambda what, done, of: None,
) -> RebuiltGround:
    """Turn frames, each in its sensor's axes, into ground."""
    raise NotImplementedError
