"""What eyes are told, from one MuJoCo model to its twin in another process: states and looks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from grouser.frames import Array
from grouser.protocol.rendering import Looks, Shoot
from grouser.rendering.renderer import LOOKS
from grouser.rendering.snapshot import Snapshot
from grouser.sensors.camera import Aim, Shot


def shoot(taken: Shot, time: float, *, robot: str, camera: str, quality: int, back: bool) -> Shoot:
    """Return the order to draw ``taken``, still without a number."""
    seen = taken.snapshot
    arrays = (seen.qpos, seen.qvel, seen.mocap_pos, seen.mocap_quat)
    return Shoot(
        number=-1,
        robot=robot,
        camera=camera,
        time=time,
        model=int(seen.model.signature),
        aim=[taken.aim.pan, taken.aim.tilt, taken.aim.zoom],
        seed=taken.seed,
        sizes=[len(seen.qpos), len(seen.qvel), len(seen.mocap_pos)],
        quality=quality,
        back=back,
        body=b"".join(array.astype("<f8", copy=False).tobytes() for array in arrays),
    )


def looks(model: mujoco.MjModel) -> Looks:
    """Return how things in ``model`` look now."""
    parts = {field: np.ascontiguousarray(getattr(model, field)).tobytes() for field in LOOKS}
    return Looks({field: len(part) for field, part in parts.items()}, b"".join(parts.values()))


def fits(model: mujoco.MjModel, order: Shoot) -> bool:
    """Say whether the order's state is one of ``model``'s."""
    sizes = [model.nq, model.nv, model.nmocap]
    length = model.nq + model.nv + 7 * model.nmocap
    same = order.model == int(model.signature) and order.sizes == sizes
    return same and len(order.body) == 8 * length and len(order.aim) == 3


def shot(model: mujoco.MjModel, order: Shoot) -> Shot:
    """Return what is to be drawn; the order must fit ``model``."""
    numbers: Array = np.frombuffer(order.body, "<f8")
    nq, nv, mocaps = order.sizes
    ends = np.cumsum([nq, nv, 3 * mocaps])
    qpos, qvel, places, turns = np.split(numbers, ends)
    snapshot = Snapshot(model, qpos, qvel, places.reshape(mocaps, 3), turns.reshape(mocaps, 4))
    return Shot(snapshot, Aim(*order.aim), order.seed)


def look(model: mujoco.MjModel, message: Looks) -> None:
    """Make ``model`` look as it does elsewhere; looks of another world do not fit, and are left."""
    fields: Mapping[str, Any] = {name: getattr(model, name) for name in LOOKS}
    if message.sizes != {name: field.nbytes for name, field in fields.items()}:
        return
    at = 0
    for name, size in message.sizes.items():
        field = fields[name]
        part = np.frombuffer(message.body[at : at + size], field.dtype)
        field[:] = part.reshape(field.shape)
        at += size
