"""``grouser export-stl``: write the ground of a world as an STL file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grouser.cli import preflight
from grouser.cli.options import Overrides, WorldName
from grouser.cli.terminal import print_written, result_console


def export_stl(
    world: WorldName,
    out: Annotated[
        Path, typer.Option("--out", metavar="F.stl", show_default=False, help="Output file.")
    ],
    overrides: Overrides = None,
) -> None:
    """Write the ground of a world as an STL file, in metres: one closed surface.

    Terrain and fixed objects are merged; robots and movable objects are left
    out. An infinite plane becomes a slab below the other geometry.

    For example:

    [cyan]grouser export-stl double_bridge --out double_bridge.stl[/]
    """
    preflight.writable(out, ".stl")
    preflight.physics()
    from grouser.simulation.ground_stl import ground_surface
    from grouser.simulation.scene import compose
    from grouser.world.file import load
    from grouser.world.meshes.mesh_files import write_stl
    from grouser.world.meshes.triangle_mesh import open_edges

    scene = compose(load(world, overrides or ()).changed(robots=()))
    triangles = ground_surface(scene)
    write_stl(out, triangles)
    print_written(out)
    edges = open_edges(triangles)
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    size = " x ".join(f"{edge:.2f}" for edge in (high - low).tolist())
    state = "closed" if not edges else f"NOT closed: {edges} edges without two faces"
    result_console().print(f"{len(triangles):,} triangles, {size} m, {state}")
