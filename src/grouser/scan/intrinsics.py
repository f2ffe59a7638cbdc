"""What a depth picture needs to become points: focal lengths, principal point, unit."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from grouser.errors import BadValue, nearest


@dataclass(frozen=True)
class Intrinsics:
    """A pinhole camera, in pixels; depths are along the axis of view."""

    fx: float
    """Focal length across, pixels."""
    fy: float
    """Focal length down, pixels."""
    cx: float
    """Column of the axis of view, pixels; the middle of the first pixel is 0."""
    cy: float
    """Row of the axis of view, pixels."""
    unit: float = 0.001
    """What one count of the picture is, m: most cameras write millimetres."""

    def __post_init__(self) -> None:
        numbers = self.fx, self.fy, self.cx, self.cy, self.unit
        if not np.isfinite(numbers).all() or min(self.fx, self.fy, self.unit) <= 0:
            raise BadValue(
                f"intrinsics: {self}; finite numbers, fx, fy and unit above 0 are needed"
            )


def read_intrinsics(path: Path | str) -> Intrinsics:
    """Return the intrinsics in a JSON file: fx, fy, cx, cy in pixels, and unit in metres.

    Raises:
        BadValue: it cannot be read, or says something else.
    """
    try:
        said = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadValue(f"{path}: cannot be read as JSON ({error})") from None
    names = [field.name for field in fields(Intrinsics)]
    needed = names[:4]
    if not isinstance(said, dict) or not set(needed) <= set(said):
        raise BadValue(f"{path}: {', '.join(needed)} are needed, and unit may be given")
    for name, value in said.items():
        if name not in names:
            raise BadValue(f"{path}: has '{name}'{nearest(name, names)}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadValue(f"{path}: {name} is {value!r}, a number is needed")
    return Intrinsics(**{name: float(value) for name, value in said.items()})
