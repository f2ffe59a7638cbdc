"""NPZ point clouds: ``points`` (n, 3) or (rows, columns, 3), and ``colours``, ``origin``."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser import files
from grouser.errors import BadValue
from grouser.scan.cloud import MOST_POINTS, PointCloud, check_count

_HEADS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def read_npz(content: bytes) -> PointCloud:
    """Return the cloud in an NPZ file's bytes.

    Raises:
        BadValue: the fault, as a clause to follow a file's name.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = [name.removesuffix(".npy") for name in archive.namelist()]
            if "points" not in names:
                raise BadValue(f"holds {', '.join(names)[:80] or 'nothing'}; points are needed")
            wanted = [name for name in ("points", "colours", "origin") if name in names]
            arrays: dict[str, npt.NDArray[Any]] = {name: _array(archive, name) for name in wanted}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
        raise BadValue(f"is damaged or cut off ({error})") from None
    return _cloud(arrays)


def _array(archive: zipfile.ZipFile, name: str) -> npt.NDArray[Any]:
    """Return one array; its size is checked before it is decompressed."""
    with archive.open(f"{name}.npy") as file:
        try:
            version = np.lib.format.read_magic(file)
            shape, fortran, kind = _HEADS[version](file, max_header_size=4096)
        except (ValueError, KeyError):
            raise BadValue(f"holds {name} that are no NumPy array") from None
        if kind.kind not in "iuf":
            raise BadValue(f"holds {name} of {kind}, numbers are needed")
        count = int(np.prod(shape, dtype=object))
        if count > 3 * MOST_POINTS:
            raise BadValue(
                f"declares {count:,} numbers in {name}, at most {3 * MOST_POINTS:,} are allowed"
            )
        data = file.read(count * kind.itemsize)
    if len(data) < count * kind.itemsize:
        raise BadValue(f"is cut off: {name} have {len(data):,} of {count * kind.itemsize:,} bytes")
    return np.frombuffer(data, kind).reshape(shape, order="F" if fortran else "C")


def _cloud(arrays: Mapping[str, npt.NDArray[Any]]) -> PointCloud:
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


def write_npz(path: str, cloud: PointCloud) -> None:
    """Write a cloud as NPZ atomically; `read_npz` returns an equal one."""
    shape = cloud.shape or (len(cloud),)
    arrays: dict[str, Any] = {"points": cloud.points.reshape(*shape, 3)}
    if cloud.colours is not None:
        arrays["colours"] = cloud.colours
    if cloud.origins is not None:
        arrays["origin"] = cloud.origins
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    files.write_bytes(path, buffer.getvalue())
