"""Triangle meshes: read, measured, and cut into the convex pieces that physics can collide."""
