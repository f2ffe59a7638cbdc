"""PLY point clouds: text and binary of either byte order; the vertices become points."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.scan.cloud import MOST_BYTES_OF_A_POINT, Colours, PointCloud, check_count
from grouser.scan.formats.xyz_file import number_rows

LONGEST_HEAD = 65536
"""Bytes."""
_ORDERS = {"ascii": "<", "binary_little_endian": "<", "binary_big_endian": ">"}
_TYPES = {
    **dict.fromkeys(("char", "int8"), "i1"),
    **dict.fromkeys(("uchar", "uint8"), "u1"),
    **dict.fromkeys(("short", "int16"), "i2"),
    **dict.fromkeys(("ushort", "uint16"), "u2"),
    **dict.fromkeys(("int", "int32"), "i4"),
    **dict.fromkeys(("uint", "uint32"), "u4"),
    **dict.fromkeys(("float", "float32"), "f4"),
    **dict.fromkeys(("double", "float64"), "f8"),
}


def read_ply(content: bytes) -> PointCloud:
    """Return the vertices in a PLY file's bytes as a cloud.

    Raises:
        BadValue: the fault, as a clause to follow a file's name.
    """
    end = content.find(b"end_header", 0, LONGEST_HEAD)
    start = content.find(b"\n", end, LONGEST_HEAD) + 1
    if not content.startswith(b"ply") or end < 0 or start == 0:
        raise BadValue("is no PLY file: it has no header from 'ply' to 'end_header'")
    form, count, record = _head(content[:end].decode("ascii", "replace").splitlines()[1:])
    check_count(count)
    body = content[start:]
    fields = _ascii(body, record, count) if form == "ascii" else _binary(body, record, count)
    points = np.stack([fields[name].astype(float) for name in "xyz"], axis=1)
    return PointCloud(points, None, _colours(fields), None)


def _head(lines: list[str]) -> tuple[str, int, np.dtype[Any]]:
    """Return the data format, the number of vertices and the layout of a vertex."""
    form, count, layout, element = "", 0, [], ""
    for line in lines:
        words = line.split()
        if not words or words[0] in ("comment", "obj_info"):
            continue
        if words[0] == "format" and len(words) >= 2:
            form = words[1]
            if form not in _ORDERS:
                raise BadValue(f"has the format {form}; {', '.join(_ORDERS)} are known")
        elif words[0] == "element" and len(words) == 3:
            if not element and words[1] != "vertex":
                raise BadValue(f"begins with the element {words[1]}; vertices must be the first")
            element = words[1]
            if element == "vertex":
                count = int(words[2]) if words[2].isdigit() else 0
        elif words[0] == "property" and element == "vertex":
            if len(words) != 3 or words[1] not in _TYPES:
                raise BadValue(f"has '{line.strip()[:60]}', which is no plain number")
            layout.append((words[2], _ORDERS.get(form, "<") + _TYPES[words[1]]))
        elif words[0] != "property":
            raise BadValue(f"has '{line.strip()[:60]}' in its header")
    names = [name for name, _ in layout]
    if not form:
        raise BadValue("has no format line in its header")
    if not set("xyz") <= set(names) or len(set(names)) < len(names):
        raise BadValue(f"has vertices with {', '.join(names) or 'nothing'}; x, y, z are needed")
    record = np.dtype(layout)
    if record.itemsize > MOST_BYTES_OF_A_POINT:
        raise BadValue(f"has {record.itemsize} bytes a vertex, {MOST_BYTES_OF_A_POINT} are read")
    return form, count, record


def _ascii(body: bytes, record: np.dtype[Any], count: int) -> npt.NDArray[Any]:
    lines = body.split(b"\n", count)[:count]
    table = number_rows(b"\n".join(lines))
    names = record.names or ()
    if len(table) < count:
        raise BadValue(f"has {len(table):,} of its {count:,} vertices: it is cut off")
    if table.shape[1] != len(names):
        raise BadValue(f"has {table.shape[1]} numbers a line, its header declares {len(names)}")
    fields = np.empty(count, record)
    with np.errstate(invalid="ignore", over="ignore"):
        for name, column in zip(names, table.T, strict=True):
            fields[name] = column.astype(record[name])
    return fields


def _binary(body: bytes, record: np.dtype[Any], count: int) -> npt.NDArray[Any]:
    if len(body) < count * record.itemsize:
        have = len(body) // record.itemsize
        raise BadValue(f"has {have:,} of its {count:,} vertices: it is cut off")
    return np.frombuffer(body, record, count)


def _colours(fields: npt.NDArray[Any]) -> Colours | None:
    for names in (("red", "green", "blue"), ("r", "g", "b")):
        if set(names) <= set(fields.dtype.names or ()):
            columns = [fields[name] for name in names]
            if all(column.dtype.itemsize == 1 for column in columns):
                return np.stack(columns, axis=1).astype(np.uint8)
    return None
