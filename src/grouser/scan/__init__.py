"""Point clouds to ground: registration, surface reconstruction, world files."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    __file__,
    renamed={
        "DownGuess": "grouser.scan.gravity_direction:GravityEstimate",
        "TriangleMesh": "grouser.world.meshes.triangle_mesh:TriangleMesh",
        "find_down": "grouser.scan.gravity_direction:find_gravity_direction",
        "joined": "grouser.scan.cloud:concatenate_clouds",
        "register": "grouser.scan.registration:register_frames",
        "simplified": "grouser.scan.simplify:simplify_mesh",
    },
)
