"""Grids of heights as ground: plane parts as few solids, the uneven rest as height fields."""
