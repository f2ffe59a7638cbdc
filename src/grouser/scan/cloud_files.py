"""Reader of point-cloud files: PCD, PLY, XYZ, NPZ and depth pictures; shipped frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from pathlib import Path

from grouser.errors import BadValue, nearest
from grouser.scan.cloud import PointCloud, check_cloud
from grouser.scan.formats.depth_picture import Intrinsics, read_depth_picture, read_intrinsics
from grouser.scan.formats.npz_file import read_npz
from grouser.scan.formats.pcd_file import read_pcd
from grouser.scan.formats.ply_file import read_ply
from grouser.scan.formats.xyz_file import read_xyz

LARGEST_FILE = 2 * 1024**3
"""Largest size of a file, bytes."""

CLOUD_FILES: dict[str, Callable[[bytes], PointCloud]] = {
    ".pcd": read_pcd,
    ".ply": read_ply,
    ".xyz": read_xyz,
    ".txt": read_xyz,
    ".csv": read_xyz,
    ".npz": read_npz,
}
"""Extension → reader; depth pictures (``.png``) are read separately, since they need intrinsics."""


def read_cloud(
    path: Path | str, intrinsics: Intrinsics | None = None, unit: float = 1.0
) -> PointCloud:
    """Return the cloud of a file, in metres, in the file's axes.

    Args:
        path: ``.pcd``, ``.ply``, ``.xyz`` (``.txt``, ``.csv``), ``.npz``, or a depth picture
            (``.png``, 16 bits).
        intrinsics: of the camera of a depth picture; None: read from the file of the same name with
            the extension ``.json``.
        unit: unit of the file, m; that of a picture is in its intrinsics.

    Raises:
        BadValue: the file cannot be read, is damaged, has no points, or is not in metres.
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


def shipped_frames() -> dict[str, Path]:
    """Return the shipped frames of real cameras, name to file."""
    folder = Path(str(resources.files("grouser") / "scan" / "frames"))
    return {file.stem: file for file in sorted(folder.glob("*.pcd"))}


def frame_path(name: Path | str) -> Path:
    """Return the path of an existing file or of a shipped frame.

    Raises:
        BadValue: neither exists; the message has the nearest match.
    """
    path, shipped = Path(name), shipped_frames()
    if path.exists():
        return path
    if str(name) in shipped:
        return shipped[str(name)]
    folder = path.parent if path.parent.is_dir() else None
    beside = [] if folder is None else [str(folder / file.name) for file in folder.iterdir()]
    raise BadValue(f"{name}: there is no such file{nearest(str(path), [*shipped, *beside])}")
