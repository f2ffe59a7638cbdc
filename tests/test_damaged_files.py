"""Damaged files of every format: read, or rejected in one sentence, in bounded time and memory."""

from __future__ import annotations

import io
import itertools
import logging
import time
import tracemalloc
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.damaged_files import BESIDE, EDITS, FILES, MJCF, Edit, damage, lzma_npz

from grouser.errors import BadValue, GrouserError, WorldFileError
from grouser.robots.custom.model_files import mjcf_model
from grouser.scan.cloud_files import read_cloud
from grouser.world.file import load
from grouser.world.meshes.mesh_files import read_mesh

LONGEST_TIME = 2.0
"""CPU time of one file of a few kilobytes, s; undamaged ones take milliseconds."""
MOST_MEMORY = 64e6
"""Largest memory allocated for one such file, bytes."""
LONGEST_MESSAGE = 600

EDIT = st.tuples(st.sampled_from(EDITS), st.integers(0, 1 << 16), st.integers(0, 1 << 16))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folder with the files that others refer to; notices about files are not logged."""
    folder = tmp_path_factory.mktemp("damaged")
    for name, content in BESIDE.items():
        (folder / name).write_bytes(content)
    logging.disable(logging.WARNING)
    yield folder
    logging.disable(logging.NOTSET)


_numbers = itertools.count()


def check_read(kind: str, content: bytes, folder: Path) -> str:
    """Read ``content``; return the error message, empty if it was read."""
    path = folder / f"{next(_numbers)}_{FILES[kind].name}"
    path.write_bytes(content)
    message = ""
    tracemalloc.start()
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            FILES[kind].read(path)
    except GrouserError as error:
        message = str(error)
        assert 0 < len(message) < LONGEST_MESSAGE
        assert "\n" not in message
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        path.unlink()
    assert time.process_time() - start < LONGEST_TIME
    assert peak < MOST_MEMORY
    return message


@pytest.mark.parametrize("kind", FILES)
def test_undamaged_file_is_read(kind: str, folder: Path) -> None:
    assert check_read(kind, FILES[kind].content, folder) == ""


@pytest.mark.parametrize("kind", FILES)
def test_damaged_file_is_read_or_rejected(kind: str, folder: Path) -> None:
    @settings(max_examples=60, derandomize=True)
    @given(st.lists(EDIT, min_size=1, max_size=5))
    @example([("cut", 0, 0)])
    def check(edits: list[Edit]) -> None:
        check_read(kind, damage(FILES[kind].content, edits), folder)

    check()


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
def test_many_damaged_files_are_read_or_rejected(kind: str, folder: Path) -> None:
    @settings(max_examples=3000)
    @given(st.lists(EDIT, min_size=1, max_size=6))
    def check(edits: list[Edit]) -> None:
        check_read(kind, damage(FILES[kind].content, edits), folder)

    check()


def npy_with_head(head: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head


def npz_of(name: str, content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(name, content)
    return out.getvalue()


def encrypted_npz() -> bytes:
    """Return an archive whose flags declare its only array as encrypted."""
    content = bytearray(FILES["npz cloud stored"].content)
    content[6] |= 1  # local header
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def picture_with_two_heads() -> bytes:
    """Return a picture whose second header declares 10 000 x 10 000 pixels."""
    content = FILES["height map png"].content
    head = bytearray(content[8:33])
    head[8:16] = (10_000).to_bytes(4, "big") * 2
    head[21:25] = zlib.crc32(head[4:21]).to_bytes(4, "big")
    return content[:33] + bytes(head) + content[33:]


PLY_HEAD = FILES["ply mesh text"].content.partition(b"end_header\n")[0] + b"end_header\n"
PCD_HEAD = FILES["pcd text"].content.partition(b"DATA ascii\n")[0] + b"DATA ascii\n"

FOUND: dict[str, tuple[str, bytes, str]] = {
    "text after the vertices": (
        "ply mesh text",
        PLY_HEAD + b"2 5 6\n0 0 0\n",
        "1 of its 4 vertices",
    ),
    "no vertices": ("ply mesh text", PLY_HEAD + b"2 5 6\n", "has no points"),
    "blank lines for vertices": ("ply mesh text", PLY_HEAD + b"2 5 6\n\n\n\n\n", "has no points"),
    "corner that is nan": (
        "ply mesh text",
        FILES["ply mesh text"].content.replace(b"3 0 2 1", b"3 nan 2 1"),
        "no whole number",
    ),
    "infinite number of corners": (
        "ply mesh text",
        FILES["ply mesh text"].content.replace(b"3 0 2 1", b"inf 0 2 1"),
        "is no PLY file, or is cut off",
    ),
    "property without a type": (
        "ply cloud binary",
        FILES["ply cloud binary"].content.replace(b"property float x", b"property"),
        "'property' in its header",
    ),
    "huge index": ("obj", b"v 0 0 0\nf 99999999999999999999 1 1\n", "is no OBJ file"),
    "field of two numbers without data": (
        "pcd text",
        PCD_HEAD + b"1 2 0 0\n" * 4,
        "4 numbers a line",
    ),
    "field of no number": (
        "pcd text",
        FILES["pcd text"].content.replace(b"COUNT 2", b"COUNT 0"),
        "COUNT 0",
    ),
    "header of nested parentheses": (
        "height map npy",
        npy_with_head(b"(" * 4000),
        "is no NumPy array",
    ),
    "header of signs": ("height map npy", npy_with_head(b"-" * 9000 + b"1"), "is no NumPy array"),
    "header with a negative size": (
        "height map npy",
        npy_with_head(b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 3)}"),
        "shape (-1, 3)",
    ),
    "no elements and a huge axis": (
        "height map npy",
        npy_with_head(
            b"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 9999999999999999999)}"
        ),
        "of shape (0, 9999999999999999999)",
    ),
    "coordinate of two numbers": (
        "pcd binary",
        FILES["pcd binary"].content.replace(b"COUNT 2 1 1 1", b"COUNT 2 2 1 1"),
        "field x with COUNT 2",
    ),
    "large array in a small file": (
        "log npz",
        npz_of(
            "t.npy",
            npy_with_head(b"{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999,)}"),
        ),
        "more than",
    ),
    "encrypted archive": ("npz cloud stored", encrypted_npz(), "damaged or cut off"),
    "archive compressed with LZMA": ("npz cloud", lzma_npz("points"), "method 14"),
    "member that is not listed": (
        "npz cloud",
        FILES["npz cloud"].content.replace(b"points.npy", b"pointz.npy", 1),
        "damaged",
    ),
    "picture with two headers": ("height map png", picture_with_two_heads(), "has two headers"),
    "number of a million digits": (
        "world",
        b"name: a\nterrain: [{kind: flat, friction: " + b"9" * 1_000_000 + b"}]",
        "a value is longer than 100000 characters",
    ),
    "deep XML": ("urdf", b"<robot>" + b"<a>" * 100_000, "nested more than 200 deep"),
    "unknown encoding": ("mjcf", b"<?xml version='1.0' encoding='utf-7'?><mujoco/>", "not XML"),
    "repetitions of repetitions": (
        "mjcf",
        MJCF.replace(
            b"<freejoint/>",
            b"<freejoint/>"
            + b'<replicate count="1000">' * 4
            + b"<geom size='1'/>"
            + b"</replicate>" * 4,
        ),
        "1e+06 copies, at most 2,000",
    ),
    "large height field": (
        "mjcf",
        MJCF.replace(
            b"<worldbody>",
            b'<asset><hfield name="h" nrow="99999" ncol="99999" '
            b'size="1 1 1 1"/></asset><worldbody>',
        ),
        "at most 16,777,216",
    ),
}
"""Inputs that were found by fuzzing, with the format and a part of the message."""


@pytest.mark.parametrize("name", FOUND)
def test_input_found_by_fuzzing_is_rejected(name: str, folder: Path) -> None:
    kind, content, sentence = FOUND[name]
    assert sentence in check_read(kind, content, folder)


@pytest.mark.parametrize("text", [".nan", ".Nan", ".NAN", ".inf", "-.INF", "+.Inf", "1e999"])
def test_numbers_that_are_not_finite_are_rejected_in_yaml(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"name: a\nterrain: [{{kind: flat, friction: {text}}}]\n")
    with pytest.raises(WorldFileError) as caught:
        load(path)
    assert str(caught.value) == f"{path} line 2: terrain.0.friction is {text}, must be finite"


def test_include_that_includes_itself_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text('<mujoco><include file="b.xml"/></mujoco>')
    (tmp_path / "b.xml").write_text('<mujoco><include file="a.xml"/></mujoco>')
    with pytest.raises(BadValue, match="b.xml line 1: a.xml includes itself"):
        mjcf_model(tmp_path / "a.xml")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs the device /dev/zero")
def test_endless_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.stl").symlink_to("/dev/zero")
    (tmp_path / "a.yaml").symlink_to("/dev/zero")
    with pytest.raises(BadValue, match="is larger than"):
        read_mesh(tmp_path / "a.stl")
    with pytest.raises(WorldFileError, match="is larger than 8,000,000 bytes"):
        load(tmp_path / "a.yaml")


def test_array_in_another_order_and_version_is_read(tmp_path: Path) -> None:
    points = np.arange(12.0).reshape(4, 3)
    with (tmp_path / "a.npy").open("wb") as file:
        np.lib.format.write_array(file, np.asfortranarray(points), version=(3, 0))
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.write(tmp_path / "a.npy", "points.npy")
    np.testing.assert_array_equal(read_cloud(tmp_path / "a.npz").points, points)
