"""Terrain of a world, one kind per file; `grouser.world.terrain.kinds.TERRAINS` lists them."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(
    __name__, __file__, renamed={"Terrain": "grouser.world.terrain.kinds:Terrain"}
)
