"""Grids of heights as ground: plane parts as few solids, the uneven rest as height fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.world.terrain.height_maps.height_field import add_height_field
    from grouser.world.terrain.height_maps.height_patches import cut

_PLACES = {
    "add_height_field": "grouser.world.terrain.height_maps.height_field",
    "cut": "grouser.world.terrain.height_maps.height_patches",
}

__all__ = ["add_height_field", "cut"]

__getattr__ = lazily(__name__, _PLACES)
