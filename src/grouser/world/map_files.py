"""Reader of height-map files (PNG, NPY, NPZ) with a size limit that is checked before reading."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.world.terrain.height_maps.height_field import MOST_POINTS

_read_later_header = np.lib.format.read_array_header_2_0
PNG_HEAD = b"\x89PNG\r\n\x1a\n"


def read_map(path: Path) -> Array:
    """Return the array in ``path``, (rows, columns); a picture's goes from 0 (black) to 1 (white).

    Raises:
        BadValue: the fault, as a clause to follow "which".
    """
    readers = {".png": _read_png, ".npy": _read_npy, ".npz": _read_npz}
    try:
        return readers[path.suffix.lower()](path)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, BadValue):
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadValue(f"cannot be read ({reason})") from None


def _read_png(path: Path) -> Array:
    with path.open("rb") as file:
        head = file.read(24)
    if len(head) < 24 or not head.startswith(PNG_HEAD):
        raise BadValue("is no PNG picture")
    columns, rows = struct.unpack(">II", head[16:24])
    _check_size((rows, columns))
    from PIL import Image as Pillow  # comes with matplotlib; only pictures need it

    with Pillow.open(path) as picture:
        pixels = np.asarray(picture if picture.mode != "P" else picture.convert("RGB"))
    if pixels.ndim == 3:
        colours = pixels[..., : 1 if pixels.shape[2] == 2 else 3]
        if (colours != colours[..., :1]).any():
            raise BadValue("is a colour picture; a greyscale picture is needed")
        pixels = colours[..., 0]
    if pixels.dtype == bool:
        return pixels.astype(float)
    return pixels.astype(float) / (255.0 if pixels.dtype == np.uint8 else 65535.0)


def _read_npy(path: Path) -> Array:
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    return _numbers(array)


def _read_npz(path: Path) -> Array:
    with zipfile.ZipFile(path) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        name = "heights" if "heights" in names else names[0] if len(names) == 1 else None
        if name is None:
            raise BadValue(f"holds {', '.join(names) or 'nothing'}: one must be called heights")
        with archive.open(f"{name}.npy") as file:
            first = np.lib.format.read_magic(file) == (1, 0)
            read = np.lib.format.read_array_header_1_0 if first else _read_later_header
            _check_size(read(file)[0])
    with np.load(path, allow_pickle=False) as arrays:
        return _numbers(arrays[name])


def _numbers(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> Array:
    if array.dtype.kind not in "iuf":
        raise BadValue(f"holds {array.dtype}, numbers are needed")
    _check_size(array.shape)
    return np.array(array, float)


def _check_size(shape: tuple[int, ...]) -> None:
    if np.prod(shape, dtype=float) > MOST_POINTS:
        points = " x ".join(map(str, shape))
        raise BadValue(
            f"has {points} points, at most {MOST_POINTS:,} are allowed: use larger cells, or crop "
            "the map"
        )
