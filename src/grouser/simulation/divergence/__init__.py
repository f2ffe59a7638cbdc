"""Divergence of physics: detection and recovery."""
