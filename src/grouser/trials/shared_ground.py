"""Many grounds in one batch: a model with everybody's height fields, and who stands on which."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.physics.height_fields import HeightFieldData, height_fields, restore
from grouser.simulation.scene import Scene, compose


class SharedGround:
    """The ground of scenes of one layout, in one model."""

    def __init__(self, scenes: Sequence[Scene]) -> None:
        """Collect the height fields of all ``scenes``; equal ones are kept once."""
        first, own = scenes[0], height_fields(scenes[0].model)
        self._numbers: dict[HeightFieldData, int] = {}
        for number, field in enumerate(own):
            self._numbers.setdefault(field, number)
        others = [
            field
            for scene in scenes[1:]
            for field in dict.fromkeys(height_fields(scene.model))
            if field not in self._numbers
        ]
        spare = tuple(dict.fromkeys(others))
        self._numbers |= {field: len(own) + number for number, field in enumerate(spare)}
        self.scene = first
        """The first of the scenes, on whose model the batch is made."""
        if spare:
            self.scene = dataclasses.replace(first, model=compose(first.world, spare).model)
            for field in spare:
                restore(self.scene.model, self._numbers[field], field)

    def geom_dataid(self, model: mujoco.MjModel) -> npt.NDArray[np.int32]:
        """Return what the geoms of ``model``, one of the scenes', point to in the shared model."""
        pointers = np.array(model.geom_dataid, np.int32)
        fields = height_fields(model)
        for geom in np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_HFIELD).tolist():
            pointers[geom] = self._numbers[fields[pointers[geom]]]
        return pointers
