"""The ground of a world, by kind."""
