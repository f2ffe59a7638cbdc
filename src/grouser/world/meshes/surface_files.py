"""Writers of surface files: PLY (MeshLab, CloudCompare) and GLB (browsers).

PLY files have z up. GLB files have y up, as the standard requires: z becomes y, y becomes -z.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from grouser import files
from grouser.frames import Array
from grouser.scan.cloud import Colours
from grouser.world.meshes.triangle_mesh import TriangleMesh

FLOAT, UINT = 5126, 5125  # glTF 2.0, accessor component types
VERTICES, INDICES = 34962, 34963  # glTF 2.0, buffer view targets
SAND = (0.80, 0.74, 0.62)
"""Colour of a surface without colours."""


def write_ply(path: Path, mesh: TriangleMesh, colours: Colours | None = None) -> None:
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


def write_glb(path: Path, mesh: TriangleMesh, colours: Colours | None = None) -> None:
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
        {
            "bufferView": len(arrays),
            "componentType": UINT,
            "count": len(indices),
            "type": "SCALAR",
        }
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
