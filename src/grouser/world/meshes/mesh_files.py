"""Mesh files of three kinds as arrays: STL, PLY (text and binary) and OBJ."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.world.meshes.triangle_mesh import MOST_TRIANGLES, TriangleMesh
from grouser.world.stl_file import triangles_of

MOST_BYTES = 1 << 29
"""Of a file: half a gigabyte is more than `MOST_TRIANGLES` need."""

_PLY_TYPES = {
    **dict.fromkeys(("char", "int8"), "i1"),
    **dict.fromkeys(("uchar", "uint8"), "u1"),
    **dict.fromkeys(("short", "int16"), "i2"),
    **dict.fromkeys(("ushort", "uint16"), "u2"),
    **dict.fromkeys(("int", "int32"), "i4"),
    **dict.fromkeys(("uint", "uint32"), "u4"),
    **dict.fromkeys(("float", "float32"), "f4"),
    **dict.fromkeys(("double", "float64"), "f8"),
}
_PLY_ORDERS = {"binary_little_endian": "<", "binary_big_endian": ">", "ascii": ""}

Polygons = list[npt.NDArray[np.int64]]


def read_mesh(path: Path) -> TriangleMesh:
    """Return the mesh in a file, in the file's own units; read once as long as it does not change.

    Raises:
        BadValue: in a few words, to be read after "which": what is wrong with the file.
    """
    try:
        state = path.stat()
    except OSError as error:
        raise BadValue(f"cannot be read ({error.strerror})") from None
    if state.st_size > MOST_BYTES:
        raise BadValue(
            f"has {state.st_size:,} bytes, at most {MOST_BYTES:,} are allowed: simplify it to "
            f"{MOST_TRIANGLES:,} triangles or fewer"
        )
    return _read(path, state.st_mtime_ns)


@functools.lru_cache(maxsize=8)
def _read(path: Path, changed: int) -> TriangleMesh:
    readers: dict[str, Callable[[bytes], TriangleMesh]] = {
        ".stl": _read_stl,
        ".ply": _read_ply,
        ".obj": _read_obj,
    }
    ending = path.suffix.lower()
    if ending not in readers:
        raise BadValue(f"must end in {' or '.join(sorted(readers))}")
    try:
        return readers[ending](path.read_bytes())
    except (OSError, ValueError, IndexError, KeyError) as error:
        if isinstance(error, BadValue):
            raise
        raise BadValue(f"is no {ending[1:].upper()} file, or is cut off") from None


def _read_stl(content: bytes) -> TriangleMesh:
    return TriangleMesh.of_triangles(triangles_of(content))


def _read_obj(content: bytes) -> TriangleMesh:
    """Read corners and polygons; what says how it looks is left out."""
    corners, polygons = [], []
    for line in content.decode("utf-8", "replace").splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            corners.append([float(word) for word in words[1:4]])
        elif words[0] == "f":
            numbers = [int(word.split("/")[0]) for word in words[1:]]
            counted = [n - 1 if n > 0 else len(corners) + n for n in numbers]
            polygons.append(np.array(counted, np.int64))
    if not corners or not polygons:
        raise BadValue("is no OBJ file, or has no triangles")
    return _welded(np.array(corners), _fans(polygons))


def _read_ply(content: bytes) -> TriangleMesh:
    head, mark, body = content.partition(b"end_header")
    lines = head.decode("ascii", "replace").split("\n")
    if not mark or lines[0].strip() != "ply":
        raise BadValue("is no PLY file")
    words = [line.split() for line in lines]
    order = _PLY_ORDERS[next(line[1] for line in words if line[:1] == ["format"])]
    elements: list[tuple[str, int, list[list[str]]]] = []
    for line in words:
        if line[:1] == ["element"]:
            elements.append((line[1], int(line[2]), []))
        elif line[:1] == ["property"]:
            elements[-1][2].append(line[1:])
    body = body[body.index(b"\n") + 1 :]
    tables = _PlyBody(body, order)
    corners, polygons = np.empty((0, 3)), []
    for name, count, fields in elements:
        if name == "vertex":
            table = tables.numbers(count, fields)
            corners = np.column_stack([table[axis] for axis in "xyz"]).astype(float)
        elif name == "face":
            polygons = tables.polygons(count, fields)
        else:
            tables.skip(count, fields)
    if not len(polygons):
        raise BadValue("has no triangles: it is a cloud of points")
    return _welded(corners, _fans(polygons))


class _PlyBody:
    """What comes after a PLY file's head, read from front to back."""

    def __init__(self, body: bytes, order: str) -> None:
        self._body, self._order, self._at = body, order, 0
        self._words = body.split() if not order else []

    def numbers(self, count: int, fields: list[list[str]]) -> dict[str, npt.NDArray[np.float64]]:
        """Return ``count`` entries of plain fields, by field."""
        names = [field[-1] for field in fields]
        if not self._order:
            size = count * len(names)
            words = self._words[self._at : self._at + size]
            self._at += size
            table = np.array(words, float).reshape(count, len(names))
            return {name: table[:, i] for i, name in enumerate(names)}
        record = np.dtype([(name, self._type(kind)) for kind, name in fields])
        rows = np.frombuffer(self._body, record, count, self._at)
        self._at += count * record.itemsize
        return {name: rows[name].astype(float) for name in names}

    def polygons(self, count: int, fields: list[list[str]]) -> Polygons:
        """Return the corners' numbers of ``count`` faces."""
        which = next(i for i, f in enumerate(fields) if f[-1] in ("vertex_indices", "vertex_index"))
        if self._order and len(fields) == 1 and (same := self._triangles(count, fields[0])):
            return same
        found: Polygons = []
        for _ in range(count):
            for i, field in enumerate(fields):
                values = self._list(field) if field[0] == "list" else self._take(field[0], 1)
                if i == which:
                    found.append(values.astype(np.int64))
        return found

    def skip(self, count: int, fields: list[list[str]]) -> None:
        """Pass ``count`` entries."""
        for _ in range(count):
            for field in fields:
                _ = self._list(field) if field[0] == "list" else self._take(field[0], 1)

    def _triangles(self, count: int, field: list[str]) -> Polygons:
        """Return all faces at once, if all are triangles."""
        record = np.dtype([("count", self._type(field[1])), ("v", self._type(field[2]), (3,))])
        if len(self._body) - self._at < count * record.itemsize:
            return []
        rows = np.frombuffer(self._body, record, count, self._at)
        if (rows["count"] != 3).any():
            return []
        self._at += count * record.itemsize
        return list(rows["v"].astype(np.int64))

    def _list(self, field: list[str]) -> npt.NDArray[np.float64]:
        return self._take(field[2], int(self._take(field[1], 1)[0]))

    def _take(self, kind: str, count: int) -> npt.NDArray[np.float64]:
        if not self._order:
            words = self._words[self._at : self._at + count]
            self._at += count
            if len(words) < count:
                raise BadValue("is cut off")
            return np.array(words, float)
        values = np.frombuffer(self._body, self._type(kind), count, self._at)
        self._at += values.nbytes
        return values.astype(float)

    def _type(self, kind: str) -> np.dtype[np.generic]:
        return np.dtype(self._order + _PLY_TYPES[kind])


def _fans(polygons: Polygons) -> npt.NDArray[np.int64]:
    """Return polygons cut into triangles around their first corner."""
    triangles = np.array([p for p in polygons if len(p) == 3], np.int64).reshape(-1, 3)
    larger = [(p[0], p[i], p[i + 1]) for p in polygons if len(p) > 3 for i in range(1, len(p) - 1)]
    return np.concatenate([triangles, np.array(larger, np.int64).reshape(-1, 3)])


def _welded(corners: npt.NDArray[np.float64], faces: npt.NDArray[np.int64]) -> TriangleMesh:
    """Return a mesh; if it is open as it is numbered, corners at one place become one."""
    mesh = TriangleMesh.of(corners, faces)
    return mesh if not mesh.open_edges else TriangleMesh.of_triangles(mesh.triangles)
