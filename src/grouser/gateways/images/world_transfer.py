"""A world on its way to another process is text; to another machine, it takes its meshes along."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from grouser.errors import BadValue
from grouser.protocol.rendering import NewWorld
from grouser.world.file import World
from grouser.world.objects import MESH_ENDINGS


def seen(world: World) -> World:
    """Return what can be seen of ``world``: without what happens in it and who plays there.

    Those name robots, and a robot may have left since the world was loaded.
    """
    view = world.view.model_copy(update={"follow": None})
    return world.changed(triggers=(), events=(), match=None, view=view)


def told(world: World) -> bytes:
    """Return what can be seen of ``world`` as JSON."""
    return seen(world).model_dump_json().encode()


def understood(text: bytes) -> World:
    """Return the world that `told` has told: as `seen`, down to the last bit of its model."""
    return World.model_validate(json.loads(text))


def pack(world: NewWorld) -> NewWorld:
    """Return ``world`` with the files that it names, which must be here."""
    meshes = [Path(mesh["file"]).read_bytes() for mesh in _meshes(json.loads(world.body))]
    return replace(
        world, files=[len(mesh) for mesh in meshes], body=b"".join((*meshes, world.body))
    )


def unpack(world: NewWorld, folder: Path) -> NewWorld:
    """Write the files that came along into ``folder``; return the world that names them there."""
    ends = [sum(world.files[: number + 1]) for number in range(len(world.files))]
    starts = [0, *ends]
    content = json.loads(world.body[starts[-1] :])
    for number, mesh in enumerate(_meshes(content)):
        ending = Path(mesh["file"]).suffix.lower()
        if number >= len(ends) or ending not in MESH_ENDINGS:
            raise BadValue(f"the world's mesh {number} did not come along")
        file = folder / f"{number}{ending}"
        file.write_bytes(world.body[starts[number] : ends[number]])
        mesh["file"] = str(file)
    return replace(world, files=[], body=json.dumps(content).encode())


def _meshes(content: Any) -> Iterator[dict[str, Any]]:
    """Yield the parts of a world that are files, always in the same order."""
    yield from (thing for thing in content["objects"] if thing["kind"] == "mesh")
