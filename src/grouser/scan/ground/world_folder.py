"""A scan as a folder: surface files, both kinds of ground for physics, and a world file.

The folder is written whole or not at all: everything is made and checked in a temporary one, which
then takes its place in one step.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from grouser import files
from grouser.errors import BadValue
from grouser.frames import Array
from grouser.reports.html import figure_png
from grouser.reports.scan_plots import overview
from grouser.scan.cloud import Colours, PointCloud
from grouser.scan.ground.check import GroundCheck, check_ground, choose
from grouser.scan.ground.discs import discs_of
from grouser.scan.ground.height_grid import HeightGrid, height_grid, open_places
from grouser.scan.ground.mesh_files import write_glb, write_ply
from grouser.scan.ground.prisms import prisms
from grouser.scan.ground.scan_world import (
    HEIGHTS,
    PIECES,
    ScanWorld,
    WorldOptions,
    terrain_entries,
    to_json,
    world_text,
)
from grouser.scan.ground.spheres import Spheres, rest_on
from grouser.scan.pipeline import RebuiltGround, ScanOptions, rebuild
from grouser.scan.simplify import simplified
from grouser.world.file import parse
from grouser.world.meshes.triangle_mesh import TriangleMesh
from grouser.world.stl_file import write_stl
from grouser.world.terrain.convex_pieces import ConvexPieces, write_pieces
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.height_map import HeightMap
from grouser.world.terrain.terrain_piece import TerrainPiece

WORLD, REPORT, PICTURE = "world.yaml", "scan.json", "scan.png"
SPHERE = 1.5
"""Radius of the spheres that are dropped, in voxels."""
MOST_PIECES = 6000
"""More are simplified further: each of them takes MuJoCo a good part of a millisecond to build."""
HOPELESS = 4
"""So many times as many triangles are not simplified any further."""
ERROR = 0.002
"""m by which a surface of too many triangles is moved at first."""
TOO_MANY = (
    "there are too many triangles for convex pieces: the ground is a height map; a larger --voxel "
    "or a smaller --reach makes fewer"
)
UNSEEN = 0.15
"""Part of the ground that may be unseen before it is said aloud."""

Progress = Callable[[str, int, int], None]


def scan_to_world(
    clouds: Sequence[PointCloud],
    out: Path,
    world_options: WorldOptions,
    scan_options: ScanOptions | None = None,
    progress: Progress = lambda what, done, of: None,
) -> ScanWorld:
    """Turn frames into a folder with a world in it, whole or not at all.

    Args:
        clouds: frames, each in its sensor's axes.
        out: the folder; an earlier scan's is replaced.
        world_options: what kind of world.
        scan_options: how frames become ground; None: as usual.
        progress: told about every stage.

    Raises:
        BadValue: the frames are no ground, or the folder holds something else.
    """
    refuse_foreign(out)
    scan_options = scan_options or ScanOptions()
    ground = rebuild(clouds, scan_options, progress)
    with files.replacing_folder(out) as draft:
        return fill_folder(draft, ground, world_options, scan_options.voxel, progress)


def refuse_foreign(out: Path) -> None:
    """Refuse a folder that holds anything but a scan: it would be lost."""
    if out.is_dir() and any(out.iterdir()) and not (out / REPORT).is_file():
        raise BadValue(f"{out}: is a folder that no scan has written; choose another name")


def fill_folder(
    folder: Path,
    ground: RebuiltGround,
    world_options: WorldOptions,
    voxel: float,
    progress: Progress = lambda what, done, of: None,
) -> ScanWorld:
    """Write everything about a scan into a folder that is there; return what is known about it."""
    spheres = rest_on(discs_of(ground.cloud, voxel), SPHERE * voxel)
    grid = height_grid(ground.mesh, voxel)
    few = _for_pieces(ground, voxel)
    if few is None and world_options.collide == "convex_pieces":
        raise BadValue(
            f"scan: {len(ground.mesh.faces):,} triangles are too many for convex pieces, "
            f"{MOST_PIECES:,} at most; a larger --voxel or a smaller --reach makes fewer"
        )
    pieces = prisms(few[0]) if few else []
    floor = round(float(np.nanmin(grid.heights)), 4)
    _write_surface(folder, ground)
    _write_array(folder / HEIGHTS, grid.heights)
    entries = terrain_entries(grid, floor, world_options.friction)
    if few:
        write_pieces(folder / PIECES, pieces)
    else:
        del entries["convex_pieces"]
    wanted = entries if world_options.collide == "auto" else {world_options.collide}
    checks = {}
    for number, kind in enumerate(sorted(wanted)):
        progress(f"dropping spheres on {kind.replace('_', ' ')}", number, len(wanted))
        checks[kind] = check_ground(_terrain(folder, floor, entries[kind]), spheres)
    collides_as, why = choose(checks)
    made = ScanWorld(
        ground=ground,
        grid=grid,
        floor=floor,
        pieces=len(pieces),
        pieces_error=few[1] if few else 0.0,
        spheres=spheres,
        checks=checks,
        collides_as=collides_as,
        why=why,
        places=open_places(grid),
        warnings=(
            *ground.warnings,
            *([] if few else [TOO_MANY]),
            *_warnings(grid, spheres, checks[collides_as], collides_as),
        ),
    )
    text = world_text(made, world_options, entries)
    parse(text, where=WORLD, folder=folder)  # what is written can be read
    files.write_text(folder / WORLD, text)
    files.write_text(folder / REPORT, json.dumps(to_json(made), indent=2, allow_nan=False) + "\n")
    progress("drawing", 0, 1)
    files.write_bytes(folder / PICTURE, figure_png(_picture(made)))
    return made


def _terrain(folder: Path, floor: float, entry: Mapping[str, Any]) -> list[TerrainPiece]:
    models: dict[str, type[TerrainPiece]] = {"height_map": HeightMap, "convex_pieces": ConvexPieces}
    made = models[entry["kind"]].model_validate(dict(entry), context={"folder": folder})
    return [Flat(friction=entry["friction"], z=floor), made]


def _for_pieces(ground: RebuiltGround, voxel: float) -> tuple[TriangleMesh, float] | None:
    """Return a surface of few enough triangles, and how far it was moved for that, m.

    None: what is a third of a voxel off still has too many of them.
    """
    mesh, moved, error = ground.mesh, ground.error, ERROR
    while len(mesh.faces) > MOST_PIECES:
        error *= 2
        if error > voxel / 3 or len(mesh.faces) > HOPELESS * MOST_PIECES:
            return None
        fewer = simplified(ground.mesh, error)
        mesh, moved = fewer.mesh, fewer.error
    return mesh, moved


def _write_surface(folder: Path, ground: RebuiltGround) -> None:
    colours = _vertex_colours(ground)
    write_stl(folder / "surface.stl", ground.mesh.triangles.astype(np.float32))
    write_ply(folder / "surface.ply", ground.mesh, colours)
    write_glb(folder / "surface.glb", ground.mesh, colours)


def _vertex_colours(ground: RebuiltGround) -> Colours | None:
    """Return the colour of the point next to each vertex; None where there are no colours."""
    cloud = ground.cloud
    if cloud.colours is None:
        return None
    from grouser.scan.scipy_parts import spatial

    _, nearest = spatial.cKDTree(cloud.points).query(ground.mesh.vertices)
    return np.asarray(cloud.colours[nearest])


def _write_array(path: Path, heights: Array) -> None:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, heights=heights)
    files.write_bytes(path, buffer.getvalue())


def _warnings(
    grid: HeightGrid, spheres: Spheres, check: GroundCheck, collides_as: str
) -> list[str]:
    said = []
    if grid.unseen > UNSEEN:
        said.append(
            f"{100 * grid.unseen:.0f} % of the ground's rectangle were not seen: there is nothing "
            "but the plane under the scan"
        )
    covered = int(spheres.covered.sum())
    if covered:
        share = f"{covered} of {len(spheres.middle)} spheres lie under something"
        said.append(
            f"there are overhangs: {share}; "
            + (
                "a height map fills the room under them"
                if collides_as == "height_map"
                else "the pieces keep the room under them free"
            )
        )
    if check.fell:
        said.append(f"{check.fell} spheres fell through: there the surface has holes")
    return said


def _picture(made: ScanWorld) -> Any:
    cloud, mesh = made.ground.cloud, made.ground.mesh
    return overview(
        cloud.points,
        cloud.colours,
        mesh.triangles,
        made.spheres.middle,
        made.checks[made.collides_as].errors,
        eye=np.asarray(cloud.views[0]),
    )
