"""Ground from a mesh file: convex pieces or a height map, whichever fits it and costs less.

MuJoCo collides a mesh as its convex hull: a bridge would be a block, a valley a plain. So a mesh is
either cut into convex pieces or read as heights from above, the error is measured, and what does
not fit is refused (`grouser.world.meshes`). What was chosen is logged, and `grouser check-mesh`
shows it.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated, Any, Literal

import mujoco
from pydantic import BeforeValidator, Field, ValidationInfo, model_validator

from grouser.errors import BadValue, MissingDependency
from grouser.frames import Pose, metres, radians
from grouser.world.data_files import MESH_ENDINGS, beside_the_world
from grouser.world.field_types import Coordinate, mistake
from grouser.world.meshes.choice_cache import cached_stand_in
from grouser.world.meshes.mesh_files import read_mesh
from grouser.world.meshes.stand_in import Collide, StandInChoice
from grouser.world.meshes.triangle_mesh import TriangleMesh
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import LIGHT, TerrainPiece
from grouser.world.world_object import TurnDegrees

LARGEST = 200.0
"""m; a larger mesh is taken for one in millimetres."""
SMALLEST = 0.001
"""m; a smaller one is taken for one in kilometres, or for nothing."""

_LOG = logging.getLogger(__name__)


def _mesh_file(value: Any, info: ValidationInfo) -> Path:
    return beside_the_world(value, info, MESH_ENDINGS, "mesh")


class MeshGround(TerrainPiece):
    """Ground from a mesh file, as convex pieces or as a height map."""

    kind: Literal["mesh"] = "mesh"
    file: Annotated[Path, BeforeValidator(_mesh_file)]
    """Mesh file (.stl, .ply, .obj), relative to the world file; kept as an absolute path."""
    scale: Annotated[float, Field(gt=0, le=1000)] = 1.0
    """Metres per unit of the file: 0.001 if it is in mm; above 0."""
    x: Coordinate = 0.0
    """Where the mesh's own origin is, m."""
    y: Coordinate = 0.0
    """The same along y, m."""
    z: Coordinate = 0.0
    """The same along z, m."""
    roll_deg: TurnDegrees = 0.0
    """Turn about x, taken first, deg: 90 for files whose y is up."""
    pitch_deg: TurnDegrees = 0.0
    """Turn about y, taken second, deg."""
    yaw_deg: TurnDegrees = 0.0
    """Turn about z, taken last, deg."""
    collide: Collide = "auto"
    """As what it collides: convex_pieces (of a closed mesh), height_map (what is seen from above),
    or auto: what fits, and of two that fit, what makes fewer contacts."""
    tolerance: Annotated[float, Field(ge=0.0005, le=1)] = 0.01
    """How far its surface may be off, m; 0.0005 to 1."""
    cell: Annotated[float, Field(gt=0, le=10)] | None = None
    """From one point of a height map to the next, m; None: 20, 10 or 5 mm, as fine as needed."""

    @model_validator(mode="after")
    def _is_ground(self) -> MeshGround:
        """Make ground of the file now, while the world file's line is still known."""
        try:
            self.choice()
        except (BadValue, MissingDependency) as error:
            word = "which" if isinstance(error, BadValue) else "but"
            raise mistake(f"{word} {error}", "file") from None
        return self

    def mesh(self) -> TriangleMesh:
        """Return the mesh, m, rolled and pitched as it lies and not yet turned about z.

        Raises:
            BadValue: in a few words, to be read after "which": why it is no mesh.
        """
        given = scaled_mesh(self.file, self.scale)
        lying = Pose.at(roll=radians(self.roll_deg), pitch=radians(self.pitch_deg))
        return TriangleMesh(lying.apply(given.vertices), given.faces)

    def choice(self) -> StandInChoice:
        """Return what it collides as, and why.

        Raises:
            BadValue: in a few words, to be read after "which": why it cannot be ground.
            MissingDependency: the packages that cut meshes are not installed.
        """
        return cached_stand_in(self.mesh(), self.collide, self.tolerance, self.cell)

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add ``{name}/piece_…`` or ``{name}/map/…``."""
        choice = self.choice()
        _LOG.info("%s: %s (%s)", self.file.name, choice.taken, choice.why)
        X_WP = Pose.at(self.x, self.y, self.z, yaw=radians(self.yaw_deg))
        choice.taken.add(spec, name, X_WP, **self.geom(contact, LIGHT))


def scaled_mesh(path: Path, scale: float) -> TriangleMesh:
    """Return the mesh of a file, m, whose unit is ``scale`` (m).

    Raises:
        BadValue: in a few words, to be read after "which": why it is no mesh, or of what size.
    """
    given = read_mesh(path)
    mesh = TriangleMesh(scale * given.vertices, given.faces)
    words = " x ".join(f"{edge:.4g}" for edge in mesh.size.tolist())
    if mesh.size.max() > LARGEST:
        raise BadValue(
            f"is {words} m large, at most {LARGEST:g} m are allowed: if it is in millimetres, "
            f"say scale: {metres(scale):g}"
        )
    if mesh.size.max() < SMALLEST:
        raise BadValue(f"is {words} m large, at least {SMALLEST:g} m are needed: say a scale")
    return mesh
