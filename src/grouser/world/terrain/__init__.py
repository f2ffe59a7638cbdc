"""Terrain of a world, one kind per file; `grouser.world.terrain.kinds.TERRAINS` lists them."""
