"""``grouser depth``: what a depth camera would see of a world."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from grouser.cli import places, preflight
from grouser.cli.options import Overrides, WorldName
from grouser.cli.terminal import counting_bar, print_written, result_console
from grouser.errors import BadValue

if TYPE_CHECKING:
    from grouser.frames import Pose


def depth(
    world: WorldName,
    out: Annotated[
        Path,
        typer.Option(
            "--out", metavar="F.pcd", show_default=False, help="The cloud; F_0.pcd, … of several."
        ),
    ],
    eyes: Annotated[
        list[str],
        typer.Option(
            "--from", metavar="x,y,z", show_default=False, help="Where it stands; once per view."
        ),
    ],
    target: Annotated[
        str, typer.Option("--at", metavar="x,y,z", help="What is in the middle of its picture.")
    ] = "0,0,0",
    camera: Annotated[
        str, typer.Option(metavar="NAME", help="kinect1, kinect2, kinect2_qhd or kinect2_hd.")
    ] = "kinect1",
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Decides the noise.")] = 0,
    overrides: Overrides = None,
) -> None:
    """Scan a world with a simulated depth camera: clouds whose truth is known.

    Clouds are organised, in metres and in the camera's axes (x right, y down,
    z forward), with the errors that such a camera makes.

    For example:

    [cyan]grouser depth plywood_bridge --from=0.5,-1.6,1.1 --from=2.2,1.5,1.1
    --at 1.4,0,0.1 --out bridge.pcd[/]

    [cyan]grouser scan bridge_0.pcd bridge_1.pcd --camera-pose=… --camera-pose=…
    --out bridge[/], with the poses that it says
    """
    preflight.writable(out, ".pcd")
    preflight.pictures()
    from grouser.scan.formats.pcd_file import write_pcd
    from grouser.scan.simulated_camera import aimed, scan_world
    from grouser.simulation.scene import compose
    from grouser.world.file import load

    middle = places.numbers("--at", target, 3, example="0.5,0,0.1")
    poses = [
        aimed(places.numbers("--from", eye, 3, example="0.5,-1.5,1.2"), middle) for eye in eyes
    ]
    scene = compose(load(world, overrides or ()).changed(robots=()))
    clouds = []
    with counting_bar("depth") as bar:
        for number, pose in enumerate(poses):
            bar("looking", number, len(poses))
            clouds += scan_world(scene, [pose], camera, seed + number)
    for number, (cloud, eye, pose) in enumerate(zip(clouds, eyes, poses, strict=True)):
        seen = int(cloud.seen.sum())
        if not seen:
            raise BadValue(f"--from {eye}: nothing is seen there that {camera} can measure")
        path = out if len(clouds) == 1 else out.with_name(f"{out.stem}_{number}{out.suffix}")
        write_pcd(path, cloud)
        print_written(path)
        said = f"{seen:,} of {len(cloud):,} pixels measure something; --camera-pose={_typed(pose)}"
        result_console().print(Text(said, "dim"), soft_wrap=True)


def _typed(pose: Pose) -> str:
    """Return a pose as `grouser scan --camera-pose` takes it."""
    from grouser.frames import degrees, to_rpy

    turns = [round(float(turn), 4) for turn in degrees(to_rpy(pose.wxyz))]
    return ",".join(f"{value:.6g}" for value in (*pose.position, *turns))
