"""PCD files of the Point Cloud Library: text, binary, and binary compressed with LZF."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser import files
from grouser.errors import BadValue, nearest
from grouser.scan.cloud import MOST_POINTS, Colours, PointCloud, check_count
from grouser.world.meshes.ply_file import MOST_BYTES_OF_A_POINT, number_rows

MOST_GROWTH = 264 / 3
"""Largest compression ratio of LZF: three bytes refer to at most 264 bytes."""


def decompress(data: bytes, size: int) -> bytes:
    """Return ``data`` (LZF) decompressed to the declared ``size``, bytes.

    A control byte c below 32 is followed by c + 1 literal bytes; any other one holds a length
    (3 bits, 7: one more byte of it follows) and, with the next byte, the distance back to copy
    from.
    """
    if size > len(data) * MOST_GROWTH:
        raise BadValue(
            f"declares that {len(data):,} compressed bytes become {size:,}, more than LZF can: "
            "its header is wrong"
        )
    out, at, end = bytearray(), 0, len(data)
    try:
        while at < end:
            control = data[at]
            at += 1
            if control < 32:
                stop = at + control + 1
                if stop > end:
                    raise IndexError
                out += data[at:stop]
                at = stop
            else:
                length = control >> 5
                if length == 7:
                    length += data[at]
                    at += 1
                back = ((control & 31) << 8) + data[at] + 1
                at += 1
                _copy(out, back, length + 2)
            if len(out) > size:
                break
    except IndexError:
        raise BadValue("has compressed data that is cut off or damaged") from None
    if len(out) != size:
        raise BadValue(
            f"has compressed data that is cut off or damaged: it does not become {size:,} bytes"
        )
    return bytes(out)


def _copy(out: bytearray, back: int, length: int) -> None:
    """Append ``length`` bytes from ``back`` bytes before the end; the ranges may overlap."""
    start = len(out) - back
    if start < 0:
        raise IndexError
    if back >= length:
        out += out[start : start + length]
    else:
        part = bytes(out[start:])
        out += (part * (length // back + 1))[:length]


KEYS = ("VERSION", "FIELDS", "SIZE", "TYPE", "COUNT", "WIDTH", "HEIGHT", "VIEWPOINT", "POINTS")
SINGLE = ("x", "y", "z", "rgb", "rgba")
"""Fields of one number."""
LONGEST_HEAD = 65536
"""Largest length of a header, bytes."""
_KINDS = {"I": "i", "U": "u", "F": "f"}
_SIZES = {"I": (1, 2, 4, 8), "U": (1, 2, 4, 8), "F": (4, 8)}


@dataclass(frozen=True)
class _Head:
    """Header of a PCD file."""

    record: np.dtype[Any]
    """Binary layout of one point."""
    width: int
    height: int
    viewpoint: tuple[float, ...]
    data: str
    length: int
    """Length of the header, bytes."""


def read_pcd(content: bytes) -> PointCloud:
    """Return the cloud in a PCD file's bytes."""
    head = _head(content)
    body = content[head.length :]
    read = {"ascii": _ascii, "binary": _binary, "binary_compressed": _read_compressed}
    if head.data not in read:
        raise BadValue(f"has DATA {head.data}; {', '.join(read)} are known")
    fields = read[head.data](body, head)
    points = np.stack([fields[name].astype(float) for name in "xyz"], axis=1)
    return PointCloud(
        points,
        (head.height, head.width) if head.height > 1 else None,
        _colours(fields),
        np.array(head.viewpoint[:3]),
    )


def _head(content: bytes) -> _Head:
    header: dict[str, list[str]] = {}
    at = 0
    while True:
        end = content.find(b"\n", at, LONGEST_HEAD)
        if end < 0:
            raise BadValue("is no PCD file: its header has no DATA line")
        words = content[at:end].decode("ascii", "replace").split()
        at = end + 1
        if not words or words[0].startswith("#"):
            continue
        key = words[0].upper()
        if key == "DATA":
            return _checked_head(header, " ".join(words[1:]).lower(), at)
        if key not in KEYS:
            raise BadValue(f"has '{words[0][:40]}' in its header{nearest(key, KEYS)}")
        header[key] = words[1:]


def _checked_head(header: dict[str, list[str]], data: str, length: int) -> _Head:
    missing = [key for key in ("FIELDS", "SIZE", "TYPE", "WIDTH", "HEIGHT") if not header.get(key)]
    if missing:
        raise BadValue(f"has a header without {', '.join(missing)}")
    names, types = header["FIELDS"], [kind.upper() for kind in header["TYPE"]]
    sizes = _whole(header["SIZE"], "SIZE")
    counts = _whole(header.get("COUNT", ["1"] * len(names)), "COUNT")
    if not len(names) == len(types) == len(sizes) == len(counts):
        raise BadValue(
            f"has {len(names)} FIELDS, {len(sizes)} SIZE, {len(types)} TYPE, {len(counts)} COUNT"
        )
    layout = []
    for number, (name, kind, size, count) in enumerate(
        zip(names, types, sizes, counts, strict=True)
    ):
        if kind not in _KINDS or size not in _SIZES[kind]:
            raise BadValue(f"has a field {name} of type {kind} and size {size}, which is unknown")
        if not 1 <= count <= (1 if name in SINGLE else MOST_BYTES_OF_A_POINT):
            raise BadValue(f"has a field {name} with COUNT {count}")
        unique = name if name not in names[:number] and name != "_" else f"_{number}"
        layout.append((unique, f"<{_KINDS[kind]}{size}", (count,) if count > 1 else ()))
    absent = [axis for axis in "xyz" if axis not in names]
    if absent:
        raise BadValue(f"has fields {', '.join(names)}, and no {', '.join(absent)}")
    record = np.dtype(layout)
    if record.itemsize > MOST_BYTES_OF_A_POINT:
        raise BadValue(f"has {record.itemsize} bytes a point, {MOST_BYTES_OF_A_POINT} are read")
    (width,) = _whole(header["WIDTH"][:1], "WIDTH")
    (height,) = _whole(header["HEIGHT"][:1], "HEIGHT")
    (points,) = _whole(header.get("POINTS", [str(width * height)])[:1], "POINTS")
    if points != width * height:
        raise BadValue(f"has WIDTH {width}, HEIGHT {height}, and POINTS {points}")
    check_count(points)
    viewpoint = header.get("VIEWPOINT", ["0"] * 7)
    try:
        seen_from = tuple(float(word) for word in viewpoint)
    except ValueError:
        seen_from = ()
    if len(seen_from) != 7 or not np.isfinite(seen_from).all():
        raise BadValue(f"has VIEWPOINT {' '.join(viewpoint)}, seven numbers are needed")
    return _Head(record, width, height, seen_from, data, length)


def _whole(words: list[str], key: str) -> list[int]:
    try:
        numbers = [int(word) for word in words]
    except ValueError:
        numbers = [-1]
    if not numbers or min(numbers) < 0:
        raise BadValue(f"has {key} {' '.join(words)[:60]}, whole numbers are needed")
    return numbers


def _ascii(body: bytes, head: _Head) -> npt.NDArray[Any]:
    columns = sum(int(np.prod(head.record[name].shape)) for name in _names(head))
    table = number_rows(body)
    count = head.width * head.height
    if len(table) < count:
        raise BadValue(f"has {len(table):,} of its {count:,} points: it is cut off")
    if table.shape[1] != columns:
        raise BadValue(f"has {table.shape[1]} numbers a line, its header declares {columns}")
    fields, at = np.empty(count, head.record), 0
    for name in _names(head):
        part = head.record[name]
        size = int(np.prod(part.shape))
        with np.errstate(invalid="ignore", over="ignore"):
            fields[name] = table[:count, at : at + size].astype(part.base).reshape(-1, *part.shape)
        at += size
    return fields


def _binary(body: bytes, head: _Head) -> npt.NDArray[Any]:
    count, size = head.width * head.height, head.record.itemsize
    if len(body) < count * size:
        raise BadValue(f"has {len(body) // size:,} of its {count:,} points: it is cut off")
    return np.frombuffer(body, head.record, count)


def _read_compressed(body: bytes, head: _Head) -> npt.NDArray[Any]:
    """Return the fields of LZF data that holds field after field, each with all points."""
    if len(body) < 8:
        raise BadValue("has no points: it is cut off after its header")
    packed, size = struct.unpack_from("<II", body)
    count = head.width * head.height
    if size != count * head.record.itemsize:
        raise BadValue(
            f"declares {size:,} decompressed bytes, but {count:,} points are "
            f"{count * head.record.itemsize:,} (at most {MOST_POINTS:,} points are allowed)"
        )
    if len(body) < 8 + packed:
        raise BadValue(f"has {len(body) - 8:,} of its {packed:,} compressed bytes: it is cut off")
    plain, at = decompress(body[8 : 8 + packed], size), 0
    fields = np.empty(count, head.record)
    for name in _names(head):
        part = head.record[name]
        values = np.frombuffer(plain, part.base, count * int(np.prod(part.shape)), at)
        fields[name] = values.reshape(count, *part.shape)
        at += values.nbytes
    return fields


def _names(head: _Head) -> tuple[str, ...]:
    return head.record.names or ()


def _colours(fields: npt.NDArray[Any]) -> Colours | None:
    """Return red, green, blue, which PCD files pack into the bits of one field."""
    names = fields.dtype.names or ()
    name = next((name for name in ("rgb", "rgba") if name in names), None)
    if name is None or fields[name].dtype.itemsize != 4 or fields[name].ndim != 1:
        return None
    packed = np.ascontiguousarray(fields[name]).view(np.uint32)
    return np.stack([packed >> 16, packed >> 8, packed], axis=1).astype(np.uint8)


def write_pcd(path: Path, cloud: PointCloud) -> None:
    """Write a cloud (m, in the sensor's frame) as a binary PCD file atomically, without colours."""
    rows, columns = cloud.shape or (1, len(cloud))
    head = [
        *("# .PCD v0.7 - Point Cloud Data file format", "VERSION 0.7", "FIELDS x y z"),
        *("SIZE 4 4 4", "TYPE F F F", "COUNT 1 1 1", f"WIDTH {columns}", f"HEIGHT {rows}"),
        *("VIEWPOINT 0 0 0 1 0 0 0", f"POINTS {len(cloud)}", "DATA binary", ""),
    ]
    content = "\n".join(head).encode() + cloud.points.astype("<f4").tobytes()
    files.write_bytes(path, content)
