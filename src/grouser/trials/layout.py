"""Layouts: which scenes can share a batch, and the model that holds the ground of all of them.

Scenes have the same `layout` if they differ only in model fields that a batch holds per
simulation. Height fields are not among them; `SharedGround` puts the height fields of all scenes
into one model.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence

import mujoco
import mujoco.batch
import numpy as np
import numpy.typing as npt

from grouser.physics.height_fields import HeightFieldData, height_fields, restore
from grouser.simulation import stepping
from grouser.simulation.scene import Scene, compose

_GROUND = ("hfield_", "nhfielddata", "nbuffer")
"""Prefixes of height-field data, which all simulations of a batch share (`SharedGround`)."""


def layout(scene: Scene) -> bytes:
    """Return a key; scenes with equal keys can share a batch.

    It contains sizes, names, options, assets except height fields, and the robot descriptions that
    the batch's `Stepper` uses.
    """
    model = scene.model
    shared = [
        np.asarray(getattr(model, name))
        for name in sorted(dir(model))
        if not name.startswith("_")
        and isinstance(getattr(model, name), np.ndarray | int)
        and name not in mujoco.batch.MODEL_FIELDS
        and not name.startswith(_GROUND)
    ]
    shared += [getattr(model, name) for name in stepping.MODEL_FIELDS]
    shared += stepping.shared_numbers(scene)
    options = [np.asarray(getattr(model.opt, name)).tobytes() for name in _option_names(model)]
    parts = [bytes(model.names), str(scene.control_interval).encode(), _step_key(scene), *options]
    parts += [str(array.shape).encode() + array.tobytes() for array in shared]
    parts += [str(getattr(model, name).shape).encode() for name in batch_fields()]
    return b"|".join(parts)


def batch_fields() -> list[str]:
    """Return the array fields of a model that a batch can hold per simulation."""
    return sorted(name for name in mujoco.batch.MODEL_FIELDS if not name.startswith("opt."))


def _step_key(scene: Scene) -> bytes:
    """Return the robot descriptions that a `Stepper` uses, with all digits."""
    robots = [
        (name, robot.posture, robot.drives, robot.steering, robot.groups, robot.gait)
        for name, robot in scene.robots.items()
    ]
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        return repr((robots, dict(scene.drives), scene.belts)).encode()


def _option_names(model: mujoco.MjModel) -> list[str]:
    """Return the names of a model's physics options: time step, gravity, solver."""
    names = (name for name in sorted(dir(model.opt)) if not name.startswith("_"))
    return [name for name in names if not callable(getattr(model.opt, name))]


class SharedGround:
    """Height fields of all scenes of one layout, in one model."""

    def __init__(self, scenes: Sequence[Scene]) -> None:
        """Collect the height fields of all ``scenes``; equal ones are stored once."""
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
        """First scene, whose model the batch uses."""
        if spare:
            self.scene = dataclasses.replace(first, model=compose(first.world, spare).model)
            for field in spare:
                restore(self.scene.model, self._numbers[field], field)

    def geom_dataid(self, model: mujoco.MjModel) -> npt.NDArray[np.int32]:
        """Return `geom_dataid` of ``model``, one of the scenes', for the shared model."""
        pointers = np.array(model.geom_dataid, np.int32)
        fields = height_fields(model)
        for geom in np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_HFIELD).tolist():
            pointers[geom] = self._numbers[fields[pointers[geom]]]
        return pointers
