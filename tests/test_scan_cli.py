"""Commands `grouser scan` and `grouser depth`: complete worlds or none."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from support.client_helpers import instance_of
from typer.testing import CliRunner, Result

from grouser.cli import app
from grouser.scan.cloud import PointCloud
from grouser.scan.cloud_files import shipped_frames
from grouser.scan.ground import world_folder
from grouser.scan.pcd_file import read_pcd, write_pcd
from grouser.simulation.scene import compose
from grouser.world.file import load
from grouser.world.terrain.height_map import HeightMap

HEAD = (
    "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {n}\nHEIGHT 1\n"
    "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {n}\nDATA {data}\n"
)


def grouser(*words: str | Path | float) -> Result:
    return CliRunner().invoke(app, list(map(str, words)))


def table(rows: int = 90, columns: int = 120) -> PointCloud:
    """Return a depth scan of a box on a table, 45 degrees downwards."""
    right, down = np.meshgrid(
        np.linspace(-0.45, 0.45, columns), np.linspace(-0.34, 0.34, rows), indexing="xy"
    )
    sight = np.stack([right, down, np.ones_like(right)], axis=-1)
    up = np.array([0.0, -1.0, -1.0]) / np.sqrt(2)
    depth = -1.0 / (sight @ up)  # the table is 1 m below the camera
    box = -0.8 / (sight @ up)  # the box 0.2 m high
    hit = sight * box[..., None]
    on = (np.abs(hit[..., 0]) < 0.15) & (np.abs(hit[..., 2] - 0.85) < 0.12)
    noise = 1 + 0.001 * np.random.default_rng(0).standard_normal(depth.shape)
    points = sight * (np.where(on, box, depth) * noise)[..., None]
    return PointCloud(points.reshape(-1, 3), (rows, columns))


def test_frame_becomes_a_world_in_one_command(tmp_path: Path) -> None:
    write_pcd(tmp_path / "t.pcd", table())
    words: list[Any] = ["scan", tmp_path / "t.pcd", "--out", tmp_path / "table", "--voxel", 0.04]
    run = grouser(*words)
    assert run.exit_code == 0, run.output
    assert "collides as" in run.output
    known = json.loads((tmp_path / "table" / "scan.json").read_text())
    assert known["spheres"][known["collides_as"]]["open_ground"]["mean_mm"] < 5
    world = load(tmp_path / "table" / "world.yaml")
    assert compose(world).model.ngeom > 10
    heights = np.load(tmp_path / "table" / "heights.npz")["heights"]
    assert np.nanmax(heights) == pytest.approx(0.2, abs=0.03)
    # A second run writes the same bytes.
    before = {path.name: path.read_bytes() for path in (tmp_path / "table").iterdir()}
    assert grouser(*words).exit_code == 0
    after = {path.name: path.read_bytes() for path in (tmp_path / "table").iterdir()}
    assert before == after
    assert {path.name for path in tmp_path.iterdir()} == {"t.pcd", "table"}


def test_given_camera_pose_is_used(tmp_path: Path) -> None:
    write_pcd(tmp_path / "t.pcd", table())
    words: list[Any] = ["--voxel", 0.03, "--camera-pose=2,3,1.5,0,45,90", "--collide", "height_map"]
    run = grouser("scan", tmp_path / "t.pcd", "--out", tmp_path / "table", *words)
    assert run.exit_code == 0, run.output
    world = load(tmp_path / "table" / "world.yaml")
    ground = instance_of(HeightMap, world.terrain[1])
    assert ground.kind == "height_map"
    grid = ground.grid()
    assert np.median(grid[grid > 0]) == pytest.approx(0.5, abs=0.02)  # 1 m below 1.5 m
    assert 1.5 < ground.x + ground.cell * grid.shape[1] / 2 < 2.5
    assert ground.y > 3.0  # the camera looks along y


def broken_input(case: str, good: bytes) -> tuple[str, bytes | None]:
    """Return name and bytes of an invalid input file."""
    n = 20_000
    text = "\n".join("nan nan nan" for _ in range(100)) + "\n"
    return {
        "missing": ("gone.pcd", None),
        "empty": ("t.pcd", b""),
        "truncated": ("t.pcd", good[: len(good) // 2]),
        "nan everywhere": ("t.pcd", (HEAD.format(n=100, data="ascii") + text).encode()),
        "no points": ("t.pcd", HEAD.format(n=0, data="ascii").encode()),
        "wrong header": ("t.pcd", good.replace(b"FIELDS x y z", b"FIELDS a b c")),
        "bomb": (
            "t.pcd",
            HEAD.format(n=4_000_000_000, data="binary_compressed").encode()
            + np.array([100, 4_000_000_000], "<u4").tobytes()
            + bytes(100),
        ),
        "a picture": ("t.png", good),
        "an ending": ("t.xls", good),
        "one line": ("t.xyz", b"0 0 0\n1 1 1\n"),
        "words": ("t.xyz", b"this is no cloud\n" * n),
    }[case]


@pytest.mark.parametrize(
    "case",
    [
        *("missing", "empty", "truncated", "nan everywhere", "no points", "wrong header", "bomb"),
        *("a picture", "an ending", "one line", "words"),
    ],
)
def test_broken_input_is_one_sentence_and_leaves_no_files(tmp_path: Path, case: str) -> None:
    write_pcd(tmp_path / "good.pcd", table())
    name, content = broken_input(case, (tmp_path / "good.pcd").read_bytes())
    if content is not None:
        (tmp_path / name).write_bytes(content)
    there = {path.name for path in tmp_path.iterdir()}
    run = grouser("scan", tmp_path / name, "--out", tmp_path / "world")
    assert run.exit_code == 2, run.output
    assert run.output.startswith("grouser: ")
    assert len(run.output.strip().splitlines()) == 1
    assert {path.name for path in tmp_path.iterdir()} == there


@pytest.mark.parametrize(
    ("given", "meant"), [("kinect_tabel_0", "kinect_table_0"), ("{there}/yrad.pcd", "yard.pcd")]
)
def test_missing_file_names_the_nearest_match(tmp_path: Path, given: str, meant: str) -> None:
    write_pcd(tmp_path / "yard.pcd", table(30, 40))
    run = grouser("scan", given.format(there=tmp_path), "--out", tmp_path / "world")
    assert run.exit_code == 2
    assert "there is no such file; did you mean" in run.output.replace("\n", " ")
    assert meant in run.output.replace("\n", "")


def test_millimetres_are_detected_and_accepted_by_option(tmp_path: Path) -> None:
    metres = table()
    write_pcd(tmp_path / "t.pcd", PointCloud(metres.points * 1000, metres.shape))
    run = grouser("scan", tmp_path / "t.pcd", "--out", tmp_path / "world")
    assert run.exit_code == 2
    assert "mm" in run.output or "millimet" in run.output
    assert not (tmp_path / "world").exists()
    words: list[Any] = ["--unit", 0.001, "--voxel", 0.04, "--collide", "height_map"]
    run = grouser("scan", tmp_path / "t.pcd", "--out", tmp_path / "world", *words)
    assert run.exit_code == 0, run.output


def test_existing_world_survives_a_failed_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pcd(tmp_path / "t.pcd", table())
    words: list[Any] = ["scan", tmp_path / "t.pcd", "--out", tmp_path / "world", "--voxel", 0.04]
    words += ["--collide", "height_map"]
    assert grouser(*words).exit_code == 0
    before = (tmp_path / "world" / "world.yaml").read_bytes()

    def raise_disk_full(*_: Figure) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(
        world_folder, "figure_png", raise_disk_full
    )  # the disk is full at the last file
    assert grouser(*words, "--friction", 0.9).exit_code != 0
    assert (tmp_path / "world" / "world.yaml").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"t.pcd", "world"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--camera-pose", "1,2,3"], "6 numbers with commas"),
        (["--camera-pose=0,0,1,0,30,0", "--camera-pose=0,0,1,0,30,0"], "2 given for 1 inputs"),
        (["--camera-known", "0.01"], "2 numbers with commas"),
        (["--camera-known", "0,1"], "must be above 0, at most 10 m"),
        (["--gravity", "down"], "3 numbers with commas"),
        (["--intrinsics", "525"], "4 or 5 numbers"),
        (["--reach", "0.1"], "no point within --reach"),
    ],
)
def test_invalid_options_are_reported_in_one_sentence(
    tmp_path: Path, words: list[str], sentence: str
) -> None:
    write_pcd(tmp_path / "t.pcd", table(30, 40))
    run = grouser("scan", tmp_path / "t.pcd", "--out", tmp_path / "world", *words)
    assert run.exit_code == 2
    assert sentence in run.output
    assert not (tmp_path / "world").exists()


def test_foreign_folder_is_rejected_before_processing(tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("years of work")
    run = grouser("scan", "kinect_table_0", "--out", tmp_path / "thesis")
    assert run.exit_code == 2
    assert "with other files than a scan's" in run.output
    assert (tmp_path / "thesis" / "chapter.tex").exists()


def test_simulated_camera_writes_clouds(tmp_path: Path) -> None:
    run = grouser(
        *("depth", "quince_step", "--from=0,-1,0.9", "--from=0.2,1,0.9", "--at", "0.8,0,0"),
        *("--out", tmp_path / "c.pcd"),
    )
    assert run.exit_code == 0, run.output
    assert run.output.count("--camera-pose=") == 2
    for number in (0, 1):
        cloud = read_pcd((tmp_path / f"c_{number}.pcd").read_bytes())
        assert cloud.shape == (480, 640)
        assert cloud.seen.mean() > 0.5


def test_empty_depth_image_is_reported(tmp_path: Path) -> None:
    words: list[Any] = ["--from=0,0,1", "--at", "0,0,5", "--out", tmp_path / "c.pcd"]
    run = grouser("depth", "quince_step", *words)
    assert run.exit_code == 2
    assert "no surface within the range" in run.output
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped_frames())
def test_real_frames_become_worlds(tmp_path: Path, name: str) -> None:
    run = grouser("scan", name, "--out", tmp_path / "table")
    assert run.exit_code == 0, run.output
    known = json.loads((tmp_path / "table" / "scan.json").read_text())
    spheres = known["spheres"][known["collides_as"]]["open_ground"]
    assert spheres["count"] > 150
    assert spheres["mean_mm"] < 3
    assert len(known["places"]) >= 3
