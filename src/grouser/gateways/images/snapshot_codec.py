"""Shots and appearance as messages, from one MuJoCo model to its twin in a render worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from grouser.frames import Array
from grouser.protocol.rendering import Looks, Shoot
from grouser.rendering.appearance import APPEARANCE_FIELDS
from grouser.rendering.snapshot import Snapshot
from grouser.sensors.camera import Aim, Shot


def encode_shot(
    shot: Shot, time: float, *, robot: str, camera: str, quality: int, back: bool
) -> Shoot:
    """Return the order to draw ``shot``, still without a number."""
    state = shot.snapshot
    arrays = (state.qpos, state.qvel, state.mocap_pos, state.mocap_quat)
    return Shoot(
        number=-1,
        robot=robot,
        camera=camera,
        time=time,
        model=int(state.model.signature),
        aim=[shot.aim.pan, shot.aim.tilt, shot.aim.zoom],
        seed=shot.seed,
        sizes=[len(state.qpos), len(state.qvel), len(state.mocap_pos)],
        quality=quality,
        back=back,
        body=b"".join(array.astype("<f8", copy=False).tobytes() for array in arrays),
    )


def decode_shot(model: mujoco.MjModel, order: Shoot) -> Shot:
    """Return what is to be drawn; the order must fit ``model`` (`fits`)."""
    numbers: Array = np.frombuffer(order.body, "<f8")
    nq, nv, mocaps = order.sizes
    ends = np.cumsum([nq, nv, 3 * mocaps])
    qpos, qvel, places, turns = np.split(numbers, ends)
    snapshot = Snapshot(model, qpos, qvel, places.reshape(mocaps, 3), turns.reshape(mocaps, 4))
    return Shot(snapshot, Aim(*order.aim), order.seed)


def fits(model: mujoco.MjModel, order: Shoot) -> bool:
    """Return whether the order's state is one of ``model``'s."""
    sizes = [model.nq, model.nv, model.nmocap]
    length = model.nq + model.nv + 7 * model.nmocap
    same = order.model == int(model.signature) and order.sizes == sizes
    return same and len(order.body) == 8 * length and len(order.aim) == 3


def encode_appearance(model: mujoco.MjModel) -> Looks:
    """Return how things in ``model`` look now: lights, colours, what is hidden."""
    parts = {
        field: np.ascontiguousarray(getattr(model, field)).tobytes() for field in APPEARANCE_FIELDS
    }
    return Looks({field: len(part) for field, part in parts.items()}, b"".join(parts.values()))


def apply_appearance(model: mujoco.MjModel, message: Looks) -> None:
    """Make ``model`` look as ``message`` says; one of another world does not fit, and is left."""
    fields: Mapping[str, Any] = {name: getattr(model, name) for name in APPEARANCE_FIELDS}
    if message.sizes != {name: field.nbytes for name, field in fields.items()}:
        return
    at = 0
    for name, size in message.sizes.items():
        field = fields[name]
        part = np.frombuffer(message.body[at : at + size], field.dtype)
        field[:] = part.reshape(field.shape)
        at += size
