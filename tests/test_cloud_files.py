"""Point cloud files: all formats are read; every fault is reported in one sentence."""

import io
import json
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from grouser.errors import BadValue
from grouser.scan.cloud import PointCloud, concatenate_clouds
from grouser.scan.cloud_files import read_cloud
from grouser.scan.depth_picture import Intrinsics
from grouser.scan.pcd_file import decompress, read_pcd

ROWS, COLUMNS = 6, 9
POINTS = np.random.default_rng(0).uniform(-2, 2, (ROWS * COLUMNS, 3)).astype(np.float32)
POINTS[7] = np.nan
COLOURS = np.random.default_rng(1).integers(0, 256, (ROWS * COLUMNS, 3)).astype(np.uint8)


def lzf(data: bytes) -> bytes:
    """Compress bytes as LZF: references to the last 8191 bytes, and literals."""
    out, at, plain = bytearray(), 0, bytearray()

    def flush() -> None:
        for start in range(0, len(plain), 32):
            part = plain[start : start + 32]
            out.extend(bytes([len(part) - 1]) + part)
        plain.clear()

    while at < len(data):
        found = (
            data.rfind(data[at : at + 4], max(0, at - 8191), at + 3) if at + 4 <= len(data) else -1
        )
        if found < 0:
            plain.append(data[at])
            at += 1
            continue
        length = 4
        while (
            length < 264
            and data[at + length : at + length + 1] == (data[found + length : found + length + 1])
            and at + length < len(data)
        ):
            length += 1
        flush()
        back, short = at - found - 1, length - 2
        out.append((min(short, 7) << 5) | (back >> 8))
        if short >= 7:
            out.append(short - 7)
        out.append(back & 255)
        at += length
    flush()
    return bytes(out)


def pcd(
    data: str = "binary",
    points: npt.NDArray[np.float32] = POINTS,
    head: Mapping[str, str | None] | None = None,
    viewpoint: str = "1 2 3 1 0 0 0",
) -> bytes:
    """Return a PCD file with a field that has two numbers, x, y, z and colours."""
    record = np.zeros(
        len(points), [("pair", "<u2", 2), ("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("rgb", "<u4")]
    )
    for axis, name in enumerate("xyz"):
        record[name] = points[:, axis]
    red, green, blue = COLOURS[: len(points)].astype(np.uint32).T
    record["rgb"] = red << 16 | green << 8 | blue
    fields: dict[str, str | None] = {
        "VERSION": "0.7", "FIELDS": "pair x y z rgb", "SIZE": "2 4 4 4 4", "TYPE": "U F F F U",
        "COUNT": "2 1 1 1 1", "WIDTH": str(COLUMNS), "HEIGHT": str(ROWS),
        "VIEWPOINT": viewpoint, "POINTS": str(ROWS * COLUMNS), "DATA": data,
    }  # fmt: skip
    fields |= dict(head or {})
    fields["DATA"] = fields.pop("DATA")  # the last line of the header
    lines = "".join(f"{key} {value}\n" for key, value in fields.items() if value is not None)
    text = f"# .PCD v0.7\n{lines}".encode()
    if data == "binary":
        return text + record.tobytes()
    if data == "binary_compressed":
        plain = b"".join(
            np.ascontiguousarray(record[name]).tobytes() for name in record.dtype.names or ()
        )
        packed = lzf(plain)
        return text + struct.pack("<II", len(packed), len(plain)) + packed
    rows = (
        f"0 0 {x:.9g} {y:.9g} {z:.9g} {c}"
        for (x, y, z), c in zip(points, record["rgb"], strict=True)
    )
    return text + "\n".join(rows).encode()


def ply(
    form: str = "binary_little_endian", points: npt.NDArray[np.float32] = POINTS, count: str = ""
) -> bytes:
    """Return a PLY file with points, colours and one face."""
    order = ">" if "big" in form else "<"
    head = (
        f"ply\nformat {form} 1.0\ncomment none\nelement vertex {count or len(points)}\n"
        "property double x\nproperty float y\nproperty float z\n"
        "property uchar red\nproperty uchar green\nproperty uchar blue\n"
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    ).encode()
    kinds = [("x", "f8"), ("y", "f4"), ("z", "f4"), ("r", "u1"), ("g", "u1"), ("b", "u1")]
    record = np.zeros(len(points), [(name, order + kind) for name, kind in kinds])
    for column, name in enumerate(record.dtype.names or ()):
        record[name] = (points if column < 3 else COLOURS[: len(points)])[:, column % 3]
    if form == "ascii":
        return (
            head
            + "".join(
                f"{x:.9g} {y:.9g} {z:.9g} {r} {g} {b}\n" for x, y, z, r, g, b in record
            ).encode()
            + b"3 0 1 2\n"
        )
    return head + record.tobytes() + b"\x03" + b"\0" * 12


def write(tmp_path: Path, name: str, content: bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("data", ["ascii", "binary", "binary_compressed"])
def test_pcd_files_are_read(tmp_path: Path, data: str) -> None:
    cloud = read_cloud(write(tmp_path, "a.pcd", pcd(data)))
    np.testing.assert_array_equal(cloud.points, POINTS.astype(float))
    np.testing.assert_array_equal(cloud.colours, COLOURS)
    assert cloud.shape == (ROWS, COLUMNS)
    assert cloud.origins is not None
    assert cloud.origins.tolist() == [1, 2, 3]
    assert cloud.seen.sum() == ROWS * COLUMNS - 1


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_ply_files_are_read(tmp_path: Path, form: str) -> None:
    cloud = read_cloud(write(tmp_path, "a.PLY", ply(form)))
    np.testing.assert_allclose(cloud.points, POINTS, rtol=1e-7)
    np.testing.assert_array_equal(cloud.colours, COLOURS)
    assert cloud.shape is None


@pytest.mark.parametrize("text", ["{} {} {}\n", "{},{},{}\n", "{};{};{};0.5;12;13;14\n"])
def test_xyz_files_are_read(tmp_path: Path, text: str) -> None:
    rows = "".join(text.format(*row) for row in POINTS.tolist())
    cloud = read_cloud(write(tmp_path, "a.xyz", f"x y z\n# comment\n{rows}".encode()))
    np.testing.assert_allclose(cloud.points, POINTS, rtol=1e-7)
    assert (cloud.colours is None) == (";" not in text)


def test_npz_files_are_read(tmp_path: Path) -> None:
    cloud = PointCloud(POINTS.astype(float), (ROWS, COLUMNS), COLOURS, np.array([0.0, 1, 2]))
    np.savez_compressed(
        tmp_path / "a.npz",
        points=cloud.points.reshape(ROWS, COLUMNS, 3),
        colours=COLOURS,
        origin=np.array([0.0, 1, 2]),
    )
    again = read_cloud(tmp_path / "a.npz")
    np.testing.assert_array_equal(again.points, cloud.points)
    np.testing.assert_array_equal(again.colours, COLOURS)
    assert again.shape == (ROWS, COLUMNS)
    assert again.origins is not None
    assert again.origins.tolist() == [0, 1, 2]


def depth_png(tmp_path: Path, counts: npt.NDArray[np.int64], name: str = "depth.png") -> Path:
    Image.fromarray(counts.astype(np.uint16)).save(tmp_path / name)
    return tmp_path / name


def test_depth_image_with_intrinsics(tmp_path: Path) -> None:
    counts = np.full((48, 64), 1500)
    counts[0, 0] = 0
    path = depth_png(tmp_path, counts)
    with pytest.raises(BadValue, match=r"needs its camera's intrinsics .*depth.json beside it"):
        read_cloud(path)
    intrinsics = Intrinsics(fx=60, fy=60, cx=31.5, cy=23.5)
    cloud = read_cloud(path, intrinsics)
    (tmp_path / "depth.json").write_text(json.dumps({"fx": 60, "fy": 60, "cx": 31.5, "cy": 23.5}))
    np.testing.assert_array_equal(read_cloud(path).points, cloud.points)
    assert cloud.shape == (48, 64)
    assert not cloud.seen[0]
    grid = cloud.points.reshape(48, 64, 3)
    assert grid[23, 31].tolist() == pytest.approx([-0.0125, -0.0125, 1.5])
    assert grid[47, 63].tolist() == pytest.approx([31.5 * 1.5 / 60, 23.5 * 1.5 / 60, 1.5])
    (tmp_path / "depth.json").write_text('{"fx": 60, "fy": 60, "cx": 31.5, "cy": 23.5, "untit": 1}')
    with pytest.raises(BadValue, match="'untit'; did you mean 'unit'"):
        read_cloud(path)
    Image.fromarray(np.zeros((4, 4), np.uint8)).save(tmp_path / "grey.png")
    with pytest.raises(BadValue, match="8 bits a pixel; depths are 16"):
        read_cloud(tmp_path / "grey.png", intrinsics)
    whole = path.read_bytes()
    with pytest.raises(BadValue, match="damaged or cut off"):
        read_cloud(write(tmp_path, "cut.png", whole[: len(whole) // 2]), intrinsics)


def assert_rejected(content: bytes, ending: str, message: str, tmp_path: Path, **more: Any) -> str:
    """Check that reading fails with one sentence; return it."""
    path = write(tmp_path, f"wrong{ending}", content)
    with pytest.raises(BadValue, match=message) as caught:
        read_cloud(path, **more)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ({"DATA": "zip"}, "DATA zip; ascii, binary, binary_compressed are known"),
        ({"FIELDS": None}, "header without FIELDS"),
        ({"FIELDS": "pair x y w rgb"}, "and no z"),
        ({"SIZE": "2 4 4 4"}, "5 FIELDS, 4 SIZE"),
        ({"SIZE": "2 4 4 3 4"}, "field z of type F and size 3"),
        ({"WIDTH": "-9"}, "WIDTH -9, whole numbers"),
        ({"WIDTH": "9.5"}, "WIDTH 9.5, whole numbers"),
        ({"POINTS": "53"}, "WIDTH 9, HEIGHT 6, and POINTS 53"),
        ({"WIDTH": "0", "POINTS": "0"}, "has no points"),
        ({"VIEWPOINT": "0 0 0"}, "seven numbers"),
        ({"VIEWPOITN": "0 0 0"}, "'VIEWPOITN' in its header; did you mean 'VIEWPOINT'"),
        ({"COUNT": "2000 1 1 1 1"}, "COUNT 2000"),
        ({"WIDTH": "100000", "HEIGHT": "100000", "POINTS": "10000000000"}, "at most 30,000,000"),
    ],
)
def test_invalid_headers_of_pcd_files_are_rejected(
    tmp_path: Path, head: dict[str, str | None], message: str
) -> None:
    assert_rejected(pcd(head=head), ".pcd", message, tmp_path)


def test_decompression_bombs_are_rejected_before_allocation(tmp_path: Path) -> None:
    """A short file that declares 30 million points, more than LZF can expand to."""
    many = {"WIDTH": "5000", "HEIGHT": "6000", "POINTS": "30000000"}
    head = pcd("binary_compressed", head=many).partition(b"DATA")[0] + b"DATA binary_compressed\n"
    size = 30_000_000 * 20
    assert_rejected(
        head + struct.pack("<II", 9, size) + b"\xff" * 9, ".pcd", "more than LZF can", tmp_path
    )
    assert_rejected(
        head + struct.pack("<II", 9, 400) + b"\xff" * 9,
        ".pcd",
        "declares 400 decompressed bytes",
        tmp_path,
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        array = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            array, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 3)}
        )
        archive.writestr("points.npy", array.getvalue() + b"\0" * 10**6)
    assert_rejected(
        buffer.getvalue(), ".npz", "3,000,000,000 numbers in points, at most 90,000,000", tmp_path
    )
    wide = struct.pack(">IIBBBBB", 10**6, 10**6, 16, 0, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + wide + b"\0" * 20
    assert_rejected(
        png, ".png", "1,000,000,000,000 points", tmp_path, intrinsics=Intrinsics(1, 1, 0, 0)
    )


@pytest.mark.parametrize("data", ["ascii", "binary", "binary_compressed"])
def test_truncated_pcd_files_are_rejected(tmp_path: Path, data: str) -> None:
    whole = pcd(data)
    for length in range(0, len(whole) - 5, 7):
        with pytest.raises(BadValue):
            read_pcd(whole[:length])
    assert_rejected(whole[: len(whole) * 2 // 3], ".pcd", "cut off|not a row of numbers", tmp_path)


def test_other_truncated_files_are_rejected(tmp_path: Path) -> None:
    assert_rejected(ply()[:600], ".ply", "of its 54 vertices: it is cut off", tmp_path)
    assert_rejected(ply("ascii")[:700], ".ply", "cut off|not a row of numbers", tmp_path)
    assert_rejected(ply(count="many"), ".ply", "no points", tmp_path)
    assert_rejected(b"plx" + ply()[3:], ".ply", "is no PLY file", tmp_path)
    assert_rejected(
        ply().replace(b"float z", b"float w"), ".ply", "x, y, w.*x, y, z are needed", tmp_path
    )
    assert_rejected(b"1 2\n3 4\n", ".xyz", "2 numbers a line", tmp_path)
    assert_rejected(b"1 2 3\n4 5\n", ".xyz", "not a row of numbers", tmp_path)
    assert_rejected(b"", ".xyz", "has no points", tmp_path)
    assert_rejected(b"# comment\n", ".xyz", "has no points", tmp_path)
    np.savez_compressed(tmp_path / "a.npz", points=POINTS.astype(float))
    assert_rejected(
        (tmp_path / "a.npz").read_bytes()[:-200], ".npz", "damaged or cut off", tmp_path
    )
    buffer = io.BytesIO()
    np.savez(buffer, point=POINTS)
    assert_rejected(buffer.getvalue(), ".npz", "holds point; points are needed", tmp_path)
    buffer = io.BytesIO()
    np.savez(buffer, points=np.array([{"a": 1}], object))
    assert_rejected(buffer.getvalue(), ".npz", "numbers are needed", tmp_path)


def test_empty_clouds_millimetres_and_unknown_endings_are_rejected(tmp_path: Path) -> None:
    empty = np.full_like(POINTS, np.nan)
    assert_rejected(pcd(points=empty), ".pcd", "54 points, none of them finite", tmp_path)
    assert_rejected(
        pcd(points=POINTS * 1000), ".pcd", r"has an extent of 3,\d+ m; .*millimetres", tmp_path
    )
    cloud = read_cloud(write(tmp_path, "mm.pcd", pcd(points=POINTS * 1000)), unit=0.001)
    np.testing.assert_allclose(cloud.points, POINTS, rtol=1e-6)
    assert cloud.origins is not None
    np.testing.assert_allclose(cloud.origins, np.array([0.001, 0.002, 0.003]))
    with pytest.raises(BadValue, match="clouds end in .*did you mean '.pcd'"):
        read_cloud("a.pdc")
    with pytest.raises(BadValue, match="there is no such file"):
        read_cloud(tmp_path / "none.pcd")


@settings(max_examples=60)
@given(st.binary(max_size=3000))
def test_lzf_round_trip(data: bytes) -> None:
    data = data + data[: len(data) // 2] + b"abcabcabc" * 50
    packed = lzf(data)
    assert decompress(packed, len(data)) == data
    with pytest.raises(BadValue):
        decompress(packed[:-1], len(data))


def test_clouds_reject_inconsistent_arrays() -> None:
    with pytest.raises(BadValue, match="not \\(n, 3\\)"):
        PointCloud(np.zeros((4, 2)))
    with pytest.raises(BadValue, match="2 rows of 3 columns are not 4 points"):
        PointCloud(np.zeros((4, 3)), (2, 3))
    with pytest.raises(BadValue, match="origins"):
        PointCloud(np.zeros((4, 3)), origins=np.zeros((3, 3)))
    one, two = (PointCloud(np.zeros((2, 3)), origins=np.full(3, float(k))) for k in (1, 2))
    same, mixed = concatenate_clouds([one, one]), concatenate_clouds([one, two])
    np.testing.assert_array_equal(same.origins, [1, 1, 1])
    assert mixed.origins is not None
    assert mixed.origins.tolist() == [[1] * 3] * 2 + [[2] * 3] * 2
