"""Readers of arrays in files: NumPy arrays, archives of arrays, and PNG pictures.

Decoders of other projects raise many kinds of errors for damaged files; here all become `BadValue`
with a clause to follow a file's name. Shape and type are passed to a check of the caller before
memory is allocated.
"""

from __future__ import annotations

import io
import lzma
import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue

LONGEST_HEAD = 16 * 1024
"""Largest length of an array's header, bytes."""
PNG_HEAD = b"\x89PNG\r\n\x1a\n"

_HEADS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
    (3, 0): np.lib.format.read_array_header_2_0,  # the same layout; the text is UTF-8
}
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, tokenize.TokenError, struct.error),
    *(OSError, EOFError, SyntaxError, LookupError, ValueError, TypeError, ArithmeticError),
    *(RuntimeError, MemoryError),  # an encrypted member; a header of nested parentheses
)
"""Errors of the decoders of NumPy, zipfile and Pillow for damaged files."""


@dataclass(frozen=True)
class ArrayHead:
    """Array in a file, before its data is read."""

    name: str
    """Name in the archive; empty for a single array."""
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def count(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)


Check = Callable[[ArrayHead], None]
"""Raises `BadValue` if an array must not be read, because of its size or type."""


def read_npy(file: IO[bytes], check: Check, name: str = "") -> npt.NDArray[Any]:
    """Return the array in an ``.npy`` file after ``check``; objects are rejected.

    Raises:
        BadValue: it is no array, or is cut off.
    """
    try:
        head, fortran = _head(file, name)
    except _DAMAGED as error:
        which = f"holds {name}, which is" if name else "is"
        raise BadValue(f"{which} no NumPy array ({_reason(error)})") from None
    if min(head.shape, default=0) < 0 or head.dtype.itemsize == 0:
        raise BadValue(f"holds {name or 'an array'} of shape {head.shape} and type {head.dtype}")
    check(head)
    if head.dtype.hasobject:
        raise BadValue(f"holds {name or 'an array'} of objects, numbers are needed")
    size = head.count * head.dtype.itemsize
    try:
        data = file.read(size)
    except _DAMAGED as error:
        raise BadValue(f"is damaged or cut off ({_reason(error)})") from None
    if len(data) < size:
        raise BadValue(f"is cut off: {name or 'its array'} has {len(data):,} of {size:,} bytes")
    try:
        flat = np.frombuffer(data, head.dtype, head.count)
        return flat.reshape(head.shape, order="F" if fortran else "C")
    except _DAMAGED:  # without elements, other axes may be of any length
        raise BadValue(f"holds {name or 'an array'} of shape {head.shape}") from None


def _head(file: IO[bytes], name: str) -> tuple[ArrayHead, bool]:
    """Return an array's head, and whether columns are stored one after another."""
    version = np.lib.format.read_magic(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # headers of Python 2, odd literals
        shape, fortran, dtype = _HEADS[version](file, max_header_size=LONGEST_HEAD)
    return ArrayHead(name, shape, dtype), fortran


def read_npz(
    file: IO[bytes], choose: Callable[[Sequence[str]], Iterable[str]], check: Check
) -> dict[str, npt.NDArray[Any]]:
    """Return arrays of an ``.npz`` archive by name.

    Args:
        file: the archive.
        choose: returns the names to read among those of the archive.
        check: called for each array before it is decompressed.

    Raises:
        BadValue: it is no archive, or is damaged or cut off.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                _check_entry(entry)
            names = [entry.removesuffix(".npy") for entry in archive.namelist()]
            return {name: _member(archive, name, check) for name in choose(names)}
    except BadValue:
        raise
    except _DAMAGED as error:
        raise BadValue(f"is damaged or cut off ({_reason(error)})") from None


def _check_entry(entry: zipfile.ZipInfo) -> None:
    """Reject what NumPy never writes; decoders of LZMA allocate what a few bytes declare."""
    if not entry.filename.isprintable():
        raise BadValue("is damaged: it has an array with an unprintable name")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadValue(
            f"holds {entry.filename[:40]} with compression method {entry.compress_type}; "
            "0 (stored) and 8 (deflated) are read"
        )


def _member(archive: zipfile.ZipFile, name: str, check: Check) -> npt.NDArray[Any]:
    with archive.open(f"{name}.npy") as file:
        return read_npy(file, check, name)


def read_png(content: bytes, check: Callable[[int, int], None]) -> npt.NDArray[Any]:
    """Return the pixels of a PNG picture, (rows, columns) or (rows, columns, channels).

    ``check`` receives rows and columns before the picture is decoded. Palettes become colours.
    """
    if len(content) < 33 or not content.startswith(PNG_HEAD):
        raise BadValue("is no PNG picture")
    columns, rows = struct.unpack_from(">II", content, 16)
    check(rows, columns)
    from PIL import Image as Pillow  # comes with matplotlib; only pictures need it

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Pillow.DecompressionBombWarning)  # checked above
            with Pillow.open(io.BytesIO(content), formats=("PNG",)) as picture:
                if picture.size != (columns, rows):
                    raise BadValue("has two headers")
                pixels = np.asarray(picture if picture.mode != "P" else picture.convert("RGB"))
    except BadValue:
        raise
    except (*_DAMAGED, Pillow.DecompressionBombError) as error:
        raise BadValue(f"is damaged or cut off ({_reason(error)})") from None
    if not pixels.ndim or pixels.shape[:2] != (rows, columns):
        raise BadValue("is damaged or cut off")
    return pixels


def _reason(error: BaseException) -> str:
    """Return the first line of an error of a decoder, shortened."""
    lines = str(error).splitlines()
    return lines[0][:80] if lines else type(error).__name__
