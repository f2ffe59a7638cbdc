"""Triangle meshes: files, queries, convex decomposition and collision geometry."""
