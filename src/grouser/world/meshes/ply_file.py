"""Reader of PLY files (vertices and faces), text and binary of either byte order.

Both the point clouds of `grouser.scan` and the meshes of world files are read here. Counts of a
header are checked against the length of the file before memory is allocated.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array

LONGEST_HEAD = 65536
"""Largest length of a header, bytes."""
MOST_BYTES_OF_A_POINT = 1024
"""Largest size of one binary entry, bytes."""

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

Column = npt.NDArray[Any]
"""Values of one field, (n,)."""
Polygons = list[npt.NDArray[np.int64]]
"""Indices of the corners of each face."""


@dataclass(frozen=True)
class _Field:
    """Property of an element: a number, or a list if it has a type of its length."""

    name: str
    kind: np.dtype[Any]
    length: np.dtype[Any] | None = None


@dataclass(frozen=True)
class _Element:
    """Element declared in a header."""

    name: str
    count: int
    fields: list[_Field] = field(default_factory=list)

    def record(self) -> np.dtype[Any]:
        """Return the binary layout of an entry; all fields must be numbers."""
        lists = [one.name for one in self.fields if one.length is not None]
        if lists:
            raise BadValue(f"has lists ({', '.join(lists)[:60]}) in its {self.name} elements")
        names = [one.name for one in self.fields]
        if len(set(names)) < len(names):
            raise BadValue(f"has {self.name} elements with {', '.join(names)[:80]}")
        record = np.dtype([(one.name, one.kind) for one in self.fields])
        if record.itemsize > MOST_BYTES_OF_A_POINT:
            raise BadValue(
                f"has {record.itemsize} bytes a {self.name}, at most {MOST_BYTES_OF_A_POINT} are "
                "allowed"
            )
        return record


class PlyFile:
    """Decoder of one PLY file's bytes.

    Raises `BadValue` with a clause to follow a file's name.
    """

    def __init__(self, content: bytes) -> None:
        end = content.find(b"end_header", 0, LONGEST_HEAD)
        start = content.find(b"\n", end, LONGEST_HEAD) + 1
        if not content.startswith(b"ply") or end < 0 or start == 0:
            raise BadValue("is no PLY file: it has no header from 'ply' to 'end_header'")
        lines = content[:end].decode("ascii", "replace").splitlines()[1:]
        self._text, self._elements = _header(lines)
        self._body = content[start:]
        self._at = 0

    def count(self, name: str) -> int:
        """Return the declared number of entries of an element; 0: it is not declared."""
        return sum(element.count for element in self._elements if element.name == name)

    def vertices(self) -> dict[str, Column]:
        """Return the columns of the vertices in their declared types."""
        for element in self._elements:
            if element.name == "vertex":
                record, columns = element.record(), self._columns(element)
                with np.errstate(invalid="ignore", over="ignore"):
                    return {name: column.astype(record[name]) for name, column in columns.items()}
            self._skip(element)
        raise BadValue("has no vertex element")

    def mesh(self) -> tuple[Array, Polygons]:
        """Return the corners, (n, 3), and the faces; text is not rounded to declared types."""
        corners, polygons = np.empty((0, 3)), Polygons()
        for element in self._elements:
            if element.name == "vertex":
                columns = self._columns(element)
                corners = np.column_stack([columns[axis] for axis in "xyz"]).astype(float)
            elif element.name == "face":
                polygons = self._polygons(element)
            else:
                self._skip(element)
        return corners, polygons

    def _columns(self, element: _Element) -> dict[str, Column]:
        """Return an element of plain numbers by field; those of text are float64."""
        record, count = element.record(), element.count
        names = record.names or ()
        if not set("xyz") <= set(names):
            raise BadValue(f"has vertices with {', '.join(names) or 'nothing'}; x, y, z are needed")
        if not self._text:
            have = max(len(self._body) - self._at, 0) // record.itemsize
            if have < count:
                raise BadValue(f"has {have:,} of its {count:,} vertices: it is cut off")
            rows = np.frombuffer(self._body, record, count, self._at)
            self._at += count * record.itemsize
            return {name: rows[name] for name in names}
        table = number_rows(b"\n".join(self._lines(count)))
        if len(table) < count:
            raise BadValue(f"has {len(table):,} of its {count:,} vertices: it is cut off")
        if table.shape[1] != len(names):
            raise BadValue(f"has {table.shape[1]} numbers a line, its header declares {len(names)}")
        return dict(zip(names, table.T, strict=True))

    def _polygons(self, element: _Element) -> Polygons:
        """Return the corners' indices of all faces."""
        names = [one.name for one in element.fields]
        which = next(
            (i for i, n in enumerate(names) if n in ("vertex_indices", "vertex_index")), -1
        )
        if which < 0 or element.fields[which].length is None:
            raise BadValue(f"has faces with {', '.join(names) or 'nothing'}, no vertex_indices")
        if self._text:
            return [self._text_entry(line, element, which) for line in self._lines(element.count)]
        if len(names) == 1 and (triangles := self._triangles(element)):
            return triangles
        found: Polygons = []
        for _ in range(element.count):
            for i, one in enumerate(element.fields):
                values = self._values(one)
                if i == which:
                    found.append(_indices(values))
        return found

    def _triangles(self, element: _Element) -> Polygons:
        """Return all faces at once; empty if not all are triangles."""
        one = element.fields[0]
        record = np.dtype([("count", one.length), ("v", one.kind, (3,))])
        if len(self._body) - self._at < element.count * record.itemsize:
            return []
        rows = np.frombuffer(self._body, record, element.count, self._at)
        if (rows["count"] != 3).any():
            return []
        self._at += element.count * record.itemsize
        return list(rows["v"].astype(np.int64))

    def _text_entry(self, line: bytes, element: _Element, which: int) -> npt.NDArray[np.int64]:
        """Return one list of a line."""
        words, at = line.split(), 0
        for i, one in enumerate(element.fields):
            count = 1
            if one.length is not None:
                count = int(float(words[at])) if at < len(words) else -1
                at += 1
            if count < 0 or at + count > len(words):
                raise BadValue("is cut off: a face has too few numbers")
            if i == which:
                return _indices(np.array(words[at : at + count], float))
            at += count
        raise BadValue("has a face without vertex_indices")

    def _skip(self, element: _Element) -> None:
        """Pass all entries of an element."""
        if not element.fields:
            return
        if self._text:
            self._lines(element.count)
        elif all(one.length is None for one in element.fields):
            self._at += element.count * element.record().itemsize
        else:
            for _ in range(element.count):
                for one in element.fields:
                    self._values(one)

    def _values(self, one: _Field) -> Column:
        """Return the next binary values of a field."""
        count = 1
        if one.length is not None:
            count = int(self._take(one.length, 1)[0])
        return self._take(one.kind, count)

    def _take(self, kind: np.dtype[Any], count: int) -> Column:
        if count < 0 or len(self._body) - self._at < count * kind.itemsize:
            raise BadValue("is cut off")
        values = np.frombuffer(self._body, kind, count, self._at)
        self._at += values.nbytes
        return values

    def _lines(self, count: int) -> list[bytes]:
        """Return the next lines of a text file, fewer at its end."""
        lines = self._body[self._at :].split(b"\n", count)[:count]
        self._at += sum(map(len, lines)) + len(lines)
        return lines


def _indices(values: Column) -> npt.NDArray[np.int64]:
    """Return the indices of corners, which a file may give as numbers of any type."""
    if not (np.abs(values.astype(float)) < 2**53).all():
        raise BadValue("has a face with a corner that is no whole number")
    return values.astype(np.int64)


def _header(lines: list[str]) -> tuple[bool, list[_Element]]:
    """Return whether the data is text, and the elements."""
    form, elements = "", list[_Element]()
    for line in lines:
        words = line.split()
        if not words or words[0] in ("comment", "obj_info"):
            continue
        if words[0] == "format" and len(words) >= 2:
            form = words[1]
            if form not in _ORDERS:
                raise BadValue(f"has the format {form}; allowed: {', '.join(_ORDERS)}")
        elif words[0] == "element" and len(words) == 3:
            elements.append(_Element(words[1], _count(words[2])))
        elif words[0] == "property" and elements:
            elements[-1].fields.append(_property(words, line, _ORDERS.get(form, "<")))
        else:
            raise BadValue(f"has '{line.strip()[:60]}' in its header")
    if not form:
        raise BadValue("has no format line in its header")
    return form == "ascii", elements


def _count(word: str) -> int:
    """Return a declared number of entries; 0 if it is no number."""
    return int(word) if re.fullmatch("[0-9]{1,18}", word) else 0


def _property(words: list[str], line: str, order: str) -> _Field:
    types = words[2:4] if words[1:2] == ["list"] else words[1:2]
    if (
        len(words) < 3
        or len(words) != len(types) + (3 if len(types) == 2 else 2)
        or not set(types) <= set(_TYPES)
    ):
        raise BadValue(f"has '{line.strip()[:60]}' in its header, which is no number or list")
    kinds = [np.dtype(order + _TYPES[name]) for name in types]
    return _Field(words[-1], kinds[-1], kinds[0] if len(kinds) == 2 else None)


def number_rows(text: bytes, comments: Sequence[str] | None = None) -> Array:
    """Return the table of numbers in a text, (rows, columns); ``comments`` are their prefixes."""
    if not text.strip():
        raise BadValue("has no points")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # text that is all comments
            table = np.loadtxt(io.BytesIO(text), ndmin=2, comments=comments)
    except (ValueError, StopIteration) as error:
        reason = (str(error).splitlines() or ["it has none"])[0]
        raise BadValue(f"has a line that is not a row of numbers ({reason})") from None
    if not table.size:
        raise BadValue("has no points")
    return np.asarray(table, float)
