"""Which scenes can share a batch: those that only differ in what a batch holds per simulation."""

from __future__ import annotations

import sys

import mujoco
import mujoco.batch
import numpy as np

from grouser.simulation import stepping
from grouser.simulation.scene import Scene

_GROUND = ("hfield_", "nhfielddata", "nbuffer")
"""How fields begin that a batch holds for everybody at once: `grouser.trials.shared_ground`."""


def layout(scene: Scene) -> bytes:
    """Return what two scenes must share to go in one batch.

    Sizes, names, settings, assets but for height fields, and all that the one `Stepper` of a
    batch knows of its robots.
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
    options = [np.asarray(getattr(model.opt, name)).tobytes() for name in _option_names(model)]
    parts = [bytes(model.names), str(scene.stride).encode(), _stepped(scene), *options]
    parts += [str(array.shape).encode() + array.tobytes() for array in shared]
    parts += [str(getattr(model, name).shape).encode() for name in batch_fields()]
    return b"|".join(parts)


def batch_fields() -> list[str]:
    """Return the array fields of a model that a batch can hold per simulation."""
    return sorted(name for name in mujoco.batch.MODEL_FIELDS if not name.startswith("opt."))


def _stepped(scene: Scene) -> bytes:
    """Return, to the last digit, the descriptions by which a `Stepper` goes."""
    robots = [
        (name, robot.posture, robot.drives, robot.steering, robot.groups, robot.gait)
        for name, robot in scene.robots.items()
    ]
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        return repr((robots, dict(scene.drives), scene.belts)).encode()


def _option_names(model: mujoco.MjModel) -> list[str]:
    """Return the physics settings of a model: time step, gravity, solver."""
    names = (name for name in sorted(dir(model.opt)) if not name.startswith("_"))
    return [name for name in names if not callable(getattr(model.opt, name))]
