"""From a depth camera to ground: clouds, registration, surface; arrays in, triangles out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.scan.cloud import PointCloud, joined
    from grouser.scan.cloud_files import read_cloud
    from grouser.scan.down import DownGuess, find_down
    from grouser.scan.ground.scan_world import ScanWorld, WorldOptions
    from grouser.scan.ground.world_folder import scan_to_world
    from grouser.scan.holes import Hole, close_holes, find_holes
    from grouser.scan.intrinsics import Intrinsics
    from grouser.scan.outliers import find_outliers
    from grouser.scan.pipeline import RebuiltGround, ScanOptions, rebuild
    from grouser.scan.real_frames import shipped_frames
    from grouser.scan.registration import FramePose, register
    from grouser.scan.simplify import Simplified, simplified
    from grouser.scan.surface import fused_surface
    from grouser.scan.voxel_grid import voxel_centroids
    from grouser.world.meshes.triangle_mesh import TriangleMesh

_PLACES = {
    "ScanWorld": "grouser.scan.ground.scan_world",
    "WorldOptions": "grouser.scan.ground.scan_world",
    "scan_to_world": "grouser.scan.ground.world_folder",
    "shipped_frames": "grouser.scan.real_frames",
    "DownGuess": "grouser.scan.down",
    "FramePose": "grouser.scan.registration",
    "Hole": "grouser.scan.holes",
    "Intrinsics": "grouser.scan.intrinsics",
    "PointCloud": "grouser.scan.cloud",
    "RebuiltGround": "grouser.scan.pipeline",
    "ScanOptions": "grouser.scan.pipeline",
    "Simplified": "grouser.scan.simplify",
    "TriangleMesh": "grouser.world.meshes.triangle_mesh",
    "close_holes": "grouser.scan.holes",
    "find_down": "grouser.scan.down",
    "find_holes": "grouser.scan.holes",
    "find_outliers": "grouser.scan.outliers",
    "fused_surface": "grouser.scan.surface",
    "joined": "grouser.scan.cloud",
    "read_cloud": "grouser.scan.cloud_files",
    "rebuild": "grouser.scan.pipeline",
    "register": "grouser.scan.registration",
    "simplified": "grouser.scan.simplify",
    "voxel_centroids": "grouser.scan.voxel_grid",
}

__all__ = [
    "DownGuess",
    "FramePose",
    "Hole",
    "Intrinsics",
    "PointCloud",
    "RebuiltGround",
    "ScanOptions",
    "ScanWorld",
    "Simplified",
    "TriangleMesh",
    "WorldOptions",
    "close_holes",
    "find_down",
    "find_holes",
    "find_outliers",
    "fused_surface",
    "joined",
    "read_cloud",
    "rebuild",
    "register",
    "scan_to_world",
    "shipped_frames",
    "simplified",
    "voxel_centroids",
]


__getattr__ = lazily(__name__, _PLACES)
