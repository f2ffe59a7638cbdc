"""What all descriptions in a world file share: strictness, the common field types, mistakes.

A description is frozen, refuses unknown keys and converts nothing, except a whole number where
a number is needed and a list where a tuple is. It knows nothing of files and lines: a check that
fails says which key it means, and `grouser.world.validation_errors` finds the line.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict
from pydantic_core import PydanticCustomError

RESERVED_NAMES = ("terrain", "world")
"""Names MuJoCo or Grouser already gives to things in every world."""


class Description(BaseModel):
    """A frozen part of a world: keys it does not have are refused, and so are nan and inf."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, validate_default=True
    )


def mistake(sentence: str, *inside: str | int) -> PydanticCustomError:
    """Build the error a check raises.

    Args:
        sentence: what is wrong with the value, to be read after its key: ``"must be …"``.
        inside: path of the value at fault, from what is being checked (empty: itself).
    """
    return PydanticCustomError("mistake", "{sentence}", {"sentence": sentence, "inside": inside})


def _not_reserved(name: str) -> str:
    if name in RESERVED_NAMES:
        raise mistake(f"must be another name: {' and '.join(RESERVED_NAMES)} are taken")
    return name


Name = Annotated[
    str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=40), AfterValidator(_not_reserved)
]
"""A robot's or object's name: a letter, then letters, digits, '_' or '-'."""

Length = Annotated[float, Field(gt=0, le=1000)]
"""A size in m; more than a kilometre is a mistake of units."""

FARTHEST = 1000.0
"""How far from the origin anything may be along one axis, m."""

Coordinate = Annotated[float, Field(ge=-FARTHEST, le=FARTHEST)]
"""A place along one axis of the world frame in m, at most a kilometre from the origin."""

Point = Annotated[tuple[Coordinate, Coordinate, Coordinate], Strict(False)]
"""x, y, z in the world frame (m)."""

Shade = Annotated[float, Field(ge=0, le=1)]
"""How much of one colour, 0 to 1."""

Rgb = Annotated[tuple[Shade, Shade, Shade], Strict(False)]
"""Red, green and blue, each 0 to 1."""
