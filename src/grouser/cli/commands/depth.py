"""``grouser depth``: simulate a depth camera in a world."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.cli import preflight
from grouser.cli.options import Overrides, WorldName, parse_numbers
from grouser.cli.terminal import counting_bar, print_note, print_written
from grouser.errors import BadValue

if TYPE_CHECKING:
    from grouser.frames import Pose


def depth(
    world: WorldName,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="F.pcd",
            show_default=False,
            help="Output file; F_0.pcd, F_1.pcd, ... for several views.",
        ),
    ],
    viewpoints: Annotated[
        list[str],
        typer.Option(
            "--from",
            metavar="x,y,z",
            show_default=False,
            help="Position of the camera, m; once per view.",
        ),
    ],
    target: Annotated[
        str, typer.Option("--at", metavar="x,y,z", help="Point in the centre of the image, m.")
    ] = "0,0,0",
    camera: Annotated[
        str,
        typer.Option(metavar="NAME", help="Camera: kinect1, kinect2, kinect2_qhd or kinect2_hd."),
    ] = "kinect1",
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the noise.")] = 0,
    overrides: Overrides = None,
) -> None:
    """Scan a world with a simulated depth camera: point clouds with known ground truth.

    Clouds are organised, in metres and in the camera's axes (x right, y down,
    z forward), with the noise model of the camera.

    For example:

    [cyan]grouser depth plywood_bridge --from=0.5,-1.6,1.1 --from=2.2,1.5,1.1
    --at 1.4,0,0.1 --out bridge.pcd[/]

    [cyan]grouser scan bridge_0.pcd bridge_1.pcd --camera-pose=… --camera-pose=…
    --out bridge[/], with the printed poses
    """
    preflight.writable(out, ".pcd")
    preflight.pictures()
    from grouser.scan.pcd_file import write_pcd
    from grouser.scan.simulated_camera import pose_towards, scan_world
    from grouser.simulation.scene import compose
    from grouser.world.file import load

    middle = parse_numbers("--at", target, 3, example="0.5,0,0.1")
    poses = [
        pose_towards(parse_numbers("--from", text, 3, example="0.5,-1.5,1.2"), middle)
        for text in viewpoints
    ]
    scene = compose(load(world, overrides or ()).changed(robots=()))
    clouds = []
    with counting_bar("depth") as bar:
        for number, pose in enumerate(poses):
            bar("rendering", number, len(poses))
            clouds += scan_world(scene, [pose], camera, seed + number)
    for number, (cloud, text, pose) in enumerate(zip(clouds, viewpoints, poses, strict=True)):
        seen = int(cloud.seen.sum())
        if not seen:
            raise BadValue(f"--from {text}: no surface within the range of {camera}")
        path = out if len(clouds) == 1 else out.with_name(f"{out.stem}_{number}{out.suffix}")
        write_pcd(path, cloud)
        print_written(path)
        note = f"{seen:,} of {len(cloud):,} pixels are valid; --camera-pose={_option_text(pose)}"
        print_note(note, "dim")


def _option_text(pose: Pose) -> str:
    """Return a pose in the format of `grouser scan --camera-pose`."""
    from grouser.frames import degrees, to_rpy

    turns = [round(float(turn), 4) for turn in degrees(to_rpy(pose.wxyz))]
    return ",".join(f"{value:.6g}" for value in (*pose.position, *turns))
