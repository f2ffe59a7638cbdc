"""From a surface to a world: what it collides as, whether that is what was seen, and its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.scan.ground.check import GroundCheck, SphereErrors, check_ground, choose
    from grouser.scan.ground.discs import Discs, discs_of
    from grouser.scan.ground.height_grid import HeightGrid, OpenPlace, height_grid, open_places
    from grouser.scan.ground.mesh_files import write_glb, write_ply
    from grouser.scan.ground.prisms import prisms
    from grouser.scan.ground.scan_world import ScanWorld, WorldOptions
    from grouser.scan.ground.spheres import Spheres, rest_on
    from grouser.scan.ground.world_folder import scan_to_world

_PLACES = {
    "Discs": "grouser.scan.ground.discs",
    "GroundCheck": "grouser.scan.ground.check",
    "HeightGrid": "grouser.scan.ground.height_grid",
    "OpenPlace": "grouser.scan.ground.height_grid",
    "ScanWorld": "grouser.scan.ground.scan_world",
    "SphereErrors": "grouser.scan.ground.check",
    "Spheres": "grouser.scan.ground.spheres",
    "WorldOptions": "grouser.scan.ground.scan_world",
    "check_ground": "grouser.scan.ground.check",
    "choose": "grouser.scan.ground.check",
    "discs_of": "grouser.scan.ground.discs",
    "height_grid": "grouser.scan.ground.height_grid",
    "open_places": "grouser.scan.ground.height_grid",
    "prisms": "grouser.scan.ground.prisms",
    "rest_on": "grouser.scan.ground.spheres",
    "scan_to_world": "grouser.scan.ground.world_folder",
    "write_glb": "grouser.scan.ground.mesh_files",
    "write_ply": "grouser.scan.ground.mesh_files",
}

__all__ = [
    "Discs",
    "GroundCheck",
    "HeightGrid",
    "OpenPlace",
    "ScanWorld",
    "SphereErrors",
    "Spheres",
    "WorldOptions",
    "check_ground",
    "choose",
    "discs_of",
    "height_grid",
    "open_places",
    "prisms",
    "rest_on",
    "scan_to_world",
    "write_glb",
    "write_ply",
]


__getattr__ = lazily(__name__, _PLACES)
