"""The ground of a world, one kind per file; `TERRAINS` is their table."""
