"""Scanned surface to world: collision geometry, its verification, and files."""
