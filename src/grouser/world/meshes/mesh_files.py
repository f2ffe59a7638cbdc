"""Mesh files: readers of STL, PLY and OBJ, writers of STL, PLY and GLB.

STL and PLY files have z up. GLB files have y up, as the standard requires: z becomes y, y becomes
-z. Readers limit the size of a file and raise one sentence for damaged ones.
"""

from __future__ import annotations

import functools
import json
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser import files
from grouser.errors import BadValue
from grouser.frames import Array
from grouser.world.meshes.ply_file import PlyFile, Polygons
from grouser.world.meshes.triangle_mesh import MOST_TRIANGLES, TriangleMesh

Triangles = npt.NDArray[np.float32]
"""Corners of triangles, counter-clockwise seen from outside, (n, 3, 3), m."""

MOST_BYTES = 1 << 29
"""Largest size of a file, bytes; more than `MOST_TRIANGLES` need."""

_STL_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
_STL_VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")

FLOAT, UINT = 5126, 5125  # glTF 2.0, accessor component types
VERTICES, INDICES = 34962, 34963  # glTF 2.0, buffer view targets
SAND = (0.80, 0.74, 0.62)
"""Colour of a surface without colours."""


def read_mesh(path: Path) -> TriangleMesh:
    """Return the mesh in a file, in the file's units; cached until the file changes."""
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
        ".stl": _stl_mesh,
        ".ply": _read_ply,
        ".obj": _read_obj,
    }
    ending = path.suffix.lower()
    if ending not in readers:
        raise BadValue(f"must end in {' or '.join(sorted(readers))}")
    content = files.read_bytes(path, MOST_BYTES)
    try:
        return readers[ending](content)
    except (ValueError, LookupError, OverflowError, struct.error) as error:
        if isinstance(error, BadValue):
            raise
        raise BadValue(f"is no {ending[1:].upper()} file, or is cut off") from None


def read_stl(content: bytes) -> Triangles:
    """Return the triangles in the bytes of an STL file, binary or text."""
    count = struct.unpack_from("<I", content, 80)[0] if len(content) >= 84 else 0
    if count and len(content) >= 84 + count * _STL_RECORD.itemsize:
        triangles = np.frombuffer(content, _STL_RECORD, count, 84)["corners"]
    else:
        try:
            numbers = np.array(_STL_VERTEX.findall(content), np.float32)
        except ValueError:
            numbers = np.empty(0, np.float32)
        if not numbers.size or numbers.size % 9:
            raise BadValue("is no STL file, or has no triangles")
        triangles = numbers.reshape(-1, 3, 3)
    if not np.isfinite(triangles).all():
        raise BadValue("has corners that are not finite")
    return np.array(triangles)


def _stl_mesh(content: bytes) -> TriangleMesh:
    return TriangleMesh.of_triangles(read_stl(content))


def _read_obj(content: bytes) -> TriangleMesh:
    """Return the mesh of an OBJ file; materials, normals and texture coordinates are ignored."""
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
    return _weld(np.array(corners), _fans(polygons))


def _read_ply(content: bytes) -> TriangleMesh:
    file = PlyFile(content)
    if file.count("face") > MOST_TRIANGLES:
        raise BadValue(
            f"declares {file.count('face'):,} faces, at most {MOST_TRIANGLES:,} are allowed"
        )
    if not file.count("face"):
        raise BadValue("has no triangles: it is a cloud of points")
    corners, polygons = file.mesh()
    return _weld(corners, _fans(polygons))


def _fans(polygons: Polygons) -> npt.NDArray[np.int64]:
    """Return polygons split into triangle fans around their first corner."""
    triangles = np.array([p for p in polygons if len(p) == 3], np.int64).reshape(-1, 3)
    larger = [(p[0], p[i], p[i + 1]) for p in polygons if len(p) > 3 for i in range(1, len(p) - 1)]
    return np.concatenate([triangles, np.array(larger, np.int64).reshape(-1, 3)])


def _weld(corners: npt.NDArray[np.float64], faces: npt.NDArray[np.int64]) -> TriangleMesh:
    """Return a mesh; if it is open with the given indices, equal corners are merged."""
    mesh = TriangleMesh.of(corners, faces)
    return mesh if not mesh.open_edges else TriangleMesh.of_triangles(mesh.triangles)


def write_stl(path: Path, triangles: Triangles) -> None:
    """Write triangles (m) as a binary STL file atomically."""
    files.write_bytes(path, stl_bytes(triangles, b"grouser: the ground of a world, in metres"))


def stl_bytes(triangles: Triangles, title: bytes = b"grouser, in metres") -> bytes:
    """Return triangles (m) as a binary STL file with a title of at most 80 bytes."""
    record = np.zeros(len(triangles), _STL_RECORD)
    record["corners"] = triangles
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    record["normal"] = normal / np.where(length > 0, length, 1.0)
    return title.ljust(80) + struct.pack("<I", len(triangles)) + record.tobytes()


def write_ply(path: Path, mesh: TriangleMesh, colours: npt.NDArray[np.uint8] | None = None) -> None:
    """Write a surface (m) as a binary PLY file atomically."""
    fields: list[tuple[str, str, tuple[int, ...]]] = [
        ("place", "<f4", (3,)),
        ("normal", "<f4", (3,)),
    ]
    names = [f"property float {name}" for name in ("x", "y", "z", "nx", "ny", "nz")]
    if colours is not None:
        fields.append(("colour", "u1", (3,)))
        names += [f"property uchar {name}" for name in ("red", "green", "blue")]
    vertices = np.zeros(len(mesh.vertices), np.dtype(fields))
    vertices["place"], vertices["normal"] = mesh.vertices, mesh.vertex_normals()
    if colours is not None:
        vertices["colour"] = colours
    faces = np.zeros(len(mesh.faces), np.dtype([("count", "u1"), ("corners", "<i4", (3,))]))
    faces["count"], faces["corners"] = 3, mesh.faces
    head = [
        *("ply", "format binary_little_endian 1.0", "comment the ground of a scan, in metres"),
        *(f"element vertex {len(vertices)}", *names),
        *(f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header"),
    ]
    header = ("\n".join(head) + "\n").encode()
    files.write_bytes(path, header + vertices.tobytes() + faces.tobytes())


def write_glb(path: Path, mesh: TriangleMesh, colours: npt.NDArray[np.uint8] | None = None) -> None:
    """Write a surface (m) as a GLB file (glTF 2.0, y up) atomically."""
    places, normals = _y_up(mesh.vertices), _y_up(mesh.vertex_normals())
    # glTF does not allow normals of zero length.
    normals[~normals.any(axis=1)] = (0.0, 1.0, 0.0)
    arrays: dict[str, Any] = {"POSITION": places, "NORMAL": normals}
    if colours is not None:
        # Vertex colours are linear in glTF, those of pictures are sRGB.
        arrays["COLOR_0"] = ((colours / 255.0) ** 2.2).astype("<f4")
    indices = mesh.faces.astype("<u4").ravel()
    accessors: list[dict[str, Any]] = [
        _accessor(i, array) for i, array in enumerate(arrays.values())
    ]
    accessors[0] |= {"min": places.min(axis=0).tolist(), "max": places.max(axis=0).tolist()}
    accessors.append(
        {"bufferView": len(arrays), "componentType": UINT, "count": len(indices), "type": "SCALAR"}
    )
    parts = [*(array.tobytes() for array in arrays.values()), indices.tobytes()]
    begins = np.cumsum([0, *map(len, parts)]).tolist()
    views = [
        {
            "buffer": 0,
            "byteOffset": begin,
            "byteLength": len(part),
            "target": INDICES if i == len(arrays) else VERTICES,
        }
        for i, (begin, part) in enumerate(zip(begins, parts, strict=False))
    ]
    material = {
        "doubleSided": True,
        "pbrMetallicRoughness": {
            "baseColorFactor": [*((1.0, 1.0, 1.0) if colours is not None else SAND), 1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": 1.0,
        },
    }
    attributes = {name: i for i, name in enumerate(arrays)}
    primitive = {"attributes": attributes, "indices": len(arrays), "material": 0}
    content = {
        "asset": {"version": "2.0", "generator": "grouser"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "ground"}],
        "meshes": [{"primitives": [primitive]}],
        "materials": [material],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": begins[-1]}],
    }
    files.write_bytes(path, _glb(json.dumps(content).encode(), b"".join(parts)))


def _accessor(number: int, array: Array) -> dict[str, Any]:
    return {"bufferView": number, "componentType": FLOAT, "count": len(array), "type": "VEC3"}


def _y_up(vectors: Array) -> Array:
    return np.stack([vectors[:, 0], vectors[:, 2], -vectors[:, 1]], axis=1).astype("<f4")


def _glb(text: bytes, binary: bytes) -> bytes:
    """Return the file of two chunks, each padded to a multiple of four bytes."""
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
