"""Height fields of a compiled model, as data that another model can have as well.

A batch has one model, and the heights in it are everybody's; which height field a geom shows may
differ from simulation to simulation. So the batch's model holds the height fields of all, and each
simulation's geoms point to its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np


@dataclass(frozen=True)
class HeightFieldData:
    """A height field as MuJoCo keeps it; equal ones are equal to the bit."""

    rows: int
    columns: int
    size: tuple[float, float, float, float]
    """Half size along x and y, height, depth of the solid below, m."""
    heights: bytes
    """Of the points, float32, from 0 to 1 of the height."""

    def add(self, spec: mujoco.MjSpec, name: str) -> None:
        """Add it to ``spec`` for geoms to point to."""
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
    """Give a model's height field the very bits of ``field``: compiling may have rounded them."""
    _heights(model, number)[:] = np.frombuffer(field.heights, np.float32)


def _heights(model: mujoco.MjModel, number: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Return a live view of the heights of one height field."""
    first = int(model.hfield_adr[number])
    count = int(model.hfield_nrow[number]) * int(model.hfield_ncol[number])
    heights: np.ndarray[tuple[int], np.dtype[np.float32]] = model.hfield_data[first : first + count]
    return heights
