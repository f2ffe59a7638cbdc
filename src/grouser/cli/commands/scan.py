"""``grouser scan``: convert point clouds to a world."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.text import Text

from grouser.cli import preflight
from grouser.cli.options import parse_numbers, parse_pose
from grouser.cli.terminal import counting_bar, print_note, print_written, result_console
from grouser.errors import BadValue

if TYPE_CHECKING:
    from grouser.frames import Pose
    from grouser.scan.cloud import PointCloud
    from grouser.scan.depth_picture import Intrinsics
    from grouser.scan.ground.scan_world import ScanWorld
    from grouser.scan.registration import PoseSpread

Inputs = Annotated[
    list[Path],
    typer.Argument(
        metavar="INPUT...",
        show_default=False,
        help="Clouds: .pcd, .ply, .xyz, .npz, or depth images (.png); several are registered. "
        "Shipped samples: [cyan]kinect_table_0[/] and [cyan]kinect_table_12[/].",
    ),
]
OutFolder = Annotated[
    Path, typer.Option("--out", metavar="NAME", show_default=False, help="Output folder.")
]
Voxel = Annotated[
    float, typer.Option(min=0.002, max=1.0, metavar="M", help="Edge of voxels and cells.")
]
CameraPoses = Annotated[
    list[str] | None,
    typer.Option(
        "--camera-pose",
        metavar="x,y,z,roll,pitch,yaw",
        show_default="estimated",
        help="Pose of the sensor, m and deg, z up, 0,0,0 looks along x; once per input.",
    ),
]
PoseKnown = Annotated[
    str,
    typer.Option(
        "--camera-known",
        metavar="m,deg",
        help="Standard deviation of these poses; they constrain what the clouds do not.",
    ),
]
SensorAxes = Annotated[
    Literal["picture", "body"],
    typer.Option(
        help="Axes of the clouds: x right, y down, z forward (cameras), or x ahead, y left, z up "
        "(lidars); matters with --camera-pose."
    ),
]
Gravity = Annotated[
    str | None,
    typer.Option(
        metavar="x,y,z",
        show_default="estimated",
        help="Gravity direction in the axes of the first input, such as from an accelerometer.",
    ),
]
Reach = Annotated[
    float | None,
    typer.Option(
        min=0.01,
        metavar="M",
        show_default="all",
        help="Largest distance from the sensor; farther points are removed.",
    ),
]
CloseHoles = Annotated[
    float, typer.Option(min=0.0, max=100.0, metavar="M", help="Close holes up to this width.")
]
CameraIntrinsics = Annotated[
    str | None,
    typer.Option(
        metavar="fx,fy,cx,cy[,unit]",
        show_default="the .json beside it",
        help="Of depth images, in pixels; unit: metres per count (0.001).",
    ),
]
Unit = Annotated[
    float,
    typer.Option(
        min=1e-6, max=1e3, metavar="M", help="Metres per unit of the cloud: 0.001 for mm."
    ),
]
CollideAs = Annotated[
    Literal["auto", "height_map", "convex_pieces"],
    typer.Option(
        help="Collision geometry of the ground; auto selects by a drop test with spheres."
    ),
]
Friction = Annotated[
    float,
    typer.Option(
        min=0.0, max=10.0, metavar="MU", help="Friction of the ground; not measured by a scan."
    ),
]


def scan(
    inputs: Inputs,
    out: OutFolder,
    voxel: Voxel = 0.02,
    camera_poses: CameraPoses = None,
    camera_known: PoseKnown = "0.02,2",
    axes: SensorAxes = "picture",
    gravity: Gravity = None,
    reach: Reach = None,
    close_holes: CloseHoles = 0.1,
    intrinsics: CameraIntrinsics = None,
    unit: Unit = 1.0,
    collide: CollideAs = "auto",
    friction: Friction = 0.6,
) -> None:
    """Convert point clouds of a depth camera or a lidar to a world.

    The folder contains the surface (STL, PLY, GLB), a height map and convex pieces,
    a world file for the other commands, the results (scan.json) and a picture of
    cloud, surface and error. It is written atomically.

    For example:

    [cyan]grouser scan kinect_table_0 --out table[/]

    [cyan]grouser run table/world.yaml --picture table.png[/]

    [cyan]grouser scan a.pcd b.pcd c.pcd --out yard --voxel 0.03[/]
    """
    preflight.physics()
    import numpy as np

    from grouser.scan.cloud_files import frame_path, read_cloud
    from grouser.scan.ground.scan_world import WorldOptions
    from grouser.scan.ground.world_folder import WORLD, refuse_foreign, scan_to_world
    from grouser.scan.pipeline import ScanOptions

    refuse_foreign(out)
    preflight.writable(out.parent / f".{out.name}.yaml")
    poses = _poses(camera_poses or (), len(inputs), axes)
    known = _spread(camera_known)
    down = gravity and parse_numbers("--gravity", gravity, 3, example="0,0.8,0.6")
    camera = _intrinsics(intrinsics)
    options = ScanOptions(
        voxel=voxel,
        camera_poses=poses,
        pose_spread=known,
        gravity=np.array(down) if down else None,
        close_holes=close_holes,
    )
    world = WorldOptions(name=out.name, collide=collide, friction=friction)
    with counting_bar("scan") as bar:
        clouds = []
        for number, path in enumerate(inputs):
            bar("reading", number, len(inputs))
            cloud = read_cloud(frame_path(path), camera, unit)
            clouds.append(cloud if reach is None else _within(cloud, reach, path))
        made = scan_to_world(clouds, out, world, options, bar)
    _print(made)
    print_written(out / WORLD)


def _within(cloud: PointCloud, reach: float, path: Path) -> PointCloud:
    """Return a cloud without points farther than ``reach`` (m) from their sensor."""
    import numpy as np

    near = cloud.drop(np.linalg.norm(cloud.points - cloud.views, axis=1) > reach)
    if not near.seen.any():
        raise BadValue(f"{path}: has no point within --reach {reach:g} m")
    return near


def _poses(texts: Sequence[str], count: int, axes: str) -> tuple[Pose, ...] | None:
    """Return the poses of the cloud frames in the world."""
    if not texts:
        return None
    if len(texts) != count:
        raise BadValue(
            f"--camera-pose: {len(texts)} given for {count} inputs, must be one per input"
        )
    from grouser.frames import X_CO

    given = [parse_pose("--camera-pose", text) for text in texts]
    return tuple(X_WC @ X_CO if axes == "picture" else X_WC for X_WC in given)


def _spread(text: str) -> PoseSpread:
    """Return the standard deviation of poses, from metres and degrees."""
    from grouser.frames import radians
    from grouser.scan.registration import PoseSpread

    position, angle_deg = parse_numbers("--camera-known", text, 2, example="0.02,2")
    if not (0 < position <= 10 and 0 < angle_deg <= 180):
        raise BadValue(f"--camera-known is '{text}', must be above 0, at most 10 m and 180 deg")
    return PoseSpread(position, radians(angle_deg))


def _intrinsics(text: str | None) -> Intrinsics | None:
    if text is None:
        return None
    from grouser.scan.depth_picture import Intrinsics

    return Intrinsics(*parse_numbers("--intrinsics", text, 4, 5, example="525,525,319.5,239.5"))


def _print(made: ScanWorld) -> None:
    """Print a summary of the scan."""
    from rich.table import Table as Grid

    ground, check = made.ground, made.checks[made.collides_as]
    rows = [
        ("points", f"{len(ground.cloud):,} kept, {ground.removed:,} removed"),
        ("down", ground.down.remark),
        ("surface", f"{len(ground.mesh.faces):,} triangles, {ground.mesh.area():.2f} m²"),
        ("unseen", f"{100 * made.grid.unseen:.0f} % of its rectangle; {_holes(made)}"),
        ("collides as", made.why),
        ("spheres", f"{check.open_ground.count}: {check.open_ground}"),
    ]
    if check.edges.count:
        rows.append(("  beside steps", f"{check.edges.count}: {check.edges}"))
    if check.covered.count:
        rows.append(("  under something", f"{check.covered.count}: {check.covered}"))
    grid = Grid(box=None, show_header=False, pad_edge=False)
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in rows:
        grid.add_row(name, Text(text))
    result_console().print(grid)
    for warning in made.warnings:
        print_note(f"note: {warning}", "yellow")


def _holes(made: ScanWorld) -> str:
    open_ones = [hole for hole in made.ground.holes if not hole.outer]
    widest = f", the widest {open_ones[0].width:.2f} m" if open_ones else ""
    return f"holes: {len(made.ground.closed)} closed, {len(open_ones)} open{widest}"
