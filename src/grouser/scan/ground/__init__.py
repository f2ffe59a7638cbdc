"""From a surface to a world: what it collides as, whether that is what was seen, and its files."""
