"""Formats of point clouds, one per file: bytes in, a cloud out, no files opened."""
