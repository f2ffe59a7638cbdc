"""Object from a mesh file; a non-convex mesh is decomposed into convex pieces."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import mujoco
import numpy as np
from pydantic import BeforeValidator, Field, ValidationInfo, model_validator

from grouser.errors import BadValue, MissingDependency
from grouser.frames import Array
from grouser.physics.compliance import add_buffer
from grouser.physics.contacts import BELT, HULL, WORLD
from grouser.world.field_types import MESH_ENDINGS, mistake, resolve_data_file
from grouser.world.meshes.collision_cache import cached_proxy
from grouser.world.meshes.decomposition import TOLERANCE
from grouser.world.meshes.mesh_files import read_mesh
from grouser.world.meshes.triangle_mesh import TriangleMesh, hulls
from grouser.world.physics_settings import Contact
from grouser.world.world_object import OBJECT, WorldObject


def _existing(value: Any, info: ValidationInfo) -> Path:
    """Return the absolute path of a mesh file."""
    return resolve_data_file(value, info, MESH_ENDINGS, "mesh")


class Mesh(WorldObject):
    """A shape from a mesh file, collided as convex pieces or as its convex hull."""

    kind: Literal["mesh"] = "mesh"
    file: Annotated[Path, BeforeValidator(_existing)]
    """Mesh file (.stl, .ply, .obj), relative to the world file; kept as an absolute path."""
    scale: Annotated[float, Field(gt=0, le=1000)] = 1.0
    """Metres per unit of the file: 0.001 if it is in mm; above 0."""
    collide: Literal["auto", "hull"] = "auto"
    """auto: decomposed into convex pieces if it is not convex. hull: as its convex hull."""

    @model_validator(mode="after")
    def _readable(self) -> Mesh:
        """Read and decompose the file during validation, so that errors name the file's line."""
        try:
            self.pieces()
        except BadValue as error:
            raise mistake(f"which {error}", "file") from None
        except MissingDependency as error:
            raise mistake(f"but {error}, or set collide: hull", "file") from None
        return self

    def pieces(self) -> tuple[Array, ...]:
        """Return the corners of its convex pieces, m, (n, 3) each.

        Raises:
            BadValue: the mesh cannot collide; a clause to follow "which".
            MissingDependency: the packages that decompose meshes are not installed.
        """
        given = read_mesh(self.file)
        mesh = TriangleMesh(self.scale * given.vertices[np.unique(given.faces)], _dense(given))
        if self.collide == "hull":
            if not hulls([mesh.vertices]):
                raise BadValue("has no volume: it is a sheet without thickness")
            return (mesh.vertices,)
        if mesh.open_edges:
            raise BadValue(
                f"is not closed ({mesh.open_edges} open edges) and would collide as its convex "
                "hull: set collide: hull to accept that"
            )
        taken = cached_proxy(mesh, "convex_pieces", TOLERANCE, None).taken
        if not taken.fit.within(TOLERANCE):
            raise BadValue(
                f"is approximated poorly by {len(taken.pieces)} convex pieces ({taken.fit}): set "
                "collide: hull to use its convex hull"
            )
        return taken.pieces

    def add(self, spec: mujoco.MjSpec, contact: Contact) -> None:
        """Add the body and its pieces ``{name}/surface``, ``{name}/surface_1`` and so on."""
        body, surface, pieces = self._body(spec), self.geom(contact, OBJECT), self.pieces()
        volumes = np.array([hull.volume for hull in hulls(pieces)])
        for number, corners in enumerate(pieces):
            ending = f"_{number}" if number else ""
            mesh = f"{self.name}{ending}"
            spec.add_mesh(name=mesh, uservert=corners.ravel(), smoothnormal=False)
            shape = {"type": mujoco.mjtGeom.mjGEOM_MESH, "meshname": mesh}
            weighs = {}
            if not self.fixed and self.mass is not None:
                weighs["mass"] = self.mass * float(volumes[number] / volumes.sum())
            body.add_geom(name=f"{self.name}/surface{ending}", **shape, **surface, **weighs)
            if not self.fixed:
                touches = WORLD | BELT | HULL
                name = f"{self.name}/buffer{ending}"
                add_buffer(body, name, share=0.0, touches=touches, **shape)


def _dense(mesh: TriangleMesh) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Return faces renumbered without unused corners."""
    return np.unique(mesh.faces, return_inverse=True)[1].reshape(-1, 3)
