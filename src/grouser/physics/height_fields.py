"""Height-field data of a compiled model, to be copied into another model.

A batch has one model with one set of height fields; the height field that a geom refers to may
differ between simulations. The batch's model therefore holds the height fields of all simulations,
and each simulation's geoms refer to its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np


@dataclass(frozen=True)
class HeightFieldData:
    """Height field in MuJoCo's representation; equality is bitwise."""

    rows: int
    columns: int
    size: tuple[float, float, float, float]
    """Half size along x and y, height, depth of the solid below, m."""
    heights: bytes
    """Of the points, float32, 0 to 1 of the height."""

    def add(self, spec: mujoco.MjSpec, name: str) -> None:
        """Add the height field to ``spec``; geoms refer to it by ``name``."""
        heights = np.frombuffer(self.heights, np.float32).astype(float)
        spec.add_hfield(
            name=name, nrow=self.rows, ncol=self.columns, size=self.size, userdata=heights
        )


def height_fields(model: mujoco.MjModel) -> list[HeightFieldData]:
    """Return the height fields of ``model``, in its order."""
    return [
        HeightFieldData(
            rows=int(model.hfield_nrow[number]),
            columns=int(model.hfield_ncol[number]),
            size=tuple(model.hfield_size[number].tolist()),
            heights=_heights(model, number).tobytes(),
        )
        for number in range(model.nhfield)
    ]


def restore(model: mujoco.MjModel, number: int, field: HeightFieldData) -> None:
    """Overwrite a model's height field with the bits of ``field``: compiling may have rounded."""
    _heights(model, number)[:] = np.frombuffer(field.heights, np.float32)


def _heights(model: mujoco.MjModel, number: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Return a live view of the heights of one height field."""
    first = int(model.hfield_adr[number])
    count = int(model.hfield_nrow[number]) * int(model.hfield_ncol[number])
    heights: np.ndarray[tuple[int], np.dtype[np.float32]] = model.hfield_data[first : first + count]
    return heights
