"""Shots, films' frames and appearance as messages, from one model to its twin in a worker."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.protocol.rendering import Film, Looks, NewWorld, Shoot
from grouser.rendering.appearance import APPEARANCE_FIELDS
from grouser.rendering.snapshot import Snapshot
from grouser.rendering.viewpoint import Viewpoint
from grouser.sensors.camera import Aim, Shot
from grouser.world.field_types import MAP_ENDINGS, MESH_ENDINGS
from grouser.world.file import World


def visible_world(world: World) -> World:
    """Return what can be seen of ``world``: without what happens in it and who plays there.

    Those name robots, and a robot may have left since the world was loaded.
    """
    view = world.view.model_copy(update={"follow": None})
    return world.changed(triggers=(), events=(), match=None, view=view)


def encode_world(world: World) -> bytes:
    """Return what can be seen of ``world`` as JSON."""
    return visible_world(world).model_dump_json().encode()


def decode_world(text: bytes) -> World:
    """Return the `visible_world` in the JSON of `encode_world`, the same to the last bit."""
    return World.model_validate(json.loads(text))


def pack_meshes(message: NewWorld) -> NewWorld:
    """Return ``message`` with the files that its world names, which must be here."""
    meshes = [Path(mesh["file"]).read_bytes() for mesh in _meshes(json.loads(message.body))]
    return replace(
        message, files=[len(mesh) for mesh in meshes], body=b"".join((*meshes, message.body))
    )


def unpack_meshes(message: NewWorld, folder: Path) -> NewWorld:
    """Write the files of ``message`` into ``folder``; return one whose world names them."""
    ends = [sum(message.files[: number + 1]) for number in range(len(message.files))]
    starts = [0, *ends]
    content = json.loads(message.body[starts[-1] :])
    for number, mesh in enumerate(_meshes(content)):
        ending = Path(mesh["file"]).suffix.lower()
        if number >= len(ends) or ending not in (*MESH_ENDINGS, *MAP_ENDINGS):
            raise BadValue(f"the world's mesh {number} did not come along")
        file = folder / f"{number}{ending}"
        file.write_bytes(message.body[starts[number] : ends[number]])
        mesh["file"] = str(file)
    return replace(message, files=[], body=json.dumps(content).encode())


def _meshes(content: Any) -> Iterator[dict[str, Any]]:
    """Yield what of a world is in files, objects and then ground, always in the same order."""
    yield from (thing for thing in content["objects"] if thing["kind"] == "mesh")
    yield from (piece for piece in content["terrain"] if piece.get("file"))


def encode_shot(
    shot: Shot, time: float, *, robot: str, camera: str, quality: int, back: bool
) -> Shoot:
    """Return the order to draw ``shot``, still without a number."""
    state = shot.snapshot
    return Shoot(
        number=-1,
        robot=robot,
        camera=camera,
        time=time,
        model=int(state.model.signature),
        aim=[shot.aim.pan, shot.aim.tilt, shot.aim.zoom],
        seed=shot.seed,
        sizes=_sizes(state),
        quality=quality,
        back=back,
        body=_state_bytes(state),
    )


def decode_shot(model: mujoco.MjModel, order: Shoot) -> Shot:
    """Return what is to be drawn; the order must fit ``model`` (`fits`)."""
    return Shot(_snapshot(model, order), Aim(*order.aim), order.seed)


def encode_frame(
    state: Snapshot,
    view: Viewpoint,
    number: int,
    *,
    size: tuple[int, int],
    quality: str,
    coded: bool,
) -> Film:
    """Return the order to draw ``state`` as ``view`` sees it."""
    return Film(
        number=number,
        model=int(state.model.signature),
        view=[*view.lookat, view.distance, view.azimuth_deg, view.elevation_deg, view.fovy_deg],
        size=list(size),
        quality=quality,
        coded=coded,
        sizes=_sizes(state),
        body=_state_bytes(state),
    )


def decode_frame(model: mujoco.MjModel, order: Film) -> tuple[Snapshot, Viewpoint]:
    """Return what is to be drawn, and from where; the order must fit ``model`` (`fits`)."""
    x, y, z, *rest = order.view
    return _snapshot(model, order), Viewpoint((x, y, z), *rest)


def fits(model: mujoco.MjModel, order: Shoot | Film) -> bool:
    """Return whether the order's state is one of ``model``'s."""
    sizes = [model.nq, model.nv, model.nmocap]
    length = model.nq + model.nv + 7 * model.nmocap
    same = order.model == int(model.signature) and order.sizes == sizes
    aimed = len(order.aim) == 3 if isinstance(order, Shoot) else len(order.view) == 7
    return same and len(order.body) == 8 * length and aimed


def _sizes(state: Snapshot) -> list[int]:
    return [len(state.qpos), len(state.qvel), len(state.mocap_pos)]


def _state_bytes(state: Snapshot) -> bytes:
    arrays = (state.qpos, state.qvel, state.mocap_pos, state.mocap_quat)
    return b"".join(array.astype("<f8", copy=False).tobytes() for array in arrays)


def _snapshot(model: mujoco.MjModel, order: Shoot | Film) -> Snapshot:
    numbers: Array = np.frombuffer(order.body, "<f8")
    nq, nv, mocaps = order.sizes
    ends = np.cumsum([nq, nv, 3 * mocaps])
    qpos, qvel, places, turns = np.split(numbers, ends)
    return Snapshot(model, qpos, qvel, places.reshape(mocaps, 3), turns.reshape(mocaps, 4))


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
