"""World description: terrain, objects, triggers, events, world file; no robots or sensors."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    __file__,
    renamed={
        "Physics": "grouser.world.physics_settings:PhysicsSettings",
        "Terrain": "grouser.world.terrain.kinds:Terrain",
    },
)
