"""Triangle meshes: read, measured, and cut into the convex pieces that physics can collide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.world.meshes.columns import Fit
    from grouser.world.meshes.decomposition import Decomposition, decompose
    from grouser.world.meshes.triangle_mesh import TriangleMesh

_PLACES = {
    "Decomposition": "grouser.world.meshes.decomposition",
    "Fit": "grouser.world.meshes.columns",
    "TriangleMesh": "grouser.world.meshes.triangle_mesh",
    "decompose": "grouser.world.meshes.decomposition",
}

__all__ = ["Decomposition", "Fit", "TriangleMesh", "decompose"]

__getattr__ = lazily(__name__, _PLACES)
