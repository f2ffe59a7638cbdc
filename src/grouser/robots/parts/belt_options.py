"""Belt options of world and robot files: path around pulleys or of segments, grousers by shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from grouser.errors import BadValue, nearest
from grouser.frames import Array, radians
from grouser.tracks.grouser import Grouser
from grouser.tracks.path import ArcStep, BeltPath, StraightStep

SHAPES: dict[str, tuple[str, ...]] = {
    "box": ("length", "height"),
    "rounded": ("length", "height"),
    "trapezoid": ("top", "base", "height"),
    "polygon": ("outline",),
}
"""Grouser shapes and the required numbers of each, m."""


def path_from_options(
    pulleys: Sequence[Sequence[float]], segments: Sequence[Mapping[str, Any]]
) -> BeltPath:
    """Return the path of a belt from ``pulleys`` (x, z, radius; m), or else from ``segments``.

    Segments form a closed chain from the top rear: ``{line: length}`` or ``{arc: [radius,
    angle_deg]}``.
    """
    if bool(pulleys) == bool(segments):
        raise BadValue("path: give either pulleys or segments")
    if pulleys:
        for number, pulley in enumerate(pulleys):
            if not isinstance(pulley, Sequence) or len(pulley) != 3:
                raise BadValue(f"path: pulley {number} is {pulley!r}, [x, z, radius] is needed")
        return BeltPath.around([(x, z, radius) for x, z, radius in pulleys])
    return BeltPath.chain([_step(number, step) for number, step in enumerate(segments)])


def _step(number: int, step: Mapping[str, Any]) -> StraightStep | ArcStep:
    match step:
        case {"line": length, **rest} if not rest:
            return StraightStep(length)
        case {"arc": [radius, angle_deg], **rest} if not rest:
            return ArcStep(radius, radians(angle_deg))
        case _:
            raise BadValue(
                f"path: segment {number} is {step!r}, "
                "{line: length} or {arc: [radius, angle_deg]} is needed"
            )


def grouser_from_options(options: Mapping[str, Any]) -> Grouser:
    """Return the grouser of ``{shape: …, its numbers, round_tip: true}``."""
    shape = options.get("shape", "box")
    if shape not in SHAPES:
        raise BadValue(
            f"grouser: there is no shape {shape!r} (there are: {', '.join(SHAPES)})"
            f"{nearest(str(shape), SHAPES)}"
        )
    allowed = ("shape", "round_tip", *SHAPES[shape])
    if "soft" in options:
        raise BadValue(
            "grouser: 'soft' is no longer an option; set the compliance of the whole robot beside "
            "its kind: contact: {frequency: rad/s, damping_ratio: …} (docs/explanation/contact.md)"
        )
    for key in options:
        if key not in allowed:
            raise BadValue(
                f"grouser: a {shape} has no '{key}' (it has: {', '.join(allowed)})"
                f"{nearest(key, allowed)}"
            )
    missing = [key for key in SHAPES[shape] if key not in options]
    if missing:
        raise BadValue(f"grouser: a {shape} lacks {', '.join(missing)}")
    round_tip = bool(options.get("round_tip", shape == "rounded"))
    try:
        if shape == "polygon":
            return Grouser(tuple((x, z) for x, z in options["outline"]), round_tip)
        *top_and_base, height = (float(options[key]) for key in SHAPES[shape])
    except (TypeError, ValueError):
        needed = "pairs of numbers" if shape == "polygon" else "numbers"
        raise BadValue(f"grouser: {', '.join(SHAPES[shape])} must be {needed}") from None
    top, base = top_and_base[0], top_and_base[-1]
    return Grouser.trapezoid(top, base, height, round_tip=round_tip)


def path_extent(path: BeltPath) -> tuple[Array, Array]:
    """Return the bounding box of the belt: lowest and highest x, y, z, m."""
    points = np.array([path.at(path.length * step / 400).position for step in range(400)])
    return points.min(axis=0), points.max(axis=0)
