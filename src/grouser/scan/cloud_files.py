"""Point-cloud files: readers of PCD, PLY, XYZ, NPZ and depth pictures; shipped frames."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser import files
from grouser.array_files import ArrayHead
from grouser.array_files import read_npz as read_arrays
from grouser.errors import BadValue, nearest
from grouser.frames import Array
from grouser.scan.cloud import MOST_POINTS, Colours, PointCloud, check_cloud, check_count
from grouser.scan.depth_picture import Intrinsics, read_depth_picture, read_intrinsics
from grouser.scan.pcd_file import read_pcd
from grouser.world.meshes.ply_file import Column, PlyFile, number_rows

LARGEST_FILE = 2 * 1024**3
"""Largest size of a file, bytes."""


def read_ply(content: bytes) -> PointCloud:
    """Return the vertices in a PLY file's bytes as a cloud."""
    file = PlyFile(content)
    check_count(file.count("vertex"))
    fields = file.vertices()
    points = np.stack([fields[name].astype(float) for name in "xyz"], axis=1)
    return PointCloud(points, None, _vertex_colours(fields), None)


def _vertex_colours(fields: Mapping[str, Column]) -> Colours | None:
    for names in (("red", "green", "blue"), ("r", "g", "b")):
        if set(names) <= set(fields):
            columns = [fields[name] for name in names]
            if all(column.dtype.itemsize == 1 for column in columns):
                return np.stack(columns, axis=1).astype(np.uint8)
    return None


def read_xyz(content: bytes) -> PointCloud:
    """Return the cloud in an XYZ file's bytes.

    Three integers from 0 to 255 after x, y, z (and an intensity) are a colour.
    """
    check_count(content.count(b"\n") + 1)
    if b"\0" in content[:4096]:
        raise BadValue("is no text with one point per line")
    text = content.replace(b",", b" ").replace(b";", b" ")
    if text.lstrip()[:1].isalpha() and not text.lstrip().lower().startswith((b"nan", b"inf")):
        text = text.partition(b"\n")[2]  # names of the columns
    table = number_rows(text, ("#", "//"))
    if table.shape[1] < 3:
        raise BadValue(f"has {table.shape[1]} numbers a line, x, y and z are needed")
    return PointCloud(np.ascontiguousarray(table[:, :3]), None, _column_colours(table), None)


def _column_colours(table: Array) -> Colours | None:
    colours = table[:, 3:6] if table.shape[1] == 6 else table[:, 4:7]
    whole = colours.shape[1] == 3 and np.isfinite(colours).all()
    if not whole or (colours != np.rint(colours)).any() or (colours < 0).any():
        return None
    return colours.astype(np.uint8) if colours.max(initial=0) <= 255 else None


def read_npz(content: bytes) -> PointCloud:
    """Return the cloud in an NPZ file's bytes."""
    return _npz_cloud(read_arrays(io.BytesIO(content), _cloud_arrays, _check_array))


def _cloud_arrays(names: Sequence[str]) -> list[str]:
    if "points" not in names:
        raise BadValue(f"holds {', '.join(names)[:80] or 'nothing'}; points are needed")
    return [name for name in ("points", "colours", "origin") if name in names]


def _check_array(head: ArrayHead) -> None:
    if head.dtype.kind not in "iuf":
        raise BadValue(f"holds {head.name} of {head.dtype}, numbers are needed")
    if head.count > 3 * MOST_POINTS:
        raise BadValue(
            f"declares {head.count:,} numbers in {head.name}, at most {3 * MOST_POINTS:,} are "
            "allowed"
        )


def _npz_cloud(arrays: Mapping[str, npt.NDArray[Any]]) -> PointCloud:
    points = arrays["points"]
    if points.ndim not in (2, 3) or points.shape[-1] != 3:
        raise BadValue(f"holds points of shape {points.shape}, not (n, 3) or (rows, columns, 3)")
    flat = np.ascontiguousarray(points.reshape(-1, 3), float)
    check_count(len(flat))
    colours, origin = arrays.get("colours"), arrays.get("origin")
    if colours is not None and (colours.size != flat.size or colours.dtype != np.uint8):
        raise BadValue(f"holds colours {colours.shape} of {colours.dtype}, bytes (n, 3) are needed")
    if origin is not None and origin.shape not in ((3,), flat.shape):
        raise BadValue(f"holds an origin of shape {origin.shape}, (3,) or (n, 3) is needed")
    return PointCloud(
        flat,
        (points.shape[0], points.shape[1]) if points.ndim == 3 else None,
        None if colours is None else colours.reshape(-1, 3),
        None if origin is None else origin.astype(float),
    )


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
            cloud = _scale(CLOUD_FILES[ending](content), unit)
        check_cloud(cloud)
    except BadValue as error:
        raise BadValue(f"{path}: {error}") from None
    return cloud


def _content(path: Path) -> bytes:
    try:
        return files.read_bytes(path, LARGEST_FILE)
    except BadValue as error:
        raise BadValue(f"{path}: {error}") from None


def _scale(cloud: PointCloud, unit: float) -> PointCloud:
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
    """Return the path of an existing file or of a shipped frame."""
    path, shipped = Path(name), shipped_frames()
    if path.exists():
        return path
    if str(name) in shipped:
        return shipped[str(name)]
    folder = path.parent if path.parent.is_dir() else None
    beside = [] if folder is None else [str(folder / file.name) for file in folder.iterdir()]
    raise BadValue(f"{name}: there is no such file{nearest(str(path), [*shipped, *beside])}")
