"""A world sent to another process as JSON; to another machine, with its files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from grouser.errors import BadValue
from grouser.protocol.rendering import NewWorld
from grouser.world.data_files import MAP_ENDINGS, MESH_ENDINGS
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
