"""What is wrong or odd in a URDF, a sentence each, for the person who wrote it.

Faults stop a robot from being built; what is odd is only said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from grouser.errors import nearest
from grouser.robots.custom.urdf_file import Urdf, UrdfJoint, UrdfLink, UrdfShape, readable

MUCH = 100.0
"""A mass so many times its neighbour's is odd."""
LARGE = 20.0
"""m; a mesh larger than this is in millimetres, most likely."""
ROUNDING = 1e-3
"""Part of an inertia by which exporters' rounding may break the triangle rule."""


def urdf_faults(urdf: Urdf, limited: Collection[str] = ()) -> list[str]:
    """Return all faults, in reading order.

    Args:
        urdf: what the file says.
        limited: joints whose limits the robot file says.
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


def urdf_oddities(urdf: Urdf) -> list[str]:
    """Return what is odd but can be built, in reading order."""
    found: list[tuple[int, str]] = []
    links = {link.name: link for link in urdf.links}
    for joint in urdf.joints:
        if joint.parent in links and joint.child in links:
            found += _neighbours(links[joint.parent], links[joint.child])
        if joint.type in ("revolute", "prismatic") and joint.limits:
            low, high = joint.limits
            if not low <= 0 <= high:
                found.append((joint.line, f"joint '{joint.name}' cannot be at 0"))
        if joint.type in ("revolute", "continuous", "prismatic") and not joint.effort:
            found.append((joint.line, f"joint '{joint.name}' says no effort: no motor is known"))
    moved = {joint.child for joint in urdf.joints if joint.type not in ("fixed", "floating")}
    for link in urdf.links:
        if link.mass == 0 and link.name in moved:
            found.append((link.line, f"link '{link.name}' moves and weighs nothing: 1 g is taken"))
        elif link.mass > 0 and link.inertia is None:
            found.append((link.line, f"link '{link.name}' has a mass, but no inertia: a ball's"))
        if link.inertia is not None and link.mass > 0:
            found += _inertia(link)
            found += _gyration(link)
        for word, shapes in (("shown", link.visuals), ("touched", link.collisions)):
            for shape in shapes:
                if shape.file and not readable(shape) and shape.file.is_file():
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
                    f"joint '{joint.name}' names the {word} '{name}', which is no link"
                    f"{nearest(name, names)}",
                )
        if joint.child in parents:
            other = parents[joint.child].name
            yield joint.line, f"link '{joint.child}' hangs on two joints: '{other}', '{joint.name}'"
        parents[joint.child] = joint
    if not parents.keys() <= set(names):
        return  # a link that is misspelt is one fault, not a link that hangs on nothing as well
    roots = [link for link in urdf.links if link.name not in parents]
    if urdf.links and not roots:
        yield 1, "links hang on each other in a ring; one of them must hang on nothing"
    for extra in roots[1:]:
        yield extra.line, f"link '{extra.name}' hangs on nothing, and so does '{roots[0].name}'"


def _weight(link: UrdfLink) -> Iterator[tuple[int, str]]:
    if link.mass < 0:
        yield link.line, f"link '{link.name}' has the mass {link.mass:g} kg, it must be above 0"


def _inertia(link: UrdfLink) -> Iterator[tuple[int, str]]:
    assert link.inertia is not None
    low, middle, high = np.linalg.eigvalsh(link.inertia).tolist()
    if low <= 0:
        yield (
            link.line,
            f"link '{link.name}' has an inertia that is not positive about all axes "
            f"(the least is {low:.3g} kg m²): it is mended",
        )
    elif low + middle < high * (1 - ROUNDING):
        yield (
            link.line,
            f"link '{link.name}' has an inertia that no body can have: {high:.3g} kg m² about one "
            f"axis is more than {low:.3g} and {middle:.3g} about the others together: it is mended",
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
        yield joint.line, f"joint '{joint.name}' is planar, which robots here do not have"
    if joint.type in ("revolute", "continuous", "prismatic") and not any(joint.axis):
        yield joint.line, f"joint '{joint.name}' has the axis 0 0 0, a direction is needed"
    if joint.type not in ("revolute", "prismatic") or joint.name in limited:
        return
    if joint.limits is None:
        unit = "m" if joint.type == "prismatic" else "rad"
        yield (
            joint.line,
            f"joint '{joint.name}' is {joint.type}, but nobody says how far it goes: give it "
            f'<limit lower="…" upper="…"/> in {unit}'
            + ("" if unit == "m" else ", or make it continuous"),
        )
    elif not joint.limits[0] < joint.limits[1]:
        low, high = joint.limits
        yield joint.line, f"joint '{joint.name}' goes from {low:g} to {high:g}, which does not rise"


def _neighbours(one: UrdfLink, other: UrdfLink) -> Iterator[tuple[int, str]]:
    light, heavy = sorted((one, other), key=lambda link: link.mass)
    if light.mass > 0 and heavy.mass > MUCH * light.mass:
        times = heavy.mass / light.mass
        yield (
            light.line,
            f"link '{heavy.name}' weighs {times:.0f} times what its neighbour '{light.name}' does",
        )


def _gyration(link: UrdfLink) -> Iterator[tuple[int, str]]:
    assert link.inertia is not None
    radius = float(np.sqrt(max(0.0, np.trace(link.inertia)) / 2 / link.mass))
    if radius > 2.0:
        yield (
            link.line,
            f"link '{link.name}' has the inertia of a body {2 * radius:.0f} m across: is it in "
            "g mm², or of a mesh in millimetres?",
        )
