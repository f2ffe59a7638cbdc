"""Scanned surface to world: collision geometry, its verification, and files."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    __file__,
    renamed={
        "HeightGrid": "grouser.scan.ground.scan_heights:ScanHeights",
        "discs_of": "grouser.scan.ground.spheres:surface_discs",
        "height_grid": "grouser.scan.ground.scan_heights:scan_heights",
        "rest_on": "grouser.scan.ground.spheres:expected_spheres",
        "write_glb": "grouser.world.meshes.mesh_files:write_glb",
        "write_ply": "grouser.world.meshes.mesh_files:write_ply",
    },
)
