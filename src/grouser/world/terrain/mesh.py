"""Ground from a mesh file, as convex pieces or as a height map.

MuJoCo collides a mesh as its convex hull, which fills bridges and valleys. A mesh is therefore
either decomposed into convex pieces or converted into a height map, the error is measured, and a
mesh beyond the tolerance is rejected (`grouser.world.meshes`). The choice is logged, and `grouser
check-mesh` shows it.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated, Literal

import mujoco
from pydantic import Field, model_validator

from grouser.description import mistake
from grouser.errors import BadValue, MissingDependency
from grouser.frames import Pose, metres, radians
from grouser.world.field_types import Coordinate, MeshFile
from grouser.world.meshes.collision_cache import cached_proxy
from grouser.world.meshes.collision_proxy import Collide, ProxyChoice
from grouser.world.meshes.mesh_files import read_mesh
from grouser.world.meshes.triangle_mesh import TriangleMesh
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import LIGHT, TerrainPiece
from grouser.world.world_object import TurnDegrees

LARGEST = 200.0
"""Largest size of a mesh, m; a larger one is probably in millimetres."""
SMALLEST = 0.001
"""Smallest size of a mesh, m."""

_LOG = logging.getLogger(__name__)


class MeshGround(TerrainPiece):
    """Ground from a mesh file, as convex pieces or as a height map."""

    kind: Literal["mesh"] = "mesh"
    file: MeshFile
    """Mesh file (.stl, .ply, .obj), relative to the world file; kept as an absolute path."""
    scale: Annotated[float, Field(gt=0, le=1000)] = 1.0
    """Metres per unit of the file: 0.001 if it is in mm; above 0."""
    x: Coordinate = 0.0
    """x of the mesh's origin, m."""
    y: Coordinate = 0.0
    """y of the mesh's origin, m."""
    z: Coordinate = 0.0
    """z of the mesh's origin, m."""
    roll_deg: TurnDegrees = 0.0
    """Rotation about x, applied first, deg: 90 for files whose y is up."""
    pitch_deg: TurnDegrees = 0.0
    """Rotation about y, applied second, deg."""
    yaw_deg: TurnDegrees = 0.0
    """Rotation about z, applied last, deg."""
    collide: Collide = "auto"
    """Collision geometry: convex_pieces (of a closed mesh), height_map (seen from above), or auto:
    the one within the tolerance, and of two the one with fewer contacts."""
    tolerance: Annotated[float, Field(ge=0.0005, le=1)] = 0.01
    """Largest error of the surface, m; 0.0005 to 1."""
    cell: Annotated[float, Field(gt=0, le=10)] | None = None
    """Grid spacing of a height map, m; None: 20, 10 or 5 mm, as fine as needed."""

    @model_validator(mode="after")
    def _is_ground(self) -> MeshGround:
        """Process the file during validation, so that errors name the world file's line."""
        try:
            self.choice()
        except (BadValue, MissingDependency) as error:
            word = "which" if isinstance(error, BadValue) else "but"
            raise mistake(f"{word} {error}", "file") from None
        return self

    def mesh(self) -> TriangleMesh:
        """Return the mesh, m, with roll and pitch but not yaw applied."""
        given = scaled_mesh(self.file, self.scale)
        lying = Pose.at(roll=radians(self.roll_deg), pitch=radians(self.pitch_deg))
        return TriangleMesh(lying.apply(given.vertices), given.faces)

    def choice(self) -> ProxyChoice:
        """Return its collision geometry and the reason for the choice.

        Raises:
            BadValue: the mesh cannot be ground; a clause to follow "which".
            MissingDependency: the packages that decompose meshes are not installed.
        """
        return cached_proxy(self.mesh(), self.collide, self.tolerance, self.cell)

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add ``{name}/piece_…`` or ``{name}/map/…``."""
        choice = self.choice()
        _LOG.info("%s: %s (%s)", self.file.name, choice.taken, choice.why)
        X_WP = Pose.at(self.x, self.y, self.z, yaw=radians(self.yaw_deg))
        choice.taken.add(spec, name, X_WP, **self.geom(contact, LIGHT))


def scaled_mesh(path: Path, scale: float) -> TriangleMesh:
    """Return the mesh of a file, m, whose unit is ``scale`` (m)."""
    given = read_mesh(path)
    mesh = TriangleMesh(scale * given.vertices, given.faces)
    words = " x ".join(f"{edge:.4g}" for edge in mesh.size.tolist())
    if mesh.size.max() > LARGEST:
        raise BadValue(
            f"is {words} m large, at most {LARGEST:g} m are allowed: if it is in millimetres, "
            f"set scale: {metres(scale):g}"
        )
    if mesh.size.max() < SMALLEST:
        raise BadValue(f"is {words} m large, at least {SMALLEST:g} m are needed: set scale")
    return mesh
