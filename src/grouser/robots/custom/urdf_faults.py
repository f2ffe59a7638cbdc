"""URDF validation: faults, which prevent a build, and warnings."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from grouser.errors import nearest
from grouser.frames import Array
from grouser.robots.custom.urdf_file import Urdf, UrdfJoint, UrdfLink, UrdfShape, is_readable

LARGE_MASS_RATIO = 100.0
"""Ratio of masses of connected links that causes a warning."""
LARGE_MESH = 20.0
"""m; a mesh larger than this is most likely in millimetres."""
ROUNDING = 1e-3
"""Relative tolerance of the triangle inequality of inertias, for exporters' rounding."""


def urdf_faults(urdf: Urdf, limited: Collection[str] = ()) -> list[str]:
    """Return all faults, in reading order.

    Args:
        urdf: parsed file.
        limited: joints whose limits the robot file gives.
    """
    found: list[tuple[int, str]] = []
    found += _names(urdf)
    found += _tree(urdf)
    for link in urdf.links:
        found += _weight(link)
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


def _weight(link: UrdfLink) -> Iterator[tuple[int, str]]:
    if link.mass < 0:
        yield link.line, f"link '{link.name}' has the mass {link.mass:g} kg, it must be above 0"


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
