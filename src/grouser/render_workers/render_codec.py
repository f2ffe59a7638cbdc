"""Codec of render orders: worlds, camera shots, video frames and appearance as messages.

The worker builds the same model from the world, so that a state is sufficient to draw a picture.
"""

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
from grouser.rendering.render_state import APPEARANCE_FIELDS, RenderState
from grouser.rendering.viewpoint import Viewpoint
from grouser.sensors.camera import Aim, Shot
from grouser.world.field_types import MAP_ENDINGS, MESH_ENDINGS
from grouser.world.file import World


def visible_world(world: World) -> World:
    """Return ``world`` without triggers, events, match and followed robot.

    These refer to robots by name, which may have left since the world was loaded.
    """
    view = world.view.model_copy(update={"follow": None})
    return world.changed(triggers=(), events=(), match=None, view=view)


def encode_world(world: World) -> bytes:
    """Return the `visible_world` as JSON."""
    return visible_world(world).model_dump_json().encode()


def decode_world(text: bytes) -> World:
    """Return the `visible_world` from the JSON of `encode_world`, bit for bit."""
    return World.model_validate(json.loads(text))


def pack_meshes(message: NewWorld) -> NewWorld:
    """Return ``message`` with the mesh files of its world attached."""
    meshes = [Path(mesh["file"]).read_bytes() for mesh in _meshes(json.loads(message.body))]
    return replace(
        message, files=[len(mesh) for mesh in meshes], body=b"".join((*meshes, message.body))
    )


def unpack_meshes(message: NewWorld, folder: Path) -> NewWorld:
    """Write the attached files to ``folder``; return a message whose world refers to them."""
    ends = [sum(message.files[: number + 1]) for number in range(len(message.files))]
    starts = [0, *ends]
    content = json.loads(message.body[starts[-1] :])
    for number, mesh in enumerate(_meshes(content)):
        ending = Path(mesh["file"]).suffix.lower()
        if number >= len(ends) or ending not in (*MESH_ENDINGS, *MAP_ENDINGS):
            raise BadValue(f"mesh file {number} of the world is not attached")
        file = folder / f"{number}{ending}"
        file.write_bytes(message.body[starts[number] : ends[number]])
        mesh["file"] = str(file)
    return replace(message, files=[], body=json.dumps(content).encode())


def _meshes(content: Any) -> Iterator[dict[str, Any]]:
    """Yield the parts of a world that are in files: objects, then terrain, in their order."""
    yield from (thing for thing in content["objects"] if thing["kind"] == "mesh")
    yield from (piece for piece in content["terrain"] if piece.get("file"))


def encode_shot(
    shot: Shot, time: float, *, robot: str, camera: str, quality: int, back: bool
) -> Shoot:
    """Return the order to draw ``shot``, without a number."""
    state = shot.state
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
    """Return the shot of an order that fits ``model`` (`fits`)."""
    return Shot(_render_state(model, order), Aim(*order.aim), order.seed)


def encode_frame(
    state: RenderState,
    view: Viewpoint,
    number: int,
    *,
    size: tuple[int, int],
    quality: str,
    coded: bool,
) -> Film:
    """Return the order to draw ``state`` from ``view``."""
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


def decode_frame(model: mujoco.MjModel, order: Film) -> tuple[RenderState, Viewpoint]:
    """Return state and viewpoint of an order that fits ``model`` (`fits`)."""
    x, y, z, *rest = order.view
    return _render_state(model, order), Viewpoint((x, y, z), *rest)


def fits(model: mujoco.MjModel, order: Shoot | Film) -> bool:
    """Return True if the state of an order belongs to ``model``."""
    sizes = [model.nq, model.nv, model.nmocap]
    length = model.nq + model.nv + 7 * model.nmocap
    same = order.model == int(model.signature) and order.sizes == sizes
    aimed = len(order.aim) == 3 if isinstance(order, Shoot) else len(order.view) == 7
    return same and len(order.body) == 8 * length and aimed


def _sizes(state: RenderState) -> list[int]:
    return [len(state.qpos), len(state.qvel), len(state.mocap_pos)]


def _state_bytes(state: RenderState) -> bytes:
    arrays = (state.qpos, state.qvel, state.mocap_pos, state.mocap_quat)
    return b"".join(array.astype("<f8", copy=False).tobytes() for array in arrays)


def _render_state(model: mujoco.MjModel, order: Shoot | Film) -> RenderState:
    numbers: Array = np.frombuffer(order.body, "<f8")
    nq, nv, mocaps = order.sizes
    ends = np.cumsum([nq, nv, 3 * mocaps])
    qpos, qvel, places, turns = np.split(numbers, ends)
    return RenderState(model, qpos, qvel, places.reshape(mocaps, 3), turns.reshape(mocaps, 4))


def encode_appearance(model: mujoco.MjModel) -> Looks:
    """Return the present appearance of ``model``: lights, colours, visibility."""
    parts = {
        field: np.ascontiguousarray(getattr(model, field)).tobytes() for field in APPEARANCE_FIELDS
    }
    return Looks({field: len(part) for field, part in parts.items()}, b"".join(parts.values()))


def apply_appearance(model: mujoco.MjModel, message: Looks) -> None:
    """Apply an appearance to ``model``; one of another world, which does not fit, is ignored."""
    fields: Mapping[str, Any] = {name: getattr(model, name) for name in APPEARANCE_FIELDS}
    if message.sizes != {name: field.nbytes for name, field in fields.items()}:
        return
    at = 0
    for name, size in message.sizes.items():
        field = fields[name]
        part = np.frombuffer(message.body[at : at + size], field.dtype)
        field[:] = part.reshape(field.shape)
        at += size
