"""Small valid files of every format, their readers, and ways to damage them."""

from __future__ import annotations

import io
import json
import random
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from grouser.evaluation.trajectory import read_trajectory
from grouser.robots.custom.custom_robot import load_robot
from grouser.robots.custom.model_files import read_model
from grouser.robots.custom.robot_file import RobotFile
from grouser.scan.cloud_files import read_cloud
from grouser.scan.depth_picture import Intrinsics, read_intrinsics
from grouser.service.access import tokens
from grouser.world.bml_file import import_bml
from grouser.world.file import load
from grouser.world.meshes.mesh_files import read_mesh
from grouser.world.terrain.convex_pieces import read_pieces
from grouser.world.terrain.height_map import read_map

WORDS = (
    *(b"nan", b"inf", b".Nan", b".INF", b"1e999", b"-1", b"0", b"1_0", b"99999999999999999999"),
    *(b"1e-320", b"4294967295", b"\r", b"\n", b"\r\n", b" ", b"\t", b"\0", b"{", b"[", b"]", b"}"),
    *(b"\xff\xff\xff\xff", b"\x00\x00\x00\x00", b"\xd9\xa3", b"\xc2\xb2", b"\xe2\x80\xa8", b"\x1c"),
    *(b"'", b'"', b"#", b": ", b"- ", b"list", b"vertex", b"face", b"<", b"/>", b"=", b"()"),
)
"""Byte strings that a damaged file may contain at any place."""

Edit = tuple[str, int, int]
"""Kind of a change, position in the file, and its size or the number of a word."""
EDITS = ("flip", "set", "cut", "delete", "double", "word", "replace", "shorten")


def random_edits(chance: random.Random, count: int) -> list[Edit]:
    """Return random changes."""
    return [
        (chance.choice(EDITS), chance.randrange(1 << 16), chance.randrange(1 << 16))
        for _ in range(count)
    ]


def damage(content: bytes, edits: Sequence[Edit]) -> bytes:
    """Return ``content`` after all ``edits``."""
    data = bytearray(content)
    for kind, position, size in edits:
        at = position % (len(data) + 1)
        if kind == "flip" and at < len(data):
            data[at] ^= 1 << size % 8
        elif kind == "set" and at < len(data):
            data[at] = size % 256
        elif kind == "cut":
            del data[at:]
        elif kind == "delete":
            del data[at : at + size % 16 + 1]
        elif kind == "double":
            data[at:at] = data[at : at + size % 64 + 1]
        elif kind == "word":
            data[at:at] = WORDS[size % len(WORDS)]
        elif kind == "replace":
            word = WORDS[size % len(WORDS)]
            data[at : at + len(word)] = word
        elif kind == "shorten":
            end = data.find(b"\n", at)
            del data[at : end if end >= 0 else len(data)]
    return bytes(data)


@dataclass(frozen=True)
class FileKind:
    """One format with its reader."""

    name: str
    """Name of the file, whose ending selects the reader."""
    content: bytes
    """A small valid file."""
    read: Callable[[Path], object]
    """Reads the file at a path."""


CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))


def _rows(table: Any) -> str:
    return "".join(" ".join(f"{value:g}" for value in row) + "\n" for row in table)


def _stl() -> bytes:
    record = np.zeros(4, np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("m", "<u2")]))
    record["corners"] = CORNERS[np.array(FACES)]
    return b"x" * 80 + struct.pack("<I", 4) + record.tobytes()


def _stl_text() -> bytes:
    facets = (
        "facet normal 0 0 0\nouter loop\n"
        + "".join("vertex " + " ".join(f"{v:g}" for v in CORNERS[i]) + "\n" for i in face)
        + "endloop\nendfacet\n"
        for face in FACES
    )
    return f"solid x\n{''.join(facets)}endsolid\n".encode()


_PLY_HEAD = (
    "ply\nformat {} 1.0\nelement other 1\nproperty list uchar int some\nelement vertex 4\n"
    "property float x\nproperty float y\nproperty float z\n"
    "element face 4\nproperty list uchar int vertex_indices\nproperty uchar mark\nend_header\n"
)


def _ply_text() -> bytes:
    faces = "".join(f"3 {a} {b} {c} 0\n" for a, b, c in FACES)
    return (_PLY_HEAD.format("ascii") + "2 5 6\n" + _rows(CORNERS) + faces).encode()


def _ply_binary() -> bytes:
    faces = b"".join(struct.pack("<B3iB", 3, *face, 0) for face in FACES)
    body = struct.pack("<Bii", 2, 5, 6) + CORNERS.astype("<f4").tobytes() + faces
    return _PLY_HEAD.format("binary_little_endian").encode() + body


_PCD_HEAD = (
    "VERSION 0.7\nFIELDS pair x y z\nSIZE 2 4 4 4\nTYPE U F F F\nCOUNT 2 1 1 1\nWIDTH 2\n"
    "HEIGHT 2\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 4\nDATA {}\n"
)


def _pcd(data: str) -> bytes:
    head = _PCD_HEAD.format(data).encode()
    if data == "ascii":
        return head + _rows([[1, 2, *corner] for corner in CORNERS]).encode()
    record = np.zeros(4, [("pair", "<u2", 2), ("x", "<f4"), ("y", "<f4"), ("z", "<f4")])
    record["x"], record["y"], record["z"] = CORNERS.T
    if data == "binary":
        return head + record.tobytes()
    plain = b"".join(record[name].tobytes() for name in ("pair", "x", "y", "z"))
    parts = [plain[at : at + 32] for at in range(0, len(plain), 32)]
    packed = b"".join(bytes([len(part) - 1]) + part for part in parts)
    return head + struct.pack("<II", len(packed), len(plain)) + packed


def _npz(arrays: Mapping[str, Any], *, packed: bool = False) -> bytes:
    out = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(out, **arrays)
    return out.getvalue()


def _npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def lzma_npz(name: str) -> bytes:
    """Return an archive with a compression method that NumPy does not write."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr(f"{name}.npy", _npy(CORNERS))
    return out.getvalue()


def _png(pixels: Any) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


HEIGHTS = np.array([[0, 0.1, 0.1], [0, 0.2, 0.3], [0.1, 0.1, 0.3]])
LOG = {name: np.array([0.0, 0.1, 0.2, 0.3]) for name in ("t", "x", "z", "pitch")}
WORLD = b"""\
name: damaged
physics: {timestep: 0.002}
terrain:
  - {kind: flat, friction: 0.8}
  - kind: step
    x: 1
    height: 0.12
objects:
  - {name: crate, kind: box, position: [2, 0, 1], size: [1, 1, 1], mass: 3, friction: 0.5}
triggers:
  - {name: door, kind: box, position: [1, 0, 0], size: [1, 1, 1], by: [robots], fires: [hi]}
events:
  - {name: hi, do: ["say {who} is here"]}
robots:
  - {name: quince, kind: quince, position: [0, 0.5], options: {front_deg: 45}}
"""
BML = b"""\
scene_file: "empty.ttt"
objects: [{model_filename: "stl_object.ttm", stl_filename: "bridge.stl",
           position: [0.0, 0.0, 0.0], orientation: [0.0, 0.0, 0.0, 1.0]}]
robots: [{model_filename: "6leg_crawler_non_threaded.ttm",
          position: [0.0, -1.6, 0.045], orientation: [0, 0.0, 0, 1]}]
"""
URDF = b"""\
<?xml version="1.0"?>
<robot name="cart">
  <link name="base">
    <inertial><mass value="2"/><origin xyz="0 0 0.1" rpy="0 0 0"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.4 0.3 0.1"/></geometry></collision>
    <visual><geometry><cylinder radius="0.1" length="0.2"/></geometry></visual>
  </link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <joint name="lift" type="revolute">
    <parent link="base"/><child link="arm"/><origin xyz="0.2 0 0.1" rpy="0 0.1 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="2"/>
  </joint>
</robot>
"""
MJCF = b"""\
<mujoco model="cart">
  <compiler angle="radian"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="base" pos="0 0 0.1">
      <freejoint/>
      <geom type="box" size="0.2 0.15 0.05" mass="2"/>
      <body name="arm" pos="0.2 0 0.05">
        <joint name="lift" axis="0 1 0" range="-1 1"/>
        <geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.02" mass="1"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="lift" ctrlrange="-1 1" gear="5"/></actuator>
</mujoco>
"""
ROBOT = b"""\
name: cart
model: cart.urdf
drives:
  lift: {torque: 5, speed: 2}
"""
_INTRINSICS = Intrinsics(fx=100.0, fy=100.0, cx=1.0, cy=1.0)
_SPEC = RobotFile(name="cart", model="cart.urdf")


BESIDE = {"bridge.stl": _stl(), "cart.urdf": URDF}
"""Files that others refer to, by name."""


def _read_model(path: Path) -> object:
    return read_model(path, _SPEC)


def _pieces() -> bytes:
    return _npz({"corners": CORNERS.astype(np.float32), "starts": np.array([0, 4])}, packed=True)


FILES: dict[str, FileKind] = {
    "stl": FileKind("a.stl", _stl(), read_mesh),
    "stl text": FileKind("a.stl", _stl_text(), read_mesh),
    "ply mesh text": FileKind("a.ply", _ply_text(), read_mesh),
    "ply mesh binary": FileKind("a.ply", _ply_binary(), read_mesh),
    "obj": FileKind(
        "a.obj",
        (
            "".join(f"v {r}\n" for r in _rows(CORNERS).splitlines())
            + "".join(f"f {a + 1}/1 {b + 1}//2 {c - 4}\n" for a, b, c in FACES)
        ).encode(),
        read_mesh,
    ),
    "pcd text": FileKind("a.pcd", _pcd("ascii"), read_cloud),
    "pcd binary": FileKind("a.pcd", _pcd("binary"), read_cloud),
    "pcd compressed": FileKind("a.pcd", _pcd("binary_compressed"), read_cloud),
    "ply cloud text": FileKind("a.ply", _ply_text(), read_cloud),
    "ply cloud binary": FileKind("a.ply", _ply_binary(), read_cloud),
    "xyz": FileKind("a.xyz", b"# points\n" + _rows(CORNERS).encode(), read_cloud),
    "npz cloud": FileKind(
        "a.npz", _npz({"points": CORNERS, "origin": CORNERS[0]}, packed=True), read_cloud
    ),
    "npz cloud stored": FileKind("a.npz", _npz({"points": CORNERS}), read_cloud),
    "depth picture": FileKind(
        "a.png",
        _png(np.arange(12, dtype=np.uint16).reshape(3, 4) * 100),
        lambda path: read_cloud(path, _INTRINSICS),
    ),
    "intrinsics": FileKind(
        "a.json",
        json.dumps({"fx": 500.0, "fy": 500.0, "cx": 320, "cy": 240}).encode(),
        read_intrinsics,
    ),
    "height map png": FileKind("a.png", _png((HEIGHTS * 255).astype(np.uint8)), read_map),
    "height map png 16": FileKind("a.png", _png((HEIGHTS * 255).astype(np.uint16)), read_map),
    "height map npy": FileKind("a.npy", _npy(HEIGHTS), read_map),
    "height map npz": FileKind("a.npz", _npz({"heights": HEIGHTS}, packed=True), read_map),
    "log csv": FileKind(
        "a.csv",
        b"t,x,z,pitch\n" + _rows(np.column_stack(list(LOG.values()))).encode().replace(b" ", b","),
        read_trajectory,
    ),
    "log npz": FileKind("a.npz", _npz(LOG), read_trajectory),
    "log npy": FileKind(
        "a.npy",
        _npy(np.zeros(3, [("t", "f8"), ("x", "f8"), ("z", "f8"), ("pitch", "f4")])),
        read_trajectory,
    ),
    "convex pieces": FileKind("a.npz", _pieces(), read_pieces),
    "world": FileKind("a.yaml", WORLD, load),
    "bml": FileKind("a.bml", BML, import_bml),
    "robot": FileKind("a.yaml", ROBOT, load_robot),
    "urdf": FileKind("cart.urdf", URDF, _read_model),
    "mjcf": FileKind("cart.xml", MJCF, _read_model),
    "tokens": FileKind(
        "tokens",
        b"drive watch: secret1secret1 # a\nall: secret2secret2\n",
        lambda path: tokens(path),
    ),
}
"""Every format that Grouser reads, by name."""
