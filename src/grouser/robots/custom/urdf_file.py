"""URDF files: parser, validation with line numbers, and conversion to an MjSpec.

MuJoCo's own URDF parser hides errors: it treats a negative mass as 0, fuses fixed links, drops
visuals, and supports neither ``package://`` nor effort limits.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

from grouser.errors import BadValue, nearest
from grouser.frames import Array, Pose, rotate
from grouser.robots.custom.model_joints import ModelJoint, ModelJoints
from grouser.robots.custom.xml_lines import XmlElement, read_xml

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
MESHES = (".stl", ".obj", ".msh")
"""Mesh formats that MuJoCo reads."""


@dataclass(frozen=True, kw_only=True)
class UrdfShape:
    """Visual or collision shape of a link."""

    kind: str
    """box, cylinder, sphere, capsule or mesh."""
    size: tuple[float, ...] = ()
    """As in URDF: edges; radius and length; radius. For a mesh: its scale."""
    file: Path | None = None
    X_LS: Pose = field(default_factory=Pose)
    rgba: tuple[float, ...] | None = None
    line: int = 0


@dataclass(frozen=True, kw_only=True)
class UrdfLink:
    """One link."""

    name: str
    line: int
    mass: float = 0.0
    centre: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array | None = None
    """About its centre, in the link's axes, (3, 3), kg m²; None: not given."""
    visuals: tuple[UrdfShape, ...] = ()
    collisions: tuple[UrdfShape, ...] = ()


@dataclass(frozen=True, kw_only=True)
class UrdfJoint:
    """One joint."""

    name: str
    line: int
    type: str
    parent: str
    child: str
    X_PC: Pose = field(default_factory=Pose)
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    limits: tuple[float, float] | None = None
    effort: float | None = None
    velocity: float | None = None
    damping: float = 0.0
    friction: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Urdf:
    """Content of a URDF."""

    path: Path
    links: tuple[UrdfLink, ...]
    joints: tuple[UrdfJoint, ...]

    def where(self, line: int) -> str:
        """Return file name and line, for error messages."""
        return f"{self.path.name} line {line}"


def read_urdf(path: Path) -> Urdf:
    """Read a URDF; its content is validated by `urdf_faults`."""
    root = read_xml(path)
    if root.tag != "robot":
        raise BadValue(f"{path.name}: is not a URDF, its root element is <{root.tag}>, not <robot>")
    reader = _Reader(path, root)
    return Urdf(
        path=path,
        links=tuple(reader.link(element) for element in root.all("link")),
        joints=tuple(reader.joint(element) for element in root.all("joint")),
    )


class _Reader:
    def __init__(self, path: Path, root: XmlElement) -> None:
        self.path = path
        self.colours = {
            material.attributes.get("name", ""): self._numbers(colour, "rgba", 4)
            for material in root.all("material")
            if (colour := material.first("color"))
        }

    def link(self, element: XmlElement) -> UrdfLink:
        """Return one link."""
        inertial = element.first("inertial")
        mass, centre, inertia = 0.0, np.zeros(3), None
        if inertial:
            weight = inertial.first("mass")
            mass = self._number(weight, "value") if weight else 0.0
            X_LC = self._origin(inertial)
            centre = X_LC.position
            if tensor := inertial.first("inertia"):
                xx, yy, zz, xy, xz, yz = (
                    self._number(tensor, key, 0.0)
                    for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
                )
                turn = rotate(X_LC.wxyz, np.eye(3)).T
                inertia = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
        return UrdfLink(
            name=self._name(element),
            line=element.line,
            mass=mass,
            centre=centre,
            inertia=inertia,
            visuals=tuple(self._shape(shape) for shape in element.all("visual")),
            collisions=tuple(self._shape(shape) for shape in element.all("collision")),
        )

    def joint(self, element: XmlElement) -> UrdfJoint:
        """Return one joint."""
        kind = element.attributes.get("type", "")
        where = f"{self.path.name} line {element.line}"
        name = self._name(element)
        if kind not in JOINT_TYPES:
            listing = ", ".join(JOINT_TYPES)
            raise BadValue(
                f"{where}: joint '{name}' has the type '{kind}', allowed: {listing}"
                f"{nearest(kind, JOINT_TYPES)}"
            )
        ends = []
        for tag in ("parent", "child"):
            end = element.first(tag)
            if end is None or "link" not in end.attributes:
                raise BadValue(f"{where}: joint '{name}' lacks its {tag}: <{tag} link=\"…\"/>")
            ends.append(end.attributes["link"])
        axis, limit = element.first("axis"), element.first("limit")
        loss = element.first("dynamics")
        x, y, z = self._numbers(axis, "xyz", 3) if axis else (1.0, 0.0, 0.0)
        limits = None
        if limit and {"lower", "upper"} & set(limit.attributes):
            limits = self._number(limit, "lower", 0.0), self._number(limit, "upper", 0.0)
        return UrdfJoint(
            name=name,
            line=element.line,
            type=kind,
            parent=ends[0],
            child=ends[1],
            X_PC=self._origin(element),
            axis=(x, y, z),
            limits=None if kind == "continuous" else limits,
            effort=self._number(limit, "effort", 0.0) if limit else None,
            velocity=self._number(limit, "velocity", 0.0) if limit else None,
            damping=max(0.0, self._number(loss, "damping", 0.0)) if loss else 0.0,
            friction=max(0.0, self._number(loss, "friction", 0.0)) if loss else 0.0,
        )

    def _name(self, element: XmlElement) -> str:
        name = element.attributes.get("name", "").strip()
        if not name:
            raise BadValue(f"{self.path.name} line {element.line}: a {element.tag} has no name")
        return name

    def _shape(self, element: XmlElement) -> UrdfShape:
        geometry = element.first("geometry")
        inside = geometry.children[0] if geometry and geometry.children else None
        where = f"{self.path.name} line {element.line}"
        if inside is None:
            raise BadValue(f"{where}: a {element.tag} lacks its geometry")
        size: tuple[float, ...]
        file = None
        if inside.tag == "box":
            size = self._numbers(inside, "size", 3)
        elif inside.tag in ("cylinder", "capsule"):
            size = self._number(inside, "radius"), self._number(inside, "length")
        elif inside.tag == "sphere":
            size = (self._number(inside, "radius"),)
        elif inside.tag == "mesh":
            given = "scale" in inside.attributes
            size = self._numbers(inside, "scale", 3) if given else (1.0, 1.0, 1.0)
            file = mesh_path(inside.attributes.get("filename", ""), self.path)
        else:
            shapes = ("box", "cylinder", "sphere", "capsule", "mesh")
            hint = nearest(inside.tag, shapes)
            raise BadValue(
                f"{where}: there is no geometry '{inside.tag}', allowed: {', '.join(shapes)}{hint}"
            )
        material = element.first("material")
        rgba = None
        if material:
            colour = material.first("color")
            named = self.colours.get(material.attributes.get("name", ""))
            rgba = self._numbers(colour, "rgba", 4) if colour else named
        return UrdfShape(
            kind=inside.tag,
            size=size,
            file=file,
            X_LS=self._origin(element),
            rgba=rgba,
            line=inside.line,
        )

    def _origin(self, element: XmlElement) -> Pose:
        origin = element.first("origin")
        if origin is None:
            return Pose()
        x, y, z = self._numbers(origin, "xyz", 3, (0.0, 0.0, 0.0))
        roll, pitch, yaw = self._numbers(origin, "rpy", 3, (0.0, 0.0, 0.0))
        return Pose.at(x, y, z, roll=roll, pitch=pitch, yaw=yaw)

    def _number(self, element: XmlElement, key: str, default: float | None = None) -> float:
        given = element.attributes.get(key)
        if given is None and default is not None:
            return default
        return self._numbers(element, key, 1)[0]

    def _numbers(
        self, element: XmlElement, key: str, count: int, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        given = element.attributes.get(key)
        if given is None and default is not None:
            return default
        try:
            numbers = tuple(float(word) for word in (given or "").split())
        except ValueError:
            numbers = ()
        if len(numbers) != count or not all(map(math.isfinite, numbers)):
            raise BadValue(
                f"{self.path.name} line {element.line}: {key} of <{element.tag}> is "
                f"{given!r}, {count} number{'s' * (count > 1)} needed"
            )
        return numbers


def is_readable(shape: UrdfShape) -> bool:
    """Return whether a shape has no mesh, or one that MuJoCo can read."""
    return shape.file is None or shape.file.suffix.lower() in MESHES


def mesh_path(given: str, urdf: Path) -> Path:
    """Resolve the ``filename`` of a URDF mesh; the file may not exist."""
    # ``package://name/path`` is searched for in the folders above the URDF, with the
    # package's name and without it.
    name = given.removeprefix("file://")
    if not name.startswith(("package://", "model://")):
        return (urdf.parent / name).resolve()
    inside = Path(name.partition("://")[2])
    rest = Path(*inside.parts[1:])
    above = urdf.resolve().parents
    places = [folder / place for folder in above for place in (inside, rest)]
    return next((place for place in places if place.is_file()), urdf.parent.resolve() / rest)


LARGE_MASS_RATIO = 100.0
"""Ratio of masses of connected links that causes a warning."""
LARGE_MESH = 20.0
"""m; a mesh larger than this is most likely in millimetres."""
ROUNDING = 1e-3
"""Relative tolerance of the triangle inequality of inertias, for exporters' rounding."""


def urdf_faults(urdf: Urdf, limited: Collection[str] = ()) -> list[str]:
    """Return all faults, in reading order; ``limited`` joints have limits in the robot file."""
    found: list[tuple[int, str]] = []
    found += _names(urdf)
    found += _tree(urdf)
    for link in urdf.links:
        if link.mass < 0:
            fault = f"link '{link.name}' has the mass {link.mass:g} kg, it must be above 0"
            found.append((link.line, fault))
        for shape in (*link.visuals, *link.collisions):
            found += _shape(link, shape)
    for joint in urdf.joints:
        found += _joint(joint, limited)
    return [f"{urdf.where(line)}: {sentence}" for line, sentence in sorted(found)]


def urdf_warnings(urdf: Urdf) -> list[str]:
    """Return the warnings, in reading order."""
    found: list[tuple[int, str]] = []
    links = {link.name: link for link in urdf.links}
    for joint in urdf.joints:
        if joint.parent in links and joint.child in links:
            found += _mass_ratio(links[joint.parent], links[joint.child])
        if joint.type in ("revolute", "prismatic") and joint.limits:
            low, high = joint.limits
            if not low <= 0 <= high:
                found.append((joint.line, f"joint '{joint.name}' cannot be at 0"))
        if joint.type in ("revolute", "continuous", "prismatic") and not joint.effort:
            found.append((joint.line, f"joint '{joint.name}' has no effort limit: no motor"))
    moved = {joint.child for joint in urdf.joints if joint.type not in ("fixed", "floating")}
    for link in urdf.links:
        if link.mass == 0 and link.name in moved:
            found.append((link.line, f"link '{link.name}' moves and has no mass: 1 g is used"))
        elif link.mass > 0 and link.inertia is None:
            found.append(
                (
                    link.line,
                    f"link '{link.name}' has a mass, but no inertia: that of a ball is used",
                )
            )
        if link.inertia is not None and link.mass > 0:
            found += _inertia(link, link.inertia)
            found += _gyration(link, link.inertia)
        for word, shapes in (("drawn", link.visuals), ("used for contacts", link.collisions)):
            for shape in shapes:
                if shape.file and not is_readable(shape) and shape.file.is_file():
                    name = shape.file.name
                    found.append((shape.line, f"'{name}' is not {word}: MuJoCo reads STL and OBJ"))
    return [f"{urdf.where(line)}: {sentence}" for line, sentence in sorted(found)]


def _names(urdf: Urdf) -> Iterator[tuple[int, str]]:
    if not urdf.links:
        yield 1, "there is no link, at least one is needed"
    for word, things in (("link", urdf.links), ("joint", urdf.joints)):
        first: dict[str, int] = {}
        for thing in things:
            if thing.name in first:
                yield thing.line, f"{word} '{thing.name}' is already in line {first[thing.name]}"
            first.setdefault(thing.name, thing.line)


def _tree(urdf: Urdf) -> Iterator[tuple[int, str]]:
    names = [link.name for link in urdf.links]
    parents: dict[str, UrdfJoint] = {}
    for joint in urdf.joints:
        for word, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in names:
                yield (
                    joint.line,
                    f"joint '{joint.name}' names the {word} '{name}', which is not a link"
                    f"{nearest(name, names)}",
                )
        if joint.child in parents:
            other = parents[joint.child].name
            yield (
                joint.line,
                f"link '{joint.child}' is the child of two joints: '{other}', '{joint.name}'",
            )
        parents[joint.child] = joint
    if not parents.keys() <= set(names):
        return  # a misspelt link is one fault, not also a second root
    roots = [link for link in urdf.links if link.name not in parents]
    if urdf.links and not roots:
        yield 1, "the links form a loop; one of them must have no parent"
    for extra in roots[1:]:
        yield extra.line, f"link '{extra.name}' has no parent, and neither has '{roots[0].name}'"


def _inertia(link: UrdfLink, inertia: Array) -> Iterator[tuple[int, str]]:
    low, middle, high = np.linalg.eigvalsh(inertia).tolist()
    if low <= 0:
        yield (
            link.line,
            f"link '{link.name}' has an inertia that is not positive about all axes "
            f"(the least is {low:.3g} kg m²): corrected",
        )
    elif low + middle < high * (1 - ROUNDING):
        yield (
            link.line,
            f"link '{link.name}' has an inertia that no body can have: {high:.3g} kg m² about one "
            f"axis is more than {low:.3g} and {middle:.3g} about the others together: corrected",
        )


def _shape(link: UrdfLink, shape: UrdfShape) -> Iterator[tuple[int, str]]:
    if shape.kind != "mesh" and min(shape.size) <= 0:
        yield shape.line, f"a {shape.kind} of link '{link.name}' has a size that is not above 0"
    if shape.file is None:
        return
    if not shape.file.is_file():
        folder = shape.file.parent
        there = sorted(f.name for f in folder.iterdir()) if folder.is_dir() else []
        listing = ", ".join(there[:8]) if folder.is_dir() else "no such folder"
        yield (
            shape.line,
            f"the mesh '{shape.file.name}' of link '{link.name}' is not in {folder} "
            f"(there is: {listing or 'nothing'}){nearest(shape.file.name, there)}",
        )


def _joint(joint: UrdfJoint, limited: Collection[str]) -> Iterator[tuple[int, str]]:
    if joint.type == "planar":
        yield joint.line, f"joint '{joint.name}' is planar, which is not supported"
    if joint.type in ("revolute", "continuous", "prismatic") and not any(joint.axis):
        yield joint.line, f"joint '{joint.name}' has the axis 0 0 0, a direction is needed"
    if joint.type not in ("revolute", "prismatic") or joint.name in limited:
        return
    if joint.limits is None:
        unit = "m" if joint.type == "prismatic" else "rad"
        yield (
            joint.line,
            f"joint '{joint.name}' is {joint.type}, but has no limits: give it "
            f'<limit lower="…" upper="…"/> in {unit}'
            + ("" if unit == "m" else ", or make it continuous"),
        )
    elif not joint.limits[0] < joint.limits[1]:
        low, high = joint.limits
        yield (
            joint.line,
            f"joint '{joint.name}' has the limits {low:g} to {high:g}, which must be increasing",
        )


def _mass_ratio(one: UrdfLink, other: UrdfLink) -> Iterator[tuple[int, str]]:
    light, heavy = sorted((one, other), key=lambda link: link.mass)
    if light.mass > 0 and heavy.mass > LARGE_MASS_RATIO * light.mass:
        times = heavy.mass / light.mass
        yield (
            light.line,
            f"link '{heavy.name}' has {times:.0f} times the mass of the adjacent '{light.name}'",
        )


def _gyration(link: UrdfLink, inertia: Array) -> Iterator[tuple[int, str]]:
    radius = float(np.sqrt(max(0.0, np.trace(inertia)) / 2 / link.mass))
    if radius > 2.0:
        yield (
            link.line,
            f"link '{link.name}' has the inertia of a body {2 * radius:.0f} m across: is it in "
            "g mm², or of a mesh in millimetres?",
        )


WEIGHTLESS = 1e-3
"""kg; mass of a moving link without mass."""
BALL = 0.05
"""m; radius of the ball whose inertia a link without inertia gets."""
HIDDEN = 3
"""Geom group that is not drawn: collision geoms of links with visuals."""
GREY = (0.6, 0.6, 0.62, 1.0)


def urdf_model(urdf: Urdf) -> ModelJoints:
    """Return the spec of a URDF without faults, and its joints."""
    builder = _Builder(urdf)
    builder.add(builder.root(), None)
    return ModelJoints(spec=builder.spec, joints=builder.joints)


class _Builder:
    def __init__(self, urdf: Urdf) -> None:
        self.urdf = urdf
        self.links = {link.name: link for link in urdf.links}
        self.below: dict[str, list[UrdfJoint]] = {}
        for joint in urdf.joints:
            self.below.setdefault(joint.parent, []).append(joint)
        self.spec = mujoco.MjSpec()
        self.spec.compiler.degree = False
        self.joints: dict[str, ModelJoint] = {}
        self.meshes: dict[tuple[str, tuple[float, ...]], str] = {}

    def root(self) -> UrdfLink:
        """Return the main body: the first link with mass or shape, from the root of the tree."""
        children = {joint.child for joint in self.urdf.joints}
        link = next(link for link in self.urdf.links if link.name not in children)
        while link.mass == 0 and not (link.visuals or link.collisions):
            below = self.below.get(link.name, [])
            if len(below) != 1 or below[0].type not in ("fixed", "floating"):
                break
            link = self.links[below[0].child]
        return link

    def add(self, link: UrdfLink, joint: UrdfJoint | None) -> None:
        """Add a link and its descendants."""
        if joint is None:
            body = self.spec.worldbody.add_body(name=link.name)
        else:
            X = joint.X_PC
            body = self.spec.body(joint.parent).add_body(
                name=link.name, pos=X.position, quat=X.wxyz
            )
            if joint.type not in ("fixed", "floating"):
                self._add_joint(body, joint)
        moves = joint is None or joint.type not in ("fixed", "floating")
        self._weigh(body, link, moves=moves)
        for number, shape in enumerate(filter(is_readable, link.collisions)):
            geom = self._add_shape(body, shape, f"{link.name}/touch{number}")
            if any(map(is_readable, link.visuals)):
                geom.group = HIDDEN
        for number, shape in enumerate(link.visuals):
            if is_readable(shape):
                geom = self._add_shape(body, shape, f"{link.name}/look{number}")
                geom.contype = geom.conaffinity = 0
        for further in self.below.get(link.name, []):
            self.add(self.links[further.child], further)

    def _add_joint(self, body: mujoco.MjsBody, joint: UrdfJoint) -> None:
        slides = joint.type == "prismatic"
        kinds = mujoco.mjtJoint
        axis = np.array(joint.axis)
        body.add_joint(
            name=joint.name,
            type=kinds.mjJNT_SLIDE if slides else kinds.mjJNT_HINGE,
            axis=axis / np.linalg.norm(axis),
            damping=joint.damping,
            frictionloss=joint.friction,
        )
        self.joints[joint.name] = ModelJoint(
            name=joint.name,
            slides=slides,
            limits=joint.limits,
            torque=joint.effort or None,
            speed=joint.velocity or None,
        )

    def _weigh(self, body: mujoco.MjsBody, link: UrdfLink, *, moves: bool) -> None:
        mass = link.mass or (WEIGHTLESS if moves else 0.0)
        body.mass, body.ipos = mass, link.centre
        if link.inertia is not None and link.mass > 0:
            full = _nearest_valid_inertia(link.inertia)
            body.fullinertia = [*np.diag(full), full[0, 1], full[0, 2], full[1, 2]]
        else:
            body.inertia = [0.4 * mass * BALL**2] * 3
        body.explicitinertial = True

    def _add_shape(self, body: mujoco.MjsBody, shape: UrdfShape, name: str) -> mujoco.MjsGeom:
        kinds = mujoco.mjtGeom
        geom = body.add_geom(
            name=name,
            pos=shape.X_LS.position,
            quat=shape.X_LS.wxyz,
            mass=0,
            rgba=shape.rgba or GREY,
        )
        if shape.kind == "box":
            geom.type, geom.size = kinds.mjGEOM_BOX, [edge / 2 for edge in shape.size]
        elif shape.kind == "sphere":
            geom.type, geom.size = kinds.mjGEOM_SPHERE, [shape.size[0], 0, 0]
        elif shape.kind == "mesh":
            geom.type, geom.meshname = kinds.mjGEOM_MESH, self._mesh(shape)
        else:
            round_ends = shape.kind == "capsule"
            geom.type = kinds.mjGEOM_CAPSULE if round_ends else kinds.mjGEOM_CYLINDER
            geom.size = [shape.size[0], shape.size[1] / 2, 0]
        return geom

    def _mesh(self, shape: UrdfShape) -> str:
        key = (str(shape.file), shape.size)
        if key not in self.meshes:
            file = Path(key[0])
            self.meshes[key] = f"{file.stem}_{len(self.meshes)}"
            self.spec.add_mesh(name=self.meshes[key], file=key[0], scale=list(shape.size))
        return self.meshes[key]


def _nearest_valid_inertia(inertia: Array) -> Array:
    """Return ``inertia`` (3, 3) corrected to be positive and to satisfy the triangle inequality."""
    moments, axes = np.linalg.eigh(inertia)
    moments = np.maximum(moments, 1e-3 * max(float(moments[2]), 1e-9))
    moments[2] = min(moments[2], moments[0] + moments[1])
    return np.asarray(axes @ np.diag(moments) @ axes.T)
