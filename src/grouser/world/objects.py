"""Objects of a world: boxes, balls, cylinders, meshes, victims, RFID tags, doors, lamps.

Each becomes a body of its own name under the world body, with one geom (a victim: one per body
part; a door: a separate leaf body; a non-convex mesh: one per convex piece); a free body has the
joint ``{name}/free``. Victims and tags are labelled for sensors (`grouser.physics.labels`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import mujoco
import numpy as np
from pydantic import Field, Strict, model_validator

from grouser.description import mistake
from grouser.errors import BadValue, MissingDependency
from grouser.frames import Array, Triple
from grouser.physics.compliance import add_buffer
from grouser.physics.contacts import BELT, HULL, WORLD
from grouser.physics.labels import PARTS, mark
from grouser.world.door import Door
from grouser.world.field_types import Length, MeshFile, Rgb, Shade
from grouser.world.meshes.collision_cache import cached_proxy
from grouser.world.meshes.decomposition import TOLERANCE
from grouser.world.meshes.mesh_files import read_mesh
from grouser.world.meshes.triangle_mesh import TriangleMesh, hulls
from grouser.world.physics_settings import Contact
from grouser.world.world_object import OBJECT, WorldObject

BULB: Rgb = (1.0, 0.95, 0.80)
HALO = 0.01
"""Distance of the light source below the bulb's surface, m."""
FADING = (1.0, 0.0, 0.15)
"""Attenuation a, b, c: brightness at r metres is 1 / (a + b r + c r²); c is an estimate for a room,
since MuJoCo's lights have no photometric units."""


class Lamp(WorldObject):
    """A spherical bulb; `position` is its centre."""

    kind: Literal["lamp"] = "lamp"
    radius: Length = 0.06
    """Radius of the bulb, m; above 0."""
    brightness: Shade = 0.8
    """Brightness, 0 to 1."""
    lit: bool = True
    """Switched on at the start."""
    friction: Annotated[float, Field(ge=0, le=10)] = 0.3
    """Coulomb's coefficient between the bulb and whatever touches it, -; 0 to 10; estimate."""
    fixed: bool = True
    """True: fixed in place. False: a free body of `mass`."""

    @property
    def light(self) -> str:
        """Name of the light and of the bulb's material."""
        return f"{self.name}/light"

    def add(self, spec: mujoco.MjSpec, contact: Contact) -> None:
        """Add the bulb and its light."""
        geom = self.geom(contact, BULB) | ({} if self.fixed else {"mass": self.mass})
        spec.add_material(name=self.light, emission=float(self.lit))
        body = self._body(spec)
        body.add_geom(
            name=f"{self.name}/surface",
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[self.radius, 0, 0],
            material=self.light,
            **geom,
        )
        colour = [self.brightness * part for part in self.rgb or BULB]
        body.add_light(
            name=self.light,
            type=mujoco.mjtLightType.mjLIGHT_SPOT,
            # A spot light with a full opening angle, outside the bulb, which would shade it.
            pos=[0, 0, -self.radius - HALO],
            dir=[0, 0, -1],
            cutoff=180.0,
            exponent=0.0,
            attenuation=FADING,
            diffuse=colour,
            specular=[part / 4 for part in colour],
            ambient=[0.0, 0.0, 0.0],
            castshadow=False,
            active=self.lit,
        )


Posture = Literal["lying", "sitting"]

SKIN: Rgb = (0.85, 0.65, 0.52)
CLOTHES: Rgb = (0.30, 0.33, 0.42)
_BARE = ("head", "hand")


@dataclass(frozen=True)
class VictimPart:
    """Body part of a victim dummy: a capsule between two points, or a sphere if they are equal.

    The frame is on the ground under the hips. A lying dummy's head points along x; a sitting one
    faces along x. Sizes are those of a grown person of 1.7 m (estimates).
    """

    kind: str
    """One of `grouser.physics.labels.PARTS`."""
    radius: float
    """m."""
    begin: Triple
    """In the victim's frame, m."""
    end: Triple
    share: float
    """Share of the whole mass."""

    @property
    def rgb(self) -> Rgb:
        """Colour of skin or clothes."""
        return SKIN if self.kind in _BARE else CLOTHES

    def shape(self) -> dict[str, Any]:
        """Return type, size and position as MuJoCo's geoms take them."""
        if self.begin == self.end:
            size, pos = [self.radius, 0, 0], list(self.begin)
            return {"type": mujoco.mjtGeom.mjGEOM_SPHERE, "size": size, "pos": pos}
        fromto = [*self.begin, *self.end]
        return {
            "type": mujoco.mjtGeom.mjGEOM_CAPSULE,
            "size": [self.radius, 0, 0],
            "fromto": fromto,
        }


def victim_parts(posture: Posture) -> dict[str, VictimPart]:
    """Return the parts of a dummy by name."""
    torso, limbs = _BODIES[posture]
    sides = {
        f"{side}_{part.kind}": VictimPart(
            part.kind, part.radius, _across(part.begin, s), _across(part.end, s), part.share
        )
        for side, s in (("left", 1), ("right", -1))
        for part in limbs
    }
    return {part.kind: part for part in torso} | sides


def _across(place: Triple, side: int) -> Triple:
    x, y, z = place
    return (x, side * y, z)


_LYING = (
    (
        VictimPart("head", 0.10, (0.72, 0.0, 0.10), (0.72, 0.0, 0.10), 0.07),
        VictimPart("chest", 0.13, (0.22, 0.0, 0.13), (0.48, 0.0, 0.13), 0.37),
        VictimPart("pelvis", 0.11, (0.0, -0.06, 0.11), (0.0, 0.06, 0.11), 0.14),
    ),
    (  # left side; the right side is mirrored
        VictimPart("arm", 0.045, (0.48, 0.21, 0.06), (0.06, 0.31, 0.05), 0.045),
        VictimPart("hand", 0.05, (-0.05, 0.33, 0.05), (-0.05, 0.33, 0.05), 0.005),
        VictimPart("leg", 0.07, (-0.05, 0.10, 0.08), (-0.78, 0.15, 0.07), 0.145),
        VictimPart("foot", 0.04, (-0.85, 0.15, 0.05), (-0.85, 0.15, 0.20), 0.015),
    ),
)
_SITTING = (
    (
        VictimPart("head", 0.10, (0.0, 0.0, 0.82), (0.0, 0.0, 0.82), 0.07),
        VictimPart("chest", 0.13, (0.0, 0.0, 0.32), (0.0, 0.0, 0.56), 0.37),
        VictimPart("pelvis", 0.11, (0.0, -0.06, 0.11), (0.0, 0.06, 0.11), 0.14),
    ),
    (
        VictimPart("arm", 0.045, (0.02, 0.21, 0.55), (0.22, 0.26, 0.20), 0.045),
        VictimPart("hand", 0.05, (0.30, 0.27, 0.17), (0.30, 0.27, 0.17), 0.005),
        VictimPart("leg", 0.07, (0.10, 0.10, 0.08), (0.80, 0.15, 0.07), 0.145),
        VictimPart("foot", 0.04, (0.87, 0.15, 0.05), (0.87, 0.15, 0.20), 0.015),
    ),
)
_BODIES: dict[Posture, tuple[tuple[VictimPart, ...], tuple[VictimPart, ...]]] = {
    "lying": _LYING,
    "sitting": _SITTING,
}


FASTEST_SURFACE = 10.0
"""Largest speed of a moving surface along one axis, m/s."""
SurfaceSpeed = Annotated[float, Field(ge=-FASTEST_SURFACE, le=FASTEST_SURFACE)]
"""A speed, m/s; -10 to 10."""


class Box(WorldObject):
    """A cuboid."""

    kind: Literal["box"] = "box"
    size: Annotated[tuple[Length, Length, Length], Strict(False)]
    """Edge lengths along its x, y, z, m; each above 0."""
    surface_velocity: Annotated[tuple[SurfaceSpeed, SurfaceSpeed, SurfaceSpeed], Strict(False)] = (
        0.0,
        0.0,
        0.0,
    )
    """Velocity of its surface in its axes, m/s, while the box stays where it is: a conveyor."""

    def geom(self, contact: Contact, shade: Rgb) -> dict[str, Any]:
        """Return the geom attributes, with the velocity of the surface."""
        attributes = super().geom(contact, shade)
        if any(self.surface_velocity):
            attributes["surfacevel"] = [*self.surface_velocity, 0.0, 0.0, 0.0]
        return attributes

    def shape(self, spec: mujoco.MjSpec) -> dict[str, Any]:
        """Return a box; MuJoCo's sizes are half the edges."""
        return {"type": mujoco.mjtGeom.mjGEOM_BOX, "size": [edge / 2 for edge in self.size]}


class Ball(WorldObject):
    """A sphere."""

    kind: Literal["ball"] = "ball"
    radius: Length
    """Radius, m; above 0."""
    rolling: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Coefficient of rolling resistance: lever arm of the normal force ahead of the centre, m; 0:
    the ball never comes to rest."""

    def shape(self, spec: mujoco.MjSpec) -> dict[str, Any]:
        """Return a sphere."""
        return {"type": mujoco.mjtGeom.mjGEOM_SPHERE, "size": [self.radius, 0, 0]}

    def geom(self, contact: Contact, shade: Rgb) -> dict[str, Any]:
        """Return the geom attributes, with rolling and spinning friction."""
        attributes = super().geom(contact, shade)
        if self.rolling:
            attributes |= {"condim": 6, "friction": [self.friction, self.rolling, self.rolling]}
        return attributes


class Cylinder(WorldObject):
    """A cylinder along its z axis."""

    kind: Literal["cylinder"] = "cylinder"
    radius: Length
    """Radius, m; above 0."""
    length: Length
    """Length along its z, m; above 0."""

    def shape(self, spec: mujoco.MjSpec) -> dict[str, Any]:
        """Return a cylinder; MuJoCo's size is half the length."""
        size = [self.radius, self.length / 2, 0]
        return {"type": mujoco.mjtGeom.mjGEOM_CYLINDER, "size": size}


class Victim(WorldObject):
    """Dummy of a disaster victim that victim sensors detect."""

    kind: Literal["victim"] = "victim"
    posture: Posture = "lying"
    """lying (on the back, head along x) or sitting (facing along x); `position` is on the ground
    under the hips."""
    friction: Annotated[float, Field(ge=0, le=10)] = 0.8
    """Coulomb friction coefficient of the clothes, -; 0 to 10; estimate."""
    fixed: bool = True
    """True: fixed in place. False: one rigid body of `mass`."""

    def add(self, spec: mujoco.MjSpec, contact: Contact) -> None:
        """Add the body, and a labelled geom ``{name}/{part}`` for every body part."""
        body, made = self._body(spec), victim_parts(self.posture)
        for name, part in made.items():
            geom = self.geom(contact, part.rgb)
            if self.mass is not None and not self.fixed:
                geom["mass"] = self.mass * part.share
            body.add_geom(name=f"{self.name}/{name}", **part.shape(), **geom)
        numbers = {f"{self.name}/{name}": PARTS.index(part.kind) for name, part in made.items()}
        mark(spec, "victim", self.name, numbers)


class Tag(WorldObject):
    """RFID tag: a small plate with a number."""

    kind: Literal["tag"] = "tag"
    number: Annotated[int, Field(ge=0, le=2**31)]
    """Number that readers report; at least 0."""
    friction: Annotated[float, Field(ge=0, le=10)] = 0.5
    """Coulomb friction coefficient, -; 0 to 10; estimate."""
    fixed: bool = True
    """True: fixed in place. False: a free body of `mass`."""

    def add(self, spec: mujoco.MjSpec, contact: Contact) -> None:
        """Add the plate and label it."""
        super().add(spec, contact)
        mark(spec, "tag", self.name, {f"{self.name}/surface": self.number})

    def shape(self, spec: mujoco.MjSpec) -> dict[str, Any]:
        """Return a plate of 86 x 54 x 4 mm."""
        return {"type": mujoco.mjtGeom.mjGEOM_BOX, "size": [0.043, 0.027, 0.002]}


class Mesh(WorldObject):
    """A shape from a mesh file, collided as convex pieces or as its convex hull."""

    kind: Literal["mesh"] = "mesh"
    file: MeshFile
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
        used, faces = np.unique(given.faces, return_inverse=True)
        mesh = TriangleMesh(self.scale * given.vertices[used], faces.reshape(-1, 3))
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
            mass = {}
            if not self.fixed and self.mass is not None:
                mass["mass"] = self.mass * float(volumes[number] / volumes.sum())
            body.add_geom(name=f"{self.name}/surface{ending}", **shape, **surface, **mass)
            if not self.fixed:
                touches = WORLD | BELT | HULL
                name = f"{self.name}/buffer{ending}"
                add_buffer(body, name, share=0.0, touches=touches, **shape)


AnyObject = Annotated[
    Box | Ball | Cylinder | Mesh | Victim | Tag | Door | Lamp, Field(discriminator="kind")
]
"""Union of all kinds, discriminated by ``kind``."""

OBJECTS: dict[str, type[WorldObject]] = {
    "box": Box,
    "ball": Ball,
    "cylinder": Cylinder,
    "mesh": Mesh,
    "victim": Victim,
    "tag": Tag,
    "door": Door,
    "lamp": Lamp,
}
"""Kinds of object by their name in world files."""
