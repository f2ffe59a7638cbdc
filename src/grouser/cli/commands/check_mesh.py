"""``grouser check-mesh``: collision geometry of a mesh, its error and its cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from grouser.cli import preflight
from grouser.cli.terminal import print_written, result_console
from grouser.errors import BadValue


def check_mesh(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", show_default=False, help="Mesh file (.stl, .ply, .obj)."),
    ],
    scale: Annotated[
        float, typer.Option(min=1e-6, max=1000, metavar="M", help="Metres per unit of the file.")
    ] = 1.0,
    tolerance: Annotated[
        float, typer.Option(min=0.0005, max=1.0, metavar="M", help="Largest surface error.")
    ] = 0.01,
    cell: Annotated[
        float | None,
        typer.Option(
            min=0.0005,
            max=10.0,
            metavar="M",
            show_default="as fine as needed",
            help="Cell size of the height map.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="F.npz", help="Write the convex pieces, for kind: convex_pieces."
        ),
    ] = None,
) -> None:
    """Show the collision geometry of a mesh: convex pieces or a height map, and why.

    Both are compared with the mesh along vertical lines: vertical or lateral error of
    the surface seen from above, and the share of it with filled space underneath.

    For example:

    [cyan]grouser check-mesh bridge.stl --scale 0.001[/]
    """
    preflight.writable(out, ".npz")
    preflight.physics()
    from grouser.frames import millimetres
    from grouser.world.meshes.collision_proxy import choose_proxy
    from grouser.world.terrain.convex_pieces import write_pieces
    from grouser.world.terrain.mesh import scaled_mesh

    try:
        mesh = scaled_mesh(file, scale)
        with result_console().status("cutting and comparing"):
            choice = choose_proxy(mesh, "convex_pieces" if out else "auto", tolerance, cell)
    except BadValue as error:
        raise BadValue(f"{file}: {error}") from None
    console = result_console()
    size = " x ".join(f"{edge:.3g}" for edge in mesh.size.tolist())
    state = "closed" if not mesh.open_edges else f"{mesh.open_edges} open edges"
    console.print(f"{file.name}: {len(mesh.faces):,} triangles, {size} m, {state}")
    table = Table()
    for title in ("", "collides as", "geoms", "contacts", "off", "mean", "lost under"):
        table.add_column(title, justify="left" if title in ("", "collides as") else "right")
    for one in (choice.taken, *choice.others):
        table.add_row(
            "taken" if one is choice.taken else "",
            one.what,
            str(one.geoms),
            f"{one.contacts:.1f}",
            f"{millimetres(one.fit.off):.1f} mm",
            f"{millimetres(one.fit.mean):.2f} mm",
            f"{100 * one.fit.filled:.1f} %",
        )
    console.print(table)
    console.print(Text(f"{choice.taken.how}: {choice.why}"), soft_wrap=True)
    if out:
        write_pieces(out, choice.taken.pieces)
        print_written(out)
