"""Belt options of world and robot files: path around pulleys or of segments, grousers by shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self, cast

import numpy as np
from pydantic import BeforeValidator, Field, Strict, model_validator

from grouser.description import Description, Items, Positive, mistake
from grouser.errors import BadValue
from grouser.frames import Array, radians
from grouser.tracks.grouser import Grouser
from grouser.tracks.path import ArcStep, BeltPath, StraightStep

Pulley = Annotated[tuple[float, float, Positive], Strict(False)]
"""x, z and radius, m."""


class SegmentOptions(Description):
    """One segment of a chain: a straight line or an arc."""

    line: float | None = None
    """Length, m."""
    arc: Annotated[tuple[float, float], Strict(False)] | None = None
    """Radius, m, and angle, deg."""

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        if (self.line is None) == (self.arc is None):
            raise mistake("needs either line: length or arc: [radius, angle_deg]")
        return self

    def step(self) -> StraightStep | ArcStep:
        """Return the segment as a step of a chain."""
        if self.line is not None:
            return StraightStep(self.line)
        radius, angle_deg = cast(tuple[float, float], self.arc)  # see `_check_kind`
        return ArcStep(radius, radians(angle_deg))


def path_from_options(pulleys: Sequence[Pulley], segments: Sequence[SegmentOptions]) -> BeltPath:
    """Return the path of a belt around ``pulleys``, or else of ``segments``.

    Segments form a closed chain from the top rear.
    """
    if bool(pulleys) == bool(segments):
        raise BadValue("path: give either pulleys or segments")
    if pulleys:
        return BeltPath.around(list(pulleys))
    return BeltPath.chain([segment.step() for segment in segments])


class BarOptions(Description):
    """Bar with a flat or a round tip."""

    shape: Literal["box", "rounded"] = "box"
    length: Positive
    """Length along the belt, m."""
    height: Positive
    """Height above the belt, m."""
    round_tip: bool | None = None
    """True: the tip is a half cylinder; default: that of the shape."""

    def build(self) -> Grouser:
        """Return the grouser."""
        round_tip = self.shape == "rounded" if self.round_tip is None else self.round_tip
        return Grouser.trapezoid(self.length, self.length, self.height, round_tip=round_tip)


class TrapezoidOptions(Description):
    """Bar that is wider at the belt than at its tip."""

    shape: Literal["trapezoid"]
    top: Positive
    """Length of the tip along the belt, m."""
    base: Positive
    """Length at the belt, m."""
    height: Positive
    """Height above the belt, m."""
    round_tip: bool = False
    """True: the tip is a half cylinder."""

    def build(self) -> Grouser:
        """Return the grouser."""
        return Grouser.trapezoid(self.top, self.base, self.height, round_tip=self.round_tip)


class PolygonOptions(Description):
    """Bar with any convex outline."""

    shape: Literal["polygon"]
    outline: Items[Annotated[tuple[float, float], Strict(False)]]
    """Corners (along the belt, height above it), m."""
    round_tip: bool = False
    """True: the flat top is a half cylinder."""

    def build(self) -> Grouser:
        """Return the grouser."""
        return Grouser(self.outline, self.round_tip)


def _complete_shape(value: Any) -> Any:
    """Add the default shape; reject an option of earlier releases."""
    if not isinstance(value, dict):
        return value
    if "soft" in value:
        raise mistake(
            "which is no longer an option; set the compliance of the whole robot beside its kind: "
            "contact: {frequency: rad/s, damping_ratio: …} (docs/explanation/contact.md)",
            "soft",
        )
    return {"shape": "box"} | value


GrouserOptions = Annotated[
    BarOptions | TrapezoidOptions | PolygonOptions,
    Field(discriminator="shape"),
    BeforeValidator(_complete_shape),
]
"""Grouser by its shape: ``{shape: …, its numbers, round_tip: true}``."""


def path_extent(path: BeltPath) -> tuple[Array, Array]:
    """Return the bounding box of the belt: lowest and highest x, y, z, m."""
    points = np.array([path.at(path.length * step / 400).position for step in range(400)])
    return points.min(axis=0), points.max(axis=0)
