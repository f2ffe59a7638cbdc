"""Output folder of a scan: surface files, both kinds of collision geometry, and a world file.

The folder is written atomically: all files are written to a temporary folder, which then replaces
it.
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
from grouser.reports.page import figure_png
from grouser.reports.scan_plots import overview
from grouser.scan.cloud import Colours, PointCloud
from grouser.scan.ground.check import GroundCheck, check_ground, choose
from grouser.scan.ground.scan_heights import ScanHeights, open_places, scan_heights
from grouser.scan.ground.scan_world import (
    HEIGHTS,
    PIECES,
    ScanWorld,
    WorldOptions,
    terrain_entries,
    to_json,
    world_text,
)
from grouser.scan.ground.spheres import Spheres, expected_spheres, surface_discs
from grouser.scan.pipeline import RebuiltGround, ScanOptions, rebuild
from grouser.scan.simplify import simplify_mesh
from grouser.world.file import parse
from grouser.world.meshes.mesh_files import write_glb, write_ply, write_stl
from grouser.world.meshes.triangle_mesh import TriangleMesh
from grouser.world.terrain.convex_pieces import ConvexPieces, write_pieces
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.height_map import HeightMap
from grouser.world.terrain.terrain_piece import TerrainPiece

WORLD, REPORT, PICTURE = "world.yaml", "scan.json", "scan.png"
SPHERE = 1.5
"""Radius of the test spheres, in voxels."""
MOST_PIECES = 6000
"""Largest number of convex pieces; a surface with more triangles is simplified."""
HOPELESS = 4
"""Multiple of `MOST_PIECES` above which a surface is not simplified further."""
ERROR = 0.002
"""Initial error of the simplification, m."""
TOO_MANY = (
    "there are too many triangles for convex pieces: the ground is a height map; a larger --voxel "
    "or a smaller --reach makes fewer"
)
UNSEEN = 0.15
"""Share of unseen ground above which a warning is reported."""

Progress = Callable[[str, int, int], None]


def scan_to_world(
    clouds: Sequence[PointCloud],
    out: Path,
    world_options: WorldOptions,
    scan_options: ScanOptions | None = None,
    progress: Progress = lambda what, done, of: None,
) -> ScanWorld:
    """Convert frames to a folder with a world file, atomically.

    Args:
        clouds: frames, each in its sensor's axes.
        out: the folder; that of an earlier scan is replaced.
        world_options: options of the world.
        scan_options: options of the reconstruction; None: the defaults.
        progress: called at every stage.

    Raises:
        BadValue: the frames cannot be converted, or the folder holds other files.
    """
    refuse_foreign(out)
    scan_options = scan_options or ScanOptions()
    ground = rebuild(clouds, scan_options, progress)
    with files.replacing_folder(out) as draft:
        return fill_folder(draft, ground, world_options, scan_options.voxel, progress)


def refuse_foreign(out: Path) -> None:
    """Reject an existing folder that is not a scan's, since its files would be lost."""
    if out.is_dir() and any(out.iterdir()) and not (out / REPORT).is_file():
        raise BadValue(f"{out}: is a folder with other files than a scan's; choose another name")


def fill_folder(
    folder: Path,
    ground: RebuiltGround,
    world_options: WorldOptions,
    voxel: float,
    progress: Progress = lambda what, done, of: None,
) -> ScanWorld:
    """Write all files of a scan to an existing folder; return the results."""
    spheres = expected_spheres(surface_discs(ground.cloud, voxel), SPHERE * voxel)
    grid = scan_heights(ground.mesh, voxel)
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
    parse(text, where=WORLD, folder=folder)  # check that the text is valid
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
    """Return a simplified surface and its error, m; None: even a third of a voxel is not enough."""
    mesh, moved, error = ground.mesh, ground.error, ERROR
    while len(mesh.faces) > MOST_PIECES:
        error *= 2
        if error > voxel / 3 or len(mesh.faces) > HOPELESS * MOST_PIECES:
            return None
        fewer = simplify_mesh(ground.mesh, error)
        mesh, moved = fewer.mesh, fewer.error
    return mesh, moved


def _write_surface(folder: Path, ground: RebuiltGround) -> None:
    colours = _vertex_colours(ground)
    write_stl(folder / "surface.stl", ground.mesh.triangles.astype(np.float32))
    write_ply(folder / "surface.ply", ground.mesh, colours)
    write_glb(folder / "surface.glb", ground.mesh, colours)


def _vertex_colours(ground: RebuiltGround) -> Colours | None:
    """Return the colour of the point nearest to each vertex; None: no colours."""
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
    grid: ScanHeights, spheres: Spheres, check: GroundCheck, collides_as: str
) -> list[str]:
    warnings = []
    if grid.unseen > UNSEEN:
        warnings.append(
            f"{100 * grid.unseen:.0f} % of the ground's rectangle were not seen: only the plane "
            "under the scan is there"
        )
    covered = int(spheres.covered.sum())
    if covered:
        share = f"{covered} of {len(spheres.middle)} spheres are under an overhang"
        warnings.append(
            f"there are overhangs: {share}; "
            + (
                "a height map fills the space under them"
                if collides_as == "height_map"
                else "the convex pieces keep the space under them free"
            )
        )
    if check.fell:
        warnings.append(f"{check.fell} spheres fell through holes of the surface")
    return warnings


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


THICKNESS = 0.05
"""Thickness of a prism, m; enough for a penetrating foot to be pushed out on the right side."""
LEAST_THICKNESS = 0.002
"""Smallest thickness that MuJoCo can compile, m."""
LEAST_AREA = 1e-7
"""Smallest area of a triangle, m2; smaller ones are ignored."""


def prisms(mesh: TriangleMesh, thickness: float = THICKNESS) -> list[Array]:
    """Return the corners, (6, 3), m, of a prism behind each triangle, up to ``thickness`` deep."""
    normals = mesh.vertex_normals()
    back = mesh.vertices - normals * _depths(mesh.vertices, normals, thickness)[:, None]
    large = np.linalg.norm(mesh.crosses(), axis=1) / 2 > LEAST_AREA
    faces = mesh.faces[large]
    return list(np.concatenate([mesh.vertices[faces], back[faces]], axis=1))


def _depths(vertices: Array, normals: Array, thickness: float) -> Array:
    """Return the depth of the prisms behind each vertex, (n,), m, up to half way to a surface."""
    from grouser.scan.scipy_parts import spatial

    depths = np.full(len(vertices), thickness)
    pairs = spatial.cKDTree(vertices).query_pairs(2 * thickness, output_type="ndarray")
    one, other = pairs.T
    opposed = np.einsum("ni,ni->n", normals[one], normals[other]) < -0.5
    one, other = one[opposed], other[opposed]
    way = vertices[other] - vertices[one]
    for here, normal, sight in ((one, normals[one], way), (other, normals[other], -way)):
        behind = -np.einsum("ni,ni->n", normal, sight)
        lateral = np.linalg.norm(sight + behind[:, None] * normal, axis=1)
        facing = (behind > 0) & (lateral < np.maximum(behind, thickness / 2))
        np.minimum.at(depths, here[facing], behind[facing] / 2)
    return np.asarray(np.maximum(depths, LEAST_THICKNESS))
