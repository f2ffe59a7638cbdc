"""Experiments of the camera paper beyond its tables."""
