"""Files of point clouds, by their ending: PCD, PLY, XYZ, NPZ, and depth pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from grouser.errors import BadValue, nearest
from grouser.scan.cloud import PointCloud
from grouser.scan.cloud_limits import check_cloud
from grouser.scan.formats.depth_picture import read_depth_picture
from grouser.scan.formats.npz_file import read_npz
from grouser.scan.formats.pcd_file import read_pcd
from grouser.scan.formats.ply_file import read_ply
from grouser.scan.formats.xyz_file import read_xyz
from grouser.scan.intrinsics import Intrinsics, read_intrinsics

LARGEST_FILE = 2 * 1024**3
"""Bytes."""

CLOUD_FILES: dict[str, Callable[[bytes], PointCloud]] = {
    ".pcd": read_pcd,
    ".ply": read_ply,
    ".xyz": read_xyz,
    ".txt": read_xyz,
    ".csv": read_xyz,
    ".npz": read_npz,
}
"""Ending → who reads it; depth pictures (``.png``) need intrinsics as well."""


def read_cloud(
    path: Path | str, intrinsics: Intrinsics | None = None, unit: float = 1.0
) -> PointCloud:
    """Return the cloud of a file, in metres, in the axes of the file.

    Args:
        path: ``.pcd``, ``.ply``, ``.xyz`` (``.txt``, ``.csv``), ``.npz``, or a depth picture
            (``.png``, 16 bits).
        intrinsics: of the camera that made a depth picture; without them they are read from the
            file of the same name that ends in ``.json``.
        unit: what 1 in the file is, m; pictures have theirs in the intrinsics.

    Raises:
        BadValue: it cannot be read, is broken, has no points, or is not in metres.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in (*CLOUD_FILES, ".png"):
        known = (*CLOUD_FILES, ".png")
        raise BadValue(f"{path}: clouds end in {', '.join(known)}{nearest(ending, known)}")
    content = _content(path)
    if ending == ".png" and intrinsics is None:
        beside = path.with_suffix(".json")
        if not beside.is_file():
            raise BadValue(
                f"{path}: a depth picture needs its camera's intrinsics (fx, fy, cx, cy), "
                f"given or in {beside.name} beside it"
            )
        intrinsics = read_intrinsics(beside)
    try:
        if ending == ".png" and intrinsics is not None:
            cloud = read_depth_picture(content, intrinsics)
        else:
            cloud = _scaled(CLOUD_FILES[ending](content), unit)
        check_cloud(cloud)
    except BadValue as error:
        raise BadValue(f"{path}: {error}") from None
    return cloud


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise BadValue(f"{path}: is larger than {LARGEST_FILE:,} bytes")
        return path.read_bytes()
    except OSError as error:
        raise BadValue(f"{path}: cannot be read ({error.strerror})") from None


def _scaled(cloud: PointCloud, unit: float) -> PointCloud:
    if not 0 < unit < float("inf"):
        raise BadValue(f"cannot be read in units of {unit} m")
    if unit == 1.0:
        return cloud
    origins = None if cloud.origins is None else cloud.origins * unit
    return replace(cloud, points=cloud.points * unit, origins=origins)
